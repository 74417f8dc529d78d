//! Qualities of service.

use serde::Serialize;

use super::limits::{GroupLimits, HolderLimits, PerJobLimits};
use super::preempt::PreemptAction;
use queuecast_core::units::Seconds;

/// A quality of service: a priority and limits that jobs choose by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Qos {
    /// Its name.
    pub name: String,
    /// Its part in the priority of its jobs.
    pub priority: u32,
    /// What usage by its jobs is multiplied with.
    pub usage_factor: f64,
    /// Jobs of associations with a fair-share factor below this do not start.
    pub usage_threshold: Option<f64>,
    /// What the limits of associations are multiplied with for its jobs.
    pub limit_factor: Option<f64>,
    /// How its limits hold.
    pub flags: QosFlags,
    /// Limits of all its jobs together.
    pub group: GroupLimits,
    /// Limits of each of its jobs.
    pub per_job: PerJobLimits,
    /// Limits of each user.
    pub per_user: HolderLimits,
    /// Limits of each account.
    pub per_account: HolderLimits,
    /// Jobs of a lower priority do not gain age priority.
    pub min_priority_threshold: Option<u32>,
    /// The QOS whose jobs its jobs preempt.
    pub preempts: Vec<String>,
    /// How its jobs are preempted; `None`: as the cluster says.
    pub preempt: Option<PreemptAction>,
    /// How long a preempted job of it may go on.
    pub grace_time: Seconds,
    /// How long its jobs run before they can be preempted; `None`: as the cluster says.
    pub preempt_exempt_time: Option<Seconds>,
}

impl Default for Qos {
    /// A QOS of which only the name is configured.
    fn default() -> Qos {
        Qos {
            name: String::new(),
            priority: 0,
            usage_factor: 1.0,
            usage_threshold: None,
            limit_factor: None,
            flags: QosFlags::default(),
            group: GroupLimits::default(),
            per_job: PerJobLimits::default(),
            per_user: HolderLimits::default(),
            per_account: HolderLimits::default(),
            min_priority_threshold: None,
            preempts: Vec::new(),
            preempt: None,
            grace_time: Seconds::ZERO,
            preempt_exempt_time: None,
        }
    }
}

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
