//! Submissions and what became of them, from what `sacct -P` prints.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;

use super::accounted_arrays::AccountedArrays;
use super::accounted_request::{completed, line_request};
use super::accounted_row::{AccountedRow, ColumnPlaces, RowAmounts};
use super::expressions::array;
use super::rules::RuleCounter;
use super::site::SiteOptions;
use super::values::digits;
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Begin, Cluster, ClusterAction, ClusterEvent, JobArray, JobOutcome, RecordedRun, RunClock, SharedRequests,
    SubmittedJob, TaskRun,
};
use queuecast_trace::TraceError;
use queuecast_trace::hostlist::expanded;
use queuecast_trace::sacct::{SacctTexts, seconds, unix_second};

/// The number of a job: its array's or its own, its tasks, and its place in a heterogeneous job.
struct AccountedNumber {
    base: u64,
    tasks: Vec<Option<u32>>,
    throttle: Option<u32>,
    component: Option<u32>,
}

/// `12`, `12_3`, `12_[4-9%2]`, `12+1`.
fn job_number(text: &str) -> Option<AccountedNumber> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let base = digits(&text[..end])?;
    let one = |tasks, throttle, component| Some(AccountedNumber { base, tasks, throttle, component });
    match text[end..].split_at_checked(1) {
        None if text.len() == end => one(vec![None], None, None),
        None => None,
        Some(("_", tasks)) => {
            // A long list is cut short by sacct: 12_[1,3,5,...]
            let whole = tasks.trim_end_matches("...]").trim_end_matches("...").trim_end_matches(',');
            let list = array(whole.trim_start_matches('[').trim_end_matches(']'))?;
            one(list.indices.into_iter().map(Some).collect(), list.throttle, None)
        }
        Some(("+", component)) => one(vec![None], None, Some(u32::try_from(digits(component)?).ok()?)),
        Some(_) => None,
    }
}

/// What is collected while rows are read.
struct AccountedJobs<'c> {
    cluster: &'c Cluster,
    zone: &'c TimeZone,
    known_until: Option<Time>,
    submissions: Vec<SubmittedJob>,
    requests: SharedRequests,
    places: BTreeMap<String, usize>,
    outcomes: Vec<JobOutcome>,
    /// By submission and task (of a job that is no array `None`) the place of the outcome, and the run.
    kept: BTreeMap<(usize, Option<u32>), (usize, TaskRun)>,
    events: Vec<ClusterEvent>,
    arrays: AccountedArrays,
    rules: RuleCounter,
}

/// The submissions that `sacct -P` lists for a cluster, with their recorded outcomes. Rows that are left out or adjusted
/// are counted by rule.
pub(super) fn accounted(
    text: &str,
    cluster: &Cluster,
    options: &SiteOptions,
    rules: &mut RuleCounter,
) -> Result<RecordedRun, TraceError> {
    let SiteOptions { time_zone: zone, known_until } = options;
    let table = SacctTexts::open(text, zone)?;
    let wanted = wanted_cluster(&table, cluster);
    let mut jobs = AccountedJobs {
        cluster,
        zone,
        known_until: *known_until,
        submissions: Vec::new(),
        requests: SharedRequests::default(),
        places: BTreeMap::new(),
        outcomes: Vec::new(),
        kept: BTreeMap::new(),
        events: Vec::new(),
        arrays: AccountedArrays::default(),
        rules: std::mem::take(rules),
    };
    let places = ColumnPlaces::of(&table.places);
    let broken = table.visit(&mut |line, cells| {
        let amounts = RowAmounts::default();
        let row = AccountedRow { cells, places: &places, amounts: &amounts, line, hides_given: false };
        jobs.add(&row, wanted.as_deref());
    });
    for line in broken {
        jobs.rules.count("lines that are no row", line);
    }
    let (run, counted) = jobs.finished();
    *rules = counted;
    Ok(run)
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

impl AccountedJobs<'_> {
    fn add(&mut self, row: &AccountedRow<'_>, cluster: Option<&str>) {
        let id = row.text("jobid").or_else(|| row.text("jobidraw")).unwrap_or_default();
        if id.contains('.') {
            self.rules.count("steps of jobs, which are part of their jobs", row.line);
            return;
        }
        if row.text("cluster").is_some_and(|name| cluster.is_some_and(|wanted| wanted != name)) {
            self.rules.count("rows of other clusters", row.line);
            return;
        }
        let Some(number) = job_number(id) else {
            self.rules.count("rows without a job number", row.line);
            return;
        };
        let time =
            |name: &str| row.text(name).and_then(|text| unix_second(text, self.zone).flatten()).map(Time);
        let Some(submit) = time("submit").or_else(|| time("eligible")) else {
            self.rules.count("rows without a time of submission", row.line);
            return;
        };
        if self.known_until.is_some_and(|until| submit > until) {
            self.rules.count("rows submitted after the moment asked about", row.line);
            return;
        }
        let (eligible, start, end) = (time("eligible"), time("start"), time("end"));
        let key = match number.component {
            Some(component) => format!("{}+{component}", number.base),
            None => number.base.to_string(),
        };
        let state = match row.text("state") {
            Some(text) => JobState::shown(text).unwrap_or_else(|| {
                self.rules
                    .count("rows whose state is none of Slurm's: when they ended counts, not how", row.line);
                JobState::Unknown
            }),
            None => JobState::Completed,
        };
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None => {
                let is_later = |at: Time| self.known_until.is_some_and(|until| at > until);
                let known = AccountedRow { hides_given: start.is_some_and(is_later), ..*row };
                self.submitted(&known, key.clone(), &number, submit, (eligible, start))
            }
        };
        let run = self.run(row, state, start, end);
        let is_array = self.submissions[place].request.array.is_some();
        if let Some(throttle) = number.throttle
            && is_array
            && let Some(array) = &mut self.submissions[place].request.array
        {
            array.throttle = array.throttle.or(Some(throttle));
        }
        let has_started = start.is_some_and(|start| self.known_until.is_none_or(|until| start <= until));
        if has_started && row.text("reason") == Some("JobArrayTaskLimit") {
            self.arrays.throttled.insert(place);
        }
        for &task in &number.tasks {
            let outcome = JobOutcome {
                key: key.clone(),
                task,
                state,
                submit,
                eligible,
                start,
                end,
                partition: row.name("partition").unwrap_or_default().to_owned(),
                cpus: start.and(row.cpus().1).and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or(0),
                billed: start.and(row.given().amount("billing")),
                nodes: start.and(row.name("nodelist")).and_then(expanded).unwrap_or_default().into(),
                backfilled: row
                    .text("flags")
                    .filter(|flags| flags.contains("Sched"))
                    .map(|flags| flags.contains("SchedBackfill")),
                priority: row.number("priority"),
            };
            self.keep(place, task, run, outcome, row.line);
        }
    }

    /// Records the outcome of a job. A requeued job keeps its first submission time and its last run.
    fn keep(&mut self, place: usize, task: Option<u32>, run: TaskRun, outcome: JobOutcome, line: usize) {
        match self.kept.get_mut(&(place, task)) {
            Some((at, last)) => {
                self.rules.count("earlier runs of jobs that were requeued: the last run counts", line);
                *last = run;
                let submit = self.outcomes[*at].submit.min(outcome.submit);
                self.outcomes[*at] = JobOutcome { submit, ..outcome };
            }
            None => {
                self.kept.insert((place, task), (self.outcomes.len(), run));
                self.outcomes.push(outcome);
            }
        }
    }

    /// The run time to simulate for a job, derived from its final state and elapsed time.
    fn run(
        &mut self,
        row: &AccountedRow<'_>,
        state: JobState,
        start: Option<Time>,
        end: Option<Time>,
    ) -> TaskRun {
        let lasted = || {
            let raw = row.number("elapsedraw").and_then(|length| i64::try_from(length).ok());
            let written = || row.text("elapsed").and_then(|text| seconds(text.as_bytes()));
            let between = || Some((end? - start?).0.max(0));
            raw.or_else(written).or_else(between).map(Seconds)
        };
        match (state, start) {
            (JobState::Timeout | JobState::Deadline, Some(_)) => TaskRun::PastLimit,
            // A run that was requeued has ended, its job has not.
            (state, _) if state.ending().is_none() || state == JobState::Requeued => {
                self.rules.count("jobs that had not ended: they run to their limit", row.line);
                TaskRun::Unknown
            }
            (JobState::Completed, Some(_)) => lasted().map_or(TaskRun::Unknown, TaskRun::For),
            (_, Some(_)) => lasted().map_or(TaskRun::Unknown, TaskRun::FailsAfter),
            (_, None) => TaskRun::Unknown,
        }
    }

    /// Makes the submission of a job from its first row and returns its index.
    fn submitted(
        &mut self,
        row: &AccountedRow<'_>,
        key: String,
        number: &AccountedNumber,
        submit: Time,
        (eligible, start): (Option<Time>, Option<Time>),
    ) -> usize {
        if number.component.is_some_and(|component| component > 0) {
            self.rules.count("parts of heterogeneous jobs, each taken as a job of its own", row.line);
        }
        let (mut request, not_modelled) = line_request(row, &mut self.rules);
        completed(&mut request, row, self.cluster, &mut self.rules);
        let is_array = number.tasks[0].is_some();
        if is_array {
            let throttle = request.array.as_ref().and_then(|array| array.throttle);
            request.array = Some(JobArray { indices: Vec::new(), throttle });
        } else {
            request.array = None;
        }
        if request.terms.hold && start.is_some() {
            // It started, so its hold was released at the eligible time.
            request.terms.hold = false;
            request.terms.begin = eligible.map(Begin::Eligible);
        }
        let waits = eligible.filter(|&eligible| (eligible - submit).0 > 1);
        if let Some(eligible) =
            waits.filter(|_| request.dependency.is_none() && request.terms.begin.is_none() && !is_array)
        {
            self.rules.count("jobs that became eligible later: they may begin then", row.line);
            // Of a job that still waits, the row is as it is now, and tells when it may begin.
            let begin = if start.is_some() { Begin::Eligible } else { Begin::At };
            request.terms.begin = Some(begin(eligible));
        }
        let user = row.name("user").unwrap_or("unknown").to_owned();
        if row.name("user").is_none() {
            self.rules.count("jobs without a user: all are of one user, unknown", row.line);
        }
        self.submissions.push(SubmittedJob {
            id: number.component.is_none_or(|component| component == 0).then_some(number.base),
            key: key.clone(),
            submit: submit.into(),
            user,
            request: self.requests.shared(request),
            runs: Vec::new(),
            not_modelled,
        });
        self.arrays.lines.push(row.line);
        self.places.insert(key, self.submissions.len() - 1);
        self.submissions.len() - 1
    }

    /// The recorded run: submissions and events sorted by time, with a cancel event for each job cancelled while pending.
    fn finished(mut self) -> (RecordedRun, RuleCounter) {
        self.arrays.complete(&mut self.submissions, &self.outcomes, self.known_until, &mut self.rules);
        let mut kept = std::mem::take(&mut self.kept).into_iter().peekable();
        for (place, submission) in self.submissions.iter_mut().enumerate() {
            let (mut tasks, mut runs) = (Vec::new(), Vec::with_capacity(1));
            let is_array = submission.request.array.is_some();
            while let Some(((_, task), (_, run))) = kept.next_if(|((of, _), _)| *of == place) {
                tasks.extend(task);
                // The row of a whole array carries no run times of its tasks.
                if task.is_some() || !is_array {
                    runs.push(run);
                }
            }
            submission.runs = runs;
            if is_array && let Some(array) = &mut submission.request.array {
                array.indices = tasks;
            }
        }
        for one in &self.outcomes {
            // A job cancelled while pending is cancelled at the same time in the simulation.
            if one.state == JobState::Cancelled
                && one.start.is_none()
                && let Some(at) = one.end
            {
                let action = ClusterAction::Cancel { key: one.key.clone(), task: one.task };
                self.events.push(ClusterEvent { at: at.into(), action });
            }
        }
        order::sort_by_key(&mut self.events, |event| event.at);
        order::sort_by_key(&mut self.submissions, |job| job.submit);
        let begin = self.submissions.first().map_or(Micros::ZERO, |job| job.submit);
        let clock = RunClock { is_unix: true, zero: begin.second(), begin, ..RunClock::default() };
        let run = RecordedRun {
            submissions: self.submissions,
            events: self.events,
            outcomes: self.outcomes,
            clock,
        };
        (run, self.rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_sim::cluster::{
        AdvanceReservation, Allowed, ClusterPartition, GresRequest, MemoryAmount, MemoryRequest,
        ReservationFlags, TimeLimit, Tres,
    };

    const HEADER: &str = "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|NodeList|Constraints|Flags|Reservation|Priority|SubmitLine\n";

    fn read(rows: &str) -> (RecordedRun, Vec<(String, usize)>) {
        read_until(rows, None)
    }

    fn read_until(rows: &str, known_until: Option<Time>) -> (RecordedRun, Vec<(String, usize)>) {
        let partition = |name: &str| ClusterPartition { name: name.into(), ..ClusterPartition::default() };
        let mut cluster =
            Cluster { partitions: vec![partition("batch"), partition("gpu")], ..Cluster::default() };
        cluster.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(500));
        cluster.reservations = vec![AdvanceReservation {
            name: "resv".into(),
            nodes: Vec::new(),
            start: Time(0),
            end: Time(9000),
            users: Allowed::All,
            accounts: Allowed::All,
            partition: None,
            cores: None,
            licenses: Tres::default(),
            flags: ReservationFlags::default(),
        }];
        let mut rules = RuleCounter::default();
        let options = SiteOptions { known_until, ..SiteOptions::default() };
        let run = accounted(&format!("{HEADER}{rows}"), &cluster, &options, &mut rules).unwrap();
        (run, rules.into_rules().into_iter().map(|one| (one.rule, one.count)).collect())
    }

    #[test]
    fn submit_lines_win_and_columns_add() {
        let (run, rules) = read(
            "1|1|a|ann|phys|batch|normal|COMPLETED|1000|1000|1005|1065|60|10|billing=4,cpu=4,mem=2000M,node=1|billing=6,cpu=4,node=1|n1||SchedMain,StartReceived||77|sbatch -n 4 -t 20 --exclusive job.sh -n 9\n2|2|b|bob|bio|gpu|high|TIMEOUT|1001|1001|1006|1666|660|10|cpu=16,mem=32G,node=2,gres/gpu=4,gres/gpu:a100=4|cpu=16,node=2|n[1-2]|ib&fast|SchedBackfill|resv|5|sbatch job.sh\n3|3|c d|ann|phys|batch|normal|FAILED|1002|1002|1007|1017|10|10|cpu=8,mem=4000M,node=1|cpu=8,node=2|n[1-2]||||5|sbatch -J c d -p gpu job.sh\n",
        );
        let [one, two, three] = &run.submissions[..] else { panic!("{run:?}") };
        let request = &one.request;
        assert_eq!((request.tasks, request.time_limit), (Some(4), Some(TimeLimit::Of(Seconds(1200)))));
        assert!(
            request.wishes.exclusivity.is_some() && request.memory.is_none(),
            "the site's default memory"
        );
        assert_eq!((one.id, one.user.as_str(), request.account.as_deref()), (Some(1), "ann", Some("phys")));
        assert_eq!(
            (one.runs.as_slice(), two.runs.as_slice()),
            (&[TaskRun::For(Seconds(60))][..], &[TaskRun::PastLimit][..])
        );
        assert_eq!(three.runs, [TaskRun::FailsAfter(Seconds(10))]);
        assert_eq!((run.outcomes[0].billed, run.outcomes[1].billed), (Some(6), None), "where it is told");
        let request = &two.request;
        assert_eq!((request.tasks, request.min_nodes, request.max_nodes), (Some(16), Some(2), Some(2)));
        assert_eq!(request.memory, Some(MemoryRequest::PerCpu(2048)));
        assert_eq!(
            request.gres.per_node,
            [GresRequest { name: "gpu".into(), kind: Some("a100".into()), count: 2 }]
        );
        assert_eq!(
            (request.qos.join(","), request.terms.reservations.join(",")),
            ("high".into(), "resv".into())
        );
        assert!(request.wishes.constraint.is_some());
        // The number of nodes was not requested, and the partition is the one that accounting recorded.
        assert_eq!((three.request.min_nodes, three.request.partitions.join(",")), (None, "batch".into()));
        assert_eq!(
            rules,
            [(
                "jobs of another partition than their submit line says: that of accounting counts".to_owned(),
                1
            )]
        );
        let outcome = &run.outcomes[1];
        assert_eq!(
            (outcome.start, outcome.cpus, outcome.nodes.len(), outcome.backfilled),
            (Some(Time(1006)), 16, 2, Some(true))
        );
        assert_eq!(
            (run.outcomes[0].backfilled, run.outcomes[2].backfilled, run.outcomes[0].priority),
            (Some(false), None, Some(77))
        );
    }

    #[test]
    fn a_job_in_any_state_that_is_no_end_runs_to_its_limit() {
        let run = |state: &str| {
            let row = format!(
                "1|1|a|ann|phys|batch|normal|{state}|1000|1000|1005|1065|60|10|cpu=4,node=1|cpu=4|n1||||1|sbatch x\n"
            );
            read(&row).0.submissions[0].runs[0]
        };
        for state in ["RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED", "REQUEUED"] {
            assert_eq!(run(state), TaskRun::Unknown, "{state}");
        }
        assert_eq!(run("FAILED"), TaskRun::FailsAfter(Seconds(60)));
    }

    /// Up to its start, what a job was given changes nothing of what it asks for.
    #[test]
    fn what_is_given_later_is_not_known() {
        let row = |given: &str, nodes: &str| {
            format!(
                "7|7|s|ann|phys|batch|normal|COMPLETED|1000|1000|2000|2010|10|10|cpu=2,mem=8G,node=1|{given}|{nodes}||||1|\n"
            )
        };
        let rows = [row("cpu=2,mem=8G,node=1", "n1"), row("cpu=64,mem=64G,node=3", "n[1-3]")];
        let request =
            |row: &str, until: i64| read_until(row, Some(Time(until))).0.submissions.remove(0).request;
        assert_eq!(request(&rows[0], 1999), request(&rows[1], 1999));
        // Control: from its start on it does.
        assert_ne!(request(&rows[0], 2000), request(&rows[1], 2000));
    }

    #[test]
    fn arrays_steps_requeues_and_what_cannot_be_read() {
        let (run, rules) = read(
            "12_3|15|s|ann|phys|batch|normal|COMPLETED|1000|1000|1005|1010|5|10|cpu=1,node=1|cpu=1|n1||||1|sbatch --array=1-9%2 x\n12_3.batch|15.batch|batch||phys|||COMPLETED|1000|1000|1005|1010|5||cpu=1|cpu=1|n1||||||\n12_[4-6%2]|12|s|ann|phys|batch|normal|CANCELLED by 5|1000|1000|Unknown|2000|0|10|cpu=1,node=1||None assigned||||1|sbatch --array=1-9%2 x\n20|20|q|ann|phys|batch|normal|PREEMPTED|1001|1001|1002|1003|1|10|cpu=1,node=1|cpu=1|n1||||1|\n20|20|q|ann|phys|batch|normal|COMPLETED|1004|1004|1010|1040|30|10|cpu=1,node=1|cpu=1|n1||||1|\n30+0|30|h|ann|phys|batch|normal|COMPLETED|1005|1005|1010|1040|30|10|cpu=1,node=1|cpu=1|n1||||1|\n30+1|31|h|ann|phys|batch|normal|COMPLETED|1005|1005|1010|1040|30|10|cpu=2,node=1|cpu=2|n1||||1|\n40|40|w|ann|phys|batch|normal|PENDING|1006|1500|Unknown|Unknown|0|10|cpu=1,node=1||||||1|sbatch -H x\nodd|odd|w|ann|phys|batch|normal|PENDING|1006|1500|Unknown|Unknown|0|10|cpu=1,node=1||||||1|\n41|41|w|ann|phys|batch|normal|PENDING|never|||||||||||||\n9cut|off\n",
        );
        let keys: Vec<&str> = run.submissions.iter().map(|job| job.key.as_str()).collect();
        assert_eq!(keys, ["12", "20", "30+0", "30+1", "40"]);
        let array = run.submissions[0].request.array.as_ref().unwrap();
        assert_eq!((array.indices.as_slice(), array.throttle), (&[3, 4, 5, 6][..], Some(2)));
        assert_eq!(run.submissions[0].runs[..2], [TaskRun::For(Seconds(5)), TaskRun::Unknown]);
        // Of a requeued job the first submission and the last run count.
        assert_eq!(
            (run.submissions[1].submit.second(), run.submissions[1].runs[0]),
            (Time(1001), TaskRun::For(Seconds(30)))
        );
        let again = run.outcomes.iter().find(|one| one.key == "20").unwrap();
        assert_eq!((again.submit, again.start), (Time(1001), Some(Time(1010))));
        assert!(
            run.submissions[4].request.terms.hold
                && run.submissions[4].request.terms.begin == Some(Begin::At(Time(1500)))
        );
        let cancelled: Vec<&ClusterAction> = run.events.iter().map(|event| &event.action).collect();
        assert_eq!(cancelled.len(), 3);
        assert_eq!(*cancelled[0], ClusterAction::Cancel { key: "12".into(), task: Some(4) });
        assert_eq!(run.outcomes.len(), 8);
        let counted = |part: &str| rules.iter().find(|(rule, _)| rule.contains(part)).map(|one| one.1);
        assert_eq!(
            [
                "steps",
                "requeued",
                "heterogeneous",
                "without a job number",
                "time of submission",
                "no row",
                "not ended",
                "later"
            ]
            .map(counted),
            [Some(1), Some(1), Some(1), Some(1), Some(1), Some(1), Some(1), Some(1)],
            "{rules:?}"
        );
    }

    #[test]
    fn other_clusters_are_left_out() {
        let text = "JobID|Cluster|Submit|Start|End|ReqCPUS|State|User\n1|a|5|6|7|1|COMPLETED|ann\n2|b|5|6|7|1|COMPLETED|ann\n3|b|5|6|7|1|COMPLETED|ann\n";
        let mut rules = RuleCounter::default();
        let cluster = Cluster { name: "b".into(), ..Cluster::default() };
        let run = accounted(text, &cluster, &SiteOptions::default(), &mut rules).unwrap();
        assert_eq!((run.submissions.len(), rules.into_rules()[0].count), (2, 1));
        let error =
            accounted("JobID|User\n1|ann\n", &cluster, &SiteOptions::default(), &mut RuleCounter::default());
        assert!(error.unwrap_err().to_string().contains("Start"));
    }
}
