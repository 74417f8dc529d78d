//! The waits of similar jobs in the order they became known, cut at change points.

use queuecast_core::order;
use std::collections::VecDeque;

use super::ranks::{BoundRanks, CAPACITY};
use super::run_length::RunLengths;

/// A history of waits.
#[derive(Debug, Clone, Default)]
pub(super) struct WaitSeries {
    recent: VecDeque<f64>,
    sorted: Vec<f64>,
    /// How many of the last waits in a row were above the bound.
    misses: usize,
}

impl WaitSeries {
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// In ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Takes in a wait, and cuts the history if it completes too long a run of misses. The ranks cover it afterwards.
    pub fn learn(&mut self, wait: f64, ranks: &mut BoundRanks, runs: &RunLengths) {
        let bound = ranks.rank(self.sorted.len()).and_then(|rank| self.sorted.get(rank - 1));
        let missed = bound.is_some_and(|&bound| wait > bound);
        self.misses = if missed { self.misses + 1 } else { 0 };
        if self.recent.len() >= CAPACITY.max(ranks.fewest) {
            self.forget();
        }
        self.recent.push_back(wait);
        self.sorted.insert(self.sorted.partition_point(|&other| other < wait), wait);
        if self.misses >= runs.shortest() && self.misses >= runs.longest_by_chance(self.autocorrelation()) {
            let kept = self.recent.len().min(ranks.fewest);
            self.recent.drain(..self.recent.len() - kept);
            self.sorted = self.recent.iter().copied().collect();
            order::sort_floats(&mut self.sorted);
            self.misses = 0;
        }
        ranks.cover(self.sorted.len());
    }

    fn forget(&mut self) {
        if let Some(oldest) = self.recent.pop_front() {
            let place = self.sorted.partition_point(|&other| other < oldest);
            self.sorted.remove(place);
        }
    }

    /// Of the logarithms of the waits (plus a second) before the last misses, at a lag of one.
    fn autocorrelation(&self) -> f64 {
        let before = self.recent.len() - self.misses.min(self.recent.len());
        let logs: Vec<f64> = self.recent.iter().take(before).map(|wait| wait.ln_1p()).collect();
        autocorrelation(&logs)
    }
}

/// At a lag of one; 0 of values that are all alike.
///
/// # Formula
/// `Σ (xᵢ − m)(xᵢ₊₁ − m) / Σ (xᵢ − m)²`, `m` their mean
pub(super) fn autocorrelation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}
