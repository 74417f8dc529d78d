//! Dynamic-k nearest neighbours.

use super::features::Features;
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use super::weighted;
use crate::site::View;
use crate::units::Seconds;

/// Dynamic-k nearest neighbours (Kumar & Vadhiyar 2014, section 3.2): the jobs of the history within a distance of 0.05, or
/// 0.10, 0.15 … until there is one, weighted by the inverse of their distance.
///
/// # Formula
/// Distance of two jobs with the features x and y: `Σ|xᵢ − yᵢ| / Σ(xᵢ + yᵢ)`, from 0 to 1; 0 where all features are 0. The
/// point is the weighted mean of the neighbours' waits (equation 1), the distribution their weighted quantiles.
#[derive(Debug, Clone)]
pub struct Nearest {
    window: usize,
    /// Where the next job goes, once the history is full.
    next: usize,
    features: Vec<Features>,
    /// Of the features of each job of the history.
    sums: Vec<f64>,
    waits: Vec<f64>,
}

/// The step of the thresholds.
const THRESHOLD: f64 = 0.05;

/// Smaller distances count as this, so that weights are finite.
const CLOSEST: f64 = 1e-6;

impl Nearest {
    /// The history of the paper.
    pub const WINDOW: usize = 5000;

    /// Remembers the last so many jobs that started, at least one.
    pub fn new(window: usize) -> Nearest {
        Nearest { window: window.max(1), next: 0, features: Vec::new(), sums: Vec::new(), waits: Vec::new() }
    }

    /// Distance and wait of every job of the history within the smallest threshold that has one.
    fn neighbours(&self, target: &Features) -> Vec<(f64, f64)> {
        let sum: f64 = target.0.iter().sum();
        let mut found = Vec::new();
        let mut lowest = f64::NEG_INFINITY;
        while found.is_empty() && lowest < 1.0 {
            // The distance is at least |Σx − Σy| / Σ(x + y), so most jobs need not be looked at.
            let threshold = lowest.max(0.0) + THRESHOLD;
            for (place, &other) in self.sums.iter().enumerate() {
                let both = sum + other;
                if (sum - other).abs() > threshold * both {
                    continue;
                }
                let apart: f64 =
                    target.0.iter().zip(&self.features[place].0).map(|(x, y)| (x - y).abs()).sum();
                let distance = if both > 0.0 { apart / both } else { 0.0 };
                if distance <= threshold {
                    found.push((distance, self.waits[place]));
                }
            }
            lowest = threshold;
        }
        found
    }
}

impl WaitPredictor for Nearest {
    fn predict(&mut self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let mut neighbours = self.neighbours(arrival.features);
        neighbours.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.total_cmp(&other.0)));
        let weighted: Vec<(f64, f64)> =
            neighbours.iter().map(|(distance, wait)| (1.0 / distance.max(CLOSEST), *wait)).collect();
        weighted::forecast(&weighted)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let (sum, wait) = (arrival.features.0.iter().sum(), wait.0.max(0) as f64);
        if self.waits.len() < self.window {
            self.features.push(*arrival.features);
            self.sums.push(sum);
            self.waits.push(wait);
            return;
        }
        let next = self.next;
        self.next = (next + 1) % self.window;
        (self.features[next], self.sums[next], self.waits[next]) = (*arrival.features, sum, wait);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::predictor::test_support::{asked, features, taught};
    use super::*;

    #[test]
    fn neighbours_are_weighted_by_the_inverse_of_their_distance() {
        let mut nearest = Nearest::new(10);
        assert_eq!(asked(&mut nearest, 1, &[5.0]), WaitForecast::nothing_known());
        // Distances from 100: 4/196, 2/202; and far away.
        taught(&mut nearest, 1, &[96.0], 1000);
        taught(&mut nearest, 1, &[102.0], 4000);
        taught(&mut nearest, 1, &[1000.0], 99_999);
        let (far, close) = (196.0 / 4.0, 202.0 / 2.0);
        let expected = (far * 1000.0 + close * 4000.0) / (far + close);
        assert!((asked(&mut nearest, 1, &[100.0]).point - expected).abs() < 1e-9);
        // From 5000, only the third is within 0.70: (5000 - 1000) / 6000 = 0.67.
        assert_eq!(asked(&mut nearest, 1, &[5000.0]).point, 99_999.0);
        // The oldest is forgotten.
        let mut short = Nearest::new(1);
        taught(&mut short, 1, &[100.0], 7);
        taught(&mut short, 1, &[100.0], 9);
        assert_eq!(asked(&mut short, 1, &[100.0]).point, 9.0);
    }

    /// Every threshold in turn, over all of the history.
    fn slow(history: &[(Vec<f64>, i64)], target: &[f64]) -> Vec<(f64, f64)> {
        let distance = |other: &[f64]| {
            let apart: f64 = target.iter().zip(other).map(|(x, y)| (x - y).abs()).sum();
            let both = target.iter().sum::<f64>() + other.iter().sum::<f64>();
            if both > 0.0 { apart / both } else { 0.0 }
        };
        let all: Vec<(f64, f64)> = history.iter().map(|(x, wait)| (distance(x), *wait as f64)).collect();
        let mut threshold = 0.0;
        loop {
            threshold += 0.05;
            let near: Vec<(f64, f64)> = all.iter().copied().filter(|one| one.0 <= threshold).collect();
            if !near.is_empty() || threshold > 1.1 {
                return near;
            }
        }
    }

    proptest! {
        #[test]
        fn finds_the_neighbours_of_a_search_over_all(
            history in prop::collection::vec((prop::collection::vec(0.0..100.0_f64, 3), 0..100_000_i64), 1..60),
            target in prop::collection::vec(0.0..120.0_f64, 3),
        ) {
            let mut nearest = Nearest::new(100);
            for (values, wait) in &history {
                taught(&mut nearest, 1, values, *wait);
            }
            let found = nearest.neighbours(&features(&target));
            let expected = slow(&history, &target);
            prop_assert_eq!(found.len(), expected.len());
            for (one, other) in found.iter().zip(&expected) {
                prop_assert!((one.0 - other.0).abs() < 1e-9 && one.1 == other.1);
            }
            let forecast = asked(&mut nearest, 1, &target);
            let (least, most) = expected.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one.1), high.max(one.1)));
            prop_assert!(forecast.point >= least - 1e-6 && forecast.point <= most + 1e-6);
            prop_assert!(forecast.wait.quantile(0.1) <= forecast.wait.quantile(0.9));
        }
    }
}
