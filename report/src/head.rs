//! The first records of a log, field by field.

use std::collections::BTreeMap;

use super::words::number_of;
use super::{Answer, Cell, Column, ColumnKind, Document, Table};
use queuecast_core::workload::Names;
use queuecast_trace::{Field, LogFormat, Record};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// Records as they are, before any cleaning.
#[derive(Debug)]
pub struct FirstRecords(Table);

impl FirstRecords {
    /// These records of the log called `name`.
    pub fn new(records: &[Record], names: &Names, format: LogFormat, name: &str) -> FirstRecords {
        let title = format!("The first {} of {name}", number_of(records.len(), "record"));
        FirstRecords(table(records, names, format).titled(title))
    }
}

fn table(records: &[Record], names: &Names, format: LogFormat) -> Table {
    let mut columns: Vec<Column> = Field::ALL.into_iter().map(column).collect();
    if format.is_accounting() {
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

/// A column; those that a narrow page does without, the highest rank first.
fn column(field: Field) -> Column {
    let (unit, spare) = match field {
        Field::PrecedingJob => ("", 8),
        Field::ThinkTime => ("s", 8),
        Field::Cpu => ("s", 7),
        Field::Memory | Field::RequestedMemory => ("KB", 6),
        Field::Group => ("", 5),
        Field::Partition => ("", 4),
        Field::Status | Field::Executable => ("", 3),
        Field::Queue => ("", 2),
        Field::RequestedProcs => ("", 1),
        Field::Submit | Field::Wait | Field::Run | Field::RequestedTime => ("s", 0),
        _ => ("", 0),
    };
    let column = Column::new(field.name(), ColumnKind::Integer).spare(spare);
    if unit.is_empty() { column } else { column.unit(unit) }
}

fn cells(record: &Record, names: &Names, format: LogFormat) -> Vec<Cell> {
    let named = |number: i64, names: &BTreeMap<u32, String>| {
        let name = u32::try_from(number).ok().and_then(|number| names.get(&number));
        match name {
            Some(name) => Cell::text(&**name),
            None if number >= 0 => Cell::Identifier(number),
            None => Cell::Missing,
        }
    };
    let known = |field: Field| match field {
        Field::Cpu if record.cpu >= 0.0 => Cell::number(record.cpu, 0),
        Field::User => named(record.user, &names.users),
        Field::Group => named(record.group, &names.groups),
        Field::Executable => named(record.executable, &names.executables),
        Field::Queue => named(record.queue, &names.queues),
        Field::Partition => named(record.partition, &names.partitions),
        field => record.known(field).map_or(Cell::Missing, Cell::Identifier),
    };
    let mut cells: Vec<Cell> = Field::ALL.into_iter().map(known).collect();
    if format.is_accounting() {
        cells.extend([named(record.account, &names.accounts), named(record.qos, &names.qos)]);
    }
    cells
}

impl Answer for FirstRecords {
    fn document(&self) -> Document {
        Document::new().with_table("records", self.0.clone())
    }

    fn table(&self) -> Table {
        self.0.clone()
    }
}

/// An array of objects, fields in file order; what is not known is null.
impl Serialize for FirstRecords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.0.rows().len()))?;
        for row in self.0.rows() {
            array.serialize_element(&RecordObject(self.0.columns(), row))?;
        }
        array.end()
    }
}

struct RecordObject<'a>(&'a [Column], &'a [Cell]);

impl Serialize for RecordObject<'_> {
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
