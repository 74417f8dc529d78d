//! The waiting jobs of a Slurm site by its own scheduler: when they start, what they wait for, and what keeps one from starting.

use super::blockers::{StartWhy, TriedBlocker};
use super::waits_for::{LimitReached, WaitsFor};
use super::{AskedQueue, JobSize, PendingAnswer, PendingJob, SlurmPlace};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Seconds};
use queuecast_forecast::forecast::{
    ClusterPendingStart, ClusterQueue, PendingRecord, SiteBlocker, SiteBlockers, SiteTarget,
};
use queuecast_slurm_sim::cluster::{Cluster, DependencyKind, QosIndex, StandingState, SubmittedJob};
use queuecast_slurm_sim::controller::{LimitOf, PendingReason, ReachedLimit, WaitReason, free_processors};
use queuecast_trace::{Moment, TimeZone};

/// What a job is called: its number, or the name of its submission, and its task.
pub(super) fn name(submission: &SubmittedJob, task: Option<u32>) -> String {
    let whole = submission.id.map_or_else(|| submission.key.clone(), |id| id.to_string());
    task.map_or(whole.clone(), |task| format!("{whole}_{task}"))
}

impl SlurmPlace {
    pub(super) fn queue(&self) -> ClusterQueue<'_> {
        let SlurmPlace { cluster, history, moment, found, .. } = self;
        ClusterQueue { cluster, history, moment, record: found.record.as_deref() }
    }

    /// When every job starts that waits, in the order of the queue, as it was found before, if it was; and in how many simulations.
    fn pending_starts(&self) -> (Vec<ClusterPendingStart>, Option<PendingRecord>, usize) {
        match &self.found.starts {
            Some(found) => {
                let (starts, record) = found.of(&self.cluster, &self.moment);
                (starts, record, found.schedules.len())
            }
            None => {
                let found = self.starts_now().0;
                (found.starts, found.record, found.schedules.len())
            }
        }
    }

    /// Every job that waits.
    pub(super) fn pending(&self, zone: &TimeZone, messages: &dyn Messages) -> Result<PendingAnswer, Refusal> {
        messages.begins("simulating the site", 0);
        let (starts, record, draws) = self.pending_starts();
        let running = self.moment.standings.iter();
        let running = running.filter(|one| matches!(one.state, StandingState::Running { .. }));
        let known = self
            .history
            .outcomes
            .iter()
            .filter(|one| one.start.is_some_and(|start| start <= self.moment.now.second()));
        let (in_service, free) = free_processors(&self.cluster, &self.moment);
        let procs = |procs: u64| Procs(u32::try_from(procs).unwrap_or(u32::MAX));
        let queue = AskedQueue {
            partition: None,
            procs: procs(in_service),
            free: procs(free),
            running: running.count(),
            history: number_of(known.count(), "job"),
            draws: draws as u32,
            record,
        };
        Ok(PendingAnswer {
            version: env!("CARGO_PKG_VERSION"),
            source: self.source.clone(),
            moment: Moment::of(self.at, self.epoch, zone),
            epoch: self.epoch,
            zone: zone.clone(),
            user: None,
            shown: None,
            queues: vec![queue],
            jobs: starts.iter().map(|one| self.row(one, zone)).collect(),
        })
    }

    fn row(&self, found: &ClusterPendingStart, zone: &TimeZone) -> PendingJob {
        let pending = &found.pending;
        let submission = &self.moment.submissions[pending.submission];
        let median = found.start.map_or(f64::INFINITY, |start| start.median);
        let waits_for = self.waits_for(pending, submission, zone).of_one_that_starts(median);
        let now = self.moment.now.second();
        PendingJob {
            job: name(submission, pending.task),
            user: Some(submission.user.clone()).filter(|user| !user.is_empty()),
            own: false,
            partition: Some(pending.partition.clone()).filter(|name| !name.is_empty()),
            asked: JobSize { procs: Procs(pending.cpus), time: pending.limit },
            waited: Some((now - submission.submit.second()).max(Seconds::ZERO)),
            place: pending.place,
            start: found.start,
            unwidened: None,
            never: found.never,
            not_before: pending.begins.map(|at| (at - now).0.max(0)),
            why: waits_for.words(),
            waits_for,
        }
    }

    fn waits_for(&self, pending: &PendingReason, submission: &SubmittedJob, zone: &TimeZone) -> WaitsFor {
        let begins = || pending.begins.map(|at| Moment::of(at, self.epoch, zone));
        let turn = || WaitsFor::Turn { ahead: pending.ahead, wanted: pending.ahead_wanted, fits: false };
        let request = &submission.request;
        match pending.reason {
            None => WaitsFor::NextPass,
            Some(WaitReason::Resources) => WaitsFor::Nodes {
                wanted: wanted(&self.cluster, pending, submission),
                idle: pending.idle,
                all: pending.usable,
                follows: pending.ahead > 0,
            },
            Some(WaitReason::Priority) if pending.ahead == 0 => WaitsFor::NextPass,
            Some(WaitReason::Priority) => turn(),
            Some(WaitReason::Limit) => match &pending.reached {
                Some(reached) => WaitsFor::Limit(self.limit(reached, submission)),
                None => WaitsFor::Barred,
            },
            Some(WaitReason::ArrayLimit) => WaitsFor::ArrayLimit,
            Some(WaitReason::Licenses) => WaitsFor::Licenses,
            Some(WaitReason::Reservation) => {
                WaitsFor::Reservation { name: request.terms.reservations.first().cloned(), begins: begins() }
            }
            Some(WaitReason::BeginTime) => WaitsFor::BeginTime { at: begins() },
            Some(WaitReason::Dependency) => {
                let each = request.dependency.iter().flat_map(|one| &one.on);
                let on: Vec<String> =
                    each.map(|on| condition(on.kind, &self.number_of_key(&on.job))).collect();
                WaitsFor::Dependency { on: Some(on.join(", ")), never: pending.never }
            }
            Some(WaitReason::Held) => WaitsFor::Held { by: None },
        }
    }

    /// The number of a job that a dependency names by its key, with its task; what it names if that is no key.
    fn number_of_key(&self, named: &str) -> String {
        let named = named.trim_start_matches('@');
        let (key, task) = match named.rsplit_once('_') {
            Some((key, task)) => (key, format!("_{task}")),
            None => (named, String::new()),
        };
        let all = self.moment.submissions.iter().chain(&self.history.submissions);
        let found = all.into_iter().find(|one| one.key == named || one.key == key);
        match found.and_then(|one| Some((one.key == named, one.id?))) {
            Some((true, id)) => id.to_string(),
            Some((false, id)) => format!("{id}{task}"),
            None => named.to_owned(),
        }
    }

    /// A limit, and whose it is.
    fn limit(&self, reached: &ReachedLimit, submission: &SubmittedJob) -> LimitReached {
        let qos = |index: QosIndex| format!("QOS {}", self.cluster[index].name);
        let user = &submission.user;
        let account = submission.request.account.clone().unwrap_or_default();
        let (of, scope) = match reached.of {
            LimitOf::Job => ("one job".to_owned(), "PerJob"),
            LimitOf::Qos(index) => (format!("all jobs of {}", qos(index)), "Grp"),
            LimitOf::QosUser(index) => (format!("user {user} in {}", qos(index)), "PerUser"),
            LimitOf::QosAccount(index) => (format!("account {account} in {}", qos(index)), "PerAccount"),
            LimitOf::Association(index) => {
                let one = &self.cluster.associations[index];
                match &one.user {
                    Some(user) => (format!("user {user} in account {}", one.account), "Assoc"),
                    None => (format!("all jobs of account {}", one.account), "AssocGrp"),
                }
            }
        };
        let what = match reached.what.as_str() {
            "jobs" => "running jobs",
            "cpu" => "processors",
            "node" => "nodes",
            "mem" => "memory in MB",
            "minutes" => "minutes of run time",
            "cpu minutes" => "processor minutes",
            other => other,
        };
        LimitReached {
            what: what.to_owned(),
            of,
            name: format!("{scope} {}", reached.what),
            most: Some(reached.most),
            in_use: Some(reached.in_use),
            own: Some(reached.own),
        }
    }

    /// Why a job is not among those that wait.
    pub(super) fn not_waiting(&self, job: &str) -> Option<String> {
        let found = self
            .moment
            .standings
            .iter()
            .find(|one| name(&self.moment.submissions[one.submission], one.task) == job)?;
        match found.state {
            StandingState::Running { .. } => Some(format!("job {job} runs already")),
            StandingState::Left { .. } => Some(format!("job {job} has ended")),
            StandingState::Waiting { .. } | StandingState::Held => None,
        }
    }

    /// What keeps a waiting job from starting.
    pub(super) fn why_queued(&self, job: &str, messages: &dyn Messages) -> Option<StartWhy> {
        let moment = &self.moment;
        let found = (0..moment.submissions.len()).find_map(|place| {
            let submission = &moment.submissions[place];
            let array = submission.request.array.as_ref();
            let tasks: Vec<Option<u32>> =
                array.map_or_else(|| vec![None], |array| array.indices.iter().copied().map(Some).collect());
            let task = tasks.into_iter().find(|&task| name(submission, task) == job)?;
            Some((place, task))
        });
        let (place, task) = found?;
        let user = moment.submissions[place].user.clone();
        self.why(SiteTarget::Waiting(place, task), &user, messages)
    }

    /// What keeps the job that is asked about from starting.
    pub(super) fn why_new(&self, messages: &dyn Messages) -> Option<StartWhy> {
        let (job, _) = self.job.as_ref()?;
        self.why_newcomer(job, messages)
    }

    /// What keeps a job from starting that would be submitted.
    pub(super) fn why_newcomer(&self, job: &SubmittedJob, messages: &dyn Messages) -> Option<StartWhy> {
        self.why(SiteTarget::Newcomer(job), &job.user, messages)
    }

    fn why(&self, target: SiteTarget<'_>, user: &str, messages: &dyn Messages) -> Option<StartWhy> {
        let queue = self.queue();
        messages.begins("leaving out jobs, limits and reservations", queue.most_cases());
        let found = queue.blockers(target, self.settings(), &|steps| messages.done(steps))?;
        let SiteBlockers { draws, median, candidates, effects } = found;
        let known = |seconds: f64| seconds.is_finite().then_some(seconds);
        let submission = |place: usize| &self.moment.submissions[place];
        let tried = effects.into_iter().map(|(blocker, effect)| {
            let (what, jobs, procs) = match &blocker {
                SiteBlocker::Jobs(jobs) => {
                    let names: Vec<String> =
                        jobs.iter().map(|&(place, task)| name(submission(place), task)).collect();
                    let procs =
                        jobs.iter().map(|one| u64::from(submission(one.0).request.processors())).sum();
                    let of = &submission(jobs[0].0).user;
                    let is_own = !user.is_empty() && of == user;
                    let what = match (&names[..], is_own) {
                        ([one], true) => format!("your own job {one}"),
                        ([one], false) => format!("job {one}"),
                        (several, true) => format!("your own {} jobs", several.len()),
                        (several, false) => format!("the {} jobs of user {of}", several.len()),
                    };
                    (what, names, procs)
                }
                SiteBlocker::Limits(of) => {
                    (format!("the limits of {}", self.holder(*of, user)), Vec::new(), 0)
                }
                SiteBlocker::Reservation(name) => (format!("reservation {name}"), Vec::new(), 0),
            };
            TriedBlocker {
                what,
                jobs,
                procs,
                median: known(effect.median),
                gain: known(effect.gain),
                sooner: effect.sooner,
                matters: effect.matters(median),
            }
        });
        Some(StartWhy::new(draws, median, candidates, tried.collect()))
    }

    /// Whose limits these are.
    fn holder(&self, of: LimitOf, user: &str) -> String {
        let qos = |index: QosIndex| format!("QOS {}", self.cluster[index].name);
        match of {
            LimitOf::Job => "one job".to_owned(),
            LimitOf::Qos(index) => qos(index),
            LimitOf::QosUser(index) => format!("user {user} in {}", qos(index)),
            LimitOf::QosAccount(index) => format!("its account in {}", qos(index)),
            LimitOf::Association(index) => {
                let one = &self.cluster.associations[index];
                one.user.as_ref().map_or_else(
                    || format!("account {}", one.account),
                    |user| format!("user {user} in account {}", one.account),
                )
            }
        }
    }
}

/// What a job asks for: how many nodes, of which kind.
fn wanted(cluster: &Cluster, pending: &PendingReason, submission: &SubmittedJob) -> String {
    let request = &submission.request;
    let partition = cluster.partition(&pending.partition).map(|index| &cluster[index]);
    let nodes = partition.iter().flat_map(|one| &one.nodes);
    let largest = nodes.map(|&node| cluster.nodes[node].cpus).max().unwrap_or(1).max(1);
    // No fewer than its processors take.
    let nodes = pending.nodes.max(pending.cpus.div_ceil(largest)).max(1);
    let gres = request.gres.per_node.iter().map(|one| format!("{} {} on each", one.count, one.name));
    let gres: Vec<String> = gres.collect();
    let with = if gres.is_empty() { String::new() } else { format!(" with {}", gres.join(" and ")) };
    let features = if request.wishes.constraint.is_some() { " that have its features" } else { "" };
    format!(
        "{} for {} in partition {}{with}{features}",
        number_of(nodes, "node"),
        number_of(pending.cpus, "processor"),
        pending.partition
    )
}

/// A condition of a dependency, as sbatch writes it.
fn condition(kind: DependencyKind, job: &str) -> String {
    match kind {
        DependencyKind::Singleton => kind.word().to_owned(),
        kind => format!("{}:{job}", kind.word()),
    }
}
