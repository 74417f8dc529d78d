//! `queuecast trace info`: summary of a trace before cleaning, and the behaviour of its users.

mod described;
mod row;
mod summary;
mod survey;
mod tables;

use std::path::{Path, PathBuf};

use queuecast::characterization::Characterization;
use queuecast::report::{Answer, Document, Table};
use queuecast::trace::{self, Inspected};
use serde::Serialize;

use self::described::Described;
use crate::commands::cleaning;
use crate::commands::portrait::add_charts;
use crate::commands::source::Source;
use crate::failure::Failure;
use crate::input::Input;
use crate::plot::Plotting;
use crate::printer::Printer;
use crate::progress::Progress;

/// Describe traces: machine, period, load, users, run times, requested times and habits, and what is wrong
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The traces, compressed or not; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Add all tables and charts on requested times, users, sessions and flurries; JSON always has what they show
    #[arg(long, help_heading = "Results")]
    pub portrait: bool,
    #[command(flatten)]
    pub plotting: Plotting,
    #[command(flatten)]
    pub source: Source,
}

/// One object for one trace, an array for several.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum InfoAnswer {
    One(Box<Described>),
    Several(Vec<Described>),
}

/// Reads and describes each.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let options = arguments.source.options();
    let inputs: Vec<&Path> = arguments.files.iter().map(PathBuf::as_path).collect();
    // A picture has the charts of the portrait; text has them only with --portrait.
    let no_plot = arguments.plotting.no_plot || !arguments.portrait;
    let plot = Plotting { no_plot, ..arguments.plotting.clone() }.plan(&inputs)?;
    let in_full = arguments.portrait;
    let mut all = Vec::new();
    for path in &arguments.files {
        let mut input = Input::open(path, printer)?;
        let _progress = Progress::uncounted(printer, &format!("describing {}", input.name));
        let Inspected { info, log } =
            trace::inspect(&mut input, &options).map_err(|error| Failure::reading(&input.name, error))?;
        cleaning::warn_unreadable(&input.name, &info.reading, printer);
        let portrait = log.as_ref().map(|log| Characterization::of(&log.workload));
        let cleaning = log.map(|log| log.report);
        all.push(Described { source: input.name, info, cleaning, portrait, in_full });
    }
    let answer = match all.pop() {
        Some(only) if all.is_empty() => InfoAnswer::One(Box::new(only)),
        last => InfoAnswer::Several(all.into_iter().chain(last).collect()),
    };
    plot.answer(&answer, printer)
}

impl InfoAnswer {
    fn all(&self) -> &[Described] {
        match self {
            InfoAnswer::One(described) => std::slice::from_ref(described),
            InfoAnswer::Several(all) => all,
        }
    }
}

impl Answer for InfoAnswer {
    fn document(&self) -> Document {
        self.all().iter().fold(Document::new(), add)
    }

    /// One row per trace.
    fn table(&self) -> Table {
        row::table(self.all())
    }
}

/// Adds the description of one trace.
fn add(document: Document, described: &Described) -> Document {
    let mut document = survey::add(document, described);
    document = document.with_table("portrait", summary::table(described));
    if let Some(portrait) = &described.portrait {
        if described.in_full {
            document = tables::add(document, portrait, described.info.epoch);
        }
        document = add_charts(document, portrait);
    }
    survey::add_reading(document, described)
}
