//! `queuecast trace info`: what is in a trace, before anybody cleans it.

use std::path::PathBuf;

use queuecast::report::{Cell, Column, Document, Page, Table, date, duration};
use queuecast::trace::{self, Distribution, Info};
use queuecast::units::Seconds;
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::cleaning;
use crate::commands::source::Reading;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;
use crate::spec;

/// Describe traces: machine, period, load, users, requested and actual run times, and what is wrong
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The traces, compressed or not; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Processors of the machine; by default what the trace's header says, else the largest job's
    #[arg(long, value_name = "N", help_heading = "Reading the trace")]
    #[arg(value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Described {
    source: String,
    #[serde(flatten)]
    info: Info,
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
    let options = arguments.reading.options(arguments.procs);
    let mut all = Vec::new();
    for path in &arguments.files {
        let mut input = Input::open(path, printer)?;
        let info =
            trace::describe(&mut input, &options).map_err(|error| Failure::reading(&input.name, error))?;
        all.push(Described { source: input.name, info });
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
        let mut table = Table::new([
            Column::text("source"),
            Column::text("format"),
            Column::integer("records"),
            Column::integer("unreadable"),
            Column::integer("procs"),
            Column::integer("epoch"),
            Column::integer("first_submit"),
            Column::integer("last_submit"),
            Column::integer("last_end"),
            Column::share("offered_load"),
            Column::integer("users"),
            Column::integer("groups"),
            Column::integer("executables"),
            Column::integer("queues"),
            Column::integer("partitions"),
            Column::integer("unfinished"),
            Column::integer("runs_above_request"),
            Column::duration("mean_run").key("mean_run"),
            Column::duration("mean_request").key("mean_request"),
            Column::duration("mean_wait").key("mean_wait"),
        ]);
        for Described { source, info } in self.all() {
            let instant = |time: Option<i64>| time.map_or(Cell::Missing, Cell::Identifier);
            let mean = |of: &Option<Distribution>| {
                of.as_ref().map_or(Cell::Missing, |distribution| Cell::duration(distribution.mean))
            };
            let distinct = &info.distinct;
            table.row([
                Cell::text(&**source),
                Cell::text(info.format.name()),
                whole(info.records),
                whole(info.reading.removed),
                info.machine.map_or(Cell::Missing, |machine| machine.procs.into()),
                instant(info.epoch),
                instant(info.first_submit),
                instant(info.last_submit),
                instant(info.last_end),
                info.offered_load.map_or(Cell::Missing, Cell::share),
                Cell::count(distinct.users),
                Cell::count(distinct.groups),
                Cell::count(distinct.executables),
                Cell::count(distinct.queues),
                Cell::count(distinct.partitions),
                whole(info.unfinished),
                whole(info.runs_above_request),
                mean(&info.runs),
                mean(&info.requests),
                mean(&info.waits),
            ]);
        }
        table
    }
}

impl Described {
    fn added_to(&self, document: Document) -> Document {
        let document = document
            .with_table("trace", self.facts())
            .with_table("distributions", self.distributions())
            .with_table("fields", self.fields());
        let said = cleaning::reading(&self.info.reading);
        if self.info.reading.rules.is_empty() {
            return document.with_paragraph(said);
        }
        document.with_table("reading", cleaning::table(&self.info.reading).titled(said))
    }

    fn facts(&self) -> Table {
        let info = &self.info;
        let header = &info.header;
        let mut facts: Vec<(Column, Cell)> = Vec::new();
        let mut say = |name: &str, value: Cell| facts.push((Column::text(name), value));
        say("format", Cell::text(format!("{}, {}", info.format, info.compression)));
        for (name, value) in [("computer", &header.computer), ("installation", &header.installation)] {
            if let Some(value) = value {
                say(name, Cell::text(&**value));
            }
        }
        say("records", whole(info.records));
        say("machine", info.machine.map_or(Cell::Missing, |machine| Cell::text(machine.to_string())));
        say("submitted", Cell::text(self.period()));
        say("offered load", info.offered_load.map_or(Cell::Missing, Cell::share));
        let distinct = &info.distinct;
        let kinds = [
            ("users", distinct.users),
            ("groups", distinct.groups),
            ("accounts", distinct.accounts),
            ("executables", distinct.executables),
            ("queues", distinct.queues),
            ("partitions", distinct.partitions),
            ("QOS", distinct.qos),
        ];
        for (name, count) in kinds.into_iter().filter(|(_, count)| *count > 0) {
            say(name, Cell::count(count));
        }
        let statuses: Vec<String> = info
            .statuses
            .iter()
            .map(|(&status, count)| format!("{} {}", whole(*count).shown(&Page::default()), words(status)))
            .collect();
        say("ended", Cell::text(statuses.join(", ")));
        say("not ended", whole(info.unfinished));
        say("longer than requested", whole(info.runs_above_request));
        for thanks in &header.acknowledge {
            say("acknowledge", Cell::text(thanks.replace('\n', " ")));
        }
        Table::facts(facts).titled(&*self.source)
    }

    fn period(&self) -> String {
        let info = &self.info;
        let (Some(first), Some(last)) = (info.first_submit, info.last_submit) else {
            return "never".to_owned();
        };
        let length = duration::human(Seconds(last - first));
        let day = |time: i64| info.epoch.and_then(|epoch| date::day(epoch.saturating_add(time)));
        match (day(first), day(last)) {
            (Some(from), Some(until)) => format!("{from} to {until} ({length})"),
            _ => format!("over {length}"),
        }
    }

    fn distributions(&self) -> Table {
        let mut columns = vec![Column::text(""), Column::integer("known")];
        columns
            .extend(["mean", "min", "10%", "25%", "median", "75%", "90%", "99%", "max"].map(Column::number));
        let mut table = Table::new(columns);
        let info = &self.info;
        let count = |value: f64| Cell::number(value, 0);
        for (name, distribution, show) in [
            ("processors", &info.sizes, count as fn(f64) -> Cell),
            ("run time", &info.runs, Cell::duration),
            ("requested time", &info.requests, Cell::duration),
            ("wait", &info.waits, Cell::duration),
        ] {
            let Some(one) = distribution else { continue };
            let mut row = vec![Cell::text(name), whole(one.count)];
            row.push(if name == "processors" { Cell::number(one.mean, 1) } else { show(one.mean) });
            let ranks = [one.min, one.p10, one.p25, one.median, one.p75, one.p90, one.p99, one.max];
            row.extend(ranks.map(|value| show(value as f64)));
            table.row(row);
        }
        table
    }

    fn fields(&self) -> Table {
        let mut table = Table::new([
            Column::integer("column"),
            Column::text("field"),
            Column::integer("known"),
            Column::share("of records"),
        ]);
        for field in &self.info.fields {
            let share = if self.info.records == 0 {
                Cell::Missing
            } else {
                Cell::share(field.known as f64 / self.info.records as f64)
            };
            table.row([Cell::count(field.column), Cell::text(field.name), whole(field.known), share]);
        }
        table
    }
}

/// What the format's status codes mean.
fn words(status: i64) -> String {
    match status {
        0 => "failed".to_owned(),
        1 => "completed".to_owned(),
        2 => "partial".to_owned(),
        3 => "completed in parts".to_owned(),
        4 => "failed in parts".to_owned(),
        5 => "cancelled".to_owned(),
        ..0 => "unknown".to_owned(),
        other => format!("with status {other}"),
    }
}

fn whole(count: u64) -> Cell {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}
