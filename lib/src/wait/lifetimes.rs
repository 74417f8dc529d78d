//! How long jobs live: a distribution that is uniform in the logarithm of time (Downey 1997, equation 4).

use crate::spec::SpecError;
use crate::units::Seconds;

/// No lifetime is longer, so that sums stay within the clock.
pub(super) const LONGEST: f64 = 1e15;

/// Lifetimes whose logarithm is uniform, from the start of a job to its end, on as many processors as it has.
///
/// # Formula
/// `cdf(t) = β₀ + β₁ ln t` from `t_min = exp(−β₀/β₁)` to `t_max = exp((1 − β₀)/β₁)`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifetimes {
    /// ln t_min.
    from: f64,
    /// ln t_max; above `from`.
    to: f64,
}

impl Lifetimes {
    /// Between two lengths in seconds: above 0, the second above the first and at most 10^15.
    pub fn between(least: f64, most: f64) -> Result<Lifetimes, SpecError> {
        let lifetimes = Lifetimes { from: least.ln(), to: most.ln() };
        // Two lengths may differ and their logarithms not.
        if least > 0.0 && most <= LONGEST && lifetimes.from < lifetimes.to {
            return Ok(lifetimes);
        }
        let why = "give two numbers of seconds above 0, the second above the first and at most 10^15";
        Err(SpecError::value("lifetimes", &format!("{least},{most}"), why))
    }

    /// By the line of equation 4. The slope is above 0, and the line reaches 1 by 10^15 seconds.
    pub fn line(intercept: f64, slope: f64) -> Result<Lifetimes, SpecError> {
        let lifetimes = Lifetimes { from: -intercept / slope, to: (1.0 - intercept) / slope };
        let sound = slope > 0.0 && lifetimes.from.is_finite() && lifetimes.from < lifetimes.to;
        if sound && lifetimes.to <= LONGEST.ln() {
            return Ok(lifetimes);
        }
        let why = "the slope must be above 0, and the line must reach 1 by 10^15 seconds";
        Err(SpecError::value("lifetimes", &format!("{intercept},{slope}"), why))
    }

    /// From a `factor`-th of a length to `factor` times it: a bare prediction, and how wrong it may be. The length is kept
    /// within 1 and 10^9 seconds, the factor within 1.001 and 10^6.
    pub fn around(length: Seconds, factor: f64) -> Lifetimes {
        let log = (length.0.max(1) as f64).min(LONGEST / 1e6).ln();
        let spread = if factor.is_nan() { 1.001 } else { factor.clamp(1.001, 1e6) }.ln();
        Lifetimes { from: log - spread, to: log + spread }
    }

    /// By the logarithms of its ends, the first below the second; the second is kept within the clock.
    pub(super) fn within_logs(from: f64, to: f64) -> Option<Lifetimes> {
        let lifetimes = Lifetimes { from, to: to.min(LONGEST.ln()) };
        (from.is_finite() && lifetimes.from < lifetimes.to).then_some(lifetimes)
    }

    /// t_min in seconds.
    pub fn least(&self) -> f64 {
        self.from.exp()
    }

    /// t_max in seconds.
    pub fn most(&self) -> f64 {
        self.to.exp()
    }

    /// β₀.
    pub fn intercept(&self) -> f64 {
        -self.from / (self.to - self.from)
    }

    /// β₁.
    pub fn slope(&self) -> f64 {
        1.0 / (self.to - self.from)
    }

    /// The share of lifetimes up to `t` seconds (equation 4), from 0 to 1.
    pub fn cdf(&self, t: f64) -> f64 {
        ((t.ln() - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// How probable it is that a job of this age lives for more than `t` seconds in all: Pr{L > t | L > age}, and 1 up
    /// to its age.
    ///
    /// # Formula
    /// `(1 − β₀ − β₁ ln t) / (1 − β₀ − β₁ ln age)` (equation 5), both times taken to be `t_min` where they are less, and
    /// 0 from `t_max` on. A job of age `t_max` or more has outlived the distribution; its lifetime is taken to be uniform
    /// in the log up to four times its age, which gives it even odds to live as long again, as running processes have
    /// (Harchol-Balter & Downey 1996).
    pub fn survival(&self, t: f64, age: f64) -> f64 {
        Aged::new(self, age).survival(t - age).amount
    }
}

/// How many times its age a job can reach that is older than any should be.
const OUTLIVED: f64 = 4.0;

/// What is left of the life of a job of some age.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Aged {
    age: f64,
    /// The logarithm of what it lives for at least.
    from: f64,
    /// The logarithm of what it lives for at most.
    to: f64,
    /// β₁ among those that live so long: 1 / (to − from).
    share: f64,
    /// Seconds from now by which it has ended.
    pub ended: f64,
}

impl Aged {
    pub fn new(lifetimes: &Lifetimes, age: f64) -> Aged {
        let age = if age.is_nan() { 0.0 } else { age.clamp(0.0, LONGEST) };
        let (log, most) = (age.ln(), lifetimes.most());
        if log >= lifetimes.to || age >= most {
            return Aged::outlived(age);
        }
        let (from, to) = (log.max(lifetimes.from), lifetimes.to);
        Aged { age, from, to, share: 1.0 / (to - from), ended: most - age }
    }

    /// Of a job older than any should be.
    pub fn outlived(age: f64) -> Aged {
        let age = age.clamp(1.0, LONGEST);
        let (from, to) = (age.ln(), (OUTLIVED * age).ln());
        Aged { age, from, to, share: 1.0 / (to - from), ended: (OUTLIVED - 1.0) * age }
    }

    /// Seconds from now by which it has ended with this probability, from 0 to 1.
    pub fn quantile(&self, share: f64) -> f64 {
        ((self.from + share * (self.to - self.from)).exp() - self.age).clamp(0.0, self.ended)
    }

    /// How probable it is to run for more than `t` seconds from now.
    pub fn survival(&self, t: f64) -> Survival {
        if t >= self.ended {
            return Survival::flat(0.0);
        }
        let lived = self.age + t;
        let log = lived.ln();
        if t < 0.0 || log < self.from {
            return Survival::flat(1.0);
        }
        let each = 1.0 / lived;
        let fall = self.share * each;
        Survival { amount: ((self.to - log) * self.share).clamp(0.0, 1.0), fall, slack: fall * each }
    }
}

/// How probable it is that a job still runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Survival {
    pub amount: f64,
    /// How fast it falls, per second.
    pub fall: f64,
    /// How fast that slackens.
    pub slack: f64,
}

impl Survival {
    /// For a while.
    pub fn flat(amount: f64) -> Survival {
        Survival { amount, fall: 0.0, slack: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's lifetimes: e² to e¹² seconds.
    fn paper() -> Lifetimes {
        Lifetimes::between(2f64.exp(), 12f64.exp()).unwrap()
    }

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() <= 1e-12 * other.abs().max(1.0), "{one} {other}");
    }

    #[test]
    fn bounds_and_line_are_two_ways_to_say_the_same() {
        let (bounds, line) = (paper(), Lifetimes::line(-0.2, 0.1).unwrap());
        close(bounds.intercept(), -0.2);
        close(bounds.slope(), 0.1);
        close(line.least(), 2f64.exp());
        close(line.most(), 12f64.exp());
        for t in [1.0, 8.0, 1000.0, 100_000.0, 1e6] {
            close(line.cdf(t), bounds.cdf(t));
            close(bounds.cdf(t), (-0.2 + 0.1 * f64::ln(t)).clamp(0.0, 1.0));
        }
    }

    #[test]
    fn survival_is_that_of_equation_5() {
        let (b0, b1) = (-0.2, 0.1);
        for age in [8.0, 60.0, 3600.0, 100_000.0] {
            for t in [age, age + 1.0, 1.5 * age] {
                let expected = (1.0 - b0 - b1 * f64::ln(t)) / (1.0 - b0 - b1 * f64::ln(age));
                close(paper().survival(t, age), expected);
            }
            assert!(paper().survival(age, age) <= 1.0);
        }
        // Half of those alive at a live to √(a · t_max).
        close(paper().survival((100.0 * 12f64.exp()).sqrt(), 100.0), 0.5);
        // Control: not to the middle between both.
        assert!(paper().survival((100.0 + 12f64.exp()) / 2.0, 100.0) < 0.1);
    }

    #[test]
    fn the_young_live_to_the_least_and_none_beyond_the_most() {
        for age in [0.0, 1.0, 7.0] {
            assert_eq!(paper().survival(7.3, age), 1.0);
            close(paper().survival(7f64.exp(), age), 0.5);
            assert_eq!(paper().survival(12f64.exp() + 1e-6, age), 0.0);
        }
        assert_eq!(paper().survival(50.0, 100.0), 1.0, "it is older than that");
    }

    #[test]
    fn who_outlived_the_distribution_may_live_as_long_again() {
        let most = paper().most();
        for age in [most, 2.0 * most, 1e12] {
            close(paper().survival(age, age), 1.0);
            close(paper().survival(2.0 * age, age), 0.5);
            assert_eq!(paper().survival(4.0 * age, age), 0.0);
        }
        // Control: a second before, it was about to end.
        assert_eq!(paper().survival(2.0 * most, most - 1.0), 0.0);
    }

    #[test]
    fn a_prediction_and_its_factor() {
        let around = Lifetimes::around(Seconds(3600), 2.0);
        close(around.least(), 1800.0);
        close(around.most(), 7200.0);
        close(around.cdf(3600.0), 0.5);
        for (length, factor) in [(0, 2.0), (i64::MAX, 1e99), (-5, f64::NAN), (7, -1.0)] {
            let around = Lifetimes::around(Seconds(length), factor);
            assert!(around.least() < around.most() && around.most() <= LONGEST, "{around:?}");
        }
    }

    #[test]
    fn impossible_lifetimes_are_refused() {
        let nan = f64::NAN;
        for (least, most) in
            [(0.0, 1.0), (-1.0, 5.0), (5.0, 5.0), (6.0, 5.0), (nan, 5.0), (5.0, nan), (1.0, 1e16)]
        {
            let error = Lifetimes::between(least, most).unwrap_err().to_string();
            assert!(error.contains("the second above the first"), "{error}");
        }
        for (intercept, slope) in
            [(0.0, 0.0), (-0.2, -0.1), (nan, 1.0), (0.1, nan), (0.0, 1e-3), (0.0, f64::INFINITY)]
        {
            let error = Lifetimes::line(intercept, slope).unwrap_err().to_string();
            assert!(error.contains("above 0"), "{error}");
        }
    }
}
