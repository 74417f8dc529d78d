//! Processors that the job-size factor of the priority counts, for jobs that are given whole nodes or cores.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::controller::backfill::TestCounts;
use crate::controller::handles::JobHandle;
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::placement::{Need, NodeOffer, NodeSet};
use crate::controller::queue::QueueRecord;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// A job was submitted: whether its size is known. With `select/linear` nodes are looked for at once, unless a limit is
    /// reached, after its first priority was computed; otherwise a backfill cycle is the first to do that for an exclusive job.
    pub fn is_to_size(&mut self, job: JobHandle) {
        let need = &self.jobs[job].partitions[0].kept.need;
        let is_whole = need.is_exclusive;
        let is_known = !is_whole && self.held_by(need) == need.asked_cpus;
        self.jobs[job].wait.is_sized = self.cluster.settings.priority.weights.job_size == 0 || is_known;
        if self.jobs[job].wait.is_sized {
            return;
        }
        if self.pool.layout.is_linear && self.is_looked_for(job) {
            self.sizes.looked_for.push((job, self.size_found(job)));
        } else if self.pool.layout.is_linear
            || !is_whole && self.pool.layout.holds_alike
            || is_whole && self.pool.layout.equal_cpus.is_some()
        {
            self.sizes.unsized_jobs.push(job);
        }
    }

    /// The size of exclusive jobs that a cycle has seen counts all processors of their nodes. Where nodes differ in these, it is
    /// known once nodes are planned for them.
    pub fn size_exclusive(&mut self, queue: &[QueueRecord]) {
        self.size_looked_for();
        if self.sizes.unsized_jobs.is_empty() {
            return;
        }
        let tested = self.tested_of(queue);
        for job in std::mem::take(&mut self.sizes.unsized_jobs) {
            if self.jobs[job].state != JobStage::Waiting {
                continue;
            }
            let is_tested = tested.as_ref().is_none_or(|tested| tested.contains(&job));
            if self.jobs[job].wait.eligible.is_some() && is_tested && self.is_looked_for(job) {
                let cpus = self.size_found(job);
                self.set_size(job, cpus);
            } else {
                self.sizes.unsized_jobs.push(job);
            }
        }
    }

    /// Of the jobs whose sizes are not known, those that a cycle tests, as far as its limits for users, partitions and associations go,
    /// among others of arrays; `None`: all.
    fn tested_of(&self, queue: &[QueueRecord]) -> Option<BTreeSet<JobHandle>> {
        let settings = self.cluster.settings.backfill.as_ref()?;
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
        let unsized_jobs: BTreeSet<JobHandle> = self.sizes.unsized_jobs.iter().copied().collect();
        // Where tests are limited by user alone, jobs of others change nothing.
        let by_user = limits[1..] == [0; 3];
        let users: BTreeSet<u32> = unsized_jobs.iter().map(|&job| self.jobs[job].holder.user).collect();
        for &QueueRecord { job, place, user, .. } in queue {
            if by_user && !users.contains(&user) || counts.is_full(user, settings) {
                continue;
            }
            let (one, at) = (&self.jobs[job], &self.jobs[job].partitions[place]);
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

    /// The size of jobs for which nodes were looked for when they were submitted.
    pub fn size_looked_for(&mut self) {
        for (job, cpus) in std::mem::take(&mut self.sizes.looked_for) {
            if self.jobs[job].state == JobStage::Waiting {
                self.set_size(job, cpus);
            }
        }
    }

    /// Computes sizes as a pass of the main scheduler does with `select/linear`.
    pub fn size_linear(&mut self) {
        if self.pool.layout.is_linear {
            self.size_exclusive(&[]);
        }
    }

    /// Whether a job's size may change with each selection: nodes of `select/linear` differ, or its number of nodes is a range.
    pub fn size_varies(&self, need: &Need) -> bool {
        self.pool.layout.is_linear
            && (self.pool.layout.equal_cpus.is_none() || need.wanted_nodes > need.nodes.0)
    }

    /// Processors that a job which shares its nodes holds: whole cores.
    fn held_by(&self, need: &Need) -> u32 {
        let cpus = need.least_cpus();
        need.on.feasible.iter().next().map_or(cpus, |node| self.pool.layout.held_on_idle(node, cpus, need))
    }

    /// Whether the plan of a job changes its size: it is not known yet, or it is that of the nodes planned last.
    pub fn is_sized_by_plan(&self, job: JobHandle) -> bool {
        let one = &self.jobs[job];
        let need = |is: fn(&Need) -> bool| one.partitions.first().is_some_and(|at| is(&at.kept.need));
        !one.wait.is_sized && self.pool.layout.equal_cpus.is_none() && need(|need| need.is_exclusive)
            || !one.wait.is_sized && !self.pool.layout.holds_alike && need(|need| !need.is_exclusive)
            || self.cluster.settings.priority.weights.job_size > 0 && need(Need::follows_nodes)
    }

    /// Whether a plan just made for a job gives it its size.
    pub fn takes_size_of(&self, job: JobHandle, need: &Need) -> bool {
        need.is_exclusive && (self.size_varies(need) || !self.jobs[job].wait.is_sized)
            || !need.is_exclusive && (need.follows_nodes() || !self.pool.layout.holds_alike)
    }

    /// A pass has looked for nodes for a job that it did not start, beside those held back.
    pub fn size_in_pass(&mut self, job: JobHandle, at: &RequestedPartition, held_back: &NodeSet) {
        if self.size_varies(&at.kept.need)
            && self.cluster.settings.priority.weights.job_size > 0
            && let Some(usable) = self.may_use_now(job, at, held_back)
            && let Some(nodes) = self.nodes_tested(at, &usable)
        {
            let cpus = self.cpus_of(&nodes);
            self.set_size(job, cpus);
        }
    }

    /// Whether no limit, and no license that others have, keeps the job from the selection of nodes.
    fn is_looked_for(&self, job: JobHandle) -> bool {
        let at = &self.jobs[job].partitions[0];
        self.limits.before_selection(&at.limits, at.limit).is_none() && !self.lacks_licenses(job)
    }

    /// A job's size, which is that of all tasks of its array that have not started.
    fn set_size(&mut self, job: JobHandle, cpus: u32) {
        (self.jobs[job].wait.size_cpus, self.jobs[job].wait.is_sized) = (cpus, true);
        if self.jobs[job].task.is_none() || self.jobs[job].last.incarnation > 0 {
            return;
        }
        let submission = self.jobs[job].submission;
        for at in 0..self.jobs.may_wait(submission).len() {
            let task = self.jobs.may_wait(submission)[at];
            let one = &mut self.jobs[task];
            if one.state == JobStage::Waiting && one.last.incarnation == 0 {
                (one.wait.size_cpus, one.wait.is_sized) = (cpus, true);
            }
        }
    }

    /// A task of an array has started: the size of those that wait is what it was given, where nodes differ in that.
    pub fn size_started(&mut self, job: JobHandle) {
        if self.pool.layout.holds_alike || self.jobs[job].last.incarnation > 1 {
            return;
        }
        let (submission, cpus) = (self.jobs[job].submission, self.jobs[job].last.cpus);
        for task in self.jobs.may_wait(submission).to_vec() {
            let one = &mut self.jobs[task];
            if one.state == JobStage::Waiting && one.last.incarnation == 0 {
                (one.wait.size_cpus, one.wait.is_sized) = (cpus, true);
            }
        }
    }

    /// Nodes were planned for a job: its size is what it would hold of them.
    pub fn size_planned(&mut self, job: JobHandle, need: &Need, nodes: &[usize]) {
        let layout = &self.pool.layout;
        let cpus = match need.is_exclusive {
            true => self.cpus_of(nodes),
            false => {
                let none = NodeSet::none(0);
                let idle = NodeOffer { layout, in_use: None, nodes: &none, shift: None };
                idle.shares(nodes, need).iter().map(|share| share.cpus).sum()
            }
        };
        self.set_size(job, cpus);
    }

    fn cpus_of(&self, nodes: &[usize]) -> u32 {
        nodes.iter().map(|&node| self.pool.layout.nodes[node].cpus).sum()
    }

    /// The processors of the nodes that a selection finds now, in the first of a job's partitions.
    fn size_found(&self, job: JobHandle) -> u32 {
        let one = &self.jobs[job];
        let tier = |at: &&RequestedPartition| Reverse(self.cluster.partitions[at.partition].priority_tier);
        let Some(at) = one.partitions.iter().min_by_key(tier) else { return one.wait.size_cpus };
        let need = &at.kept.need;
        if !need.is_exclusive {
            return self.held_by(need);
        }
        if let Some(cpus) = self.pool.layout.equal_cpus.filter(|_| !self.size_varies(need)) {
            return cpus.saturating_mul(need.least_nodes() as u32);
        }
        let nodes = self.nodes_tested(at, &self.pool.open_nodes[at.partition]);
        nodes.map_or(one.wait.size_cpus, |nodes| self.cpus_of(&nodes))
    }

    /// The nodes that a selection ends with: usable ones on which the job could start now; else of all usable ones, if enough are
    /// idle; else of the whole partition.
    fn nodes_tested(&self, at: &RequestedPartition, usable: &NodeSet) -> Option<Vec<usize>> {
        let need = &at.kept.need;
        let mut idle = usable.clone();
        if let Some(nodes) = self.chosen_now(at, &mut idle) {
            return Some(nodes);
        }
        let best = |nodes: &NodeSet| {
            let mut nodes = nodes.clone();
            nodes.keep(&need.on.feasible);
            let offer = NodeOffer { layout: &self.pool.layout, in_use: None, nodes: &nodes, shift: None };
            offer.best_fit(need)
        };
        let among_usable = if idle.len() >= need.nodes.0 as usize { best(usable) } else { None };
        among_usable.or_else(|| best(&self.pool.layout.partitions[at.partition]))
    }
}
