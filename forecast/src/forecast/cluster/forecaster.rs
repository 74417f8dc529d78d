//! Forecasts of starts at a cluster, at one submission after the other.

use std::collections::HashMap;

use super::not_before::NotBefore;
use super::past::{ClusterPast, LearnedRuns};
use super::record::NewcomerRecord;
use super::starts::{
    ClusterDraw, ClusterDraws, DrawnJob, ExpectedArrivals, StartDraws, all_tasks, cluster_draws,
    cluster_runs, cluster_starts, startable, tasks,
};
use crate::forecast::regime::Regime;
use crate::forecast::start_record::{KnownStart, SimulatedStart, StartRecord};
use queuecast_core::distribution::{Conformal, Distribution};
use queuecast_core::job::QueueId;
use queuecast_core::order;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Procs, Seconds};
use queuecast_slurm_sim::cluster::{
    Begin, Cluster, ClusterMoment, JobOutcome, JobStanding, RecordedMoments, RecordedRun, StandingState,
    SubmittedJob, is_known,
};
use queuecast_slurm_sim::controller::{PlacedNewcomer, PreparedCluster, SimulatedSchedule, pending_reasons};
use rand::RngExt;

/// When a job starts.
#[derive(Debug, Clone, PartialEq)]
pub struct StartForecast {
    /// Its index in an array.
    pub task: Option<u32>,
    /// Seconds from the moment to its start, corrected by how wrong earlier forecasts were; `None` if it started in no simulation.
    pub wait: Option<Distribution>,
    /// Its wait as it was simulated.
    pub simulated: Option<Distribution>,
    /// The share of simulations in which it never started.
    pub never: f64,
}

/// Follows what became of the jobs of a cluster, and forecasts starts with what is known at each moment: run times as learned,
/// the scheduler simulated onwards, and corrected by how wrong earlier forecasts were.
#[derive(Debug)]
pub struct ClusterForecaster<'r> {
    cluster: PreparedCluster<'r>,
    run: &'r RecordedRun,
    /// What the run was like, once a recorded submission is asked about.
    moments: Option<RecordedMoments<'r>>,
    past: ClusterPast<'r>,
    draws: ClusterDraws,
    seed: Seed,
    /// Looked up, never iterated.
    outcomes: HashMap<(&'r str, Option<u32>), &'r JobOutcome>,
    earlier: Vec<EarlierForecast<'r>>,
    asked: u64,
    /// Corrections that were found before; else those by its own forecasts.
    corrections: Option<StartRecord>,
    /// Whether newcomers are placed beside simulations of the queue without them.
    is_beside: bool,
}

/// A forecast before it was corrected.
#[derive(Debug)]
struct EarlierForecast<'r> {
    /// From when on it was to wait: its submission, its begin time, or the end of a reservation.
    at: Micros,
    /// What became of the job.
    outcome: &'r JobOutcome,
    said: SimulatedStart,
}

/// A forecast of one task as it was simulated.
struct RawForecast {
    task: Option<u32>,
    wait: Option<Distribution>,
    never: f64,
    /// How many jobs were waiting.
    waiting: usize,
    /// The first instant at which it may start.
    from: Micros,
    /// Seconds from the moment to that, which no correction moves.
    later: f64,
}

impl RawForecast {
    /// What is corrected: the wait from when it may start.
    fn said(&self) -> Option<SimulatedStart> {
        let quantiles = Conformal::quantiles(self.wait.as_ref()?).map(|wait| (wait - self.later).max(0.0));
        Some(SimulatedStart::of(quantiles, self.waiting))
    }

    fn corrected(self, record: &StartRecord) -> StartForecast {
        let wait = self.said().map(|said| later_by(&record.corrected(&said), self.later));
        StartForecast { task: self.task, wait, simulated: self.wait, never: self.never }
    }
}

/// How many jobs of a moment wait.
fn waiting_jobs(moment: &ClusterMoment) -> usize {
    let jobs: usize = moment.submissions.iter().map(|one| tasks(one).len()).sum();
    let waits = |one: &&JobStanding| matches!(one.state, StandingState::Waiting { .. } | StandingState::Held);
    jobs.saturating_sub(moment.standings.len() - moment.standings.iter().filter(waits).count())
}

/// The situation that a job meets which is submitted at a moment. Whether there is room is judged by the processors that jobs ask for, and
/// whether others wait by the whole site.
pub(super) fn regime_of(cluster: &Cluster, moment: &ClusterMoment, job: &SubmittedJob) -> Regime {
    let running = moment.standings.iter().filter(|one| matches!(one.state, StandingState::Running { .. }));
    let procs = |one: &JobStanding| {
        moment.submissions.get(one.submission).map_or(0, |one| u64::from(one.request.processors()))
    };
    let held: u64 = running.map(procs).sum();
    let all: u64 = cluster.nodes.iter().map(|node| u64::from(node.cpus)).sum();
    let own = job.request.processors();
    let fits = waiting_jobs(moment) == 0 && held + u64::from(own) <= all;
    let named = job.request.partitions.first().and_then(|name| cluster.partition(name));
    let queue = named.or_else(|| cluster.default_partition());
    Regime::met(fits, Procs(own), queue.and_then(|queue| QueueId::new(u32::try_from(queue.0).ok()?)))
}

/// The time that is this many seconds later.
pub(super) fn later_by(times: &Distribution, seconds: f64) -> Distribution {
    if seconds == 0.0 { times.clone() } else { times.mapped(|time| time + seconds) }
}

impl<'r> ClusterForecaster<'r> {
    /// Before anything has happened in a recorded run.
    pub fn new(
        cluster: &'r Cluster,
        run: &'r RecordedRun,
        draws: ClusterDraws,
        seed: Seed,
    ) -> ClusterForecaster<'r> {
        ClusterForecaster::with(cluster, run, ClusterPast::of(cluster, run), draws, seed)
    }

    /// After what was learned of run times before.
    pub(super) fn resumed(
        cluster: &'r Cluster,
        run: &'r RecordedRun,
        learned: &LearnedRuns,
        draws: ClusterDraws,
        seed: Seed,
    ) -> ClusterForecaster<'r> {
        ClusterForecaster::with(cluster, run, ClusterPast::resumed(cluster, run, learned), draws, seed)
    }

    fn with(
        cluster: &'r Cluster,
        run: &'r RecordedRun,
        past: ClusterPast<'r>,
        draws: ClusterDraws,
        seed: Seed,
    ) -> ClusterForecaster<'r> {
        ClusterForecaster {
            moments: None,
            past,
            outcomes: HashMap::new(),
            earlier: Vec::new(),
            asked: 0,
            corrections: None,
            is_beside: false,
            cluster: PreparedCluster::of(cluster),
            run,
            draws,
            seed,
        }
    }

    /// From now on newcomers are placed beside simulations of the queue without them, where nothing else than nodes and the order of the
    /// queue decides when they start: these are the same for all.
    pub(super) fn places_beside(&mut self, is_beside: bool) {
        self.is_beside = is_beside;
    }

    /// Nothing is asked about before one of the submissions, these being in their order.
    pub(super) fn asked_from(&mut self, first: usize, in_order: &[usize]) {
        self.past.asked_from(first, in_order, self.run);
    }

    /// Forecasts for the tasks of a recorded submission at the instant of its submission. Instants must not decrease
    /// between calls.
    pub fn at_submission(&mut self, place: usize) -> Vec<StartForecast> {
        let run = self.run;
        let Some(submission) = run.submissions.get(place) else { return Vec::new() };
        // What it waits for before it may start is not told.
        if matches!(submission.request.terms.begin, Some(Begin::Eligible(_))) {
            return Vec::new();
        }
        if self.outcomes.is_empty() {
            self.outcomes = run.outcomes.iter().map(|one| ((one.key.as_str(), one.task), one)).collect();
        }
        // It may have started within the same second; what was submitted after it within the same instant is not there yet.
        let cluster = self.cluster.cluster();
        let moments = self.moments.get_or_insert_with(|| RecordedMoments::new(cluster, run));
        let mut moment = moments.before(place);
        let raw = self.raw(&mut moment, submission);
        let record = self.record(submission.submit);
        let mut found = Vec::new();
        for one in raw {
            if let (Some(said), Some(outcome)) = (one.said(), self.outcome(&submission.key, one.task)) {
                self.earlier.push(EarlierForecast { at: one.from, outcome, said });
            }
            found.push(one.corrected(&record));
        }
        found
    }

    /// The situation that a recorded submission met. Instants must not decrease between calls, of [`Self::at_submission`] either.
    pub(super) fn regime_at(&mut self, place: usize) -> Option<Regime> {
        let submission = self.run.submissions.get(place)?;
        let cluster = self.cluster.cluster();
        let moments = self.moments.get_or_insert_with(|| RecordedMoments::new(cluster, self.run));
        Some(regime_of(cluster, &moments.before(place), submission))
    }

    /// What became of a job; `None` if that is not told.
    pub(super) fn outcome(&self, key: &str, task: Option<u32>) -> Option<&'r JobOutcome> {
        self.outcomes.get(&(key, task)).copied()
    }

    /// How many forecasts it has made, and how wrong they were by what is known at an instant.
    pub(super) fn tried_so_far(&self, now: Micros) -> (u64, StartRecord) {
        (self.asked, self.record(now))
    }

    /// Later forecasts are made as by the one that has this record.
    pub(super) fn go_on_from(&mut self, record: &NewcomerRecord) {
        self.asked = record.asked;
        self.corrections = Some(record.corrections.clone());
    }

    /// Sets the number of simulations and the expected arrivals of later forecasts.
    pub fn set_draws(&mut self, draws: ClusterDraws) {
        self.draws = draws;
    }

    /// Forecasts for the first task of each submission that is not in the run, each as if submitted alone at the moment or
    /// later, with common random numbers; `schedules` is what is simulated of the queue without them, if that was done before.
    pub fn newcomers(
        &mut self,
        moment: &ClusterMoment,
        jobs: &[SubmittedJob],
        schedules: &[SimulatedSchedule],
    ) -> Vec<StartForecast> {
        let own;
        let schedules = match schedules {
            [] if self.is_beside => {
                own = self.schedules(moment);
                &own
            }
            known => known,
        };
        let record = self.corrections.clone().unwrap_or_else(|| self.record(moment.now));
        let asked = self.asked;
        let each = jobs.iter().map(|job| {
            self.asked = asked;
            let beside = if self.is_beside { self.beside(moment, job, schedules) } else { None };
            if let Some(beside) = beside {
                return beside.corrected(&record);
            }
            let first = self.raw(&mut moment.clone(), job).into_iter().next();
            let none = StartForecast { task: None, wait: None, simulated: None, never: 1.0 };
            first.map_or(none, |first| first.corrected(&record))
        });
        each.collect()
    }

    /// When some jobs of a moment start, by their places among all of its jobs, array tasks one by one: as simulated, simulation by
    /// simulation. The same moment has the same random numbers.
    pub(super) fn waiting(&mut self, moment: &ClusterMoment, wanted: &[usize]) -> Vec<ClusterDraw> {
        self.past.advance_to(moment.now);
        cluster_draws((&self.cluster, moment), &mut self.past, &[], wanted, self.draws, self.seed)
    }

    /// When the jobs of some submissions start that are submitted together at the moment or later, and how long they run, array tasks one
    /// by one: as simulated, simulation by simulation.
    pub(super) fn together(&mut self, moment: &ClusterMoment, jobs: &[SubmittedJob]) -> Vec<Vec<DrawnJob>> {
        self.past.advance_to(moment.now);
        let first: usize = moment.submissions.iter().map(|one| tasks(one).len()).sum();
        let own: usize = jobs.iter().map(|one| tasks(one).len()).sum();
        let wanted: Vec<usize> = (first..first + own).collect();
        let mut moment = moment.clone();
        moment.submissions.extend_from_slice(jobs);
        let at = (&self.cluster, &moment);
        let drawn = cluster_runs(at, &mut self.past, &[], (&wanted, true), self.draws, self.seed);
        let jobs = |draw: ClusterDraw| {
            draw.waits.into_iter().zip(draw.runs).map(|(start, run)| DrawnJob { start, run }).collect()
        };
        drawn.into_iter().map(jobs).collect()
    }

    /// What ran where in simulations of a moment's queue, until all of it has started.
    fn schedules(&mut self, moment: &ClusterMoment) -> Vec<SimulatedSchedule> {
        let numbers = order::map_of(all_tasks(moment).into_iter().zip(0..));
        let wanted = startable(&pending_reasons(self.cluster.cluster(), moment), &numbers);
        self.waiting(moment, &wanted).into_iter().map(|draw| draw.schedule).collect()
    }

    /// A forecast for the first task of a submission, before it is corrected, by where it has a place beside simulations of the queue;
    /// `None` if more than nodes and the order of the queue decides when it starts.
    fn beside(
        &mut self,
        moment: &ClusterMoment,
        submission: &SubmittedJob,
        schedules: &[SimulatedSchedule],
    ) -> Option<RawForecast> {
        self.past.advance_to(moment.now);
        let first = NotBefore::of(self.cluster.cluster(), moment).job(submission);
        let later = (submission.may_start() - moment.now).max(Micros::ZERO);
        let from = Seconds(later.as_seconds().ceil() as i64);
        let mut submissions = moment.submissions.clone();
        let mut job = submission.clone();
        job.submit = job.submit.min(moment.now);
        if matches!(job.request.terms.begin, Some(Begin::At(_) | Begin::After(_))) {
            job.request.terms.begin = None;
        }
        let run = self.past.run(&job, None, Seconds::ZERO);
        submissions.push(job);
        let newcomer = PlacedNewcomer::of(&self.cluster, moment, &submissions)?.no_sooner(from);
        let mut waits = Vec::with_capacity(schedules.len());
        for (schedule, number) in schedules.iter().zip(0..) {
            let quantile = self.seed.numbered("how long a newcomer runs", number).random();
            let start = newcomer.start_beside(schedule, run.at(quantile, Seconds::ZERO));
            waits.extend(start.map(|start| start as f64));
        }
        order::sort_floats(&mut waits);
        self.asked += 1;
        Some(RawForecast {
            task: tasks(submission).first().copied().flatten(),
            never: 1.0 - waits.len() as f64 / schedules.len().max(1) as f64,
            wait: Distribution::observed(waits.into(), 1.0),
            waiting: waiting_jobs(moment),
            from: first,
            later: (first - moment.now).max(Micros::ZERO).as_seconds(),
        })
    }

    /// Forecasts before they are corrected.
    fn raw(&mut self, moment: &mut ClusterMoment, submission: &SubmittedJob) -> Vec<RawForecast> {
        self.past.advance_to(moment.now);
        let first: usize = moment.submissions.iter().map(|one| tasks(one).len()).sum();
        let own = tasks(submission);
        let wanted: Vec<usize> = (first..first + own.len()).collect();
        let waiting = waiting_jobs(moment);
        let from = NotBefore::of(self.cluster.cluster(), moment).job(submission);
        let later_by = (from - moment.now).max(Micros::ZERO).as_seconds();
        moment.submissions.push(submission.clone());
        self.asked += 1;
        let seed = Seed(self.seed.0.wrapping_add(self.asked << 20));
        let later = match self.draws.arrivals {
            ExpectedArrivals::Recorded => {
                self.run.submissions.iter().filter(|one| one.submit > moment.now).collect()
            }
            _ => Vec::new(),
        };
        let starts =
            cluster_starts((&self.cluster, moment), &mut self.past, &later, &wanted, self.draws, seed);
        let of = |(task, one): (Option<u32>, StartDraws)| RawForecast {
            task,
            wait: one.wait,
            never: one.never,
            waiting,
            from,
            later: later_by,
        };
        own.into_iter().zip(starts).map(of).collect()
    }

    /// How wrong forecasts were, by what is known at an instant.
    fn record(&self, now: Micros) -> StartRecord {
        let known = |earlier: &EarlierForecast<'_>| {
            let EarlierForecast { at, outcome, said } = earlier;
            let wait_until = |until: Micros| (until - *at).max(Micros::ZERO).as_seconds();
            let start = match outcome.start.filter(|start| is_known(*start, now)) {
                Some(start) => KnownStart::After(wait_until(start.into())),
                // It has left without a start.
                None if outcome.start.is_none() && outcome.end.is_some_and(|end| is_known(end, now)) => {
                    return None;
                }
                None => KnownStart::Later(wait_until(now)),
            };
            Some((*said, start))
        };
        StartRecord::of(self.earlier.iter().rev().filter_map(known))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use queuecast_core::units::Seconds;
    use queuecast_core::wanted::while_wanted;
    use queuecast_slurm_sim::cluster::{
        ClusterNode, ClusterPartition, JobRequest, TaskRun, TimeLimit, classes_of,
    };
    use queuecast_slurm_sim::controller::{Phases, simulate_cluster};

    /// A service may hold it and ask it on another thread.
    #[test]
    fn forecasters_can_be_sent() {
        fn is_send<T: Send>() {}
        is_send::<ClusterForecaster<'_>>();
    }

    /// One node of four processors.
    pub fn one_node() -> Cluster {
        let node = ClusterNode { name: "n1".into(), cpus: 4, cores_per_socket: 4, ..ClusterNode::default() };
        let partition =
            ClusterPartition { name: "all".into(), nodes: vec![0], is_default: true, ..Default::default() };
        let nodes = vec![node];
        Cluster { classes: classes_of(&nodes), nodes, partitions: vec![partition], ..Cluster::default() }
    }

    /// Jobs for all of the node, `gap` seconds apart, as they run there.
    pub fn recorded(cluster: &Cluster, jobs: usize, gap: i64) -> RecordedRun {
        let job = |number: usize| SubmittedJob {
            key: format!("j{number}"),
            id: None,
            submit: Micros::of_seconds(1000 + gap * number as i64),
            user: "ann".into(),
            request: JobRequest {
                tasks: Some(4),
                time_limit: Some(TimeLimit::Of(Seconds(600))),
                ..JobRequest::default()
            }
            .into(),
            runs: vec![TaskRun::For(Seconds(300))],
            not_modelled: Vec::new(),
        };
        let mut run = RecordedRun { submissions: (0..jobs).map(job).collect(), ..RecordedRun::default() };
        run.outcomes = simulate_cluster(cluster, &run, Phases::from_start(Micros::ZERO, Seconds(30)));
        run
    }

    fn forecasts(cluster: &Cluster, run: &RecordedRun) -> Vec<StartForecast> {
        let draws = ClusterDraws { draws: 5, arrivals: ExpectedArrivals::None };
        let mut forecaster = ClusterForecaster::new(cluster, run, draws, Seed(1));
        (0..run.submissions.len()).flat_map(|place| forecaster.at_submission(place)).collect()
    }

    /// The first starts at once, the others one after the other.
    #[test]
    fn what_comes_later_in_the_same_instant_is_not_ahead() {
        let cluster = one_node();
        let found = forecasts(&cluster, &recorded(&cluster, 4, 0));
        let medians: Vec<f64> = found.iter().map(|one| one.wait.as_ref().unwrap().quantile(0.5)).collect();
        assert!(medians[0] <= 5.0, "{medians:?}");
        assert!(medians.is_sorted() && medians[3] > 100.0, "control: {medians:?}");
    }

    #[test]
    fn what_is_not_wanted_any_more_is_given_up_between_simulations() {
        let (cluster, asked) = (one_node(), Arc::new(AtomicUsize::new(0)));
        let run = recorded(&cluster, 4, 0);
        let wanted = |times: usize| {
            let asked = asked.clone();
            asked.store(0, Ordering::Relaxed);
            move || asked.fetch_add(1, Ordering::Relaxed) < times
        };
        let found = while_wanted(wanted(usize::MAX), || forecasts(&cluster, &run)).unwrap();
        // Five simulations of each of four jobs.
        assert!(asked.load(Ordering::Relaxed) >= 20);
        assert_eq!(found, forecasts(&cluster, &run));
        for times in [0, 1, 7] {
            assert!(while_wanted(wanted(times), || forecasts(&cluster, &run)).is_none());
            // Some threads may ask at the same instant.
            assert!((times + 1..times + 64).contains(&asked.load(Ordering::Relaxed)), "{times}");
        }
    }

    /// A forecast is corrected by what is known when it is made: what happens after an instant, other jobs or other starts, changes none that
    /// was made before.
    #[test]
    fn corrections_know_nothing_of_later() {
        let cluster = one_node();
        let run = recorded(&cluster, 30, 200);
        let as_it_was = forecasts(&cluster, &run);
        assert!(as_it_was.iter().any(|one| one.wait != one.simulated), "control: some are corrected");
        for cut in [5, 17] {
            let now = run.submissions[cut].submit.second();
            let mut altered = run.clone();
            // Nothing starts or ends again for long after the submission of this job.
            for one in &mut altered.outcomes {
                one.start = one.start.map(|start| if start < now { start } else { start + Seconds(50_000) });
                one.end = one.end.map(|end| if end < now { end } else { end + Seconds(60_000) });
            }
            altered.submissions.truncate(25);
            let found = forecasts(&cluster, &altered);
            assert_eq!(found[..=cut], as_it_was[..=cut], "{cut}");
            assert_ne!(found[24], as_it_was[24], "control");
        }
    }
}
