//! `queuecast trace convert`: any trace that can be read, in the Standard Workload Format, compressed or not.

use std::path::PathBuf;

use queuecast::trace::{self, Converted, TraceError};

use crate::commands::cleaning;
use crate::commands::source::Reading;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::printer::Printer;

/// Write a trace in the Standard Workload Format: from sacct, or compressed another way
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to write it; .gz and .zst compress it; by default standard output, plain
    #[arg(short, long, value_name = "OUT.swf")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Processors of the machine, for the header of a trace made from accounting records
    #[arg(long, value_name = "N", help_heading = "Reading the trace")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub procs: Option<u32>,
}

/// Converts; what could not be written is said on standard error.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let output =
        arguments.output.as_deref().map(|path| Output::create(path, &[&arguments.file])).transpose()?;
    let mut input = Input::open(&arguments.file, printer)?;
    let options = arguments.reading.options(arguments.procs);
    let (name, target) = (
        input.name.clone(),
        output.as_ref().map_or_else(|| "standard output".to_owned(), |output| output.name().to_owned()),
    );
    let refused = |error| match error {
        TraceError::Write(cause) => Failure::writing(&target, cause),
        error => Failure::reading(&name, error),
    };
    let (records, report) = match output {
        Some(output) => {
            let Converted { sink, records, report } =
                trace::convert(&mut input, output, &options).map_err(refused)?;
            sink.commit()?;
            (records, report)
        }
        None => {
            let done = trace::convert(&mut input, printer.stdout(), &options).map_err(refused)?;
            (done.records, done.report)
        }
    };
    printer.note(&format!("{name}: {}", cleaning::reading(&report)));
    printer.note(&format!("{records} records written to {target}"));
    Ok(())
}
