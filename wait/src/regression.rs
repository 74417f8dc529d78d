//! Regression on the most similar jobs: the alternatives to a weighted mean (Kumar & Vadhiyar 2014, Table 3).

use libsvm_rs::predict::predict;
use libsvm_rs::{KernelType, SvmParameter, SvmProblem, SvmType};

use super::features::Features;
use super::nearest::{FeatureDistance, Nearest};
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use super::scale::{FEATURES, FeatureScale};
use super::svm::{fitted, nodes};
use queuecast_core::spec::choices;
use queuecast_core::stats;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// How the wait of a job is computed from similar ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Regression {
    /// A linear function of the features, by least squares.
    Linear,
    /// Support vector regression with the kernel (γ·x·y + 1)^d, d being the number of features.
    Polynomial,
    /// Support vector regression with the kernel exp(−γ·|x − y|²).
    Radial,
    /// Support vector regression with the kernel tanh(γ·x·y).
    Sigmoid,
}

choices! { Regression, "regression":
    Linear = "linear", "least squares";
    Polynomial = "poly", "support vector regression with a polynomial kernel";
    Radial = "rbf", "support vector regression with radial basis functions";
    Sigmoid = "sigmoid", "support vector regression with a sigmoid kernel";
}

/// The point by regression over the jobs that nearest neighbours are, the distribution that of nearest neighbours.
///
/// Features and waits are put on the scale of these jobs; the paper does not say on which scale its library was given
/// them. A predicted wait outside those of the jobs is their shortest or longest: extrapolation of a degree of 19 knows
/// no bounds. Of more than 100 similar jobs the nearest 100 are used, which keeps a fit well below a millisecond.
#[derive(Debug, Clone)]
pub struct NearestRegression {
    nearest: Nearest,
    by: Regression,
}

/// The most jobs a regression is fitted to.
const MOST: usize = 100;

/// Added to the diagonal of the normal equations, in units of the number of jobs: features of few jobs are collinear.
const RIDGE: f64 = 1e-6;

impl NearestRegression {
    /// Over the last `window` jobs that started.
    pub fn new(window: usize, distance: FeatureDistance, by: Regression) -> NearestRegression {
        NearestRegression { nearest: Nearest::new(window, distance), by }
    }
}

impl WaitPredictor for NearestRegression {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let mut forecast = self.nearest.forecast(arrival, site);
        let mut near = self.nearest.neighbours(arrival.features);
        near.sort_by(|one, other| one.distance.total_cmp(&other.distance).then(one.place.cmp(&other.place)));
        near.truncate(MOST);
        let jobs: Vec<(&Features, f64)> = near.iter().map(|one| self.nearest.job(one.place)).collect();
        if let Some(point) = regress(self.by, &jobs, arrival.features) {
            forecast.point = point;
        }
        forecast
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.nearest.learn(arrival, wait);
    }
}

/// The wait of a job by those of others; `None` of none.
fn regress(by: Regression, jobs: &[(&Features, f64)], target: &Features) -> Option<f64> {
    let waits: Vec<f64> = jobs.iter().map(|one| one.1).collect();
    let (mean, deviation) = (stats::mean(waits.iter().copied()), stats::deviation(&waits));
    if jobs.len() < 2 || deviation <= 1e-9 {
        return (!jobs.is_empty()).then_some(mean);
    }
    let scale = FeatureScale::of(jobs.iter().map(|one| one.0));
    let rows: Vec<[f64; FEATURES]> = jobs.iter().map(|one| scale.apply(one.0)).collect();
    let scaled: Vec<f64> = waits.iter().map(|wait| (wait - mean) / deviation).collect();
    let target = scale.apply(target);
    let found = match by {
        Regression::Linear => linear(&rows, &scaled, &target)?,
        Regression::Polynomial => support_vectors(KernelType::Polynomial, &rows, scaled, &target)?,
        Regression::Radial => support_vectors(KernelType::Rbf, &rows, scaled, &target)?,
        Regression::Sigmoid => support_vectors(KernelType::Sigmoid, &rows, scaled, &target)?,
    };
    let (least, most) =
        waits.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), &wait| (least.min(wait), most.max(wait)));
    Some((mean + deviation * found).clamp(least, most))
}

fn support_vectors(
    kernel_type: KernelType,
    rows: &[[f64; FEATURES]],
    labels: Vec<f64>,
    target: &[f64; FEATURES],
) -> Option<f64> {
    let problem = SvmProblem { labels, instances: rows.iter().map(|row| nodes(row)).collect() };
    let is_polynomial = kernel_type == KernelType::Polynomial;
    let parameters = SvmParameter {
        svm_type: SvmType::EpsilonSvr,
        kernel_type,
        degree: FEATURES as i32,
        // Of the polynomial of degree 19 so small that its largest value is about e: 2^19 could not be fitted.
        gamma: if is_polynomial { (FEATURES as f64).powi(-2) } else { 1.0 / FEATURES as f64 },
        coef0: if is_polynomial { 1.0 } else { 0.0 },
        eps: 0.01,
        ..SvmParameter::default()
    };
    let found = predict(&fitted(&problem, &parameters)?, &nodes(target));
    found.is_finite().then_some(found)
}

/// By the normal equations. Rows and labels have mean zero, so there is no intercept.
fn linear(rows: &[[f64; FEATURES]], labels: &[f64], target: &[f64; FEATURES]) -> Option<f64> {
    let mut matrix = [[0.0; FEATURES]; FEATURES];
    let mut right = [0.0; FEATURES];
    for (row, label) in rows.iter().zip(labels) {
        for (place, &value) in row.iter().enumerate() {
            right[place] += value * label;
            matrix[place].iter_mut().zip(row).for_each(|(sum, other)| *sum += value * other);
        }
    }
    for (place, line) in matrix.iter_mut().enumerate() {
        line[place] += RIDGE * rows.len() as f64;
    }
    let found: f64 = solve(matrix, right)?.iter().zip(target).map(|(weight, value)| weight * value).sum();
    found.is_finite().then_some(found)
}

/// Of a symmetric, positive definite matrix, by its Cholesky factor.
fn solve(mut matrix: [[f64; FEATURES]; FEATURES], mut right: [f64; FEATURES]) -> Option<[f64; FEATURES]> {
    for column in 0..FEATURES {
        for row in column..FEATURES {
            let known: f64 = (0..column).map(|place| matrix[row][place] * matrix[column][place]).sum();
            let left = matrix[row][column] - known;
            matrix[row][column] = if row == column {
                if left <= 0.0 {
                    return None;
                }
                left.sqrt()
            } else {
                left / matrix[column][column]
            };
        }
    }
    for row in 0..FEATURES {
        let known: f64 = (0..row).map(|place| matrix[row][place] * right[place]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    for row in (0..FEATURES).rev() {
        let known: f64 = (row + 1..FEATURES).map(|place| matrix[place][row] * right[place]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::super::predictor::test_support::{asked, features, taught};
    use super::*;

    fn jobs(wait: impl Fn(f64) -> f64) -> Vec<(Features, f64)> {
        let job = |place: i32| {
            let size = f64::from(100 + place % 11);
            let other = f64::from(200 + place % 7);
            (features(&[size, other]), wait(size.ln_1p()))
        };
        (0..80).map(job).collect()
    }

    fn by(by: Regression, jobs: &[(Features, f64)], target: f64) -> f64 {
        let jobs: Vec<(&Features, f64)> = jobs.iter().map(|(features, wait)| (features, *wait)).collect();
        regress(by, &jobs, &features(&[target, 203.0])).unwrap()
    }

    #[test]
    fn a_line_is_found_by_every_regression() {
        let line = |log: f64| 50_000.0 * (log - 4.5);
        let jobs = jobs(line);
        for regression in Regression::ALL {
            // Off by no more than a third of the deviation of the waits, 1,500 s. Control: their mean is off by 1,800 s.
            let off = (by(regression, &jobs, 109.0) - line(110.0_f64.ln())).abs();
            let most = if regression == Regression::Linear { 1.0 } else { 500.0 };
            assert!(off < most, "{}: {off}", regression.name());
        }
        let mean = stats::mean(jobs.iter().map(|one| one.1));
        assert!((mean - line(110.0_f64.ln())).abs() > 1700.0);
    }

    #[test]
    fn a_wait_beyond_those_of_the_jobs_is_the_longest_of_them() {
        let jobs = jobs(|log| 50_000.0 * (log - 4.5));
        let longest = jobs.iter().fold(0.0_f64, |longest, one| longest.max(one.1));
        assert_eq!(by(Regression::Linear, &jobs, 1e6), longest);
        let same: Vec<(Features, f64)> = jobs.iter().map(|one| (one.0, 70.0)).collect();
        for regression in Regression::ALL {
            assert_eq!(by(regression, &same, 104.0), 70.0, "{}", regression.name());
            assert_eq!(regress(regression, &[], &features(&[])), None);
        }
    }

    #[test]
    fn the_regression_is_over_the_neighbours() {
        for regression in Regression::ALL {
            let mut predictor = NearestRegression::new(500, FeatureDistance::Sums, regression);
            assert_eq!(asked(&mut predictor, 1, &[104.0, 203.0]).point, 0.0, "nothing is known");
            for (features, wait) in jobs(|log| 50_000.0 * (log - 4.5)) {
                taught(&mut predictor, 1, &features.0[..2], wait as i64);
            }
            // Far away: it is no neighbour, and does not count.
            taught(&mut predictor, 1, &[9000.0, 9000.0], 900_000);
            let point = asked(&mut predictor, 1, &[104.0, 203.0]).point;
            assert!(
                (point - 50_000.0 * (105_f64.ln() - 4.5)).abs() < 600.0,
                "{}: {point}",
                regression.name()
            );
        }
    }
}
