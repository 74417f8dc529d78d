//! How a controller's cycles plan.

use crate::cluster::{BackfillSettings, Cluster, JobRequest, PreemptKind, SubmittedJob};
use crate::controller::placement::{GresIndex, NodeLayout, NodeSet};

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
    /// Whether tests for jobs with GPUs change the weights of nodes for others: some of these could have nodes with GPUs.
    pub weighs_gpus: bool,
}

/// Whether a job that asks for no GPUs could have a node with some.
fn weighs_gpus(cluster: &Cluster, layout: &NodeLayout, submissions: &[SubmittedJob]) -> bool {
    if !layout.has_gpus() {
        return false;
    }
    let has_gpus = |partition: &NodeSet| {
        let mut nodes = partition.iter().map(|node| &layout.nodes[node].gres);
        nodes.any(|gres| {
            gres.iter().enumerate().any(|(index, &count)| count > 0 && layout.is_gpu(GresIndex(index)))
        })
    };
    let with_gpus: Vec<bool> = layout.partitions.iter().map(has_gpus).collect();
    // Whether GPUs of tasks count for the job depends on more than the request; they are not looked at.
    let asks = |request: &JobRequest| {
        let mut asked = request.gres.per_node.iter().chain(&request.gres.per_job);
        asked.any(|one| one.count > 0 && layout.gres(one).is_some_and(|one| layout.is_gpu(one)))
    };
    let may_have = |request: &JobRequest| match request.partitions.is_empty() {
        true => cluster.default_partition().is_some_and(|one| with_gpus[one.0]),
        false => {
            request.partitions.iter().filter_map(|one| cluster.partition(one)).any(|one| with_gpus[one.0])
        }
    };
    submissions.iter().any(|one| !asks(&one.request) && may_have(&one.request))
}

impl PlanMode {
    /// When nodes are kept for a plan of a job with this limit: on the grid of plans. Slurm 24.11 was the first to keep them to the end
    /// of the job.
    pub fn on_grid(&self, start: i64, limit: i64, settings: &BackfillSettings) -> (i64, i64) {
        let grid = settings.resolution.0.max(1);
        let end = start + limit + if self.as_2411 { grid - 1 } else { 0 };
        (start.div_euclid(grid) * grid, end.div_euclid(grid) * grid)
    }

    pub fn of(cluster: &Cluster, layout: &NodeLayout, submissions: &[SubmittedJob]) -> PlanMode {
        let preempts = cluster.settings.preempt.kind != PreemptKind::None;
        let plans_limited = cluster.settings.main.assoc_limit_stop;
        let weighs_gpus = weighs_gpus(cluster, layout, submissions);
        PlanMode {
            // What tests for jobs with GPUs leave behind depends on every test; what makes way need not be free; sizes with
            // select/linear are those that were last tested; plans of jobs that wait for a limit depend on the plans before.
            plans_all: weighs_gpus || layout.is_linear || preempts || plans_limited,
            weighs_gpus,
            as_2411: cluster.version.is_some_and(|version| version >= (24, 11)),
            preempts,
            plans_limited,
        }
    }
}
