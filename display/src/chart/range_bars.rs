//! Ranges side by side: from where to where something lies eight times in ten, and its median within.

use super::paint;
use crate::{Cell, Page, page};

/// One range with a tick at its median.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeBar {
    /// What it is of.
    pub label: String,
    /// Where it begins, its median, where it ends.
    pub values: [Cell; 3],
}

impl RangeBar {
    /// A range of lengths of time: where it begins, its median, where it ends.
    pub fn of_time(label: impl Into<String>, seconds: [f64; 3]) -> RangeBar {
        RangeBar { label: label.into(), values: seconds.map(Cell::duration) }
    }

    /// The three numbers in ascending order; `None` if one is not known. The median lies within.
    pub(crate) fn numbers(&self) -> Option<[f64; 3]> {
        let [low, median, high] = [0, 1, 2].map(|part| self.values[part].value());
        let (low, median, high) = (low?, median?, high?);
        let finite = low.is_finite() && median.is_finite() && high.is_finite();
        finite.then(|| [low.min(median), median, high.max(median)])
    }
}

/// Ranges from zero on one scale, in the order given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RangeBars {
    /// What is compared.
    pub title: String,
    /// On what.
    pub subtitle: String,
    /// The ranges, top to bottom.
    pub ranges: Vec<RangeBar>,
    /// The place of the range to mark, and the word it is marked with.
    pub marked: Option<(usize, String)>,
}

impl RangeBars {
    /// Ranges to compare.
    pub fn new(title: impl Into<String>, ranges: impl IntoIterator<Item = RangeBar>) -> RangeBars {
        RangeBars { title: title.into(), ranges: ranges.into_iter().collect(), ..RangeBars::default() }
    }

    /// Says on what they are compared.
    #[must_use]
    pub fn on(mut self, subtitle: impl Into<String>) -> RangeBars {
        self.subtitle = subtitle.into();
        self
    }

    /// Marks the range at this place, if there is one, with a word.
    #[must_use]
    pub fn marking(mut self, place: Option<usize>, word: &str) -> RangeBars {
        let there = place.filter(|&place| place < self.ranges.len());
        self.marked = there.map(|place| (place, word.to_owned()));
        self
    }

    /// The end of the scale with its cell, which begins at zero; `None` if no range is known.
    pub(crate) fn end(&self) -> Option<(f64, Cell)> {
        let known = self.ranges.iter().filter_map(|one| Some((one.numbers()?[2], one)));
        let (end, last) = known.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        let cell = last.values.iter().find(|cell| cell.value() == Some(end)).cloned();
        Some((end, cell.unwrap_or(Cell::Missing)))
    }

    /// The chart, ending in a newline. A range that is not known has its median as text only.
    pub fn render(&self, page: &Page) -> String {
        let width = page.columns();
        let labels: Vec<String> =
            self.ranges.iter().map(|one| page::cut(&page::printable(&one.label), width / 2, page)).collect();
        let medians: Vec<String> = self.ranges.iter().map(|one| one.values[1].shown(page)).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| page::width_of(text)).max().unwrap_or(0);
        let (label_width, median_width) = (widest(&labels), widest(&medians));
        let mark = self.marked.as_ref().map(|(_, word)| format!("  {} {word}", page.pick("◂", "<")));
        let room = mark.as_ref().map_or(0, |mark| page::width_of(mark));
        let before = label_width + median_width + 4;
        let space = width.saturating_sub(before + room).max(10);
        let end = self.end();

        let mut out = String::new();
        for line in [&self.title, &self.subtitle].into_iter().filter(|line| !line.is_empty()) {
            for line in page::wrap(&page::printable(line), page.width.unwrap_or(usize::MAX)) {
                out.push_str(&format!("{line}\n"));
            }
        }
        if !out.is_empty() {
            out.push('\n');
        }
        for (place, ((range, label), median)) in self.ranges.iter().zip(&labels).zip(&medians).enumerate() {
            let label_space = " ".repeat(label_width - page::width_of(label));
            let median_space = " ".repeat(median_width - page::width_of(median));
            let numbers = range.numbers().zip(end.as_ref().map(|(end, _)| *end));
            let drawn = numbers.map_or_else(String::new, |(numbers, end)| drawn(numbers, end, space, page));
            let is_marked = self.marked.as_ref().is_some_and(|(marked, _)| *marked == place);
            let mark = mark.as_deref().filter(|_| is_marked).unwrap_or_default();
            let line = format!("{label}{label_space}  {median_space}{median}  {drawn}{mark}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if let Some((_, cell)) = end.filter(|(end, _)| *end > 0.0) {
            let last = cell.shown(page);
            let between = space.saturating_sub(1 + page::width_of(&last)).max(1);
            out.push_str(&format!("{}0{}{last}\n", " ".repeat(before), " ".repeat(between)));
        }
        out
    }
}

/// A line from the beginning to the end with a tick at the median, on a scale of `space` columns.
fn drawn([low, median, high]: [f64; 3], end: f64, space: usize, page: &Page) -> String {
    let column = |value: f64| match end > 0.0 {
        true => ((value / end).clamp(0.0, 1.0) * (space - 1) as f64).round() as usize,
        false => 0,
    };
    let [low, median, high] = [low, median, high].map(column);
    let [first, between, tick, last] = page.pick(['├', '─', '┃', '┤'], ['[', '-', '|', ']']);
    let sign = |at: usize| match at {
        at if at == median => tick,
        at if at == low => first,
        at if at == high => last,
        _ => between,
    };
    let line: String = (low..=high).map(sign).collect();
    format!("{}{}", " ".repeat(low), paint::series(&line, 0, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges() -> RangeBars {
        let ranges = [RangeBar::of_time("north", [60.0, 300.0, 600.0]), RangeBar::of_time("south", [0.0; 3])];
        RangeBars::new("Wait", ranges).marking(Some(1), "soonest")
    }

    #[test]
    fn a_range_has_its_ends_and_a_tick_at_its_median() {
        // Of 17 columns for ten minutes, the range is in 3 to 17 and its median in 9.
        let text = "Wait\n\nnorth  5 min    ├─────┃───────┤\nsouth    0 s  ┃  ◂ soonest\n              0          10 min\n";
        assert_eq!(ranges().render(&Page::wide(42)), text);
        let ascii = ranges().render(&Page::wide(42).ascii());
        assert!(ascii.contains('[') && ascii.contains('|') && ascii.is_ascii(), "{ascii}");
    }

    #[test]
    fn what_is_not_known_is_not_drawn() {
        let unknown = RangeBar::of_time("east", [f64::NAN, 60.0, f64::NAN]);
        assert_eq!(RangeBars::new("", [unknown]).render(&Page::wide(40)), "east  1 min\n");
        assert_eq!(ranges().marking(Some(9), "soonest").marked, None);
        // The median is inside, whatever the ends are.
        assert_eq!(RangeBar::of_time("", [5.0, 1.0, 3.0]).numbers(), Some([1.0, 1.0, 3.0]));
    }
}
