//! The common scale of bars: both sides of zero, and where an outlier's bar is broken.

use queuecast_core::order;

/// An outlier is at least this many times as long as the longest of the other bars.
const OUTLIER: f64 = 3.0;
/// The share of the scale that the longest unbroken bar takes where others are broken.
const UNBROKEN: f64 = 0.8;

/// A scale for bars from zero. Where a few bars are much longer than the rest, those are broken: they are drawn to the end
/// of the scale, and the rest is to scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BarScale {
    /// The extent to the left of zero, and to the right.
    sides: (f64, f64),
    /// The longest bar that is drawn to scale.
    longest: f64,
}

impl BarScale {
    /// The scale of these values; with `breaks`, outliers are broken.
    pub fn new(values: impl Iterator<Item = f64>, breaks: bool) -> BarScale {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let mut lengths: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        order::sort_by(&mut lengths, |a, b| b.total_cmp(a));
        let outliers = if breaks { outliers(&lengths) } else { 0 };
        let longest = lengths.get(outliers).copied().unwrap_or(0.0);
        let end = if outliers > 0 { longest / UNBROKEN } else { longest };
        let side = |sign: f64| {
            let along = values.iter().map(|value| value * sign).filter(|length| *length > 0.0);
            along.map(|length| if length > longest { end } else { length }).fold(0.0, f64::max)
        };
        BarScale { sides: (side(-1.0), side(1.0)), longest }
    }

    /// Whether a value is below zero.
    pub fn has_negatives(&self) -> bool {
        self.sides.0 > 0.0
    }

    /// The share of the scale that lies left of zero.
    pub fn zero(&self) -> f64 {
        let all = self.sides.0 + self.sides.1;
        if all > 0.0 { self.sides.0 / all } else { 0.0 }
    }

    /// A bar's length as a share of the whole scale.
    pub fn share(&self, value: f64) -> f64 {
        let all = self.sides.0 + self.sides.1;
        if all <= 0.0 {
            return 0.0;
        }
        let end = if value < 0.0 { self.sides.0 } else { self.sides.1 };
        let length = if self.breaks(value) { end } else { value.abs() };
        (length / all).clamp(0.0, 1.0)
    }

    /// Whether a value's bar is longer than drawn.
    pub fn breaks(&self, value: f64) -> bool {
        value.abs() > self.longest
    }
}

/// How many of these descending lengths are outliers: fewer than half of them.
fn outliers(lengths: &[f64]) -> usize {
    let most = lengths.len().saturating_sub(1) / 2;
    let is_gap = |&count: &usize| lengths[count] > 0.0 && lengths[count - 1] >= OUTLIER * lengths[count];
    (1..=most).rev().find(is_gap).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64]) -> BarScale {
        BarScale::new(values.iter().copied(), true)
    }

    #[test]
    fn an_outlier_is_broken_and_the_others_share_the_scale() {
        let demo = scale(&[585.0, 87.0, 70.0, 32.0]);
        assert!(demo.breaks(585.0) && !demo.breaks(87.0));
        assert_eq!([585.0, 87.0].map(|value| demo.share(value)), [1.0, 0.8]);
        // Control: no bar is broken where the caller does not allow it, or where it is not far from the rest.
        assert!(!BarScale::new([585.0, 87.0, 70.0].into_iter(), false).breaks(585.0));
        assert!(!scale(&[200.0, 87.0, 70.0]).breaks(200.0));
        // Of two bars, neither is the outlier.
        assert!(!scale(&[585.0, 87.0]).breaks(585.0));
    }

    #[test]
    fn both_sides_of_zero_have_one_scale() {
        let mixed = scale(&[-0.3, 0.1, -0.2]);
        assert_eq!((mixed.has_negatives(), mixed.zero()), (true, 0.3 / 0.4));
        assert_eq!(mixed.share(-0.3), 0.3 / 0.4);
        assert_eq!(mixed.share(0.1), 0.1 / 0.4);
        let negative = scale(&[-1.0, -2.0]);
        assert_eq!((negative.zero(), negative.share(-1.0)), (1.0, 0.5));
        assert_eq!((scale(&[0.0, f64::NAN]).share(0.0), scale(&[]).zero()), (0.0, 0.0));
    }
}
