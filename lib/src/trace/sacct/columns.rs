//! The columns of `sacct` output, as the header line or the caller names them.

use super::checks::Check;
use super::fields::{Span, split};
use crate::trace::error::{FieldPlace, TraceError, shortened};
use crate::trace::record::Field;
use crate::trace::sniff::delimiter;

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
pub(in crate::trace) fn behind(field: Field) -> &'static str {
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

#[derive(Debug)]
pub(super) struct Columns {
    pub delimiter: u8,
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

    /// The columns that the caller names, of a file without a header line. Its first row tells the delimiter.
    pub fn of_names(names: &[String], first_row: &[u8]) -> Result<Columns, TraceError> {
        let mut spans: Vec<Span> = Vec::new();
        let mut columns_by = |delimiter| {
            split(first_row, delimiter, &mut spans);
            spans.len()
        };
        let ends = |delimiter| usize::from(first_row.ends_with(&[delimiter]));
        // Names may hold more of them, so the first row has at least as many columns.
        let by = b"\x1f|;,\t^~".iter().copied().find(|&by| columns_by(by) - ends(by) >= names.len().max(2));
        let Some(delimiter) = by else {
            let columns = columns_by(b'|');
            let line = shortened(first_row);
            return Err(TraceError::NamedColumns { named: names.len(), columns, line });
        };
        let mut names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        if columns_by(delimiter) > names.len() && ends(delimiter) == 1 {
            names.push(b"");
        }
        Columns::named(names.into_iter(), delimiter)
    }

    fn named<'a>(names: impl Iterator<Item = &'a [u8]>, delimiter: u8) -> Result<Columns, TraceError> {
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
        assert_eq!((columns.delimiter, columns.count), (b';', 7));
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
            (&b"1|COMPLETED|5|6|7|4|a,b"[..], b'|', 7),
            (b"1|COMPLETED|5|6|7|4|a|", b'|', 8),
            (b"1|COMPLETED|5|6|7|4|a|b", b'|', 7),
            (b"1,COMPLETED,5,6,7,4,a|b", b',', 7),
            (b"1\x1fCOMPLETED\x1f5\x1f6\x1f7\x1f4\x1fa,b", b'\x1f', 7),
        ] {
            let columns = Columns::of_names(&names, row).unwrap();
            assert_eq!((columns.delimiter, columns.count), (delimiter, count));
        }
        let message = Columns::of_names(&names, b"1|COMPLETED|5").unwrap_err().to_string();
        assert!(message.contains("7 columns are named, the first line has 3"), "{message}");
    }
}
