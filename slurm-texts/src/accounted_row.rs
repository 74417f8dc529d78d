//! One row of what `sacct -P` prints.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::values::{amounts_of, digits};
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{TimeLimit, Tres};
use queuecast_trace::hostlist::expanded;
use queuecast_trace::sacct::{seconds, unix_second};

macro_rules! columns {
    ($($variant:ident $name:literal,)+) => {
        /// A column of accounting that is read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum AccountedColumn {
            $(
                #[doc = concat!("`", $name, "`.")]
                $variant,
            )+
        }

        /// All of them, in their order, with their names in lower case.
        const NAMES: &[(AccountedColumn, &str)] = &[$((AccountedColumn::$variant, $name),)+];
    };
}

columns! {
    JobId "jobid",
    JobIdRaw "jobidraw",
    Cluster "cluster",
    Submit "submit",
    Eligible "eligible",
    Start "start",
    End "end",
    State "state",
    Elapsed "elapsed",
    ElapsedRaw "elapsedraw",
    Reason "reason",
    Flags "flags",
    Priority "priority",
    User "user",
    SubmitLine "submitline",
    JobName "jobname",
    Account "account",
    Qos "qos",
    Partition "partition",
    TimeLimit "timelimit",
    TimeLimitRaw "timelimitraw",
    Reservation "reservation",
    Constraints "constraints",
    ReqTres "reqtres",
    ReqCpus "reqcpus",
    ReqNodes "reqnodes",
    ReqMem "reqmem",
    NCpus "ncpus",
    NNodes "nnodes",
    AllocTres "alloctres",
    AllocCpus "alloccpus",
    AllocNodes "allocnodes",
    NodeList "nodelist",
}

use AccountedColumn as Column;

/// The columns that tell what a job asked for, but for the names of its nodes, and amounts given (`AllocTRES`), which have more in them.
const ASKED: [AccountedColumn; 17] = [
    Column::SubmitLine,
    Column::JobName,
    Column::Account,
    Column::Qos,
    Column::Partition,
    Column::TimeLimit,
    Column::TimeLimitRaw,
    Column::Reservation,
    Column::Constraints,
    Column::ReqTres,
    Column::ReqCpus,
    Column::ReqNodes,
    Column::ReqMem,
    Column::NCpus,
    Column::NNodes,
    Column::AllocCpus,
    Column::AllocNodes,
];

/// Columns that are filled at the start of a job.
const GIVEN: [AccountedColumn; 4] =
    [Column::AllocTres, Column::AllocCpus, Column::AllocNodes, Column::NodeList];

/// Where each column is, if there is one.
#[derive(Debug)]
pub(super) struct ColumnPlaces(Vec<Option<usize>>);

impl ColumnPlaces {
    /// Of columns by their names in lower case.
    pub fn of(places: &BTreeMap<String, usize>) -> ColumnPlaces {
        ColumnPlaces(NAMES.iter().map(|(_, name)| places.get(*name).copied()).collect())
    }
}

/// Amounts of resources given, as far as they are told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GivenAmounts {
    pub cpus: Option<u64>,
    pub nodes: Option<u64>,
    pub memory_mb: Option<u64>,
    pub billing: Option<u64>,
}

impl GivenAmounts {
    fn of(text: &str) -> GivenAmounts {
        let all = amounts_of(text, ["cpu", "node", "mem", "billing"]);
        let [cpus, nodes, memory_mb, billing] = all.unwrap_or_default();
        GivenAmounts { cpus, nodes, memory_mb, billing }
    }
}

/// What a row tells that takes a while to read, each read once.
#[derive(Debug, Default)]
pub(super) struct RowAmounts {
    asked: OnceCell<Tres>,
    given: OnceCell<GivenAmounts>,
    /// The names of its nodes.
    nodes: OnceCell<Option<Vec<String>>>,
    /// Whether what the job asked for was found by its nodes, too.
    pub looked_at_nodes: Cell<bool>,
}

/// One row of accounting.
#[derive(Debug)]
pub(super) struct AccountedRow<'r> {
    /// Its columns, without blanks around them.
    pub cells: &'r [&'r str],
    pub places: &'r ColumnPlaces,
    pub amounts: &'r RowAmounts,
    pub line: usize,
    /// Whether it starts later than what may be known: what it was given then has no column.
    pub hides_given: bool,
}

impl<'r> AccountedRow<'r> {
    /// A column's text; `None` if there is no such column, or nothing in it.
    pub fn text(&self, column: AccountedColumn) -> Option<&'r str> {
        if self.hides_given && GIVEN.contains(&column) {
            return None;
        }
        self.cells.get(self.places.0[column as usize]?).copied().filter(|cell| !cell.is_empty())
    }

    /// A column that is a name and not a word for none.
    pub fn name(&self, column: AccountedColumn) -> Option<&'r str> {
        self.text(column).filter(|text| !["Unknown", "None", "(null)", "None assigned", "N/A"].contains(text))
    }

    /// A column that is a time, local ones in a zone.
    pub fn time(&self, column: AccountedColumn, zone: &TimeZone) -> Option<Time> {
        unix_second(self.text(column)?, zone).flatten().map(Time)
    }

    /// A column that is a whole number.
    pub fn number(&self, column: AccountedColumn) -> Option<u64> {
        digits(self.text(column)?)
    }

    /// Amounts of resources asked for, empty if they are not told.
    pub fn asked(&self) -> &'r Tres {
        self.amounts.asked.get_or_init(|| self.tres(Column::ReqTres))
    }

    /// Amounts of resources given.
    pub fn given(&self) -> GivenAmounts {
        let Some(text) = self.text(Column::AllocTres) else { return GivenAmounts::default() };
        *self.amounts.given.get_or_init(|| GivenAmounts::of(text))
    }

    fn tres(&self, column: AccountedColumn) -> Tres {
        self.text(column).and_then(super::values::tres).unwrap_or_default()
    }

    /// Processors asked for, and given.
    pub fn cpus(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.asked().cpu().or_else(|| self.number(Column::ReqCpus)).filter(|&cpus| cpus > 0);
        let either = || self.number(Column::NCpus).filter(|&cpus| cpus > 0);
        (asked.or_else(either), self.given_cpus())
    }

    /// Processors given.
    pub fn given_cpus(&self) -> Option<u64> {
        let given = self.given().cpus.or_else(|| self.number(Column::AllocCpus));
        let either = || self.number(Column::NCpus).filter(|&cpus| cpus > 0);
        given.filter(|&cpus| cpus > 0).or_else(either)
    }

    /// The names of its nodes; `None` if they are not told, or cannot be read.
    pub fn nodes_given(&self) -> Option<&'r [String]> {
        let list = self.name(Column::NodeList)?;
        self.amounts.nodes.get_or_init(|| expanded(list)).as_deref()
    }

    /// As [`Self::nodes_given`], to be kept.
    pub fn nodes_kept(&self) -> Option<Vec<String>> {
        let list = self.name(Column::NodeList)?;
        self.amounts.nodes.get().map_or_else(|| expanded(list), Clone::clone)
    }

    /// Puts into `bytes` what tells what the job asked for, but for the names of its nodes.
    pub fn asked_bytes(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        for column in ASKED {
            let text = self.text(column).unwrap_or_default();
            bytes.extend_from_slice(&(text.len() as u32).to_ne_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        let GivenAmounts { cpus, nodes, memory_mb, .. } = self.given();
        for amount in [cpus, nodes, memory_mb] {
            bytes.push(u8::from(amount.is_some()));
            bytes.extend_from_slice(&amount.unwrap_or_default().to_ne_bytes());
        }
    }

    /// Nodes asked for, and given.
    pub fn nodes(&self) -> (Option<u64>, Option<u64>) {
        let asked = self.asked().node().or_else(|| self.number(Column::ReqNodes));
        let given = self.given().nodes.or_else(|| self.number(Column::AllocNodes));
        let (asked, given) = (asked.filter(|&nodes| nodes > 0), given.filter(|&nodes| nodes > 0));
        let either = self.number(Column::NNodes).filter(|&nodes| nodes > 0);
        (asked.or(either), given.or(either))
    }

    /// The time limit; `None` if the job has none of its own.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        if let Some(minutes) = self.number(Column::TimeLimitRaw) {
            let seconds = i64::try_from(minutes).ok()?.checked_mul(60)?;
            return (seconds > 0).then_some(TimeLimit::Of(Seconds(seconds)));
        }
        match self.text(Column::TimeLimit).or_else(|| self.text(Column::TimeLimitRaw))? {
            "UNLIMITED" => Some(TimeLimit::Unlimited),
            text => seconds(text.as_bytes())
                .filter(|&length| length > 0)
                .map(|length| TimeLimit::Of(Seconds(length))),
        }
    }
}
