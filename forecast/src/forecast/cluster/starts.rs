//! Start times of jobs at a cluster, by many simulations of its scheduler.

use queuecast_core::order;
use std::borrow::Cow;
use std::collections::BTreeMap;

use rand::{Rng, RngExt};

use super::past::{ClusterPast, ExpectedRun};
use crate::forecast::starts::SHARED;
use queuecast_core::distribution::Distribution;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_core::wanted::is_wanted;
use queuecast_slurm_sim::cluster::{ClusterMoment, StandingState, SubmittedJob};
use queuecast_slurm_sim::controller::{
    AssumedFuture, PendingReason, Phases, PreparedCluster, SimulatedSchedule, WaitReason,
    schedule_on_prepared,
};

/// How start times are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterDraws {
    /// How many simulations.
    pub draws: u32,
    /// What is expected to be submitted later.
    pub arrivals: ExpectedArrivals,
}

/// What is expected to be submitted later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedArrivals {
    /// Nothing.
    None,
    /// What followed a past instant of the same time of day; nothing with less than a day of history.
    LikePast,
    /// As [`Self::LikePast`]; with less than a day of history nothing in half of the simulations, in the others what came lately again, for a time that is
    /// anything up to as long as there is history: whether a rush is over, and how long it goes on, is not known, and a range has to hold in
    /// both cases.
    LikeLately,
    /// What was submitted in truth: shows how much of an error comes from not knowing it.
    Recorded,
}

impl Default for ClusterDraws {
    fn default() -> ClusterDraws {
        ClusterDraws { draws: 40, arrivals: ExpectedArrivals::LikePast }
    }
}

/// When a job starts, in simulations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StartDraws {
    /// Seconds from the moment to its start; `None` if it started in no simulation.
    pub wait: Option<Distribution>,
    /// The share of simulations in which it never started.
    pub never: f64,
}

/// Horizons for which arrivals are simulated; the next one is used only where a job has not started within
/// the last.
const AHEAD: [Micros; 3] = [Micros::of_seconds(3600), Micros::DAY, Micros::of_seconds(7 * 86_400)];

/// The simulations that show whether the others would end within a horizon.
const FIRST: usize = 2;

/// The equal parts that a history of less than a day is divided into: arrivals are those of the last part, the last two, and so on,
/// up to all.
const RECENT_PARTS: i64 = 8;

/// What one simulation shows.
#[derive(Debug, Clone, Default)]
pub(super) struct ClusterDraw {
    /// Seconds until each of the wanted jobs starts; `None` where it never does.
    pub waits: Vec<Option<f64>>,
    /// How long each of them runs; `None`: past its limit.
    pub runs: Vec<Option<Seconds>>,
    /// What ran where.
    pub schedule: SimulatedSchedule,
}

/// A job in a simulation.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnJob {
    /// Seconds from the moment to its start; `None` if it never starts.
    pub start: Option<f64>,
    /// How long it runs; `None`: past its limit.
    pub run: Option<Seconds>,
}

/// What is the same in all simulations.
struct Outset<'a> {
    cluster: &'a PreparedCluster<'a>,
    moment: &'a ClusterMoment,
    /// Of each job, array tasks one by one.
    runs: Vec<(ExpectedRun, Seconds)>,
    /// What is submitted later for certain.
    later: &'a [&'a SubmittedJob],
    later_runs: Vec<ExpectedRun>,
    wanted: &'a [usize],
    /// The place of the first of the jobs that belong together: all from there on do.
    first_alike: Option<usize>,
    /// When something asked for a pass of the main scheduler lately, as far as that is seen, in ascending order.
    requests: Vec<Micros>,
}

/// Past submissions, and how long their tasks run.
type PastArrivals<'r> = Vec<(&'r SubmittedJob, Vec<ExpectedRun>)>;

/// When each of some jobs of a moment starts, in the order of `wanted` (places among all jobs of the moment, array tasks one by
/// one). All are answered by the same simulations; `later` is submitted in all of them.
pub(super) fn cluster_starts(
    (cluster, moment): (&PreparedCluster<'_>, &ClusterMoment),
    past: &mut ClusterPast<'_>,
    later: &[&SubmittedJob],
    wanted: &[usize],
    settings: ClusterDraws,
    seed: Seed,
) -> Vec<StartDraws> {
    let drawn = cluster_draws((cluster, moment), past, later, wanted, settings, seed);
    let of = |place: usize| {
        let mut waits: Vec<f64> = drawn.iter().filter_map(|draw| draw.waits[place]).collect();
        order::sort_floats(&mut waits);
        let never = 1.0 - waits.len() as f64 / drawn.len().max(1) as f64;
        StartDraws { never, wait: Distribution::observed(waits.into(), 1.0) }
    };
    (0..wanted.len()).map(of).collect()
}

/// As [`cluster_starts`], simulation by simulation.
pub(super) fn cluster_draws(
    at: (&PreparedCluster<'_>, &ClusterMoment),
    past: &mut ClusterPast<'_>,
    later: &[&SubmittedJob],
    wanted: &[usize],
    settings: ClusterDraws,
    seed: Seed,
) -> Vec<ClusterDraw> {
    cluster_runs(at, past, later, (wanted, false), settings, seed)
}

/// As [`cluster_draws`]. If the wanted jobs belong together, each has with even odds its own run time or
/// one that it shares with the others.
pub(super) fn cluster_runs(
    (cluster, moment): (&PreparedCluster<'_>, &ClusterMoment),
    past: &mut ClusterPast<'_>,
    later: &[&SubmittedJob],
    (wanted, belong_together): (&[usize], bool),
    settings: ClusterDraws,
    seed: Seed,
) -> Vec<ClusterDraw> {
    let outset = Outset {
        cluster,
        moment,
        runs: expected(moment, past),
        later,
        later_runs: later
            .iter()
            .flat_map(|&one| tasks(one).into_iter().map(move |task| (one, task)))
            .map(|(one, task)| past.run(one, task, Seconds::ZERO))
            .collect(),
        wanted,
        first_alike: wanted.first().copied().filter(|_| belong_together),
        requests: requests(moment, past),
    };
    let now = moment.now;
    let stream = |number: u32| seed.numbered("starts at a cluster", u64::from(number));
    let mut drawn: Vec<ClusterDraw> = vec![ClusterDraw::default(); settings.draws as usize];
    let history = past.first_arrival().map_or(Micros::ZERO, |first| (now - first).max(Micros::ZERO));
    let recent = match settings.arrivals {
        ExpectedArrivals::LikeLately => history / RECENT_PARTS,
        _ => Micros::ZERO,
    };
    let days = match settings.arrivals {
        ExpectedArrivals::LikePast | ExpectedArrivals::LikeLately => history / Micros::DAY,
        ExpectedArrivals::None | ExpectedArrivals::Recorded => 0,
    };
    // How long ago the arrivals used in this simulation began. At least three days back if possible, so that enough arrivals follow.
    let back = |number: u32| {
        let mut rng = seed.numbered("what comes to a cluster", u64::from(number));
        match days {
            0 if recent == Micros::ZERO => Micros::ZERO,
            0 if number.is_multiple_of(2) => Micros::ZERO,
            0 => recent * (1 + i64::from(number / 2) % RECENT_PARTS),
            days => Micros::DAY * rng.random_range(days.min(3)..=days.min(28)),
        }
    };
    let mut open: Vec<(u32, Micros)> = (0..settings.draws).map(|number| (number, back(number))).collect();
    for (ahead, is_last) in AHEAD.into_iter().zip([false, false, true]) {
        // A start beyond the horizon may be too early: arrivals after the horizon were not simulated.
        let is_beyond = |start: &Option<f64>| start.is_none_or(|start| start >= ahead.as_seconds());
        let is_late = |back: Micros, found: &ClusterDraw| back > ahead && found.waits.iter().any(is_beyond);
        // Past submissions by how long ago they were.
        let mut sequels: BTreeMap<Micros, PastArrivals<'_>> = BTreeMap::new();
        let mut simulated = |some: &[(u32, Micros)]| {
            for &(_, back) in some.iter().filter(|(_, back)| *back > Micros::ZERO) {
                sequels.entry(back).or_insert_with(|| arrivals(past, now, back, ahead));
            }
            let none = Vec::new();
            parallel::map(some, |&(number, back)| {
                if !is_wanted() {
                    let (waits, runs) = (vec![None; wanted.len()], vec![None; wanted.len()]);
                    return ClusterDraw { waits, runs, ..ClusterDraw::default() };
                }
                let sequel = sequels.get(&back).unwrap_or(&none);
                outset.draw(sequel, back, &mut stream(number))
            })
        };
        // Where the first of them are late, most will be: with the next horizon all come to the same as with both.
        let may_be_late: Vec<(u32, Micros)> = open.iter().copied().filter(|one| one.1 > ahead).collect();
        if !is_last && may_be_late.len() > FIRST {
            let found = simulated(&may_be_late[..FIRST]);
            if found.iter().zip(&may_be_late).all(|(found, one)| is_late(one.1, found)) {
                continue;
            }
            for (found, &(number, back)) in found.into_iter().zip(&may_be_late) {
                if !is_late(back, &found) {
                    open.retain(|one| one.0 != number);
                    drawn[number as usize] = found;
                }
            }
        }
        let found = simulated(&open);
        let mut late = Vec::new();
        for ((number, back), found) in open.into_iter().zip(found) {
            if is_late(back, &found) {
                late.push((number, back));
            }
            drawn[number as usize] = found;
        }
        open = late;
    }
    drawn
}

/// The tasks of a submission; a job that is no array is one.
pub(super) fn tasks(submission: &SubmittedJob) -> Vec<Option<u32>> {
    let array = submission.request.array.as_ref();
    array.map_or_else(|| vec![None], |array| array.indices.iter().copied().map(Some).collect())
}

/// All jobs of a moment, array tasks one by one: the places of their submissions, and their tasks.
pub(super) fn all_tasks(moment: &ClusterMoment) -> Vec<(usize, Option<u32>)> {
    let each = moment.submissions.iter().enumerate();
    each.flat_map(|(place, one)| tasks(one).into_iter().map(move |task| (place, task))).collect()
}

/// Of the waiting jobs those that can start, by their numbers among all jobs.
pub(super) fn startable(
    reasons: &[PendingReason],
    numbers: &BTreeMap<(usize, Option<u32>), usize>,
) -> Vec<usize> {
    let can_start = |one: &&PendingReason| one.reason != Some(WaitReason::Held) && !one.never;
    let waiting = reasons.iter().filter(can_start);
    waiting.filter_map(|one| numbers.get(&(one.submission, one.task)).copied()).collect()
}

/// When jobs were submitted, all but the newest, or started in the last minute before a moment.
fn requests(moment: &ClusterMoment, past: &ClusterPast<'_>) -> Vec<Micros> {
    let (now, since) = (moment.now, moment.now - Micros::of_seconds(60));
    let others = moment.submissions.split_last().map_or(&[][..], |(_, others)| others);
    let started = moment.standings.iter().filter_map(|one| match one.state {
        StandingState::Running { start, .. } => Some(start.into()),
        _ => None,
    });
    // Some have left by now.
    let left = past.arrivals_between(since, now - Micros(1)).into_iter().map(|one| one.submit);
    let all = others.iter().map(|one| one.submit).chain(started).chain(left);
    let mut found: Vec<Micros> = all.filter(|&at| at >= since && at <= now).collect();
    found.sort_unstable();
    found
}

/// How long every job of a moment is expected to run, and how long it has run.
fn expected(moment: &ClusterMoment, past: &mut ClusterPast<'_>) -> Vec<(ExpectedRun, Seconds)> {
    let now = moment.now.second();
    let mut elapsed = BTreeMap::new();
    for standing in &moment.standings {
        if let StandingState::Running { start, .. } = standing.state {
            elapsed.insert((standing.submission, standing.task), (now - start).max(Seconds::ZERO));
        }
    }
    let mut runs = Vec::new();
    for (place, submission) in moment.submissions.iter().enumerate() {
        for task in tasks(submission) {
            let elapsed = elapsed.get(&(place, task)).copied().unwrap_or_default();
            runs.push((past.run(submission, task, elapsed), elapsed));
        }
    }
    runs
}

/// Past submissions in the time `ahead` after the instant the time `back` ago, with the run times of their tasks.
fn arrivals<'r>(past: &mut ClusterPast<'r>, now: Micros, back: Micros, ahead: Micros) -> PastArrivals<'r> {
    let until = (now - back + ahead).min(now - Micros::of_millis(1));
    let all = past.arrivals_between(now - back, until);
    let with_runs = |submission: &'r SubmittedJob| {
        let run = |task: Option<u32>| match past.ran(submission, task) {
            Some(ran) => ExpectedRun { run: Distribution::point(ran.0 as f64), limit: None },
            None => past.run(submission, task, Seconds::ZERO),
        };
        (submission, tasks(submission).into_iter().map(run).collect())
    };
    all.into_iter().map(with_runs).collect()
}

impl Outset<'_> {
    /// When the main scheduler made its last pass, if the next turn of its background thread is the time `next` after the moment;
    /// `None` if nothing has asked for one lately. A turn makes a pass if one was asked for and the last was long enough ago.
    fn last_pass(&self, next: Micros) -> Option<Micros> {
        let (now, turn) = (self.moment.now, Micros::SECOND);
        let delay = turn * self.cluster.cluster().settings.main.batch_sched_delay.0;
        let mut last = None;
        for &request in &self.requests {
            if last.is_some_and(|last| request <= last) {
                continue;
            }
            let due = last.map_or(request, |last: Micros| request.max(last + delay));
            // The first turn from then on.
            let pass = now + next - turn * ((now + next - due) / turn);
            if due <= now && pass <= now {
                last = Some(pass);
            }
        }
        last
    }

    /// One simulation, with past submissions repeated the time `shift` later; returns what becomes of the wanted jobs. A
    /// shorter `sequel` leaves all random draws before its end unchanged.
    fn draw(&self, sequel: &PastArrivals<'_>, shift: Micros, rng: &mut impl Rng) -> ClusterDraw {
        let common: f64 = self.first_alike.map_or(0.0, |_| rng.random());
        let run = |(place, (run, elapsed)): (usize, &(ExpectedRun, Seconds))| {
            let own: f64 = rng.random();
            let may_share = self.first_alike.is_some_and(|first| place >= first);
            let is_shared = may_share && rng.random::<f64>() < SHARED;
            run.at(if is_shared { common } else { own }, *elapsed)
        };
        let mut runs: Vec<Option<Seconds>> = self.runs.iter().enumerate().map(run).collect();
        let later_runs: Vec<Option<Seconds>> =
            self.later_runs.iter().map(|run| run.at(rng.random(), Seconds::ZERO)).collect();
        let settings = &self.cluster.cluster().settings;
        let mut within = |seconds: i64| Micros(rng.random_range(0..=seconds.clamp(0, 1_000_000) * 1_000_000));
        let interval =
            settings.backfill.as_ref().and_then(|one| one.interval).map_or(30, |interval| interval.0);
        let timers = [within(1), within(interval), within(settings.priority.calc_period.0)];
        let full = within(settings.main.sched_interval.map_or(0, |interval| interval.0)) / Micros::SECOND;
        let limit_check = within(30) / Micros::SECOND;
        let pass = self.last_pass(timers[0]).map_or(full, |at| (self.moment.now - at) / Micros::SECOND);
        let since = [full, limit_check, pass];
        let mut submissions = Cow::Borrowed(self.moment.submissions.as_slice());
        if !sequel.is_empty() || !self.later.is_empty() {
            let all = submissions.to_mut();
            all.extend(self.later.iter().map(|&one| one.clone()));
            runs.extend(later_runs);
            for (number, (one, expected)) in sequel.iter().enumerate() {
                runs.extend(expected.iter().map(|run| run.at(rng.random(), Seconds::ZERO)));
                all.push(expected_submission(one, number, shift));
            }
        }
        let phases = Phases::running_on(self.moment.now, timers);
        // Where nothing waits, what runs is all that matters: without a wanted job all that comes would be simulated to its end.
        let wanted = if self.wanted.is_empty() { &[0] } else { self.wanted };
        let future = AssumedFuture { submissions: &submissions, runs: &runs, phases, since };
        let (starts, schedule) = schedule_on_prepared(self.cluster, self.moment, &future, wanted);
        let now = self.moment.now.second();
        let wait = |start: Option<Time>| start.map(|start| (start - now).0.max(0) as f64);
        let ran = self.wanted.iter().map(|&place| runs[place]).collect();
        ClusterDraw { runs: ran, waits: starts.into_iter().map(wait).collect(), schedule }
    }
}

/// A copy of a past submission, the time `shift` later.
fn expected_submission(like: &SubmittedJob, number: usize, shift: Micros) -> SubmittedJob {
    let mut one = like.clone();
    one.key = format!("{} again, {number}", like.key);
    one.id = None;
    one.submit += shift;
    // What it depended on is over.
    if one.request.dependency.is_some() {
        one.request.dependency = None;
    }
    one
}
