//! Neighbours by the mean of the ratios of the elements.

use std::ops::Range;

use super::threshold::{THRESHOLD, threshold_above};
use crate::wait::features::Features;
use crate::wait::scale::FEATURES;

/// A history that is searched by `(1/19)·Σ |xᵢ − yᵢ| / (xᵢ + yᵢ)`, a term being 0 where `xᵢ + yᵢ = 0`.
///
/// # Bounds
/// A division for every feature of every job would cost several times what the ratio of sums does. Of numbers above 0 a term is
/// `tanh(½·|ln xᵢ − ln yᵢ|)`; it is at least the least of three straight lines, so that small whole numbers, eight at a time, give a
/// bound on the distance of every job from below. Only what that does not rule out is measured.
///
/// Of features below 0 terms can be below 0 too, without a bound. Jobs that have one are always measured.
#[derive(Debug, Clone, Default)]
pub(super) struct ElementIndex {
    blocks: Vec<CodeBlock>,
    /// Room for the bounds of a search.
    bounds: Vec<i16>,
    /// Room for the places that a search has not ruled out.
    candidates: Vec<u32>,
}

/// Jobs of a block.
const LANES: usize = 32;

/// The codes of some jobs by feature.
#[derive(Debug, Clone)]
struct CodeBlock {
    codes: [[i16; LANES]; FEATURES],
    /// All bits of a job that has a bound, none of one with a feature below 0.
    bounded: [i16; LANES],
}

/// What a term of 1 is in whole numbers.
const UNIT: f64 = 1024.0;

/// The first line is the chord of tanh up to ½, with the slope `2·tanh ½`; the second, with half of that slope, the chord from there to the point at which the
/// third, a constant, begins.
const SLOPE: f64 = 0.924_234;
const BEND: i16 = (0.231_058 * UNIT) as i16;
const CEILING: i16 = (0.891_7 * UNIT) as i16;

/// Codes of numbers above 0 are within these; further apart than [`CEILING`] reaches from that is the code of 0.
const CODES: [f64; 2] = [-8_000.0, 16_000.0];
const CODE_OF_ZERO: i16 = -10_000;

/// A difference of codes may be 1 more than that of the numbers, for each feature, by rounding.
const ROUNDING: f64 = FEATURES as f64 + 1.0;

/// The threshold at which no job is ruled out by its bound.
const LAST: usize = 20;

/// Half the logarithm on the scale of the bounds.
fn code(value: f64) -> i16 {
    if value > 0.0 {
        (0.5 * SLOPE * UNIT * value.ln()).round().clamp(CODES[0], CODES[1]) as i16
    } else {
        CODE_OF_ZERO
    }
}

fn is_bounded(features: &Features) -> bool {
    features.0.iter().all(|&value| value >= 0.0)
}

/// The features in the order that bounds are summed in: first those of the queue and the machine, which jobs that started about the same time,
/// and so are in one block, have nearly alike.
const ORDER: [usize; FEATURES] = [5, 6, 13, 14, 18, 7, 9, 15, 8, 16, 17, 2, 3, 4, 10, 11, 12, 0, 1];

/// After so many of them a block is left, if no job of it can be near.
const EARLY: usize = 8;

/// Bounds from below on the sums of the terms of the jobs of a block and another. Where all are above `most` after a few features, these are the
/// bounds.
#[inline]
fn bounds_of(block: &CodeBlock, target: &[i16; FEATURES], most: i16) -> [i16; LANES] {
    let mut sums = [0_i16; LANES];
    let (early, rest) = block.codes.split_at(EARLY);
    add_bounds(&mut sums, early, &target[..EARLY]);
    for (sum, &bounded) in sums.iter_mut().zip(&block.bounded) {
        *sum &= bounded;
    }
    if sums.iter().fold(i16::MAX, |least, &sum| least.min(sum)) > most {
        return sums;
    }
    add_bounds(&mut sums, rest, &target[EARLY..]);
    for (sum, &bounded) in sums.iter_mut().zip(&block.bounded) {
        *sum &= bounded;
    }
    sums
}

#[inline]
fn add_bounds(sums: &mut [i16; LANES], codes: &[[i16; LANES]], target: &[i16]) {
    for (codes, &own) in codes.iter().zip(target) {
        for (sum, &code) in sums.iter_mut().zip(codes) {
            let apart = (code - own).max(own - code);
            *sum += apart.min((apart >> 1) + BEND).min(CEILING);
        }
    }
}

/// The codes of a job, in the order of bounds.
fn codes(features: &Features) -> [i16; FEATURES] {
    ORDER.map(|place| code(features.0[place]))
}

/// What a bound is compared with at a threshold.
fn most(threshold: f64) -> i16 {
    (threshold * FEATURES as f64 * UNIT + ROUNDING).min(f64::from(i16::MAX)) as i16
}

/// The distance, with the sum in parts that do not wait for each other.
#[inline]
fn distance(one: &[f64; FEATURES], other: &[f64; FEATURES]) -> f64 {
    let term = |x: f64, y: f64| {
        let both = x + y;
        let ratio = (x - y).abs() / both;
        if both == 0.0 { 0.0 } else { ratio }
    };
    let mut sums = [0.0; 4];
    for (x, y) in one.chunks_exact(4).zip(other.chunks_exact(4)) {
        for (sum, (&x, &y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += term(x, y);
        }
    }
    for place in FEATURES / 4 * 4..FEATURES {
        sums[place % 4] += term(one[place], other[place]);
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) / FEATURES as f64
}

impl ElementIndex {
    /// Puts a job at a place: the next one, or that of a job that is forgotten.
    pub fn put(&mut self, place: usize, features: &Features) {
        let (block, lane) = (place / LANES, place % LANES);
        if block == self.blocks.len() {
            let codes = [[CODE_OF_ZERO; LANES]; FEATURES];
            self.blocks.push(CodeBlock { codes, bounded: [-1; LANES] });
        }
        let block = &mut self.blocks[block];
        for (lanes, code) in block.codes.iter_mut().zip(codes(features)) {
            lanes[lane] = code;
        }
        block.bounded[lane] = if is_bounded(features) { -1 } else { 0 };
    }

    /// Place and distance of every job within the smallest threshold that has one. `history` has the features of all jobs.
    pub fn neighbours(&mut self, history: &[Features], target: &Features) -> Vec<(u32, f64)> {
        self.bound(target, history.len(), most(THRESHOLD));
        let mut measured: Vec<(u32, f64)> = Vec::new();
        let mut nearest = f64::INFINITY;
        // What is ruled out at one threshold is not at a larger one.
        let mut above = i16::MIN;
        for step in 1..=LAST {
            let threshold = step as f64 * THRESHOLD;
            let most = most(threshold);
            let found = measured.len();
            if step == 2 {
                // Bounds of a few features rule out too little from here on. Those at or below the first threshold were of all features.
                self.bound(target, history.len(), i16::MAX);
            }
            self.measure(history, target, above..most, &mut measured);
            above = most;
            nearest = measured[found..].iter().fold(nearest, |least, one| least.min(one.1));
            if nearest <= threshold {
                measured.retain(|one| one.1 <= threshold);
                return measured;
            }
        }
        // Only with features below 0 is a distance above 1.
        match threshold_above(nearest) {
            Some(threshold) => measured.retain(|one| one.1 <= threshold),
            None => measured.clear(),
        }
        measured
    }

    /// The bound of each of so many jobs; above `most` it may be of a few features alone.
    fn bound(&mut self, target: &Features, jobs: usize, most: i16) {
        self.bounds.clear();
        if is_bounded(target) {
            let target = codes(target);
            for block in &self.blocks {
                self.bounds.extend(bounds_of(block, &target, most));
            }
        }
        self.bounds.resize(jobs, 0);
    }

    /// Measures the jobs whose bounds are above the first and not above the second number.
    fn measure(
        &mut self,
        history: &[Features],
        target: &Features,
        bounds: Range<i16>,
        measured: &mut Vec<(u32, f64)>,
    ) {
        // Which jobs pass is hard to guess for a processor, so the filter writes without a branch.
        if self.candidates.len() < self.bounds.len() {
            self.candidates.resize(self.bounds.len(), 0);
        }
        let mut count = 0;
        for (place, &bound) in self.bounds.iter().enumerate() {
            self.candidates[count] = place as u32;
            count += usize::from((bound > bounds.start) & (bound <= bounds.end));
        }
        measured.reserve(count);
        for &place in &self.candidates[..count] {
            measured.push((place, distance(&target.0, &history[place as usize].0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_feature_is_bounded_once() {
        let mut order = ORDER;
        order.sort_unstable();
        assert_eq!(order, std::array::from_fn(|place| place));
    }

    fn bound_and_distance(one: [f64; FEATURES], other: [f64; FEATURES]) -> (f64, f64) {
        let mut index = ElementIndex::default();
        index.put(0, &Features(one));
        index.bound(&Features(other), 1, i16::MAX);
        (f64::from(index.bounds[0]) - ROUNDING, distance(&one, &other) * FEATURES as f64 * UNIT)
    }

    proptest! {
        /// Exponents from far below 1 to beyond any processor time, and zeros.
        #[test]
        fn bounds_are_below_distances(
            one in prop::collection::vec(prop_oneof![Just(0.0), (-20.0..40.0_f64).prop_map(f64::exp)], FEATURES),
            factors in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), (-4.0..4.0_f64).prop_map(f64::exp)], FEATURES),
        ) {
            let one: [f64; FEATURES] = one.try_into().unwrap();
            let other = std::array::from_fn(|place| one[place] * factors[place]);
            let (bound, distance) = bound_and_distance(one, other);
            prop_assert!(bound <= distance, "{bound} {distance}");
        }
    }

    /// Of similar jobs bounds are nearly distances; without that they would rule nothing out.
    #[test]
    fn bounds_are_close() {
        let one = std::array::from_fn(|place| 1000.0 + place as f64);
        for (factor, share) in [(1.05, 0.85), (1.5, 0.85), (3.0, 0.9), (9.0, 0.85), (1e6, 0.85)] {
            let (bound, distance) = bound_and_distance(one, one.map(|value| value * factor));
            assert!(bound + 2.0 * ROUNDING >= share * distance, "{factor}: {bound} {distance}");
        }
        let (bound, distance) = bound_and_distance(one, one);
        assert_eq!((bound, distance), (-ROUNDING, 0.0));
    }

    #[test]
    fn the_last_threshold_rules_out_nothing() {
        let most = f64::from(CEILING) * FEATURES as f64;
        assert!(most <= LAST as f64 * THRESHOLD * FEATURES as f64 * UNIT && most < f64::from(i16::MAX));
    }
}
