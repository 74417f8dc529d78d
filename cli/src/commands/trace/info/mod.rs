//! `queuecast trace info`: what is in a trace before anybody touches it, and what the people in it do.

mod charts;
mod row;
mod summary;
mod survey;
mod tables;

use std::path::PathBuf;

use queuecast::characterization::Characterization;
use queuecast::report::{Cell, Document, Page, Table};
use queuecast::trace::{self, CleaningReport, Info, Inspected};
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::source::Source;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;

/// Describe traces: machine, period, load, users, run times, estimates and habits, and what is wrong
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The traces, compressed or not; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Add all tables and charts on estimates, users, sessions and flurries; JSON always has what they show
    #[arg(long, help_heading = "Results")]
    pub portrait: bool,
    /// Leave out the charts
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
    #[command(flatten)]
    pub source: Source,
}

#[derive(Debug, Serialize)]
struct Described {
    source: String,
    #[serde(flatten)]
    info: Info,
    /// What was done to the records before the portrait was made; `None` if that left no jobs.
    cleaning: Option<CleaningReport>,
    portrait: Option<Characterization>,
    #[serde(skip)]
    shown: Shown,
}

/// How much people want to see.
#[derive(Debug, Clone, Copy)]
struct Shown {
    portrait: bool,
    plot: bool,
}

/// One object for one trace, an array for several.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answered {
    One(Box<Described>),
    Several(Vec<Described>),
}

/// Reads and describes each.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let options = arguments.source.options();
    let shown = Shown { portrait: arguments.portrait, plot: arguments.portrait && !arguments.no_plot };
    let mut all = Vec::new();
    for path in &arguments.files {
        let mut input = Input::open(path, printer)?;
        let Inspected { info, log } =
            trace::inspect(&mut input, &options).map_err(|error| Failure::reading(&input.name, error))?;
        let portrait = log.as_ref().map(|log| Characterization::of(&log.workload));
        let cleaning = log.map(|log| log.report);
        all.push(Described { source: input.name, info, cleaning, portrait, shown });
    }
    printer.answer(&match all.pop() {
        Some(only) if all.is_empty() => Answered::One(Box::new(only)),
        last => Answered::Several(all.into_iter().chain(last).collect()),
    })
}

impl Answered {
    fn all(&self) -> &[Described] {
        match self {
            Answered::One(described) => std::slice::from_ref(described),
            Answered::Several(all) => all,
        }
    }
}

impl Answer for Answered {
    fn document(&self) -> Document {
        self.all().iter().fold(Document::new(), |document, described| described.added_to(document))
    }

    /// One row per trace.
    fn table(&self) -> Table {
        row::table(self.all())
    }
}

impl Described {
    fn added_to(&self, document: Document) -> Document {
        let mut document = survey::add(document, self);
        document = document.with_table("portrait", summary::table(self));
        if let Some(portrait) = self.portrait.as_ref().filter(|_| self.shown.portrait) {
            document = tables::add(document, portrait, self.info.epoch);
            if self.shown.plot {
                document = charts::add(document, portrait);
            }
        }
        survey::add_reading(document, self)
    }
}

fn whole(count: u64) -> Cell {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A count in words.
fn counted(count: u64) -> String {
    whole(count).shown(&Page::default())
}

/// A share in words.
fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

/// A user by name, or by number where the log has no names.
fn user(number: u32, name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| format!("user {number}"))
}
