//! A controller that follows a recorded run, and what it decides alike.

mod decided;
mod decisions;
mod events;
mod followed_plans;
mod follower;
mod given;
mod recorded_clock;
mod seconds;
mod turns;
mod unstarted;

pub use decided::{DecisionKind, DecisionMiss, DecisionShare, DecisionShares};
pub use decisions::decisions;
