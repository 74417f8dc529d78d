//! Preemption.

use serde::Serialize;

use super::rows::settings_struct;
use queuecast_core::units::Seconds;

/// What becomes of a preempted job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreemptAction {
    /// It is never preempted.
    Off,
    /// It is cancelled.
    Cancel,
    /// It goes back to the queue, or is cancelled if it cannot.
    Requeue,
    /// It is suspended.
    Suspend,
}

/// Which jobs preempt which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreemptKind {
    /// None does.
    #[default]
    None,
    /// Those of a partition of a higher tier.
    PartitionTier,
    /// Those whose QOS says so.
    Qos,
}

/// The table of [`PreemptSettings`].
#[doc(hidden)]
#[macro_export]
macro_rules! preempt_settings {
    ($with:ident $args:tt) => { $with! { $args
    /// How preemption is set up.
    PreemptSettings {
        /// Which jobs preempt which.
        kind: PreemptKind = PreemptKind::None, ["PreemptType" = "preempt/qos", PREEMPT_TYPE, Followed];
        /// What becomes of preempted jobs (`PreemptMode`).
        action: PreemptAction = PreemptAction::Off;
        /// Whether jobs that share processors take turns (`PreemptMode=GANG`).
        gang: bool = false;
        /// Whether jobs preempt those of their own QOS too (`PreemptMode=WITHIN`).
        within: bool = false;
        /// How long a job runs before it can be preempted.
        exempt_time: Seconds = Seconds::ZERO, ["PreemptExemptTime" = "00:10:00", EXEMPT_TIME, Followed];
        /// How often the jobs to preempt are searched for again to preempt fewer.
        reorder_count: u32 = 1,
            ["PreemptParameters.reorder_count" = "2", COUNT, Followed, "SchedulerParameters.preempt_reorder_count"];
        /// Whether jobs to preempt are taken strictly by priority.
        strict_order: bool = false,
            ["PreemptParameters.strict_order" = "", FLAG, LeftOut, "SchedulerParameters.preempt_strict_order"];
        /// Whether the jobs that started last are preempted first.
        youngest_first: bool = false,
            ["PreemptParameters.youngest_first" = "", FLAG, Followed, "SchedulerParameters.preempt_youngest_first"];
    } } };
}
preempt_settings!(settings_struct[Eq]);
