//! What was said of the waiting jobs of a followed site, from look to look, and what became of them.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::forecast::past_queues::{CorrectedBy, PastQueues};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{ClusterMoment, JobOutcome, RecordedRun, StandingState, is_known};

/// Answers about waiting jobs, each with what was known then, and what became of the jobs: what corrects later answers. It goes on from one
/// moment of a site to the next, so that a past queue is simulated once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FollowedAnswers {
    pub(super) past: PastQueues,
    /// The jobs whose answers are open, by submission and task.
    jobs: BTreeMap<(String, Option<u32>), AskedTask>,
    next: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct AskedTask {
    index: JobIndex,
    asked: Time,
}

/// A job is not asked about again before this long.
const APART: Seconds = Seconds(600);

/// A job that is gone, and of whose start nothing is known for this long, tells nothing.
const FORGOTTEN: Seconds = Seconds(86_400);

impl FollowedAnswers {
    /// Nothing was said.
    pub(super) fn new() -> FollowedAnswers {
        FollowedAnswers { past: PastQueues::new(CorrectedBy::Errors), jobs: BTreeMap::new(), next: 0 }
    }

    /// A job that is asked about at a moment.
    pub(super) fn asks(&mut self, key: &str, task: Option<u32>, asked: Time) -> JobIndex {
        let next = &mut self.next;
        let job = self.jobs.entry((key.to_owned(), task)).or_insert_with(|| {
            let index = JobIndex(*next);
            *next = next.wrapping_add(1);
            AskedTask { index, asked }
        });
        job.asked = asked;
        job.index
    }

    /// Whether a job is asked about again that was submitted at a moment: if it has waited twice as long as it had then.
    pub(super) fn is_due(&self, key: &str, task: Option<u32>, submit: Time, now: Time) -> bool {
        let last = self.jobs.get(&(key.to_owned(), task)).map(|job| job.asked);
        last.is_none_or(|last| now - last >= APART.max(last - submit) || last > now)
    }

    /// An outcome that is known by its record.
    pub(super) fn has_become(&mut self, outcome: &JobOutcome) {
        let job = (outcome.key.clone(), outcome.task);
        match (outcome.start, outcome.end) {
            (Some(start), _) => self.started(&job, start),
            (None, Some(_)) => self.left(&job),
            (None, None) => {}
        }
    }

    fn started(&mut self, job: &(String, Option<u32>), at: Time) {
        if let Some(open) = self.jobs.remove(job) {
            self.past.started(open.index, at.max(open.asked));
        }
    }

    fn left(&mut self, job: &(String, Option<u32>)) {
        if let Some(open) = self.jobs.remove(job) {
            self.past.left(open.index);
        }
    }

    /// What became of the jobs by a moment: by what the moment shows, else by what is recorded.
    pub(super) fn follow(&mut self, history: &RecordedRun, moment: &ClusterMoment) {
        let now = moment.now.second();
        let states: BTreeMap<(&str, Option<u32>), &StandingState> = order::map_of(
            moment
                .standings
                .iter()
                .map(|one| ((moment.submissions[one.submission].key.as_str(), one.task), &one.state)),
        );
        let mut gone: BTreeSet<(String, Option<u32>)> = BTreeSet::new();
        for job in self.jobs.keys().cloned().collect::<Vec<_>>() {
            match states.get(&(job.0.as_str(), job.1)) {
                Some(StandingState::Waiting { .. } | StandingState::Held) => {}
                Some(StandingState::Running { start, .. }) => self.started(&job, *start),
                Some(StandingState::Left { .. }) | None => _ = gone.insert(job),
            }
        }
        if gone.is_empty() {
            return;
        }
        // Of a job that ran several times, the first start after it was asked about counts.
        let mut outcomes: Vec<&JobOutcome> =
            history.outcomes.iter().filter(|one| gone.contains(&(one.key.clone(), one.task))).collect();
        order::sort_by_key(&mut outcomes, |one| (one.start.unwrap_or(Time::NEVER), one.end));
        for outcome in outcomes {
            let known = |at: Option<Time>| at.filter(|at| is_known(*at, moment.now));
            let seen = JobOutcome { start: known(outcome.start), end: known(outcome.end), ..outcome.clone() };
            self.has_become(&seen);
        }
        for job in gone {
            if self.jobs.get(&job).is_some_and(|open| now - open.asked > FORGOTTEN) {
                self.left(&job);
            }
        }
    }
}
