//! The Standard Workload Format among the formats of logs.

use super::reader::{SwfReader, column_names};
use crate::columns::{numbers, second_line};
use crate::error::TraceError;
use crate::lines::Lines;
use crate::options::{Detected, Evidence, FormatOrigin, FormatRow, LogFormat, ReadOptions};
use crate::parsed::RecordReader;

impl LogFormat {
    /// The Standard Workload Format.
    pub const SWF: LogFormat = LogFormat(&FormatRow {
        name: "SWF",
        word: "swf",
        title: "the Standard Workload Format",
        origin: FormatOrigin::Files(".swf"),
        is_accounting: false,
        detect,
        open,
        place: |field| format!("SWF field {}", field.column()),
        remedy: |_| "a record of the Standard Workload Format is 18 numbers separated by blanks, comments begin with a semicolon",
    });
}

fn detect(beginning: &[u8], line: &[u8]) -> Option<Detected> {
    let evidence = if line.starts_with(b";") {
        Evidence::Mark
    } else if column_names(line).is_some() && second_line(beginning).is_some_and(|row| numbers(row) >= 10) {
        Evidence::Table
    } else if numbers(line) >= 2 {
        Evidence::Values
    } else {
        return None;
    };
    Some(Detected { evidence, refused: None })
}

fn open(_: &mut Lines<'_>, _: &ReadOptions) -> Result<Box<dyn RecordReader>, TraceError> {
    Ok(Box::new(SwfReader::default()))
}
