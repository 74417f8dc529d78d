//! Limits of QOS and associations. What is `None`, or absent from a [`Tres`], is not limited.

use serde::Serialize;

use super::tres::Tres;
use queuecast_core::units::Seconds;

/// Limits of all jobs of a QOS, or of an association and those below it, together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GroupLimits {
    /// Resources that run at one time (`GrpTRES`).
    pub tres: Tres,
    /// Resources times minutes, ever used and not decayed (`GrpTRESMins`).
    pub tres_minutes: Tres,
    /// Resources times minutes that the running jobs may still use (`GrpTRESRunMins`).
    pub tres_run_minutes: Tres,
    /// Running jobs (`GrpJobs`).
    pub jobs: Option<u32>,
    /// Waiting jobs that gain age priority (`GrpJobsAccrue`).
    pub jobs_accruing: Option<u32>,
    /// Waiting and running jobs (`GrpSubmit`).
    pub submitted: Option<u32>,
    /// Time used by all jobs (`GrpWall`).
    pub wall: Option<Seconds>,
}

/// Limits of each job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PerJobLimits {
    /// The most resources (`MaxTRES`).
    pub tres: Tres,
    /// The most resources on each node (`MaxTRESPerNode`).
    pub tres_per_node: Tres,
    /// The most resources times minutes (`MaxTRESMins`).
    pub tres_minutes: Tres,
    /// The longest time limit (`MaxWall`).
    pub wall: Option<Seconds>,
    /// The least resources (`MinTRES`).
    pub min_tres: Tres,
}

/// Limits of the jobs of one user, or of one account, at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HolderLimits {
    /// Resources of running jobs.
    pub tres: Tres,
    /// Resources times minutes that the running jobs may still use.
    pub tres_run_minutes: Tres,
    /// Running jobs.
    pub jobs: Option<u32>,
    /// Waiting jobs that gain age priority.
    pub jobs_accruing: Option<u32>,
    /// Waiting and running jobs.
    pub submitted: Option<u32>,
}
