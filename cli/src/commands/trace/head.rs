//! `queuecast trace head`: the first records of a trace, field by field.

use std::path::PathBuf;

use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_report::head::FirstRecords;
use queuecast_trace::{Record, Records};

use crate::commands::cleaning;
use crate::commands::source::Reading;
use crate::spec;

/// Show the first records of a trace as a table, as they are, before any cleaning
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How many records
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    #[arg(value_parser = spec::at_least::<0, usize>)]
    pub jobs: usize,
    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the first records and shows them.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let input = Input::open(&arguments.file, printer)?;
    let name = input.name.clone();
    let refused = |error| Failure::reading(&name, error);
    let options = arguments.reading.options(None);
    let mut records = Records::open(input, &options).map_err(refused)?;
    let first: Vec<Record> =
        records.by_ref().take(arguments.jobs).collect::<Result<_, _>>().map_err(refused)?;
    let reading = records.counts().report(&options.ruleset, records.data_lines(), None);
    cleaning::warn_unreadable(&name, &reading, printer);
    let head = FirstRecords::new(&first, &records.names(), records.format(), &name);
    printer.answer(&head)
}
