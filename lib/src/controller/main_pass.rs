//! A pass of the main scheduler.

use super::job::{CtlState, StartedBy};
use super::limits::Amounts;
use super::need::Need;
use super::node_set::NodeSet;
use super::select::{select, shares};
use super::state::Controller;

impl Controller<'_> {
    /// A pass of the main scheduler over so many jobs; all if no number is given.
    pub(super) fn pass(&mut self, depth: Option<u32>) {
        let now = self.now();
        self.last_pass = now;
        self.pass_requested = false;
        let queue = self.queue();
        let mut closed = vec![false; self.cluster.partitions.len()];
        let mut vanished = NodeSet::none(self.cluster.nodes.len());
        let mut tests = 0;
        for (job, place) in queue {
            let mut job = job;
            loop {
                if self.jobs[job].state != CtlState::Waiting {
                    break;
                }
                if depth.is_some_and(|depth| tests > depth) {
                    return;
                }
                let at = self.jobs[job].places[place].clone();
                if closed[at.partition] && self.jobs[job].reservation.is_none() {
                    break;
                }
                tests += 1;
                if self.is_throttled(job, 0) {
                    break;
                }
                let counted = self.jobs[job].counted;
                if self.limits.before_selection(&counted).is_some() {
                    break;
                }
                let mut usable = self.layout.partitions[at.partition].clone();
                usable.keep(&self.up);
                if self.jobs[job].reservation.is_none() {
                    usable.take_away(&vanished);
                } else {
                    let name = self.jobs[job].reservation.clone();
                    let begun = self
                        .reservations
                        .iter()
                        .any(|one| Some(&one.name) == name.as_ref() && one.start.0 <= now);
                    if !begun {
                        break;
                    }
                }
                if self.unreserved(job, &mut usable, now, now + at.limit).is_none() {
                    break;
                }
                let none = NodeSet::none(self.cluster.nodes.len());
                let chosen = select(&self.layout, &self.load, &usable, &at.need, &none);
                self.note_selection(&at.need, true);
                match chosen {
                    Some(nodes) => {
                        let shares = shares(&self.layout, &self.load, &nodes, &at.need);
                        let amounts = self.limits.amounts(&shares);
                        if self.limits.after_selection(&counted, &amounts).is_some() {
                            break;
                        }
                        self.start(job, place, shares, amounts, StartedBy::Main);
                    }
                    None => {
                        let least = self.least_amounts(&at.need);
                        if self.limits.after_selection(&counted, &least).is_some() {
                            break;
                        }
                        if self.jobs[job].reservation.is_none() {
                            closed[at.partition] = true;
                            vanished.add(&self.layout.partitions[at.partition]);
                        }
                        break;
                    }
                }
                // A started task lets its array try the next.
                match self.jobs[job].task.and_then(|_| self.next_task(job, 0)) {
                    Some(next) => job = next,
                    None => break,
                }
            }
        }
    }

    /// What a job counts as at least, wherever it starts.
    pub(super) fn least_amounts(&self, need: &Need) -> Amounts {
        let mut amounts = self.limits.amounts(&[]);
        amounts.0[0] = u64::from(need.cpus);
        amounts.0[2] = u64::from(need.nodes.0);
        amounts.0[3] = u64::from(need.cpus);
        amounts
    }
}
