//! Start times by simulating the site as it schedules, and by trees that learn from it.

mod bins;
mod expected;
mod model;
mod recent_waits;
mod rows;
mod snapshot;

pub use model::{ModelledWaits, ModelSettings};
