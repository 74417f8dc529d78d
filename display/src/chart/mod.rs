//! Small terminal charts: bars to compare, ranges with their medians, areas over time, curves, scattered dots, histograms
//! and empirical distributions.
//!
//! Each chart is a value with a `render(&Page)`, and [`svg`](super::svg) draws it as a picture. In text nothing
//! depends on colour: several series are told apart by panels or by marks, so a chart can be piped, pasted and printed.

pub(crate) mod area;
mod axis;
mod bars;
mod curves;
mod density;
mod frame;
mod histogram;
mod paint;
mod range_bars;
mod scale;

use queuecast_core::order;

pub use area::Area;
pub use axis::{Axis, Measure};
pub use bars::{Bar, Bars};
pub use curves::{Curves, Join};
pub use histogram::Histogram;
pub use range_bars::{RangeBar, RangeBars};

/// Points of one thing over another, by ascending x.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// `(x, y)`, x ascending.
    pub points: Vec<(f64, f64)>,
    /// Whether its points stand alone in [`Curves`], with nothing drawn between them; an [`Area`] has no dots.
    pub dots: bool,
}

impl Series {
    /// Points in ascending order of x. What is not finite is left out.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series::of(name.into(), points.into_iter().collect())
    }

    fn of(name: String, mut points: Vec<(f64, f64)>) -> Series {
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        if !points.is_sorted_by(|a, b| a.0 <= b.0) {
            order::sort_by(&mut points, |a, b| a.0.total_cmp(&b.0));
        }
        Series { name, points, dots: false }
    }

    /// Points of a scatter plot, in any order. What is not finite is left out.
    pub fn dots(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series { dots: true, ..Series::new(name, points) }
    }

    /// The empirical distribution of a sample: at each x, the share of values not above it.
    pub fn distribution(name: impl Into<String>, sample: &[f64]) -> Series {
        let mut values: Vec<f64> = sample.iter().copied().filter(|value| value.is_finite()).collect();
        order::sort_floats(&mut values);
        let count = values.len() as f64;
        let steps = values.iter().enumerate().filter(|&(place, value)| values.get(place + 1) != Some(value));
        Series {
            name: name.into(),
            points: steps.map(|(place, &x)| (x, (place + 1) as f64 / count)).collect(),
            dots: false,
        }
    }
}

/// The lowest and the highest of some finite numbers; `None` without any.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

#[cfg(test)]
mod tests;
