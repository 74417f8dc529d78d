//! A distribution that is uniform in the logarithm of time (Downey 1997, equation 4).

use super::LONGEST;
use crate::spec::SpecError;
use crate::units::Seconds;

/// Values whose logarithm is uniform: as many between 1 and 2 as between 64 and 128.
///
/// # Formula
/// `cdf(t) = β₀ + β₁ ln t` from `t_min = exp(−β₀/β₁)` to `t_max = exp((1 − β₀)/β₁)`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogUniform {
    least: f64,
    most: f64,
    /// ln t_min.
    from: f64,
    /// ln t_max; above `from`.
    to: f64,
}

impl LogUniform {
    /// Between two lengths in seconds: above 0, the second above the first and at most 10^15.
    pub fn between(least: f64, most: f64) -> Result<LogUniform, SpecError> {
        let lengths = LogUniform::new(least, most);
        // Two lengths may differ and their logarithms not.
        if least > 0.0 && most <= LONGEST && lengths.from < lengths.to {
            return Ok(lengths);
        }
        let why = "give two numbers of seconds above 0, the second above the first and at most 10^15";
        Err(SpecError::value("lifetimes", &format!("{least},{most}"), why))
    }

    /// Between two numbers that have been checked: above 0, the second not below the first.
    pub fn new(least: f64, most: f64) -> LogUniform {
        LogUniform { least, most, from: least.ln(), to: most.ln() }
    }

    /// By the line of equation 4. The slope is above 0, and the line reaches 1 by 10^15 seconds.
    pub fn line(intercept: f64, slope: f64) -> Result<LogUniform, SpecError> {
        let (from, to) = (-intercept / slope, (1.0 - intercept) / slope);
        if slope > 0.0 && from.is_finite() && from < to && to <= LONGEST.ln() {
            return Ok(LogUniform::of_logs(from, to));
        }
        let why = "the slope must be above 0, and the line must reach 1 by 10^15 seconds";
        Err(SpecError::value("lifetimes", &format!("{intercept},{slope}"), why))
    }

    /// From a `factor`-th of a length to `factor` times it. The length is kept within 1 and 10^9 seconds, the factor within
    /// 1.001 and 10^6.
    pub fn around(length: Seconds, factor: f64) -> LogUniform {
        let log = (length.0.max(1) as f64).min(LONGEST / 1e6).ln();
        let spread = if factor.is_nan() { 1.001 } else { factor.clamp(1.001, 1e6) }.ln();
        LogUniform::of_logs(log - spread, log + spread)
    }

    /// By the logarithms of its ends; `None` unless the first is below the second. The second is kept within the clock.
    pub fn within_logs(from: f64, to: f64) -> Option<LogUniform> {
        let to = to.min(LONGEST.ln());
        (from.is_finite() && from < to).then(|| LogUniform::of_logs(from, to))
    }

    fn of_logs(from: f64, to: f64) -> LogUniform {
        LogUniform { least: from.exp(), most: to.exp(), from, to }
    }

    /// t_min in seconds.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// t_max in seconds.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// ln t_min and ln t_max.
    pub(super) fn logs(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// β₀.
    pub fn intercept(&self) -> f64 {
        -self.from / (self.to - self.from)
    }

    /// β₁.
    pub fn slope(&self) -> f64 {
        1.0 / (self.to - self.from)
    }

    /// The share of values up to `t` (equation 4), from 0 to 1.
    pub fn cdf(&self, t: f64) -> f64 {
        ((t.ln() - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// The value that a share (0 to 1) of all are below.
    ///
    /// # Formula
    /// `t_min · (t_max / t_min)^share`
    pub fn quantile(&self, share: f64) -> f64 {
        self.kept_within(self.least * (self.most / self.least).powf(share))
    }

    /// The mean.
    ///
    /// # Formula
    /// `(t_max − t_min) / ln(t_max / t_min)`, and `t_max` where both are one
    pub fn mean(&self) -> f64 {
        let span = (self.most / self.least).ln();
        if span > 1e-12 { self.kept_within((self.most - self.least) / span) } else { self.most }
    }

    /// Rounding stays between the ends.
    fn kept_within(&self, value: f64) -> f64 {
        value.max(self.least).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() <= 1e-12 * other.abs().max(1.0), "{one} {other}");
    }

    #[test]
    fn bounds_and_line_describe_the_same() {
        let bounds = LogUniform::between(2f64.exp(), 12f64.exp()).unwrap();
        let line = LogUniform::line(-0.2, 0.1).unwrap();
        close(bounds.intercept(), -0.2);
        close(bounds.slope(), 0.1);
        close(line.least(), 2f64.exp());
        close(line.most(), 12f64.exp());
        for t in [1.0, 8.0, 1000.0, 100_000.0, 1e6] {
            close(line.cdf(t), bounds.cdf(t));
            close(bounds.cdf(t), (-0.2 + 0.1 * f64::ln(t)).clamp(0.0, 1.0));
        }
        for share in [0.0, 0.25, 0.5, 1.0] {
            close(bounds.cdf(bounds.quantile(share)), share);
        }
        close(LogUniform::new(1.0, 1000.0).mean(), 999.0 / 1000f64.ln());
        assert_eq!(LogUniform::new(7.0, 7.0).mean(), 7.0);
    }

    #[test]
    fn a_prediction_and_its_factor() {
        let around = LogUniform::around(Seconds(3600), 2.0);
        close(around.least(), 1800.0);
        close(around.most(), 7200.0);
        close(around.cdf(3600.0), 0.5);
        for (length, factor) in [(0, 2.0), (i64::MAX, 1e99), (-5, f64::NAN), (7, -1.0)] {
            let around = LogUniform::around(Seconds(length), factor);
            assert!(around.least() < around.most() && around.most() <= LONGEST * 1.000_001, "{around:?}");
        }
    }

    #[test]
    fn impossible_ends_are_refused() {
        let nan = f64::NAN;
        for (least, most) in
            [(0.0, 1.0), (-1.0, 5.0), (5.0, 5.0), (6.0, 5.0), (nan, 5.0), (5.0, nan), (1.0, 1e16)]
        {
            let error = LogUniform::between(least, most).unwrap_err().to_string();
            assert!(error.contains("the second above the first"), "{error}");
        }
        for (intercept, slope) in
            [(0.0, 0.0), (-0.2, -0.1), (nan, 1.0), (0.1, nan), (0.0, 1e-3), (0.0, f64::INFINITY)]
        {
            let error = LogUniform::line(intercept, slope).unwrap_err().to_string();
            assert!(error.contains("above 0"), "{error}");
        }
    }
}
