//! Which of several values is best.

/// Which of several values is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Best {
    /// None is.
    #[default]
    Unmarked,
    /// The lowest: waits, slowdowns.
    Lowest,
    /// The highest: utilization.
    Highest,
}

impl Best {
    /// The best of some values, those that are not finite left out.
    pub(crate) fn of(self, values: impl Iterator<Item = f64>) -> Option<f64> {
        let finite = values.filter(|value| value.is_finite());
        match self {
            Best::Unmarked => None,
            Best::Lowest => finite.reduce(f64::min),
            Best::Highest => finite.reduce(f64::max),
        }
    }
}
