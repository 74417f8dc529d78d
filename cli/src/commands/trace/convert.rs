//! `queuecast trace convert`: any trace that can be read, in the Standard Workload Format, compressed or not.

use std::io::Write;
use std::path::PathBuf;

use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::Format;
use queuecast_report::conversion::ConvertedLog;
use queuecast_trace as trace;
use queuecast_trace::TraceError;

use crate::commands::cleaning;
use crate::commands::replacing::Replacing;
use crate::commands::source::Reading;
use crate::spec;

/// Write a trace in the Standard Workload Format: from sacct, or compressed another way
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to write it, as --output
    #[arg(value_name = "OUT.swf", conflicts_with = "output")]
    pub into: Option<PathBuf>,
    /// Where to write it; .gz and .zst compress it; by default standard output, plain
    #[arg(short, long, value_name = "OUT.swf")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub reading: Reading,
    /// Processors of the machine, for the header: instead of what it says, or where it says nothing
    #[arg(long, value_name = "N", help_heading = "Reading the trace")]
    #[arg(value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
}

/// Converts. With a file as target, the report goes to standard output; without, the trace does, and the report goes to
/// standard error.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let path = arguments.output.as_deref().or(arguments.into.as_deref());
    if path.is_none() && printer.format() != Format::Text {
        let what = format!("a trace on standard output cannot be written as {}", printer.format());
        return Err(Failure::usage(what).hint("with --output FILE, --format is that of the report"));
    }
    let planned = arguments.replacing.plan(path, &[&arguments.file])?;
    let mut input = Input::open(&arguments.file, printer)?;
    let options = arguments.reading.options(arguments.procs);
    let (name, target) = (
        input.name.clone(),
        planned.as_ref().map_or_else(|| "standard output".to_owned(), |planned| planned.name().to_owned()),
    );
    let refused = |error| match error {
        TraceError::Write(cause) => Failure::writing(&target, cause),
        error => Failure::reading(&name, error),
    };
    if let Some(planned) = planned {
        let progress = Progress::uncounted(printer, &format!("converting {name}"));
        let done = trace::convert(&mut input, planned.begin()?, &options).map_err(refused)?;
        done.sink.commit()?;
        drop(progress);
        cleaning::warn_unreadable(&name, &done.report, printer);
        return printer.answer(&ConvertedLog::new(&name, &target, done.records, &done.report));
    }
    let mut done = trace::convert(&mut input, printer.stdout(), &options).map_err(refused)?;
    done.sink.flush().map_err(|cause| Failure::writing(&target, cause))?;
    cleaning::warn_unreadable(&name, &done.report, printer);
    let converted = ConvertedLog::new(&name, &target, done.records, &done.report);
    converted.lines().iter().for_each(|line| printer.note(line));
    Ok(())
}
