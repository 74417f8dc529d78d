//! What a predictor answers: a distribution with a point in it.

use crate::units::Seconds;

/// A predicted run time. The point is what a scheduler plans with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    point: Seconds,
}

impl Forecast {
    /// The degenerate distribution: this long, no doubt expressed. Never below one second.
    pub fn exactly(length: Seconds) -> Forecast {
        Forecast { point: length.max(Seconds(1)) }
    }

    /// The one number to plan with.
    pub fn point(&self) -> Seconds {
        self.point
    }

    /// The length not exceeded with probability `p`.
    pub fn quantile(&self, _p: f64) -> Seconds {
        self.point
    }

    /// The probability that the job runs for less than `length`.
    pub fn probability_before(&self, length: Seconds) -> f64 {
        if self.point < length { 1.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_a_step() {
        let forecast = Forecast::exactly(Seconds(60));
        assert_eq!(forecast.quantile(0.1), forecast.quantile(0.9));
        assert_eq!(forecast.probability_before(Seconds(60)), 0.0);
        assert_eq!(forecast.probability_before(Seconds(61)), 1.0);
        assert_eq!(Forecast::exactly(Seconds(0)).point(), Seconds(1));
    }
}
