//! What plans of a backfill cycle are made of.

use super::mode::PlanMode;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::placement::NeedCache;

/// Looks at a plan: what it was made of, the job and where it was planned, what was planned before, and the plan.
#[cfg(test)]
pub type PlanCheck = fn(
    &BackfillPlanner<'_>,
    crate::controller::handles::JobHandle,
    &crate::controller::job::RequestedPartition,
    &super::time_map::TimeMap,
    Option<&(i64, Vec<usize>)>,
);

/// What plans of a cycle are made of at one instant: it is read only, and what plans have shown is in the [`Cycle`](super::cycle::Cycle).
#[derive(Clone, Copy)]
pub struct BackfillPlanner<'a> {
    pub now: ClusterNow<'a>,
    pub needs: &'a NeedCache,
    pub mode: PlanMode,
    /// What is done with each plan of a cycle that plans every job.
    #[cfg(test)]
    pub check: Option<PlanCheck>,
}
