//! One variant of a job, and when it would be done.

use serde::Serialize;

use super::limit::stopped_at;
use queuecast_core::distribution::Distribution;
use queuecast_core::units::{Procs, Seconds};

/// Number of equally likely quantiles by which each of two distributions is represented to add them.
const PLACES: usize = 24;

/// How a variant differs from what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobChange {
    /// Not at all.
    AsAsked,
    /// Another time limit.
    Limit,
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
            JobChange::Limit => 1,
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
    /// Whether the difference is too small beside the ranges to be relied on.
    pub too_close: bool,
}

/// The sum of two independent times.
pub(super) fn sum(one: &Distribution, other: &Distribution) -> Distribution {
    let places = |time: &Distribution| -> [f64; PLACES] {
        std::array::from_fn(|place| time.quantile((place as f64 + 0.5) / PLACES as f64))
    };
    let (ones, others) = (places(one), places(other));
    let mut sums: Vec<f64> =
        ones.iter().flat_map(|one| others.iter().map(move |other| one + other)).collect();
    sums.sort_by(f64::total_cmp);
    // Never empty.
    Distribution::observed(sums.into(), 1.0).unwrap_or_else(|| Distribution::point(0.0))
}

impl JobOption {
    pub(super) fn new(
        change: JobChange,
        (procs, limit): (Procs, Seconds),
        wait: &Distribution,
        run: &Distribution,
    ) -> JobOption {
        let stopped = run.clone().capped(limit.0 as f64);
        JobOption {
            change,
            procs,
            limit,
            risk: stopped_at(run, limit),
            start: TimeSpread::of_wait(wait),
            done: TimeSpread::of(&sum(wait, &stopped)),
            gain: 0.0,
            too_close: false,
        }
    }

    /// Sets `gain` and `too_close` against the job as asked. Medians that differ by at most a tenth of the wider 80 %
    /// range, or by 5 minutes, do not decide.
    pub(super) fn compare(&mut self, asked: &JobOption) {
        self.gain = asked.done.median - self.done.median;
        self.too_close = self.change != JobChange::AsAsked && self.is_undecided(asked);
    }

    /// Whether it is too close to call which of two is done sooner.
    pub(super) fn is_undecided(&self, other: &JobOption) -> bool {
        let width = |option: &JobOption| option.done.high - option.done.low;
        let undecided = (0.1 * width(self).max(width(other))).max(300.0);
        (other.done.median - self.done.median).abs() <= undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_mean_of_both() {
        let even = |upto: i32| {
            let values: Vec<f64> = (1..=upto).map(f64::from).collect();
            Distribution::observed(values.into(), 1.0).unwrap()
        };
        let both = sum(&even(100), &even(1000));
        assert!((both.mean() - 551.0).abs() < 6.0, "{}", both.mean());
        assert_eq!(sum(&Distribution::point(5.0), &Distribution::point(7.0)).quantile(0.5), 12.0);
    }

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
