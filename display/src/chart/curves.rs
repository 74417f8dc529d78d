//! Curves: one drawn finely with braille dots, several told apart by their marks; and the dots of a scatter plot,
//! with the curves over them.

use super::density::DotDensity;
use super::frame::Frame;
use super::{Axis, Series, range};
use crate::{Page, page};

/// How consecutive points are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// By a straight line.
    #[default]
    Line,
    /// Flat until the next point, then straight up or down: distributions, counts.
    Step,
}

/// One or several curves in one frame, and [`Series::dots`].
///
/// Dots lie below the curves. Those of one series are shaded by how many stand in a character, so that thousands can be
/// read; several such series have marks, as curves have.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// What is shown.
    pub title: String,
    /// The curves and dots; where two meet, the later one is seen, and curves before dots.
    pub series: Vec<Series>,
    /// Along the bottom.
    pub x: Axis,
    /// Up the side, from zero unless something is below it.
    pub y: Axis,
    /// How points are connected.
    pub join: Join,
    /// Lines, at least two; an odd number is rounded up.
    pub height: usize,
}

const MARKS: [char; 6] = ['●', '○', '▲', '△', '■', '□'];
const ASCII_MARKS: [char; 6] = ['*', 'o', '+', 'x', '#', '@'];

impl Curves {
    /// The chart, ending in a newline; without any points, a line that says so.
    pub fn render(&self, page: &Page) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("{}\n\n", page::printable(&self.title)));
        }
        let Some((xs, ys)) = self.extent() else { return out + "(no data)\n" };
        let rows = self.height.max(2).next_multiple_of(2);
        let factors = self.has_factors();
        let (gutter, frame) = Frame { x: &self.x, y: &self.y, xs, ys, columns: 0, rows, factors }.on(page);
        let marks = self.marks(page);
        let mut density = DotDensity::new(frame.columns, rows);
        let plot = match &self.series[..] {
            [curve] if !curve.dots && page.pick(true, false) => {
                let mut dots = Dots::new(frame.columns * 2, rows * 4);
                self.trace(curve, &frame, dots.wide, dots.high, |x, y| dots.set(x, y));
                dots.lines()
            }
            _ => self.marked(&marks, &mut density, &frame, page),
        };
        if !self.y.name.is_empty() {
            out.push_str(&format!("{}\n", page::printable(&self.y.name)));
        }
        frame.body(&plot, gutter, page, &mut out);
        frame.foot(gutter, page, &mut out);
        let names = self.series.iter().zip(&marks);
        let legend: Vec<String> = names
            .map(|(series, mark)| {
                format!("{} {}", mark.unwrap_or(DotDensity::mark(page)), page::printable(&series.name))
            })
            .collect();
        let legend = (legend.len() > 1).then(|| legend.join("   "));
        for (place, line) in legend.into_iter().chain(density.key(page)).enumerate() {
            let apart = if place == 0 { "\n" } else { "" };
            out.push_str(&format!("{apart}{}{line}\n", " ".repeat(gutter + 2)));
        }
        out
    }

    /// The edges across and up; `None` without any points.
    pub(crate) fn extent(&self) -> Option<((f64, f64), (f64, f64))> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (xs, ys) = (range(points().map(|p| p.0))?, range(points().map(|p| p.1))?);
        Some((xs, if self.has_factors() { self.y.factors(ys.0, ys.1) } else { self.edges(ys) }))
    }

    /// Whether the edges up the side are factors: only with dots, so that figures that exist stay as they are.
    fn has_factors(&self) -> bool {
        self.y.log && self.series.iter().any(|series| series.dots)
    }

    /// The mark of each series; none for the only one of dots, which is shaded.
    fn marks(&self, page: &Page) -> Vec<Option<char>> {
        let shaded = self.series.iter().filter(|series| series.dots).count() == 1;
        let mut marks = page.pick(MARKS, ASCII_MARKS).into_iter().cycle();
        let mark = |series: &Series| if shaded && series.dots { None } else { marks.next() };
        self.series.iter().map(mark).collect()
    }

    /// The plot's lines: dots, then the curves over them. Dots without a mark are counted in `density`.
    fn marked(
        &self,
        marks: &[Option<char>],
        density: &mut DotDensity,
        frame: &Frame<'_>,
        page: &Page,
    ) -> Vec<String> {
        let (wide, high) = (frame.columns, frame.rows);
        let with_marks = || self.series.iter().zip(marks);
        for (series, _) in with_marks().filter(|(_, mark)| mark.is_none()) {
            self.trace(series, frame, wide, high, |x, y| density.add(x, y));
        }
        let mut grid = density.lines(page);
        for dots in [true, false] {
            for (series, mark) in with_marks().filter(|(series, _)| series.dots == dots) {
                if let Some(mark) = *mark {
                    self.trace(series, frame, wide, high, |x, y| grid[y][x] = mark);
                }
            }
        }
        grid.into_iter().map(|line| line.into_iter().collect()).collect()
    }

    /// Round edges around the values, zero among them.
    fn edges(&self, (low, high): (f64, f64)) -> (f64, f64) {
        if low >= 0.0 {
            return (0.0, self.y.top(high));
        }
        let high = high.max(0.0);
        let around = |count: f64| {
            let step = self.y.step((high - low) / count);
            let (below, above) = ((low / step).floor(), (high / step).ceil());
            // An even number of steps, so that the middle is round too.
            (below * step, (above + (above - below) % 2.0) * step)
        };
        let edges = [5.0, 6.0, 8.0].map(around);
        // Of those alike the one of the roundest numbers.
        edges.into_iter().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))).unwrap_or((low, high))
    }

    /// Calls `set(x, y)` with every cell of a `wide` by `high` grid that the curve touches, y downwards; for dots, once
    /// for each.
    fn trace(
        &self,
        series: &Series,
        frame: &Frame<'_>,
        wide: usize,
        high: usize,
        mut set: impl FnMut(usize, usize),
    ) {
        let cell = |&(x, y): &(f64, f64)| {
            let across = frame.x.place(x, frame.xs.0, frame.xs.1) * (wide - 1) as f64;
            let up = frame.y.place(y, frame.ys.0, frame.ys.1) * (high - 1) as f64;
            (across.round() as usize, high - 1 - up.round() as usize)
        };
        let mut cells = series.points.iter().map(cell);
        if series.dots {
            return cells.for_each(|(x, y)| set(x, y));
        }
        let Some(mut last) = cells.next() else { return };
        set(last.0, last.1);
        for next in cells {
            match self.join {
                Join::Line => line(last, next, &mut set),
                Join::Step => {
                    line(last, (next.0, last.1), &mut set);
                    line((next.0, last.1), next, &mut set);
                }
            }
            last = next;
        }
        if self.join == Join::Step {
            // The last value holds to the edge.
            line(last, (wide - 1, last.1), &mut set);
        }
    }
}

/// Every cell between two, both included, along the longer direction.
fn line(from: (usize, usize), to: (usize, usize), set: &mut impl FnMut(usize, usize)) {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
    let between = |a: usize, b: usize, step: usize| {
        let part = step as f64 / steps.max(1) as f64;
        (a as f64 + (b as f64 - a as f64) * part).round() as usize
    };
    for step in 0..=steps {
        set(between(from.0, to.0, step), between(from.1, to.1, step));
    }
}

/// A canvas of braille characters: two dots across and four down in each.
struct Dots {
    wide: usize,
    high: usize,
    cells: Vec<u8>,
}

impl Dots {
    fn new(wide: usize, high: usize) -> Dots {
        Dots { wide, high, cells: vec![0; wide / 2 * (high / 4)] }
    }

    fn set(&mut self, x: usize, y: usize) {
        // Unicode numbers the dots down the left column, then the right; the bottom row came later.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        self.cells[y / 4 * (self.wide / 2) + x / 2] |= BITS[y % 4][x % 2];
    }

    fn lines(&self) -> Vec<String> {
        let drawn = |&dots: &u8| {
            if dots == 0 { ' ' } else { char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ') }
        };
        self.cells.chunks(self.wide / 2).map(|line| line.iter().map(drawn).collect()).collect()
    }
}
