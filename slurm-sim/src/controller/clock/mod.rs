//! The controller's clock: when its timers are due, and times in which nothing happens.

mod openings;
mod phases;
mod quiet;
mod timers;

pub(super) use openings::{next_decay, openings};
pub(super) use phases::CLOCK_LAG;
pub use phases::Phases;
pub(super) use quiet::QuietTime;
pub(super) use timers::{Clock, Due, LAST_SECOND, on_clock};
