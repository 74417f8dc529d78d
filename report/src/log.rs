//! A log that was read, as a table, and what is assumed where it does not say something.

use crate::words::{number_of, whole};
use crate::{Cell, Column, Table, cleaning, date, duration};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::PredictorSpec;
use queuecast_study::Experiment;
use queuecast_trace::clean::Effect;
use queuecast_trace::{Log, MachineSize, Rule, digest};

/// What was read, as a table; `name` is what to call it.
pub fn table(name: &str, log: &Log) -> Table {
    let (workload, report) = (&log.workload, &log.report);
    let computer = log.header.computer.as_deref().filter(|text| !text.is_empty());
    let of = if report.removed > 0 { format!(" of {} records", whole(report.lines)) } else { String::new() };
    let mut facts = vec![(Column::text("file"), name.into())];
    facts.extend(computer.map(|computer| (Column::text("computer"), computer.into())));
    facts.extend([
        (Column::text("jobs"), Cell::text(format!("{}{of}", whole(report.jobs)))),
        (Column::text("machine"), Cell::text(log.machine.to_string())),
        (Column::text("submitted"), Cell::text(period(workload))),
        (Column::share("offered load"), Cell::share(workload.offered_load())),
        (Column::text("digest"), Cell::text(digest(workload))),
    ]);
    Table::facts(facts).titled("Trace")
}

/// From the first to the last submission.
pub fn period(workload: &Workload) -> String {
    let last = workload.jobs().last().map(|job| job.submit.0);
    span(workload.begins().map(|first| first.0), last, workload.epoch)
}

/// From one instant of a log to another: their days, if it is known when its clock begins, and the length.
pub(crate) fn span(first: Option<i64>, last: Option<i64>, epoch: Option<i64>) -> String {
    let (Some(first), Some(last)) = (first, last) else { return "never".to_owned() };
    let length = duration::human(Seconds(last - first));
    let day = |time: i64| epoch.and_then(|epoch| date::day(epoch.saturating_add(time)));
    match (day(first), day(last)) {
        (Some(from), Some(until)) => format!("{from} to {until} ({length})"),
        _ => format!("over {length}"),
    }
}

/// Everything that is assumed because the log does not say it.
pub fn assumptions(log: &Log, experiments: &[Experiment]) -> Vec<String> {
    guess(log.machine).into_iter().chain(unknowns(&log.workload, experiments)).collect()
}

/// What is assumed of a machine whose size the log does not say.
pub fn guess(machine: MachineSize) -> Option<String> {
    machine.is_guessed().then(|| format!("the machine is taken to have {machine} (--procs)"))
}

/// How many jobs lack a field that one of the experiments needs, and what is assumed instead.
pub fn unknowns(workload: &Workload, experiments: &[Experiment]) -> Vec<String> {
    let said = |missing: usize, fact: &str, so: String| {
        let jobs = number_of(workload.len(), "job");
        let have = if missing == 1 { "has" } else { "have" };
        (missing > 0).then(|| format!("{} of {jobs} {have} no {fact}; {so}", whole(missing)))
    };
    let any = |needs: fn(&PredictorSpec) -> bool| {
        experiments.iter().any(|one| one.predictor.spec().is_some_and(needs))
    };
    let lacking = workload.lacking();
    let request = experiments.first().and_then(|experiment| {
        let assumed = duration::human(experiment.default_request);
        let so = format!("where one is needed, {assumed} is assumed (--default-request)");
        said(lacking.request, "requested time", so)
    });
    let user = any(|spec| spec.needs().user).then(|| {
        let so = "no history is known of them and none is learned from them";
        said(lacking.user, "user", so.to_owned())
    });
    let executable = any(|spec| spec.needs().executable).then(|| {
        let so = "in this they count as alike (unknown=alike)";
        said(lacking.executable, "executable", so.to_owned())
    });
    [request, user.flatten(), executable.flatten()].into_iter().flatten().collect()
}

/// Says which jobs were removed because the machine was given this many processors, which may be wrong.
pub fn too_large(name: &str, log: &Log, procs: u32) -> Option<String> {
    let rule = log.report.rule(Rule::TooLarge).filter(|rule| rule.effect == Effect::Removed)?;
    let first = cleaning::first(rule);
    let (count, lines) = (whole(rule.count), whole(log.report.lines));
    Some(format!("{name}: {count} of {lines} records need more than --procs {procs} and are left out{first}"))
}

/// Says how many jobs had not ended when the log was taken; nothing of none.
pub fn unfinished(name: &str, added: usize) -> Option<String> {
    let they = if added == 1 { "it counts" } else { "they count" };
    let jobs = number_of(added, "job");
    (added > 0).then(|| format!("{name}: {jobs} had not ended; {they} as running or waiting"))
}
