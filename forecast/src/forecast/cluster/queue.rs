//! When each job that already waits at a Slurm site starts, by its own scheduler simulated onwards, and what keeps one from starting.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use super::answer::ClusterWhenSettings;
use super::followed_answers::FollowedAnswers;
use super::forecaster::{ClusterForecaster, later_by};
use super::not_before::NotBefore;
use super::record::ClusterRecord;
use super::requested::requested;
use super::starts::{ClusterDraw, ClusterDraws, all_tasks, startable, tasks};
use crate::forecast::blockers::LeftOutEffect;
use crate::forecast::past_queues::{PastQueues, PendingRange, PendingRecord};
use queuecast_core::distribution::Distribution;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Procs, Seconds, Time};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterMoment, GroupLimits, HolderLimits, JobOutcome, JobStanding, RecordedMoments, RecordedRun,
    StandingState, SubmittedJob, is_known,
};
use queuecast_slurm_sim::controller::{LimitOf, PendingReason, SimulatedSchedule, pending_reasons};

/// The jobs that are asked about of each past queue.
const PAST_JOBS: usize = 6;

/// Submissions between two past queues, at most.
const APART: usize = 25;

/// Simulations with and without a blocker: each costs a whole site.
const WHY_DRAWS: u32 = 20;

/// Single jobs that are left out in turn, at most, and the jobs of one user together.
const MOST_JOBS: usize = 12;
const MOST_USERS: usize = 4;

/// A Slurm site at a moment, and what has happened there.
#[derive(Debug, Clone, Copy)]
pub struct ClusterQueue<'a> {
    /// The site.
    pub cluster: &'a Cluster,
    /// What has happened there; what it tells of later than the moment is not looked at.
    pub history: &'a RecordedRun,
    /// The moment.
    pub moment: &'a ClusterMoment,
    /// How right answers about past queues were, if that is known; else the history is asked about them.
    pub record: Option<&'a ClusterRecord>,
}

/// When a waiting job of a Slurm site starts.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterPendingStart {
    /// Why it waits.
    pub pending: PendingReason,
    /// When it starts; `None` if it does in no simulation, or waits for its release.
    pub start: Option<PendingRange>,
    /// The share of simulations in which it never started.
    pub never: f64,
}

/// What is found of the waiting jobs of a Slurm site.
#[derive(Debug, Clone)]
pub struct FoundQueue {
    /// When each starts, in the order of the queue.
    pub starts: Vec<ClusterPendingStart>,
    /// How right such answers were.
    pub record: Option<PendingRecord>,
    /// What ran where in each simulation.
    pub schedules: Vec<SimulatedSchedule>,
}

/// Something that is left out of simulations of a site.
#[derive(Debug, Clone, PartialEq)]
pub enum SiteBlocker {
    /// Jobs, by the places of their submissions and their tasks.
    Jobs(Vec<(usize, Option<u32>)>),
    /// All limits of a holder.
    Limits(LimitOf),
    /// A reservation.
    Reservation(String),
}

/// What keeps a job of a site from starting.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteBlockers {
    /// Simulations of each case.
    pub draws: u32,
    /// Seconds until its start as the site is: even odds; infinite if it never starts in most simulations.
    pub median: f64,
    /// Jobs that run, or wait before it.
    pub candidates: usize,
    /// What was left out, what matters most first.
    pub effects: Vec<(SiteBlocker, LeftOutEffect)>,
}

/// The job whose start is asked about.
#[derive(Debug, Clone, Copy)]
pub enum SiteTarget<'a> {
    /// It would be submitted at the moment.
    Newcomer(&'a SubmittedJob),
    /// It waits: the place of its submission, and its task.
    Waiting(usize, Option<u32>),
}

/// The waits of a job in the simulations in which it starts.
fn waits(drawn: &[ClusterDraw], column: usize) -> Vec<Seconds> {
    drawn.iter().filter_map(|draw| draw.waits[column]).map(|wait| Seconds(wait.max(0.0) as i64)).collect()
}

impl ClusterQueue<'_> {
    /// When each waiting job starts, in the order of the queue, and how right such answers were about past queues.
    ///
    /// How late forecasts were *at the submission* of jobs says little of the rest of a wait, of which a part is over. So past queues of the
    /// history are asked about as this one is, with what was known then, and what became of their jobs corrects the ranges. `has_past`:
    /// whether the history has past queues, and not only what is there now.
    pub fn pending(
        &self,
        settings: ClusterWhenSettings,
        has_past: bool,
    ) -> (Vec<ClusterPendingStart>, Option<PendingRecord>) {
        let own;
        let past = match self.record {
            Some(record) => &record.waiting,
            None => {
                own = if has_past { self.past_queues(settings) } else { FollowedAnswers::new() };
                &own
            }
        };
        let found = self.pending_by(settings, &past.past, &mut |_, _, _| {});
        (found.starts, found.record)
    }

    /// As [`ClusterQueue::pending`], corrected by answers of earlier moments, which go on from here: with none those of the record, or of
    /// past queues.
    pub fn pending_after(
        &self,
        settings: ClusterWhenSettings,
        has_past: bool,
        answers: Option<&FollowedAnswers>,
    ) -> (FoundQueue, FollowedAnswers) {
        let mut answers = match (answers, self.record) {
            (Some(answers), _) => answers.clone(),
            (None, Some(record)) => record.waiting.clone(),
            (None, None) if has_past => self.past_queues(settings),
            (None, None) => FollowedAnswers::new(),
        };
        answers.follow(self.history, self.moment);
        let now = self.moment.now.second();
        let correction = answers.past.correction(now);
        let mut found: Vec<(PendingReason, Vec<Seconds>, Distribution)> = Vec::new();
        let queue = self.pending_by(settings, &answers.past, &mut |pending, waits, wait| {
            found.push((pending.clone(), waits.to_vec(), wait.clone()));
        });
        // One task speaks for its array.
        let mut arrays = BTreeSet::new();
        for (PendingReason { submission: place, task, cpus, limit, .. }, waits, wait) in found {
            let submission = &self.moment.submissions[place];
            let is_due = answers.is_due(&submission.key, task, submission.submit.second(), now);
            if is_due && arrays.insert(place) {
                let index = answers.asks(&submission.key, task, now);
                answers.past.said_as((index, now), &waits, (Procs(cpus), limit), (&correction, Some(wait)));
            }
        }
        (queue, answers)
    }

    /// When each waiting job starts, corrected by past answers; `said` is told of each that can start, with its simulated waits from when it
    /// may, and what these are corrected to.
    fn pending_by(
        &self,
        settings: ClusterWhenSettings,
        past: &PastQueues,
        said: &mut dyn FnMut(&PendingReason, &[Seconds], &Distribution),
    ) -> FoundQueue {
        let now = self.moment.now.second();
        let correction = past.correction(now);
        // Where few outcomes are known, what is assumed of errors counts wholly.
        let is_halved = settings.is_followed && settings.has_all_past_queues();
        let correction = if is_halved { correction.halved() } else { correction };
        let reasons = pending_reasons(self.cluster, self.moment);
        let all = all_tasks(self.moment);
        let numbers: BTreeMap<(usize, Option<u32>), usize> = order::map_of(all.into_iter().zip(0..));
        let wanted = startable(&reasons, &numbers);
        let columns: BTreeMap<usize, usize> = order::map_of(wanted.iter().copied().zip(0..));
        let drawn =
            self.forecaster(self.cluster, settings.draws, settings.seed).waiting(self.moment, &wanted);
        let mut bounds = NotBefore::of(self.cluster, self.moment);
        let mut start = |pending: PendingReason| {
            let place = numbers.get(&(pending.submission, pending.task));
            let Some(&column) = place.and_then(|place| columns.get(place)) else {
                return ClusterPendingStart { pending, start: None, never: 1.0 };
            };
            let waits = waits(&drawn, column);
            let never = 1.0 - waits.len() as f64 / drawn.len().max(1) as f64;
            // How long it is until it may start at all is known: only what comes after is corrected.
            let until = bounds.job(&self.moment.submissions[pending.submission]) - self.moment.now;
            let later = until.max(Micros::ZERO).as_seconds();
            let waits: Vec<Seconds> =
                waits.into_iter().map(|wait| (wait - Seconds(later as i64)).max(Seconds::ZERO)).collect();
            let wait = correction.corrected(&waits, Procs(pending.cpus), pending.limit);
            wait.iter().filter(|_| later == 0.0).for_each(|wait| said(&pending, &waits, wait));
            let wait = wait.map(|wait| later_by(&wait, later));
            ClusterPendingStart { pending, start: wait.as_ref().map(PendingRange::of), never }
        };
        let starts = reasons.into_iter().map(&mut start).collect();
        let schedules = drawn.iter().map(|draw| draw.schedule.clone()).collect();
        FoundQueue { starts, record: past.record(now), schedules }
    }

    /// Draws starts at the site, or one that was changed.
    fn forecaster<'c>(
        &'c self,
        cluster: &'c Cluster,
        draws: ClusterDraws,
        seed: Seed,
    ) -> ClusterForecaster<'c> {
        match self.record {
            Some(record) => ClusterForecaster::resumed(cluster, self.history, &record.runs, draws, seed),
            None => ClusterForecaster::new(cluster, self.history, draws, seed),
        }
    }

    /// Asks about jobs of past queues, those of the last submissions, and follows what became of them up to the moment.
    pub(super) fn past_queues(&self, settings: ClusterWhenSettings) -> FollowedAnswers {
        let ClusterQueue { cluster, history, moment, .. } = *self;
        let mut submits: Vec<Micros> =
            history.submissions.iter().map(|one| one.submit).filter(|submit| *submit < moment.now).collect();
        submits.sort_unstable();
        let queues = settings.past_queues;
        let apart = (submits.len() / queues.max(1)).clamp(1, APART);
        let first = submits.len().saturating_sub(queues * apart);
        let outcomes: BTreeMap<(&str, Option<u32>), usize> = order::map_of(
            history.outcomes.iter().zip(0..).map(|(one, place)| ((one.key.as_str(), one.task), place)),
        );
        let mut events: Vec<(Time, bool, usize)> = Vec::new();
        for (one, place) in history.outcomes.iter().zip(0..) {
            match (one.start, one.end) {
                (Some(start), _) => events.push((start, true, place)),
                (None, Some(end)) => events.push((end, false, place)),
                (None, None) => {}
            }
        }
        events.sort_unstable();
        let mut events = events.into_iter().filter(|event| is_known(event.0, moment.now)).peekable();
        let draws = ClusterDraws { draws: settings.trial_draws, ..settings.draws };
        let mut forecaster = ClusterForecaster::new(cluster, history, draws, settings.seed);
        let mut moments = RecordedMoments::new(cluster, history);
        let mut past = FollowedAnswers::new();
        let mut follow = |past: &mut FollowedAnswers, until: Micros| {
            while let Some((.., place)) = events.next_if(|event| is_known(event.0, until)) {
                let JobOutcome { end, .. } = history.outcomes[place];
                let end = end.filter(|end| is_known(*end, until));
                past.has_become(&JobOutcome { end, ..history.outcomes[place].clone() });
            }
        };
        for at in submits[first..].iter().step_by(apart) {
            follow(&mut past, *at);
            let then = moments.at(*at);
            let numbers: BTreeMap<(usize, Option<u32>), usize> =
                order::map_of(all_tasks(&then).into_iter().zip(0..));
            let eligible = then.standings.iter().filter_map(|one| {
                let outcome = outcomes.get(&(then.submissions[one.submission].key.as_str(), one.task))?;
                let waits = matches!(one.state, StandingState::Waiting { eligible: Some(_) });
                let place = *numbers.get(&(one.submission, one.task))?;
                waits.then_some((place, *outcome, one.submission))
            });
            let eligible: Vec<(usize, usize, usize)> = eligible.collect();
            let asked = eligible.len().min(PAST_JOBS);
            let chosen: Vec<_> = (0..asked).map(|number| eligible[number * eligible.len() / asked]).collect();
            let wanted: Vec<usize> = chosen.iter().map(|one| one.0).collect();
            if wanted.is_empty() {
                continue;
            }
            let drawn = forecaster.waiting(&then, &wanted);
            for (column, &(_, outcome, submission)) in chosen.iter().enumerate() {
                let job = &then.submissions[submission];
                let size = (Procs(job.request.processors()), requested(cluster, job));
                let JobOutcome { key, task, .. } = &history.outcomes[outcome];
                let index = past.asks(key, *task, at.second());
                past.past.said(index, at.second(), &waits(&drawn, column), size);
            }
        }
        follow(&mut past, moment.now);
        past
    }

    /// Leaves out in turn: the largest jobs that run or wait before the job asked about, the jobs of one user, the limit that it waits for,
    /// and each reservation. `done` is told of each; `None` if the job does not wait.
    pub fn blockers(
        &self,
        target: SiteTarget<'_>,
        settings: ClusterWhenSettings,
        done: &dyn Fn(usize),
    ) -> Option<SiteBlockers> {
        let mut moment = self.moment.clone();
        let own = match target {
            SiteTarget::Newcomer(job) => {
                moment.submissions.push(job.clone());
                (moment.submissions.len() - 1, tasks(job).first().copied().flatten())
            }
            SiteTarget::Waiting(submission, task) => (submission, task),
        };
        let wanted = all_tasks(&moment).iter().position(|place| *place == own)?;
        let reasons = pending_reasons(self.cluster, &moment);
        let asked = reasons.iter().find(|one| (one.submission, one.task) == own)?;
        let starts = |cluster: &Cluster, moment: &ClusterMoment| -> Vec<f64> {
            let draws = ClusterDraws { draws: WHY_DRAWS, ..settings.draws };
            let drawn = self.forecaster(cluster, draws, settings.seed).waiting(moment, &[wanted]);
            drawn.iter().map(|draw| draw.waits[0].unwrap_or(f64::INFINITY)).collect()
        };
        let with = starts(self.cluster, &moment);
        let jobs = candidates(&moment, &reasons, asked);
        let mut cases: Vec<SiteBlocker> =
            jobs.iter().take(MOST_JOBS).map(|one| SiteBlocker::Jobs(vec![one.1])).collect();
        cases.extend(by_user(&moment, &jobs).into_iter().map(SiteBlocker::Jobs));
        cases.extend(
            asked
                .reached
                .as_ref()
                .filter(|one| one.of != LimitOf::Job)
                .map(|one| SiteBlocker::Limits(one.of)),
        );
        cases.extend(moment.reservations.iter().map(|one| SiteBlocker::Reservation(one.name.clone())));
        let mut effects: Vec<(SiteBlocker, LeftOutEffect)> = Vec::new();
        for case in cases {
            let without = match &case {
                SiteBlocker::Jobs(jobs) => starts(self.cluster, &without_jobs(&moment, jobs)),
                SiteBlocker::Limits(of) => starts(&without_limits(self.cluster, *of), &moment),
                SiteBlocker::Reservation(name) => {
                    let mut moment = moment.clone();
                    moment.reservations.retain(|one| one.name != *name);
                    starts(self.cluster, &moment)
                }
            };
            done(1);
            effects.push((case, LeftOutEffect::of(&with, &without)));
        }
        // Stable: of equal effects the larger job first.
        order::sort_by(&mut effects, |one, other| other.1.gain.total_cmp(&one.1.gain));
        let mut sorted = with;
        order::sort_floats(&mut sorted);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::INFINITY);
        Some(SiteBlockers { draws: WHY_DRAWS, median, candidates: jobs.len(), effects })
    }

    /// How many cases are simulated at most.
    pub fn most_cases(&self) -> usize {
        MOST_JOBS + MOST_USERS + 1 + self.moment.reservations.len()
    }
}

/// The jobs that run, and those that wait before a job, with processors times the time they may take, the largest first.
fn candidates(
    moment: &ClusterMoment,
    reasons: &[PendingReason],
    asked: &PendingReason,
) -> Vec<(f64, (usize, Option<u32>))> {
    let now = moment.now.second();
    let running = moment.standings.iter().filter_map(|one| {
        let StandingState::Running { start, .. } = one.state else { return None };
        let request = &moment.submissions[one.submission].request;
        let limit = match request.time_limit {
            Some(queuecast_slurm_sim::cluster::TimeLimit::Of(limit)) => limit,
            _ => queuecast_sim::predict::DEFAULT_REQUEST,
        };
        let left = (limit - (now - start)).max(Seconds(60));
        Some((f64::from(request.processors()) * left.0 as f64, (one.submission, one.task)))
    });
    let before = reasons.iter().filter(|one| match (one.place, asked.place) {
        (Some(place), Some(own)) => place < own,
        (Some(_), None) => true,
        (None, _) => false,
    });
    let before = before.map(|one| (f64::from(one.cpus) * one.limit.0 as f64, (one.submission, one.task)));
    let mut all: Vec<_> = running.chain(before).collect();
    order::sort_by(&mut all, |one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    all
}

/// The jobs of each user who has several among these, those of the largest users first.
fn by_user(moment: &ClusterMoment, jobs: &[(f64, (usize, Option<u32>))]) -> Vec<Vec<(usize, Option<u32>)>> {
    let user = |place: usize| moment.submissions[place].user.as_str();
    let users: BTreeSet<&str> = jobs.iter().map(|one| user(one.1.0)).collect();
    let of = |name: &&str| {
        let own = jobs.iter().filter(|one| user(one.1.0) == *name);
        let weight: f64 = own.clone().map(|one| one.0).sum();
        (weight, own.map(|one| one.1).collect::<Vec<_>>())
    };
    let mut groups: Vec<_> = users.iter().map(of).filter(|group| group.1.len() > 1).collect();
    order::sort_by(&mut groups, |one, other| other.0.total_cmp(&one.0));
    groups.into_iter().take(MOST_USERS).map(|group| group.1).collect()
}

/// The moment as if some jobs had ended. They stay among the submissions, so that the same run times are drawn for all others.
fn without_jobs(moment: &ClusterMoment, jobs: &[(usize, Option<u32>)]) -> ClusterMoment {
    let mut moment = moment.clone();
    moment.standings.retain(|one| !jobs.contains(&(one.submission, one.task)));
    for &(submission, task) in jobs {
        moment.standings.push(JobStanding { submission, task, state: StandingState::Left { well: true } });
    }
    moment
}

/// The cluster without the limits of a holder.
fn without_limits(cluster: &Cluster, of: LimitOf) -> Cluster {
    let mut cluster = cluster.clone();
    match of {
        LimitOf::Job => {}
        LimitOf::Qos(index) => cluster[index].group = GroupLimits::default(),
        LimitOf::QosUser(index) => cluster[index].per_user = HolderLimits::default(),
        LimitOf::QosAccount(index) => cluster[index].per_account = HolderLimits::default(),
        LimitOf::Association(index) => {
            let one = &mut cluster.associations[index];
            (one.group, one.own) = (GroupLimits::default(), HolderLimits::default());
        }
    }
    cluster
}
