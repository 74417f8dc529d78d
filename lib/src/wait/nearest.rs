//! Dynamic-k nearest neighbours.

use super::features::Features;
use super::predictor::{Arrival, SimilarWaits, WaitForecast, WaitPredictor};
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
    /// The features that are processor times, which decide most distances, together in one place of memory.
    heavy: Vec<[f64; HEAVY.len()]>,
    /// The others.
    light: Vec<[f64; LIGHT.len() + 1]>,
    /// Of the features of each job of the history.
    sums: Vec<f64>,
    /// Sum and place of each job of the history, in ascending order.
    by_sum: Vec<(f64, u32)>,
    waits: Vec<f64>,
    /// The places of the history in ascending order of waits.
    by_wait: Vec<u32>,
    /// The weight of each place, all zero between predictions.
    weights: Vec<f64>,
    /// Room for the jobs that a search has not ruled out yet: place, and difference of the processor times.
    candidates: Vec<(u32, f64)>,
}

/// A job of the history that is near enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbour {
    /// Where it is in the history.
    pub place: u32,
    pub distance: f64,
    pub wait: f64,
}

impl Neighbour {
    fn weight(&self) -> f64 {
        1.0 / self.distance.max(CLOSEST)
    }
}

/// The step of the thresholds.
const THRESHOLD: f64 = 0.05;

/// Smaller distances count as this, so that weights are finite.
const CLOSEST: f64 = 1e-6;

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

impl Nearest {
    /// The history of the paper.
    pub const WINDOW: usize = 5000;

    /// Remembers the last so many jobs that started, at least one.
    pub fn new(window: usize) -> Nearest {
        Nearest {
            window: window.max(1),
            next: 0,
            features: Vec::new(),
            heavy: Vec::new(),
            light: Vec::new(),
            sums: Vec::new(),
            by_sum: Vec::new(),
            waits: Vec::new(),
            by_wait: Vec::new(),
            weights: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Features and wait of a job of the history.
    pub(super) fn job(&self, place: u32) -> (&Features, f64) {
        (&self.features[place as usize], self.waits[place as usize])
    }

    /// Every job of the history within the smallest threshold that has one, in the order of the sums of their features.
    pub(super) fn neighbours(&mut self, target: &Features) -> Vec<Neighbour> {
        let looked = Looked { heavy: heavy(target), light: light(target), sum: target.0.iter().sum() };
        let near = self.within(&looked, THRESHOLD);
        if !near.is_empty() || self.sums.is_empty() {
            return near;
        }
        let nearest = self.nearest(&looked);
        // The threshold at or above the distance of the nearest; rounding may put that just below it.
        let steps = (nearest / THRESHOLD).floor().max(1.0);
        let thresholds = [steps, steps + 1.0, steps + 2.0].map(|steps| steps * THRESHOLD);
        thresholds
            .into_iter()
            .find(|&threshold| nearest <= threshold)
            .map_or(near, |threshold| self.within(&looked, threshold))
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

    fn within(&mut self, looked: &Looked, threshold: f64) -> Vec<Neighbour> {
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
        if self.candidates.len() < close.len() {
            self.candidates.resize(close.len(), (0, 0.0));
        }
        let mut count = 0;
        for &(sum, place) in close {
            let heavy = apart(&looked.heavy, &self.heavy[place as usize]);
            self.candidates[count] = (place, heavy);
            count += usize::from(heavy <= threshold * (looked.sum + sum));
        }
        let mut found = Vec::with_capacity(count);
        for &(place, heavy) in &self.candidates[..count] {
            if let Some(distance) = self.distance_beyond(looked, place as usize, heavy, threshold) {
                found.push(Neighbour { place, distance, wait: self.waits[place as usize] });
            }
        }
        found
    }

    /// The distance of a job of the history, unless it is more than `most`.
    fn distance(&self, looked: &Looked, place: usize, most: f64) -> Option<f64> {
        self.distance_beyond(looked, place, apart(&looked.heavy, &self.heavy[place]), most)
    }

    /// The same, with the difference of the processor times.
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

impl Nearest {
    /// Where a wait is in the order of waits, or would be.
    fn rank(&self, wait: f64, place: u32) -> usize {
        self.by_wait.partition_point(|&other| {
            let its = self.waits[other as usize];
            its < wait || (its == wait && other < place)
        })
    }

    /// Where a sum of features is in the order of sums, or would be.
    fn rank_by_sum(&self, sum: f64, place: u32) -> usize {
        self.by_sum.partition_point(|&(its, other)| its.total_cmp(&sum).then(other.cmp(&place)).is_lt())
    }

    /// Weight and wait of each neighbour, in ascending order of waits.
    fn in_order_of_waits(&mut self, mut neighbours: Vec<Neighbour>) -> Vec<(f64, f64)> {
        // The order of the whole history is known: many neighbours are taken from it, few are sorted.
        if neighbours.len() < self.by_wait.len() / 16 {
            neighbours.sort_unstable_by(|one, other| {
                one.wait.total_cmp(&other.wait).then(one.place.cmp(&other.place))
            });
            return neighbours.iter().map(|one| (one.weight(), one.wait)).collect();
        }
        neighbours.iter().for_each(|one| self.weights[one.place as usize] = one.weight());
        let mut ordered = Vec::with_capacity(neighbours.len());
        for &place in &self.by_wait {
            let weight = std::mem::take(&mut self.weights[place as usize]);
            if weight > 0.0 {
                ordered.push((weight, self.waits[place as usize]));
            }
        }
        ordered
    }
}

impl WaitPredictor for Nearest {
    fn predict(&mut self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let neighbours = self.neighbours(arrival.features);
        weighted::forecast(&self.in_order_of_waits(neighbours))
    }

    fn similar(&mut self, arrival: &Arrival<'_>, _: View<'_>) -> SimilarWaits {
        let neighbours = self.neighbours(arrival.features);
        let (mut all, mut sum) = (0.0, 0.0);
        let mut similar = SimilarWaits::none();
        for neighbour in &neighbours {
            let weight = neighbour.weight();
            all += weight;
            sum += weight * neighbour.wait;
            similar.by_class.add(neighbour.wait);
        }
        similar.point = if all > 0.0 { sum / all } else { 0.0 };
        similar
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let (sum, wait) = (arrival.features.0.iter().sum(), wait.0.max(0) as f64);
        let (heavy, light) = (heavy(arrival.features), light(arrival.features));
        let place = if self.waits.len() < self.window {
            self.features.push(*arrival.features);
            self.heavy.push(heavy);
            self.light.push(light);
            self.sums.push(sum);
            self.waits.push(wait);
            self.weights.push(0.0);
            self.waits.len() - 1
        } else {
            let next = self.next;
            self.next = (next + 1) % self.window;
            let oldest = self.rank(self.waits[next], next as u32);
            self.by_wait.remove(oldest);
            let oldest = self.rank_by_sum(self.sums[next], next as u32);
            self.by_sum.remove(oldest);
            self.features[next] = *arrival.features;
            (self.heavy[next], self.light[next]) = (heavy, light);
            (self.sums[next], self.waits[next]) = (sum, wait);
            next
        };
        let rank = self.rank(wait, place as u32);
        self.by_wait.insert(rank, place as u32);
        let rank = self.rank_by_sum(sum, place as u32);
        self.by_sum.insert(rank, (sum, place as u32));
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
        let mut steps = 0.0;
        loop {
            steps += 1.0;
            let threshold = steps * 0.05;
            let near: Vec<(f64, f64)> = all.iter().copied().filter(|one| one.0 <= threshold).collect();
            if !near.is_empty() || threshold > 1.1 {
                return near;
            }
        }
    }

    impl Nearest {
        /// The same, taught one job.
        pub fn with(mut self, values: &[f64], wait: i64) -> Nearest {
            taught(&mut self, 1, values, wait);
            self
        }
    }

    proptest! {
        #[test]
        fn finds_the_neighbours_of_a_search_over_all(
            history in prop::collection::vec((prop::collection::vec(0.0..100.0_f64, 8), 0..100_000_i64), 1..60),
            target in prop::collection::vec(0.0..120.0_f64, 8),
            far in prop::bool::ANY,
        ) {
            // Far from everything, the nearest are found at a large threshold.
            let target: Vec<f64> = target.into_iter().map(|value| if far { 30.0 * value } else { value }).collect();
            let mut nearest = Nearest::new(100);
            for (values, wait) in &history {
                taught(&mut nearest, 1, values, *wait);
            }
            let mut found = nearest.neighbours(&features(&target));
            found.sort_by_key(|one| one.place);
            let expected = slow(&history, &target);
            prop_assert_eq!(found.len(), expected.len());
            for (one, other) in found.iter().zip(&expected) {
                prop_assert!((one.distance - other.0).abs() < 1e-9 && one.wait == other.1);
            }
            // Sorted, or taken from the order of the whole history.
            let near = nearest.neighbours(&features(&target));
            let mut sorted: Vec<(f64, f64)> =
                near.iter().map(|one| (1.0 / one.distance.max(CLOSEST), one.wait)).collect();
            sorted.sort_by(|one, other| one.1.total_cmp(&other.1));
            let ordered = nearest.in_order_of_waits(near);
            prop_assert_eq!(ordered.iter().map(|one| one.1).collect::<Vec<_>>(), sorted.iter().map(|one| one.1).collect::<Vec<_>>());
            let (one, other): (f64, f64) = (ordered.iter().map(|one| one.0).sum(), sorted.iter().map(|one| one.0).sum());
            prop_assert!((one - other).abs() <= 1e-9 * one);
            let forecast = asked(&mut nearest, 1, &target);
            let (least, most) = expected.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one.1), high.max(one.1)));
            prop_assert!(forecast.point >= least - 1e-6 && forecast.point <= most + 1e-6);
            prop_assert!(forecast.wait.quantile(0.1) <= forecast.wait.quantile(0.9));
        }
    }
}
