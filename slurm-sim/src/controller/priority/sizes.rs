//! Processors that the job-size factor of the priority counts, for jobs that are given whole nodes or cores.

use std::cmp::Reverse;

use crate::cluster::BackfillSettings;
use crate::controller::backfill::TestCounts;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::limits::{FullLimits, LicenseCounts};
use crate::controller::placement::{Need, NodeOffer, NodeSet};
use crate::controller::priority::PendingSizes;
use crate::controller::queue::QueueRecord;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// A job was submitted: whether its size is known. With `select/linear` nodes are looked for at once, unless a limit is
    /// reached, after its first priority was computed; otherwise a backfill cycle is the first to do that for an exclusive job.
    pub fn size_submitted(&mut self, job: JobHandle) {
        let need = &self.jobs[job].partitions[PartitionChoice::FIRST].kept.need;
        let layout = &self.pool.layout;
        let is_whole = need.is_exclusive;
        let is_known = !is_whole && layout.least_held(need) == need.asked_cpus;
        let is_sized = self.cluster.settings.priority.weights.job_size == 0 || is_known;
        let is_found_later =
            layout.is_linear || !is_whole && layout.holds_alike || is_whole && layout.equal_cpus.is_some();
        self.jobs.set_sized(job, is_sized);
        if is_sized {
            return;
        }
        if self.pool.layout.is_linear && self.now().is_looked_for(job, &self.licenses) {
            let cpus = self.now().size_found(job);
            self.sizes.is_found(job, cpus);
        } else if is_found_later {
            self.sizes.is_unsized(job, self.jobs[job].holder.user);
        }
    }

    /// The size of exclusive jobs that a cycle has seen counts all processors of their nodes. Where nodes differ in these, it is
    /// known once nodes are planned for them.
    pub fn size_exclusive(&mut self, queue: &[QueueRecord]) {
        self.sizes.settle(&mut self.jobs);
        self.sizes.forget_left(&self.jobs);
        if self.sizes.unsized_jobs().is_empty() {
            return;
        }
        let settings = self.cluster.settings.backfill.as_ref();
        let tested = settings.and_then(|settings| self.now().tested_of(&self.sizes, queue, settings));
        let mut found = tested.unwrap_or_else(|| self.sizes.unsized_jobs().iter().copied().collect());
        found.retain(|&job| {
            let one = &self.jobs[job];
            one.state == JobStage::Waiting
                && one.wait.eligible.is_some()
                && self.now().is_looked_for(job, &self.licenses)
        });
        for job in found {
            let cpus = self.now().size_found(job);
            self.jobs.set_size(job, cpus);
            self.sizes.is_sized(job, self.jobs[job].holder.user);
        }
    }

    /// Finds sizes as a pass of the main scheduler does with `select/linear`.
    pub fn size_linear(&mut self) {
        if self.pool.layout.is_linear {
            self.size_exclusive(&[]);
        }
    }

    /// A pass has looked for nodes for a job that it did not start, beside those held back. With `select/linear` the job's size is
    /// that of the nodes it looked at last; otherwise that of nodes on which the job could start if no limit kept it from that.
    pub fn size_in_pass(&mut self, job: JobHandle, at: &RequestedPartition, held_back: &NodeSet) {
        let (now, layout) = (self.now(), &self.pool.layout);
        if self.cluster.settings.priority.weights.job_size > 0
            && layout.sizes_differ(&at.kept.need)
            && let Some(mut usable) = now.may_use_now(job, at, held_back)
            && let Some(nodes) = match layout.is_linear {
                true => now.nodes_tested(at, &usable),
                false => now.chosen_now(at, &mut usable),
            }
        {
            self.size_planned(job, &at.kept.need, &nodes);
        }
    }

    /// Nodes were planned for a job: its size is what it would hold of them.
    pub fn size_planned(&mut self, job: JobHandle, need: &Need, nodes: &[usize]) {
        let layout = &self.pool.layout;
        let cpus = match need.is_exclusive {
            true => layout.cpus_of(nodes),
            false => {
                let none = NodeSet::none(0);
                let idle = NodeOffer { layout, in_use: None, nodes: &none, shift: None };
                idle.shares(nodes, need).iter().map(|share| share.cpus).sum()
            }
        };
        self.jobs.set_size(job, cpus);
    }
}

impl ClusterNow<'_> {
    /// Of jobs whose sizes are to be found, those that a cycle tests as far as its limits for users, partitions and associations go,
    /// among others of arrays; `None`: all.
    pub fn tested_of(
        &self,
        sizes: &PendingSizes,
        queue: &[QueueRecord],
        settings: &BackfillSettings,
    ) -> Option<Vec<JobHandle>> {
        let limits = [
            settings.counts.max_job_user,
            settings.counts.max_job_part,
            settings.counts.max_job_user_part,
            settings.counts.max_job_assoc,
        ];
        if queue.is_empty() || limits == [0; 4] {
            return None;
        }
        let (mut counts, mut full) = (TestCounts::default(), FullLimits::default());
        let mut tested = Vec::new();
        // Where tests are limited by user alone, jobs of others change nothing.
        let by_user = limits[1..] == [0; 3];
        for record in queue {
            let &QueueRecord { job, choice, user, .. } = record;
            if by_user && !sizes.has_unsized(user)
                || counts.is_full(user, settings)
                || record.is_at_limit(self.jobs, self.limits, &mut full)
            {
                continue;
            }
            let (one, at) = (&self.jobs[job], &self.jobs[job].partitions[choice]);
            let is_open = one.state == JobStage::Waiting
                && one.wait.eligible.is_some()
                && self.limits.before_selection(&at.limits, at.limit).is_none();
            if is_open && counts.count(one, at, settings) {
                // An array is tested task by task.
                let own = if one.task.is_some() { self.jobs.tasks(one.submission) } else { &[job] };
                tested.extend(own.iter().filter(|job| sizes.unsized_jobs().contains(job)));
            }
        }
        tested.sort_unstable();
        tested.dedup();
        Some(tested)
    }

    /// Whether the plan of a job changes its size: it is not known yet, or it is that of the nodes planned last.
    pub fn is_sized_by_plan(&self, job: JobHandle) -> bool {
        let (one, layout) = (&self.jobs[job], &self.pool.layout);
        let need = |is: fn(&Need) -> bool| one.partitions.first().is_some_and(|at| is(&at.kept.need));
        !one.wait.is_sized && layout.equal_cpus.is_none() && need(|need| need.is_exclusive)
            || !one.wait.is_sized && !layout.holds_alike && need(|need| !need.is_exclusive)
            || self.cluster.settings.priority.weights.job_size > 0 && need(Need::follows_nodes)
    }

    /// Whether a plan just made for a job gives it its size.
    pub fn takes_size_of(&self, job: JobHandle, need: &Need) -> bool {
        let layout = &self.pool.layout;
        need.is_exclusive && (layout.size_varies(need) || !self.jobs[job].wait.is_sized)
            || !need.is_exclusive && (need.follows_nodes() || !layout.holds_alike)
    }

    /// Whether no limit, and no license that others have, keeps a job from the selection of nodes.
    fn is_looked_for(&self, job: JobHandle, licenses: &LicenseCounts) -> bool {
        let at = &self.jobs[job].partitions[PartitionChoice::FIRST];
        self.limits.before_selection(&at.limits, at.limit).is_none()
            && !licenses.lack(self.jobs.submission(job))
    }

    /// The processors of the nodes that a selection finds now, in the first of a job's partitions.
    fn size_found(&self, job: JobHandle) -> u32 {
        let (one, layout) = (&self.jobs[job], &self.pool.layout);
        let tier = |at: &&RequestedPartition| Reverse(self.cluster[at.partition].priority_tier);
        let Some(at) = one.partitions.iter().min_by_key(tier) else { return one.wait.size_cpus };
        let need = &at.kept.need;
        if !need.is_exclusive {
            return layout.least_held(need);
        }
        if let Some(cpus) = layout.equal_cpus.filter(|_| !layout.size_varies(need)) {
            return cpus.saturating_mul(need.least_nodes() as u32);
        }
        let nodes = self.nodes_tested(at, &self.pool.open_nodes[at.partition.0]);
        nodes.map_or(one.wait.size_cpus, |nodes| layout.cpus_of(&nodes))
    }
}
