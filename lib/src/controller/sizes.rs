//! Processors that the size of a job counts, where it is given whole nodes.

use super::job::CtlState;
use super::select::NodeOffer;
use super::state::Controller;

impl Controller<'_> {
    /// A job was submitted: whether its size is known. With `select/linear` nodes are looked for at once, unless a limit is
    /// reached, after its first priority was computed; otherwise a backfilling cycle is the first to do that for an exclusive job.
    pub(super) fn is_to_size(&mut self, job: usize) {
        let is_whole = self.jobs[job].places[0].kept.need.is_exclusive;
        self.jobs[job].is_sized = self.cluster.settings.priority.weights.job_size == 0 || !is_whole;
        if self.jobs[job].is_sized {
            return;
        }
        if self.layout.is_linear && self.is_looked_for(job) {
            self.looked_for.push(job);
        } else if self.layout.is_linear || self.layout.equal_cpus.is_some() {
            self.unsized_jobs.push(job);
        }
    }

    /// The size of exclusive jobs that a cycle has seen counts all processors of their nodes. Where nodes differ in these, it is
    /// known once nodes are planned for them.
    pub(super) fn size_exclusive(&mut self) {
        self.size_looked_for();
        for job in std::mem::take(&mut self.unsized_jobs) {
            if self.jobs[job].state != CtlState::Waiting {
                continue;
            }
            if self.jobs[job].eligible.is_some() && self.is_looked_for(job) {
                self.size_whole(job);
            } else {
                self.unsized_jobs.push(job);
            }
        }
    }

    /// The size of jobs for which nodes were looked for when they were submitted.
    pub(super) fn size_looked_for(&mut self) {
        for job in std::mem::take(&mut self.looked_for) {
            if self.jobs[job].state == CtlState::Waiting {
                self.size_whole(job);
            }
        }
    }

    /// With `select/linear` a pass of the main scheduler does that too.
    pub(super) fn size_linear(&mut self) {
        if self.layout.is_linear {
            self.size_exclusive();
        }
    }

    /// Whether no limit keeps nodes from being looked for.
    fn is_looked_for(&self, job: usize) -> bool {
        let one = &self.jobs[job];
        self.limits.before_selection(&one.limits, one.places[0].limit).is_none()
    }

    fn size_whole(&mut self, job: usize) {
        let at = self.jobs[job].places[0].clone();
        let need = &at.kept.need;
        let cpus = match self.layout.equal_cpus {
            Some(cpus) => cpus.saturating_mul(need.least_nodes() as u32),
            None => {
                // Out of those that are idle, else out of all.
                let mut nodes = self.open_nodes[at.partition].clone();
                let mut all = nodes.clone();
                all.keep(&need.feasible);
                let offer = NodeOffer { layout: &self.layout, in_use: None, nodes: &all, lighter: &all };
                let chosen = self.chosen_now(&at, &mut nodes).or_else(|| offer.best_fit(need));
                chosen.iter().flatten().map(|&node| self.layout.nodes[node].cpus).sum()
            }
        };
        let one = &mut self.jobs[job];
        (one.size_cpus, one.is_sized) = (cpus.max(one.size_cpus), true);
    }
}
