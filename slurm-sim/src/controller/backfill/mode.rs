//! How a controller's cycles plan.

use crate::cluster::{Cluster, PreemptKind};
use crate::controller::placement::NodeLayout;

/// How cycles plan, by the version and the settings of Slurm.
#[derive(Debug, Clone, Copy)]
pub struct PlanMode {
    /// Whether cycles plan every job, as Slurm does, or only those whose plans can affect which jobs start now.
    pub plans_all: bool,
    /// Whether plans are made as Slurm makes them since 24.11.
    pub as_2411: bool,
    /// Whether preemption is configured.
    pub preempts: bool,
    /// Whether jobs that wait for a limit are planned too (`assoc_limit_stop`).
    pub plans_limited: bool,
}

impl PlanMode {
    pub fn of(cluster: &Cluster, layout: &NodeLayout) -> PlanMode {
        let preempts = cluster.settings.preempt.kind != PreemptKind::None;
        let plans_limited = cluster.settings.main.assoc_limit_stop;
        PlanMode {
            // What tests for jobs with GPUs leave behind depends on every test; what makes way need not be free; sizes with
            // select/linear are those that were last tested; plans of jobs that wait for a limit depend on the plans before.
            plans_all: layout.has_gpus() || layout.is_linear || preempts || plans_limited,
            as_2411: cluster.version.is_some_and(|version| version >= (24, 11)),
            preempts,
            plans_limited,
        }
    }
}
