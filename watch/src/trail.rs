//! How the forecasts of waiting jobs have moved.

use std::collections::BTreeMap;

use queuecast_core::units::Time;
use queuecast_place::{PendingAnswer, PendingJob};

/// When a job starts, as it was said at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidStart {
    /// When it was said.
    pub at: Time,
    /// Start of the 80 % range.
    pub low: Time,
    /// Even odds.
    pub median: Time,
    /// End of the 80 % range.
    pub high: Time,
}

impl SaidStart {
    /// Of a job, as of the moment of its answer.
    pub fn of(job: &PendingJob, at: Time) -> Option<SaidStart> {
        let range = job.start?;
        let after = |seconds: f64| Time(at.0.saturating_add(seconds.round() as i64));
        Some(SaidStart { at, low: after(range.low), median: after(range.median), high: after(range.high) })
    }
}

/// What was said of each job that waits, by when it was said.
#[derive(Debug, Default)]
pub struct ForecastTrail {
    said: BTreeMap<String, Vec<SaidStart>>,
}

/// The most answers that are kept of a job; of more, every second one is forgotten.
const MOST_SAID: usize = 256;

impl ForecastTrail {
    /// Adds an answer, and forgets jobs that wait no longer, but the one that is looked at.
    pub fn add(&mut self, answer: &PendingAnswer, open: Option<&str>) {
        let mut former = std::mem::take(&mut self.said);
        for job in &answer.jobs {
            let mut said = former.remove(&job.job).unwrap_or_default();
            let new = SaidStart::of(job, answer.moment.time);
            if let Some(new) = new.filter(|new| said.last().is_none_or(|last| last.at < new.at)) {
                if said.len() >= MOST_SAID {
                    said = said.into_iter().step_by(2).collect();
                }
                said.push(new);
            }
            if !said.is_empty() {
                self.said.insert(job.job.clone(), said);
            }
        }
        if let Some((job, said)) = open.and_then(|job| former.remove_entry(job)) {
            self.said.insert(job, said);
        }
    }

    /// Adds what was said of a job before.
    pub fn add_earlier(&mut self, job: &str, earlier: Vec<SaidStart>) {
        let said = self.said.entry(job.to_owned()).or_default();
        let first = said.first().map_or(Time(i64::MAX), |first| first.at);
        let mut all: Vec<SaidStart> = earlier.into_iter().filter(|one| one.at < first).collect();
        all.sort_by_key(|one| one.at);
        all.append(said);
        *said = all;
    }

    /// What was said of a job, the oldest first.
    pub fn of(&self, job: &str) -> &[SaidStart] {
        self.said.get(job).map_or(&[], Vec::as_slice)
    }
}
