//! What is predicted of each size, and which one is best.

use serde::Serialize;

use super::option::TimeSpread;
use super::ranking::Ranking;
use crate::forecast::{is_less, is_surely_shorter};
use queuecast_core::distribution::Distribution;
use queuecast_core::order;
use queuecast_core::spec::choices;
use queuecast_core::stats::Percentiles;
use queuecast_core::units::{Procs, Seconds};

/// How far quantiles are from what their level says: of 80 % ranges 78 to 81 % hold (experiments/when).
const LEVEL_OFF: f64 = 0.02;

/// A wait of no more than this is that for the scheduler's next cycle: the job starts at once, as in the ranges of waits.
pub(super) const AT_ONCE: Seconds = Seconds(10);

/// The range of a predicted time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeRange {
    /// Where the range that holds eight times in ten begins, if it is known.
    pub low: Option<f64>,
    /// Median.
    pub median: f64,
    /// Where it ends, if it is known.
    pub high: Option<f64>,
    /// The mean, if it is known.
    pub mean: Option<f64>,
}

impl From<TimeSpread> for TimeRange {
    fn from(TimeSpread { expected, median, low, high }: TimeSpread) -> TimeRange {
        TimeRange { low: Some(low), median, high: Some(high), mean: Some(expected) }
    }
}

impl TimeRange {
    /// Of draws; `None` of none. Its ends are the 10th and 90th percentiles, values that occur.
    pub fn of(draws: impl Iterator<Item = Seconds>) -> Option<TimeRange> {
        let found = Percentiles::of(draws.map(|draw| draw.0).collect())?;
        Some(TimeRange {
            low: Some(found.p10 as f64),
            median: found.median as f64,
            high: Some(found.p90 as f64),
            mean: Some(found.mean),
        })
    }

    /// The ends of another range, and the own median moved between them.
    fn within(self, other: &TimeRange) -> TimeRange {
        let median = other.low.map_or(self.median, |low| self.median.max(low));
        let median = other.high.map_or(median, |high| median.min(high));
        TimeRange { low: other.low, median, high: other.high, mean: self.mean }
    }
}

/// What can be expected of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// The size.
    pub procs: Procs,
    /// How long it waits.
    pub queue: TimeRange,
    /// How long it runs.
    pub run: TimeRange,
    /// Both.
    pub turnaround: TimeRange,
    /// Probability of starting at once, if it is known; 0 for a size larger than the free processors.
    pub at_once: Option<f64>,
    /// Probability that this size finishes first, if it is known; ties go to the smaller.
    pub best: Option<f64>,
}

/// The statistic by which turnarounds are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// Their medians.
    #[default]
    Median,
    /// Their means: rare long waits count in full.
    Mean,
    /// Their 90th percentiles: for a deadline.
    P90,
}

impl Target {
    /// The statistic of a range; the median where it is not known.
    pub fn of(self, range: &TimeRange) -> f64 {
        match self {
            Target::Median => None,
            Target::Mean => range.mean,
            Target::P90 => range.high,
        }
        .unwrap_or(range.median)
    }

    /// Whether the first of two times is surely the lesser one. Medians: the shorter one in six of ten cases ([`is_surely_shorter`]). 90th
    /// percentiles: also if the first is really one of a higher level, and the other one of a lower level; or if the shorter one in six of ten
    /// cases has the lesser one, too. `None` for means: distributions say nothing more about them.
    pub(super) fn is_surely_less(self, one: &Distribution, other: &Distribution) -> Option<bool> {
        match self {
            Target::Median => Some(is_surely_shorter(one, other)),
            Target::P90 => {
                let is_less_by = |off: f64| is_less(one.quantile(0.9 + off), other.quantile(0.9 - off));
                Some(is_less_by(LEVEL_OFF) || is_less_by(0.0) && is_surely_shorter(one, other))
            }
            Target::Mean => None,
        }
    }
}

choices! { Target, "target":
    Median = "median", "as likely longer as shorter";
    Mean = "mean", "rare long waits count in full";
    P90 = "p90", "what nine in ten do not exceed: for a deadline";
}

/// What makes one size better than another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference {
    /// The statistic by which turnarounds are compared.
    pub target: Target,
    /// A later start only for a gain above this share of the run time in the size that starts soonest; 0 to 1. The paper
    /// ends with 0.2 (section 6.1).
    pub averse: f64,
}

/// The prospects of all sizes, smallest first, and which one to ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Never empty.
    prospects: Vec<Prospect>,
    /// The place of the one to ask for.
    #[serde(skip)]
    recommended: usize,
    /// The place of the one that starts soonest.
    #[serde(skip)]
    soonest: usize,
    /// The place of the one of the least turnaround; of those alike the one to ask for, else the smallest.
    #[serde(skip)]
    least: usize,
    /// Places of the sizes that cannot be told from the one of the least turnaround, itself included.
    #[serde(skip)]
    close: Vec<usize>,
}

impl Advice {
    /// Chooses by the ranges alone. `None` if there is nothing to choose from.
    ///
    /// The soonest is the one of the least median queue time, of those alike the one of the least turnaround. The best is the
    /// smallest of those whose turnaround is at most 1 % longer than the least; it is asked for if it starts as soon, within 1 %.
    pub fn of(prospects: Vec<Prospect>, preference: Preference) -> Option<Advice> {
        Advice::chosen(prospects, preference, |_, _, _| None)
    }

    /// Chooses as [`Advice::of`] does, but sizes cannot be told from the one of the least turnaround where `is_surely_less` says that this is not
    /// surely less than theirs, by their places; where it says nothing, the compared numbers decide.
    pub(super) fn chosen(
        mut prospects: Vec<Prospect>,
        Preference { target, averse }: Preference,
        is_surely_less: impl Fn(Target, usize, usize) -> Option<bool>,
    ) -> Option<Advice> {
        order::sort_by_key(&mut prospects, |prospect| prospect.procs);
        let turnaround = |place: usize| target.of(&prospects[place].turnaround);
        let is_better = |one: usize, other: usize| {
            is_surely_less(target, one, other).unwrap_or_else(|| is_less(turnaround(one), turnaround(other)))
        };
        // The smallest is the least effort.
        let Ranking { best: shortest, close, chosen: best } =
            Ranking::of(0..prospects.len(), turnaround, is_better, usize::cmp)?;
        let queue = |place: usize| prospects[place].queue.median;
        let soonest = (0..prospects.len()).min_by(|&one, &other| {
            queue(one).total_cmp(&queue(other)).then_with(|| turnaround(one).total_cmp(&turnaround(other)))
        })?;
        let gain = turnaround(soonest) - turnaround(best);
        let worth = gain > averse * prospects[soonest].run.median;
        let starts_as_soon = !is_less(queue(soonest), queue(best));
        let recommended = if worth || starts_as_soon { best } else { soonest };
        let least = if turnaround(recommended) <= turnaround(shortest) { recommended } else { shortest };
        Some(Advice { prospects, recommended, soonest, least, close })
    }

    /// This choice with the ranges of queue time and turnaround of another advice on the same sizes. Medians are kept,
    /// clamped into the new range.
    pub(super) fn with_ranges_of(mut self, other: &Advice) -> Advice {
        for (own, other) in self.prospects.iter_mut().zip(&other.prospects) {
            own.queue = own.queue.within(&other.queue);
            own.turnaround = own.turnaround.within(&other.turnaround);
        }
        self
    }

    /// The one of the least turnaround; of those alike the one to ask for, else the smallest.
    pub fn least(&self) -> &Prospect {
        &self.prospects[self.least]
    }

    /// Of each size, smallest first.
    pub fn prospects(&self) -> &[Prospect] {
        &self.prospects
    }

    /// The one to ask for.
    pub fn recommended(&self) -> &Prospect {
        &self.prospects[self.recommended]
    }

    /// Sizes whose turnarounds cannot be told from the least, smallest first; empty if the least stands alone.
    pub fn too_close(&self) -> Vec<Procs> {
        let close = if self.close.len() > 1 { self.close.as_slice() } else { &[] };
        close.iter().map(|&place| self.prospects[place].procs).collect()
    }

    /// What turnarounds can be compared by: the target, if it is known of all sizes, else their medians.
    pub fn comparable(&self, target: Target) -> Target {
        let known = |prospect: &Prospect| match target {
            Target::Median => true,
            Target::Mean => prospect.turnaround.mean.is_some(),
            Target::P90 => prospect.turnaround.high.is_some(),
        };
        if self.prospects.iter().all(known) { target } else { Target::Median }
    }

    /// The one that starts soonest.
    pub fn soonest(&self) -> &Prospect {
        &self.prospects[self.soonest]
    }
}
