//! What happens to jobs: they are submitted, start, end and leave.

mod changes;
mod dependencies;
mod events;
mod jobs;
mod needed;
mod progress;
mod submissions;

pub use jobs::Jobs;
pub use submissions::DescribedRequests;
