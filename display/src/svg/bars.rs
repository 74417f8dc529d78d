//! Bars as a picture.

use super::canvas::{Anchor, Canvas, FAINT, GRID, INK, MARGIN, PAPER, WIDTH, colour, width};
use crate::chart::Bars;
use crate::{Page, page};

const SIZE: f64 = 13.0;
const HIGH: f64 = 22.0;
const STEP: f64 = 30.0;
/// The most characters of a label.
const LABEL: usize = 44;

/// Draws bars with their labels on the left and their values at their ends.
pub(super) fn draw(bars: &Bars, canvas: &mut Canvas) {
    let page = Page::default();
    let series = bars.series();
    let legend: Vec<(String, &str)> =
        series.iter().enumerate().map(|(place, name)| (name.clone(), colour(place))).collect();
    canvas.heading(&bars.heading(), &bars.subtitle, &legend);

    let labels: Vec<String> =
        bars.bars.iter().map(|bar| page::cut(&page::printable(&bar.label), LABEL, &page)).collect();
    let mut values: Vec<String> = bars.bars.iter().map(|bar| bar.value.shown(&page)).collect();
    let best = bars.unique(&values);
    if let Some(best) = best {
        values[best] += "  best";
    }
    let beside: Vec<String> =
        bars.bars.iter().map(|bar| bar.beside.as_deref().map(page::printable).unwrap_or_default()).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| width(text, SIZE)).fold(0.0, f64::max);
    let scale = bars.scale();
    // Values stand at both ends where bars go both ways.
    let value_room = widest(&values)
        + 12.0
        + if beside.iter().all(String::is_empty) { 0.0 } else { widest(&beside) + 14.0 };
    let left = MARGIN + widest(&labels) + 12.0 + if scale.has_negatives() { value_room } else { 0.0 };
    let room = (WIDTH - MARGIN - value_room - left).max(80.0);
    let zero = left + room * scale.zero();
    let top = canvas.y();
    for (place, ((bar, label), value)) in bars.bars.iter().zip(&labels).zip(&values).enumerate() {
        let y = canvas.y();
        let middle = y + HIGH - 6.0;
        canvas.text(MARGIN, middle, SIZE, Anchor::Start, INK, label);
        let length = bar.value.value();
        let share = length.map_or(0.0, |length| scale.share(length)) * room;
        let negative = length.is_some_and(|length| length < 0.0);
        let at = bar.series.as_ref().and_then(|one| series.iter().position(|known| known == one));
        if length.is_some_and(|length| length != 0.0) {
            let wide = share.max(1.5);
            let from = if negative { zero - wide } else { zero };
            canvas.rectangle(from, y, wide, HIGH, colour(at.unwrap_or(0)));
            if length.is_some_and(|length| scale.breaks(length)) {
                broken(if negative { from + 24.0 } else { from + wide - 30.0 }, y, canvas);
            }
        }
        let (x, anchor) =
            if negative { (zero - share - 8.0, Anchor::End) } else { (zero + share + 8.0, Anchor::Start) };
        canvas.styled(x, middle, SIZE, anchor, INK, best == Some(place), value);
        if !beside[place].is_empty() && !negative {
            let x = x + width(value, SIZE) + 14.0;
            canvas.text(x, middle, SIZE, Anchor::Start, FAINT, &beside[place]);
        }
        canvas.skip(STEP);
    }
    if scale.has_negatives() {
        canvas.line((zero, top - 4.0), (zero, canvas.y() - STEP + HIGH + 4.0), FAINT);
    } else {
        canvas.line((zero, top - 4.0), (zero, canvas.y() - STEP + HIGH + 4.0), GRID);
    }
    if bars.has_broken() {
        canvas.skip(10.0);
        canvas.text(MARGIN, canvas.y(), 12.0, Anchor::Start, FAINT, "A broken bar is longer than drawn.");
        canvas.skip(6.0);
    }
}

/// Two slanted gaps in a bar.
fn broken(x: f64, y: f64, canvas: &mut Canvas) {
    for x in [x, x + 8.0] {
        let corners =
            [(x, y + HIGH + 1.0), (x + 6.0, y - 1.0), (x + 10.0, y - 1.0), (x + 4.0, y + HIGH + 1.0)];
        canvas.filled(corners, PAPER);
    }
}
