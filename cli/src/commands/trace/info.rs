//! `queuecast trace info`: summary of a trace before cleaning, and the behaviour of its users.

use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::inspection::{DescribedLog, DescribedLogs};
use queuecast_trace as trace;

use crate::commands::cleaning;
use crate::commands::source::Source;
use crate::plot::Plotting;

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

/// Reads and describes each.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let options = arguments.source.options();
    let inputs: Vec<&Path> = arguments.files.iter().map(PathBuf::as_path).collect();
    // A picture has the charts of the portrait; text has them only with --portrait.
    let no_plot = arguments.plotting.no_plot || !arguments.portrait;
    let plot = Plotting { no_plot, ..arguments.plotting.clone() }.plan(&inputs)?;
    let mut all = Vec::new();
    for path in &arguments.files {
        let mut input = Input::open(path, printer)?;
        let _progress = Progress::uncounted(printer, &format!("describing {}", input.name));
        let inspected =
            trace::inspect(&mut input, &options).map_err(|error| Failure::reading(&input.name, error))?;
        cleaning::warn_unreadable(&input.name, &inspected.info.reading, printer);
        all.push(DescribedLog::new(input.name, inspected, arguments.portrait));
    }
    plot.answer(&DescribedLogs::new(all), printer)
}
