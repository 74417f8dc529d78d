//! Weights, neighbours and the kernel, and the search for better ones.

use std::ops::Range;

use super::situations::{ATTRIBUTES, EQUAL, Instance, Instances};

/// What is tuned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tuning {
    pub weights: [f32; ATTRIBUTES],
    /// At least 1.
    pub neighbours: usize,
    /// Of the kernel.
    pub width: f32,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { weights: EQUAL, neighbours: 16, width: 0.25 }
    }
}

/// Jobs that a setting is judged by.
const JUDGED: usize = 120;

/// The most and the fewest earlier jobs that each of them is predicted from, the last before it.
const SEARCHED: usize = 2000;
const FEWEST: usize = 20;

/// A weight stays within these, or is 0.
const WEIGHTS: [f32; 2] = [1.0 / 16.0, 16.0];

/// Neighbours and widths stay within these.
const MOST: usize = 64;
const WIDTHS: [f32; 2] = [1.0 / 256.0, 4.0];

impl Tuning {
    /// The nearest of these jobs, nearest first, with the squares of their distances.
    pub fn nearest(
        &self,
        history: &Instances,
        target: &Instance,
        rows: Range<usize>,
        room: &mut Vec<f32>,
    ) -> Vec<(f32, usize)> {
        history.nearest(target, rows, &self.weights, self.neighbours, room)
    }

    /// The weights of neighbours, in their order.
    pub fn kernel(&self, near: &[(f32, usize)]) -> impl Iterator<Item = f64> {
        let (nearest, scale) = (near.first().map_or(0.0, |one| one.0), -1.0 / (self.width * self.width));
        // The nearest weighs 1: mean and quantiles depend on proportions only.
        near.iter().map(move |one| f64::from((one.0 - nearest) * scale).exp())
    }

    /// The settings after a pass of the search over these jobs.
    pub fn tuned(&self, history: &Instances, rows: Range<usize>, room: &mut Vec<f32>) -> Tuning {
        let fifth = rows.len() / 5;
        let later = rows.end - fifth..rows.end;
        let searched = rows.start + 2 * fifth..rows.end - fifth;
        let mut error = |tuning: &Tuning, judged: &Range<usize>| tuning.error(history, &rows, judged, room);
        let Some(mut least) = error(self, &searched) else { return *self };
        let mut best = *self;
        for way in 0..ATTRIBUTES + 2 {
            for changed in best.neighbouring(way) {
                if let Some(found) = error(&changed, &searched)
                    && found < least
                {
                    (best, least) = (changed, found);
                }
            }
        }
        match (error(&best, &later), error(self, &later)) {
            (Some(found), Some(before)) if found < before => best,
            _ => *self,
        }
    }

    /// Settings that differ in one respect: a weight, the neighbours, the width.
    fn neighbouring(&self, way: usize) -> Vec<Tuning> {
        let with = |change: &dyn Fn(&mut Tuning)| {
            let mut other = *self;
            change(&mut other);
            other
        };
        let width = |by: f32| with(&|other| other.width = (other.width * by).clamp(WIDTHS[0], WIDTHS[1]));
        let weight = |weight: f32| with(&|other| other.weights[way] = weight);
        let mut ways = match way {
            ATTRIBUTES => {
                let neighbours = |count: usize| with(&|other| other.neighbours = count.clamp(1, MOST));
                vec![neighbours(self.neighbours / 2), neighbours(self.neighbours * 2)]
            }
            _ if way > ATTRIBUTES => vec![width(0.5), width(2.0)],
            _ if self.weights[way] == 0.0 => vec![weight(0.25), weight(1.0)],
            _ => {
                let kept = |weight: f32| weight.clamp(WEIGHTS[0], WEIGHTS[1]);
                vec![
                    weight(0.0),
                    weight(kept(self.weights[way] / 2.0)),
                    weight(kept(self.weights[way] * 2.0)),
                ]
            }
        };
        ways.retain(|other| other != self);
        ways
    }

    /// The mean absolute error of some of the judged jobs, evenly spread, each predicted by those that had started before it; `None`
    /// if too few had.
    fn error(
        &self,
        history: &Instances,
        rows: &Range<usize>,
        judged: &Range<usize>,
        room: &mut Vec<f32>,
    ) -> Option<f64> {
        let step = (judged.len() / JUDGED).max(1);
        let (mut sum, mut count) = (0.0, 0);
        for row in judged.clone().step_by(step) {
            let before = history.started_before(row, rows.clone());
            if before.len() < FEWEST {
                continue;
            }
            let known = before.end.saturating_sub(SEARCHED).max(before.start)..before.end;
            let near = self.nearest(history, &history.situation(row), known, room);
            let (mut weights, mut waits) = (0.0, 0.0);
            for (weight, near) in self.kernel(&near).zip(&near) {
                weights += weight;
                waits += weight * history.wait(near.1);
            }
            sum += (waits / weights - history.wait(row)).abs();
            count += 1;
        }
        (count > 0).then(|| sum / f64::from(count))
    }
}
