//! Events that do not fit the state of a site.

use queuecast_core::job::JobIndex;

/// Why an event was refused. The site is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// The job does not wait: it has not been submitted, has started, or has left.
    #[error("job number {} in order of submission does not wait", .0.0)]
    NotWaiting(JobIndex),
    /// The job does not run.
    #[error("job number {} in order of submission does not run", .0.0)]
    NotRunning(JobIndex),
}
