//! The estimate model of Tsafrir, Etsion & Feitelson 2005, "Modeling User Runtime Estimates": the distribution of
//! estimates, from the number of jobs and the longest estimate.
//!
//! The result is a series of [`Modes`]; `assign` assigns them to jobs. Sections and tables named in this module are the
//! paper's. Where the paper is ambiguous, a comment states the interpretation.

mod closest;
mod count;
mod head;
mod pool;
mod popularity;
mod quota;
mod range;
mod supplied;
#[cfg(test)]
mod tests;
mod times;

use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

pub use self::count::ValueCount;
pub use self::popularity::{Exponential, PowerLaw};
pub use self::supplied::Supplied;
use super::SynthError;
use crate::characterization::{Mode, Modes};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use supplied::HeadTime;

/// The parameters of the model. The first two are mandatory; the third varies most between machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateModel {
    /// *N*: the number of jobs; 1 to 4,294,967,295.
    pub jobs: u64,
    /// *T_max*: the longest estimate; 60 to 31,536,000 s.
    pub longest: Seconds,
    /// The percentage of the jobs with the longest estimate; above 0, at most 100. The same as supplying that mode.
    #[serde(default)]
    pub longest_percent: Option<f64>,
    /// Modes that are known (section 9.4); at most 20, the longest time included.
    #[serde(default)]
    pub supplied: Vec<Supplied>,
    /// *K*: the number of distinct estimates.
    #[serde(default)]
    pub values: ValueCount,
    /// The evenness of their distribution in time (section 7), above 1 and at most 10^9; from *K* if not given.
    #[serde(default)]
    pub a: Option<f64>,
    /// Popularity of the head, by rank.
    #[serde(default)]
    pub head: Exponential,
    /// Popularity of the tail, by rank.
    #[serde(default)]
    pub tail: PowerLaw,
    /// The percentage of the jobs with one of the 20 values of the head; 1 to 99.
    #[serde(default = "head_percent")]
    pub head_percent: f64,
}

/// Number of values in the head.
const HEAD: usize = 20;

/// The most jobs of a workload.
const MOST_JOBS: u64 = u32::MAX as u64;

/// A year, in seconds.
const YEAR: i64 = 31_536_000;

/// The unit of almost all estimates, in seconds.
const MINUTE: i64 = 60;

/// The invariant of Table 5.
fn head_percent() -> f64 {
    89.0
}

impl EstimateModel {
    /// Table 6: for the longest time and then for each other time of the head, the shortest first (its *ttr*), its
    /// popularity rank in SDSC-106, CTC, KTH4H and BLUE.
    pub const TABLE_6: [[usize; 4]; HEAD] = pool::TABLE_6;

    /// The model with the paper's defaults.
    pub fn new(jobs: u64, longest: Seconds) -> EstimateModel {
        EstimateModel {
            jobs,
            longest,
            longest_percent: None,
            supplied: Vec::new(),
            values: ValueCount::default(),
            a: None,
            head: Exponential::default(),
            tail: PowerLaw::default(),
            head_percent: head_percent(),
        }
    }

    /// The modes of this seed: exactly [`EstimateModel::jobs`] jobs. The seed decides the popularity of each time.
    pub fn modes(&self, seed: Seed) -> Result<Modes, SynthError> {
        let supplied = self.known()?;
        let values = self.count(&supplied)?;
        let head = supplied::embed_times(&head::times(self.longest, values), &supplied);
        let mut tail = self.tail_times(values, &head);
        let sizes = self.head.sizes(head.len(), self.head_percent)?;
        let head_percent = if tail.is_empty() { 100.0 } else { self.head_percent };
        let sizes = supplied::embed_sizes(&sizes, &head, head_percent);
        let mut series = if sizes.others.is_empty() {
            // What was supplied leaves the other times of the head without jobs; the longest is still asked for.
            supplied::check_room(&supplied, tail.len())?;
            if let (None, Some(last)) = (head[0].percent, tail.last_mut()) {
                *last = self.longest;
            }
            head.iter().filter_map(|head| Some((head.time, head.percent?))).collect()
        } else {
            mapped(&head, &sizes.others, &mut seed.stream("estimates of the head"))
        };
        if sizes.tail > 0.0 {
            tail.shuffle(&mut seed.stream("estimates of the tail"));
            let sizes = self.tail.sizes(tail.len(), sizes.tail);
            series.extend(tail.into_iter().zip(sizes));
        }
        let percent: Vec<f64> = series.iter().map(|&(_, percent)| percent).collect();
        let jobs = quota::quota(self.jobs, &percent);
        Ok(series.into_iter().zip(jobs).map(|((time, _), jobs)| Mode { time, jobs }).collect())
    }

    /// All supplied modes. Fails if a parameter is out of its range.
    fn known(&self) -> Result<Vec<Supplied>, SynthError> {
        range::within("jobs", self.jobs, 1, MOST_JOBS, &format!("between 1 and {MOST_JOBS}"))?;
        let (least, most) = (Seconds(MINUTE), Seconds(YEAR));
        range::within("longest", self.longest, least, most, &format!("between {least} and {most} s"))?;
        if let Some(a) = self.a {
            range::within("a", a, 1.0 + f64::EPSILON, 1e9, "above 1 and at most 1e9")?;
        }
        let expected = "between 1 and 99 percent";
        range::within("head_percent", self.head_percent, 1.0, 99.0, expected)?;
        self.tail.check()?;
        let mut supplied = self.supplied.clone();
        if let Some(percent) = self.longest_percent {
            range::percent("longest_percent", percent)?;
            supplied.push(Supplied { time: self.longest, percent });
        }
        supplied::check(&supplied, self.longest)?;
        // So that their order does not decide between equals.
        supplied.sort_by_key(|mode| mode.time);
        Ok(supplied)
    }

    /// *K*: enough for the modes that are known, for the longest, and for what those leave of 100 percent.
    fn count(&self, supplied: &[Supplied]) -> Result<usize, SynthError> {
        let least = supplied.len() + usize::from(supplied::sum(supplied) < 100.0);
        self.values.values(self.jobs, times::last_minute(self.longest) as u64, least as u64)
    }

    /// The times of the tail: those of section 7 without the ones closest to times of the head (section 9.2).
    fn tail_times(&self, values: usize, head: &[HeadTime]) -> Vec<Seconds> {
        let values = values.min(times::last_minute(self.longest) as usize);
        let times = times::times(values, self.longest, self.a.unwrap_or_else(|| times::spread(values)));
        let far = |one: usize, other: usize| (head[one].time.0 - times[other].0).abs() as f64;
        let mut replaced = vec![false; times.len()];
        for place in closest::pair(head.len(), times.len(), far).into_iter().flatten() {
            replaced[place] = true;
        }
        times.iter().zip(replaced).filter(|(_, replaced)| !replaced).map(|(&time, _)| time).collect()
    }
}

/// The head: each time with its size, known or mapped to it by the pool algorithm. `others` are the sizes that were not
/// supplied, the largest first, which is the longest's if nothing else is known of it.
fn mapped(head: &[HeadTime], others: &[f64], rng: &mut impl Rng) -> Vec<(Seconds, f64)> {
    let of_longest = head.first().filter(|head| head.percent.is_none()).map(|_| 0);
    let supplied = head.iter().enumerate().filter_map(|(place, head)| Some((head.percent?, Some(place))));
    let mut ranked: Vec<(f64, Option<usize>)> = (1..)
        .zip(others)
        .map(|(nth, &size)| (size, of_longest.filter(|_| nth == 1)))
        .chain(supplied)
        .collect();
    ranked.sort_by(|one, next| next.0.total_cmp(&one.0));
    let mut known = vec![None; head.len()];
    for (rank, &(_, place)) in (1..).zip(&ranked) {
        if let Some(place) = place {
            known[place] = Some(rank);
        }
    }
    let ranks = pool::ranks(&known, of_longest.is_none(), rng);
    head.iter().zip(ranks).map(|(head, rank)| (head.time, ranked[rank - 1].0)).collect()
}
