//! Processors that the job-size factor of the priority counts, for jobs that are given whole nodes or cores.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::cluster::BackfillSettings;
use crate::controller::backfill::TestCounts;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::limits::LicenseCounts;
use crate::controller::placement::{Need, NodeOffer, NodeSet};
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
            self.sizes.is_unsized(job);
        }
    }

    /// The size of exclusive jobs that a cycle has seen counts all processors of their nodes. Where nodes differ in these, it is
    /// known once nodes are planned for them.
    pub fn size_exclusive(&mut self, queue: &[QueueRecord]) {
        self.sizes.settle(&mut self.jobs);
        if self.sizes.unsized_jobs().is_empty() {
            return;
        }
        let is_open = |job: &JobHandle| {
            let one = &self.jobs[*job];
            one.state == JobStage::Waiting
                && one.wait.eligible.is_some()
                && self.now().is_looked_for(*job, &self.licenses)
        };
        if !self.sizes.unsized_jobs().iter().any(is_open) {
            let jobs = &self.jobs;
            self.sizes.keep_unsized(|job| jobs[job].state == JobStage::Waiting);
            return;
        }
        let settings = self.cluster.settings.backfill.as_ref();
        let tested =
            settings.and_then(|settings| self.now().tested_of(self.sizes.unsized_jobs(), queue, settings));
        for job in self.sizes.take_unsized() {
            if self.jobs[job].state != JobStage::Waiting {
                continue;
            }
            let is_tested = tested.as_ref().is_none_or(|tested| tested.contains(&job));
            if self.jobs[job].wait.eligible.is_some()
                && is_tested
                && self.now().is_looked_for(job, &self.licenses)
            {
                let cpus = self.now().size_found(job);
                self.jobs.set_size(job, cpus);
            } else {
                self.sizes.is_unsized(job);
            }
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
    /// Of jobs whose sizes are not known, those that a cycle tests as far as its limits for users, partitions and associations go,
    /// among others of arrays; `None`: all.
    pub fn tested_of(
        &self,
        unsized_jobs: &[JobHandle],
        queue: &[QueueRecord],
        settings: &BackfillSettings,
    ) -> Option<BTreeSet<JobHandle>> {
        let limits = [
            settings.counts.max_job_user,
            settings.counts.max_job_part,
            settings.counts.max_job_user_part,
            settings.counts.max_job_assoc,
        ];
        if queue.is_empty() || limits == [0; 4] {
            return None;
        }
        let mut counts = TestCounts::default();
        let mut tested = BTreeSet::new();
        let unsized_jobs: BTreeSet<JobHandle> = unsized_jobs.iter().copied().collect();
        // Where tests are limited by user alone, jobs of others change nothing.
        let by_user = limits[1..] == [0; 3];
        let users: BTreeSet<u32> = unsized_jobs.iter().map(|&job| self.jobs[job].holder.user).collect();
        for &QueueRecord { job, choice, user, .. } in queue {
            if by_user && !users.contains(&user) || counts.is_full(user, settings) {
                continue;
            }
            let (one, at) = (&self.jobs[job], &self.jobs[job].partitions[choice]);
            let is_open = one.state == JobStage::Waiting
                && one.wait.eligible.is_some()
                && self.limits.before_selection(&at.limits, at.limit).is_none();
            if is_open && counts.count(one, at, settings) {
                if one.task.is_some() {
                    // An array is tested task by task.
                    tested.extend(self.jobs.tasks(one.submission));
                } else if unsized_jobs.contains(&job) {
                    tested.insert(job);
                }
            }
        }
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
