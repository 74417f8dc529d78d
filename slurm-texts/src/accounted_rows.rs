//! The rows of accounting one after the other, and the jobs that they are of.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use super::accounted_row::{AccountedColumn as Column, AccountedRow, ColumnPlaces, RowAmounts};
use super::expressions::array;
use super::values::digits;
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::Cluster;
use queuecast_trace::sacct::SacctTexts;

/// The number of a job: its array's or its own, its tasks, and its place in a heterogeneous job.
pub(super) struct AccountedNumber {
    pub base: u64,
    pub tasks: AccountedTasks,
    pub throttle: Option<u32>,
    pub component: Option<u32>,
}

/// The tasks of an array that a row is of; `None` for a job that is no array.
pub(super) enum AccountedTasks {
    One(Option<u32>),
    Several(Vec<u32>),
}

impl AccountedTasks {
    pub fn are_of_an_array(&self) -> bool {
        !matches!(self, AccountedTasks::One(None))
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<u32>> {
        let (one, several) = match self {
            AccountedTasks::One(one) => (Some(*one), &[][..]),
            AccountedTasks::Several(several) => (None, &several[..]),
        };
        one.into_iter().chain(several.iter().copied().map(Some))
    }
}

/// `12`, `12_3`, `12_[4-9%2]`, `12+1`.
fn job_number(text: &str) -> Option<AccountedNumber> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let base = digits(&text[..end])?;
    let one = |tasks, throttle, component| Some(AccountedNumber { base, tasks, throttle, component });
    match text[end..].split_at_checked(1) {
        None if text.len() == end => one(AccountedTasks::One(None), None, None),
        None => None,
        Some(("_", tasks)) => {
            if let Some(task) = digits(tasks).and_then(|task| u32::try_from(task).ok()) {
                return one(AccountedTasks::One(Some(task)), None, None);
            }
            let listed = tasks.trim_start_matches('[').trim_end_matches(']');
            let (listed, throttle) = match listed.split_once('%') {
                Some((listed, most)) => (listed, Some(u32::try_from(digits(most)?).ok()?)),
                None => (listed, None),
            };
            // A long list is cut short by sacct: 12_[1,3,5,...], 12_[1,3,5,...%2]
            let list = array(listed.trim_end_matches("...").trim_end_matches(','))?;
            one(AccountedTasks::Several(list.indices), throttle, None)
        }
        Some(("+", component)) => {
            one(AccountedTasks::One(None), None, Some(u32::try_from(digits(component)?).ok()?))
        }
        Some(_) => None,
    }
}

/// The cluster whose rows are read if there are several: the site's, else that of the first row.
fn wanted_cluster(table: &SacctTexts<'_>, cluster: &Cluster) -> Option<String> {
    let place = *table.places.get("cluster")?;
    let (mut names, mut first) = (BTreeSet::new(), None);
    table.visit(&mut |_, cells| {
        if let Some(name) = cells.get(place).map(|name| name.trim()).filter(|name| !name.is_empty()) {
            first.get_or_insert_with(|| name.to_owned());
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    });
    names.iter().find(|name| name.eq_ignore_ascii_case(&cluster.name)).cloned().or(first)
}

/// The cluster whose rows are read: one that was chosen, or the only one.
#[derive(Default)]
pub(super) struct OneCluster {
    wanted: Option<String>,
    is_chosen: bool,
}

impl OneCluster {
    /// The site's where accounting has it, else that of the first row.
    pub fn chosen(table: &SacctTexts<'_>, cluster: &Cluster) -> OneCluster {
        OneCluster { wanted: wanted_cluster(table, cluster), is_chosen: true }
    }

    /// Whether a row is read; `None` if it is of a second cluster, and none was chosen.
    fn reads(&mut self, name: Option<&str>) -> Option<bool> {
        let Some(name) = name else { return Some(true) };
        match &self.wanted {
            Some(wanted) if wanted == name => Some(true),
            Some(_) => self.is_chosen.then_some(false),
            None => {
                self.wanted = Some(name.to_owned()).filter(|_| !self.is_chosen);
                Some(true)
            }
        }
    }
}

/// Visits all rows of a cluster, each with whether it is read, and returns the lines that are part of none; `None` if there are several
/// clusters, of which none was chosen.
pub(super) fn each_row(
    table: &SacctTexts<'_>,
    clusters: &mut OneCluster,
    visit: &mut dyn FnMut(&AccountedRow<'_>, bool),
) -> Option<Vec<usize>> {
    let places = ColumnPlaces::of(&table.places);
    let mut is_read = true;
    let broken = table.visit(&mut |line, cells| {
        let amounts = RowAmounts::default();
        let row = AccountedRow { cells, places: &places, amounts: &amounts, line, hides_given: false };
        match clusters.reads(row.text(Column::Cluster)) {
            Some(is_wanted) if is_read => visit(&row, is_wanted),
            _ => is_read = false,
        }
    });
    is_read.then_some(broken)
}

/// The number of the job that a row is of, and when it was submitted; else the rule by which the row is left out.
pub(super) fn identified(
    row: &AccountedRow<'_>,
    is_wanted: bool,
    zone: &TimeZone,
) -> Result<(AccountedNumber, Time), &'static str> {
    let id = row.text(Column::JobId).or_else(|| row.text(Column::JobIdRaw)).unwrap_or_default();
    // Points in brackets stand for what is cut short of a long list of tasks.
    if id.split('[').next().is_some_and(|own| own.contains('.')) {
        return Err("steps of jobs, which are part of their jobs");
    }
    if !is_wanted {
        return Err("rows of other clusters");
    }
    let number = job_number(id).ok_or("rows without a job number")?;
    let submit = row.time(Column::Submit, zone).or_else(|| row.time(Column::Eligible, zone));
    Ok((number, submit.ok_or("rows without a time of submission")?))
}
