//! What is in logs: each before cleaning, and the behaviour of its users.

mod row;
mod summary;
mod survey;
mod tables;

use crate::portrait::add_charts;
use crate::{Answer, Document, Table};
use queuecast_synth::characterization::Characterization;
use queuecast_trace::{CleaningReport, Info, Inspected};
use serde::Serialize;

/// One log, described.
#[derive(Debug, Serialize)]
pub struct DescribedLog {
    source: String,
    #[serde(flatten)]
    info: Info,
    /// What was done to the records before the portrait was made; `None` if that left no jobs.
    cleaning: Option<CleaningReport>,
    portrait: Option<Characterization>,
    /// Whether all tables of the portrait are shown.
    #[serde(skip)]
    in_full: bool,
}

/// Several logs, described: one object for one of them, an array for several.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DescribedLogs {
    /// The only one.
    One(Box<DescribedLog>),
    /// Any other number.
    Several(Vec<DescribedLog>),
}

impl DescribedLog {
    /// What was found in the log of this name; `in_full` with all tables of the portrait.
    pub fn new(source: String, inspected: Inspected, in_full: bool) -> DescribedLog {
        let Inspected { info, log } = inspected;
        let portrait = log.as_ref().map(|log| Characterization::of(&log.workload));
        DescribedLog { source, info, cleaning: log.map(|log| log.report), portrait, in_full }
    }

    fn add(&self, document: Document) -> Document {
        let mut document = survey::add(document, self).with_table("portrait", summary::table(self));
        if let Some(portrait) = &self.portrait {
            if self.in_full {
                document = tables::add(document, portrait, self.info.epoch);
            }
            document = add_charts(document, portrait);
        }
        survey::add_reading(document, &self.info.reading)
    }
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
        self.all().iter().fold(Document::new(), |document, one| one.add(document))
    }

    /// One row per log.
    fn table(&self) -> Table {
        Table::records(self.all().iter().map(row::of))
    }
}

/// A user by name, or by number where the log has no names.
fn user(number: u32, name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| format!("user {number}"))
}
