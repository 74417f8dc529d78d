//! Preemption: running jobs that are requeued or cancelled so that others can start.

mod candidates;
mod requeue;

pub use candidates::Preemption;
