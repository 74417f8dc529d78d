//! The controller's clock: when its timers are due, and times in which nothing happens.

mod openings;
mod phases;
mod quiet;

pub use phases::{CLOCK_LAG, Phases, REPORT};
