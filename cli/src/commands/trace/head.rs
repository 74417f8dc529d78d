//! `queuecast trace head`: the first records of a trace, field by field.

use std::path::PathBuf;

use queuecast::report::{Answer, Cell, Column, ColumnKind, Document, Table};
use queuecast::trace::{Field, LogFormat, Record, Records};
use queuecast::workload::Names;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::commands::cleaning;
use crate::commands::loaded::number_of;
use crate::commands::source::Reading;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;
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

struct Head {
    table: Table,
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
    let table = table(&first, &records.names(), records.format());
    printer.answer(&Head {
        table: table.titled(format!("The first {} of {name}", number_of(first.len(), "record"))),
    })
}

fn table(records: &[Record], names: &Names, format: LogFormat) -> Table {
    let unit = |field: Field| match field {
        Field::Submit | Field::Wait | Field::Run | Field::Cpu | Field::RequestedTime | Field::ThinkTime => {
            Some("s")
        }
        Field::Memory | Field::RequestedMemory => Some("KB"),
        _ => None,
    };
    let mut columns: Vec<Column> = Vec::new();
    for field in Field::ALL {
        let column = Column::new(field.name(), ColumnKind::Integer).spare(spare(field));
        columns.push(match unit(field) {
            Some(unit) => column.unit(unit),
            None => column,
        });
    }
    if format == LogFormat::Sacct {
        columns.extend([Column::text("account"), Column::text("qos")]);
    }
    let rows: Vec<Vec<Cell>> = records.iter().map(|record| cells(record, names, format)).collect();
    // Columns without a known value are hidden in text.
    let mut unknown = Vec::new();
    for (place, column) in columns.iter_mut().enumerate() {
        if !rows.is_empty() && rows.iter().all(|row| row[place] == Cell::Missing) {
            column.detail = true;
            unknown.push(column.name.clone());
        }
    }
    let mut table = Table::new(columns);
    rows.into_iter().for_each(|row| table.row(row));
    if !unknown.is_empty() {
        table.note(format!("not known in any of them: {}", unknown.join(", ")));
    }
    table
}

/// Which columns a narrow page does without, the highest first.
fn spare(field: Field) -> u8 {
    match field {
        Field::PrecedingJob | Field::ThinkTime => 8,
        Field::Cpu => 7,
        Field::Memory | Field::RequestedMemory => 6,
        Field::Group => 5,
        Field::Partition => 4,
        Field::Status | Field::Executable => 3,
        Field::Queue => 2,
        Field::RequestedProcs => 1,
        _ => 0,
    }
}

fn cells(record: &Record, names: &Names, format: LogFormat) -> Vec<Cell> {
    let named = |number: i64, names: &std::collections::BTreeMap<u32, String>| {
        let name = u32::try_from(number).ok().and_then(|number| names.get(&number));
        match name {
            Some(name) => Cell::text(&**name),
            None if number >= 0 => Cell::Identifier(number),
            None => Cell::Missing,
        }
    };
    let mut cells: Vec<Cell> = Field::ALL
        .into_iter()
        .map(|field| match field {
            Field::Cpu if record.cpu >= 0.0 => Cell::number(record.cpu, 0),
            Field::User => named(record.user, &names.users),
            Field::Group => named(record.group, &names.groups),
            Field::Executable => named(record.executable, &names.executables),
            Field::Queue => named(record.queue, &names.queues),
            Field::Partition => named(record.partition, &names.partitions),
            field => record.known(field).map_or(Cell::Missing, Cell::Identifier),
        })
        .collect();
    if format == LogFormat::Sacct {
        cells.extend([named(record.account, &names.accounts), named(record.qos, &names.qos)]);
    }
    cells
}

impl Answer for Head {
    fn document(&self) -> Document {
        Document::new().with_table("records", self.table.clone())
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}

/// An array of objects, fields in file order; what is not known is null.
impl Serialize for Head {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.table.rows().len()))?;
        for row in self.table.rows() {
            array.serialize_element(&Object(self.table.columns(), row))?;
        }
        array.end()
    }
}

struct Object<'a>(&'a [Column], &'a [Cell]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.1.len()))?;
        for (column, cell) in self.0.iter().zip(self.1) {
            match *cell {
                Cell::Text(ref words) => object.serialize_entry(&column.key, words)?,
                Cell::Identifier(number) => object.serialize_entry(&column.key, &number)?,
                ref cell => object.serialize_entry(&column.key, &cell.value())?,
            }
        }
        object.end()
    }
}
