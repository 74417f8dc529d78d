//! Usage, and priorities by it.

use super::priorities::Priorities;
use crate::cluster::{PartitionIndex, PriorityKind};
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{ControlledJob, JobStage, RequestedPartition};
use crate::controller::lifecycle::Jobs;
use crate::controller::limits::{Amounts, TresIndex};
use crate::controller::placement::{GresIndex, MemoryNeed};
use crate::controller::state::Controller;
use queuecast_core::order;

/// What a multifactor priority consists of: factors times their weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct PriorityParts {
    pub age: f64,
    pub fair_share: f64,
    pub size: f64,
    pub partition: f64,
    pub qos: f64,
    pub association: f64,
    /// Of all resources that have a weight.
    pub resources: f64,
    /// Taken away.
    pub nice: f64,
}

impl PriorityParts {
    /// The priority before it is cut to a whole number.
    pub fn sum(&self) -> f64 {
        self.age + self.fair_share + self.size + self.partition + self.qos + self.association + self.resources
            - self.nice
    }
}

impl Controller<'_> {
    /// Usage decays and is charged, and all priorities are computed again.
    pub fn recompute(&mut self) {
        let now = self.second();
        self.sizes.settle(&mut self.jobs);
        self.priorities.decay(&mut self.limits, now);
        if self.priorities.fair.is_classic() {
            // One after the other in the order of their records: what a job finds used are the charges of those before it.
            let mut all: Vec<JobHandle> =
                self.jobs.running().iter().chain(self.queue.waiting()).copied().collect();
            order::sort_by_key(&mut all, |&job| self.jobs.record_of(job));
            for job in all {
                match self.jobs[job].state {
                    JobStage::Running => self.priorities.charge(&self.jobs[job], &mut self.limits, now),
                    _ => self.priorities.prioritize(&mut self.jobs, job, now),
                }
            }
            self.priorities.charged(now);
        } else {
            for &job in self.jobs.running() {
                self.priorities.charge(&self.jobs[job], &mut self.limits, now);
            }
            self.priorities.charged(now);
            self.priorities.fair.rank();
            for &job in self.queue.waiting() {
                self.priorities.prioritize(&mut self.jobs, job, now);
            }
        }
        self.queue.is_out_of_order();
        self.clock.request_cycle();
    }
}

impl Priorities<'_> {
    /// Computes the priority of a job in each of its partitions.
    pub fn prioritize(&mut self, jobs: &mut Jobs<'_>, job: JobHandle, now: i64) {
        let one = &jobs[job];
        if let Some(association) =
            one.holder.association.filter(|_| one.terms.fixed_priority.is_none() && !one.terms.is_held)
        {
            self.fair.settle(association);
        }
        let only_grows = self.cluster.settings.priority.flags.incr_only;
        for choice in jobs[job].partitions.choices() {
            let before = jobs[job].partitions[choice].priority;
            let computed = self.priority(jobs, job, choice, now);
            jobs.set_priority(job, choice, if only_grows { computed.max(before) } else { computed });
        }
    }

    fn priority(&self, jobs: &Jobs<'_>, job: JobHandle, choice: PartitionChoice, now: i64) -> u64 {
        let one = &jobs[job];
        if let Some(fixed) = one.terms.fixed_priority {
            return u64::from(fixed);
        }
        if self.cluster.settings.priority.kind == PriorityKind::Basic {
            // In the order of submission.
            return u64::from(u32::MAX) - jobs.rank(job) as u64;
        }
        let sum = self.parts(one, choice, now).sum();
        if sum < 1.0 { 1 } else { sum as u64 }
    }

    /// What the priority of a job in one of its partitions consists of.
    pub fn parts(&self, one: &ControlledJob, choice: PartitionChoice, now: i64) -> PriorityParts {
        let settings = &self.cluster.settings.priority;
        let weights = &settings.weights;
        let at = &one.partitions[choice];
        let flags = &settings.flags;
        let since = match one.holder.limits.accrual {
            _ if flags.accrue_always => Some(one.wait.submit),
            Some(_) => one.wait.accrues_since,
            None => one.wait.eligible.filter(|_| one.wait.was_seen),
        };
        let age = match since {
            Some(since) => ((now - since).max(0) as f64 / settings.max_age.0.max(1) as f64).min(1.0),
            None => 0.0,
        };
        let qos = one.holder.qos.map_or(0.0, |qos| f64::from(self.cluster[qos].priority));
        let nodes = self.cluster.nodes.len().max(1) as f64;
        let (asked, size_cpus) = (f64::from(at.kept.need.asked_nodes), f64::from(one.wait.size_cpus));
        let size = if flags.small_relative_to_time {
            // Processors, at least those of average nodes, for each minute of the limit.
            let cpus = (asked * self.all_cpus / nodes).max(size_cpus);
            let share = cpus / (at.limit / 60).max(1) as f64 / self.all_cpus;
            if settings.favor_small { 1.0 - share } else { share }
        } else if settings.favor_small {
            ((nodes - asked) / nodes + (self.all_cpus - size_cpus) / self.all_cpus) / 2.0
        } else {
            (asked / nodes + size_cpus / self.all_cpus) / 2.0
        };
        let factor = f64::from(self.cluster[at.partition].priority_job_factor);
        let of = |value: f64, largest: f64, is_raw: bool| {
            if is_raw {
                value
            } else if largest > 0.0 {
                value / largest
            } else {
                0.0
            }
        };
        let association = one.holder.association.and_then(|index| self.cluster.associations[index].priority);
        let association = association.map_or(0.0, f64::from);
        PriorityParts {
            age: f64::from(weights.age) * age,
            fair_share: f64::from(weights.fair_share)
                * one.holder.association.map_or(0.0, |index| self.fair.factor(index)),
            size: f64::from(weights.job_size) * size.min(1.0),
            partition: f64::from(weights.partition)
                * of(factor, self.largest_partition, flags.no_normal_part),
            qos: f64::from(weights.qos) * of(qos, self.largest_qos, flags.no_normal_qos),
            association: f64::from(weights.assoc)
                * of(association, self.largest_association, flags.no_normal_assoc),
            resources: self.resource_part(one, at),
            nice: one.terms.nice as f64,
        }
    }

    /// Of each resource with a weight, what a job asks for relative to what its partition has, which may be more than all. A job
    /// that was requeued after it had ended counts what it had.
    fn resource_part(&self, one: &ControlledJob, at: &RequestedPartition) -> f64 {
        let settings = &self.cluster.settings.priority;
        let weighted = settings.weights.tres.0.iter().map(|(name, weight)| {
            let counted = match one.last.amounts.0.is_empty() || one.state != JobStage::Waiting {
                true => self.asked_of(name, one, at),
                false => self.had_of(name, &one.last.amounts),
            };
            let all = self.partition_has(at.partition, name);
            match settings.flags.no_normal_tres {
                true => weight * counted as f64,
                false if all > 0 => weight * (counted as f64 / all as f64),
                false => 0.0,
            }
        });
        weighted.sum()
    }

    /// How much of a resource a job had.
    fn had_of(&self, name: &str, had: &Amounts) -> u64 {
        match name {
            "cpu" => had[TresIndex::CPUS],
            "mem" => had[TresIndex::MEMORY],
            "node" => had[TresIndex::NODES],
            "billing" => had[TresIndex::BILLING],
            _ => self.layout.gres_named(name).map(|one| had[TresIndex::of_gres(one)]).sum(),
        }
    }

    /// How much of a resource a job asks for. Memory that it does not ask for is the default of the first of its partitions, in all
    /// of them.
    fn asked_of(&self, name: &str, one: &ControlledJob, at: &RequestedPartition) -> u64 {
        let memory = one.partitions[PartitionChoice::FIRST].kept.need.counted_memory;
        let need = &at.kept.need;
        let gres = |name: &str| {
            let asked = need.gres.per_node.iter().map(|one| (one.0, one.1 * u64::from(need.nodes.0)));
            let of_tasks = need.gres.per_task.iter();
            let of_tasks = of_tasks.map(|one| (one.0, one.1.saturating_mul(u64::from(need.tasks))));
            let asked = asked.chain(need.gres.per_job.iter().copied()).chain(of_tasks);
            let named: Vec<GresIndex> = self.layout.gres_named(name).collect();
            // What is asked for of one type counts as of any.
            let counts = |one: GresIndex| self.layout.gres_counts_for(one).any(|at| named.contains(&at));
            asked.filter(|one| counts(one.0)).map(|one| one.1).sum::<u64>()
        };
        let memory = match memory {
            MemoryNeed::PerCpu(mb) => mb.saturating_mul(u64::from(need.asked_cpus)),
            MemoryNeed::PerNode(mb) => mb.saturating_mul(u64::from(need.nodes.0)),
            MemoryNeed::PerGpu(mb) => mb.saturating_mul(need.gpus()),
            MemoryNeed::AllOfNode => 0,
        };
        match name {
            "cpu" | "billing" => u64::from(need.asked_cpus),
            "mem" => memory,
            "node" => u64::from(need.nodes.0),
            name => gres(name),
        }
    }

    /// How much of a resource the nodes of a partition have.
    fn partition_has(&self, partition: PartitionIndex, name: &str) -> u64 {
        let nodes = self.layout.partitions[partition.0].iter();
        let named: Vec<GresIndex> = self.layout.gres_named(name).collect();
        let of = |node: usize| match name {
            "cpu" | "billing" => u64::from(self.cluster.nodes[node].unreserved_cpus()),
            "mem" => self.cluster.nodes[node].memory_mb,
            "node" => 1,
            _ => named.iter().map(|&at| self.layout.nodes[node].gres[at.0]).sum(),
        };
        nodes.map(of).sum()
    }
}
