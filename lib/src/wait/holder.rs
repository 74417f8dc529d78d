//! A running job as one that waits for its processors sees it.

use super::Lifetimes;
use super::lifetimes::{Aged, Survival};
use crate::predict::Forecast;
use crate::units::{Procs, Seconds};

/// A running job: its processors, and how much longer it is thought to run, as a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holder {
    procs: Procs,
    left: Left,
}

/// How much longer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Left {
    Aged(Aged),
    Forecast(Spread),
}

/// What a forecast leaves: a point in an interval, in seconds from now, of which some may have passed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    low: f64,
    point: f64,
    high: f64,
    /// The probability at either end of the interval.
    tail: f64,
    /// The probability to have come as far as now.
    now: f64,
}

impl Spread {
    /// How probable it was, before anything was known of its age.
    fn at_first(&self, t: f64) -> Survival {
        if t >= self.high {
            return Survival::flat(0.0);
        }
        if t < self.low {
            return Survival::flat(1.0);
        }
        let before = t < self.point;
        let (from, to) = if before { (self.low, self.point) } else { (self.point, self.high) };
        let fall = (0.5 - self.tail) / (to - from);
        let start = if before { 1.0 - self.tail } else { 0.5 };
        Survival { amount: start - fall * (t - from), fall, slack: 0.0 }
    }
}

impl Spread {
    /// When so much of it is left, of what there was at first; not before now.
    fn reaching(&self, survival: f64) -> f64 {
        let half = 0.5 - self.tail;
        let part = |below: f64| if half > 0.0 { (below / half).clamp(0.0, 1.0) } else { 0.0 };
        let t = if survival >= 1.0 - self.tail {
            self.low
        } else if survival > 0.5 {
            self.low + part(1.0 - self.tail - survival) * (self.point - self.low)
        } else if survival > self.tail {
            self.point + part(0.5 - survival) * (self.high - self.point)
        } else {
            self.high
        };
        t.clamp(0.0, 3e15)
    }
}

impl Holder {
    /// A job that has run for `age` on these processors, with nothing known but how long jobs live
    /// ([`Lifetimes::survival`]).
    pub fn aged(procs: Procs, age: Seconds, lifetimes: &Lifetimes) -> Holder {
        Holder { procs, left: Left::Aged(Aged::new(lifetimes, age.0 as f64)) }
    }

    /// A job that has run for `age` and of whose whole run time this is predicted.
    ///
    /// Without an interval it ends at the point. With one, its run time is that of [`Forecast::quantile`]: linear from the
    /// low end to the point and on to the high end, what lies outside at the ends; given that it exceeds the age. A job
    /// as old as the forecast's longest has outlived it and is treated like one that outlived all [`Lifetimes`].
    pub fn forecast(procs: Procs, age: Seconds, forecast: &Forecast) -> Holder {
        let left = |whole: Seconds| (whole - age).0 as f64;
        let point = left(forecast.point());
        let mut spread = Spread { low: point, point, high: point, tail: 0.5, now: 1.0 };
        if let Some(interval) = forecast.interval() {
            spread.low = left(interval.low).min(point);
            spread.high = left(interval.high).max(point);
            spread.tail = (1.0 - interval.level()) / 2.0;
        }
        spread.now = spread.at_first(0.0).amount;
        if spread.now > 0.0 {
            Holder { procs, left: Left::Forecast(spread) }
        } else {
            Holder { procs, left: Left::Aged(Aged::outlived(age.0 as f64)) }
        }
    }

    /// A job that is known to end after so long; at once if that is not above zero.
    pub fn ending(procs: Procs, left: Seconds) -> Holder {
        let point = left.0.max(0) as f64;
        Holder { procs, left: Left::Forecast(Spread { low: point, point, high: point, tail: 0.5, now: 1.0 }) }
    }

    /// The same on another number of processors.
    #[must_use]
    pub fn on(self, procs: Procs) -> Holder {
        Holder { procs, ..self }
    }

    /// Its processors.
    pub fn procs(&self) -> Procs {
        self.procs
    }

    /// How probable it is that it still runs after `t` seconds from now, which count as none if they are below zero.
    pub fn survival(&self, t: f64) -> f64 {
        self.falling(t).amount
    }

    /// The same, and how fast it falls there.
    pub(super) fn falling(&self, t: f64) -> Survival {
        let t = t.max(0.0);
        match &self.left {
            Left::Aged(aged) => aged.survival(t),
            Left::Forecast(spread) => {
                let Survival { amount, fall, slack } = spread.at_first(t);
                Survival { amount: amount / spread.now, fall: fall / spread.now, slack }
            }
        }
    }

    /// Seconds from now by which it has ended with this probability: the first at which [`Holder::survival`] is at most
    /// one minus it, but for rounding. With shares drawn uniformly from 0 to 1 it gives draws of what is left.
    pub fn quantile(&self, share: f64) -> f64 {
        let share = if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) };
        match &self.left {
            Left::Aged(aged) => aged.quantile(share),
            Left::Forecast(spread) => spread.reaching((1.0 - share) * spread.now),
        }
    }

    /// Seconds from now by which it has ended for certain.
    pub(super) fn ended(&self) -> f64 {
        match &self.left {
            Left::Aged(aged) => aged.ended,
            // No clock is asked beyond.
            Left::Forecast(spread) => spread.high.clamp(0.0, 3e15),
        }
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
    fn an_interval_is_the_forecasts_own_distribution() {
        let forecast = Forecast::around(1000.0, 400.0, 0.8);
        let fresh = Holder::forecast(Procs(1), Seconds(0), &forecast);
        for whole in [1, 599, 600, 700, 1000, 1200, 1399] {
            close(
                fresh.survival(whole as f64),
                1.0 - forecast.probability_before(Seconds(whole)) - {
                    // Those of exactly the shortest run time are not before it, but they do not survive it.
                    if whole == 600 { 0.1 - forecast.probability_before(Seconds(600)) } else { 0.0 }
                },
            );
        }
        assert_eq!(fresh.survival(1400.0), 0.0);
        // Of age 800, when 70 % still run, 35 of 70 have gone by …
        let aged = Holder::forecast(Procs(1), Seconds(800), &forecast);
        close(aged.survival(0.0), 1.0);
        close(aged.survival(200.0), 0.5 / 0.7);
        close(aged.survival(400.0), 0.3 / 0.7);
        assert_eq!(aged.survival(600.0), 0.0);
        assert_eq!([-1.0, f64::NAN].map(|t| aged.survival(t)), [1.0, 1.0], "it runs");
        // Control: age matters.
        assert!((aged.survival(400.0) - fresh.survival(1200.0)).abs() > 0.1);
    }

    #[test]
    fn an_outlived_forecast_is_worth_an_age() {
        for forecast in [Forecast::exactly(Seconds(100)), Forecast::around(80.0, 20.0, 0.9)] {
            for age in [100, 150] {
                let holder = Holder::forecast(Procs(1), Seconds(age), &forecast);
                close(holder.survival(0.0), 1.0);
                close(holder.survival(age as f64), 0.5);
                assert_eq!(holder.survival(3.0 * age as f64), 0.0);
            }
            assert_eq!(Holder::forecast(Procs(1), Seconds(99), &forecast).survival(1.0), 0.0, "control");
        }
    }

    #[test]
    fn quantiles_are_survival_the_other_way_round() {
        let lifetimes = Lifetimes::between(50.0, 50_000.0).unwrap();
        let forecast = Forecast::around(2000.0, 1500.0, 0.8);
        let holders = [
            Holder::aged(Procs(1), Seconds(0), &lifetimes),
            Holder::aged(Procs(1), Seconds(600), &lifetimes),
            Holder::aged(Procs(1), Seconds(60_000), &lifetimes),
            Holder::forecast(Procs(1), Seconds(0), &forecast),
            Holder::forecast(Procs(1), Seconds(1200), &forecast),
            Holder::forecast(Procs(1), Seconds(2600), &forecast),
            Holder::forecast(Procs(1), Seconds(9000), &forecast),
            Holder::forecast(Procs(1), Seconds(0), &Forecast::exactly(Seconds(70))),
            Holder::ending(Procs(1), Seconds(60)),
        ];
        for holder in holders {
            let mut before = 0.0;
            for step in 0..=100 {
                let share = f64::from(step) / 100.0;
                let t = holder.quantile(share);
                assert!(t >= before && holder.survival(t + 1e-6) <= 1.0 - share + 1e-9, "{holder:?} {share}");
                assert!(t == 0.0 || holder.survival(t - 1e-6) >= 1.0 - share - 1e-9, "{holder:?} {share}");
                before = t;
            }
            assert!(holder.quantile(1.0) <= holder.ended() + 1e-6);
            assert_eq!(holder.quantile(f64::NAN), holder.quantile(0.5));
        }
        // Control: age matters.
        assert!(holders[0].quantile(0.5) < holders[1].quantile(0.5));
    }

    #[test]
    fn survival_falls_and_says_how_fast() {
        let lifetimes = Lifetimes::between(50.0, 50_000.0).unwrap();
        let holders = [
            Holder::aged(Procs(1), Seconds(0), &lifetimes),
            Holder::aged(Procs(1), Seconds(600), &lifetimes),
            Holder::forecast(Procs(1), Seconds(600), &Forecast::around(2000.0, 1500.0, 0.9)),
        ];
        for holder in holders {
            for step in 1..100 {
                let t = f64::from(step) * 40.0 + 13.0;
                let Survival { amount, fall, slack } = holder.falling(t);
                let (earlier, later) = (holder.survival(t - 0.01), holder.survival(t + 0.01));
                assert!(earlier >= amount && amount >= later);
                assert!((fall - (earlier - later) / 0.02).abs() < 1e-6, "{t} {fall}");
                let slackens = (holder.falling(t - 0.01).fall - holder.falling(t + 0.01).fall) / 0.02;
                assert!((slack - slackens).abs() < 1e-6, "{t} {slack}");
            }
        }
    }
}
