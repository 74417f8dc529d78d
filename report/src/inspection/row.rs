//! A trace as one row of numbers, for spreadsheets.

use super::described::DescribedLog;
use crate::{Cell, Column};
use queuecast_synth::characterization::Disparity;
use queuecast_trace::Percentiles;
use queuecast_trace::clean::WithdrawnKinds;

/// What was counted before cleaning, then the portrait of what cleaning left.
pub fn of(described: &DescribedLog) -> Vec<(Column, Cell)> {
    [counted(described), portrayed(described)].concat()
}

fn counted(described: &DescribedLog) -> Vec<(Column, Cell)> {
    let DescribedLog { source, info, .. } = described;
    let known = |time: Option<i64>| time.map_or(Cell::Missing, Cell::Identifier);
    let mean = |of: &Option<Percentiles>| of.as_ref().map_or(Cell::Missing, |one| Cell::duration(one.mean));
    let distinct = &info.distinct;
    let withdrawn = described.cleaning.as_ref().and_then(|report| report.withdrawn);
    let count = |known: Option<u64>| known.map_or(Cell::Missing, Cell::count);
    let kind = |of: fn(&WithdrawnKinds) -> u64| count(withdrawn.map(|one| of(&one.kinds)));
    vec![
        (Column::text("source"), Cell::text(&**source)),
        (Column::text("format"), Cell::text(info.format.name())),
        (Column::integer("records"), Cell::count(info.records)),
        (Column::integer("unreadable"), Cell::count(info.reading.removed)),
        (Column::integer("procs"), info.machine.map_or(Cell::Missing, |machine| machine.procs.into())),
        (Column::integer("epoch"), known(info.epoch)),
        (Column::integer("first_submit"), known(info.first_submit)),
        (Column::integer("last_submit"), known(info.last_submit)),
        (Column::integer("last_end"), known(info.last_end)),
        (Column::share("offered_load"), Cell::share_of(info.offered_load)),
        (Column::integer("users"), Cell::count(distinct.users)),
        (Column::integer("groups"), Cell::count(distinct.groups)),
        (Column::integer("executables"), Cell::count(distinct.executables)),
        (Column::integer("queues"), Cell::count(distinct.queues)),
        (Column::integer("partitions"), Cell::count(distinct.partitions)),
        (Column::integer("unfinished"), Cell::count(info.unfinished)),
        (Column::integer("withdrawn"), count(withdrawn.map(|one| one.jobs))),
        (Column::integer("withdrawn_neither"), kind(|kinds| kinds.neither)),
        (Column::integer("withdrawn_processors"), kind(|kinds| kinds.processors)),
        (Column::integer("withdrawn_zero_run"), kind(|kinds| kinds.zero_run)),
        (Column::integer("withdrawn_zero_run_processors"), kind(|kinds| kinds.zero_run_processors)),
        (Column::integer("cancelled_unplaced"), count(withdrawn.map(|one| one.unplaced))),
        (
            Column::share("withdrawn_queue_time_share"),
            Cell::share_of(withdrawn.and_then(|one| one.queue_time_share)),
        ),
        (Column::integer("runs_above_request"), Cell::count(info.runs_above_request)),
        (Column::duration("mean_run").key("mean_run"), mean(&info.runs)),
        (Column::duration("mean_request").key("mean_request"), mean(&info.requests)),
        (Column::duration("mean_wait").key("mean_wait"), mean(&info.waits)),
    ]
}

fn portrayed(described: &DescribedLog) -> Vec<(Column, Cell)> {
    let portrait = described.portrait.as_ref();
    let estimates = portrait.and_then(|one| one.estimates.as_ref());
    let owners = portrait.and_then(|one| one.owners.as_ref());
    let accuracy = portrait.and_then(|one| one.accuracy.as_ref());
    let sessions = portrait.and_then(|one| one.sessions.as_ref());
    let flurries = portrait.and_then(|one| one.flurries.as_ref());
    let cell = |known: Option<Cell>| known.unwrap_or(Cell::Missing);
    let count = |known: Option<u64>| known.map_or(Cell::Missing, Cell::count);
    let of_all = |jobs: u64, all: u64| jobs as f64 / all as f64;
    let covering = |of: f64| {
        let found = estimates.and_then(|one: &Disparity| one.covering.iter().find(|one| one.share == of));
        cell(found.map(|one| Cell::count(one.values)))
    };
    let repeats = sessions.map(|one| one.within);
    vec![
        (Column::integer("jobs"), count(portrait.map(|one| one.jobs))),
        (Column::integer("weeks"), count(portrait.map(|one| one.weeks))),
        (Column::integer("with_estimate"), count(portrait.map(|one| one.with_estimate))),
        (Column::integer("estimates"), cell(estimates.map(|one| Cell::count(one.values)))),
        (Column::share("head_share"), Cell::share_of(estimates.map(|one| one.head_share))),
        (Column::integer("values_for_half"), covering(0.5)),
        (Column::integer("values_for_90_percent"), covering(0.9)),
        (Column::share("joint_ratio"), Cell::share_of(estimates.map(|one| one.joint_ratio))),
        (Column::duration("longest_estimate"), cell(estimates.map(|one| one.longest.into()))),
        (Column::share("longest_estimate_share"), Cell::share_of(estimates.map(|one| one.longest_share))),
        (Column::share("whole_minutes_share"), Cell::share_of(estimates.map(|one| one.whole_minutes))),
        (Column::integer("owners"), cell(owners.map(|one| Cell::count(one.owners.len())))),
        (Column::integer("owned_estimates"), count(owners.map(|one| one.owned))),
        (
            Column::share("greatest_owner_share"),
            Cell::share_of(owners.map(|one| one.owners.first().map_or(0.0, |owner| owner.share))),
        ),
        (
            Column::integer("median_estimates_per_user"),
            cell(owners.map(|one| Cell::Integer(one.estimates_per_user.median))),
        ),
        (Column::share("mean_accuracy"), Cell::share_of(accuracy.map(|one| one.mean))),
        (
            Column::share("ran_to_limit_share"),
            Cell::share_of(accuracy.map(|one| of_all(one.reached + one.exceeded, one.jobs))),
        ),
        (Column::integer("sessions"), count(sessions.map(|one| one.sessions))),
        (
            Column::number("mean_jobs_per_session"),
            cell(sessions.map(|one| Cell::number(one.jobs_per_session.mean, 2))),
        ),
        (Column::share("repeated_estimate_share"), Cell::share_of(repeats.and_then(|one| one.estimate))),
        (Column::share("repeated_processors_share"), Cell::share_of(repeats.and_then(|one| one.processors))),
        (Column::share("repeated_executable_share"), Cell::share_of(repeats.and_then(|one| one.executable))),
        (Column::integer("flurries"), cell(flurries.map(|one| Cell::count(one.flurries.len())))),
    ]
}
