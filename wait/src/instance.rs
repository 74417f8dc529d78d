//! Instance-based learning.

mod situations;
mod tuning;

use std::ops::Range;

use self::situations::{Instance, Instances};
use self::tuning::Tuning;
use super::predictor::{Arrival, SimilarWaits, WaitForecast, WaitPredictor};
use super::weighted;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// Instance-based learning (Li, Groep & Wolters 2004 to 2006): the waits of the nearest of the jobs that have started, weighted by a kernel of their distance; the
/// weights of attributes, the number of neighbours and the width of the kernel are tuned on the past.
///
/// # Formula
/// `d² = Σ wₐ·δₐ² / Σ wₐ`, where `δ` is 0 or 1 for equal and different users, groups, executables, queues and partitions, and `|x − y| / range`, at most 1, for processors, requested
/// time, jobs and processor time in the queue, jobs running, what they may still use, and processors in use. The range is that of the history when it was last tuned. Neighbours weigh
/// `exp(−d²/h²)`; of equally distant ones the latest are taken. The point is their weighted mean, the distribution their weighted quantiles.
///
/// # Tuning
/// After 500 starts and every 1,000 from then on: one pass over all settings, where each weight is dropped, halved and doubled, and the number of neighbours (from 1 to 64) and the width are halved and doubled; a change is kept if
/// it lowers the mean absolute error. The authors searched by a genetic algorithm; this is deterministic. The error is that of 120 jobs from the third fifth of the history on, each predicted by jobs that
/// had started when it was submitted. What was found replaces the settings in use if its error is lower for 120 jobs of the last fifth too, which the search has not seen.
///
/// With a fixed width nothing is tuned: attributes count alike, executables and partitions do not, and all jobs of the history are neighbours.
#[derive(Debug, Clone)]
pub struct InstanceBased {
    window: usize,
    history: Instances,
    tuning: Tuning,
    /// That of a kernel that is not tuned.
    fixed: Option<f32>,
    /// Starts until the next tuning.
    until: usize,
}

/// Starts before the first tuning, and between two.
const FIRST: usize = 500;
const EVERY: usize = 1000;

impl InstanceBased {
    /// How many jobs the history has by default.
    pub const WINDOW: usize = 5000;

    /// Remembers the last `window` jobs that started, at least one.
    pub fn new(window: usize) -> InstanceBased {
        InstanceBased {
            window: window.max(1),
            history: Instances::default(),
            tuning: Tuning::default(),
            fixed: None,
            until: FIRST,
        }
    }

    /// This predictor without tuning: attributes with equal weights, and a kernel of this width, within 0.001 and 100, over the whole history.
    #[must_use]
    pub fn with_width(self, width: f64) -> InstanceBased {
        let width = if width.is_nan() { 1.0 } else { width.clamp(0.001, 100.0) };
        InstanceBased { fixed: Some(width as f32), ..self }
    }

    /// The weights of the history by the fixed kernel, and which jobs it is of; `None` where it is tuned.
    fn by_fixed_kernel(&self, arrival: &Arrival<'_>) -> Option<(Vec<f32>, Range<usize>)> {
        let (rows, width) = (self.history.last(self.window), self.fixed?);
        let mut weights = Vec::with_capacity(rows.len());
        self.history.kernel_weights(&Instance::of(arrival), rows.clone(), width, &mut weights);
        Some((weights, rows))
    }
}

/// Jobs with less of a weight, beside that of the nearest, are left out of distributions.
const NEGLIGIBLE: f32 = 1e-9;

impl WaitPredictor for InstanceBased {
    fn forecast(&self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        if let Some((weights, rows)) = self.by_fixed_kernel(arrival) {
            let weighted = weights.iter().zip(self.history.waits(rows));
            let counted = weighted.filter(|(weight, _)| **weight > NEGLIGIBLE);
            let mut waits: Vec<(f64, f64)> =
                counted.map(|(&weight, &wait)| (f64::from(weight), wait)).collect();
            waits.sort_by(|one, other| one.1.total_cmp(&other.1));
            return weighted::forecast(&waits);
        }
        let situation = Instance::of(arrival);
        let rows = self.history.last(self.window);
        let near = self.tuning.nearest(&self.history, &situation, rows, &mut Vec::new());
        let mut waits: Vec<(f64, f64)> = self
            .tuning
            .kernel(&near)
            .zip(&near)
            .map(|(weight, near)| (weight, self.history.wait(near.1)))
            .collect();
        waits.sort_by(|one, other| one.1.total_cmp(&other.1));
        weighted::forecast(&waits)
    }

    fn similar(&self, arrival: &Arrival<'_>, site: View<'_>) -> SimilarWaits {
        let Some((weights, rows)) = self.by_fixed_kernel(arrival) else {
            return SimilarWaits { point: self.forecast(arrival, site).point, ..SimilarWaits::none() };
        };
        let (mut all, mut sum) = (0.0, 0.0);
        for (&weight, wait) in weights.iter().zip(self.history.waits(rows)) {
            all += f64::from(weight);
            sum += f64::from(weight) * wait;
        }
        SimilarWaits { point: if all > 0.0 { sum / all } else { 0.0 }, ..SimilarWaits::none() }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.history.push(Instance::of(arrival), arrival.at, wait);
        self.history.trim(self.window);
        self.until -= 1;
        if self.until == 0 {
            self.until = EVERY;
            let rows = self.history.last(self.window);
            self.history.measure(rows.clone());
            if self.fixed.is_none() {
                self.tuning = self.tuning.tuned(&self.history, rows, &mut Vec::new());
            }
        }
    }
}

#[cfg(test)]
mod tests;
