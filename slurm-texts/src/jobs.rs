//! Lists of submissions: the outcomes of a recorded run, and a shorter list that is easily written by hand.

use std::collections::BTreeMap;

use super::csv::csv_rows;
use super::expressions::array;
use super::notes::Notes;
use super::sbatch::sbatch_line;
use super::values::digits;
use queuecast_core::job_state::JobState;
use queuecast_core::order;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{ClusterAction, ClusterEvent, JobOutcome, SubmittedJob, TaskRun};
use queuecast_trace::hostlist::expanded;

/// The submissions of a list, and what became of them if it says so. Times are as in the list.
#[derive(Debug, Default)]
pub(super) struct JobList {
    pub submissions: Vec<SubmittedJob>,
    pub outcomes: Vec<JobOutcome>,
    /// Cancellations that the list says.
    pub cancellations: Vec<ClusterEvent>,
}

/// The columns of one row.
struct JobRow<'a> {
    columns: &'a BTreeMap<String, usize>,
    cells: &'a [String],
}

impl JobRow<'_> {
    fn cell(&self, name: &str) -> Option<&str> {
        let cell = self.cells.get(*self.columns.get(name)?)?.trim();
        (!cell.is_empty()).then_some(cell)
    }

    fn time(&self, name: &str) -> Option<i64> {
        self.cell(name)?.parse().ok()
    }

    fn instant(&self, name: &str) -> Option<Micros> {
        instant(self.cell(name)?)
    }
}

/// Whole seconds, or with up to three decimals.
fn instant(cell: &str) -> Option<Micros> {
    let (sign, bare) = cell.strip_prefix('-').map_or((1, cell), |bare| (-1, bare));
    let (whole, decimals) = bare.split_once('.').unwrap_or((bare, "0"));
    let fraction = digits(decimals).filter(|_| decimals.len() <= 3)?;
    let fraction = fraction * [1, 100, 10, 1][decimals.len()];
    let milliseconds = digits(whole)?.checked_mul(1000)?.checked_add(fraction)?;
    Some(Micros::of_millis(sign * i64::try_from(milliseconds).ok()?))
}

/// Reads a list with a header line: `submit`, `user` and `args` are needed, `run` or `planned_run`, `account`, `key` and what
/// a recorded run has besides are used where they are (docs/reference/submissions.md).
pub(super) fn jobs(file: &str, text: &str, notes: &mut Notes) -> JobList {
    let rows = csv_rows(text);
    let mut list = JobList::default();
    let Some(((_, titles), rows)) = rows.split_first() else { return list };
    let columns: BTreeMap<String, usize> =
        order::map_of(titles.iter().enumerate().map(|(at, title)| (title.trim().to_ascii_lowercase(), at)));
    if let Some(missing) = ["submit", "user", "args"].iter().find(|name| !columns.contains_key(**name)) {
        notes.unread_line(file, 1, &titles.join(","), &format!("a column {missing}"));
        return list;
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (line, cells) in rows {
        let row = JobRow { columns: &columns, cells };
        if cells.len() != titles.len() {
            notes.unread_line(file, *line, &cells.join(","), &format!("{} columns", titles.len()));
            continue;
        }
        if let Err(expected) = job(&row, *line, &mut list, &mut places) {
            notes.unread_line(file, *line, &cells.join(","), &expected);
        }
    }
    list
}

fn job(
    row: &JobRow<'_>,
    line: usize,
    list: &mut JobList,
    places: &mut BTreeMap<String, usize>,
) -> Result<(), String> {
    let submit = row.instant("submit").ok_or("a time in column submit")?;
    let number = row.cell("jobid").unwrap_or_default();
    let (id, task) = number.split_once('_').map_or((number, None), |(id, task)| (id, Some(task)));
    let key = row
        .cell("key")
        .map_or_else(|| if id.is_empty() { format!("line{line}") } else { id.to_owned() }, str::to_owned);
    let key = match task.and_then(|task| key.strip_suffix(&format!("_{task}"))) {
        Some(bare) => bare.to_owned(),
        None => key,
    };
    // Tasks that never left the queue are one row, as 12_[3-9%2].
    let tasks: Vec<Option<u32>> = match task.map(|task| array(task).ok_or("a task after the _")) {
        None => vec![None],
        Some(tasks) => tasks?.indices.into_iter().map(Some).collect(),
    };
    let runs = runs(row.cell("planned_run").or_else(|| row.cell("run")))?;
    let place = match places.get(&key) {
        // A list that is written by hand has a job in one row, what was recorded has one for each run and task.
        Some(_) if task.is_none() && row.cell("state").is_none() => {
            return Err(format!("a key of its own: {} is that of an earlier row", super::notes::short(&key)));
        }
        Some(&place) => place,
        None => {
            let read =
                sbatch_line(row.cell("args").unwrap_or_default()).map_err(|error| error.to_string())?;
            let mut request = read.request;
            if request.account.is_none() {
                request.account = row.cell("account").map(str::to_owned);
            }
            let user = row.cell("user").map(str::to_owned).or(read.user).ok_or("a user")?;
            let length = request.array.as_ref().map_or(1, |array| array.indices.len());
            list.submissions.push(SubmittedJob {
                key: key.clone(),
                id: digits(id),
                submit,
                user,
                request: request.into(),
                runs: vec![TaskRun::Unknown; length],
                not_modelled: joined(read.not_modelled, row.cell("not_modelled")),
            });
            places.insert(key.clone(), list.submissions.len() - 1);
            list.submissions.len() - 1
        }
    };
    let submission = &mut list.submissions[place];
    for &task in &tasks {
        match (&submission.request.array, task) {
            (Some(array), Some(task)) => {
                let index = array.indices.binary_search(&task).map_err(|_| "a task that the array has")?;
                submission.runs[index] =
                    runs.get(index).or(runs.first()).copied().unwrap_or(TaskRun::Unknown);
            }
            // One value for all tasks, or one for each.
            (_, None) => {
                let of_task =
                    |index: usize| runs.get(index).or(runs.first()).copied().unwrap_or(TaskRun::Unknown);
                submission.runs = (0..submission.runs.len()).map(of_task).collect();
            }
            (None, Some(_)) => return Err("no task, since the job is no array".into()),
        }
    }
    if let Some(cell) = row.cell("cancelled") {
        list.cancellations.extend(cancellations(cell, &key, &tasks, submission)?);
    }
    if let Some(state) = row.cell("state") {
        list.outcomes
            .extend(tasks.into_iter().map(|task| outcome(row, key.clone(), task, state, submit.second())));
    }
    Ok(())
}

/// When a submission is cancelled: one time, or a list in brackets with one for each task, which may be empty.
fn cancellations(
    cell: &str,
    key: &str,
    tasks: &[Option<u32>],
    submission: &SubmittedJob,
) -> Result<Vec<ClusterEvent>, String> {
    let one = |text: &str, task: Option<u32>| {
        let at = instant(text.trim()).ok_or("a time in column cancelled")?;
        Ok(ClusterEvent { at, action: ClusterAction::Cancel { key: key.to_owned(), task } })
    };
    let Some(listed) = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']')) else {
        return tasks.iter().map(|&task| one(cell, task)).collect();
    };
    let times: Vec<&str> = listed.split(',').collect();
    match &submission.request.array {
        Some(array) if array.indices.len() == times.len() => {
            let each = array.indices.iter().zip(times).filter(|(_, time)| !time.trim().is_empty());
            each.map(|(&task, time)| one(time, Some(task))).collect()
        }
        _ => Err("a time in column cancelled for each task of an array".into()),
    }
}

/// Options that are not modelled: those among the arguments, and those that are listed.
fn joined(mut found: Vec<String>, listed: Option<&str>) -> Vec<String> {
    for name in listed.unwrap_or_default().split_whitespace() {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// Run times: one, or a list in brackets with one for each task.
fn runs(text: Option<&str>) -> Result<Vec<TaskRun>, String> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let one = |text: &str| match text.trim() {
        "-1" => Some(TaskRun::PastLimit),
        "?" => Some(TaskRun::Unknown),
        text => {
            let (bare, fails) = text.strip_suffix('!').map_or((text, false), |bare| (bare, true));
            let run = Seconds(i64::try_from(digits(bare)?).ok()?);
            Some(if fails { TaskRun::FailsAfter(run) } else { TaskRun::For(run) })
        }
    };
    let all: Option<Vec<TaskRun>> =
        text.trim_start_matches('[').trim_end_matches(']').split(',').map(one).collect();
    all.ok_or_else(|| "a number of seconds in the column of run times".into())
}

fn outcome(row: &JobRow<'_>, key: String, task: Option<u32>, state: &str, submit: Time) -> JobOutcome {
    let start = row.time("start").map(Time);
    let nodes = row.cell("nodelist").filter(|_| start.is_some()).and_then(expanded);
    JobOutcome {
        key,
        task,
        state: JobState::shown(state).unwrap_or(JobState::Unknown),
        submit,
        eligible: row.time("eligible").map(Time),
        start,
        end: row.time("end").map(Time),
        partition: row.cell("partition").unwrap_or_default().to_owned(),
        cpus: row.cell("cpus").and_then(|cpus| cpus.parse().ok()).unwrap_or(0),
        billed: None,
        nodes: nodes.unwrap_or_default().into(),
        backfilled: row.cell("flags").map(|flags| flags.contains("SchedBackfill")),
        priority: row.cell("priority").and_then(|priority| priority.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_tasks_are_one_submission() {
        let mut notes = Notes::default();
        let text = "key,jobid,user,state,planned_run,submit,start,nodelist,flags,args\njobid_1,1,ann,COMPLETED,40,0,3,\"n[1-2]\",\"SchedBackfill,X\",-n 2\ns2_0,2_0,bob,COMPLETED,5,1,2,n1,SchedMain,--array=0-1%1\ns2_[1%1],2_[1%1],bob,CANCELLED,\"[5, -1]\",1,,None assigned,,--array=0-1%1\n";
        let list = jobs("jobs.csv", text, &mut notes);
        let [one, two] = &list.submissions[..] else { panic!("{list:?}") };
        assert_eq!(
            (one.key.as_str(), one.id, one.runs.as_slice()),
            ("jobid_1", Some(1), &[TaskRun::For(Seconds(40))][..])
        );
        assert_eq!(
            (two.key.as_str(), two.runs.as_slice()),
            ("s2", &[TaskRun::For(Seconds(5)), TaskRun::PastLimit][..])
        );
        assert_eq!(list.outcomes.len(), 3);
        assert_eq!((list.outcomes[0].backfilled, list.outcomes[0].nodes.len()), (Some(true), 2));
        assert_eq!(
            (list.outcomes[2].start, list.outcomes[2].task, list.outcomes[2].nodes.len()),
            (None, Some(1), 0)
        );
        assert!(notes.misread.is_empty());
    }

    #[test]
    fn the_short_form_and_bad_lines() {
        let mut notes = Notes::default();
        let text = "submit,user,account,run,args\n0,ann,phys,60,-n 4 -t 5\n7,bob,,-1,\"-n 2 -J \"\"a b\"\"\"\nx,ann,phys,60,-n 4\n8,ann,phys,60,--what\n9,ann\n";
        let list = jobs("jobs.csv", text, &mut notes);
        assert_eq!((list.submissions.len(), list.outcomes.len()), (2, 0));
        assert_eq!(list.submissions[0].request.account.as_deref(), Some("phys"));
        assert_eq!(list.submissions[1].request.name.as_deref(), Some("a b"));
        assert_eq!(list.submissions[1].runs, [TaskRun::PastLimit]);
        assert_eq!(notes.misread.iter().map(|one| one.line).collect::<Vec<_>>(), [4, 5, 6]);
        assert!(jobs("jobs.csv", "a,b\n1,2\n", &mut notes).submissions.is_empty());
    }
}
