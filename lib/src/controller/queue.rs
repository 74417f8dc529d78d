//! The queue in order, and what jobs in it wait for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::job::CtlState;
use super::state::Controller;
use crate::cluster::DependencyKind;

impl Controller<'_> {
    /// Whether what a job waits for has happened; `None` if it never will.
    pub(super) fn dependency_met(&self, job: usize) -> Option<bool> {
        let Some(dependency) = &self.submissions[self.jobs[job].submission].request.dependency else {
            return Some(true);
        };
        let mut all = true;
        let mut any = false;
        let mut never = false;
        for on in &dependency.on {
            let (name, task) = match on.job.split_once('_') {
                Some((name, task)) => (name, task.parse::<u32>().ok()),
                None => (on.job.as_str(), None),
            };
            let name = name.trim_start_matches('@');
            let met = match self.keys.get(name) {
                None if on.kind == DependencyKind::Singleton => Some(true),
                // A job that is not there has ended long ago.
                None => Some(on.kind != DependencyKind::AfterNotOk),
                Some(&place) => {
                    let states = self.of_submission[place]
                        .iter()
                        .filter(|&&one| task.is_none() || self.jobs[one].task == task)
                        .map(|&one| self.jobs[one].state);
                    let states: Vec<CtlState> = states.collect();
                    let over = |state: &CtlState| {
                        matches!(state, CtlState::Ended { .. } | CtlState::Cancelled | CtlState::Refused)
                    };
                    let well = |state: &CtlState| *state == CtlState::Ended { well: true };
                    match on.kind {
                        DependencyKind::After => {
                            Some(states.iter().all(|state| over(state) || *state == CtlState::Running))
                        }
                        DependencyKind::AfterOk | DependencyKind::AfterCorr => {
                            if states.iter().any(|state| over(state) && !well(state)) {
                                None
                            } else {
                                Some(states.iter().all(well))
                            }
                        }
                        DependencyKind::AfterNotOk => {
                            if states.iter().all(over) {
                                if states.iter().all(well) { None } else { Some(true) }
                            } else {
                                Some(false)
                            }
                        }
                        _ => Some(states.iter().all(over)),
                    }
                }
            };
            match met {
                Some(true) => any = true,
                Some(false) => all = false,
                None => (all, never) = (false, true),
            }
        }
        if dependency.any {
            if any { Some(true) } else { Some(false) }
        } else if never {
            None
        } else {
            Some(all)
        }
    }

    /// The queue in order: reservation first, tier, priority, submission. Jobs that have become ready are noted.
    pub(super) fn queue(&mut self) -> Vec<(usize, usize)> {
        let now = self.now();
        let mut arrays: BTreeMap<usize, usize> = BTreeMap::new();
        let mut gone = Vec::new();
        for job in self.waiting.clone() {
            if self.jobs[job].eligible.is_none() && !self.jobs[job].is_held {
                match self.dependency_met(job) {
                    Some(true) if self.jobs[job].begin <= now => {
                        let begin = self.jobs[job].begin;
                        let since = if begin > self.jobs[job].submit { begin } else { now };
                        self.jobs[job].eligible = Some(since);
                    }
                    None if self.cluster.settings.kill_invalid_depend => gone.push(job),
                    _ => {}
                }
            }
        }
        for job in gone {
            self.withdraw(job);
        }
        let mut records = Vec::new();
        for &job in &self.waiting {
            let one = &mut self.jobs[job];
            if one.eligible.is_none() {
                continue;
            }
            one.was_seen = true;
            if one.task.is_some() && *arrays.entry(one.submission).or_insert(job) != job {
                continue;
            }
            records.extend((0..one.places.len()).map(|place| (job, place)));
        }
        let tier = |partition: usize| self.cluster.partitions[partition].priority_tier;
        records.sort_by_cached_key(|&(job, place)| {
            let one = &self.jobs[job];
            let at = &one.places[place];
            (
                one.reservation.is_none(),
                Reverse(tier(at.partition)),
                Reverse(at.priority),
                one.submit,
                one.submission,
                one.task,
            )
        });
        records
    }

    /// The next task of the same array that waits.
    pub(super) fn next_task(&self, job: usize, after: usize) -> Option<usize> {
        let own = &self.of_submission[self.jobs[job].submission];
        own.iter().copied().filter(|&one| self.jobs[one].state == CtlState::Waiting).nth(after)
    }

    pub(super) fn is_throttled(&self, job: usize, planned: usize) -> bool {
        let submission = self.jobs[job].submission;
        let array = self.submissions[submission].request.array.as_ref();
        let Some(most) = array.and_then(|array| array.throttle).filter(|most| *most > 0) else {
            return false;
        };
        let running =
            self.of_submission[submission].iter().filter(|&&one| self.jobs[one].state == CtlState::Running);
        running.count() + planned >= most as usize
    }
}
