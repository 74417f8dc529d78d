//! Horizontal bars: one value per label, to compare.

use super::paint;
use super::scale::BarScale;
use crate::{Best, Cell, Page, page};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// How long it is, and how that is written.
    pub value: Cell,
    /// What it has in common with other bars; a picture has one colour for each.
    pub series: Option<String>,
    /// Another number of the same thing, at the end of the bar in a picture, which has no table beside it.
    pub beside: Option<String>,
}

impl Bar {
    /// A bar.
    pub fn new(label: impl Into<String>, value: impl Into<Cell>) -> Bar {
        Bar { label: label.into(), value: value.into(), series: None, beside: None }
    }

    /// One of a series.
    #[must_use]
    pub fn of(mut self, series: impl Into<String>) -> Bar {
        self.series = Some(series.into());
        self
    }

    /// With another number of the same thing at its end in a picture.
    #[must_use]
    pub fn beside(mut self, text: impl Into<String>) -> Bar {
        self.beside = Some(text.into());
        self
    }
}

/// Horizontal bars from zero, in the order given; those of negative values go to the left.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// What is compared.
    pub title: String,
    /// On what.
    pub subtitle: String,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// Which to mark.
    pub best: Best,
    /// The place of the bar to mark instead of the lowest or highest.
    pub marked: Option<usize>,
    /// Whether the bars of outliers are broken, so that the others can be compared.
    pub breaks: bool,
}

impl Bars {
    /// Bars to compare.
    pub fn new(title: impl Into<String>, bars: impl IntoIterator<Item = Bar>) -> Bars {
        Bars { title: title.into(), bars: bars.into_iter().collect(), ..Bars::default() }
    }

    /// Says on what they are compared.
    #[must_use]
    pub fn on(mut self, subtitle: impl Into<String>) -> Bars {
        self.subtitle = subtitle.into();
        self
    }

    /// Marks the best, if there is one: not where several look equally good, nor where there is but one bar.
    #[must_use]
    pub fn best(mut self, best: Best) -> Bars {
        self.best = best;
        self
    }

    /// Marks the bar at this place, if there is one, whatever the others are; [`Bars::best`] only says which end is better.
    #[must_use]
    pub fn marking(mut self, place: Option<usize>) -> Bars {
        self.marked = place;
        self
    }

    /// Breaks the bars of outliers, so that the others can be compared.
    #[must_use]
    pub fn broken(mut self) -> Bars {
        self.breaks = true;
        self
    }

    /// The title, with which end of the scale is better.
    pub(crate) fn heading(&self) -> String {
        let better = match self.best {
            Best::Unmarked => "",
            Best::Lowest => "lower is better",
            Best::Highest => "higher is better",
        };
        [self.title.as_str(), better]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The series, in the order in which bars name them.
    pub(crate) fn series(&self) -> Vec<String> {
        let mut series: Vec<String> = Vec::new();
        for one in self.bars.iter().filter_map(|bar| bar.series.as_ref()) {
            if !series.contains(one) {
                series.push(one.clone());
            }
        }
        series
    }

    /// The scale of the bars.
    pub(crate) fn scale(&self) -> BarScale {
        BarScale::new(self.bars.iter().filter_map(|bar| bar.value.value()), self.breaks)
    }

    /// Whether a bar is broken.
    pub(crate) fn has_broken(&self) -> bool {
        let scale = self.scale();
        self.bars.iter().filter_map(|bar| bar.value.value()).any(|value| scale.breaks(value))
    }

    /// The chart, ending in a newline. A missing value has no bar, only its text.
    pub fn render(&self, page: &Page) -> String {
        let width = page.columns();
        // Half the page is for labels at most; the rest is for what they are compared by.
        let most = width / 2;
        let labels: Vec<String> =
            self.bars.iter().map(|bar| page::cut(&page::printable(&bar.label), most, page)).collect();
        let values: Vec<String> = self.bars.iter().map(|bar| bar.value.shown(page)).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| page::width_of(text)).max().unwrap_or(0);
        let (label_width, value_width) = (widest(&labels), widest(&values));
        let best = self.unique(&values);
        let mark = page.pick("  ◂ best", "  < best");
        let room = if best.is_some() { page::width_of(mark) } else { 0 };
        let space = width.saturating_sub(label_width + value_width + room + 4).max(10);
        let series = self.series();
        let drawing = BarDrawing { scale: self.scale(), space, page };

        let mut out = String::new();
        for line in [self.heading(), self.subtitle.clone()].iter().filter(|line| !line.is_empty()) {
            for line in page::wrap(&page::printable(line), page.width.unwrap_or(usize::MAX)) {
                out.push_str(&format!("{line}\n"));
            }
        }
        if !out.is_empty() {
            out.push('\n');
        }
        for (place, ((bar, label), value)) in self.bars.iter().zip(&labels).zip(&values).enumerate() {
            let label_space = " ".repeat(label_width - page::width_of(label));
            let value_space = " ".repeat(value_width - page::width_of(value));
            let mark = if best == Some(place) { mark } else { "" };
            let drawn = bar.value.value().map_or_else(String::new, |length| drawing.bar(length));
            let series = series.iter().position(|one| bar.series.as_ref() == Some(one)).unwrap_or(0);
            let drawn = paint::series(&drawn, series, page);
            let line = format!("{label}{label_space}  {value_space}{value}  {drawn}{mark}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if self.has_broken() {
            out.push_str(&format!("\n{} a broken bar is longer than drawn\n", page.pick(BREAK, ASCII_BREAK)));
        }
        out
    }

    /// The place of the marked bar: the one chosen, or the best if no other looks as good.
    pub(crate) fn unique(&self, shown: &[String]) -> Option<usize> {
        if let Some(place) = self.marked {
            return (place < self.bars.len()).then_some(place);
        }
        let valued = || self.bars.iter().enumerate().filter(|(_, bar)| bar.value.value().is_some());
        let best = self.best.of(valued().filter_map(|(_, bar)| bar.value.value()))?;
        let (winner, _) = valued().find(|(_, bar)| bar.value.value() == Some(best))?;
        let alike = valued().filter(|&(place, _)| shown[place] == shown[winner]).count();
        (alike == 1 && valued().count() > 1).then_some(winner)
    }
}

const BREAK: &str = "╱╱";
const ASCII_BREAK: &str = "//";
/// Columns of a broken bar beyond its break.
const BEYOND: usize = 3;

/// How bars are drawn on a page.
struct BarDrawing<'a> {
    scale: BarScale,
    /// Columns for the whole scale.
    space: usize,
    page: &'a Page,
}

impl BarDrawing<'_> {
    /// The bar of a value; with negative values among the bars, on its side of the axis.
    fn bar(&self, value: f64) -> String {
        if !self.scale.has_negatives() {
            return self.rightwards(value, self.space);
        }
        // One column is the axis.
        let space = self.space - 1;
        let left = ((self.scale.zero() * space as f64).round() as usize).clamp(1, space);
        let axis = self.page.pick('│', '|');
        if value < 0.0 {
            let drawn = self.leftwards(value, space, left);
            let empty = " ".repeat(left.saturating_sub(page::width_of(&drawn)));
            return format!("{empty}{drawn}{axis}");
        }
        format!("{}{axis}{}", " ".repeat(left), self.rightwards(value, space))
    }

    /// A bar to the right, to the eighth of a column; anything but zero shows.
    fn rightwards(&self, value: f64, space: usize) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let exact = self.scale.share(value) * space as f64;
        let least = usize::from(value != 0.0);
        if self.scale.breaks(value) {
            return self.broken(exact, [BEYOND, 0]);
        }
        self.page.pick(
            {
                let eighths = ((exact * 8.0).round() as usize).max(least);
                "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
            },
            "#".repeat((exact.round() as usize).max(least)),
        )
    }

    /// A bar to the left, to the half of a column; anything but zero shows.
    fn leftwards(&self, value: f64, space: usize, most: usize) -> String {
        let exact = (self.scale.share(value) * space as f64).min(most as f64);
        if self.scale.breaks(value) {
            return self.broken(exact, [0, BEYOND]);
        }
        let halves = (exact * 2.0).round() as usize;
        self.page.pick(
            match halves {
                0 => "▕".to_owned(),
                halves => "▐".repeat(halves % 2) + &"█".repeat(halves / 2),
            },
            "#".repeat((exact.round() as usize).max(1)),
        )
    }

    /// A bar with a break in it, `right` columns from its right end or `left` columns from its left end.
    fn broken(&self, exact: f64, [right, left]: [usize; 2]) -> String {
        let (block, mark) = self.page.pick(("█", BREAK), ("#", ASCII_BREAK));
        let blocks = (exact.round() as usize).saturating_sub(page::width_of(mark)).max(BEYOND);
        let (before, after) = if right > 0 { (blocks - right, right) } else { (left, blocks - left) };
        block.repeat(before) + mark + &block.repeat(after)
    }
}
