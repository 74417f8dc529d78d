//! What happens to jobs: they are submitted, start, end and leave.

mod changes;
mod dependencies;
mod described;
mod events;
mod jobs;
mod needed;
mod progress;
mod submissions;

pub use described::DescribedRequests;
pub use jobs::Jobs;
