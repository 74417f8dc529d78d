//! What happens to jobs: they are submitted, start, end and leave.

mod changes;
mod events;
mod jobs;
mod submissions;

pub use jobs::Jobs;
