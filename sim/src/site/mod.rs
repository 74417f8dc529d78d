//! One machine and its queue: which jobs wait, which run, what is predicted of them, how many processors are free.
//!
//! A [`Site`] is owned and fed by events: jobs are submitted, start, end, are withdrawn while they wait; predictions are
//! revised; processors go out of service and come back. It hands out a [`View`] of any instant. A simulation is a site plus
//! the true run times and an agenda (`sim::Engine`); the recorded schedule of a log is a site plus the log's own times
//! ([`Replay`]); a live cluster is a site plus polls; a fork is a copy.
//!
//! Refuses to know how long jobs will run, how that is predicted, and which job starts next.

pub(crate) mod blocks;
mod capacity;
mod error;
mod nodes;
mod profile;
pub(crate) mod queue;
mod replay;
pub(crate) mod ring;
pub(crate) mod rows;
pub(crate) mod running;
mod state;
mod timeline;
mod view;

pub use capacity::{Capacity, Earliest, Otherwise, Started};
pub use error::SiteError;
pub use nodes::Nodes;
pub use profile::Profile;
pub use replay::Replay;
pub use state::Site;
pub use timeline::{Step, TimedStep, Timeline};
pub use view::{RunningJob, View, WaitingJob};
