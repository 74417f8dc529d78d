//! Which running jobs a job may preempt, and which it would.

use crate::cluster::{PartitionIndex, PreemptAction, PreemptKind};
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::placement::{Load, NodeOffer, NodeSet};

/// A job with more starts than this is not preempted again, which stops two jobs from preempting each other for ever.
const MOST_STARTS: u32 = 1_000;

/// What preemption asks about running jobs at one instant.
#[derive(Clone, Copy)]
pub struct Preemption<'a> {
    pub now: ClusterNow<'a>,
}

impl Preemption<'_> {
    /// The running jobs that would be left without those that a job may preempt, and what would be in use; `None` if there are none
    /// that it may preempt.
    pub fn emptied_for(&self, job: JobHandle, at: &RequestedPartition) -> Option<(Vec<JobHandle>, Load)> {
        let gone = self.candidates(job, at);
        if gone.is_empty() {
            return None;
        }
        let ClusterNow { jobs, pool, .. } = self.now;
        let mut load = pool.load.clone();
        gone.iter().flat_map(|&other| &*jobs[other].last.shares).for_each(|share| load.release(share));
        Some((jobs.running().iter().copied().filter(|other| !gone.contains(other)).collect(), load))
    }

    /// The preemption mode that applies to a running job: that of its partition or QOS, else the cluster's.
    pub fn action_for(&self, job: JobHandle) -> PreemptAction {
        let one = &self.now.jobs[job];
        let settings = &self.now.cluster.settings.preempt;
        match settings.kind {
            PreemptKind::None => PreemptAction::Off,
            PreemptKind::PartitionTier => {
                self.now.cluster[one.last.ran_in].preempt.unwrap_or(settings.action)
            }
            PreemptKind::Qos => {
                one.holder.qos.and_then(|qos| self.now.cluster[qos].preempt).unwrap_or(settings.action)
            }
        }
    }

    /// Whether a job in one of its partitions may preempt a running job.
    fn preempts(&self, job: JobHandle, at: &RequestedPartition, other: JobHandle) -> bool {
        let settings = &self.now.cluster.settings.preempt;
        let (one, running) = (&self.now.jobs[job], &self.now.jobs[other]);
        let exempt = running.holder.qos.and_then(|qos| self.now.cluster[qos].preempt_exempt_time);
        if running.last.incarnation > MOST_STARTS
            || self.now.second - running.last.start < exempt.unwrap_or(settings.exempt_time).0
        {
            return false;
        }
        match settings.kind {
            PreemptKind::None => false,
            PreemptKind::PartitionTier => {
                let tier = |partition: PartitionIndex| self.now.cluster[partition].priority_tier;
                tier(at.partition) > tier(running.last.ran_in)
            }
            PreemptKind::Qos => {
                let (Some(own), Some(theirs)) = (one.holder.qos, running.holder.qos) else { return false };
                let (own, theirs) = (&self.now.cluster[own], &self.now.cluster[theirs]);
                let is_below = settings.within
                    && own.name == theirs.name
                    && running.partitions.iter().all(|other| other.priority < at.priority);
                own.preempts.contains(&theirs.name) || is_below
            }
        }
    }

    /// The running jobs that a job may preempt, in the order in which they are tried: youngest first if so configured, else by
    /// lowest QOS priority or partition tier, then fewest nodes.
    fn candidates(&self, job: JobHandle, at: &RequestedPartition) -> Vec<JobHandle> {
        let settings = &self.now.cluster.settings.preempt;
        if settings.kind == PreemptKind::None {
            return Vec::new();
        }
        let makes_way = |&&other: &&JobHandle| {
            matches!(self.action_for(other), PreemptAction::Requeue | PreemptAction::Cancel)
                && self.preempts(job, at, other)
        };
        let mut found: Vec<JobHandle> = self.now.jobs.running().iter().filter(makes_way).copied().collect();
        let rank = |&other: &JobHandle| {
            let running = &self.now.jobs[other];
            let first = match settings.kind {
                PreemptKind::Qos => running.holder.qos.map_or(0, |qos| self.now.cluster[qos].priority),
                _ => self.now.cluster[running.last.ran_in].priority_tier,
            };
            (first, running.last.nodes.len(), running.last.start)
        };
        match settings.youngest_first {
            true => found.sort_by_key(|&other| std::cmp::Reverse(self.now.jobs[other].last.start)),
            false => found.sort_by_key(rank),
        }
        found
    }

    /// The running jobs to preempt so that a job can start on the usable nodes; `None` if that does not free enough. Repeated
    /// `preempt_reorder_count` times, each time with the last job needed moved to the front, so that fewer are preempted.
    pub fn preempted_for(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
        usable: &NodeSet,
    ) -> Option<Vec<JobHandle>> {
        let mut order = self.candidates(job, at);
        if order.is_empty() {
            return None;
        }
        let mut found = self.freed_by(&order, at, usable)?;
        for _ in 0..self.now.cluster.settings.preempt.reorder_count {
            let Some(&last) = found.0.last() else { break };
            order.retain(|&other| other != last);
            order.insert(0, last);
            found = self.freed_by(&order, at, usable)?;
        }
        let (gone, nodes) = found;
        let is_on = |&other: &JobHandle| {
            self.now.jobs[other].last.nodes.iter().any(|&node| nodes.contains(&(node as usize)))
        };
        Some(gone.into_iter().filter(is_on).collect())
    }

    /// The first jobs of this order whose end lets the job start, and the nodes on which it then starts.
    fn freed_by(
        &self,
        order: &[JobHandle],
        at: &RequestedPartition,
        usable: &NodeSet,
    ) -> Option<(Vec<JobHandle>, Vec<usize>)> {
        let need = &at.kept.need;
        let mut load: Load = self.now.pool.load.clone();
        let mut gone = Vec::new();
        for &other in order {
            self.now.jobs[other].last.shares.iter().for_each(|share| load.release(share));
            gone.push(other);
            let in_use = load.in_use();
            let fits = |&node: &usize| in_use.usable(&self.now.pool.layout, node, need) > 0;
            let free = need.on.feasible.iter().filter(|&node| usable.contains(node)).filter(fits);
            let nodes = NodeSet::of(self.now.cluster.nodes.len(), free);
            let offer =
                NodeOffer { layout: &self.now.pool.layout, in_use: Some(in_use), nodes: &nodes, shift: None };
            if let Some(chosen) = offer.choose(need) {
                return Some((gone, chosen));
            }
        }
        None
    }
}
