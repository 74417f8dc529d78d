//! The controller's clock: when its timers are due, and times in which nothing happens.

mod openings;
mod phases;
mod quiet;
mod timers;

pub use phases::Phases;
pub(super) use phases::{CLOCK_LAG, REPORT};
pub(super) use timers::{Clock, Due, LAST_SECOND, on_clock};
