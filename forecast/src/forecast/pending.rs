//! When each job that already waits at a site starts, all by the same simulations.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::answer::WhenSettings;
use super::starts::{LearnedSite, QueueDraws, QueueOrder};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, JobIndex, What};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::site::{Replay, Site, Step, View};
use queuecast_wait::{Calibration, Lesson, WaitQuestion};

/// The seed of all simulations of a queue: the same question has the same answer.
pub(super) const SEED: Seed = Seed(31);

/// Simulations of an answer.
const DRAWS: u32 = 200;

/// Simulations of an answer about a past queue, which is only judged.
const PAST_DRAWS: u32 = 40;

/// Of the last submissions before the moment asked about, at so many the queue is asked about too, and of so many jobs each time.
const PAST_QUEUES: usize = 200;
const PAST_JOBS: usize = 4;

/// Submissions between two past queues.
const APART: usize = 25;

/// The last answers about past queues that correct one.
const LESSONS: usize = 800;

/// Learns how a site goes on, and how right such forecasts of its waiting jobs were; says when each waiting job starts.
///
/// What corrects the answer of `when` for a new job is how right answers were *at the submission* of jobs. A job that waits has come
/// through a part of its wait, so that record says little of the rest. Therefore past queues are asked about as the present one is, with
/// what was known then, and what became of these jobs corrects the ranges.
#[derive(Debug)]
pub struct PendingForecaster {
    learned: LearnedSite,
    past: PastQueues,
}

/// How often the ranges for jobs of past queues held, each said with what was known then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PendingRecord {
    /// Past answers whose outcome is known, or that have been outlasted.
    pub answers: usize,
    /// The share of jobs that started within the 80 % range.
    pub inside: f64,
    /// The share of jobs that started by p90.
    pub by_p90: f64,
}

/// A range of times in seconds from now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StartRange {
    /// One in ten starts sooner.
    pub p10: f64,
    /// Even odds.
    pub median: f64,
    /// One in ten starts later.
    pub p90: f64,
    /// Start of the 80 % range.
    pub low: f64,
    /// End of the 80 % range.
    pub high: f64,
}

impl StartRange {
    /// Of a distribution of seconds from now.
    pub fn of(wait: &Distribution) -> StartRange {
        let (low, high) = wait.wait_range(0.8);
        let [p10, median, p90] = [0.1, 0.5, 0.9].map(|level| wait.quantile(level).max(0.0));
        StartRange { p10, median, p90, low: low.max(0.0), high: high.max(0.0) }
    }
}

/// When a waiting job starts.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingStart {
    /// Its number at the site.
    pub index: JobIndex,
    /// Its place in the order, from 1.
    pub place: usize,
    /// Processors that the jobs before it ask for.
    pub ahead_wanted: u64,
    /// When it starts; `None` if it does in no simulation.
    pub start: Option<StartRange>,
    /// The share of simulations in which it never started.
    pub never: f64,
    /// Of the first job in the order, where too little is free: the running jobs whose ends are expected to free enough, the first one
    /// to end first.
    pub frees: Vec<JobIndex>,
}

/// When each job that waits starts.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingStarts {
    /// In the order in which they go.
    pub jobs: Vec<PendingStart>,
    /// Simulations.
    pub draws: u32,
    /// How often such ranges held; with fewer than 30 known answers `None`, and ranges are as simulated.
    pub record: Option<PendingRecord>,
    /// Processors that no job holds.
    pub free: Procs,
    /// Processors in service.
    pub procs: Procs,
    /// Running jobs.
    pub running: usize,
}

impl PendingForecaster {
    /// Learns the schedule that a log records up to the end of a second, and returns the site as it is then. `done` is told of each
    /// past queue that was asked about, of [`PendingForecaster::steps`].
    pub fn of_log(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        done: &(dyn Fn(usize) + Sync),
    ) -> (PendingForecaster, Site) {
        let learned = LearnedSite::new(&settings.predictor, settings.default_request);
        let mut forecaster = PendingForecaster { learned, past: PastQueues::default() };
        let mut replay = Replay::recorded(history, settings.default_request);
        let jobs = replay.timeline().jobs(history);
        let known = jobs.partition_point(|job| job.submit <= until);
        let first = known.saturating_sub(PAST_QUEUES * APART);
        // A queue is asked about at the end of the second, when all that happens in it has happened.
        let mut due: Option<Time> = None;
        while let Some(next) = replay.peek().filter(|next| next.at <= until) {
            if let Some(at) = due.take_if(|at| next.at > *at) {
                forecaster.past.ask(&forecaster.learned, replay.site().view(at));
                done(1);
            }
            if next.step == Step::Submitted {
                let (number, job) = (next.job.at(), &jobs[next.job.at()]);
                replay.admit(job.shape.procs);
                if number >= first && (number - first) % APART == 0 {
                    due = Some(next.at);
                }
            }
            let Some(event) = replay.step() else { break };
            forecaster.observe(&event);
        }
        (forecaster, replay.site().clone())
    }

    /// How many past queues are asked about at most, where so many jobs were submitted before.
    pub fn steps(submitted: usize) -> usize {
        submitted.div_ceil(APART).min(PAST_QUEUES)
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.learned.observe(event);
        match event.what {
            What::Started(_) => self.past.started(event.job.index, event.at),
            What::Withdrawn => self.past.left(event.job.index),
            _ => {}
        }
    }

    /// What is learned of the site.
    pub(super) fn learned(&self) -> &LearnedSite {
        &self.learned
    }

    /// When each waiting job of a site starts; each no sooner than now.
    pub fn starts(&self, site: &Site, now: Time, order: QueueOrder) -> PendingStarts {
        let view = site.view(now);
        let draws = self.learned.queue_draws(view, None, order, (DRAWS, SEED));
        let starts = draws.starts();
        let waiting: Vec<_> = view.waiting().collect();
        let correction = self.past.correction(now);
        let (mut jobs, mut ahead_wanted) = (Vec::new(), 0_u64);
        for (rank, place) in draws.order().into_iter().enumerate() {
            let (procs, request) =
                (waiting[place].job.shape.procs, self.learned.requested(waiting[place].job));
            let (waits, never) = waits(&starts[place], now);
            let wait = corrected(correction.as_ref(), waits, procs, request);
            jobs.push(PendingStart {
                index: waiting[place].index,
                place: rank + 1,
                ahead_wanted,
                start: wait.as_ref().map(StartRange::of),
                never,
                frees: if rank == 0 { freed(&draws, procs, view.free()) } else { Vec::new() },
            });
            ahead_wanted += u64::from(procs.0);
        }
        PendingStarts {
            jobs,
            draws: DRAWS,
            record: self.past.record(now),
            free: view.free(),
            procs: view.machine(),
            running: view.running().count(),
        }
    }
}

/// The waits of a job in simulations, and the share in which it never started.
fn waits(starts: &[Time], now: Time) -> (Vec<Seconds>, f64) {
    let known = starts.iter().filter(|&&start| start != Time::NEVER);
    let waits: Vec<Seconds> = known.map(|&start| (start - now).max(Seconds::ZERO)).collect();
    let never = 1.0 - waits.len() as f64 / starts.len().max(1) as f64;
    (waits, never)
}

/// The running jobs that are expected to end first, up to the one with which enough processors are free.
fn freed(draws: &QueueDraws<'_>, wanted: Procs, free: Procs) -> Vec<JobIndex> {
    let mut ends: Vec<(f64, u32, JobIndex)> = draws
        .expected_ends()
        .into_iter()
        .zip(draws.running())
        .map(|(one, &job)| (one.0, one.1, job))
        .collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.2.cmp(&other.2)));
    let mut free = u64::from(free.0);
    let needed = ends.iter().take_while(|one| {
        let is_short = free < u64::from(wanted.0);
        free += u64::from(one.1);
        is_short
    });
    needed.map(|one| one.2).collect()
}

/// An answer about a job of a past queue.
#[derive(Debug, Clone, Copy)]
struct PastAnswer {
    asked: Time,
    question: WaitQuestion,
    said: StartRange,
}

impl PastAnswer {
    fn is_outlasted(&self, now: Time) -> bool {
        (now - self.asked).0 as f64 > self.said.high
    }
}

/// Answers about past queues, and what became of them.
#[derive(Debug, Default)]
struct PastQueues {
    /// The last ones.
    lessons: VecDeque<Lesson>,
    known: usize,
    inside: usize,
    by_p90: usize,
    open: BTreeMap<JobIndex, Vec<PastAnswer>>,
}

impl PastQueues {
    /// Asks about some jobs of a queue, evenly chosen from its order.
    fn ask(&mut self, learned: &LearnedSite, site: View<'_>) {
        let waiting: Vec<_> = site.waiting().collect();
        if waiting.is_empty() {
            return;
        }
        let now = site.now();
        let seed = SEED.named(&format!("queue at {now}"));
        let draws = learned.queue_draws(site, None, QueueOrder::Learned, (PAST_DRAWS, seed));
        let (starts, order) = (draws.starts(), draws.order());
        let correction = self.correction(now);
        let asked = order.len().min(PAST_JOBS);
        for number in 0..asked {
            let place = order[number * order.len() / asked];
            let (waits, _) = waits(&starts[place], now);
            let (procs, request) = (waiting[place].job.shape.procs, learned.requested(waiting[place].job));
            let question = WaitQuestion::new(waits.iter().copied(), procs, request);
            if let Some(wait) = corrected(correction.as_ref(), waits, procs, request) {
                let answer = PastAnswer { asked: now, question, said: StartRange::of(&wait) };
                self.open.entry(waiting[place].index).or_default().push(answer);
            }
        }
    }

    fn started(&mut self, job: JobIndex, at: Time) {
        for PastAnswer { asked, question, said } in self.open.remove(&job).unwrap_or_default() {
            let wait = (at - asked).max(Seconds::ZERO);
            let seconds = wait.0 as f64;
            self.known += 1;
            self.inside += usize::from((said.low..=said.high).contains(&seconds));
            self.by_p90 += usize::from(seconds <= said.p90);
            if self.lessons.len() == LESSONS {
                self.lessons.pop_front();
            }
            self.lessons.push_back(Lesson { question, wait, started: at });
        }
    }

    fn left(&mut self, job: JobIndex) {
        self.open.remove(&job);
    }

    /// What past answers teach. Jobs that have outlasted their range and still wait count as waiting until now: without them, what is
    /// learned in a growing queue would come from the jobs that were lucky.
    fn correction(&self, now: Time) -> Option<Calibration> {
        let late = self.open.values().flatten().filter(|one| one.is_outlasted(now));
        let late = late.map(|one| Lesson { question: one.question, wait: now - one.asked, started: now });
        Calibration::of(self.lessons.iter().copied().chain(late).collect())
    }

    /// How right past answers were. Those that have been outlasted count as wrong.
    fn record(&self, now: Time) -> Option<PendingRecord> {
        let late = self.open.values().flatten().filter(|one| one.is_outlasted(now)).count();
        let answers = self.known + late;
        if answers < Calibration::FEWEST {
            return None;
        }
        let share = |count: usize| count as f64 / answers as f64;
        Some(PendingRecord { answers, inside: share(self.inside), by_p90: share(self.by_p90) })
    }
}

/// The distribution of simulated waits, corrected by what became of past answers like it; `None` without any.
fn corrected(
    correction: Option<&Calibration>,
    mut waits: Vec<Seconds>,
    procs: Procs,
    request: Seconds,
) -> Option<Distribution> {
    if let Some(correction) = correction.filter(|_| !waits.is_empty()) {
        correction.correct(&mut waits, procs, request);
    }
    let mut waits: Vec<f64> = waits.iter().map(|wait| wait.0.max(0) as f64).collect();
    waits.sort_by(f64::total_cmp);
    Distribution::observed(waits.into(), 1.0)
}
