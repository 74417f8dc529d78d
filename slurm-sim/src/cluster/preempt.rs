//! Preemption.

use serde::Serialize;

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

/// How preemption is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreemptSettings {
    /// Which jobs preempt which (`PreemptType`).
    pub kind: PreemptKind,
    /// What becomes of preempted jobs (`PreemptMode`).
    pub action: PreemptAction,
    /// Whether jobs that share processors take turns (`GANG`).
    pub gang: bool,
    /// Whether jobs preempt those of their own QOS too (`WITHIN`).
    pub within: bool,
    /// How long a job runs before it can be preempted.
    pub exempt_time: Seconds,
    /// How often the jobs to preempt are searched for again to preempt fewer.
    pub reorder_count: u32,
    /// Whether jobs to preempt are taken strictly by priority.
    pub strict_order: bool,
    /// Whether the jobs that started last are preempted first.
    pub youngest_first: bool,
}

impl Default for PreemptSettings {
    fn default() -> PreemptSettings {
        PreemptSettings {
            kind: PreemptKind::None,
            action: PreemptAction::Off,
            gang: false,
            within: false,
            exempt_time: Seconds::ZERO,
            reorder_count: 1,
            strict_order: false,
            youngest_first: false,
        }
    }
}
