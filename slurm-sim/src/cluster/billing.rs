//! What jobs are billed.

use super::indices::PartitionIndex;
use super::outcome::JobOutcome;
use super::partition::MemoryAmount;
use super::request::{GresRequest, MemoryRequest};
use super::submitted::SubmittedJob;
use super::whole::Cluster;

/// The sum of weighted amounts, or the largest of them (`MAX_TRES`).
pub(crate) fn billed(weighted: impl Iterator<Item = f64>, is_largest: bool) -> f64 {
    let sum: f64 = if is_largest { weighted.fold(0.0, f64::max) } else { weighted.sum() };
    sum.max(0.0)
}

impl Cluster {
    /// What a job that ran was billed for each second: as it is told, else by the weights of its partition, with the processors
    /// and nodes it had and the memory and generic resources it asked for.
    pub(super) fn billed(&self, submission: &SubmittedJob, outcome: &JobOutcome) -> f64 {
        if let Some(told) = outcome.billed {
            return told as f64;
        }
        let asked = submission.request.partitions.first().and_then(|name| self.partition(name));
        let partition = self.partition(&outcome.partition).or(asked).or_else(|| self.default_partition());
        let weights = partition.map(|index| &self[index].billing_weights);
        let Some(weights) = weights.filter(|weights| !weights.is_empty()) else {
            return f64::from(outcome.cpus);
        };
        let nodes = outcome.nodes.len().max(1) as u64;
        let amount = |name: &str| match name {
            "cpu" => u64::from(outcome.cpus),
            "node" => nodes,
            "mem" => self.memory(submission, outcome, partition),
            name => generic(submission, name, nodes),
        };
        let weighted = weights.0.iter().map(|(name, weight)| amount(name) as f64 * weight);
        billed(weighted, self.settings.priority.flags.max_tres)
    }

    /// The memory of a job in MB: what it asked for, else what its partition or the cluster gives.
    fn memory(
        &self,
        submission: &SubmittedJob,
        outcome: &JobOutcome,
        partition: Option<PartitionIndex>,
    ) -> u64 {
        let (cpus, nodes) = (u64::from(outcome.cpus), outcome.nodes.len().max(1) as u64);
        let usual = || partition.and_then(|index| self[index].default_memory);
        match submission.request.memory {
            Some(MemoryRequest::PerNode(0)) => {
                let own = outcome.nodes.iter().filter_map(|name| self.node(name));
                own.map(|node| self.nodes[node].memory_mb).sum()
            }
            Some(MemoryRequest::PerNode(mb)) => mb.saturating_mul(nodes),
            Some(MemoryRequest::PerCpu(mb)) => mb.saturating_mul(cpus),
            Some(MemoryRequest::PerGpu(mb)) => mb.saturating_mul(generic(submission, "gres/gpu", nodes)),
            None => match usual().or(self.settings.jobs.default_memory) {
                Some(MemoryAmount::PerCpu(mb)) => mb.saturating_mul(cpus),
                Some(MemoryAmount::PerNode(mb)) => mb.saturating_mul(nodes),
                None => 0,
            },
        }
    }
}

/// The amount of a generic resource (`gres/gpu`, `gres/gpu:a100`) that a job asks for in total if it has `nodes` nodes.
fn generic(submission: &SubmittedJob, name: &str, nodes: u64) -> u64 {
    let request = &submission.request;
    let Some(bare) = name.strip_prefix("gres/") else { return 0 };
    let (bare, kind) = bare.split_once(':').map_or((bare, None), |(bare, kind)| (bare, Some(kind)));
    let of = |all: &[GresRequest], times: u64| {
        let own =
            all.iter().filter(|one| one.name == bare && (kind.is_none() || one.kind.as_deref() == kind));
        own.fold(0_u64, |sum, one| sum.saturating_add(one.count)).saturating_mul(times)
    };
    let tasks = u64::from(request.tasks.unwrap_or(1));
    of(&request.gres.per_node, nodes)
        .saturating_add(of(&request.gres.per_job, 1))
        .saturating_add(of(&request.gres.per_task, tasks))
}
