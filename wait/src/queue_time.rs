//! Queue time: how long until running jobs free a given number of processors (Downey 1997, section 3).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Holder;
use super::freed::{Freed, benefactors, expected, none_ends};
use super::root::{Found, Tick, first, seconds, tick};
use queuecast_core::spec::{Form, SettingKey, Settings, Spec, SpecError, conversions};
use queuecast_core::units::Procs;

/// How the queue time of the job at the head of a first-come, first-served queue is predicted. It waits for `more`
/// processors than are free and is not passed; so all that matters is when running jobs end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum QueueTime {
    /// The median of the queue time, exactly: when it becomes as likely as not that enough have ended.
    Exact,
    /// The paper's predictor A: the same, but only benefactors count, the jobs that hold all that is wanted. Nothing is
    /// predicted if there is none.
    Median,
    /// The paper's predictor B: when the mean number of processors freed reaches what is wanted.
    Mean,
    /// The paper's combination: A with at least `benefactors` benefactors, else B.
    Combined {
        /// The fewest for predictor A; at least 1, the paper's is 2.
        benefactors: u32,
    },
}

impl Default for QueueTime {
    fn default() -> QueueTime {
        QueueTime::Combined { benefactors: 2 }
    }
}

/// The level of a median.
const EVEN: f64 = 0.5;

/// So close to a level counts as having reached it, since sums are rounded: where a level is reached exactly and then
/// kept for long, rounding must not decide.
const ROUNDED: f64 = 1.0 - 1e-12;

impl QueueTime {
    /// Every form, as shown in help.
    pub const KNOWN: [&'static str; 4] = ["exact", "median", "mean", "combined[:BENEFACTORS]"];

    /// Seconds from now until the holders free `more` processors beyond those free already, rounded up to a 1024th; 0 if
    /// none are wanted. `None` if the holders cannot: they hold fewer, or, for [`QueueTime::Median`], none holds as many.
    ///
    /// The cost grows with the number of holders; of [`QueueTime::Exact`] also with `more`.
    pub fn predict(&self, holders: &[Holder], more: Procs) -> Option<f64> {
        let mut machine = Occupied::new(holders);
        let tick = match self.way(benefactors(holders, more).count()) {
            _ if more.0 == 0 => Some(0),
            QueueTime::Exact => machine.exact(more, EVEN, 0),
            QueueTime::Median => machine.median(more, 0),
            QueueTime::Mean | QueueTime::Combined { .. } => machine.mean(more, None).map(|found| found.tick),
        };
        tick.map(seconds)
    }

    /// [`QueueTime::predict`] for none, one, two … up to `most` more, each searched for from the one before. The list ends
    /// early where it exceeds all that is held.
    pub fn predict_all(&self, holders: &[Holder], most: Procs) -> Vec<Option<f64>> {
        self.predict_while(holders, most, |_, _| true)
    }

    /// Predicts as [`QueueTime::predict_all`] does, with a way to stop early: `goes_on` is told how many more and after how many seconds, and says
    /// whether a larger number that is no earlier still matters. Where it does not, those are left out as `None`. Of
    /// [`QueueTime::Combined`] the ones without enough benefactors may be earlier, and are asked for all the same.
    pub fn predict_while(
        &self,
        holders: &[Holder],
        most: Procs,
        mut goes_on: impl FnMut(Procs, f64) -> bool,
    ) -> Vec<Option<f64>> {
        let mut machine = Occupied::new(holders);
        let mut sizes: Vec<Procs> = holders.iter().map(Holder::procs).collect();
        sizes.sort_unstable();
        let largest = u64::from(most.0).min(machine.held) as u32;
        // What was found last: each is no later than the next of its way.
        let (mut exact, mut mean) = (0, None);
        let (mut median, mut smaller_then) = (None, None);
        let mut heard = None;
        let each = (1..=largest).map(Procs).map(|more| {
            let smaller = sizes.partition_point(|&size| size < more);
            let way = self.way(sizes.len() - smaller);
            if heard == Some(way) {
                return None;
            }
            let tick = match way {
                QueueTime::Exact => {
                    let tick = machine.exact(more, EVEN, exact)?;
                    exact = tick;
                    Some(tick)
                }
                QueueTime::Median => {
                    // Between two sizes of holders the benefactors are the same.
                    if smaller_then != Some(smaller) {
                        median = machine.median(more, median.unwrap_or(0));
                        smaller_then = Some(smaller);
                    }
                    median
                }
                QueueTime::Mean | QueueTime::Combined { .. } => {
                    mean = machine.mean(more, mean);
                    mean.map(|found| found.tick)
                }
            };
            let seconds = tick.map(seconds)?;
            if !goes_on(more, seconds) {
                heard = Some(way);
            }
            Some(seconds)
        });
        [Some(0.0)].into_iter().chain(each).collect()
    }

    /// The predictor that is used with `count` benefactors.
    fn way(self, count: usize) -> QueueTime {
        match self {
            QueueTime::Combined { benefactors } if count >= benefactors.max(1) as usize => QueueTime::Median,
            QueueTime::Combined { .. } => QueueTime::Mean,
            way => way,
        }
    }
}

/// Seconds from now by which it has this probability that `more` processors are free, rounded up to a 1024th: the
/// distribution of which [`QueueTime::Exact`] is the median. `None` if the holders hold fewer. The share is kept within
/// 10^-9 and 1.
pub fn quantile(holders: &[Holder], more: Procs, share: f64) -> Option<f64> {
    let share = if share.is_nan() { EVEN } else { share.clamp(1e-9, 1.0) };
    Occupied::new(holders).exact(more, share, 0).map(seconds)
}

/// The running jobs of one state, searched from a tick before which the answer does not lie.
struct Occupied<'a> {
    holders: &'a [Holder],
    /// All processors of the holders.
    held: u64,
    /// When all have ended for certain.
    empty: Tick,
    freed: Freed,
}

impl Occupied<'_> {
    fn new(holders: &[Holder]) -> Occupied<'_> {
        let held = holders.iter().map(|holder| u64::from(holder.procs().0)).sum();
        let empty = holders.iter().map(|holder| tick(holder.ended())).max().unwrap_or(0);
        Occupied { holders, held, empty, freed: Freed::default() }
    }

    fn exact(&mut self, more: Procs, share: f64, from: Tick) -> Option<Tick> {
        let Occupied { holders, held, empty, freed } = self;
        let mut level = |t: f64| freed.probability(holders, more, t);
        (*held >= u64::from(more.0)).then(|| {
            let from = Found { tick: from, level: level(seconds(from)) };
            first(share * ROUNDED, from, *empty, level).tick
        })
    }

    fn median(&self, more: Procs, from: Tick) -> Option<Tick> {
        // Once any of them has ended for certain.
        let by = benefactors(self.holders, more).map(|holder| tick(holder.ended())).min()?;
        let level = |t: f64| none_ends(self.holders, more, t);
        let from = Found { tick: from.min(by), level: level(seconds(from.min(by))) };
        Some(first(-EVEN.ln() * ROUNDED, from, by, level).tick)
    }

    fn mean(&self, more: Procs, from: Option<Found>) -> Option<Found> {
        let level = |t: f64| expected(self.holders, t);
        (self.held >= u64::from(more.0)).then(|| {
            let from = from.unwrap_or_else(|| Found { tick: 0, level: level(0.0) });
            first(f64::from(more.0) * ROUNDED, from, self.empty, level)
        })
    }
}

impl fmt::Display for QueueTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueTime::Exact => f.write_str("exact"),
            QueueTime::Median => f.write_str("median"),
            QueueTime::Mean => f.write_str("mean"),
            QueueTime::Combined { benefactors: 2 } => f.write_str("combined"),
            QueueTime::Combined { benefactors } => write!(f, "combined:{benefactors}"),
        }
    }
}

impl Spec for QueueTime {
    const KIND: &'static str = "queue-time predictor";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] = &[
            Form::new("exact", "when it is as likely as not that enough is free"),
            Form::new("median", "when one of the jobs that hold enough will have ended"),
            Form::new("mean", "when enough is free on average"),
            Form::new("combined", "median if so many running jobs (2) hold enough each, else mean").with(
                "[:BENEFACTORS]",
                &[SettingKey::new("benefactors", "BENEFACTORS").placed()],
                "combined:3",
            ),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<QueueTime, SpecError> {
        match settings.name() {
            "exact" => Ok(QueueTime::Exact),
            "median" => Ok(QueueTime::Median),
            "mean" => Ok(QueueTime::Mean),
            "combined" => {
                let mut benefactors = 2;
                settings.set("benefactors", &mut benefactors, |value| {
                    value.whole(1..=i64::from(u32::MAX)).map_err(|_| {
                        value.wrong(
                            "give from how many benefactors on to take their median, from 1, as in combined:3",
                        )
                    })
                })?;
                Ok(QueueTime::Combined { benefactors })
            }
            _ => Err(settings.unread()),
        }
    }
}

conversions!(QueueTime);

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
