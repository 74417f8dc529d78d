//! A machine that is more than a number of processors.

use std::fmt::Debug;

use super::capacity::Capacity;
use queuecast_core::job::JobIndex;
use queuecast_core::units::Procs;

/// The nodes of a site at one instant, to plan on: they stand in for its number of processors.
pub trait Nodes: Debug {
    /// Processors in service.
    fn in_service(&self) -> Procs;

    /// Those of them that no job holds.
    fn free(&self) -> Procs;

    /// The waiting jobs that could start as far as they themselves go, in the order of the queue.
    fn waiting(&self) -> Vec<JobIndex>;

    /// What is free over time, without any start held.
    fn capacity(&self) -> Box<dyn Capacity + '_>;

    /// Starts a job that a policy has named, unless it runs already; the place of its shape, or `None` if there is no room for it.
    fn begin(&self, job: JobIndex) -> Option<u16>;
}
