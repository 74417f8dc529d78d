//! The columns of `sacct` output, as the header line or the caller names them.

use super::checks::Check;
use super::fields::{Span, split};
use crate::LogFormat;
use crate::columns::{Delimiter, delimiter};
use crate::error::{FieldPlace, TraceError, shortened};
use crate::record::Field;

/// The columns that are used, named as in `sacct`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SacctColumn {
    JobIdRaw,
    JobId,
    Cluster,
    State,
    Submit,
    Eligible,
    Start,
    End,
    ElapsedRaw,
    Elapsed,
    Suspended,
    TimelimitRaw,
    Timelimit,
    ReqCpus,
    AllocCpus,
    NCpus,
    ReqTres,
    AllocTres,
    NNodes,
    ReqMem,
    TotalCpu,
    User,
    Group,
    Account,
    Qos,
    Partition,
    JobName,
}

const NAMES: [(SacctColumn, &str); 27] = [
    (SacctColumn::JobIdRaw, "JobIDRaw"),
    (SacctColumn::JobId, "JobID"),
    (SacctColumn::Cluster, "Cluster"),
    (SacctColumn::State, "State"),
    (SacctColumn::Submit, "Submit"),
    (SacctColumn::Eligible, "Eligible"),
    (SacctColumn::Start, "Start"),
    (SacctColumn::End, "End"),
    (SacctColumn::ElapsedRaw, "ElapsedRaw"),
    (SacctColumn::Elapsed, "Elapsed"),
    (SacctColumn::Suspended, "Suspended"),
    (SacctColumn::TimelimitRaw, "TimelimitRaw"),
    (SacctColumn::Timelimit, "Timelimit"),
    (SacctColumn::ReqCpus, "ReqCPUS"),
    (SacctColumn::AllocCpus, "AllocCPUS"),
    (SacctColumn::NCpus, "NCPUS"),
    (SacctColumn::ReqTres, "ReqTRES"),
    (SacctColumn::AllocTres, "AllocTRES"),
    (SacctColumn::NNodes, "NNodes"),
    (SacctColumn::ReqMem, "ReqMem"),
    (SacctColumn::TotalCpu, "TotalCPU"),
    (SacctColumn::User, "User"),
    (SacctColumn::Group, "Group"),
    (SacctColumn::Account, "Account"),
    (SacctColumn::Qos, "QOS"),
    (SacctColumn::Partition, "Partition"),
    (SacctColumn::JobName, "JobName"),
];

/// Columns whose text users choose: it may hold delimiters and line ends.
const FREE_TEXT: [&str; 13] = [
    "JobName",
    "SubmitLine",
    "Comment",
    "AdminComment",
    "SystemComment",
    "Constraints",
    "WorkDir",
    "WCKey",
    "Extra",
    "Container",
    "StdErr",
    "StdIn",
    "StdOut",
];

/// The columns that a field of a record comes from, in words.
pub(crate) fn behind(field: Field) -> &'static str {
    match field {
        Field::Job | Field::PrecedingJob => "JobIDRaw or JobID",
        Field::Submit | Field::ThinkTime => "Eligible or Submit",
        Field::Wait => "Start",
        Field::Run => "ElapsedRaw, Elapsed, or Start and End",
        Field::AllocatedProcs | Field::RequestedProcs => "AllocCPUS, NCPUS or ReqCPUS",
        Field::Cpu => "TotalCPU",
        Field::Memory | Field::RequestedMemory => "ReqMem",
        Field::RequestedTime => "TimelimitRaw or Timelimit",
        Field::Status => "State",
        Field::User => "User",
        Field::Group => "Group",
        Field::Executable => "JobName",
        Field::Queue => "QOS",
        Field::Partition => "Partition",
    }
}

/// How many rows tell whether the columns that the caller names are all there are.
const ROWS_LOOKED_AT: usize = 100;

#[derive(Debug)]
pub(super) struct Columns {
    pub delimiter: Delimiter,
    /// Columns in the header line.
    pub count: usize,
    /// Places of the columns whose text users choose.
    pub free_text: Vec<usize>,
    /// What each column holds.
    pub checks: Vec<Check>,
    places: [Option<usize>; NAMES.len()],
}

impl Columns {
    /// Reads a header line; an error lists the missing columns.
    pub fn of_header(line: &[u8]) -> Result<Columns, TraceError> {
        let line = line.trim_ascii();
        let delimiter = delimiter(line).ok_or_else(|| TraceError::NotALog {
            looks_like: format!("a line without a delimiter (\"{}\")", shortened(line)),
            hint: "run sacct with -P and without -n (--noheader): the header line names the columns".into(),
        })?;
        let mut spans = Vec::new();
        split(line, delimiter, &mut spans);
        Columns::named(spans.iter().map(|&(begin, end)| &line[begin..end]), delimiter)
    }

    /// The columns that the caller names, of a file without a header line that begins with `beginning`. Its first row tells
    /// the delimiter. An error if the rows have fewer columns than names, or more.
    pub fn of_names(names: &[String], beginning: &[u8]) -> Result<Columns, TraceError> {
        let mut rows = beginning.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut rows = rows.by_ref().filter(|row| !row.is_empty());
        let first_row = rows.next().ok_or_else(|| TraceError::Empty { expected: LogFormat::SACCT.file() })?;
        let mut spans: Vec<Span> = Vec::new();
        let mut columns_by = |row: &[u8], delimiter| {
            split(row, delimiter, &mut spans);
            spans.len()
        };
        let ends = |row: &[u8], delimiter: Delimiter| usize::from(row.ends_with(delimiter.as_bytes()));
        let mismatch = |columns| {
            let line = shortened(first_row);
            TraceError::NamedColumns { named: names.len(), columns, line }
        };
        // Names may hold more of them, so the first row has at least as many columns.
        let mut fits =
            |by: &Delimiter| columns_by(first_row, *by) - ends(first_row, *by) >= names.len().max(2);
        let known = [&b"\x1f"[..], b"|#", b"|", b";", b",", b"\t", b"^", b"~", b"%"];
        let Some(delimiter) = known.into_iter().filter_map(Delimiter::of).find(|by| fits(by)) else {
            return Err(mismatch(columns_by(first_row, Delimiter::byte(b'|'))));
        };
        let mut all_names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        let trailing = ends(first_row, delimiter);
        if trailing == 1 && columns_by(first_row, delimiter) > names.len() {
            all_names.push(b"");
        }
        let columns = Columns::named(all_names.into_iter(), delimiter)?;
        let found = columns_by(first_row, delimiter);
        if found > columns.count {
            // A delimiter within a name, or names that are missing: most rows tell which.
            let counts: Vec<usize> =
                rows.take(ROWS_LOOKED_AT).map(|row| columns_by(row, delimiter)).collect();
            let exact = counts.iter().filter(|&&count| count == columns.count).count();
            let more = 1 + counts.iter().filter(|&&count| count > columns.count).count();
            if more > exact {
                return Err(mismatch(found - trailing));
            }
        }
        Ok(columns)
    }

    fn named<'a>(names: impl Iterator<Item = &'a [u8]>, delimiter: Delimiter) -> Result<Columns, TraceError> {
        let (free_text, checks) = (Vec::new(), Vec::new());
        let mut columns = Columns { delimiter, count: 0, free_text, checks, places: [None; NAMES.len()] };
        for (place, name) in names.map(<[u8]>::trim_ascii).enumerate() {
            columns.count += 1;
            columns.checks.push(Check::of(name));
            for (slot, (_, known)) in columns.places.iter_mut().zip(NAMES) {
                if slot.is_none() && name.eq_ignore_ascii_case(known.as_bytes()) {
                    *slot = Some(place);
                }
            }
            if FREE_TEXT.iter().any(|free| name.eq_ignore_ascii_case(free.as_bytes())) {
                columns.free_text.push(place);
            }
        }
        let missing = columns.missing();
        if missing.is_empty() { Ok(columns) } else { Err(TraceError::MissingColumns { missing }) }
    }

    fn missing(&self) -> String {
        let has = |column| self.place(column).is_some();
        let any = |columns: &[SacctColumn]| columns.iter().any(|&column| has(column));
        let needed: [(&str, bool); 5] = [
            ("JobIDRaw (or JobID)", any(&[SacctColumn::JobIdRaw, SacctColumn::JobId])),
            ("Eligible (or Submit)", any(&[SacctColumn::Submit, SacctColumn::Eligible])),
            ("Start", has(SacctColumn::Start)),
            (
                "ElapsedRaw (or Elapsed, or End)",
                any(&[SacctColumn::ElapsedRaw, SacctColumn::Elapsed, SacctColumn::End]),
            ),
            (
                "ReqCPUS (or AllocCPUS, NCPUS, AllocTRES, or ReqTRES)",
                any(&[SacctColumn::ReqCpus, SacctColumn::AllocCpus, SacctColumn::NCpus])
                    || any(&[SacctColumn::AllocTres, SacctColumn::ReqTres]),
            ),
        ];
        needed.iter().filter(|(_, present)| !present).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Whether the last column holds text that users choose.
    pub fn ends_in_free_text(&self) -> bool {
        self.free_text.last().is_some_and(|&last| last + 1 == self.count)
    }

    /// Where a column is, from 0.
    pub fn place(&self, column: SacctColumn) -> Option<usize> {
        self.places[column as usize]
    }

    /// Whether a line has the names of the columns in their places, as a header line in a file without one would.
    pub fn are_named_by(&self, line: &[u8], spans: &[Span]) -> bool {
        let named = |(column, name): &(SacctColumn, &str)| {
            let Some(&(begin, end)) = self.place(*column).and_then(|place| spans.get(place)) else {
                return true;
            };
            line[begin..end].trim_ascii().eq_ignore_ascii_case(name.as_bytes())
        };
        NAMES.iter().all(named)
    }

    /// A column for an error message.
    pub fn describe(&self, column: SacctColumn) -> FieldPlace {
        let name = NAMES[column as usize].1;
        FieldPlace { column: self.place(column).map_or(0, |place| place + 1), name: name.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_names_is_in_the_order_of_the_columns() {
        assert!(NAMES.iter().enumerate().all(|(place, (column, _))| *column as usize == place));
    }

    #[test]
    fn any_order_and_delimiter_will_do() {
        let columns = Columns::of_header(b"End;state;NCPUS;jobid;Submit;Start;Whatever").unwrap();
        assert_eq!((columns.delimiter, columns.count), (Delimiter::byte(b';'), 7));
        assert_eq!(columns.place(SacctColumn::JobId), Some(3));
        assert_eq!(columns.place(SacctColumn::JobIdRaw), None);
    }

    #[test]
    fn names_may_be_padded_or_quoted() {
        for header in [
            &b"JobID   |  State |Submit|Start | End | NCPUS"[..],
            b"\"JobID\",\"State\",\"Submit\",\"Start\",\"End\",\"NCPUS\"",
        ] {
            let columns = Columns::of_header(header).unwrap();
            assert_eq!((columns.count, columns.place(SacctColumn::NCpus)), (6, Some(5)));
        }
    }

    #[test]
    fn what_is_missing_is_listed_with_a_command_that_has_it() {
        let message = Columns::of_header(b"JobID|State|Start|End").unwrap_err().to_string();
        assert!(
            message
                .contains("lacks Eligible (or Submit), ReqCPUS (or AllocCPUS, NCPUS, AllocTRES, or ReqTRES)"),
            "{message}"
        );
        assert!(message.contains("--format=JobIDRaw,"), "{message}");
    }

    #[test]
    fn the_first_row_of_a_file_without_names_tells_the_delimiter() {
        let names = ["JobID", "State", "Submit", "Start", "End", "NCPUS", "JobName"].map(str::to_owned);
        for (row, delimiter, count) in [
            (&b"1|COMPLETED|5|6|7|4|a,b"[..], &b"|"[..], 7),
            (b"1|COMPLETED|5|6|7|4|a|", b"|", 8),
            (b"1|COMPLETED|5|6|7|4|a|b\n2|COMPLETED|5|6|7|4|c", b"|", 7),
            (b"1,COMPLETED,5,6,7,4,a|b", b",", 7),
            (b"1\x1fCOMPLETED\x1f5\x1f6\x1f7\x1f4\x1fa,b", b"\x1f", 7),
            (b"1|#COMPLETED|#5|#6|#7|#4|#a|b", b"|#", 7),
            (b"1%COMPLETED%5%6%7%4%a", b"%", 7),
        ] {
            let columns = Columns::of_names(&names, row).unwrap();
            assert_eq!((columns.delimiter.as_bytes(), columns.count), (delimiter, count));
        }
        let message = Columns::of_names(&names, b"1|COMPLETED|5").unwrap_err().to_string();
        assert!(message.contains("7 columns are named, the first line has 3"), "{message}");
    }

    #[test]
    fn fewer_names_than_columns_are_an_error_with_both_numbers() {
        let names = ["JobID", "State", "Submit", "Start", "End", "NCPUS", "JobName"].map(str::to_owned);
        for rows in [
            &b"1|COMPLETED|5|6|7|4|ada|a"[..],
            b"1|COMPLETED|5|6|7|4|ada|a|",
            b"\n1|COMPLETED|5|6|7|4|ada|a\n2|COMPLETED|5|6|7|4|bob|b\n",
            // One row that is cut short does not make the names fit.
            b"1|COMPLETED|5|6|7|4|ada|a\n2|COMPLETED|5|6|7|4|bob|b\n3|COMPLETED|5|6|7|4|ada",
        ] {
            let message = Columns::of_names(&names, rows).unwrap_err().to_string();
            assert!(message.contains("7 columns are named, the first line has 8"), "{message}");
        }
    }
}
