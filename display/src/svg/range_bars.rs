//! Ranges as a picture.

use super::canvas::{Anchor, Canvas, FAINT, GRID, INK, MARGIN, WIDTH, colour, width};
use crate::chart::RangeBars;
use crate::{Page, page};

const SIZE: f64 = 13.0;
const HIGH: f64 = 22.0;
const STEP: f64 = 30.0;
/// How thick the line of a range is.
const THICK: f64 = 8.0;
/// The most characters of a label.
const LABEL: usize = 44;

/// Draws ranges with their labels on the left, a tick at each median and the median at each end.
pub(super) fn draw(ranges: &RangeBars, canvas: &mut Canvas) {
    let page = Page::default();
    canvas.heading(&ranges.title, &ranges.subtitle, &[]);
    let labels: Vec<String> =
        ranges.ranges.iter().map(|one| page::cut(&page::printable(&one.label), LABEL, &page)).collect();
    let mut values: Vec<String> = ranges.ranges.iter().map(|one| one.values[1].shown(&page)).collect();
    if let Some((place, word)) = &ranges.marked {
        values[*place] += &format!("  {word}");
    }
    let widest = |texts: &[String]| texts.iter().map(|text| width(text, SIZE)).fold(0.0, f64::max);
    let left = MARGIN + widest(&labels) + 12.0;
    let room = (WIDTH - MARGIN - widest(&values) - 12.0 - left).max(80.0);
    let top = canvas.y();
    let end = ranges.end();
    for (place, ((range, label), value)) in ranges.ranges.iter().zip(&labels).zip(&values).enumerate() {
        let (y, middle) = (canvas.y(), canvas.y() + HIGH - 6.0);
        canvas.text(MARGIN, middle, SIZE, Anchor::Start, INK, label);
        let scale = end.as_ref().map(|(end, _)| *end).filter(|end| *end > 0.0);
        let at = |value: f64| left + room * scale.map_or(0.0, |end| (value / end).clamp(0.0, 1.0));
        let mut reached = left;
        if let Some([low, median, high]) = range.numbers().map(|numbers| numbers.map(at)) {
            let wide = (high - low).max(1.5);
            canvas.rectangle(low, y + (HIGH - THICK) / 2.0, wide, THICK, colour(0));
            canvas.rectangle(median - 1.5, y + 2.0, 3.0, HIGH - 4.0, INK);
            reached = low + wide;
        }
        let marked = ranges.marked.as_ref().is_some_and(|(marked, _)| *marked == place);
        canvas.styled(reached + 8.0, middle, SIZE, Anchor::Start, INK, marked, value);
        canvas.skip(STEP);
    }
    let bottom = canvas.y() - STEP + HIGH + 4.0;
    canvas.line((left, top - 4.0), (left, bottom), GRID);
    if let Some((_, cell)) = end.filter(|(end, _)| *end > 0.0) {
        canvas.skip(12.0);
        canvas.text(left, canvas.y(), 12.0, Anchor::Start, FAINT, "0");
        canvas.text(left + room, canvas.y(), 12.0, Anchor::End, FAINT, &cell.shown(&page));
        canvas.skip(6.0);
    }
}
