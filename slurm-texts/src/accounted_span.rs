//! The times that accounting spans. What its jobs asked for is left aside, which takes most of the time of reading it.

use std::collections::{HashMap, HashSet};

use jiff::tz::TimeZone;

use super::accounted_row::AccountedColumn as Column;
use super::accounted_rows::{OneCluster, each_row, identified};
use queuecast_core::units::Time;
use queuecast_slurm_sim::cluster::RecordedRun;
use queuecast_trace::LogSpan;
use queuecast_trace::sacct::SacctTexts;

/// The times of a recorded run; `None` without a start.
pub fn span_of(history: &RecordedRun) -> Option<LogSpan> {
    history.outcomes.iter().find(|one| one.start.is_some())?;
    let submits = history.submissions.iter().map(|one| one.submit.second());
    let last = submits.clone().max()?;
    let times = history.outcomes.iter().flat_map(|one| [one.start, one.end]).flatten();
    Some(LogSpan {
        first: submits.min()?,
        last,
        until: times.max().unwrap_or(last).max(last),
        epoch: history.clock.is_unix.then_some(0),
    })
}

/// As [`span_of`] what is read out of accounting of one cluster; `None` where that is not told by it, or it has several clusters.
pub(super) fn accounted_span(text: &str, zone: &TimeZone) -> Option<LogSpan> {
    let table = SacctTexts::open(text, zone).ok()?;
    let mut submits: Option<(Time, Time)> = None;
    // Of each task the last row counts, of each submission the first.
    let mut places: HashMap<(u64, Option<u32>, Option<u32>), usize> = HashMap::new();
    let mut known: HashSet<(u64, Option<u32>)> = HashSet::new();
    let mut ran: Vec<[Option<Time>; 2]> = Vec::new();
    each_row(&table, &mut OneCluster::default(), &mut |row, is_wanted| {
        let Ok((number, submit)) = identified(row, is_wanted, zone) else { return };
        if known.insert((number.base, number.component)) {
            let (first, last) = submits.unwrap_or((submit, submit));
            submits = Some((first.min(submit), last.max(submit)));
        }
        let times = [Column::Start, Column::End].map(|column| row.time(column, zone));
        for task in number.tasks.iter() {
            let place = *places.entry((number.base, number.component, task)).or_insert(ran.len());
            match ran.get_mut(place) {
                Some(before) => *before = times,
                None => ran.push(times),
            }
        }
    })?;
    ran.iter().find(|times| times[0].is_some())?;
    let (first, last) = submits?;
    let until = ran.iter().flatten().flatten().max().copied().unwrap_or(last).max(last);
    Some(LogSpan { first, last, until, epoch: Some(0) })
}
