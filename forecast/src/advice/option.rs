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

    /// No part of it sooner than that of another: the few quantiles of a sum may be sooner than those of what is summed.
    fn after(self, other: &TimeSpread) -> TimeSpread {
        TimeSpread {
            expected: self.expected.max(other.expected),
            median: self.median.max(other.median),
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
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
        let start = TimeSpread::of_wait(wait);
        // The sum is made of few quantiles, which leave out the longest.
        let done = TimeSpread { expected: wait.mean() + run.mean(), ..TimeSpread::of(&ends) };
        JobOption {
            change: variant.change.clone(),
            procs: variant.procs,
            limit,
            risk: stopped_at(&variant.run, limit),
            done: done.after(&start),
            start,
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
        let start = TimeSpread { expected, ..TimeSpread::of_wait(&wait) };
        let done = TimeSpread { expected: expected_end, ..TimeSpread::of(&ends) };
        JobOption { change, done: done.after(&start), start, wait, ends, ..self.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that runs for a second is done after it starts, at both ends of the ranges, however few quantiles the sum has.
    #[test]
    fn no_job_is_done_before_it_starts() {
        let run = Distribution::quantiles(&[(0.0, 1.0), (1.0, 2.0)]).unwrap();
        for top in [20.0, 3_000.0, 86_400.0] {
            for knots in [
                [(0.0, 0.0), (0.09, 0.0), (0.5, 15.0), (1.0, top)],
                [(0.0, 9.0), (0.2, 11.0), (0.9, 19.0), (1.0, top)],
            ] {
                let wait = Distribution::quantiles(&knots).unwrap();
                let variant = JobVariant {
                    change: JobChange::AsAsked,
                    job: (),
                    procs: Procs(1),
                    limit: Seconds(600),
                    run: run.clone(),
                };
                let option = JobOption::of(&variant, &wait);
                let later = option.moved(JobChange::Later(Seconds(5)), (5.0, 4.0));
                for JobOption { start, done, .. } in [option, later] {
                    let parts = |one: TimeSpread| [one.low, one.median, one.high, one.expected];
                    let pairs = parts(start).into_iter().zip(parts(done));
                    assert!(
                        pairs.clone().all(|(start, done)| start <= done),
                        "{:?}",
                        pairs.collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}
