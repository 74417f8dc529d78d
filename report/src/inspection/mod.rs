//! What is in logs: each before cleaning, and the behaviour of its users.

mod described;
mod row;
mod summary;
mod survey;
mod tables;

use crate::portrait::add_charts;
use crate::{Answer, Document, Table};
use serde::Serialize;

pub use described::DescribedLog;

/// Several logs, described: one object for one of them, an array for several.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DescribedLogs {
    /// The only one.
    One(Box<DescribedLog>),
    /// Any other number.
    Several(Vec<DescribedLog>),
}

impl DescribedLogs {
    /// Of these logs.
    pub fn new(mut all: Vec<DescribedLog>) -> DescribedLogs {
        match all.pop() {
            Some(only) if all.is_empty() => DescribedLogs::One(Box::new(only)),
            last => DescribedLogs::Several(all.into_iter().chain(last).collect()),
        }
    }

    fn all(&self) -> &[DescribedLog] {
        match self {
            DescribedLogs::One(described) => std::slice::from_ref(described),
            DescribedLogs::Several(all) => all,
        }
    }
}

impl Answer for DescribedLogs {
    fn document(&self) -> Document {
        self.all().iter().fold(Document::new(), add)
    }

    /// One row per log.
    fn table(&self) -> Table {
        Table::records(self.all().iter().map(row::of))
    }
}

/// Adds the description of one log.
fn add(document: Document, log: &DescribedLog) -> Document {
    let mut document = survey::add(document, log).with_table("portrait", summary::table(log));
    if let Some(portrait) = &log.portrait {
        if log.in_full {
            document = tables::add(document, portrait, log.info.epoch);
        }
        document = add_charts(document, portrait);
    }
    survey::add_reading(document, &log.info.reading)
}
