//! What a category knows of its jobs, summed up; and predictions made of it (the appendix of the paper).
//!
//! Every sum is an integer: run times are whole seconds, relative run times and regressors are whole multiples
//! of 2⁻³². So taking a job out again is exact, and sums kept up to date equal sums computed anew to the last bit.

use super::student::{LEVEL, quantile};
use super::{Data, Estimator};
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;

/// One, for numbers that are not whole.
const ONE: f64 = (1_u64 << 32) as f64;

/// No point is larger: 140 thousand years, or a thousand times the request. Sums of 2³² squares then fit 128 bits.
const LARGEST: i128 = 1 << 42;

/// A predicted number with the half width of the interval around it, nominally of 90 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The prediction.
    pub point: f64,
    /// How far a new data point is expected from it, either way.
    pub half_width: f64,
}

impl Data {
    /// What is remembered of a job that ran for `ran`; `None` where that is relative to an unknown request.
    pub fn of(self, job: &Job, ran: Seconds) -> Option<i64> {
        let ran = i128::from(ran.0.max(0));
        let point = match self {
            Data::Actual => ran,
            Data::Relative => (ran << 32) / i128::from(job.shape.limit?.0.max(1)),
        };
        Some(point.min(LARGEST) as i64)
    }

    /// What an estimate in the unit of the points means in seconds for a job with this request.
    pub fn in_seconds(self, estimate: Estimate, limit: Option<Seconds>) -> Option<Estimate> {
        match self {
            Data::Actual => Some(estimate),
            Data::Relative => {
                let unit = limit?.0 as f64 / ONE;
                Some(Estimate { point: estimate.point * unit, half_width: estimate.half_width * unit })
            }
        }
    }
}

impl Estimator {
    /// The number that run times are taken to depend on, for a job of `procs` processors.
    pub fn regressor(self, procs: u32) -> i64 {
        let procs = procs.max(1);
        match self {
            Estimator::Mean => 0,
            Estimator::Linear => i64::from(procs),
            Estimator::Inverse => (1 << 32) / i64::from(procs),
            Estimator::Logarithmic => (f64::from(procs).ln() * ONE).round() as i64,
        }
    }
}

/// How many points there are, their sum, and the sum of their squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moments {
    count: i64,
    y: i64,
    yy: i128,
}

/// Sums of the regressor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comoments {
    x: i64,
    xx: i128,
    xy: i128,
}

/// Standard deviations either side of a mean within which, whatever the distribution, at least [`LEVEL`] of the
/// points lie (Chebyshev): 1 − 1/k² = 0.9.
fn chebyshev() -> f64 {
    (1.0 / (1.0 - LEVEL)).sqrt()
}

impl Moments {
    /// Takes in one value.
    pub fn add(&mut self, y: i64) {
        self.count += 1;
        self.y = self.y.wrapping_add(y);
        self.yy += i128::from(y) * i128::from(y);
    }

    /// Takes out one value that was taken in.
    pub fn remove(&mut self, y: i64) {
        self.count -= 1;
        self.y = self.y.wrapping_sub(y);
        self.yy -= i128::from(y) * i128::from(y);
    }

    /// How many values there are.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// The mean; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.y as f64 / self.count as f64)
    }

    /// `count` times the sum of squared distances from the mean.
    fn spread(&self) -> f64 {
        cross(self.count, self.yy, self.y, self.y)
    }

    /// The sample variance; `None` of fewer than two.
    pub fn variance(&self) -> Option<f64> {
        let count = self.count as f64;
        (self.count >= 2).then(|| self.spread().max(0.0) / (count * (count - 1.0)))
    }

    /// The mean and Chebyshev's interval around it; `None` of fewer than two points.
    #[inline]
    pub fn estimate(&self) -> Option<Estimate> {
        let half_width = chebyshev() * self.variance()?.sqrt();
        Some(Estimate { point: self.y as f64 / self.count as f64, half_width })
    }
}

impl Comoments {
    /// Takes in one pair.
    pub fn add(&mut self, x: i64, y: i64) {
        self.x = self.x.wrapping_add(x);
        self.xx += i128::from(x) * i128::from(x);
        self.xy += i128::from(x) * i128::from(y);
    }

    /// Takes out one pair that was taken in.
    pub fn remove(&mut self, x: i64, y: i64) {
        self.x = self.x.wrapping_sub(x);
        self.xx -= i128::from(x) * i128::from(x);
        self.xy -= i128::from(x) * i128::from(y);
    }

    /// The regression line at `x`, and Student's interval for one more point there; `None` of fewer than three
    /// points, or if all have the same regressor.
    #[inline]
    pub fn estimate(&self, moments: &Moments, x: i64) -> Option<Estimate> {
        if moments.count < 3 {
            return None;
        }
        let spread_x = cross(moments.count, self.xx, self.x, self.x);
        if spread_x <= 0.0 {
            return None;
        }
        let count = moments.count as f64;
        let shared = cross(moments.count, self.xy, self.x, moments.y);
        let slope = shared / spread_x;
        // How far `x` is from the mean regressor.
        let away = (i128::from(x) * i128::from(moments.count) - i128::from(self.x)) as f64 / count;
        // Rounding may leave a perfect fit a little below no error at all.
        let unexplained = (moments.spread() - slope * shared).max(0.0) / count;
        let error = unexplained / (count - 2.0);
        let wider = 1.0 + 1.0 / count + away * away * count / spread_x;
        Some(Estimate {
            point: moments.y as f64 / count + slope * away,
            half_width: quantile(moments.count as u64 - 2) * (error * wider).sqrt(),
        })
    }
}

/// `count`·Σab − Σa·Σb, exact but for the last conversion wherever 128 bits hold it.
#[inline]
fn cross(count: i64, ab: i128, a: i64, b: i64) -> f64 {
    let bits = 64 - count.leading_zeros() + 128 - ab.unsigned_abs().leading_zeros();
    if bits < 127 {
        return (i128::from(count) * ab - i128::from(a) * i128::from(b)) as f64;
    }
    count as f64 * ab as f64 - a as f64 * b as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Time};

    fn regression(estimator: Estimator, points: &[(u32, i64)], procs: u32) -> Option<Estimate> {
        let (mut moments, mut comoments) = (Moments::default(), Comoments::default());
        for &(procs, y) in points {
            moments.add(y);
            comoments.add(estimator.regressor(procs), y);
        }
        comoments.estimate(&moments, estimator.regressor(procs))
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn a_mean_has_chebyshevs_interval() {
        let mut moments = Moments::default();
        assert_eq!(moments.estimate(), None);
        moments.add(10);
        assert_eq!(moments.estimate(), None);
        [20, 60].into_iter().for_each(|y| moments.add(y));
        let estimate = moments.estimate().unwrap();
        // 10, 20, 60: mean 30, sample variance (400 + 100 + 900) / 2 = 700, k = √10.
        assert_eq!(moments.variance(), Some(700.0));
        close(estimate.point, 30.0);
        close(estimate.half_width, 7000_f64.sqrt());
        moments.remove(60);
        close(moments.estimate().unwrap().point, 15.0);
    }

    #[test]
    fn a_regression_worked_by_hand() {
        // x̄ = 2.5, ȳ = 4, Sxx = 5, Sxy = 7, Syy = 14: slope 1.4, SSE = 14 − 9.8 = 4.2, MSE = 2.1.
        let points = [(1, 2), (2, 4), (3, 3), (4, 7)];
        let estimate = regression(Estimator::Linear, &points, 5).unwrap();
        close(estimate.point, 4.0 + 1.4 * 2.5);
        // t(2) = 2.919986, √(2.1 · (1 + 1/4 + 6.25/5)) = √5.25.
        close(estimate.half_width, 2.919_985_58 * 5.25_f64.sqrt());
    }

    #[test]
    fn regressions_find_the_form_they_look_for() {
        let linear: Vec<(u32, i64)> = (1..9).map(|n| (n, 100 + 7 * i64::from(n))).collect();
        let estimate = regression(Estimator::Linear, &linear, 20).unwrap();
        close(estimate.point, 240.0);
        assert!(estimate.half_width < 1e-3);
        let inverse = [1, 2, 4, 5, 8, 10].map(|n| (n, 50 + 4000 / i64::from(n)));
        close(regression(Estimator::Inverse, &inverse, 40).unwrap().point, 150.0);
        let logarithmic = [1, 2, 4, 8, 16].map(|n: u32| (n, 100 + 30 * i64::from(n.ilog2())));
        close(regression(Estimator::Logarithmic, &logarithmic, 64).unwrap().point, 280.0);
        // Control: a straight line through the inverse is far off.
        assert!((regression(Estimator::Linear, &inverse, 40).unwrap().point - 150.0).abs() > 100.0);
    }

    #[test]
    fn regressions_need_three_points_of_different_sizes() {
        for estimator in [Estimator::Linear, Estimator::Inverse, Estimator::Logarithmic] {
            assert_eq!(regression(estimator, &[(1, 5), (2, 6)], 1), None);
            assert_eq!(regression(estimator, &[(2, 5), (2, 6), (2, 9)], 2), None);
            assert!(regression(estimator, &[(2, 5), (2, 6), (3, 9)], 2).is_some());
        }
    }

    #[test]
    fn points_are_seconds_or_shares_of_the_request_and_never_leave_the_sums() {
        let job = |limit: Option<i64>| Job::rigid(1, Time(0), Procs(1), limit.map(Seconds));
        assert_eq!(Data::Actual.of(&job(None), Seconds(90)), Some(90));
        assert_eq!(Data::Relative.of(&job(None), Seconds(90)), None);
        assert_eq!(Data::Relative.of(&job(Some(180)), Seconds(90)), Some(1 << 31));
        let half = Estimate { point: ONE / 2.0, half_width: ONE / 4.0 };
        let scaled = Data::Relative.in_seconds(half, Some(Seconds(100))).unwrap();
        assert_eq!((scaled.point, scaled.half_width), (50.0, 25.0));
        assert_eq!(Data::Relative.in_seconds(half, None), None);
        let huge = Data::Relative.of(&job(Some(1)), Seconds(1_000_000_000_000_000)).unwrap();
        let mut moments = Moments::default();
        (0..1000).for_each(|_| moments.add(huge));
        assert_eq!(moments.estimate(), Some(Estimate { point: LARGEST as f64, half_width: 0.0 }));
    }
}
