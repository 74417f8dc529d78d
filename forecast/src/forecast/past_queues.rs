//! Answers about the jobs of past queues, and what became of them: they correct answers about the present one.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::regime::RegimeRecord;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_wait::{Calibration, Lesson, WaitQuestion};

/// The last answers that correct one.
const LESSONS: usize = 800;

/// How often the ranges for jobs of past queues held, each said with what was known then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PendingRecord {
    /// Past answers whose outcome is known, or that have been outlasted.
    pub answers: usize,
    /// The share of jobs that started within the 80 % range.
    pub inside: f64,
    /// The share of jobs that started by p90.
    pub by_p90: f64,
}

impl PendingRecord {
    /// Whether such ranges have held often enough to be relied on, as of [`RegimeRecord`].
    pub fn is_reliable(&self) -> bool {
        self.inside >= RegimeRecord::RELIABLE
    }
}

/// A range of times in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PendingRange {
    /// One in ten starts sooner.
    pub p10: f64,
    /// Even odds.
    pub median: f64,
    /// One in ten starts later.
    pub p90: f64,
    /// Start of the 80 % range.
    pub low: f64,
    /// End of the 80 % range.
    pub high: f64,
}

impl PendingRange {
    /// Of a distribution of seconds from now.
    pub fn of(wait: &Distribution) -> PendingRange {
        let (low, high) = wait.wait_range(0.8);
        let [p10, median, p90] = [0.1, 0.5, 0.9].map(|level| wait.quantile(level).max(0.0));
        PendingRange { p10, median, p90, low: low.max(0.0), high: high.max(0.0) }
    }
}

/// An answer about a job of a past queue.
#[derive(Debug, Clone, Copy)]
struct QueueAnswer {
    asked: Time,
    question: WaitQuestion,
    said: PendingRange,
}

impl QueueAnswer {
    fn is_outlasted(&self, now: Time) -> bool {
        (now - self.asked).0 as f64 > self.said.high
    }
}

/// Answers about past queues, and what became of them.
#[derive(Debug, Default)]
pub(super) struct PastQueues {
    /// The last ones.
    lessons: VecDeque<Lesson>,
    known: usize,
    inside: usize,
    by_p90: usize,
    open: BTreeMap<JobIndex, Vec<QueueAnswer>>,
}

impl PastQueues {
    /// Simulated waits of a job that are said at a moment, corrected by what was known then.
    pub fn said(
        &mut self,
        job: JobIndex,
        now: Time,
        waits: Vec<Seconds>,
        (procs, request): (Procs, Seconds),
    ) {
        let question = WaitQuestion::new(waits.iter().copied(), procs, request);
        if let Some(wait) = corrected(self.correction(now).as_ref(), waits, procs, request) {
            let answer = QueueAnswer { asked: now, question, said: PendingRange::of(&wait) };
            self.open.entry(job).or_default().push(answer);
        }
    }

    /// A job has started.
    pub fn started(&mut self, job: JobIndex, at: Time) {
        for QueueAnswer { asked, question, said } in self.open.remove(&job).unwrap_or_default() {
            let wait = (at - asked).max(Seconds::ZERO);
            let seconds = wait.0 as f64;
            self.known += 1;
            self.inside += usize::from((said.low..=said.high).contains(&seconds));
            self.by_p90 += usize::from(seconds <= said.p90);
            if self.lessons.len() == LESSONS {
                self.lessons.pop_front();
            }
            self.lessons.push_back(Lesson { question, wait, started: at });
        }
    }

    /// A job has left the queue without having started.
    pub fn left(&mut self, job: JobIndex) {
        self.open.remove(&job);
    }

    /// What past answers teach. Jobs that have outlasted their range and still wait count as waiting until now: without them, what is
    /// learned in a growing queue would come from the jobs that were lucky.
    pub fn correction(&self, now: Time) -> Option<Calibration> {
        let late = self.open.values().flatten().filter(|one| one.is_outlasted(now));
        let late = late.map(|one| Lesson { question: one.question, wait: now - one.asked, started: now });
        Calibration::of(self.lessons.iter().copied().chain(late).collect())
    }

    /// How right past answers were. Those that have been outlasted count as wrong.
    pub fn record(&self, now: Time) -> Option<PendingRecord> {
        let late = self.open.values().flatten().filter(|one| one.is_outlasted(now)).count();
        let answers = self.known + late;
        if answers < Calibration::FEWEST {
            return None;
        }
        let share = |count: usize| count as f64 / answers as f64;
        Some(PendingRecord { answers, inside: share(self.inside), by_p90: share(self.by_p90) })
    }
}

/// The distribution of simulated waits, corrected by what became of past answers like it; `None` without any.
pub(super) fn corrected(
    correction: Option<&Calibration>,
    mut waits: Vec<Seconds>,
    procs: Procs,
    request: Seconds,
) -> Option<Distribution> {
    if let Some(correction) = correction.filter(|_| !waits.is_empty()) {
        correction.correct(&mut waits, procs, request);
    }
    let mut waits: Vec<f64> = waits.iter().map(|wait| wait.0.max(0) as f64).collect();
    waits.sort_by(f64::total_cmp);
    Distribution::observed(waits.into(), 1.0)
}
