//! The queue of pending jobs: its order, what jobs in it wait for, and why they wait.

mod order;
mod pending;
mod reasons;
mod record;

pub use pending::PendingQueue;
pub use reasons::{ReasonsFound, WaitReason, WaitedTimes};
pub use record::{QueueRecord, RecordIndex};
