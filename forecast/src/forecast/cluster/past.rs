//! What is learned of a cluster from what became of its jobs.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::forecast::forecaster::WARM_UP;
use crate::forecast::limit::LimitAdvice;
use crate::forecast::limit_record::LimitRecord;
use crate::forecast::starts::{ExpectedRuns, RunLearning};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{
    AccountId, End, Ending, Event, ExecutableId, Job, JobId, JobIndex, PartitionId, QosId, QueueId, Shape,
    UserId, What,
};
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_sim::predict::mixture::OwnRuns;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_slurm_sim::cluster::{
    AssociationPlaces, Cluster, JobOutcome, RecordedRun, SubmittedJob, TimeLimit,
};
use serde::{Deserialize, Serialize};

/// Period over which submissions are remembered as examples of later arrivals.
const REMEMBERED: Micros = Micros::of_seconds(28 * 86_400);

/// Follows what became of the jobs of a cluster and learns how long they run and what arrives.
#[derive(Debug)]
pub(crate) struct ClusterPast<'r> {
    cluster: &'r Cluster,
    associations: AssociationPlaces,
    learned: LearnedRuns,
    /// What happened, the last first.
    to_come: Vec<PastStep<'r>>,
    /// The last submissions, oldest first, and how long their tasks ran as far as that is known.
    arrivals: VecDeque<&'r SubmittedJob>,
    ran: HashMap<(&'r str, Option<u32>), Seconds>,
    /// Submissions of the run as the predictor sees them, by where what they ask for is in memory, and their users.
    seen: HashMap<(usize, &'r str), Job>,
    /// No run time is predicted before this instant, as [`ClusterPast::asked_from`] set it.
    predicted_from: Option<Micros>,
}

/// What is learned of run times and time limits up to an instant. It outlasts the run that it was learned from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LearnedRuns {
    /// Up to when.
    until: Micros,
    names: ClusterNames,
    runs: ExpectedRuns,
    /// The jobs that were submitted and have not left, by submission and task.
    jobs: BTreeMap<String, BTreeMap<Option<u32>, Job>>,
    /// The number of the next job.
    next: u32,
    /// The record of time limits, where [`ClusterPast::learn_limits`] was called.
    limits: Option<LimitRecord>,
}

impl LearnedRuns {
    fn nothing() -> LearnedRuns {
        LearnedRuns {
            until: Micros(i64::MIN),
            names: ClusterNames::default(),
            runs: ExpectedRuns::new(&PredictorSpec::Mixture(Default::default()), DEFAULT_REQUEST),
            jobs: BTreeMap::new(),
            next: 0,
            limits: None,
        }
    }

    fn job(&self, key: &str, task: Option<u32>) -> Option<&Job> {
        self.jobs.get(key)?.get(&task)
    }

    fn remove(&mut self, key: &str, task: Option<u32>) {
        if let Some(tasks) = self.jobs.get_mut(key) {
            tasks.remove(&task);
            if tasks.is_empty() {
                self.jobs.remove(key);
            }
        }
    }
}

/// One thing that happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PastStep<'r> {
    at: Micros,
    what: PastKind,
    place: usize,
    submission: &'r SubmittedJob,
    task: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PastKind {
    Ended { ran: Seconds, ending: Ending },
    Withdrawn,
    Submitted,
    Started,
}

impl PastKind {
    /// Its place within an instant.
    fn rank(self) -> u8 {
        match self {
            PastKind::Ended { .. } => 0,
            PastKind::Withdrawn => 1,
            PastKind::Submitted => 2,
            PastKind::Started => 3,
        }
    }
}

/// Numbers for names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct ClusterNames {
    of_kind: BTreeMap<NameKind, BTreeMap<String, u32>>,
    next: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum NameKind {
    User,
    Account,
    Name,
    Partition,
    Qos,
}

impl ClusterNames {
    fn number(&mut self, kind: NameKind, name: &str) -> u32 {
        let known = self.of_kind.entry(kind).or_default();
        if let Some(&number) = known.get(name) {
            return number;
        }
        let number = self.next;
        known.insert(name.to_owned(), number);
        self.next += 1;
        number
    }
}

impl<'r> ClusterPast<'r> {
    /// Before anything has happened in a recorded run.
    pub fn of(cluster: &'r Cluster, run: &'r RecordedRun) -> ClusterPast<'r> {
        let places: HashMap<&str, usize> =
            run.submissions.iter().enumerate().map(|(place, one)| (one.key.as_str(), place)).collect();
        let with_places = run.outcomes.iter().map(|one| Some((one, *places.get(one.key.as_str())?)));
        let with_places: Vec<(&JobOutcome, usize)> = with_places.flatten().collect();
        let mut to_come = Vec::with_capacity(with_places.len() * 3);
        let step = |outcome: &JobOutcome, place: usize, at: Micros, what: PastKind| PastStep {
            at,
            what,
            place,
            submission: &run.submissions[place],
            task: outcome.task,
        };
        // Submissions are told in milliseconds, the rest in seconds: what happens to a job within the second of its submission
        // or start comes just after it.
        let after = |time: Time, before: Micros| Micros::from(time).max(before + Micros::of_millis(1));
        let started =
            |outcome: &JobOutcome, submit: Micros| outcome.start.map(|start| (start, after(start, submit)));
        // Kind by kind: each is nearly in order, which is sorted fast.
        for &(outcome, place) in &with_places {
            to_come.push(step(outcome, place, run.submissions[place].submit, PastKind::Submitted));
        }
        for &(outcome, place) in &with_places {
            if let Some((_, started)) = started(outcome, run.submissions[place].submit) {
                to_come.push(step(outcome, place, started, PastKind::Started));
            }
        }
        for &(outcome, place) in &with_places {
            let submit = run.submissions[place].submit;
            let Some(end) = outcome.end else { continue };
            match started(outcome, submit) {
                Some((start, started)) => {
                    let ending = outcome.state.ending().unwrap_or_default();
                    let what = PastKind::Ended { ran: end - start, ending };
                    to_come.push(step(outcome, place, after(end, started), what));
                }
                None => to_come.push(step(outcome, place, after(end, submit), PastKind::Withdrawn)),
            }
        }
        to_come.sort_by_key(|step| (step.at, step.what.rank(), step.place, step.task));
        to_come.reverse();
        ClusterPast {
            cluster,
            associations: AssociationPlaces::of(&cluster.associations),
            learned: LearnedRuns::nothing(),
            to_come,
            arrivals: VecDeque::new(),
            ran: HashMap::new(),
            seen: HashMap::new(),
            predicted_from: None,
        }
    }

    /// After what was learned before, maybe from a longer run. What happened up to then is not learned again.
    pub fn resumed(cluster: &'r Cluster, run: &'r RecordedRun, learned: &LearnedRuns) -> ClusterPast<'r> {
        let mut past = ClusterPast::of(cluster, run);
        past.learned = learned.clone();
        while let Some(step) = past.to_come.pop_if(|step| step.at <= learned.until) {
            match step.what {
                PastKind::Submitted => past.arrived(&step),
                PastKind::Ended { ran, .. } => {
                    past.ran.insert((step.submission.key.as_str(), step.task), ran);
                }
                PastKind::Withdrawn | PastKind::Started => {}
            }
        }
        past
    }

    /// What was learned up to an instant, no earlier than those asked for before.
    pub fn learned_until(mut self, now: Micros) -> LearnedRuns {
        self.advance_to(now);
        self.learned.until = now;
        self.learned
    }

    /// Nothing is asked about before a submission of the run, these being in order of submission: no run time is predicted that is long
    /// before it, since predictions are remembered no longer.
    pub fn asked_from(&mut self, first: usize, in_order: &[usize], run: &RecordedRun) {
        let remembered = if self.learned.limits.is_some() { LimitRecord::JOBS } else { 0 };
        let predicted = first.checked_sub(WARM_UP + remembered).and_then(|place| in_order.get(place));
        self.predicted_from = predicted.map(|&place| run.submissions[place].submit);
    }

    /// From now on it is learned, too, which time limits jobs would have kept.
    pub fn learn_limits(&mut self) {
        self.learned.limits.get_or_insert_default();
    }

    /// How long a job runs that is not submitted yet, as it is said to its user.
    pub fn run_time(&mut self, job: &SubmittedJob) -> Distribution {
        let job = self.job(job);
        self.learned.runs.said(&job)
    }

    /// The last jobs of its user that have ended.
    pub fn own_runs(&mut self, job: &SubmittedJob) -> Option<OwnRuns> {
        let job = self.job(job);
        self.learned.runs.own_runs(&job)
    }

    /// The shortest limit at this risk.
    pub fn advise_limit(&self, run: &Distribution, asked: Seconds, risk: f64) -> LimitAdvice {
        self.learned.limits.clone().unwrap_or_default().advise(run, asked, risk)
    }

    /// Learns what happened up to an instant.
    pub fn advance_to(&mut self, now: Micros) {
        while let Some(step) = self.to_come.pop_if(|step| step.at <= now) {
            self.learn(step);
        }
    }

    fn learn(&mut self, step: PastStep<'r>) {
        let key = (step.submission.key.as_str(), step.task);
        let at = step.at.second();
        let is_past = self.predicted_from.is_some_and(|from| step.at < from);
        let learning = if is_past { RunLearning::Past } else { RunLearning::Full };
        if step.what == PastKind::Submitted {
            self.arrived(&step);
            let job = self.recorded(step.submission);
            let LearnedRuns { runs, limits, jobs, .. } = &mut self.learned;
            let run = runs.observe(&Event { at, job: &job, what: What::Arrived }, learning);
            if let (Some(limits), Some(run)) = (limits.as_mut(), run) {
                limits.arrived(&job, &run);
            }
            jobs.entry(step.submission.key.clone()).or_default().insert(step.task, job);
            return;
        }
        let LearnedRuns { runs, limits, jobs, .. } = &mut self.learned;
        let Some(job) = jobs.get(key.0).and_then(|tasks| tasks.get(&key.1)) else { return };
        let what = match step.what {
            PastKind::Started => What::Started(job.shape),
            PastKind::Ended { ran, ending } => What::Ended(End { ran, ending }),
            _ => What::Withdrawn,
        };
        runs.observe(&Event { at, job, what }, learning);
        match (limits, step.what) {
            (Some(limits), PastKind::Ended { ran, .. }) => limits.ended(job.index, ran),
            (Some(limits), PastKind::Withdrawn) => limits.withdrawn(job.index),
            _ => {}
        }
        if let PastKind::Ended { ran, .. } = step.what {
            self.ran.insert(key, ran);
        }
        if step.what != PastKind::Started {
            self.learned.remove(key.0, key.1);
        }
    }

    /// Remembers a submission as an example of later ones.
    fn arrived(&mut self, step: &PastStep<'r>) {
        if self.arrivals.back().is_some_and(|last| last.key == step.submission.key) {
            return;
        }
        self.arrivals.push_back(step.submission);
        let since = step.at - REMEMBERED;
        while self.arrivals.front().is_some_and(|first| first.submit < since) {
            self.arrivals.pop_front();
        }
    }

    /// A submission of the run as [`ClusterPast::job`]. What submissions of a user that share a request differ in is their time.
    fn recorded(&mut self, submission: &'r SubmittedJob) -> Job {
        let key = (submission.request.address(), submission.user.as_str());
        if let Some(seen) = self.seen.get(&key) {
            let number = self.learned.next;
            self.learned.next += 1;
            let (index, id) = (JobIndex(number), JobId(u64::from(number)));
            return Job { index, id, submit: submission.submit.second(), ..seen.clone() };
        }
        let job = self.job(submission);
        self.seen.insert(key, job.clone());
        job
    }

    /// A submission as the predictor of run times sees it.
    pub(super) fn job(&mut self, submission: &SubmittedJob) -> Job {
        let request = &submission.request;
        let partition = request.partitions.first().map(String::as_str);
        let usual = self.cluster.default_partition().map(|index| self.cluster[index].name.as_str());
        let partition = partition.or(usual).unwrap_or_default();
        let config = self.cluster.partition(partition).map(|index| &self.cluster[index]);
        let limit = match request.time_limit {
            Some(TimeLimit::Of(limit)) => Some(limit),
            Some(TimeLimit::Unlimited) => config.and_then(|one| one.max_time),
            None => config.and_then(|one| one.default_time.or(one.max_time)),
        };
        let account = request.account.as_deref().unwrap_or_default();
        let association = self.associations.get(account, &submission.user);
        let qos = self.cluster.qos_within(submission, association);
        let qos = qos.map(|qos| self.cluster[qos].name.as_str());
        let mut number = |kind: NameKind, name: &str| self.learned.names.number(kind, name);
        let part = number(NameKind::Partition, partition);
        let job = Job {
            index: JobIndex(self.learned.next),
            id: JobId(u64::from(self.learned.next)),
            submit: submission.submit.second(),
            user: UserId::new(number(NameKind::User, &submission.user)),
            group: None,
            account: request
                .account
                .as_ref()
                .and_then(|name| AccountId::new(number(NameKind::Account, name))),
            executable: request
                .name
                .as_ref()
                .and_then(|name| ExecutableId::new(number(NameKind::Name, name))),
            queue: QueueId::new(part),
            partition: PartitionId::new(part),
            qos: qos.and_then(|name| QosId::new(number(NameKind::Qos, name))),
            shape: Shape { procs: Procs(request.processors()), limit },
            other_shapes: None,
        };
        self.learned.next += 1;
        job
    }

    /// How long a job runs in all, given how long it has run, and its limit. One that is not known is taken for new.
    pub(super) fn run(
        &mut self,
        submission: &SubmittedJob,
        task: Option<u32>,
        elapsed: Seconds,
    ) -> ExpectedRun {
        match self.learned.job(&submission.key, task) {
            Some(job) => ExpectedRun { run: self.learned.runs.run(job, elapsed), limit: job.shape.limit },
            None => {
                let job = self.job(submission);
                let whole = self.learned.runs.newcomer(&job);
                let run = if elapsed > Seconds::ZERO { whole.given(elapsed.0 as f64) } else { whole };
                ExpectedRun { run, limit: job.shape.limit }
            }
        }
    }

    /// When the oldest submission came that is remembered.
    pub(super) fn first_arrival(&self) -> Option<Micros> {
        self.arrivals.front().map(|first| first.submit)
    }

    /// The submissions after an instant and up to another, oldest first.
    pub(super) fn arrivals_between(&self, after: Micros, until: Micros) -> Vec<&'r SubmittedJob> {
        let place = |at: Micros| self.arrivals.partition_point(|one| one.submit <= at);
        let (first, last) = (place(after), place(until));
        self.arrivals.range(first..last.max(first)).copied().collect()
    }

    /// How long a task ran that has ended.
    pub(super) fn ran(&self, submission: &SubmittedJob, task: Option<u32>) -> Option<Seconds> {
        self.ran.get(&(submission.key.as_str(), task)).copied()
    }
}

/// How long a job is expected to run.
#[derive(Debug, Clone)]
pub(super) struct ExpectedRun {
    /// In all.
    pub run: Distribution,
    /// Its limit, where that may end it.
    pub limit: Option<Seconds>,
}

impl ExpectedRun {
    /// The total run time at a quantile, longer than `elapsed`; `None` if it reaches the time limit.
    pub fn at(&self, quantile: f64, elapsed: Seconds) -> Option<Seconds> {
        let seconds = Seconds(self.run.quantile(quantile).round().clamp(0.0, 1e10) as i64);
        let seconds = seconds.max(elapsed + Seconds(1));
        if self.limit.is_some_and(|limit| seconds >= limit) { None } else { Some(seconds) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job_state::JobState;
    use queuecast_slurm_sim::cluster::{NodeNames, SharedRequest};

    /// Jobs that start, or start and end, within the second of their submission are learned from.
    #[test]
    fn what_happens_within_the_second_of_a_submission_is_learned() {
        let submission = |key: &str| SubmittedJob {
            key: key.into(),
            id: None,
            submit: Micros::of_millis(10_600),
            user: "ann".into(),
            request: SharedRequest::default(),
            runs: Vec::new(),
            not_modelled: Vec::new(),
        };
        let outcome = |key: &str, end: i64| JobOutcome {
            key: key.into(),
            task: None,
            state: JobState::Completed,
            submit: Time(10),
            eligible: Some(Time(10)),
            start: Some(Time(10)),
            end: Some(Time(end)),
            partition: String::new(),
            cpus: 1,
            billed: None,
            nodes: NodeNames::default(),
            backfilled: None,
            priority: None,
        };
        let run = RecordedRun {
            submissions: vec![submission("long"), submission("short")],
            outcomes: vec![outcome("long", 40), outcome("short", 10)],
            ..RecordedRun::default()
        };
        let cluster = Cluster::default();
        let mut past = ClusterPast::of(&cluster, &run);
        let kinds: Vec<u8> = past.to_come.iter().rev().map(|step| step.what.rank()).collect();
        assert_eq!(kinds, [2, 2, 3, 3, 0, 0], "submitted, started, ended");
        past.advance_to(Micros::of_millis(10_600));
        assert_eq!(past.ran(&run.submissions[1], None), None, "not known before it could be");
        past.advance_to(Micros::of_seconds(40));
        let ran = |place: usize| past.ran(&run.submissions[place], None);
        assert_eq!((ran(0), ran(1)), (Some(Seconds(30)), Some(Seconds(0))));
        assert!(past.learned.jobs.is_empty(), "both have left");
    }
}
