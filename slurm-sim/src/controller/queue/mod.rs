//! The queue of pending jobs: its order, what jobs in it wait for, and why they wait.

mod order;
mod reasons;
mod record;

pub use reasons::{WaitReason, WaitedTimes};
pub use record::{ArrayTasks, QueueRecord};
