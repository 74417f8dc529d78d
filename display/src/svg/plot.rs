//! Curves, dots and areas as a picture.

use super::canvas::{Anchor, Canvas, FAINT, GRID, INK, MARGIN, WIDTH, colour, width};
use crate::chart::area::peaks;
use crate::chart::{Area, Axis, Curves, Join, Series};

const SIZE: f64 = 12.0;
/// The height of a plot.
const HIGH: f64 = 220.0;

/// Where a plot stands, and what its edges stand for.
struct Panel<'a> {
    x: &'a Axis,
    y: &'a Axis,
    xs: (f64, f64),
    ys: (f64, f64),
    left: f64,
    top: f64,
}

impl Panel<'_> {
    fn wide(&self) -> f64 {
        WIDTH - MARGIN - self.left
    }

    fn bottom(&self) -> f64 {
        self.top + HIGH
    }

    fn across(&self, x: f64) -> f64 {
        self.left + self.x.place(x, self.xs.0, self.xs.1) * self.wide()
    }

    fn down(&self, y: f64) -> f64 {
        self.bottom() - self.y.place(y, self.ys.0, self.ys.1) * HIGH
    }

    /// Grid, labels and the names of both axes.
    fn axes(&self, name: &str, canvas: &mut Canvas) {
        if !name.is_empty() {
            canvas.text(MARGIN, self.top - 10.0, SIZE, Anchor::Start, FAINT, name);
        }
        for (y, label) in labels(self.y, self.ys, 5) {
            canvas.line((self.left, self.down(y)), (self.left + self.wide(), self.down(y)), GRID);
            canvas.text(self.left - 8.0, self.down(y) + 4.0, SIZE, Anchor::End, FAINT, &label);
        }
        let mut used = f64::NEG_INFINITY;
        for (x, label) in labels(self.x, self.xs, 7) {
            let (at, half) = (self.across(x), width(&label, SIZE) / 2.0);
            if at - half < used + 10.0 || at + half > WIDTH - 4.0 {
                continue;
            }
            used = at + half;
            canvas.line((at, self.bottom()), (at, self.bottom() + 5.0), FAINT);
            canvas.text(at, self.bottom() + 18.0, SIZE, Anchor::Middle, FAINT, &label);
        }
        canvas.line((self.left, self.bottom()), (self.left + self.wide(), self.bottom()), FAINT);
        let middle = self.left + self.wide() / 2.0;
        canvas.text(middle, self.bottom() + 36.0, SIZE, Anchor::Middle, INK, &self.x.name);
    }
}

/// Ticks with what they say.
fn labels(axis: &Axis, (low, high): (f64, f64), count: usize) -> Vec<(f64, String)> {
    let ticks = axis.ticks(low, high, count);
    let step = if ticks.len() > 1 { ticks[1] - ticks[0] } else { high - low };
    ticks.into_iter().map(|tick| (tick, axis.label(tick, step))).collect()
}

/// Room for the labels on the left.
fn gutter(axis: &Axis, ys: (f64, f64)) -> f64 {
    MARGIN + 12.0 + labels(axis, ys, 5).iter().map(|(_, label)| width(label, SIZE)).fold(0.0, f64::max)
}

/// Draws curves and dots in one frame.
pub(super) fn curves(chart: &Curves, canvas: &mut Canvas) {
    let series = || chart.series.iter().enumerate();
    let legend: Vec<(String, &str)> = series().map(|(at, one)| (one.name.clone(), colour(at))).collect();
    canvas.heading(&chart.title, "", &legend);
    let Some((xs, ys)) = chart.extent() else { return none(canvas) };
    canvas.skip(16.0);
    let panel = Panel { x: &chart.x, y: &chart.y, xs, ys, left: gutter(&chart.y, ys), top: canvas.y() };
    panel.axes(&chart.y.name, canvas);
    for (at, one) in series().filter(|(_, one)| one.dots) {
        let mut drawn: Vec<(i64, i64)> =
            one.points.iter().map(|&(x, y)| (panel.across(x) as i64, panel.down(y) as i64)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        drawn.iter().for_each(|&(x, y)| canvas.dot(x as f64, y as f64, colour(at)));
    }
    for (at, one) in series().filter(|(_, one)| !one.dots && !one.points.is_empty()) {
        canvas.path(corners(one, chart.join, &panel), colour(at));
    }
    canvas.skip(HIGH + 40.0);
}

/// The points a curve goes through.
fn corners(series: &Series, join: Join, panel: &Panel<'_>) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = Vec::with_capacity(series.points.len() * 2);
    for &(x, y) in &series.points {
        let (x, y) = (panel.across(x), panel.down(y));
        if let (Join::Step, Some(&(_, before))) = (join, found.last()) {
            found.push((x, before));
        }
        found.push((x, y));
    }
    if let (Join::Step, Some(&(_, last))) = (join, found.last()) {
        found.push((panel.left + panel.wide(), last));
    }
    found
}

/// Draws step functions, one panel each, by the highest value within each unit of width.
pub(super) fn area(chart: &Area, canvas: &mut Canvas) {
    canvas.heading(&chart.title, "", &[]);
    let Some((xs, ys)) = chart.extent() else { return none(canvas) };
    for (at, series) in chart.series.iter().enumerate() {
        canvas.skip(16.0);
        let panel = Panel { x: &chart.x, y: &chart.y, xs, ys, left: gutter(&chart.y, ys), top: canvas.y() };
        let name = if chart.series.len() == 1 { &chart.y.name } else { &series.name };
        panel.axes(name, canvas);
        let heights = peaks(series, &chart.x, xs, panel.wide() as usize);
        let columns = heights.iter().enumerate().flat_map(|(place, &height)| {
            let (x, y) = (panel.left + place as f64, panel.down(height));
            [(x, y), (x + 1.0, y)]
        });
        let (first, last) =
            ((panel.left, panel.bottom()), (panel.left + heights.len() as f64, panel.bottom()));
        canvas.filled(std::iter::once(first).chain(columns).chain([last]), colour(at));
        canvas.skip(HIGH + 40.0);
    }
}

fn none(canvas: &mut Canvas) {
    canvas.text(MARGIN, canvas.y() + 12.0, SIZE, Anchor::Start, FAINT, "(no data)");
    canvas.skip(24.0);
}
