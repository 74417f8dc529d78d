//! Where to divide the examples of a leaf: the bound of a feature that lowers the loss most.

use super::bins::{Binned, FeatureBins, LANES};
use super::derivatives::{DerivativeUnits, Derivatives};

/// One division in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// How much it lowers the loss, to second order, twice.
    pub gain: f64,
    /// Place of the feature in the table of bins.
    pub place: usize,
    /// The last bin on the left.
    pub bin: usize,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// Sums of the left side.
    pub left: Derivatives,
}

/// What a split must satisfy, and how it is judged.
#[derive(Debug, Clone, Copy)]
pub struct SplitRules {
    pub units: DerivativeUnits,
    /// Rows on each side, at least.
    pub least_rows: usize,
    /// Second derivatives on each side, at least; in units.
    pub least_curvature: f64,
    /// In units of the second derivative.
    pub l2: f64,
}

/// A gain below this is taken for none: what is left when nothing can be learned is rounding.
const LEAST_GAIN: f64 = 1e-6;

impl SplitRules {
    /// slope² / curvature in units: twice what the best value of a leaf saves.
    #[inline(always)]
    fn saved(&self, sums: Derivatives) -> f64 {
        let slope = sums.slope() as f64;
        slope * slope / (sums.curvature() as f64 + self.l2)
    }

    /// The best value of a leaf.
    pub fn value(&self, sums: Derivatives) -> f64 {
        let l2 = self.units.curvature(1) * self.l2;
        let curvature = self.units.curvature(sums.curvature()) + l2;
        if curvature > 0.0 { -self.units.slope(sums.slope()) / curvature } else { 0.0 }
    }

    /// The split of a leaf that gains most, the first of equals. `sums` are by bin of each feature.
    pub fn best(&self, binned: &Binned, sums: &[Derivatives], total: Derivatives) -> Option<Split> {
        let mut best: Option<Split> = None;
        let mut most = f64::NEG_INFINITY;
        for (place, feature) in binned.features.iter().enumerate() {
            let sums = &sums[binned.offsets[place]..][..feature.len()];
            for missing_left in [false, true] {
                if let Some((saved, bin, left)) = self.scan(feature, sums, total, missing_left, most) {
                    most = saved;
                    best = Some(Split { gain: 0.0, place, bin, missing_left, left });
                }
            }
        }
        let mut best = best?;
        best.gain = self.units.gain(most - self.saved(total));
        let feature = &binned.features[best.place];
        let missing = sums[binned.offsets[best.place]..][..feature.len()][feature.values()..].first();
        if missing.is_none_or(|missing| missing.rows() == 0) {
            // With nothing to learn from: to the side with more rows.
            best.missing_left = best.left.rows() * 2 > total.rows();
        }
        (best.gain > LEAST_GAIN).then_some(best)
    }

    /// The best bound of one feature, if it saves more than `most`: what both sides save, the last bin on the left, and the
    /// sums of the left.
    #[inline(always)]
    fn scan(
        &self,
        feature: &FeatureBins,
        sums: &[Derivatives],
        total: Derivatives,
        missing_left: bool,
        mut most: f64,
    ) -> Option<(f64, usize, Derivatives)> {
        let (values, missing) = sums.split_at(feature.values());
        let missing = missing.first().copied().unwrap_or_default();
        let mut left = Derivatives::default();
        if missing_left {
            if missing.rows() == 0 {
                return None;
            }
            left.add(missing);
        }
        let mut best = None;
        for (bin, sum) in values.iter().enumerate() {
            // An empty bin divides the rows as the bound before it does.
            if sum.rows() == 0 {
                continue;
            }
            left.add(*sum);
            if left.rows() < self.least_rows {
                continue;
            }
            let right = total.minus(left);
            if right.rows() < self.least_rows {
                break;
            }
            let curvature = left.curvature().min(right.curvature()) as f64;
            if curvature < self.least_curvature {
                continue;
            }
            let saved = self.saved(left) + self.saved(right);
            if saved > most {
                most = saved;
                best = Some((saved, bin, left));
            }
        }
        best
    }
}

/// Room for sums of one block of features. A row has more bins than there can be, so that the rows do not start at
/// addresses that a processor takes for the same.
pub type BlockSums = Vec<[Derivatives; 260]>;

/// Adds up derivatives by bin of each feature, over some rows. `derivatives` are those of the rows.
pub fn sum_by_bin(
    binned: &Binned,
    rows: &[u32],
    derivatives: &[Derivatives],
    block_sums: &mut BlockSums,
    sums: &mut [Derivatives],
) {
    block_sums.resize(LANES, [Derivatives::default(); 260]);
    let groups = binned.features.chunks(LANES).zip(binned.offsets.chunks(LANES));
    for (block, (features, offsets)) in binned.blocks.iter().zip(groups) {
        let Some(lanes) = block_sums.first_chunk_mut::<LANES>() else { return };
        for (lane, feature) in lanes.iter_mut().zip(features) {
            lane[..feature.len()].fill(Derivatives::default());
        }
        for (row, one) in rows.iter().zip(derivatives) {
            let bins = &block[*row as usize];
            for lane in 0..LANES {
                lanes[lane][usize::from(bins[lane])].add(*one);
            }
        }
        for ((lane, feature), offset) in lanes.iter().zip(features).zip(offsets) {
            sums[*offset..][..feature.len()].copy_from_slice(&lane[..feature.len()]);
        }
    }
}
