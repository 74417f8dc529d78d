//! Neighbours by the ratio of sums, the distance that the paper prints.

use serde::{Deserialize, Serialize};

use super::threshold::{THRESHOLD, threshold_above};
use crate::features::Features;

/// A history that is searched by `Σ|xᵢ − yᵢ| / Σ(xᵢ + yᵢ)`; 0 where the features of both sum to 0.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SumIndex {
    /// The features that are processor times, which decide most distances, together in one place of memory.
    heavy: Vec<[f64; HEAVY.len()]>,
    /// The others.
    light: Vec<[f64; LIGHT.len() + 1]>,
    /// Of the features of each job of the history.
    sums: Vec<f64>,
    /// Sum and place of each job of the history, in ascending order.
    by_sum: Vec<(f64, u32)>,
}

/// Processor times, and the other features.
const HEAVY: [usize; 8] = [5, 7, 8, 9, 13, 15, 16, 17];
const LIGHT: [usize; 11] = [0, 1, 2, 3, 4, 6, 10, 11, 12, 14, 18];

/// A job whose neighbours are looked for.
struct Looked {
    heavy: [f64; HEAVY.len()],
    light: [f64; LIGHT.len() + 1],
    sum: f64,
}

fn heavy(features: &Features) -> [f64; HEAVY.len()] {
    HEAVY.map(|place| features.0[place])
}

/// With a zero at the end, so that they are summed four by four.
fn light(features: &Features) -> [f64; LIGHT.len() + 1] {
    std::array::from_fn(|at| LIGHT.get(at).map_or(0.0, |&place| features.0[place]))
}

/// The sum of the differences, in four parts that do not wait for each other.
fn apart<const N: usize>(one: &[f64; N], other: &[f64; N]) -> f64 {
    let mut sums = [0.0; 4];
    for (x, y) in one.chunks_exact(4).zip(other.chunks_exact(4)) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += (x - y).abs();
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

impl SumIndex {
    /// Puts a job at a place: the next one, or that of a job that is forgotten.
    pub fn put(&mut self, place: usize, features: &Features) {
        let sum = features.0.iter().sum();
        let (heavy, light) = (heavy(features), light(features));
        if place == self.sums.len() {
            self.heavy.push(heavy);
            self.light.push(light);
            self.sums.push(sum);
        } else {
            let oldest = self.rank(self.sums[place], place as u32);
            self.by_sum.remove(oldest);
            (self.heavy[place], self.light[place], self.sums[place]) = (heavy, light, sum);
        }
        let rank = self.rank(sum, place as u32);
        self.by_sum.insert(rank, (sum, place as u32));
    }

    /// Where a sum of features is in the order of sums, or would be.
    fn rank(&self, sum: f64, place: u32) -> usize {
        self.by_sum.partition_point(|&(its, other)| its.total_cmp(&sum).then(other.cmp(&place)).is_lt())
    }

    /// Place and distance of every job within the smallest threshold that has one, in the order of the sums of their features.
    pub fn neighbours(&self, target: &Features) -> Vec<(u32, f64)> {
        let looked = Looked { heavy: heavy(target), light: light(target), sum: target.0.iter().sum() };
        let near = self.within(&looked, THRESHOLD);
        if !near.is_empty() || self.sums.is_empty() {
            return near;
        }
        let nearest = self.nearest(&looked);
        threshold_above(nearest).map_or(near, |threshold| self.within(&looked, threshold))
    }

    /// The distance of the nearest job. Jobs are looked at in both directions from the sum of the features, as far as one can
    /// still be nearer.
    fn nearest(&self, looked: &Looked) -> f64 {
        let mut nearest = f64::INFINITY;
        let middle = self.by_sum.partition_point(|one| one.0 < looked.sum);
        let (mut below, mut above) = self.by_sum.split_at(middle);
        // The least that the distance can be grows outwards.
        let may_be_nearer = |sum: f64, nearest: f64| (looked.sum - sum).abs() <= nearest * (looked.sum + sum);
        let nearer = |place: u32, nearest: f64| {
            nearest.min(self.distance(looked, place as usize, nearest).unwrap_or(nearest))
        };
        loop {
            let before = (below.len(), above.len());
            if let Some((&(sum, place), rest)) = below.split_last()
                && may_be_nearer(sum, nearest)
            {
                (nearest, below) = (nearer(place, nearest), rest);
            }
            if let Some((&(sum, place), rest)) = above.split_first()
                && may_be_nearer(sum, nearest)
            {
                (nearest, above) = (nearer(place, nearest), rest);
            }
            if (below.len(), above.len()) == before {
                return nearest;
            }
        }
    }

    fn within(&self, looked: &Looked, threshold: f64) -> Vec<(u32, f64)> {
        // The distance is at least |Σx − Σy| / Σ(x + y), so most jobs need not be looked at.
        let (low, high) = if threshold < 1.0 {
            (
                looked.sum * (1.0 - threshold) / (1.0 + threshold),
                looked.sum * (1.0 + threshold) / (1.0 - threshold),
            )
        } else {
            (0.0, f64::INFINITY)
        };
        // Room for rounding: what is at the edge is measured.
        let (low, high) = (low * (1.0 - 1e-9), high * (1.0 + 1e-9));
        let from = self.by_sum.partition_point(|one| one.0 < low);
        let close = &self.by_sum[from..];
        let close = &close[..close.partition_point(|one| one.0 <= high)];
        // Which jobs pass is hard to guess for a processor, so the filter writes without a branch.
        let mut candidates = vec![(0, 0.0); close.len()];
        let mut count = 0;
        for &(sum, place) in close {
            let heavy = apart(&looked.heavy, &self.heavy[place as usize]);
            candidates[count] = (place, heavy);
            count += usize::from(heavy <= threshold * (looked.sum + sum));
        }
        let mut found = Vec::with_capacity(count);
        for &(place, heavy) in &candidates[..count] {
            if let Some(distance) = self.distance_beyond(looked, place as usize, heavy, threshold) {
                found.push((place, distance));
            }
        }
        found
    }

    /// The distance of a job of the history, unless it is more than `most`.
    fn distance(&self, looked: &Looked, place: usize, most: f64) -> Option<f64> {
        self.distance_beyond(looked, place, apart(&looked.heavy, &self.heavy[place]), most)
    }

    /// [`Self::distance`], given the difference of the processor times.
    fn distance_beyond(&self, looked: &Looked, place: usize, heavy: f64, most: f64) -> Option<f64> {
        let both = looked.sum + self.sums[place];
        if both <= 0.0 {
            return Some(0.0);
        }
        // Processor times decide most distances.
        if heavy > most * both {
            return None;
        }
        let light = apart(&looked.light, &self.light[place]);
        let distance = (heavy + light) / both;
        (distance <= most).then_some(distance)
    }
}
