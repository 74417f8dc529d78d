//! One cell of a published table beside its recomputed value.

use queuecast_study::Repeated;
use serde::Serialize;

/// One cell of a published table, judged. Set with [`PublishedCell::new`] and what follows it, so that the
/// verdict always fits the values.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PublishedCell {
    /// The table's number, as the paper has it.
    pub table: String,
    /// The heading of its row.
    pub row: String,
    /// The heading of its column.
    pub column: String,
    /// Which log it is about, or [`PublishedCell::AVERAGE`].
    pub log: String,
    /// What it is measured in: `%`, `jobs`; empty for ratios.
    pub unit: String,
    /// What the paper prints, where it does.
    pub paper: Option<f64>,
    /// What was recomputed; `None` where that is not a finite number.
    pub ours: Option<f64>,
    /// Ours minus the paper's.
    pub difference: Option<f64>,
    /// How large the difference may be, either way, in the same unit; `None` where it is not judged.
    pub tolerance: Option<f64>,
    /// Whether it is small enough; `None` where there is nothing to judge.
    pub within: Option<bool>,
    /// What repeating it with small random changes comes to, where that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// What to know about this cell; often empty.
    pub note: String,
    /// Which experiment explains why it is out of tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<String>,
}

impl PublishedCell {
    /// The log of a cell that is an average over all logs.
    pub const AVERAGE: &'static str = "average";

    /// A cell without values: not judged until the paper's is set.
    pub fn new(
        table: impl Into<String>,
        row: impl Into<String>,
        column: impl Into<String>,
        log: impl Into<String>,
    ) -> PublishedCell {
        let (table, row, column, log) = (table.into(), row.into(), column.into(), log.into());
        PublishedCell { table, row, column, log, ..PublishedCell::default() }
    }

    /// Says what it is measured in.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> PublishedCell {
        self.unit = unit.into();
        self
    }

    /// Sets what the paper prints; nothing where it prints nothing.
    #[must_use]
    pub fn paper(mut self, value: impl Into<Option<f64>>) -> PublishedCell {
        self.paper = finite(value);
        self.judged()
    }

    /// Sets what was recomputed. What is not a finite number is none, and not what any paper prints.
    #[must_use]
    pub fn ours(mut self, value: impl Into<Option<f64>>) -> PublishedCell {
        self.ours = finite(value);
        self.judged()
    }

    /// Says how large the difference may be, in the cell's unit; a difference of exactly this is within.
    #[must_use]
    pub fn tolerance(mut self, tolerance: impl Into<Option<f64>>) -> PublishedCell {
        self.tolerance = tolerance.into();
        self.judged()
    }

    /// Says what repeating it comes to.
    #[must_use]
    pub fn repeated(mut self, repeated: Repeated) -> PublishedCell {
        self.repeated = Some(repeated);
        self
    }

    /// Says what to know about it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> PublishedCell {
        self.note = note.into();
        self
    }

    /// Says which experiment explains why it is out of tolerance.
    #[must_use]
    pub fn explained(mut self, why: impl Into<String>) -> PublishedCell {
        self.explained = Some(why.into());
        self
    }

    /// Whether it is an average over all logs.
    pub fn is_average(&self) -> bool {
        self.log == PublishedCell::AVERAGE
    }

    /// Whether it was judged and found out of tolerance, explained or not.
    pub fn is_out(&self) -> bool {
        self.within == Some(false)
    }

    fn judged(mut self) -> PublishedCell {
        self.difference = self.paper.zip(self.ours).map(|(paper, ours)| ours - paper);
        self.within = match (self.paper, self.difference, self.tolerance) {
            (None, ..) | (_, Some(_), None) => None,
            (Some(_), None, _) => Some(false),
            (Some(_), Some(difference), Some(tolerance)) => Some(difference.abs() <= tolerance),
        };
        self
    }
}

/// The value, if it is a finite number.
pub(crate) fn finite(value: impl Into<Option<f64>>) -> Option<f64> {
    value.into().filter(|value| value.is_finite())
}
