//! Recorded runs: the calls that were made, how the clock stood, and what became of the jobs.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::administered::administered;
use super::jobs::JobList;
use super::named_jobs::resolve;
use super::notes::Notes;
use super::partitions::NodePlaces;
use super::recorded_ends::cancelled_otherwise;
use super::sbatch::{SbatchError, SbatchRequest, job_number, sbatch, sbatch_line};
use super::values::words;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    ClusterAction, ClusterEvent, RecordedRun, RunClock, SubmittedJob, TaskRun,
};
use queuecast_trace::sacct::unix_second;

/// One call of a recording.
#[derive(Debug)]
pub(super) struct Call {
    pub line: usize,
    /// How long after the recording's begin.
    at: Micros,
    /// When the call had returned, if that is known.
    until: Option<Micros>,
    what: CallKind,
}

#[derive(Debug)]
enum CallKind {
    Submit(Box<SubmittedJob>),
    Cancel(String),
    Admin(Vec<String>),
}

/// How the clock of a run stood: `meta.json`.
pub(super) fn clock(file: &str, text: &str, notes: &mut Notes) -> Option<RunClock> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            notes.unread_line(file, error.line(), "", "JSON");
            return None;
        }
    };
    let instant = |key: &str| value.get(key)?.as_f64().and_then(to_millisecond);
    let Some(zero) = value.get("t0_epoch").and_then(Value::as_i64) else {
        notes.unread_line(file, 1, "", "a number t0_epoch");
        return None;
    };
    let begin = instant("t0_exact").unwrap_or(Micros::of_seconds(zero));
    Some(RunClock {
        is_unix: true,
        zero: Time(zero),
        begin,
        scheduler_start: instant("slurmctld_start"),
        first_backfill: instant("first_backfill_cycle_after_t0").map(|after| begin + after),
        tick: None,
        priority_timer: None,
    })
}

/// The last pass of the main scheduler up to `until`, from `sched.log`. Later lines are ignored.
pub(super) fn last_pass(text: &str, until: Micros, zone: &TimeZone) -> Option<Micros> {
    let passes = text.lines().filter(|line| line.contains("] Running job scheduler"));
    let instant = |line: &str| {
        let (_, rest) = line.split_once('[')?;
        let local: DateTime = rest.split_once(']')?.0.parse().ok()?;
        Some(Micros::of_millis(zone.to_timestamp(local).ok()?.as_millisecond()))
    };
    passes.map_while(instant).take_while(|at| *at <= until).last()
}

/// The calls of `submitted.tsv`.
pub(super) fn called(file: &str, text: &str, notes: &mut Notes) -> Vec<Call> {
    let mut lines = (1..).zip(text.lines());
    let titles: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split('\t').collect());
    let (mut calls, mut refused) = (Vec::new(), 0);
    for (line, content) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = content.split('\t').collect();
        let cell = |name: &str| {
            let place = titles.iter().position(|title| title.trim() == name)?;
            cells.get(place).copied().map(str::trim)
        };
        let read = || -> Result<Call, String> {
            let after = |name: &str| cell(name).and_then(length);
            let at = after("dt_call").or_else(|| after("dt_planned")).ok_or("a time in column dt_call")?;
            let what = match cell("op") {
                Some("submit") => {
                    let read =
                        sbatch_line(cell("args").unwrap_or_default()).map_err(|error| error.to_string())?;
                    let run = serde_json::from_str(cell("run").unwrap_or_default()).unwrap_or(Value::Null);
                    let id = cell("jobid").and_then(job_number);
                    let key = cell("name").filter(|name| !name.is_empty()).ok_or("a name")?;
                    CallKind::Submit(submission(key, id, cell("user"), read, &run)?)
                }
                Some("cancel") => {
                    let named = cell("name").filter(|name| !name.is_empty()).or_else(|| cell("jobid"));
                    CallKind::Cancel(
                        named.filter(|name| !name.is_empty()).ok_or("a name or number")?.to_owned(),
                    )
                }
                Some("admin") => {
                    CallKind::Admin(words(cell("args").unwrap_or_default()).ok_or("quotes that end")?)
                }
                _ => return Err("submit, cancel or admin in column op".into()),
            };
            Ok(Call { line, at, until: after("dt_done"), what })
        };
        match read() {
            Ok(Call { what: CallKind::Admin(_), .. }) if cell("reply").is_some_and(is_refusal) => {
                refused += 1
            }
            Ok(call) => calls.push(call),
            Err(expected) => notes.unread_line(file, line, content, &expected),
        }
    }
    if refused > 0 {
        notes.warn(format!("{file}: commands that Slurm refused are left out ({refused})"));
    }
    calls
}

/// Whether this is what `scontrol` says when it does nothing.
fn is_refusal(reply: &str) -> bool {
    let reply = reply.to_ascii_lowercase();
    ["error", "invalid", "slurm_"].iter().any(|begin| reply.starts_with(begin)) || reply.contains(" error")
}

/// Seconds with a fraction, to the millisecond.
fn length(text: &str) -> Option<Micros> {
    to_millisecond(text.parse().ok()?)
}

fn to_millisecond(seconds: f64) -> Option<Micros> {
    (seconds.abs() < 1e12).then(|| Micros::of_millis((seconds * 1000.0).round() as i64))
}

fn submission(
    key: &str,
    id: Option<u64>,
    user: Option<&str>,
    read: SbatchRequest,
    run: &Value,
) -> Result<Box<SubmittedJob>, String> {
    let tasks = read.request.array.as_ref().map_or(1, |array| array.indices.len());
    let one = |value: &Value| match value.as_i64() {
        Some(-1) => TaskRun::PastLimit,
        Some(seconds) if seconds >= 0 => TaskRun::For(Seconds(seconds)),
        _ => TaskRun::Unknown,
    };
    let runs = match run {
        Value::Array(all) => {
            let mut runs: Vec<TaskRun> = all.iter().take(tasks).map(one).collect();
            runs.resize(tasks, TaskRun::Unknown);
            runs
        }
        value => vec![one(value); tasks],
    };
    let user = user.filter(|user| !user.is_empty()).map(str::to_owned).or(read.user).ok_or("a user")?;
    Ok(Box::new(SubmittedJob {
        key: key.to_owned(),
        id,
        submit: Micros::ZERO,
        user,
        request: read.request.into(),
        runs,
        not_modelled: read.not_modelled,
    }))
}

/// The calls of a `.jsonl` plan: one object on each line.
pub(super) fn planned(file: &str, text: &str, notes: &mut Notes) -> Vec<Call> {
    let mut calls = Vec::new();
    for (line, content) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let read = || -> Result<Call, String> {
            let value: Value = serde_json::from_str(content).map_err(|_| "a JSON object")?;
            let at =
                value.get("dt").and_then(Value::as_f64).filter(|at| at.abs() < 1e12).ok_or("a number dt")?;
            let text = |key: &str| value.get(key).and_then(Value::as_str);
            let arguments = || -> Vec<String> {
                let all = value.get("args").and_then(Value::as_array);
                all.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
            };
            let what = match text("op") {
                Some("submit") => {
                    let mut read = sbatch(&arguments()).map_err(|error: SbatchError| error.to_string())?;
                    read.request.name = read.request.name.or_else(|| text("jobname").map(str::to_owned));
                    let run = value.get("list").or_else(|| value.get("run")).unwrap_or(&Value::Null);
                    CallKind::Submit(submission(
                        text("name").ok_or("a name")?,
                        None,
                        text("user"),
                        read,
                        run,
                    )?)
                }
                Some("cancel") => CallKind::Cancel(text("name").ok_or("a name")?.to_owned()),
                Some("admin") => CallKind::Admin(arguments()),
                _ => return Err("op submit, cancel or admin".into()),
            };
            Ok(Call { line, at: Micros::of_millis((at * 1000.0).round() as i64), until: None, what })
        };
        match read() {
            Ok(call) => calls.push(call),
            Err(expected) => notes.unread_line(file, line, content, &expected),
        }
    }
    calls
}

/// The calls of an `.events` plan: `-dt 5 -e submit_batch_job | -J name -sim-walltime 7 ...`.
pub(super) fn simulator_events(file: &str, text: &str, notes: &mut Notes) -> Vec<Call> {
    let mut calls = Vec::new();
    for (line, content) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let read = || -> Result<Call, String> {
            let (event, arguments) = content.split_once('|').ok_or("a | before sbatch's arguments")?;
            let event: Vec<&str> = event.split_whitespace().collect();
            let &["-dt", at, "-e", "submit_batch_job"] = &event[..] else {
                return Err("-dt SECONDS -e submit_batch_job".into());
            };
            let at = length(at).ok_or("a number after -dt")?;
            let mut all = words(arguments).ok_or("quotes that end")?;
            let mut run = Value::Null;
            if let Some(place) = all.iter().position(|word| word == "-sim-walltime") {
                run = all
                    .get(place + 1)
                    .and_then(|word| word.parse::<i64>().ok())
                    .map_or(Value::Null, Value::from);
                all.drain(place..(place + 2).min(all.len()));
            }
            let read = sbatch(&all).map_err(|error| error.to_string())?;
            let key = read.request.name.clone().unwrap_or_else(|| format!("line{line}"));
            Ok(Call {
                line,
                at,
                until: None,
                what: CallKind::Submit(submission(&key, None, None, read, &run)?),
            })
        };
        match read() {
            Ok(call) => calls.push(call),
            Err(expected) => notes.unread_line(file, line, content, &expected),
        }
    }
    calls
}

/// The first submission that accounting knows of, as a Unix time.
pub(super) fn first_submit(text: &str, zone: &TimeZone) -> Option<Time> {
    let mut lines = text.lines();
    let column = lines.next()?.split('|').position(|title| title == "Submit")?;
    let submits = lines.filter_map(|line| unix_second(line.split('|').nth(column)?, zone)?);
    submits.min().map(Time)
}

/// Names of jobs, by the numbers of their submissions, as accounting knows them.
pub(super) fn job_names(text: &str) -> BTreeMap<u64, String> {
    let mut lines = text.lines();
    let titles: Vec<&str> = lines.next().map_or(Vec::new(), |line| line.split('|').collect());
    let column = |name: &str| titles.iter().position(|title| *title == name);
    let (Some(id), Some(name)) = (column("JobID"), column("JobName")) else { return BTreeMap::new() };
    let named = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let name = cells.get(name).filter(|name| !name.is_empty())?;
        Some((job_number(cells.get(id)?.split('_').next()?)?, (*name).to_owned()))
    };
    order::map_of(lines.filter_map(named))
}

/// The parts of a recording.
#[derive(Debug, Default)]
pub(super) struct RecordingParts {
    pub clock: Option<RunClock>,
    pub calls: Vec<Call>,
    /// The file of the calls.
    pub calls_file: String,
    pub list: JobList,
    pub first_submit: Option<Time>,
    /// Names of jobs by their numbers.
    pub names: BTreeMap<u64, String>,
    /// Numbers of jobs that users cancelled.
    pub cancelled: BTreeSet<u64>,
}

/// A recording of all its parts on one clock. Submissions are those of the calls, or else of the list.
pub(super) fn recorded(
    parts: RecordingParts,
    nodes: &NodePlaces<'_>,
    zone: &TimeZone,
    notes: &mut Notes,
) -> Option<RecordedRun> {
    let RecordingParts { clock, calls, calls_file, mut list, first_submit, names, cancelled } = parts;
    if calls.is_empty() && list.submissions.is_empty() {
        return None;
    }
    let clock = clock.unwrap_or_default();
    let first_call = calls.iter().find(|call| matches!(call.what, CallKind::Submit(_))).map(|call| call.at);
    // The list counts from its own first submission unless it has Unix times.
    let listed_unix = list
        .submissions
        .iter()
        .map(|job| job.submit.second().0)
        .min()
        .is_some_and(|first| first > 100_000_000);
    let begin = match (clock.is_unix, first_submit, first_call) {
        _ if listed_unix => Time(0),
        (true, Some(first), _) => first,
        (_, _, Some(first)) => (clock.begin + first).second(),
        _ => clock.zero,
    };
    let clock = RunClock { is_unix: clock.is_unix || listed_unix, ..clock };
    let moved = |time: Time| time + Seconds(begin.0);
    for job in &mut list.submissions {
        job.submit += begin.into();
    }
    for one in &mut list.outcomes {
        one.submit = moved(one.submit);
        (one.eligible, one.start, one.end) =
            (one.eligible.map(moved), one.start.map(moved), one.end.map(moved));
    }
    let noted: BTreeMap<String, (Time, Option<u64>)> =
        order::map_of(list.submissions.iter().map(|job| (job.key.clone(), (job.submit.second(), job.id))));
    let (mut submissions, mut events) = (Vec::new(), Vec::new());
    for call in calls {
        let at = clock.begin + call.at;
        let event = |action| ClusterEvent { at, action };
        match call.what {
            CallKind::Submit(job) => {
                let until = call.until.map_or(at, |until| clock.begin + until);
                let noted = noted.get(&job.key).copied();
                submissions.push(timed(*job, at, until, noted));
            }
            CallKind::Cancel(name) => events.push(event(ClusterAction::Cancel { key: name, task: None })),
            CallKind::Admin(words) => {
                let place = (calls_file.as_str(), call.line);
                let done = administered(&words, at.second(), &clock, place, nodes, zone, notes);
                events.extend(done.into_iter().map(event));
            }
        }
    }
    if submissions.is_empty() {
        submissions = list.submissions;
        events.extend(
            list.cancellations.into_iter().map(|event| ClusterEvent { at: event.at + begin.into(), ..event }),
        );
    }
    order::sort_by_key(&mut submissions, |job| job.submit);
    for job in submissions.iter_mut().filter(|job| job.request.name.is_none()) {
        job.request.name = job.id.and_then(|id| names.get(&id).cloned());
    }
    resolve(&mut submissions, &mut events, notes);
    let is_cancelled = |job: &&SubmittedJob| job.id.is_some_and(|id| cancelled.contains(&id));
    let by_users = submissions.iter().filter(is_cancelled).map(|job| job.key.as_str()).collect();
    cancelled_otherwise(&list.outcomes, &by_users, &mut events);
    order::sort_by_key(&mut events, |event| event.at);
    Some(RecordedRun { submissions, events, outcomes: list.outcomes, clock })
}

/// The submission timed at the return of its call; if the second that the scheduler recorded is known, the time is clamped
/// into it.
fn timed(job: SubmittedJob, at: Micros, until: Micros, noted: Option<(Time, Option<u64>)>) -> SubmittedJob {
    let submit = match noted {
        Some((second, _)) => {
            let (first, last) = (Micros::from(second), Micros::last_of(second));
            if until < first || at > last { first } else { until.clamp(first, last) }
        }
        None => until,
    };
    let id = job.id.or(noted.and_then(|(_, id)| id));
    SubmittedJob { submit, id, ..job }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{ClusterNode, JobUpdate, NodeChange, NodeState};

    fn run(parts: RecordingParts) -> (RecordedRun, Notes) {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let (nodes, mut notes) = (["c1", "c2"].map(node).to_vec(), Notes::default());
        let places = NodePlaces::of(&nodes, &[], &mut notes);
        let run = recorded(parts, &places, &TimeZone::UTC, &mut notes).unwrap();
        (run, notes)
    }

    const CALLS: &str = "dt_planned\tdt_call\tdt_done\top\tname\tuser\tjobid\trun\targs\treply
0\t0.00\t0.02\tadmin\t\t\t\t\"\"\tcreate reservation ReservationName=r StartTime=2026-11-15T01:16:37 Duration=5 Nodes=c[1-2] Accounts=b\t
2\t2.00\t2.06\tsubmit\ts1\tann\t1001\t20\t-n 1\t
3\t3.90\t4.10\tsubmit\ts2\tbob\t1002\t[5, -1]\t-n 1 --array=0-1 -d afterok:1001\t
9\t9.00\t9.01\tcancel\ts2\t\t1002\t\"\"\t\t
10\t10.00\t10.01\tadmin\t\t\t\t\"\"\tupdate nodename=c1 state=drain reason=x\t
11\t11.00\t11.01\tadmin\t\t\t\t\"\"\tupdate jobid=1001 nice=7\t
12\t12.00\t12.01\tadmin\t\t\t\t\"\"\tsuspend 1001\t
12\t12.00\t12.01\tadmin\t\t\t\t\"\"\tcreate reservation ReservationName=no StartTime=2026-11-15T01:16:50 Duration=5 Nodes=c1 Users=ann\tError creating the reservation: Requested nodes are busy
x\tx\tx\tsubmit\ts9\tann\t1\t1\t-n 1\t
";

    #[test]
    fn everything_that_happened_is_on_one_clock() {
        let mut notes = Notes::default();
        let clock = clock(
            "meta.json",
            r#"{"t0_epoch": 1794705337, "t0_exact": 1794705337.15, "slurmctld_start": 1794705330.5, "first_backfill_cycle_after_t0": 1.36}"#,
            &mut notes,
        );
        let calls = called("submitted.tsv", CALLS, &mut notes);
        assert_eq!(notes.misread.iter().map(|one| one.line).collect::<Vec<_>>(), [10]);
        assert_eq!(notes.warnings, ["submitted.tsv: commands that Slurm refused are left out (1)"]);
        let list = super::super::jobs::jobs(
            "jobs.csv",
            "key,jobid,user,state,planned_run,submit,start,args\ns1,1001,ann,COMPLETED,20,0,1,-n 1\ns2_0,1002_0,bob,COMPLETED,5,2,3,--array=0-1\n",
            &mut notes,
        );
        let (run, notes) = run(RecordingParts {
            clock,
            calls,
            calls_file: "submitted.tsv".into(),
            list,
            names: job_names("JobID|JobName|User\n1001|first|ann\n1002_0||bob\nx\n"),
            ..RecordingParts::default()
        });
        let [one, two] = &run.submissions[..] else { panic!("{run:?}") };
        assert_eq!(one.submit, Micros::of_millis(1_794_705_339_210));
        assert_eq!((one.request.name.as_deref(), &two.request.name), (Some("first"), &None));
        // The call from 41.05 to 41.25 was noted in second 41.
        assert_eq!(two.submit, Micros::of_millis(1_794_705_341_250));
        assert_eq!(two.runs, [TaskRun::For(Seconds(5)), TaskRun::PastLimit]);
        assert_eq!(two.request.dependency.as_ref().unwrap().on[0].job, "s1");
        assert_eq!(run.outcomes[0].start, Some(Time(1_794_705_340)));
        let [reserve, cancel, drain, nice] = &run.events[..] else { panic!("{:?}", run.events) };
        let ClusterAction::Reserve(reserved) = &reserve.action else { panic!("{reserve:?}") };
        assert_eq!((reserved.start, reserved.end), (Time(1_794_705_397), Time(1_794_705_697)));
        assert_eq!(cancel.action, ClusterAction::Cancel { key: "s2".into(), task: None });
        assert_eq!(
            drain.action,
            ClusterAction::Nodes(NodeChange { nodes: vec![0], state: NodeState::Drained })
        );
        let change = JobUpdate::Nice(7);
        assert_eq!(nice.action, ClusterAction::Job { key: "s1".into(), task: None, change });
        assert_eq!(notes.unmodelled.len(), 1, "suspend");
    }

    #[test]
    fn plans_are_read_too() {
        let mut notes = Notes::default();
        let text = "{\"dt\": 0, \"op\": \"admin\", \"args\": [\"create\", \"reservation=r\", \"StartTime=@T+300\", \"Duration=5\", \"Nodes=c1\"]}\n{\"dt\": 2.5, \"op\": \"submit\", \"name\": \"s1\", \"user\": \"ann\", \"run\": 20, \"args\": [\"-n\", \"1\", \"-d\", \"afterok:@s0\"]}\n{\"op\": 1}\n";
        let calls = planned("p.jsonl", text, &mut notes);
        assert_eq!((calls.len(), notes.misread.len()), (2, 1));
        let (run, _) =
            run(RecordingParts { calls, calls_file: "p.jsonl".into(), ..RecordingParts::default() });
        assert_eq!((run.submissions[0].submit, run.clock.is_unix), (Micros::of_millis(2500), false));
        assert_eq!(run.submissions[0].request.dependency.as_ref().unwrap().on[0].job, "s0");
        assert!(matches!(&run.events[0].action, ClusterAction::Reserve(one) if one.start == Time(300)));
        let text = "-dt 5 -e submit_batch_job | -J j1 -sim-walltime -1 --uid=ann -t 00:01:00 -n 12 pseudo.job\n-dt x | -n 1\n";
        let calls = simulator_events("p.events", text, &mut notes);
        let (run, _) = tests::run(RecordingParts { calls, ..RecordingParts::default() });
        let job = &run.submissions[0];
        assert_eq!(
            (job.key.as_str(), job.user.as_str(), job.runs.as_slice()),
            ("j1", "ann", &[TaskRun::PastLimit][..])
        );
        assert_eq!(notes.misread.len(), 2);
    }
}
