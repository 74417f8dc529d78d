//! One variant of a job, and when it would be done.

use serde::Serialize;

use super::super::closeness::{is_surely_shorter, sum};
use super::limit::{LimitAdvice, stopped_at};
use queuecast_core::distribution::Distribution;
use queuecast_core::units::{Procs, Seconds};

/// A change that gains fewer seconds is not worth the effort.
const WORTH: f64 = 300.0;

/// How a variant differs from what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobChange {
    /// Not at all.
    AsAsked,
    /// A shorter time limit.
    Limit,
    /// A longer time limit.
    LongerLimit,
    /// Another queue, by its name.
    Queue(String),
    /// Another number of processors.
    Size,
    /// Submitted this many seconds later.
    Later(Seconds),
}

impl JobChange {
    /// Rank of the effort a change means for the user, 0 for none; among equally good options the lowest rank is advised.
    pub(super) fn cost(&self) -> u8 {
        match self {
            JobChange::AsAsked => 0,
            JobChange::Limit | JobChange::LongerLimit => 1,
            JobChange::Queue(_) => 2,
            JobChange::Size => 3,
            JobChange::Later(_) => 4,
        }
    }
}

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

    pub(super) fn shifted(self, by: f64) -> TimeSpread {
        let moved = |time: f64| (time + by).max(0.0);
        TimeSpread {
            expected: moved(self.expected),
            median: moved(self.median),
            low: moved(self.low),
            high: moved(self.high),
        }
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
    /// Whether it is too close to call which of both is done sooner, or the difference is below five minutes.
    pub too_close: bool,
    /// From now until it ends, as a distribution.
    #[serde(skip)]
    pub ends: Distribution,
}

impl JobOption {
    pub(super) fn new(
        change: JobChange,
        (procs, limit): (Procs, Seconds),
        wait: &Distribution,
        run: &Distribution,
    ) -> JobOption {
        let stopped = run.clone().capped(limit.0 as f64);
        let ends = sum(wait, &stopped);
        // The sum is made of few quantiles, which leave out the longest.
        let done = TimeSpread { expected: wait.mean() + stopped.mean(), ..TimeSpread::of(&ends) };
        JobOption {
            change,
            procs,
            limit,
            risk: stopped_at(run, limit),
            start: TimeSpread::of_wait(wait),
            done,
            gain: 0.0,
            too_close: false,
            ends,
        }
    }

    /// Sets `gain` and `too_close` against the job as asked.
    pub(super) fn compare(&mut self, asked: &JobOption) {
        self.gain = asked.done.median - self.done.median;
        self.too_close = self.change != JobChange::AsAsked && self.is_undecided(asked);
    }

    /// Whether the one of two that is done sooner by the median is not surely so, or makes no difference that matters.
    pub(super) fn is_undecided(&self, other: &JobOption) -> bool {
        let (sooner, later) = match self.done.median <= other.done.median {
            true => (self, other),
            false => (other, self),
        };
        later.done.median - sooner.done.median <= WORTH || !is_surely_shorter(&sooner.ends, &later.ends)
    }

    /// A longer limit stops no more jobs than a shorter one: if the shorter one that is advised has stopped fewer of the past jobs than are
    /// predicted to run into this one, so does this one.
    pub(super) fn bound_risk(&mut self, advised: &LimitAdvice) {
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

    #[test]
    fn small_differences_do_not_decide() {
        let option = |wait: f64| {
            let run = Distribution::point(600.0);
            let shape = (Procs(1), Seconds(3600));
            let wait = Distribution::interval(wait / 2.0, wait, 2.0 * wait, 0.8);
            JobOption::new(JobChange::Size, shape, &wait, &run)
        };
        let asked = JobOption { change: JobChange::AsAsked, ..option(36_000.0) };
        let mut near = option(35_000.0);
        near.compare(&asked);
        assert!(near.too_close && near.gain > 0.0);
        let mut far = option(3_600.0);
        far.compare(&asked);
        assert!(!far.too_close && far.gain > 30_000.0, "control");
    }
}
