//! Qualities of service.

use serde::Serialize;

use super::limits::{GroupLimits, HolderLimits, PerJobLimits};
use super::preempt::PreemptAction;
use super::rows::settings_struct;
use queuecast_core::units::Seconds;

/// The table of [`Qos`], without its limits.
#[doc(hidden)]
#[macro_export]
macro_rules! qos_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// A quality of service: a priority and limits that jobs choose by name. The default is one of which only the name is configured.
    Qos {
        /// Its name.
        name: String = String::new();
        /// Its part in the priority of its jobs.
        priority: u32 = 0, ["Priority" = "1000", COUNT, Followed];
        /// What usage by its jobs is multiplied with.
        usage_factor: f64 = 1.0, ["UsageFactor" = "2", FRACTION, Followed];
        /// Jobs of associations with a fair-share factor below this do not start.
        usage_threshold: Option<f64> = None, ["UsageThreshold" = "0.5", OPTIONAL_FRACTION, LeftOut, "UsageThres"];
        /// What the limits of associations are multiplied with for its jobs.
        limit_factor: Option<f64> = None, ["LimitFactor" = "2", OPTIONAL_FRACTION, LeftOut];
        /// How its limits hold.
        flags: QosFlags = QosFlags::default(), ["Flags" = "DenyOnLimit", QOS_FLAGS, Followed];
        /// Limits of all its jobs together.
        group: GroupLimits = GroupLimits::default();
        /// Limits of each of its jobs.
        per_job: PerJobLimits = PerJobLimits::default();
        /// Limits of each user.
        per_user: HolderLimits = HolderLimits::default();
        /// Limits of each account.
        per_account: HolderLimits = HolderLimits::default();
        /// Jobs of a lower priority do not gain age priority.
        min_priority_threshold: Option<u32> = None, ["MinPrioThreshold" = "10", COUNT_LIMIT, LeftOut, "MinPrioThres"];
        /// The QOS whose jobs its jobs preempt.
        preempts: Vec<String> = Vec::new(), ["Preempt" = "low", NAMES, Followed];
        /// How its jobs are preempted; `cluster`: as the cluster says.
        preempt: Option<PreemptAction> = None, ["PreemptMode" = "requeue", QOS_PREEMPT_MODE, Followed];
        /// How long a preempted job of it may go on.
        grace_time: Seconds = Seconds::ZERO, ["GraceTime" = "60", SECONDS_OR_CLOCK, LeftOut];
        /// How long its jobs run before they can be preempted; if it does not say, as the cluster does.
        preempt_exempt_time: Option<Seconds> = None, ["PreemptExemptTime" = "00:10:00", OPTIONAL_MINUTES_OR_CLOCK, Followed];
    } } };
}
qos_settings!(settings_struct[]);

/// How the limits of a QOS hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct QosFlags {
    /// Jobs beyond a limit of their own are refused at submission.
    pub deny_on_limit: bool,
    /// The usage threshold holds for all jobs.
    pub enforce_usage_threshold: bool,
    /// Backfilling makes no reservation for its jobs.
    pub no_reserve: bool,
    /// Used resource minutes do not decay.
    pub no_decay: bool,
    /// Its limits come before those of the partition's QOS.
    pub over_part_qos: bool,
    /// Its jobs may exceed the partition's most nodes.
    pub partition_max_nodes: bool,
    /// Its jobs may stay below the partition's fewest nodes.
    pub partition_min_nodes: bool,
    /// Its jobs may exceed the partition's longest time.
    pub partition_time_limit: bool,
    /// Its jobs need a reservation.
    pub requires_reservation: bool,
    /// Its usage factor holds for limits of resource minutes too.
    pub usage_factor_safe: bool,
}
