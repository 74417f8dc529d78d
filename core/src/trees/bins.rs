//! Values in bins: at most 255 ranges of a feature, each with about as many examples, and a bin for missing values.

use super::examples::Examples;
use crate::parallel;

/// Features whose bins lie side by side, so that a row's bins of a block are read at once.
pub const LANES: usize = 8;

/// How the values of one feature are told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureBins {
    /// Which feature.
    pub feature: usize,
    /// Ascending. A value is in the first bin whose bound is not below it; in one more bin if all are.
    bounds: Vec<f32>,
    /// Whether there are missing values; they have the last bin.
    pub missing: bool,
}

impl FeatureBins {
    /// `None` if the values never differ.
    fn of(feature: usize, mut values: Vec<f32>, most: usize) -> Option<FeatureBins> {
        let all = values.len();
        values.retain(|value| !value.is_nan());
        values.sort_unstable_by(f32::total_cmp);
        let bins = FeatureBins { feature, missing: values.len() < all, bounds: bounds(&values, most) };
        (!values.is_empty() && bins.len() > 1).then_some(bins)
    }

    /// Bins, that of missing values included.
    pub fn len(&self) -> usize {
        self.values() + usize::from(self.missing)
    }

    /// Bins of values that are not missing.
    pub fn values(&self) -> usize {
        self.bounds.len() + 1
    }

    /// The greatest value in this bin and those before it.
    pub fn bound(&self, bin: usize) -> f32 {
        self.bounds.get(bin).copied().unwrap_or(f32::INFINITY)
    }

    /// The bin of a value.
    fn bin(&self, value: f32) -> u8 {
        let bin = match value.is_nan() {
            true => self.values(),
            false => self.bounds.partition_point(|bound| *bound < value),
        };
        bin as u8
    }
}

/// Bounds between at most `most` bins of ascending values: between all of them if they are few. Else a bin ends when it has its
/// share of the examples left, or half of it where the next value alone has a whole share.
fn bounds(sorted: &[f32], most: usize) -> Vec<f32> {
    let runs: Vec<&[f32]> = sorted.chunk_by(|one, other| one == other).collect();
    let mut bounds = Vec::with_capacity(most.min(runs.len()));
    let (mut rows, mut bins, mut inside) = (sorted.len(), most, 0);
    let few = runs.len() <= most;
    for pair in runs.windows(2) {
        if bins <= 1 {
            break;
        }
        inside += pair[0].len();
        let size = rows / bins;
        if few || inside >= size || (pair[1].len() >= size && inside * 2 >= size) {
            bounds.push(between(pair[0][0], pair[1][0]));
            rows -= inside;
            bins -= 1;
            inside = 0;
        }
    }
    bounds
}

/// A number that is not below the first and is below the second, half-way if there is one.
fn between(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

/// Where the bins of each feature begin, and where those of the last end.
fn offsets(features: &[FeatureBins]) -> Vec<usize> {
    let mut offsets = vec![0];
    for feature in features {
        offsets.push(offsets[offsets.len() - 1] + feature.len());
    }
    offsets
}

/// A table in bins; features that never differ are left out.
#[derive(Debug, Clone)]
pub struct Binned {
    pub rows: usize,
    /// Features with at least two bins.
    pub features: Vec<FeatureBins>,
    /// Where the bins of each of `features` begin, in a list of the bins of all.
    pub offsets: Vec<usize>,
    /// Bins of [`LANES`] features after each other, row by row.
    pub blocks: Vec<Vec<[u8; LANES]>>,
}

impl Binned {
    /// The first `rows` of a table, at most `most` bins a feature.
    pub fn new(examples: &Examples, rows: usize, most: usize) -> Binned {
        let most = most.clamp(2, 255);
        let starts: Vec<usize> = (0..examples.features()).step_by(LANES).collect();
        let found = parallel::map(&starts, |&start| {
            let several = start..examples.features().min(start + LANES);
            let mut columns = vec![Vec::with_capacity(rows); several.len()];
            for row in 0..rows {
                for (column, value) in columns.iter_mut().zip(&examples.row(row)[several.clone()]) {
                    column.push(*value);
                }
            }
            let bins = several.zip(columns).map(|(feature, column)| FeatureBins::of(feature, column, most));
            bins.collect::<Vec<Option<FeatureBins>>>()
        });
        let features: Vec<FeatureBins> = found.into_iter().flatten().flatten().collect();
        let groups: Vec<&[FeatureBins]> = features.chunks(LANES).collect();
        let blocks = parallel::map(&groups, |group| {
            let mut block = vec![[0; LANES]; rows];
            for (row, bins) in block.iter_mut().enumerate() {
                let values = examples.row(row);
                for (bin, feature) in bins.iter_mut().zip(*group) {
                    *bin = feature.bin(values[feature.feature]);
                }
            }
            block
        });
        Binned { rows, offsets: offsets(&features), features, blocks }
    }

    /// The same table with only these of its features, by their places, in this order.
    pub fn select(&self, places: &[usize]) -> Binned {
        let features: Vec<FeatureBins> = places.iter().map(|&place| self.features[place].clone()).collect();
        let blocks = places.chunks(LANES).map(|group| {
            let mut block = vec![[0; LANES]; self.rows];
            for (lane, place) in group.iter().enumerate() {
                let (from, other) = (&self.blocks[place / LANES], place % LANES);
                block.iter_mut().zip(from).for_each(|(bins, old)| bins[lane] = old[other]);
            }
            block
        });
        Binned { rows: self.rows, offsets: offsets(&features), blocks: blocks.collect(), features }
    }

    /// Bins of all features together.
    pub fn width(&self) -> usize {
        self.offsets[self.features.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&[f32]]) -> Binned {
        let mut examples = Examples::new(columns.len());
        for row in 0..columns[0].len() {
            examples.push(&columns.iter().map(|column| column[row]).collect::<Vec<f32>>());
        }
        Binned::new(&examples, examples.len(), 4)
    }

    fn column(binned: &Binned, place: usize) -> Vec<u8> {
        binned.blocks[place / LANES].iter().map(|row| row[place % LANES]).collect()
    }

    #[test]
    fn few_values_have_a_bin_each_and_missing_ones_the_last() {
        let binned = table(&[&[3.0, 1.0, f32::NAN, 3.0], &[5.0; 4], &[f32::NAN; 4], &[0.0, -0.0, 0.0, 1.0]]);
        let features: Vec<usize> = binned.features.iter().map(|bins| bins.feature).collect();
        assert_eq!(features, [0, 3], "the others never differ");
        assert_eq!(column(&binned, 0), [1, 0, 2, 1]);
        assert_eq!(column(&binned, 1), [0, 0, 0, 1]);
        assert_eq!((binned.features[0].bound(0), binned.features[0].bound(1)), (2.0, f32::INFINITY));
        assert_eq!((binned.offsets.clone(), binned.width()), (vec![0, 3, 5], 5));
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let ascending: Vec<f32> = (0..40_u8).map(f32::from).collect();
        let bins = column(&table(&[&ascending]), 0);
        for bin in 0..4 {
            assert_eq!(bins.iter().filter(|one| **one == bin).count(), 10);
        }
        // Half of the examples have one value: it is alone, and the others share what is left.
        let heaped: Vec<f32> = (0..40_u8).map(|n| if n % 2 == 0 { 20.0 } else { f32::from(n) }).collect();
        let binned = table(&[&heaped]);
        let own = binned.features[0].bin(20.0);
        assert_eq!(column(&binned, 0).iter().filter(|one| **one == own).count(), 20);
        assert_eq!(binned.features[0].len(), 4);
    }

    #[test]
    fn infinite_values_have_bounds() {
        let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
        assert_eq!((between(low, high), between(low, 0.0), between(0.0, high)), (low, low, 0.0));
        assert_eq!((between(1.0, 2.0), between(f32::MAX, high)), (1.5, f32::MAX));
        let next = 1.0_f32.next_up();
        assert_eq!(between(1.0, next), 1.0);
        let binned = table(&[&[low, 0.0, high, f32::NAN]]);
        assert_eq!(column(&binned, 0), [0, 1, 2, 3]);
    }
}
