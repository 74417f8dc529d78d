//! Horizontal bars: one value per label, to compare.

use crate::report::{Best, Cell, Page, page};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// How long it is, and how that is written.
    pub value: Cell,
}

impl Bar {
    /// A bar.
    pub fn new(label: impl Into<String>, value: impl Into<Cell>) -> Bar {
        Bar { label: label.into(), value: value.into() }
    }
}

/// Horizontal bars from zero, in the order given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// What is compared.
    pub title: String,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// Which to mark.
    pub best: Best,
}

impl Bars {
    /// Bars to compare.
    pub fn new(title: impl Into<String>, bars: impl IntoIterator<Item = Bar>) -> Bars {
        Bars { title: title.into(), bars: bars.into_iter().collect(), best: Best::Unmarked }
    }

    /// Marks the best, if there is one: not where several look equally good, nor where there is but one bar.
    #[must_use]
    pub fn best(mut self, best: Best) -> Bars {
        self.best = best;
        self
    }

    /// The chart, ending in a newline. A value that is missing or negative has no bar, only its text.
    pub fn render(&self, page: &Page) -> String {
        let width = page.columns();
        // Half the page is for labels at most; the rest is for what they are compared by.
        let most = width / 2;
        let labels: Vec<String> =
            self.bars.iter().map(|bar| page::cut(&page::printable(&bar.label), most, page)).collect();
        let values: Vec<String> = self.bars.iter().map(|bar| bar.value.shown(page)).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| page::width_of(text)).max().unwrap_or(0);
        let (label_width, value_width) = (widest(&labels), widest(&values));
        let lengths = || self.bars.iter().filter_map(|bar| bar.value.value());
        let high = Best::Highest.of(lengths()).unwrap_or(0.0);
        let best = self.unique(&values);
        let mark = page.pick("  ◂ best", "  < best");
        let room = if best.is_some() { page::width_of(mark) } else { 0 };
        let space = width.saturating_sub(label_width + value_width + room + 4).max(10);

        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("{}\n\n", page::printable(&self.title)));
        }
        for (place, ((bar, label), value)) in self.bars.iter().zip(&labels).zip(&values).enumerate() {
            let share = bar.value.value().map_or(0.0, |length| if high > 0.0 { length / high } else { 0.0 });
            let label_space = " ".repeat(label_width - page::width_of(label));
            let value_space = " ".repeat(value_width - page::width_of(value));
            let mark = if best == Some(place) { mark } else { "" };
            let drawn = drawn(share.clamp(0.0, 1.0), space, page);
            let line = format!("{label}{label_space}  {value_space}{value}  {drawn}{mark}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// The place of the best bar, if no other looks as good.
    fn unique(&self, shown: &[String]) -> Option<usize> {
        let valued = || self.bars.iter().enumerate().filter(|(_, bar)| bar.value.value().is_some());
        let best = self.best.of(valued().filter_map(|(_, bar)| bar.value.value()))?;
        let (winner, _) = valued().find(|(_, bar)| bar.value.value() == Some(best))?;
        let alike = valued().filter(|&(place, _)| shown[place] == shown[winner]).count();
        (alike == 1 && valued().count() > 1).then_some(winner)
    }
}

/// A bar over a share of `space` columns, to the eighth of one; anything above zero shows.
fn drawn(share: f64, space: usize, page: &Page) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let exact = share * space as f64;
    page.pick(
        {
            let eighths = ((exact * 8.0).round() as usize).max(usize::from(share > 0.0));
            "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
        },
        "#".repeat((exact.round() as usize).max(usize::from(share > 0.0))),
    )
}
