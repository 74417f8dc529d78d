//! The axes around a plot: labels and ticks on the left and below.

use super::axis::Axis;
use crate::{Page, page};

/// The plot's size in characters and what its edges stand for.
pub(super) struct Frame<'a> {
    pub x: &'a Axis,
    pub y: &'a Axis,
    /// Left and right edge.
    pub xs: (f64, f64),
    /// Bottom and top edge.
    pub ys: (f64, f64),
    /// Characters across.
    pub columns: usize,
    /// Characters up; even, so that the middle has a label.
    pub rows: usize,
    /// Whether labels stand on the left at equal factors, not at the top and in the middle.
    pub factors: bool,
}

impl Frame<'_> {
    /// What stands on the left, with its line, from below: the foot's is one past the last.
    fn y_labels(&self) -> Vec<(usize, String)> {
        let (low, high) = self.ys;
        if !self.factors {
            let label = |value: f64| self.y.label(value, (high - low) / 2.0);
            let middle = label((low + high) / 2.0);
            return vec![(self.rows, label(low)), (self.rows / 2, middle), (0, label(high))];
        }
        let label = |value: f64| self.y.label(value, 1.0);
        let mut labels = vec![(self.rows, label(low))];
        let mut last = self.rows;
        for tick in self.y.ticks(low, high, 0) {
            let up = self.y.place(tick, low, high) * (self.rows - 1) as f64;
            let row = self.rows - 1 - up.round() as usize;
            // One that would stand next to another, or to the top's, is left out.
            if row >= 2 && row + 2 <= last && tick > low {
                labels.push((row, label(tick)));
                last = row;
            }
        }
        labels.push((0, label(high)));
        labels
    }

    /// How much room labels take on the left, and the frame as wide as the page then allows.
    pub fn on(self, page: &Page) -> (usize, Self) {
        let gutter = self.y_labels().iter().map(|(_, label)| page::width_of(label)).max().unwrap_or(0);
        (gutter, Frame { columns: page.columns().saturating_sub(gutter + 3).max(10), ..self })
    }

    /// The plot's lines with labels on their left.
    pub fn body(&self, plot: &[String], gutter: usize, page: &Page, out: &mut String) {
        let labels = self.y_labels();
        for (row, line) in plot.iter().enumerate() {
            let label = labels.iter().find(|(at, _)| *at == row).map_or("", |(_, label)| label);
            let edge = if label.is_empty() { page.pick('│', '|') } else { page.pick('┤', '+') };
            let space = " ".repeat(gutter - page::width_of(label));
            out.push_str(format!("{space}{label} {edge}{line}").trim_end());
            out.push('\n');
        }
    }

    /// The x axis with its ticks, and the labels below it.
    pub fn foot(&self, gutter: usize, page: &Page, out: &mut String) {
        let bottom = self.y_labels().swap_remove(0).1;
        let (low, high) = self.xs;
        let ticks = self.x.ticks(low, high, (self.columns / 12).max(2));
        let step = if ticks.len() > 1 { ticks[1] - ticks[0] } else { high - low };
        let mut axis = vec![page.pick('─', '-'); self.columns];
        let mut labels = String::new();
        let margin = gutter + 2;
        for tick in ticks {
            let at = (self.x.place(tick, low, high) * (self.columns - 1) as f64).round() as usize;
            let label = self.x.label(tick, step);
            let width = page::width_of(&label);
            let from = (margin + at).saturating_sub(width / 2);
            let used = page::width_of(&labels);
            // A label that would touch the one before it, or leave the page, is left out with its tick.
            if (used > 0 && from < used + 2) || from + width > margin + self.columns + 1 {
                continue;
            }
            axis[at] = page.pick('┬', '+');
            labels.push_str(&" ".repeat(from - used));
            labels.push_str(&label);
        }
        let space = " ".repeat(gutter - page::width_of(&bottom));
        let axis: String = axis.into_iter().collect();
        out.push_str(&format!("{space}{bottom} {}{axis}\n{labels}\n", page.pick('┼', '+')));
        if !self.x.name.is_empty() {
            let name = page::cut(&page::printable(&self.x.name), self.columns, page);
            let space = " ".repeat(margin + (self.columns - page::width_of(&name)) / 2);
            out.push_str(&format!("{space}{name}\n"));
        }
    }
}
