//! What can be said of each size, and which is best.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::spec::SpecError;
use crate::stats::Percentiles;
use crate::units::{Procs, Seconds};

/// A length of time that is not certain, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// One in ten is shorter, if that is known.
    pub p10: Option<f64>,
    /// As likely longer as shorter.
    pub median: f64,
    /// One in ten is longer, if that is known.
    pub p90: Option<f64>,
    /// The mean, if it is known.
    pub mean: Option<f64>,
}

impl Spread {
    /// Of draws; `None` of none. Percentiles are values that occur.
    pub fn of(draws: impl Iterator<Item = Seconds>) -> Option<Spread> {
        let found = Percentiles::of(draws.map(|draw| draw.0).collect())?;
        Some(Spread {
            p10: Some(found.p10 as f64),
            median: found.median as f64,
            p90: Some(found.p90 as f64),
            mean: Some(found.mean),
        })
    }
}

/// What can be expected of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// The size.
    pub procs: Procs,
    /// How long it waits.
    pub queue: Spread,
    /// How long it runs.
    pub run: Spread,
    /// Both.
    pub turnaround: Spread,
    /// How probable it is that it starts at once, if that is known.
    pub at_once: Option<f64>,
    /// How probable it is that no size would be done sooner, and no smaller one as soon; if that is known.
    pub best: Option<f64>,
}

/// By what turnarounds are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// Their medians.
    #[default]
    Median,
    /// Their means: rare long waits count in full.
    Mean,
    /// What nine in ten do not exceed: for somebody with a deadline.
    P90,
}

impl Target {
    /// Every form, as shown to people.
    pub const KNOWN: [&'static str; 3] = ["median", "mean", "p90"];

    /// Of a spread; the median where nothing else is known.
    pub fn of(self, spread: &Spread) -> f64 {
        match self {
            Target::Median => None,
            Target::Mean => spread.mean,
            Target::P90 => spread.p90,
        }
        .unwrap_or(spread.median)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::Median => "median",
            Target::Mean => "mean",
            Target::P90 => "p90",
        })
    }
}

impl FromStr for Target {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Target, SpecError> {
        match text {
            "median" => Ok(Target::Median),
            "mean" => Ok(Target::Mean),
            "p90" => Ok(Target::P90),
            _ => Err(SpecError::unknown("target", text, &Target::KNOWN)),
        }
    }
}

/// What makes one size better than another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference {
    /// By what turnarounds are compared.
    pub target: Target,
    /// A later start only for a gain above this share of the run time in the size that starts soonest; 0 to 1. The paper
    /// ends with 0.2 (section 6.1).
    pub averse: f64,
}

/// What can be said of all sizes, smallest first, and which to ask for.
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
}

impl Advice {
    /// Chooses. `None` if there is nothing to choose from.
    ///
    /// The best is the one of the least turnaround; the soonest the one of the least median queue time, of those alike the
    /// one of the least turnaround. Of sizes alike in both the smallest is taken.
    pub fn of(mut prospects: Vec<Prospect>, Preference { target, averse }: Preference) -> Option<Advice> {
        prospects.sort_by_key(|prospect| prospect.procs);
        let turnaround = |place: usize| target.of(&prospects[place].turnaround);
        let least = |one: &usize, other: &usize| turnaround(*one).total_cmp(&turnaround(*other));
        let best = (0..prospects.len()).min_by(least)?;
        let queue = |place: usize| prospects[place].queue.median;
        let soonest = (0..prospects.len())
            .min_by(|one, other| queue(*one).total_cmp(&queue(*other)).then_with(|| least(one, other)))?;
        let gain = turnaround(soonest) - turnaround(best);
        let worth = gain > averse * prospects[soonest].run.median;
        let recommended = if worth || queue(best) <= queue(soonest) { best } else { soonest };
        Some(Advice { prospects, recommended, soonest })
    }

    /// Of each size, smallest first.
    pub fn prospects(&self) -> &[Prospect] {
        &self.prospects
    }

    /// The one to ask for.
    pub fn recommended(&self) -> &Prospect {
        &self.prospects[self.recommended]
    }

    /// The one that starts soonest.
    pub fn soonest(&self) -> &Prospect {
        &self.prospects[self.soonest]
    }
}
