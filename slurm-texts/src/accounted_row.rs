//! One row of what `sacct -P` prints.

use std::collections::BTreeMap;

use super::values::digits;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{TimeLimit, Tres};
use queuecast_trace::sacct::seconds;

/// One row of accounting.
#[derive(Debug)]
pub(super) struct AccountedRow<'r> {
    /// Its columns.
    pub cells: &'r [&'r str],
    /// Places of the columns by their names in lower case.
    pub places: &'r BTreeMap<String, usize>,
    pub line: usize,
    /// Whether it starts later than what may be known: what it was given then has no column.
    pub hides_given: bool,
}

/// Columns that are filled at the start of a job.
const GIVEN: [&str; 4] = ["alloctres", "alloccpus", "allocnodes", "nodelist"];

impl<'r> AccountedRow<'r> {
    /// A column's text; `None` if there is no such column, or nothing in it.
    pub fn text(&self, name: &str) -> Option<&'r str> {
        if self.hides_given && GIVEN.contains(&name) {
            return None;
        }
        let cell = self.cells.get(*self.places.get(name)?)?.trim();
        (!cell.is_empty()).then_some(cell)
    }

    /// A column that is a name and not a word for none.
    pub fn name(&self, name: &str) -> Option<&'r str> {
        self.text(name).filter(|text| !["Unknown", "None", "(null)", "None assigned", "N/A"].contains(text))
    }

    /// A column that is a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        digits(self.text(name)?)
    }

    /// Amounts of resources, empty if they are not told.
    pub fn tres(&self, name: &str) -> Tres {
        self.text(name).and_then(super::values::tres).unwrap_or_default()
    }

    /// Processors asked for, and given.
    pub fn cpus(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.tres("reqtres").cpu().or_else(|| self.number("reqcpus"));
        let given = self.tres("alloctres").cpu().or_else(|| self.number("alloccpus"));
        let (asked, given) = (asked.filter(|&cpus| cpus > 0), given.filter(|&cpus| cpus > 0));
        let either = self.number("ncpus").filter(|&cpus| cpus > 0);
        (asked.or(either), given.or(either))
    }

    /// Nodes asked for, and given.
    pub fn nodes(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.tres("reqtres").node().or_else(|| self.number("reqnodes"));
        let given = self.tres("alloctres").node().or_else(|| self.number("allocnodes"));
        let (asked, given) = (asked.filter(|&nodes| nodes > 0), given.filter(|&nodes| nodes > 0));
        let either = self.number("nnodes").filter(|&nodes| nodes > 0);
        (asked.or(either), given.or(either))
    }

    /// The time limit; `None` if the job has none of its own.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        if let Some(minutes) = self.number("timelimitraw") {
            let seconds = i64::try_from(minutes).ok()?.checked_mul(60)?;
            return (seconds > 0).then_some(TimeLimit::Of(Seconds(seconds)));
        }
        match self.text("timelimit").or_else(|| self.text("timelimitraw"))? {
            "UNLIMITED" => Some(TimeLimit::Unlimited),
            text => seconds(text.as_bytes())
                .filter(|&length| length > 0)
                .map(|length| TimeLimit::Of(Seconds(length))),
        }
    }
}
