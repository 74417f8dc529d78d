//! A list of submissions as text: the format that [`jobs`](super::jobs) reads, written without loss.

use super::sbatch_written::{sbatch_arguments, shell_line};
use queuecast_slurm_sim::cluster::{SubmittedJob, TaskRun};

/// The columns.
const HEADING: &str = "key,jobid,submit,user,account,run,args,not_modelled\n";

/// Writes submissions as a list that [`read_site`](super::read_site) reads as the same submissions: one line each, in their order.
/// Times are in seconds, with a fraction where milliseconds are known. The page docs/reference/submissions.md describes it.
pub fn write_submissions(submissions: &[SubmittedJob]) -> String {
    let mut text = HEADING.to_owned();
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
        let cells = [
            job.key.clone(),
            job.id.map_or_else(String::new, |id| id.to_string()),
            seconds(job.submit.millis()),
            if is_cell(&job.user) { job.user.clone() } else { String::new() },
            account.filter(|account| is_cell(account)).unwrap_or_default().to_owned(),
            runs(&job.runs),
            shell_line(&arguments),
            job.not_modelled.join(" "),
        ];
        text.push_str(&cells.iter().map(|cell| field(cell)).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
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
