//! A list of submissions as text: the format that [`jobs`](super::jobs) reads, written without loss.

use std::collections::BTreeMap;

use super::sbatch_written::{sbatch_arguments, shell_line};
use queuecast_core::units::Micros;
use queuecast_slurm_sim::cluster::{ClusterAction, ClusterEvent, SubmittedJob, TaskRun};

/// The columns.
const HEADING: &str = "key,jobid,submit,user,account,run,args,not_modelled";

/// The column of cancellations, if there are any.
const CANCELLED: &str = ",cancelled";

/// Writes submissions as a list that [`read_site`](super::read_site) reads as the same submissions, with their cancellations: one line
/// each, in their order. Times are in seconds, with a fraction where milliseconds are known. Other events are not part of a list. The page
/// docs/reference/submissions.md describes it.
pub fn write_submissions(submissions: &[SubmittedJob], events: &[ClusterEvent]) -> String {
    let cancelled = cancellations(events);
    let mut text = HEADING.to_owned();
    if !cancelled.is_empty() {
        text.push_str(CANCELLED);
    }
    text.push('\n');
    for job in submissions {
        let mut arguments = sbatch_arguments(&job.request);
        // Blanks around a cell do not count, so what has any goes into the arguments.
        let is_cell = |name: &str| !name.is_empty() && name.trim() == name;
        let account = job.request.account.as_deref();
        if let Some(account) = account.filter(|account| !is_cell(account)) {
            arguments.insert(0, format!("--account={account}"));
        }
        if !is_cell(&job.user) {
            arguments.insert(0, format!("--uid={}", job.user));
        }
        let mut cells = vec![
            job.key.clone(),
            job.id.map_or_else(String::new, |id| id.to_string()),
            seconds(job.submit.millis()),
            if is_cell(&job.user) { job.user.clone() } else { String::new() },
            account.filter(|account| is_cell(account)).unwrap_or_default().to_owned(),
            runs(&job.runs),
            shell_line(&arguments),
            job.not_modelled.join(" "),
        ];
        if !cancelled.is_empty() {
            cells.push(cancelled.get(job.key.as_str()).map_or_else(String::new, |at| times(job, at)));
        }
        text.push_str(&cells.iter().map(|cell| field(cell)).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

/// When submissions and tasks of them were first cancelled, by key.
fn cancellations(events: &[ClusterEvent]) -> BTreeMap<&str, BTreeMap<Option<u32>, Micros>> {
    let mut found: BTreeMap<&str, BTreeMap<Option<u32>, Micros>> = BTreeMap::new();
    for event in events {
        if let ClusterAction::Cancel { key, task } = &event.action {
            let at = found.entry(key).or_default().entry(*task).or_insert(event.at);
            *at = event.at.min(*at);
        }
    }
    found
}

/// One time for all of a submission, else a list in brackets with one for each task, which may be empty.
fn times(job: &SubmittedJob, at: &BTreeMap<Option<u32>, Micros>) -> String {
    let of = |at: Option<&Micros>| at.map_or_else(String::new, |at| seconds(at.millis()));
    let whole = at.get(&None);
    let Some(array) = job.request.array.as_ref().filter(|_| at.keys().any(Option::is_some)) else {
        return of(whole);
    };
    let each = |task: &u32| of(at.get(&Some(*task)).into_iter().chain(whole).min());
    format!("[{}]", array.indices.iter().map(each).collect::<Vec<_>>().join(","))
}

fn field(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// Seconds, with a fraction if there is one.
fn seconds(milliseconds: i64) -> String {
    let sign = if milliseconds < 0 { "-" } else { "" };
    let (whole, rest) = (milliseconds.unsigned_abs() / 1000, milliseconds.unsigned_abs() % 1000);
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:03}") }
}

/// One value if all are the same, else a list in brackets.
fn runs(runs: &[TaskRun]) -> String {
    let one = |run: &TaskRun| match run {
        TaskRun::For(length) => length.0.to_string(),
        TaskRun::FailsAfter(length) => format!("{}!", length.0),
        TaskRun::PastLimit => "-1".to_owned(),
        TaskRun::Unknown => "?".to_owned(),
    };
    match runs.split_first() {
        None => String::new(),
        Some((first, rest)) if rest.iter().all(|run| run == first) => one(first),
        _ => format!("[{}]", runs.iter().map(one).collect::<Vec<_>>().join(",")),
    }
}
