//! What a controller decided in a recorded run: its logs, and snapshots of `sprio`.

use queuecast_core::order;
use std::collections::BTreeMap;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::file_kind::SiteFileKind;
use super::given_nodes::given_parts;
use super::notes::{Misread, Notes};
use super::recorded_ends::recorded_ends;
use super::snapshots::rows;
use super::values::digits;
use queuecast_core::units::{Micros, Time};
use queuecast_slurm_sim::cluster::{
    Cluster, JobNumber, LoggedAction, LoggedPlace, LoggedStep, PriorityPartsShown, RecordedDecisions,
    RunClock, ShownPriority,
};
use queuecast_trace::hostlist::expanded;
use queuecast_trace::sacct::unix_second;

/// Decisions, and what is to be said about the texts they were read from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DecisionsReading {
    /// The decisions; nothing if no text tells any.
    pub decisions: RecordedDecisions,
    /// Places that could not be read.
    pub misread: Vec<Misread>,
}

/// Reads what the controller of a recorded run decided, out of its logs (`slurmctld.log`, and `sched.log` for passes of the main
/// scheduler) and snapshots of `sprio`. Lines that tell no decision are left alone.
pub fn read_decisions(
    texts: &BTreeMap<String, String>,
    cluster: &Cluster,
    clock: &RunClock,
    zone: &TimeZone,
) -> DecisionsReading {
    let mut notes = Notes::default();
    let of =
        |kind: SiteFileKind| texts.iter().find(|(name, text)| SiteFileKind::of(name, text) == Some(kind));
    let mut reader = LogReader { cluster, zone, raw: BTreeMap::new(), notes: &mut notes };
    let passes = of(SiteFileKind::PassLog).map_or(Vec::new(), |(file, text)| reader.steps(file, text));
    let others = of(SiteFileKind::ControllerLog).map_or(Vec::new(), |(file, text)| reader.steps(file, text));
    let raw = reader.raw;
    let mut decisions = RecordedDecisions { steps: merged(passes, others), ..RecordedDecisions::default() };
    for (file, text) in texts {
        if SiteFileKind::of(file, text) == Some(SiteFileKind::ShownPriorities) {
            decisions.priorities.extend(shown(file, text, clock, &raw, &mut notes));
        }
        if SiteFileKind::of(file, text) == Some(SiteFileKind::GivenNodes) {
            decisions.given.extend(given_parts((file, text), (clock, cluster, &raw), &mut notes));
        }
    }
    if let Some((_, text)) = of(SiteFileKind::Accounting) {
        decisions.ends = recorded_ends(text, zone);
    }
    order::sort_by_key(&mut decisions.priorities, |row| row.at);
    DecisionsReading { decisions, misread: notes.misread }
}

/// A start that is logged twice is logged within this time.
const SAME_START: Micros = Micros::of_millis(5);

/// When a line was logged, to the millisecond, and what it says: `[2026-11-15T15:28:15.181] text`.
fn logged<'t>(line: &'t str, zone: &TimeZone) -> Option<(Micros, &'t str)> {
    let line = line.strip_prefix("sched: ").unwrap_or(line);
    let (time, said) = line.strip_prefix('[')?.split_once("] ")?;
    let local: DateTime = time.parse().ok()?;
    Some((Micros::of_millis(zone.to_timestamp(local).ok()?.as_millisecond()), said))
}

/// When the timer of priorities was started, up to an instant.
pub(super) fn priority_timer(text: &str, until: Micros, zone: &TimeZone) -> Option<Micros> {
    let line = text.lines().find(|line| line.contains("_read_last_decay_ran"))?;
    logged(line, zone).map(|(at, _)| at).filter(|at| *at <= until)
}

/// What happened to a job.
type OfJob = fn(JobNumber) -> LoggedAction;

/// Reads lines of logs.
struct LogReader<'r> {
    cluster: &'r Cluster,
    zone: &'r TimeZone,
    /// Array tasks by their own job IDs.
    raw: BTreeMap<u64, JobNumber>,
    notes: &'r mut Notes,
}

impl LogReader<'_> {
    fn steps(&mut self, file: &str, text: &str) -> Vec<LoggedStep> {
        let mut steps = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some((at, said)) = logged(line, self.zone) else { continue };
            match self.action(said) {
                Ok(Some(what)) => steps.push(LoggedStep { at, what }),
                Ok(None) => {}
                Err(expected) => self.notes.unread_line(file, number, line, expected),
            }
        }
        steps
    }

    /// What a line says, if it tells a decision.
    fn action(&mut self, said: &str) -> Result<Option<LoggedAction>, &'static str> {
        let said = said.strip_prefix("sched: ").unwrap_or(said);
        let said = said.strip_prefix("sched/backfill: ").unwrap_or(said);
        if said.starts_with("Running job scheduler") {
            return Ok(Some(LoggedAction::Pass { full: said.contains(" full queue") }));
        }
        if said == "_attempt_backfill: beginning" {
            return Ok(Some(LoggedAction::Cycle));
        }
        if let Some(rest) = said.strip_prefix("_dump_job_sched: ") {
            let job = self.job(rest)?;
            let on = LoggedPlace {
                partition: after(rest, " in partition ")?.to_owned(),
                nodes: self.nodes(after(rest, " on nodes ")?)?,
            };
            let time = |key: &str| {
                let second = unix_second(after(rest, key)?, self.zone).flatten();
                second.map(Time).ok_or("a time")
            };
            let (start, end) = (time(" to start at ")?, time(", end at ")?);
            return Ok(Some(LoggedAction::Planned { job, on, start, end }));
        }
        if let Some(rest) = said.strip_prefix("_start_job: Started ") {
            let job = self.job(rest)?;
            let on = LoggedPlace {
                partition: after(rest, " in ")?.to_owned(),
                nodes: self.nodes(after(rest, " on ")?)?,
            };
            return Ok(Some(LoggedAction::Started { job, on, backfilled: true }));
        }
        if let Some(rest) = said.strip_prefix("Allocate ") {
            let job = self.job(rest)?;
            let on = LoggedPlace {
                partition: after(rest, " Partition=")?.to_owned(),
                nodes: self.nodes(after(rest, " NodeList=")?)?,
            };
            return Ok(Some(LoggedAction::Started { job, on, backfilled: false }));
        }
        if said.starts_with("JobId=") && said.contains(" Reason=Resources.") {
            let job = self.job(said)?;
            let partitions = after(said, " Partition=")?.trim_end_matches('.').split(',');
            return Ok(Some(LoggedAction::Blocked {
                job,
                partitions: partitions.map(str::to_owned).collect(),
            }));
        }
        if said.starts_with("JobId=") && said.ends_with(" delayed for accounting policy") {
            return Ok(Some(LoggedAction::Delayed(self.job(said)?)));
        }
        if said.starts_with("preempted JobId=") && said.contains(" to reclaim resources for ") {
            // After a grace time the log does not name the preempting job.
            let (job, by) = (self.job(said)?, self.job(after(said, " to reclaim resources for ")?).ok());
            let requeued = said.contains(" requeued ");
            return Ok(Some(LoggedAction::Preempted { job, by, requeued }));
        }
        // One that may not be requeued.
        if said.starts_with("slurm_job_preempt: preempted JobId=") && said.ends_with(" had to be killed") {
            return Ok(Some(LoggedAction::Preempted { job: self.job(said)?, by: None, requeued: false }));
        }
        if said.contains("Reservation ended for JobId=") {
            return Ok(Some(LoggedAction::Stopped(self.job(said)?)));
        }
        let begun: [(&str, OfJob); 5] = [
            ("_slurm_rpc_submit_batch_job: JobId=", LoggedAction::Submitted),
            ("Time limit exhausted for JobId=", LoggedAction::Stopped),
            ("_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=", LoggedAction::Cancelled),
            (
                "_kill_dependent: Job dependency can't be satisfied, cancelling JobId=",
                LoggedAction::Cancelled,
            ),
            ("_job_complete: JobId=", LoggedAction::Ended),
        ];
        for (begin, made) in begun {
            if said.starts_with(begin) && (begin != "_job_complete: JobId=" || said.ends_with(" done")) {
                return Ok(Some(made(self.job(said)?)));
            }
        }
        Ok(None)
    }

    /// `JobId=12`, `JobId=12_3(15)` or `JobId=12_*`.
    fn job(&mut self, text: &str) -> Result<JobNumber, &'static str> {
        let text = after(text, "JobId=")?;
        let end = |text: &str| text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (id, rest) = text.split_at(end(text));
        let id = digits(id).ok_or("a number of a job")?;
        let rest = rest.strip_prefix('_').unwrap_or_default();
        if rest.starts_with('[') {
            return Err("one task, or all of an array");
        }
        let (task, rest) = rest.split_at(end(rest));
        let job = JobNumber { id, task: digits(task).and_then(|task| u32::try_from(task).ok()) };
        if let Some(own) = rest.strip_prefix('(').and_then(|own| digits(own.split(')').next()?)) {
            self.raw.insert(own, job);
        }
        Ok(job)
    }

    fn nodes(&self, list: &str) -> Result<Vec<usize>, &'static str> {
        let names = expanded(list).ok_or("a list of nodes")?;
        let nodes: Option<Vec<usize>> = names.iter().map(|name| self.cluster.node(name)).collect();
        let mut nodes = nodes.ok_or("nodes of the site")?;
        nodes.sort_unstable();
        Ok(nodes)
    }
}

/// The word after a key.
fn after<'t>(text: &'t str, key: &str) -> Result<&'t str, &'static str> {
    let (_, rest) = text.split_once(key).ok_or("a line as Slurm logs it")?;
    let word = rest.split(' ').next().unwrap_or_default();
    Ok(word.trim_end_matches(','))
}

/// Both logs merged by time. A start by the main scheduler is in both logs: it is kept once, at its place in the
/// controller's log, after the preceding lines of `sched.log`. At equal milliseconds the controller's log comes first.
fn merged(passes: Vec<LoggedStep>, others: Vec<LoggedStep>) -> Vec<LoggedStep> {
    let main_start = |step: &LoggedStep| match &step.what {
        LoggedAction::Started { job, backfilled: false, .. } => Some(*job),
        _ => None,
    };
    if passes.is_empty() {
        return others;
    }
    let mut steps = Vec::with_capacity(passes.len() + others.len());
    let mut passes = passes.into_iter().peekable();
    for other in others {
        if let Some(job) = main_start(&other) {
            let wanted =
                |step: &LoggedStep| main_start(step) == Some(job) && step.at.abs_diff(other.at) <= SAME_START;
            let mut is_there = false;
            while passes.peek().is_some_and(|step| step.at <= other.at + SAME_START) {
                let Some(step) = passes.next() else { break };
                let found = wanted(&step);
                steps.push(step);
                if found {
                    is_there = true;
                    break;
                }
            }
            if !is_there {
                // Only the controller's log has this start.
                steps.push(other);
            }
            continue;
        }
        while passes.peek().is_some_and(|step| step.at < other.at) {
            steps.extend(passes.next());
        }
        steps.push(other);
    }
    steps.extend(passes);
    steps
}

/// Snapshots of `sprio`.
fn shown(
    file: &str,
    text: &str,
    clock: &RunClock,
    raw: &BTreeMap<u64, JobNumber>,
    notes: &mut Notes,
) -> Vec<ShownPriority> {
    let mut shown = Vec::new();
    rows(text, clock, |row| {
        let whole = |name: &str| row.cell(name)?.parse::<i64>().ok();
        let read = || -> Option<ShownPriority> {
            let own = digits(row.cell("JOBID")?)?;
            Some(ShownPriority {
                at: row.instant("T")?,
                job: raw.get(&own).copied().unwrap_or(JobNumber { id: own, task: None }),
                partition: row.cell("PARTITION")?.to_owned(),
                priority: digits(row.cell("PRIORITY")?)?,
                parts: PriorityPartsShown {
                    age: whole("AGE")?,
                    fair_share: whole("FAIRSHARE")?,
                    size: whole("JOBSIZE")?,
                    partition: whole("PART")?,
                    qos: whole("QOS")?,
                    nice: whole("NICE")?,
                },
            })
        };
        match read() {
            Some(row) => shown.push(row),
            None => {
                notes.unread_line(file, row.number, row.line, &format!("{} columns of sprio", row.columns()));
            }
        }
    });
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::ClusterNode;

    fn reading(texts: &[(&str, &str)]) -> DecisionsReading {
        let node = |name: &str| ClusterNode { name: name.into(), ..ClusterNode::default() };
        let cluster = Cluster { nodes: ["c1", "c2"].map(node).to_vec(), ..Cluster::default() };
        let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let clock = RunClock { is_unix: true, zero: Time(1_794_705_337), ..RunClock::default() };
        read_decisions(&texts, &cluster, &clock, &TimeZone::UTC)
    }

    const CONTROLLER: &str = "[2026-11-15T01:15:30.000] slurmctld version 22.05.8 started on cluster x
[2026-11-15T01:15:31.040] priority/multifactor: _read_last_decay_ran: No last decay (/x) to recover
[2026-11-15T01:15:39.200] _slurm_rpc_submit_batch_job: JobId=1001 InitPrio=5 usec=3
[2026-11-15T01:15:40.000] sched: Allocate JobId=1001 NodeList=c[1-2] #CPUs=2 Partition=all
[2026-11-15T01:15:40.000] _job_complete: JobId=1000 WEXITSTATUS 0
[2026-11-15T01:15:40.000] _job_complete: JobId=1000 done
[2026-11-15T01:15:45.700] sched/backfill: _attempt_backfill: beginning
[2026-11-15T01:15:45.701] sched/backfill: _start_job: Started JobId=1002_3(1007) in all on c1
[2026-11-15T01:15:45.701] sched/backfill: _dump_job_sched: JobId=1002_* to start at 2026-11-15T01:20:00, end at 2026-11-15T01:25:00 on nodes c2 in partition all
[2026-11-15T01:16:01.000] Time limit exhausted for JobId=1001
[2026-11-15T01:16:01.001] job_time_limit: Reservation ended for JobId=1002_3(1007)
[2026-11-15T01:16:02.000] sched/backfill: _start_job: Started JobId=1009 in all on c7
";
    const PASSES: &str = "sched: [2026-11-15T01:15:40.000] Running job scheduler for default depth.
sched: [2026-11-15T01:15:40.000] Allocate JobId=1001 NodeList=c[1-2] #CPUs=2 Partition=all
sched: [2026-11-15T01:15:40.000] JobId=1005. State=PENDING. Reason=Resources. Priority=10. Partition=all,other.
";
    const ROWS: &str =
        "# T = seconds after t0; T|JOBID|PARTITION|PRIORITY|AGE|FAIRSHARE|JOBSIZE|PART|QOS|NICE
29.6|1007|all|10|1|2|3|4|0|0
30.0|x|all|10|1|2|3|4|0|0
";

    #[test]
    fn logs_become_one_sequence() {
        let found =
            reading(&[("slurmctld.log", CONTROLLER), ("sched.log", PASSES), ("snap-sprio.txt", ROWS)]);
        let number = |id| JobNumber { id, task: None };
        let on = |nodes: &[usize]| LoggedPlace { partition: "all".into(), nodes: nodes.to_vec() };
        let zero = Micros::of_seconds(1_794_705_330);
        let step = |after: i64, what| LoggedStep { at: zero + Micros::of_millis(after), what };
        let (task, array) = (JobNumber { id: 1002, task: Some(3) }, number(1002));
        assert_eq!(
            found.decisions.steps,
            [
                step(9_200, LoggedAction::Submitted(number(1001))),
                step(10_000, LoggedAction::Pass { full: false }),
                step(10_000, LoggedAction::Started { job: number(1001), on: on(&[0, 1]), backfilled: false }),
                step(10_000, LoggedAction::Ended(number(1000))),
                step(
                    10_000,
                    LoggedAction::Blocked {
                        job: number(1005),
                        partitions: vec!["all".into(), "other".into()]
                    }
                ),
                step(15_700, LoggedAction::Cycle),
                step(15_701, LoggedAction::Started { job: task, on: on(&[0]), backfilled: true }),
                step(
                    15_701,
                    LoggedAction::Planned {
                        job: array,
                        on: on(&[1]),
                        start: Time(1_794_705_600),
                        end: Time(1_794_705_900)
                    }
                ),
                step(31_000, LoggedAction::Stopped(number(1001))),
                step(31_001, LoggedAction::Stopped(task)),
            ]
        );
        assert_eq!(
            priority_timer(CONTROLLER, zero + Micros::of_seconds(5), &TimeZone::UTC),
            Some(zero + Micros(1_040_000))
        );
        assert_eq!(priority_timer(CONTROLLER, zero, &TimeZone::UTC), None, "later than asked for");
        let [row] = &found.decisions.priorities[..] else { panic!("{:?}", found.decisions.priorities) };
        assert_eq!(
            (row.job, row.at, row.priority, row.parts.size),
            (task, zero + Micros::of_millis(36_600), 10, 3)
        );
        let misread: Vec<(&str, usize)> =
            found.misread.iter().map(|one| (one.file.as_str(), one.line)).collect();
        assert_eq!(misread, [("slurmctld.log", 12), ("snap-sprio.txt", 3)], "unknown nodes, no number");
    }

    #[test]
    fn preempted_jobs_go_back_or_are_killed() {
        let log = "[2026-11-15T01:15:30.000] slurmctld version 22.05.8 started on cluster x
[2026-11-15T01:15:31.000] preempted JobId=1001 has been requeued to reclaim resources for JobId=1002
[2026-11-15T01:15:32.000] slurm_job_preempt: preempted JobId=1003 had to be killed
";
        let found = reading(&[("slurmctld.log", log)]);
        let number = |id| JobNumber { id, task: None };
        let actions: Vec<LoggedAction> = found.decisions.steps.into_iter().map(|step| step.what).collect();
        let preempted = |id, by, requeued| LoggedAction::Preempted { job: number(id), by, requeued };
        assert_eq!(actions, [preempted(1001, Some(number(1002)), true), preempted(1003, None, false)]);
    }

    #[test]
    fn where_nothing_is_told_nothing_is_decided() {
        assert!(reading(&[("slurm.conf", "ClusterName=x\n")]).decisions.is_empty());
        let alone = reading(&[("slurmctld.log", CONTROLLER)]);
        assert_eq!(
            alone.decisions.steps.len(),
            8,
            "starts by the main scheduler are in the controller's log too"
        );
    }
}
