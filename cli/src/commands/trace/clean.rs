//! `queuecast trace clean`: apply cleaning rules, say what each did, and write what is left.

use std::path::PathBuf;

use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::output::PlannedFile;
use queuecast_process::printer::{self, Printer};
use queuecast_process::progress::Progress;
use queuecast_report::conversion::CleanedLog;
use queuecast_trace as trace;
use queuecast_trace::TraceError;

use crate::commands::cleaning;
use crate::commands::replacing::Replacing;
use crate::commands::source::Source;

/// Apply a set of cleaning rules, report what each removed or changed and why, and write the result
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to write the cleaned trace, as SWF; .gz and .zst compress it; without it, only report
    #[arg(short, long, value_name = "OUT.swf")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub replacing: Replacing,
    /// Also write the report as JSON
    #[arg(long, value_name = "OUT.json")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub source: Source,
}

/// Cleans, writes, reports.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    if arguments.output.is_some() && arguments.output == arguments.report {
        return Err(Failure::usage("--output and --report name the same file"));
    }
    let inputs = [arguments.file.as_path()];
    let output = arguments.replacing.plan(arguments.output.as_deref(), &inputs)?;
    let report = PlannedFile::asked(arguments.report.as_deref(), &inputs)?;
    let mut input = Input::open(&arguments.file, printer)?;
    let progress = Progress::uncounted(printer, &format!("cleaning {}", input.name));
    let cleaned = trace::clean(&mut input, &arguments.source.options())
        .map_err(|error| Failure::reading(&input.name, error))?;
    drop(progress);
    cleaning::warn_unreadable(&input.name, &cleaned.report, printer);
    let target = output.as_ref().map(|output| output.name().to_owned());
    let done = CleanedLog::new(&input.name, target.as_deref(), cleaned.machine, &cleaned.report);
    if let Some(output) = output {
        let name = output.name().to_owned();
        let refused = |error| match error {
            TraceError::Write(cause) => Failure::writing(&name, cause),
            error => Failure::reading(&input.name, error),
        };
        cleaned.write_swf(output.begin()?).map_err(refused)?.commit()?;
    }
    if let Some(report) = report {
        report.write(&printer::json(&done)?)?;
    }
    printer.answer(&done)
}
