//! Correction of biased predictions by earlier ones (Downey 1997, section 5.4).

/// The line through some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// How many points.
    pub points: u64,
    /// The coefficient of correlation; no number where all outcomes are alike.
    pub correlation: f64,
    /// Where the line is at zero.
    pub intercept: f64,
    /// How steep it is.
    pub slope: f64,
}

/// Regression of actual on predicted times, both in the logarithm of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bias {
    points: u64,
    predicted: f64,
    actual: f64,
    predicted_squares: f64,
    actual_squares: f64,
    products: f64,
}

/// The fewest observations before predictions are corrected.
const ENOUGH: u64 = 30;

fn log(seconds: f64) -> f64 {
    seconds.max(1.0).ln()
}

/// The expected time for a prediction, by a line in logarithms of seconds; a prediction of zero stays zero.
pub(super) fn corrected_by(intercept: f64, slope: f64, predicted: f64) -> f64 {
    if predicted > 0.0 { (intercept + slope * log(predicted)).exp() } else { predicted }
}

impl Bias {
    /// Adds a prediction and the actual time, both in seconds; less than one second counts as one.
    pub fn observe(&mut self, predicted: f64, actual: f64) {
        let (x, y) = (log(predicted), log(actual));
        self.points += 1;
        let points = self.points as f64;
        // Sums of squares about the mean, updated without taking large numbers from each other (Welford 1962).
        let (left, up) = (x - self.predicted, y - self.actual);
        self.predicted += left / points;
        self.actual += up / points;
        self.predicted_squares += left * (x - self.predicted);
        self.actual_squares += up * (y - self.actual);
        self.products += left * (y - self.actual);
    }

    /// The regression line of actual on predicted times, in logarithms of seconds; `None` with fewer than two distinct
    /// predictions.
    pub fn trend(&self) -> Option<Trend> {
        let slope = self.products / self.predicted_squares;
        let correlation = self.products / (self.predicted_squares * self.actual_squares).sqrt();
        let intercept = self.actual - slope * self.predicted;
        slope.is_finite().then_some(Trend { points: self.points, correlation, intercept, slope })
    }

    /// What is to be expected where this is predicted, in seconds: the line's value, once there are thirty points.
    ///
    /// # Formula
    /// `ln p' = β₀ + β₁ ln p`
    pub fn corrected(&self, predicted: f64) -> f64 {
        let enough = self.trend().filter(|_| self.points >= ENOUGH && predicted > 0.0);
        enough.map_or(predicted, |line| corrected_by(line.intercept, line.slope, predicted))
    }

    /// Whether [`Bias::corrected`] is monotone: a later prediction is never corrected to an earlier time.
    pub fn keeps_order(&self) -> bool {
        self.points < ENOUGH || self.trend().is_none_or(|line| line.slope >= 0.0)
    }
}
