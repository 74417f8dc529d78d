//! What is learned of a site from its events: how long its jobs run, which it prefers, what arrives.

use queuecast_core::order;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::arrival_process::ArrivalProcess;
use super::expected::{ExpectedRuns, RunLearning};
use super::snapshot::{AssumedRuns, Snapshot};
use super::start_times::{QueueStarts, QueuedStart};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, Truth};
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::wanted::is_wanted;
use queuecast_sim::predict::mixture::OwnRuns;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec, Requested};
use queuecast_sim::sim::{Backfill, Fork, LimitRule, Options, RunOn, Unknown};
use queuecast_sim::site::View;
use queuecast_wait::Overtaking;

/// Draws that one piece of parallel work has.
pub(super) const PIECE: u32 = 32;

/// Follows a site and simulates it onwards as it is expected to go: its jobs with run times drawn from their distributions, its
/// queue in the order it was seen to prefer, and arrivals like those of the last weeks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LearnedSite {
    pub(super) runs: ExpectedRuns,
    pub(super) order: Overtaking,
    pub(super) coming: ArrivalProcess,
}

impl LearnedSite {
    /// Before the first event. `default_request` stands in for a missing requested time.
    pub fn new(predictor: &PredictorSpec, default_request: Seconds) -> LearnedSite {
        LearnedSite {
            runs: ExpectedRuns::new(predictor, default_request),
            order: Overtaking::new(),
            coming: ArrivalProcess::default(),
        }
    }

    /// Whether it can be stored: with the usual run-time predictor.
    pub(in crate::forecast) fn is_stored(&self) -> bool {
        self.runs.is_stored()
    }

    /// Learns from an event. Of a job that arrives, the run time predicted of it is returned.
    pub fn observe(&mut self, event: &Event<'_>) -> Option<Distribution> {
        self.learn(event, RunLearning::Quick)
    }

    /// A job is about to arrive: it may be asked about before it has.
    pub(in crate::forecast) fn announce(&mut self, job: &Job) {
        self.runs.announce(job);
    }

    /// As [`LearnedSite::observe`], without predicting run times, for events older than what any method remembers.
    pub(in crate::forecast) fn observe_past(&mut self, event: &Event<'_>) {
        self.learn(event, RunLearning::Past);
    }

    fn learn(&mut self, event: &Event<'_>, learning: RunLearning) -> Option<Distribution> {
        let run = self.runs.observe(event, learning);
        self.coming.observe(event, &self.runs, &self.order);
        self.order.observe(event);
        run
    }

    /// The whole run time of a job at the site, given how long it has run.
    pub fn run_time_of(&self, job: &Job, elapsed: Seconds) -> Distribution {
        self.runs.run(job, elapsed)
    }

    /// The run time of a job that is not there yet, as it is said to its user.
    pub fn run_time(&self, job: &Job) -> Distribution {
        self.runs.said(job)
    }

    /// The last jobs of the user of a job that have ended, where the run-time predictor tells.
    pub fn own_runs(&self, job: &Job) -> Option<OwnRuns> {
        self.runs.own_runs(job)
    }

    /// The order learned.
    pub fn order(&self) -> &Overtaking {
        &self.order
    }

    /// What a job asks for, or is taken to ask for.
    pub(super) fn request(&self, job: &Job) -> Seconds {
        job.shape.limit.unwrap_or(self.runs.default_request())
    }

    /// What a job asks for, at least a second.
    pub(in crate::forecast) fn requested(&self, job: &Job) -> Seconds {
        self.runs.requested(job)
    }

    /// The starts of all waiting jobs, and of the newcomer if given, over `draws` simulations that they share. The newcomer
    /// joins the end of the queue; its score may move it forward.
    pub fn sample(&self, site: View<'_>, newcomer: Option<&Job>, draws: u32, seed: Seed) -> QueueStarts {
        let snapshot = Snapshot::new(site, newcomer, &self.runs, &self.order);
        let past = self.coming.past();
        let pieces: Vec<u32> = (0..draws.div_ceil(PIECE)).collect();
        let drawn: Vec<Vec<Time>> = parallel::map(&pieces, |&piece| {
            let mut run_on = RunOn::default();
            let numbers = piece * PIECE..draws.min((piece + 1) * PIECE);
            let each = numbers.flat_map(|number| {
                if !is_wanted() {
                    return vec![Time::NEVER; snapshot.waiting()];
                }
                let mut rng = seed.numbered("start times", u64::from(number));
                snapshot.drawn_starts(past, None, &mut rng, &mut run_on).to_vec()
            });
            each.collect()
        });
        let waiting = site.waiting().map(|one| one.job).chain(newcomer);
        let count = snapshot.waiting();
        let jobs = waiting.enumerate().map(|(place, job)| {
            let starts = drawn.iter().flat_map(|piece| piece.iter().skip(place).step_by(count.max(1)));
            QueuedStart::of(job, site.now(), starts.copied())
        });
        QueueStarts { now: site.now(), draws, jobs: jobs.collect() }
    }

    /// The newcomer's waits in seconds over `draws` simulations, ascending; those in which it never starts are left out.
    pub(super) fn waits(&self, site: View<'_>, newcomer: &Job, draws: u32, seed: Seed) -> Vec<f64> {
        let snapshot = Snapshot::new(site, Some(newcomer), &self.runs, &self.order);
        self.drawn_waits(&snapshot, draws, seed)
    }

    fn drawn_waits(&self, snapshot: &Snapshot, draws: u32, seed: Seed) -> Vec<f64> {
        if snapshot.starts_at_once(&mut RunOn::default()) {
            return vec![0.0; draws as usize];
        }
        let past = self.coming.past();
        let pieces: Vec<u32> = (0..draws.div_ceil(PIECE)).collect();
        let drawn = parallel::map(&pieces, |&piece| {
            let mut run_on = RunOn::default();
            let numbers = piece * PIECE..draws.min((piece + 1) * PIECE);
            let waits = numbers.take_while(|_| is_wanted()).filter_map(|number| {
                let mut rng = seed.numbered("start times", u64::from(number));
                snapshot.drawn_wait(past, &mut rng, &mut run_on).map(|wait| wait.0 as f64)
            });
            waits.collect::<Vec<f64>>()
        });
        let mut waits: Vec<f64> = drawn.into_iter().flatten().collect();
        order::sort_floats(&mut waits);
        waits
    }

    /// As [`LearnedSite::waits`], but simulated by the engine under this policy in queue order.
    pub(super) fn waits_under(
        &self,
        policy: &Backfill,
        site: View<'_>,
        newcomer: &Job,
        draws: u32,
        seed: Seed,
    ) -> Vec<f64> {
        let (runs, now, site) = (&self.runs, site.now(), site.to_site());
        let past = self.coming.past();
        let numbers: Vec<u32> = (0..draws).collect();
        // Drawn run times respect the limits already; a job beyond its limit keeps running until its drawn end.
        let options = Options { limit: LimitRule::Ignore, ..Options::default() };
        let waits = parallel::map(&numbers, |&number| {
            if !is_wanted() {
                return None;
            }
            let mut rng = seed.numbered("start times", u64::from(number));
            let whole = |seconds: f64| Seconds(seconds.ceil().clamp(1.0, 1e12) as i64);
            let coming = ArrivalProcess::draw(past, now, &mut rng);
            let mut fork = Fork::from_site(site.clone(), now, options, |one: &Unknown<'_>| {
                let elapsed = one.elapsed.unwrap_or_default();
                whole(runs.run(one.job, elapsed).quantile(rng.random())).max(elapsed + Seconds(1))
            });
            let own = whole(runs.newcomer(newcomer).quantile(rng.random()));
            let target = fork.next();
            let limit = Some(runs.requested(newcomer));
            let mut job = Job::rigid(u64::MAX, now, newcomer.shape.procs, limit);
            (job.user, job.group, job.queue) = (newcomer.user, newcomer.group, newcomer.queue);
            fork.expect([(job, Truth::rigid(own))]);
            if let Some(coming) = coming {
                fork.expect(past[coming.from..].iter().map(|&(at, job)| {
                    let limit = Some(Seconds(job.planned));
                    let arrival = Job::rigid(u64::MAX, at + coming.shift, Procs(job.procs), limit);
                    (arrival, Truth::rigid(Seconds(job.run)))
                }));
            }
            let mut planned_by = Requested { default: DEFAULT_REQUEST };
            let start = fork.start_before(target, Time::NEVER, &mut *policy.build(), &mut planned_by);
            // The built-in policies keep their contract, so there is a start or none.
            start.ok().flatten().map(|start| (start - now).0.max(0) as f64)
        });
        let mut waits: Vec<f64> = waits.into_iter().flatten().collect();
        order::sort_floats(&mut waits);
        waits
    }

    /// Simulated waits of the newcomer in seconds: three single runs (learned order with median and with requested run
    /// times, order of arrival with median ones; NaN if it never starts), then the waits of `draws` simulations, ascending.
    pub(super) fn probes(
        &self,
        site: View<'_>,
        newcomer: &Job,
        draws: u32,
        run_on: &mut RunOn,
    ) -> ([f64; 3], Vec<f64>) {
        let learned = Snapshot::new(site, Some(newcomer), &self.runs, &self.order);
        let past = self.coming.past();
        let median = AssumedRuns::Quantile(0.5);
        if learned.starts_at_once(run_on) {
            let by_arrival = learned.by_arrival().newcomer_wait(median, run_on);
            let by_arrival = by_arrival.map_or(f64::NAN, |wait| wait.0 as f64);
            return ([0.0, 0.0, by_arrival], vec![0.0; draws as usize]);
        }
        let mut rng = Seed(u64::from(newcomer.index.0)).stream("draws of start times");
        let drawn = (0..draws).filter_map(|_| learned.drawn_wait(past, &mut rng, run_on));
        let mut drawn: Vec<f64> = drawn.map(|wait| wait.0 as f64).collect();
        order::sort_floats(&mut drawn);
        let mut single = |snapshot: &Snapshot, assumed| {
            snapshot.newcomer_wait(assumed, run_on).map_or(f64::NAN, |wait| wait.0 as f64)
        };
        let first = [single(&learned, median), single(&learned, AssumedRuns::Requested)];
        ([first[0], first[1], single(&learned.by_arrival(), median)], drawn)
    }

    /// For each delay, the shift of the newcomer's start and end in seconds: medians over simulations with common random
    /// numbers. Simulations in which it never starts are left out.
    pub(crate) fn later(
        &self,
        site: View<'_>,
        newcomer: &Job,
        later: &[Seconds],
        draws: u32,
        seed: Seed,
    ) -> Vec<(f64, f64)> {
        let snapshot = Snapshot::new(site, Some(newcomer), &self.runs, &self.order);
        let past = self.coming.past();
        let wait = |number: u32, by: Seconds| {
            if !is_wanted() {
                return None;
            }
            // One random stream per simulation: run times and arrivals are equal for all delays.
            let mut rng = seed.numbered("start times", u64::from(number));
            snapshot.delayed_start(past, by, &mut rng, &mut RunOn::default())
        };
        let numbers: Vec<u32> = (0..draws).collect();
        let now: Vec<Option<Seconds>> = parallel::map(&numbers, |&number| wait(number, Seconds::ZERO));
        let shift = |&by: &Seconds| {
            let starts = parallel::map(&numbers, |&number| wait(number, by));
            let pairs = now.iter().zip(&starts);
            let mut moved: Vec<f64> =
                pairs.filter_map(|(now, later)| Some(((*later)? - (*now)?).0 as f64)).collect();
            order::sort_floats(&mut moved);
            // The run time is unchanged, so the end shifts as the start does.
            moved.get(moved.len() / 2).map_or((0.0, 0.0), |&moved| (moved, moved))
        };
        later.iter().map(shift).collect()
    }
}
