//! Limits of QOS and associations. What is `None`, or absent from a [`Tres`], is not limited.

use serde::Serialize;

use super::rows::settings_struct;
use super::tres::Tres;
use queuecast_core::units::Seconds;

/// The table of [`GroupLimits`].
#[doc(hidden)]
#[macro_export]
macro_rules! group_limits {
    ($with:ident $args:tt) => { $with! { $args
    /// Limits of all jobs of a QOS, or of an association and those below it, together.
    GroupLimits {
        /// Resources that run at one time.
        tres: Tres = Tres::default(), ["GrpTRES" = "cpu=100", TRES, Followed];
        /// Resources times minutes, ever used and not decayed.
        tres_minutes: Tres = Tres::default(), ["GrpTRESMins" = "cpu=1000", TRES, Followed];
        /// Resources times minutes that the running jobs may still use.
        tres_run_minutes: Tres = Tres::default(), ["GrpTRESRunMins" = "cpu=1000", TRES, Followed, "GrpTRESRunMin"];
        /// Running jobs.
        jobs: Option<u32> = None, ["GrpJobs" = "10", COUNT_LIMIT, Followed];
        /// Waiting jobs that gain age priority.
        jobs_accruing: Option<u32> = None, ["GrpJobsAccrue" = "10", COUNT_LIMIT, Followed];
        /// Waiting and running jobs.
        submitted: Option<u32> = None, ["GrpSubmitJobs" = "100", COUNT_LIMIT, Followed, "GrpSubmit"];
        /// Time used by all jobs.
        wall: Option<Seconds> = None, ["GrpWall" = "1-0", WALL_LIMIT, LeftOut];
    } } };
}
group_limits!(settings_struct[Eq]);

/// The table of [`PerJobLimits`].
#[doc(hidden)]
#[macro_export]
macro_rules! per_job_limits {
    ($with:ident $args:tt) => { $with! { $args
    /// Limits of each job.
    PerJobLimits {
        /// The most resources.
        tres: Tres = Tres::default(), ["MaxTRESPerJob" = "cpu=20", TRES, Followed, "MaxTRES", "MaxTRESPJ"];
        /// The most resources on each node.
        tres_per_node: Tres = Tres::default(), ["MaxTRESPerNode" = "cpu=4", TRES, Followed, "MaxTRESPN"];
        /// The most resources times minutes.
        tres_minutes: Tres = Tres::default(), ["MaxTRESMins" = "cpu=500", TRES, Followed, "MaxTRESMinsPJ"];
        /// The longest time limit.
        wall: Option<Seconds> = None, ["MaxWall" = "12:00:00", WALL_LIMIT, Followed, "MaxWallPJ", "MaxWallDurationPerJob"];
        /// The least resources.
        min_tres: Tres = Tres::default(), ["MinTRES" = "cpu=2", TRES, Followed, "MinTRESPerJob"];
    } } };
}
per_job_limits!(settings_struct[Eq]);

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
