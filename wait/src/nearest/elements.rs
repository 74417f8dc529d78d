//! Neighbours by the mean of the ratios of the elements.

use serde::{Deserialize, Serialize};

use super::threshold::threshold_above;
use crate::features::Features;
use crate::scale::FEATURES;

/// A history that is searched by `(1/19)·Σ |xᵢ − yᵢ| / (xᵢ + yᵢ)`, a term being 0 where `xᵢ + yᵢ = 0`.
///
/// # Bounds
/// A division for every feature of every job would cost several times what the ratio of sums does. Of numbers above 0 a term is
/// `tanh(½·|ln xᵢ − ln yᵢ|)`; it is at least the lesser of two straight lines, so that small whole numbers, eight at a time, give a
/// bound on the distance of every job from below. Only what that does not rule out is measured.
///
/// Of features below 0 terms can be below 0 too, without a bound. Jobs that have one are always measured.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ElementIndex {
    blocks: Vec<CodeBlock>,
    /// The place that a job was last put at.
    newest: usize,
}

/// Jobs of a block.
const LANES: usize = 32;

/// The codes of some jobs by feature, in the order of bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CodeBlock {
    codes: [[i16; LANES]; FEATURES],
    /// All bits of a job that has a bound, none of one with a feature below 0.
    bounded: [i16; LANES],
}

/// What a term of 1 is in whole numbers.
const UNIT: f64 = 1024.0;

/// The first line is the chord of tanh up to 0.8, the second, a constant, its value there.
const SLOPE: f64 = 0.830_046;
const CEILING: i16 = (0.664 * UNIT) as i16;

/// Codes of numbers above 0 are within these; further apart than [`CEILING`] reaches from that is the code of 0.
const CODES: [f64; 2] = [-8_000.0, 16_000.0];
const CODE_OF_ZERO: i16 = -10_000;

/// A difference of codes may be 1 more than that of the numbers, for each feature, by rounding.
const ROUNDING: f64 = FEATURES as f64 + 1.0;

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

/// The features in the order that bounds are summed in: first processor times, which differ the most.
const ORDER: [usize; FEATURES] = [5, 13, 7, 15, 9, 17, 8, 16, 6, 14, 18, 2, 3, 4, 10, 11, 12, 0, 1];

/// Features compared between checks whether any job of a block can still be near; if none can, the block is left.
const STRIDE: usize = 4;

/// What a term is at least, by how far codes are apart.
#[inline]
fn term_bound(apart: i16) -> i16 {
    apart.min(CEILING)
}

/// Bounds from below on the sums of the terms of the jobs of a block and another; `None` where all are above `most`.
#[inline]
fn bounds_of(block: &CodeBlock, target: &[i16; FEATURES], most: i16) -> Option<[i16; LANES]> {
    let mut sums = [0_i16; LANES];
    for (codes, target) in block.codes.chunks(STRIDE).zip(target.chunks(STRIDE)) {
        for (codes, &own) in codes.iter().zip(target) {
            for (sum, &code) in sums.iter_mut().zip(codes) {
                *sum += term_bound((code - own).max(own - code));
            }
        }
        let least =
            sums.iter().zip(&block.bounded).fold(i16::MAX, |least, (sum, bounded)| least.min(sum & bounded));
        if least > most {
            return None;
        }
    }
    for (sum, &bounded) in sums.iter_mut().zip(&block.bounded) {
        *sum &= bounded;
    }
    Some(sums)
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
        self.newest = place;
        if place / LANES == self.blocks.len() {
            self.blocks.push(CodeBlock { codes: [[CODE_OF_ZERO; LANES]; FEATURES], bounded: [-1; LANES] });
        }
        let (block, lane) = (&mut self.blocks[place / LANES], place % LANES);
        block.codes.iter_mut().zip(codes(features)).for_each(|(lanes, code)| lanes[lane] = code);
        block.bounded[lane] = if is_bounded(features) { -1 } else { 0 };
    }

    /// Place and distance of every job within the smallest threshold that has one. `history` has the features of all jobs.
    ///
    /// Blocks are visited from the newest on, where similar jobs are likely; the threshold of the nearest job so far rules out most others.
    pub fn neighbours(&self, history: &[Features], target: &Features) -> Vec<(u32, f64)> {
        let mut search =
            NearestSearch { target, history, measured: Vec::new(), nearest: f64::INFINITY, most: i16::MAX };
        if is_bounded(target) {
            let codes = codes(target);
            let newest = self.newest / LANES;
            let blocks = (0..self.blocks.len()).rev();
            let older = blocks.clone().filter(|&place| place <= newest);
            for place in older.chain(blocks.filter(|&place| place > newest)) {
                if let Some(bounds) = bounds_of(&self.blocks[place], &codes, search.most) {
                    search.visit(place * LANES, &bounds);
                }
            }
        } else {
            (0..history.len()).for_each(|place| search.measure(place));
        }
        let NearestSearch { mut measured, nearest, .. } = search;
        match threshold_above(nearest) {
            Some(threshold) => measured.retain(|one| one.1 <= threshold),
            None => measured.clear(),
        }
        measured
    }
}

/// What has been measured of a history.
struct NearestSearch<'a> {
    target: &'a Features,
    history: &'a [Features],
    measured: Vec<(u32, f64)>,
    /// The least distance.
    nearest: f64,
    /// A job with a greater bound is not within the threshold of the nearest.
    most: i16,
}

impl NearestSearch<'_> {
    /// Measures the jobs of a block that may be near, the one with the least bound first.
    fn visit(&mut self, first: usize, bounds: &[i16; LANES]) {
        let bounds = &bounds[..LANES.min(self.history.len() - first)];
        let Some(least) = (0..bounds.len()).min_by_key(|&lane| bounds[lane]) else { return };
        self.measure(first + least);
        for (lane, &bound) in bounds.iter().enumerate() {
            if bound <= self.most && lane != least {
                self.measure(first + lane);
            }
        }
    }

    fn measure(&mut self, place: usize) {
        let distance = distance(&self.target.0, &self.history[place].0);
        self.measured.push((place as u32, distance));
        if distance < self.nearest {
            self.nearest = distance;
            self.most = threshold_above(distance).map_or(i16::MAX, most);
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
        let bounds = bounds_of(&index.blocks[0], &codes(&Features(other)), i16::MAX).unwrap();
        (f64::from(bounds[0]) - ROUNDING, distance(&one, &other) * FEATURES as f64 * UNIT)
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
        for (factor, share) in [(1.05, 0.8), (1.5, 0.8), (3.0, 0.8), (9.0, 0.8), (1e6, 0.66)] {
            let (bound, distance) = bound_and_distance(one, one.map(|value| value * factor));
            assert!(bound + 2.0 * ROUNDING >= share * distance, "{factor}: {bound} {distance}");
        }
        let (bound, distance) = bound_and_distance(one, one);
        assert_eq!((bound, distance), (-ROUNDING, 0.0));
    }

    #[test]
    fn sums_of_bounds_are_small_numbers() {
        assert!(f64::from(CEILING) * FEATURES as f64 <= f64::from(i16::MAX));
        assert_eq!((most(0.05), most(1e9)), (992, i16::MAX));
    }
}
