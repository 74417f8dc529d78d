//! The columns of `sacct` output, found in the header line.

use crate::trace::error::{FieldPlace, TraceError, shortened};
use crate::trace::record::Field;
use crate::trace::sniff::delimiter;

/// The columns that are used, named as in `sacct`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SacctColumn {
    JobIdRaw,
    JobId,
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

const NAMES: [(SacctColumn, &str); 24] = [
    (SacctColumn::JobIdRaw, "JobIDRaw"),
    (SacctColumn::JobId, "JobID"),
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
        let mut places = [None; NAMES.len()];
        let mut count = 0;
        for (place, name) in line.split(|&byte| byte == delimiter).enumerate() {
            count += 1;
            for (slot, (_, known)) in places.iter_mut().zip(NAMES) {
                if slot.is_none() && name.eq_ignore_ascii_case(known.as_bytes()) {
                    *slot = Some(place);
                }
            }
        }
        let columns = Columns { delimiter, count, places };
        let missing = columns.missing();
        if missing.is_empty() { Ok(columns) } else { Err(TraceError::MissingColumns { missing }) }
    }

    fn missing(&self) -> String {
        let has = |column| self.place(column).is_some();
        let needed: [(&str, bool); 6] = [
            ("JobIDRaw (or JobID)", has(SacctColumn::JobIdRaw) || has(SacctColumn::JobId)),
            ("State", has(SacctColumn::State)),
            ("Eligible (or Submit)", has(SacctColumn::Submit) || has(SacctColumn::Eligible)),
            ("Start", has(SacctColumn::Start)),
            (
                "ElapsedRaw (or Elapsed, or End)",
                has(SacctColumn::ElapsedRaw) || has(SacctColumn::Elapsed) || has(SacctColumn::End),
            ),
            (
                "ReqCPUS (or AllocCPUS, or NCPUS)",
                has(SacctColumn::ReqCpus) || has(SacctColumn::AllocCpus) || has(SacctColumn::NCpus),
            ),
        ];
        needed.iter().filter(|(_, present)| !present).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Where a column is, from 0.
    pub fn place(&self, column: SacctColumn) -> Option<usize> {
        self.places[column as usize]
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
    fn what_is_missing_is_listed_with_a_command_that_has_it() {
        let message = Columns::of_header(b"JobID|State|Start|End").unwrap_err().to_string();
        assert!(
            message.contains("lacks Eligible (or Submit), ReqCPUS (or AllocCPUS, or NCPUS)"),
            "{message}"
        );
        assert!(message.contains("--format=JobIDRaw,"), "{message}");
    }
}
