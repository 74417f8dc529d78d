//! A running job as seen by a job that waits for its processors.

use queuecast_core::distribution::{Distribution, LogUniform, Survival};
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::predict::Forecast;

/// A running job: its processors, and the distribution of its whole run time given how long it has run.
#[derive(Debug, Clone, PartialEq)]
pub struct Holder {
    procs: Procs,
    run: Distribution,
    /// Whether times count from its start instead of from now.
    from_start: bool,
}

impl Holder {
    /// A job on these processors with this run time, given what has passed of it.
    pub fn new(procs: Procs, run: Distribution) -> Holder {
        Holder { procs, run, from_start: false }
    }

    /// This holder with times counted from its start instead of from now: equation 5 of Downey 1997 read literally, where the
    /// time it is solved for is the job's lifetime.
    pub fn from_its_start(mut self) -> Holder {
        self.from_start = true;
        self
    }

    /// A job that has run for `age`, of which nothing is known but how long jobs live.
    pub fn aged(procs: Procs, age: Seconds, lifetimes: &LogUniform) -> Holder {
        Holder::new(procs, Distribution::log_uniform(*lifetimes).given(age.0 as f64))
    }

    /// A job that has run for `age` and of whose whole run time this is predicted.
    pub fn forecast(procs: Procs, age: Seconds, forecast: &Forecast) -> Holder {
        Holder::new(procs, forecast.distribution().given(age.0 as f64))
    }

    /// A job that is known to end after this long; at once if that is not above zero.
    pub fn ending(procs: Procs, left: Seconds) -> Holder {
        Holder::new(procs, Distribution::point(left.0.max(0) as f64))
    }

    /// Its processors.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// Its whole run time, given what has passed of it.
    pub fn run(&self) -> &Distribution {
        &self.run
    }

    /// The probability that it still runs `t` seconds from now; times below zero count as now.
    pub fn survival(&self, t: f64) -> f64 {
        self.falling(t).amount
    }

    /// [`Holder::survival`], and how fast it falls there.
    #[inline]
    pub(super) fn falling(&self, t: f64) -> Survival {
        if self.from_start && t.max(0.0) < self.run.elapsed() {
            return Survival { amount: 1.0, fall: 0.0, slack: 0.0 };
        }
        self.run.falling(self.elapsed() + t.max(0.0))
    }

    /// Seconds from now by which it has ended with this probability.
    pub fn quantile(&self, share: f64) -> f64 {
        self.run.quantile(share) - self.elapsed()
    }

    /// Seconds from now by which it has ended for certain.
    pub(super) fn ended(&self) -> f64 {
        (self.run.longest() - self.elapsed()).clamp(0.0, 3e15)
    }

    /// What is to be added to a time to count it from the start of the job.
    #[inline]
    fn elapsed(&self) -> f64 {
        if self.from_start { 0.0 } else { self.run.elapsed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }

    #[test]
    fn a_point_is_an_end() {
        let holder = Holder::forecast(Procs(1), Seconds(40), &Forecast::exactly(Seconds(100)));
        assert_eq!([0.0, 59.9, 60.0, 61.0].map(|t| holder.survival(t)), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(Holder::ending(Procs(1), Seconds(60)).survival(59.9), 1.0);
        assert_eq!(Holder::ending(Procs(1), Seconds(-3)).survival(0.0), 0.0);
    }

    #[test]
    fn times_count_from_now() {
        let forecast = Forecast::around(1000.0, 400.0, 0.8);
        // Of age 800, when 70 % still run, 50 of 70 run after 200 more.
        let aged = Holder::forecast(Procs(1), Seconds(800), &forecast);
        close(aged.survival(0.0), 1.0);
        close(aged.survival(200.0), 0.5 / 0.7);
        close(aged.survival(400.0), 0.3 / 0.7);
        assert_eq!(aged.survival(600.0), 0.0);
        assert_eq!([-1.0, f64::NAN].map(|t| aged.survival(t)), [1.0, 1.0], "it runs");
        assert_eq!((aged.quantile(1.0), aged.ended()), (600.0, 600.0));
    }

    /// Equation 5 as printed: of a job of age 800, a time of up to 800 has passed, and 900 is 100 from now.
    #[test]
    fn read_literally_times_count_from_the_start() {
        let aged = Holder::forecast(Procs(1), Seconds(800), &Forecast::around(1000.0, 400.0, 0.8));
        let literal = aged.clone().from_its_start();
        assert_eq!([0.0, 400.0, 799.0].map(|t| literal.survival(t)), [1.0; 3]);
        for t in [0.0, 1.0, 200.0, 400.0, 599.0, 600.0] {
            close(literal.survival(800.0 + t), aged.survival(t));
        }
        assert_eq!((literal.quantile(1.0), literal.ended()), (1400.0, 1400.0));
    }
}
