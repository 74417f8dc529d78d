//! Areas: something that holds its value until it changes, such as a queue's length, over time.

use super::frame::Frame;
use super::{Axis, Series, range};
use crate::{Page, page};

/// Step functions over time, one panel each, on the same scales.
///
/// Each column of a panel shows the highest value within its slice of time, so no peak is lost however long
/// the series is.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// What is shown.
    pub title: String,
    /// One panel each.
    pub series: Vec<Series>,
    /// Along the bottom.
    pub x: Axis,
    /// Up the side, from zero.
    pub y: Axis,
    /// Lines per panel, at least two; an odd number is rounded up.
    pub height: usize,
}

impl Area {
    /// The chart, ending in a newline; without any points, a line that says so.
    pub fn render(&self, page: &Page) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("{}\n\n", page::printable(&self.title)));
        }
        let Some((xs, ys)) = self.extent() else { return out + "(no data)\n" };
        let rows = self.height.max(2).next_multiple_of(2);
        let (gutter, frame) =
            Frame { x: &self.x, y: &self.y, xs, ys, columns: 0, rows, factors: false }.on(page);
        let alone = self.series.len() == 1;
        for (place, series) in self.series.iter().enumerate() {
            if place > 0 {
                out.push('\n');
            }
            let name = if alone { &self.y.name } else { &series.name };
            if !name.is_empty() {
                out.push_str(&format!("{}\n", page::printable(name)));
            }
            frame.body(&self.panel(series, &frame, page), gutter, page, &mut out);
        }
        frame.foot(gutter, page, &mut out);
        out
    }

    /// The edges across and up; `None` without any points.
    pub(crate) fn extent(&self) -> Option<((f64, f64), (f64, f64))> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (_, peak) = range(points().map(|p| p.1))?;
        Some((range(points().map(|p| p.0))?, (0.0, self.y.top(peak))))
    }

    fn panel(&self, series: &Series, frame: &Frame<'_>, page: &Page) -> Vec<String> {
        let heights = peaks(series, frame.x, frame.xs, frame.columns);
        let drawings: &[char] = page.pick(&[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], &[' ', '.', '#']);
        let full = drawings.len() - 1;
        (0..frame.rows)
            .map(|row| {
                let below = (frame.rows - 1 - row) * full;
                let fill = |height: &f64| {
                    // Anything above zero shows.
                    let filled = ((height / frame.ys.1) * (frame.rows * full) as f64).round() as usize;
                    let filled = filled.max(usize::from(*height > 0.0));
                    drawings[filled.saturating_sub(below).min(full)]
                };
                heights.iter().map(fill).collect()
            })
            .collect()
    }
}

/// The highest value within each of `slices` equal slices; the value before the first point is zero.
pub(crate) fn peaks(series: &Series, axis: &Axis, xs: (f64, f64), slices: usize) -> Vec<f64> {
    let mut heights = vec![0.0_f64; slices];
    let slice = |x: f64| ((axis.place(x, xs.0, xs.1) * slices as f64) as usize).min(slices - 1);
    for (place, &(x, y)) in series.points.iter().enumerate() {
        // The value holds up to, not including, the next change; the last one holds where it stands.
        let until = series.points.get(place + 1).map_or(x, |next| next.0);
        let (from, to) = (slice(x), slice(until));
        // A slice that the next change opens belongs to that change.
        let opens = to > from && axis.place(until, xs.0, xs.1) * slices as f64 <= to as f64;
        for height in &mut heights[from..=to - usize::from(opens)] {
            *height = height.max(y);
        }
    }
    heights
}
