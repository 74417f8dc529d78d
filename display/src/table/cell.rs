//! One value in a table.

use crate::{Page, page};
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::{duration, number};

/// One value, typed so that each format can show it its own way.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A whole number that names rather than counts, such as a job's: its thousands are never separated.
    Identifier(i64),
    /// A number, and how many decimals are shown.
    Number {
        /// The number.
        value: f64,
        /// Decimals in text; CSV and JSON have them all.
        decimals: u8,
    },
    /// A length of time in seconds; fractional, for means.
    Duration(f64),
    /// A share of one.
    Share(f64),
    /// Not known, or not defined.
    Missing,
}

impl Cell {
    /// Words.
    pub fn text(words: impl Into<String>) -> Cell {
        Cell::Text(words.into())
    }

    /// A count of something.
    pub fn count(count: impl TryInto<i64>) -> Cell {
        // Nothing is counted beyond i64::MAX.
        Cell::Integer(count.try_into().unwrap_or(i64::MAX))
    }

    /// A share of one, if it is known.
    pub fn share_of(share: Option<f64>) -> Cell {
        share.map_or(Cell::Missing, Cell::share)
    }

    /// A number; missing if it is not one.
    pub fn number(value: f64, decimals: u8) -> Cell {
        if value.is_nan() { Cell::Missing } else { Cell::Number { value, decimals } }
    }

    /// A length of time in seconds; missing if it is not a number.
    pub fn duration(seconds: f64) -> Cell {
        if seconds.is_nan() { Cell::Missing } else { Cell::Duration(seconds) }
    }

    /// A share of one; missing if it is not a number.
    pub fn share(share: f64) -> Cell {
        if share.is_nan() { Cell::Missing } else { Cell::Share(share) }
    }

    /// The number in it, if there is one.
    pub fn value(&self) -> Option<f64> {
        match *self {
            Cell::Integer(value) => Some(value as f64),
            Cell::Number { value, .. } | Cell::Duration(value) | Cell::Share(value) => Some(value),
            Cell::Text(_) | Cell::Identifier(_) | Cell::Missing => None,
        }
        .filter(|value| !value.is_nan())
    }

    /// In text: rounded, in human units, thousands separated.
    pub fn shown(&self, page: &Page) -> String {
        match *self {
            Cell::Text(ref words) => page::printable(words),
            Cell::Integer(value) => number::integer(value),
            Cell::Identifier(value) => value.to_string(),
            Cell::Number { value, decimals } if !value.is_nan() => {
                number::decimal(value, usize::from(decimals))
            }
            Cell::Duration(seconds) if !seconds.is_nan() => duration::about(seconds),
            Cell::Share(share) if !share.is_nan() => format!("{}%", number::decimal(share * 100.0, 1)),
            _ => page.pick("–", "-").to_owned(),
        }
    }

    /// In Markdown: as in text, without separating thousands.
    pub(super) fn plain(&self) -> String {
        let shown = self.shown(&Page::default());
        if matches!(self, Cell::Text(_)) { shown } else { shown.replace(',', "") }
    }

    /// For programs: every digit, seconds, fractions; empty if missing.
    pub fn raw(&self) -> String {
        match *self {
            Cell::Text(ref words) => words.clone(),
            Cell::Integer(value) | Cell::Identifier(value) => value.to_string(),
            Cell::Number { value, .. } | Cell::Duration(value) | Cell::Share(value) if !value.is_nan() => {
                number::raw(value)
            }
            _ => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Cell {
        Cell::Text(words.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(words: &String) -> Cell {
        Cell::Text(words.clone())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::count(count)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell::Integer(number)
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Cell {
        Cell::Text(words)
    }
}

impl From<Seconds> for Cell {
    fn from(length: Seconds) -> Cell {
        Cell::Duration(length.0 as f64)
    }
}

impl From<Procs> for Cell {
    fn from(procs: Procs) -> Cell {
        Cell::Integer(i64::from(procs.0))
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Missing, Into::into)
    }
}
