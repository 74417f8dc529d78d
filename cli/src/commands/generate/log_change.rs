//! Commands that read a log, change it and write it: the options and the steps they share.

use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_synth::synth::generate::{GenerateError, Generated, NamedLog};

use super::errors::{self, OPTIONS};
use super::output::OutputOption;
use crate::commands::cleaning;
use crate::commands::loaded::Loaded;
use crate::commands::source::Source;

/// The log, and where the changed one goes.
#[derive(Debug, clap::Args)]
pub struct LogChange {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "TRACE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub output: OutputOption,
}

impl LogChange {
    /// Reads the log, changes it, and writes it with its comments and a record of the change.
    pub fn run(
        &self,
        change: impl FnOnce(&NamedLog<'_>) -> Result<Generated, GenerateError>,
        invocation: &Invocation,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let place = self.output.plan(&[&self.file], printer)?;
        let trace = Loaded::read(&self.file, &self.source, printer)?;
        let report = &trace.log.report;
        cleaning::note(&trace.name, report, cleaning::Overrun::Kept, printer);
        let cleaning: Vec<String> = report.to_string().lines().map(|line| line.trim().to_owned()).collect();
        let progress = Progress::uncounted(printer, "generating");
        let generated = change(&named(&trace, &cleaning))
            .map_err(|error| errors::failure(error, OPTIONS, Some(&trace.name)))?;
        drop(progress);
        let header = (!trace.log.format.is_accounting()).then_some(&trace.log.header);
        place.write(&generated, header, Some(&trace.name), invocation, printer)
    }
}

/// A log by the name of its file, without directories, so that the same log gives the same bytes anywhere.
pub fn named<'a>(trace: &'a Loaded, cleaning: &'a [String]) -> NamedLog<'a> {
    let name = Path::new(&trace.name).file_name().and_then(|name| name.to_str());
    NamedLog { name: name.unwrap_or(&trace.name), workload: &trace.log.workload, cleaning }
}
