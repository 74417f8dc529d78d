//! Figures as numbers: grouped bars, curves, dots.

use serde::Serialize;

use crate::cell::finite;

/// A figure of grouped bars, or of curves and dots, as numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figure {
    /// What the paper calls it: `Figure 3`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What its bars, or the heights of its curves, are measured in; `s` for times.
    pub unit: String,
    /// Its groups of bars, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<FigureGroup>,
    /// What its curves are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<FigureAxis>,
    /// Its curves and dots, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<FigureCurve>,
}

/// What the curves of a figure are over, and how they are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FigureAxis {
    /// What is along it.
    pub name: String,
    /// What that is measured in; `s` for times.
    pub unit: String,
    /// Whether equal distances along it are equal factors.
    pub log: bool,
    /// Whether they are upwards too.
    pub log_up: bool,
    /// Whether a curve keeps its height until its next point, as distributions do.
    pub steps: bool,
}

/// One curve, or dots.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FigureCurve {
    /// What it is.
    pub name: String,
    /// Its points, finite all of them; those of a curve from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether they stand alone, with nothing drawn between them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dots: bool,
}

/// Bars that stand together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FigureGroup {
    /// What they have in common.
    pub name: String,
    /// The bars, in order.
    pub bars: Vec<FigureBar>,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FigureBar {
    /// What it is.
    pub label: String,
    /// How long it is; `None` where that is not a finite number.
    pub value: Option<f64>,
    /// How far single results are from it on average, where it is a mean of many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
}

impl Figure {
    /// A figure without bars.
    pub fn new(name: impl Into<String>, title: impl Into<String>, unit: impl Into<String>) -> Figure {
        Figure { name: name.into(), title: title.into(), unit: unit.into(), ..Figure::default() }
    }

    /// Says what its curves are over.
    #[must_use]
    pub fn over(mut self, axis: FigureAxis) -> Figure {
        self.over = Some(axis);
        self
    }

    /// Adds a curve. What is not finite is left out.
    #[must_use]
    pub fn curve(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        self.drawn(name.into(), points, false)
    }

    /// Adds dots, in any order: a scatter plot, in one frame with the curves. What is not finite is left out.
    #[must_use]
    pub fn dots(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Figure {
        self.drawn(name.into(), points, true)
    }

    fn drawn(mut self, name: String, points: impl IntoIterator<Item = (f64, f64)>, dots: bool) -> Figure {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        self.curves.push(FigureCurve { name, points, dots });
        self
    }

    /// Adds a group of labelled values.
    #[must_use]
    pub fn group<L: Into<String>, V: Into<Option<f64>>>(
        mut self,
        name: impl Into<String>,
        bars: impl IntoIterator<Item = (L, V)>,
    ) -> Figure {
        let bar =
            |(label, value): (L, V)| FigureBar { label: label.into(), value: finite(value), deviation: None };
        self.groups.push(FigureGroup { name: name.into(), bars: bars.into_iter().map(bar).collect() });
        self
    }
}
