//! What jobs depend on.

use std::iter;

use super::jobs::Jobs;
use super::needed::{NeededBySubmission, NeededTasks};
use crate::cluster::{DependencyKind, DependencyOn};
use crate::controller::handles::{JobHandle, SubmissionHandle};
use crate::controller::job::{ControlledJob, JobStage};

/// When the delay of a dependency ends, in seconds: counted from the needed job's start, or its cancellation while pending.
fn delayed(needed: &ControlledJob, on: &DependencyOn) -> i64 {
    let since = if needed.last.by.is_some() { needed.last.start } else { needed.last.end };
    since.saturating_add(on.delay.0)
}

impl Jobs<'_> {
    /// Whether a job of this job's name and user runs or, of those pending, was submitted before it (dependency `singleton`).
    fn has_namesake(&self, job: JobHandle, pending: &[JobHandle]) -> bool {
        let own = self[job].submission;
        let of = |submission: SubmissionHandle| {
            let one = self.asked(submission);
            one.request.name.as_ref().map(|name| (name, &one.user))
        };
        let Some(named) = of(own) else { return false };
        let same = |&&other: &&JobHandle| {
            let submission = self[other].submission;
            submission != own && of(submission) == Some(named)
        };
        self.running().iter().any(|other| same(&other))
            || pending.iter().filter(same).any(|&other| self.rank(other) < self.rank_of(own))
    }

    /// What all dependencies name. Names are looked up once: dependencies are asked about at every look at the queue.
    pub(super) fn all_needed(&self) -> NeededBySubmission {
        let needed = |on: &DependencyOn| {
            let whole = on.job.trim_start_matches('@');
            let (name, task) = match whole.rsplit_once('_') {
                Some((name, task)) if self.named(whole).is_none() => (name, task.parse::<u32>().ok()),
                _ => (whole, None),
            };
            NeededTasks { submission: self.named(name), task }
        };
        let of = |&submission: &SubmissionHandle| {
            let dependency = self.asked(submission).request.dependency.as_ref()?;
            Some((submission, dependency.on.iter().map(needed).collect()))
        };
        self.by_submission().iter().filter_map(of).collect()
    }

    /// The conditions of a job's dependency, and what each names.
    fn conditions(&self, job: JobHandle) -> impl Iterator<Item = (&DependencyOn, NeededTasks)> {
        let submission = self[job].submission;
        let dependency = self.asked(submission).request.dependency.as_ref();
        let conditions = dependency.map_or(&[][..], |dependency| &dependency.on);
        let needed = match conditions {
            [] => &[][..],
            _ => self.needed_by(submission),
        };
        iter::zip(conditions, needed.iter().copied())
    }

    /// The tasks that a condition names; `None` if there is no such job.
    fn needed(&self, needed: NeededTasks) -> Option<impl Iterator<Item = &ControlledJob> + Clone> {
        let tasks = self.tasks(needed.submission?).iter().map(|&one| &self[one]);
        Some(tasks.filter(move |one| needed.task.is_none() || one.task == needed.task))
    }

    /// When the dependency delays of a job end, of those needed jobs that have started or were cancelled while pending.
    pub fn delayed_until(&self, job: JobHandle) -> Vec<i64> {
        let with_delay = self.conditions(job).filter(|(on, _)| on.delay.0 > 0);
        let ends = with_delay.flat_map(|(on, needed)| {
            let tasks = self.needed(needed).into_iter().flatten();
            let begun = tasks.filter(|one| !matches!(one.state, JobStage::ToCome | JobStage::Waiting));
            begun.map(move |one| delayed(one, on))
        });
        ends.collect()
    }

    /// Whether the dependencies of a job are met at an instant, beside the jobs that are pending; `None` if they never can be.
    pub fn dependency_met(&self, job: JobHandle, pending: &[JobHandle], now: i64) -> Option<bool> {
        let Some(dependency) = &self.submission(job).request.dependency else {
            return Some(true);
        };
        let mut all = true;
        let mut any = false;
        let mut never = false;
        for (on, needed) in self.conditions(job) {
            let met = match self.needed(needed) {
                _ if on.kind == DependencyKind::Singleton => Some(!self.has_namesake(job, pending)),
                // A job that is not known counts as one that ended long ago.
                None => Some(on.kind != DependencyKind::AfterNotOk),
                Some(tasks) => {
                    let mut states = tasks.clone().map(|one| one.state);
                    let over = |state: JobStage| {
                        matches!(state, JobStage::Ended { .. } | JobStage::Cancelled | JobStage::Refused(_))
                    };
                    let well = |state: JobStage| state == JobStage::Ended { well: true };
                    match on.kind {
                        DependencyKind::After => Some(tasks.clone().all(|one| {
                            (over(one.state) || one.state == JobStage::Running) && now >= delayed(one, on)
                        })),
                        DependencyKind::AfterOk | DependencyKind::AfterCorr => {
                            if states.clone().any(|state| over(state) && !well(state)) {
                                None
                            } else {
                                Some(states.all(well))
                            }
                        }
                        DependencyKind::AfterNotOk => {
                            if states.clone().all(over) {
                                if states.all(well) { None } else { Some(true) }
                            } else {
                                Some(false)
                            }
                        }
                        _ => Some(states.all(over)),
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
}
