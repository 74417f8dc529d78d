//! The arrivals of the last weeks, from which those to come are drawn.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::expected::ExpectedRuns;
use queuecast_core::job::{Event, JobIndex, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::Lookup;
use queuecast_sim::sim::QueuedJob;
use queuecast_wait::Overtaking;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The days that are remembered.
const DAYS: i64 = 28;

/// Arrivals that are remembered, at most.
const MOST: usize = 50_000;

/// The arrivals of the last four weeks: those to come are taken to be like those that followed a past instant of the same time of
/// day, so that bursts, users who submit many jobs at once, and quiet nights stay together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ArrivalProcess {
    /// In order of time. Those before `first` are forgotten, and dropped once they are as many as the others.
    past: Vec<(Time, QueuedJob)>,
    first: usize,
    /// How many have been dropped: the place of an arrival is its number less this.
    dropped: usize,
    /// The number of each arrival whose run time is not known. Looked up, never iterated.
    open: Lookup<JobIndex, usize>,
}

/// Past arrivals that stand for those to come.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrivalDraw {
    /// The first.
    pub from: usize,
    /// How much later they arrive.
    pub shift: Seconds,
}

impl ArrivalProcess {
    /// Learns from an event. Until a job has ended it is taken to run as long as it requested.
    pub fn observe(&mut self, event: &Event<'_>, runs: &ExpectedRuns, order: &Overtaking) {
        let index = event.job.index;
        match event.what {
            What::Arrived => {
                let planned = runs.requested(event.job).0;
                let rank = order.score(event.job, Seconds::ZERO);
                let procs = event.job.shape.procs.0;
                self.open.insert(index, self.dropped + self.past.len());
                self.past.push((event.at, QueuedJob { procs, planned, run: planned, rank }));
                self.first = self.first.max(self.past.len().saturating_sub(MOST));
                let oldest = event.at.0 - DAYS * DAY;
                while self.past.get(self.first).is_some_and(|&(at, _)| at.0 < oldest) {
                    self.first += 1;
                }
                if self.first > self.past.len() / 2 {
                    self.past.drain(..self.first);
                    self.dropped += self.first;
                    self.first = 0;
                }
            }
            What::Ended(end) => {
                let number = self.open.remove(&index);
                let place = number.and_then(|number| number.checked_sub(self.dropped));
                if let Some((_, job)) = place.and_then(|place| self.past.get_mut(place)) {
                    job.run = end.ran.0.max(1);
                }
            }
            What::Withdrawn => {
                self.open.remove(&index);
            }
            What::Started(_) | What::Overran { .. } => {}
        }
    }

    /// All that are remembered.
    pub fn past(&self) -> &[(Time, QueuedJob)] {
        &self.past[self.first..]
    }

    /// Draws the past instant whose sequel stands for what comes now; `None` with less than a day of history.
    pub fn draw(past: &[(Time, QueuedJob)], now: Time, rng: &mut impl Rng) -> Option<ArrivalDraw> {
        let days = (now - past.first()?.0).0 / DAY;
        if days < 1 {
            return None;
        }
        // At least three days back if possible: an instant of the last two days has few arrivals after it.
        let back = rng.random_range(days.min(3)..=days) * DAY;
        let from = past.partition_point(|&(at, _)| at.0 <= now.0 - back);
        Some(ArrivalDraw { from, shift: Seconds(back) })
    }
}
