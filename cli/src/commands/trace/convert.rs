//! `queuecast trace convert`: any trace that can be read, in the Standard Workload Format, compressed or not.

use std::io::Write;
use std::path::PathBuf;

use queuecast::report::{Answer, Cell, Column, Document, Format, Table};
use queuecast::trace::{self, CleaningReport, Rule, TraceError};
use serde::Serialize;

use crate::commands::cleaning;
use crate::commands::loaded::number_of;
use crate::commands::source::Reading;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::PlannedFile;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec;

/// Write a trace in the Standard Workload Format: from sacct, or compressed another way
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The same as --output
    #[arg(value_name = "OUT.swf", conflicts_with = "output")]
    pub into: Option<PathBuf>,
    /// Where to write it; .gz and .zst compress it; by default standard output, plain
    #[arg(short, long, value_name = "OUT.swf")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Processors of the machine, for the header: instead of what it says, or where it says nothing
    #[arg(long, value_name = "N", help_heading = "Reading the trace")]
    #[arg(value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
}

#[derive(Debug, Serialize)]
struct ConvertAnswer<'a> {
    version: &'static str,
    source: &'a str,
    output: &'a str,
    records: u64,
    reading: &'a CleaningReport,
}

/// Converts. With a file as target, the report goes to standard output; without, the trace does, and the report goes to
/// standard error.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let path = arguments.output.as_deref().or(arguments.into.as_deref());
    if path.is_none() && printer.format() != Format::Text {
        let what = format!("a trace on standard output cannot be written as {}", printer.format());
        return Err(Failure::usage(what).hint("with --output FILE, --format is that of the report"));
    }
    let planned = path.map(|path| PlannedFile::new(path, &[&arguments.file])).transpose()?;
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
        let (source, output, reading) = (name.as_str(), target.as_str(), &done.report);
        let version = env!("CARGO_PKG_VERSION");
        return printer.answer(&ConvertAnswer { version, source, output, records: done.records, reading });
    }
    let mut done = trace::convert(&mut input, printer.stdout(), &options).map_err(refused)?;
    done.sink.flush().map_err(|cause| Failure::writing(&target, cause))?;
    cleaning::warn_unreadable(&name, &done.report, printer);
    printer.note(&format!("{name}: {}", cleaning::reading(&done.report)));
    wide_numbers(&done.report).iter().for_each(|text| printer.note(text));
    printer.note(&written(done.records, &target));
    Ok(())
}

fn written(records: u64, target: &str) -> String {
    format!("{} written to {target}", number_of(usize::try_from(records).unwrap_or(usize::MAX), "record"))
}

/// What becomes of users and other identities whose numbers do not fit into 32 bits, if there are any.
fn wide_numbers(report: &CleaningReport) -> Option<String> {
    let rule = report.rule(Rule::IdentifierRange)?;
    let first = rule.example.as_ref().map_or_else(String::new, |example| format!(" (first: {example})"));
    Some(format!(
        "numbers beyond 32 bits are written as they are{first}; commands that simulate number that column 1, 2, … by appearance"
    ))
}

impl Answer for ConvertAnswer<'_> {
    fn document(&self) -> Document {
        let ConvertAnswer { source, output, records, reading, .. } = *self;
        let mut lines = vec![format!("{source}: {}", cleaning::reading(reading))];
        lines.extend(wide_numbers(reading));
        lines.push(written(records, output));
        Document::new().with_paragraph(lines.join("\n"))
    }

    fn table(&self) -> Table {
        let columns = [
            Column::text("source"),
            Column::text("output"),
            Column::integer("lines"),
            Column::integer("records"),
            Column::text("rules"),
        ];
        let count = |count: u64| Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX));
        let rules = self.reading.rules.iter().map(|rule| format!("{} {}", rule.rule, rule.count));
        let mut table = Table::new(columns);
        table.row([
            Cell::text(self.source),
            Cell::text(self.output),
            count(self.reading.lines),
            count(self.records),
            Cell::text(rules.collect::<Vec<_>>().join(" ")),
        ]);
        table
    }
}
