//! Submissions and what became of them, from what `sacct -P` prints.

use queuecast_core::order;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::accounted_arrays::AccountedArrays;
use super::accounted_columns::assumed_without;
use super::accounted_row::{AccountedColumn as Column, AccountedRow};
use super::accounted_rows::{AccountedNumber, OneCluster, each_row, identified};
use super::known_requests::KnownRequests;
use super::rules::RuleCounter;
use super::site::SiteOptions;
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Begin, Cluster, ClusterAction, ClusterEvent, JobArray, JobOutcome, NodeNames, RecordedRun, RunClock,
    SubmittedJob, TaskRun,
};
use queuecast_trace::TraceError;
use queuecast_trace::sacct::{SacctTexts, seconds};

/// What is collected while rows are read.
struct AccountedJobs<'c> {
    cluster: &'c Cluster,
    zone: &'c TimeZone,
    known_until: Option<Time>,
    /// The names of all nodes, which outcomes share.
    node_names: Arc<[String]>,
    submissions: Vec<SubmittedJob>,
    requests: KnownRequests,
    /// By the number of a job, and its place in a heterogeneous one.
    places: HashMap<(u64, Option<u32>), usize>,
    outcomes: Vec<JobOutcome>,
    /// Of each submission the tasks that have outcomes.
    kept: Vec<KeptTasks>,
    events: Vec<ClusterEvent>,
    arrays: AccountedArrays,
    rules: RuleCounter,
}

/// A task (of a job that is no array `None`), the place of its outcome, and its run.
#[derive(Clone, Copy)]
struct KeptTask {
    task: Option<u32>,
    outcome: usize,
    run: TaskRun,
}

/// Tasks of one submission. Most have one.
#[derive(Default)]
struct KeptTasks {
    first: Option<KeptTask>,
    others: BTreeMap<Option<u32>, KeptTask>,
}

impl KeptTasks {
    fn of_task(&mut self, task: Option<u32>) -> Option<&mut KeptTask> {
        let first = self.first.as_mut().filter(|one| one.task == task);
        first.or_else(|| self.others.get_mut(&task))
    }

    fn insert(&mut self, one: KeptTask) {
        match self.first {
            None => self.first = Some(one),
            Some(_) => _ = self.others.insert(one.task, one),
        }
    }

    /// All of them, ascending.
    fn ascending(mut self) -> impl Iterator<Item = KeptTask> {
        if !self.others.is_empty() {
            self.others.extend(self.first.take().map(|one| (one.task, one)));
        }
        self.first.into_iter().chain(self.others.into_values())
    }
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
    let new = |rules: RuleCounter| AccountedJobs {
        cluster,
        zone,
        known_until: *known_until,
        node_names: cluster.nodes.iter().map(|node| node.name.clone()).collect(),
        submissions: Vec::new(),
        requests: KnownRequests::default(),
        places: HashMap::new(),
        outcomes: Vec::new(),
        kept: Vec::new(),
        events: Vec::new(),
        arrays: AccountedArrays::default(),
        rules,
    };
    let mut jobs = new(rules.clone());
    // Most accounting is of one cluster, whatever its name, and is read once.
    if !jobs.read(&table, &mut OneCluster::default()) {
        jobs = new(rules.clone());
        jobs.read(&table, &mut OneCluster::chosen(&table, cluster));
    }
    let (run, counted) = jobs.finished();
    *rules = counted;
    Ok(run)
}

/// What is assumed of these jobs for want of columns.
pub(super) fn accounted_without(text: &str, zone: &TimeZone) -> Result<Vec<String>, TraceError> {
    Ok(assumed_without(&SacctTexts::open(text, zone)?.places))
}

impl AccountedJobs<'_> {
    /// Reads all rows of a cluster; `false` if there are several, of which none was chosen.
    fn read(&mut self, table: &SacctTexts<'_>, clusters: &mut OneCluster) -> bool {
        let broken = each_row(table, clusters, &mut |row, is_wanted| self.add(row, is_wanted));
        for line in broken.iter().flatten() {
            self.rules.count("lines that are no row", *line);
        }
        broken.is_some()
    }

    fn add(&mut self, row: &AccountedRow<'_>, is_wanted: bool) {
        let (number, submit) = match identified(row, is_wanted, self.zone) {
            Ok(found) => found,
            Err(rule) => return self.rules.count(rule, row.line),
        };
        if self.known_until.is_some_and(|until| submit > until) {
            self.rules.count("rows submitted after the moment asked about", row.line);
            return;
        }
        let time = |column| row.time(column, self.zone);
        let (eligible, start, end) = (time(Column::Eligible), time(Column::Start), time(Column::End));
        let key = || match number.component {
            Some(component) => format!("{}+{component}", number.base),
            None => number.base.to_string(),
        };
        let state = match row.text(Column::State) {
            Some(text) => JobState::shown(text).unwrap_or_else(|| {
                self.rules
                    .count("rows whose state is none of Slurm's: when they ended counts, not how", row.line);
                JobState::Unknown
            }),
            None => JobState::Completed,
        };
        let place = match self.places.get(&(number.base, number.component)) {
            Some(&place) => place,
            None => {
                let is_later = |at: Time| self.known_until.is_some_and(|until| at > until);
                let known = AccountedRow { hides_given: start.is_some_and(is_later), ..*row };
                self.submitted(&known, key(), &number, submit, (eligible, start))
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
        if has_started && row.text(Column::Reason) == Some("JobArrayTaskLimit") {
            self.arrays.throttled.insert(place);
        }
        for task in number.tasks.iter() {
            let outcome = JobOutcome {
                key: key(),
                task,
                state,
                submit,
                eligible,
                start,
                end,
                partition: row.name(Column::Partition).unwrap_or_default().to_owned(),
                cpus: start
                    .and_then(|_| row.given_cpus())
                    .and_then(|cpus| u32::try_from(cpus).ok())
                    .unwrap_or(0),
                billed: start.and_then(|_| row.given().billing),
                nodes: start.and_then(|_| row.nodes_kept()).map_or_else(NodeNames::default, |names| {
                    NodeNames::within(self.cluster, &self.node_names, names)
                }),
                backfilled: row
                    .text(Column::Flags)
                    .filter(|flags| flags.contains("Sched"))
                    .map(|flags| flags.contains("SchedBackfill")),
                priority: row.number(Column::Priority),
            };
            self.keep(place, task, run, outcome, row.line);
        }
    }

    /// Records the outcome of a job. A requeued job keeps its first submission time and its last run.
    fn keep(&mut self, place: usize, task: Option<u32>, run: TaskRun, outcome: JobOutcome, line: usize) {
        match self.kept[place].of_task(task) {
            Some(KeptTask { outcome: at, run: last, .. }) => {
                self.rules.count("earlier runs of jobs that were requeued: the last run counts", line);
                *last = run;
                let submit = self.outcomes[*at].submit.min(outcome.submit);
                self.outcomes[*at] = JobOutcome { submit, ..outcome };
            }
            None => {
                self.kept[place].insert(KeptTask { task, outcome: self.outcomes.len(), run });
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
            let raw = row.number(Column::ElapsedRaw).and_then(|length| i64::try_from(length).ok());
            let written = || row.text(Column::Elapsed).and_then(|text| seconds(text.as_bytes()));
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
        let (known, not_modelled) = self.requests.of(row, self.cluster, &mut self.rules);
        let mut request = known.clone();
        let is_array = number.tasks.are_of_an_array();
        if is_array {
            let throttle = request.array.as_ref().and_then(|array| array.throttle);
            request.array = Some(JobArray { indices: Vec::new(), throttle });
        } else if request.array.is_some() {
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
        let user = row.name(Column::User).unwrap_or("unknown").to_owned();
        if row.name(Column::User).is_none() {
            self.rules.count("jobs without a user: all are of one user, unknown", row.line);
        }
        self.submissions.push(SubmittedJob {
            id: number.component.is_none_or(|component| component == 0).then_some(number.base),
            key,
            submit: submit.into(),
            user,
            request: if request.is_same(&known) { known } else { self.requests.shared(request) },
            runs: Vec::new(),
            not_modelled,
        });
        self.arrays.lines.push(row.line);
        self.places.insert((number.base, number.component), self.submissions.len() - 1);
        self.kept.push(KeptTasks::default());
        self.submissions.len() - 1
    }

    /// The recorded run: submissions and events sorted by time, with a cancel event for each job cancelled while pending.
    fn finished(mut self) -> (RecordedRun, RuleCounter) {
        self.arrays.complete(&mut self.submissions, &self.outcomes, self.known_until, &mut self.rules);
        for (submission, kept) in self.submissions.iter_mut().zip(std::mem::take(&mut self.kept)) {
            let (mut tasks, mut runs) = (Vec::new(), Vec::with_capacity(1));
            let is_array = submission.request.array.is_some();
            for KeptTask { task, run, .. } in kept.ascending() {
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
mod tests;
