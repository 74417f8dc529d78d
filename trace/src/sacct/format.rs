//! What `sacct` prints among the formats of logs.

use super::columns::behind;
use super::reader::Sacct;
use crate::columns::{Delimiter, columns, delimiter};
use crate::error::TraceError;
use crate::lines::Lines;
use crate::options::{Detected, Evidence, FormatOrigin, FormatRow, LogFormat, ReadOptions};
use crate::parsed::RecordReader;

impl LogFormat {
    /// Text that `sacct -P` prints.
    pub const SACCT: LogFormat = LogFormat(&FormatRow {
        name: "sacct",
        word: "sacct",
        title: "Slurm's accounting",
        origin: FormatOrigin::Command("sacct -P"),
        is_accounting: true,
        detect,
        open,
        place: |field| format!("sacct column {}", behind(field)),
        remedy,
    });
}

fn detect(_: &[u8], line: &[u8]) -> Option<Detected> {
    let is_number =
        |name: &[u8]| name.eq_ignore_ascii_case(b"JobID") || name.eq_ignore_ascii_case(b"JobIDRaw");
    if !columns(line).any(is_number) {
        return None;
    }
    let is_delimited = delimiter(line).is_some_and(|delimiter| delimiter != Delimiter::byte(b' '));
    let refused = (!is_delimited).then(|| TraceError::NotALog {
        looks_like: "a table that sacct prints without -P".into(),
        hint: "run sacct again with -P (and -X -D): its columns then have a delimiter".into(),
    });
    Some(Detected { evidence: Evidence::Name, refused })
}

fn open(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<Box<dyn RecordReader>, TraceError> {
    Ok(Box::new(Sacct::open(lines, options)?))
}

fn remedy(column: Option<&str>) -> &'static str {
    match column {
        None => {
            "rows need as many columns as the header line; run sacct with --delimiter=$'\\x1f', which does not occur in names, and without columns such as SubmitLine and Comment"
        }
        Some("Submit" | "Eligible" | "Start" | "End") => {
            "run sacct with SLURM_TIME_FORMAT=%s in its environment: times are Unix seconds then"
        }
        Some(_) => "the columns have other values than the header line says; compare it with the first rows",
    }
}
