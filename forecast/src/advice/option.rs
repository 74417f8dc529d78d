//! What becomes of one variant of a job: when it starts and is done, and the risk of being stopped.

use serde::Serialize;

use super::variant::{JobChange, JobVariant};
use crate::forecast::{LimitAdvice, is_surely_shorter, stopped_at, sum};
use queuecast_core::distribution::Distribution;
use queuecast_core::units::{Procs, Seconds};

/// A time that is not certain: its mean, median and the range that holds eight times in ten. Seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeSpread {
    /// Mean.
    pub expected: f64,
    /// Even odds.
    pub median: f64,
    /// The range begins here.
    pub low: f64,
    /// And ends here.
    pub high: f64,
}

impl TimeSpread {
    pub(super) fn of(time: &Distribution) -> TimeSpread {
        TimeSpread::within(time, time.range(0.8))
    }

    pub(super) fn of_wait(wait: &Distribution) -> TimeSpread {
        TimeSpread::within(wait, wait.wait_range(0.8))
    }

    fn within(time: &Distribution, (low, high): (f64, f64)) -> TimeSpread {
        TimeSpread { expected: time.mean(), median: time.quantile(0.5), low, high }
    }
}

/// One variant of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobOption {
    /// How it differs.
    pub change: JobChange,
    /// Processors.
    pub procs: Procs,
    /// The time limit.
    pub limit: Seconds,
    /// The probability of being stopped at the limit before the end.
    pub risk: f64,
    /// From now until it starts.
    pub start: TimeSpread,
    /// From now until it ends.
    pub done: TimeSpread,
    /// How much sooner it is done than as asked, by the median; below zero if later.
    pub gain: f64,
    /// Whether the one that is done sooner by the median is not surely so: it is too close to call.
    pub too_close: bool,
    /// From now until it starts, as a distribution.
    #[serde(skip)]
    pub wait: Distribution,
    /// How long it runs, up to its limit.
    #[serde(skip)]
    pub run: Distribution,
    /// From now until it ends.
    #[serde(skip)]
    pub ends: Distribution,
}

impl JobOption {
    pub(super) fn of<J>(variant: &JobVariant<J>, wait: &Distribution) -> JobOption {
        let limit = variant.limit;
        let run = variant.run.clone().capped(limit.0 as f64);
        let ends = sum(wait, &run);
        JobOption {
            change: variant.change.clone(),
            procs: variant.procs,
            limit,
            risk: stopped_at(&variant.run, limit),
            start: TimeSpread::of_wait(wait),
            // The sum is made of few quantiles, which leave out the longest.
            done: TimeSpread { expected: wait.mean() + run.mean(), ..TimeSpread::of(&ends) },
            gain: 0.0,
            too_close: false,
            wait: wait.clone(),
            run,
            ends,
        }
    }

    /// What becomes of every variant that starts, as asked first. Within one answer a longer limit stops no more jobs than a shorter one,
    /// that which is advised included.
    pub(super) fn all<'w, J>(
        variants: &[JobVariant<J>],
        waits: impl IntoIterator<Item = Option<&'w Distribution>>,
        advised: Option<&LimitAdvice>,
    ) -> Vec<JobOption> {
        let started = variants.iter().zip(waits).filter_map(|(one, wait)| Some((one, wait?)));
        let mut options: Vec<JobOption> = started.map(|(one, wait)| JobOption::of(one, wait)).collect();
        if let Some(advised) = advised {
            options.iter_mut().for_each(|one| one.bound_risk(advised));
        }
        let mut least = options.first().map_or(1.0, |first| first.risk);
        for one in options.iter_mut().filter(|one| one.change == JobChange::LongerLimit) {
            one.risk = one.risk.min(least);
            least = one.risk;
        }
        options
    }

    /// This option, started and done this many seconds later.
    pub(super) fn moved(&self, change: JobChange, (start, end): (f64, f64)) -> JobOption {
        let later = |time: f64, by: f64| (time + by).max(0.0);
        let wait = self.wait.mapped(|time| later(time, start));
        let ends = self.ends.mapped(|time| later(time, end));
        let (expected, expected_end) = (later(self.start.expected, start), later(self.done.expected, end));
        JobOption {
            change,
            start: TimeSpread { expected, ..TimeSpread::of_wait(&wait) },
            done: TimeSpread { expected: expected_end, ..TimeSpread::of(&ends) },
            wait,
            ends,
            ..self.clone()
        }
    }

    /// Sets `gain` and `too_close` against the job as asked.
    pub(super) fn compare(&mut self, asked: &JobOption) {
        self.gain = asked.done.median - self.done.median;
        let (sooner, later) = if self.gain >= 0.0 { (&*self, asked) } else { (asked, &*self) };
        self.too_close = self.change != JobChange::AsAsked && !is_surely_shorter(&sooner.ends, &later.ends);
    }

    /// If the shorter limit that is advised has stopped fewer of the past jobs than are predicted to run into a longer one, so does the
    /// longer one.
    fn bound_risk(&mut self, advised: &LimitAdvice) {
        let is_longer =
            self.change != JobChange::Size && self.limit >= advised.limit && advised.tried.is_some();
        if self.change == JobChange::Limit {
            self.risk = advised.risk;
        } else if is_longer {
            self.risk = self.risk.min(advised.risk);
        }
    }
}
