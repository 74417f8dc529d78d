//! One row of what `sacct -P` prints.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::values::digits;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{TimeLimit, Tres};
use queuecast_trace::sacct::seconds;

/// Places of columns by their names in lower case. Most lengths have one name only, and a row is asked for many columns.
#[derive(Debug)]
pub(super) struct ColumnPlaces(Vec<Vec<(String, usize)>>);

impl ColumnPlaces {
    pub fn of(places: &BTreeMap<String, usize>) -> ColumnPlaces {
        let longest = places.keys().map(String::len).max().unwrap_or(0);
        let mut by_length = vec![Vec::new(); longest + 1];
        for (name, &place) in places {
            by_length[name.len()].push((name.clone(), place));
        }
        ColumnPlaces(by_length)
    }

    fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name.len())?.iter().find(|one| one.0 == name).map(|one| one.1)
    }
}

/// Amounts of resources that a row tells, each read once.
#[derive(Debug, Default)]
pub(super) struct RowAmounts {
    asked: OnceCell<Tres>,
    given: OnceCell<Tres>,
    none: Tres,
}

/// One row of accounting.
#[derive(Debug)]
pub(super) struct AccountedRow<'r> {
    /// Its columns.
    pub cells: &'r [&'r str],
    pub places: &'r ColumnPlaces,
    pub amounts: &'r RowAmounts,
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
        let cell = self.cells.get(self.places.get(name)?)?.trim();
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

    /// Amounts of resources asked for, empty if they are not told.
    pub fn asked(&self) -> &'r Tres {
        self.amounts.asked.get_or_init(|| self.tres("reqtres"))
    }

    /// Amounts of resources given, empty if they are not told.
    pub fn given(&self) -> &'r Tres {
        if self.hides_given {
            return &self.amounts.none;
        }
        self.amounts.given.get_or_init(|| self.tres("alloctres"))
    }

    fn tres(&self, name: &str) -> Tres {
        self.text(name).and_then(super::values::tres).unwrap_or_default()
    }

    /// Processors asked for, and given.
    pub fn cpus(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.asked().cpu().or_else(|| self.number("reqcpus"));
        let given = self.given().cpu().or_else(|| self.number("alloccpus"));
        let (asked, given) = (asked.filter(|&cpus| cpus > 0), given.filter(|&cpus| cpus > 0));
        let either = self.number("ncpus").filter(|&cpus| cpus > 0);
        (asked.or(either), given.or(either))
    }

    /// Nodes asked for, and given.
    pub fn nodes(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.asked().node().or_else(|| self.number("reqnodes"));
        let given = self.given().node().or_else(|| self.number("allocnodes"));
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
