//! Histograms: how many values fall between which edges.

use super::{Axis, Bar, Bars, range};
use crate::{Cell, Page, page};

/// Counts of values between edges: below the first, from each to the next, and from the last on.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    edges: Vec<f64>,
    counts: Vec<usize>,
}

impl Histogram {
    /// Counts a sample between ascending edges; a value on an edge is counted above it. What is not a number
    /// is left out.
    pub fn new(sample: &[f64], edges: &[f64]) -> Histogram {
        let mut counts = vec![0; edges.len() + 1];
        for value in sample.iter().filter(|value| !value.is_nan()) {
            counts[edges.partition_point(|edge| edge <= value)] += 1;
        }
        Histogram { edges: edges.to_vec(), counts }
    }

    /// Counts a sample in about `bins` equal steps, round in the axis's unit.
    pub fn even(sample: &[f64], axis: &Axis, bins: usize) -> Histogram {
        let Some((low, high)) = range(sample.iter().copied().filter(|value| value.is_finite())) else {
            return Histogram { edges: Vec::new(), counts: vec![0] };
        };
        let step = axis.step((high - low) / bins.max(1) as f64);
        let first = (low / step).floor();
        let steps = (high / step).floor() - first + 1.0;
        // A range beyond what a float can count is one bin.
        let steps = if steps.is_finite() { steps.min(1e4) as u32 } else { 0 };
        let edges: Vec<f64> = (0..=steps).map(|place| (first + f64::from(place)) * step).collect();
        Histogram::new(sample, &edges)
    }

    /// How many values fall into each bin, the two open ends included.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The chart, one bar per bin with its count and its share; open ends only if something fell there.
    pub fn render(&self, title: &str, axis: &Axis, page: &Page) -> String {
        self.labelled(title, axis, page).render(page)
    }

    /// The same bars for a picture.
    pub(crate) fn bars(&self, title: &str, axis: &Axis) -> Bars {
        self.labelled(title, axis, &Page::default())
    }

    fn labelled(&self, title: &str, axis: &Axis, page: &Page) -> Bars {
        let total: usize = self.counts.iter().sum();
        let step = self.edges.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let step = if step.is_finite() { step } else { 1.0 };
        let edge = |place: usize| axis.label(self.edges[place], step);
        let last = self.counts.len() - 1;
        let shown = |place: usize| self.counts[place] > 0 || (0 < place && place < last);
        let label = |place: usize| match place {
            _ if self.edges.is_empty() => "all".to_owned(),
            0 => format!("below {}", edge(0)),
            place if place == last => format!("{} or more", edge(place - 1)),
            place => format!("{} {} {}", edge(place - 1), page.pick("–", "to"), edge(place)),
        };
        let bins: Vec<usize> = (0..=last).filter(|&place| shown(place)).collect();
        let widest = bins.iter().map(|&place| page::width_of(&label(place))).max().unwrap_or(0);
        let bars = bins.into_iter().map(|place| {
            let share = Cell::Share(self.counts[place] as f64 / total.max(1) as f64).shown(page);
            // The label's dash is one column wide, so padding by characters lines up.
            Bar::new(format!("{:<widest$}  {share:>6}", label(place)), Cell::count(self.counts[place]))
        });
        Bars::new(title, bars)
    }
}
