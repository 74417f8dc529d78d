//! Whether forecasts have earned to be trusted: how often ranges held lately, by the situation of jobs.
//!
//! Each regime (partition, size, first in line or not) is followed by a cumulative sum (Page 1954) of the evidence that ranges are missed
//! by two in five instead of the promised one in five. Above a threshold the regime is *lost*: its ranges are widened so that 80 % of those
//! since the change would have held, and advice is withheld. The same evidence the other way round earns it back.
//!
//! It is a function of the forecasts that the store has: nothing is remembered besides, so that a collector that is restarted, or several
//! questions, find the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use queuecast_core::order;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_place::{KnownRegimes, LostRegime, LostRegimes, RegimeJobs};

use crate::forecasts::{JobForecast, JudgedForecast, SaidSeconds, WaitEnd, waiting_jobs};
use crate::store::{ClusterNumber, Store, StoreError, StoredLook};

/// The promised share of misses, and the share that a lost regime is tested for.
const MISSES: (f64, f64) = (0.2, 0.4);

/// Evidence by which a regime is lost: falsely in one of a thousand weeks, and within 200 jobs of a change (measured: experiments/live).
const LOST: f64 = 11.0;

/// Evidence by which it is earned back.
const EARNED: f64 = 3.0;

/// Jobs of one look share their fate to this degree: n of them count as n / (1 + (n − 1) × this) (Kish 1965).
const SHARED: f64 = 0.3;

/// A regime with fewer judged forecasts has no record of its own.
const FEWEST: usize = 30;

/// Ranges are widened by the last outcomes, at most this many, and by no more than this factor.
const WIDENED_BY: usize = 100;
const WIDEST: f64 = 20.0;

/// Forecasts that are looked at: of the last 60 days, and no more than a question has time for.
const PAST: Seconds = Seconds(60 * 86_400);
const MOST: usize = 5_000;

/// What is known of a site's regimes at a moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Confidence(KnownRegimes);

impl Confidence {
    /// By the forecasts of a store and what was known of them at a look.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn at(
        store: &impl Store,
        cluster: ClusterNumber,
        StoredLook { look, .. }: &StoredLook,
    ) -> Result<Confidence, StoreError> {
        let judged = store.last_forecasts(cluster, (look.at - PAST, look.at), MOST)?;
        Ok(Confidence::of(&judged, look.at, &waiting_jobs(look)))
    }

    /// By forecasts, what became of them, and the jobs that wait.
    pub fn of(judged: &[JudgedForecast], now: Time, waiting: &HashSet<String>) -> Confidence {
        let (all, own) = follow(judged, now, waiting, |_, _, _| {});
        let mut lost: Vec<LostRegime> = all.lost(None).into_iter().collect();
        lost.extend(own.iter().filter_map(|(jobs, evidence)| evidence.lost(Some(jobs.clone()))));
        let known = own.into_iter().filter(|one| one.1.judged >= FEWEST).map(|one| one.0).collect();
        Confidence(KnownRegimes { lost, known })
    }

    /// As questions take it.
    pub fn regimes(&self) -> LostRegimes<'_> {
        self.0.view()
    }

    /// To keep.
    pub fn into_regimes(self) -> KnownRegimes {
        self.0
    }
}

/// The evidence of all jobs together and of each regime, by the outcomes in the order in which they were known. `seen` is told of each
/// outcome with the evidence after it, of all and of its own regime.
fn follow(
    judged: &[JudgedForecast],
    now: Time,
    waiting: &HashSet<String>,
    mut seen: impl FnMut(&KnownOutcome<'_>, &RegimeEvidence, &RegimeEvidence),
) -> (RegimeEvidence, BTreeMap<RegimeJobs, RegimeEvidence>) {
    let mut outcomes: Vec<KnownOutcome<'_>> =
        judged.iter().filter_map(|one| KnownOutcome::of(one, now, waiting)).collect();
    order::sort_by(&mut outcomes, |one, other| {
        let key = |one: &KnownOutcome<'_>| (one.known, one.said.at);
        key(one).cmp(&key(other)).then_with(|| one.said.job.cmp(&other.said.job))
    });
    // How many were said at each look, of a regime and of all.
    let mut looks: HashMap<(Option<RegimeJobs>, Time), usize> = HashMap::new();
    for one in &outcomes {
        *looks.entry((Some(one.regime()), one.said.at)).or_default() += 1;
        *looks.entry((None, one.said.at)).or_default() += 1;
    }
    let weight = |regime: Option<RegimeJobs>, at: Time| {
        let alike = looks.get(&(regime, at)).copied().unwrap_or(1);
        1.0 / (1.0 + (alike as f64 - 1.0) * SHARED)
    };
    let (mut all, mut own) = (RegimeEvidence::default(), BTreeMap::<RegimeJobs, RegimeEvidence>::new());
    for one in &outcomes {
        let (regime, at) = (one.regime(), one.said.at);
        all.add(one, weight(None, at));
        let own = own.entry(regime.clone()).or_default();
        own.add(one, weight(Some(regime), at));
        seen(one, &all, own);
    }
    (all, own)
}

/// A forecast of which it is known whether its range, as it was before any widening, held.
struct KnownOutcome<'a> {
    said: &'a JobForecast,
    /// Since when that is known.
    known: Time,
    /// The least factor by which the range would have to be widened to hold; at most 1 if it held.
    needed: f64,
    /// Whether the job had not started, so that more is needed than that.
    is_open: bool,
}

impl<'a> KnownOutcome<'a> {
    fn of(
        JudgedForecast { forecast, outcome }: &'a JudgedForecast,
        now: Time,
        waiting: &HashSet<String>,
    ) -> Option<KnownOutcome<'a>> {
        let said = forecast.unwidened.unwrap_or(forecast.said);
        let over = forecast.at + Seconds(said.high.round().clamp(0.0, 1e12) as i64);
        let since = |at: Time| (at - forecast.at).0.max(0) as f64;
        let (known, least, is_open) = match *outcome {
            Some(WaitEnd::Started(start)) => (start.min(over), since(start), false),
            Some(WaitEnd::Withdrawn(left)) if left > over => (over, since(left), true),
            None if now > over && waiting.contains(&forecast.job) => (over, since(now), true),
            Some(WaitEnd::Withdrawn(_)) | None => return None,
        };
        let needed = needed(said, least);
        (known <= now).then_some(KnownOutcome { said: forecast, known, needed, is_open })
    }

    fn is_missed(&self) -> bool {
        self.needed > 1.0
    }

    fn regime(&self) -> RegimeJobs {
        RegimeJobs::of(&self.said.partition, Procs(self.said.procs), self.said.ahead == 0)
    }
}

/// The least factor by which a range has to be widened about its median to have a start in it. Ranges are of whole seconds.
fn needed(said: SaidSeconds, start: f64) -> f64 {
    let (low, median, high) = (said.low.round(), said.median, said.high.round());
    if (low..=high).contains(&start) {
        return 1.0;
    }
    // A range of no width is one of a second.
    let side = if start > median { high - median } else { median - low };
    ((start - median).abs() / side.max(1.0)).max(1.0 + f64::EPSILON)
}

/// The evidence of one regime.
#[derive(Default)]
struct RegimeEvidence {
    judged: usize,
    sum: f64,
    /// What was needed since the sum began to grow, or since the regime was lost.
    since: Vec<NeededFactor>,
    is_lost: bool,
}

impl RegimeEvidence {
    /// # Formula
    /// `s ← max(0, s + w ln(q₁/q₀))`, where `q` is the probability of what happened with the misses of a lost and of a trusted regime;
    /// in a lost one with the opposite sign.
    fn add(&mut self, one: &KnownOutcome<'_>, weight: f64) {
        let (promised, tested) = MISSES;
        let ratio = match one.is_missed() {
            true => (tested / promised).ln(),
            false => ((1.0 - tested) / (1.0 - promised)).ln(),
        };
        self.judged += 1;
        let ratio = if self.is_lost { -ratio } else { ratio };
        self.sum = (self.sum + weight * ratio).max(0.0);
        if !self.is_lost && self.sum <= 0.0 {
            self.since.clear();
        } else {
            self.since.push(NeededFactor { known: one.known, factor: one.needed, is_open: one.is_open });
        }
        if self.sum >= if self.is_lost { EARNED } else { LOST } {
            self.is_lost = !self.is_lost;
            self.sum = 0.0;
            if !self.is_lost {
                self.since.clear();
            }
        }
    }

    /// The regime of these jobs, if it is lost.
    fn lost(&self, jobs: Option<RegimeJobs>) -> Option<LostRegime> {
        let first = self.since.first().filter(|_| self.is_lost)?;
        let last = &self.since[self.since.len().saturating_sub(WIDENED_BY)..];
        let inside = last.iter().filter(|one| one.factor <= 1.0).count() as f64 / last.len() as f64;
        let factor = widened(last.to_vec()).clamp(1.0, WIDEST);
        Some(LostRegime { jobs, factor, judged: last.len(), inside, since: first.known })
    }
}

/// The factor that one forecast would have needed.
#[derive(Debug, Clone, Copy)]
struct NeededFactor {
    /// Since when it is known that its range held, or not.
    known: Time,
    factor: f64,
    /// Whether it is only known that more was needed.
    is_open: bool,
}

/// The factor under which 80 % of these would have held, and of one more. Jobs that still wait need more than is known: in a queue that
/// grows most misses are of such jobs, and by what they need so far ranges would hardly be widened.
///
/// # Formula
/// The product-limit estimate (Kaplan & Meier 1958) of the share that needs more than a factor: at each start it is multiplied by
/// `1 − 1/n`, `n` being those that need at least as much, and one more. If it stays above 20 %, twice the largest factor.
fn widened(mut needed: Vec<NeededFactor>) -> f64 {
    // Of equal ones, those that are known come first.
    order::sort_by(&mut needed, |one, other| {
        one.factor.total_cmp(&other.factor).then(one.is_open.cmp(&other.is_open))
    });
    let (mut left, mut share) = (needed.len() + 1, 1.0);
    for one in &needed {
        if !one.is_open {
            share *= 1.0 - 1.0 / left as f64;
            if share <= MISSES.0 + 1e-9 {
                return one.factor;
            }
        }
        left -= 1;
    }
    2.0 * needed.last().map_or(1.0, |one| one.factor)
}

#[cfg(test)]
mod tests;
