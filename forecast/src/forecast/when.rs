//! When will it start: one call from a log or a live site to the answer.

use serde::Serialize;

use super::arrivals::RecordedArrivals;
use super::method::WaitMethod;
use super::trials::{KnownWait, MethodRecord, SaidRange, judged};
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::parallel;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::site::{Replay, Site};
use queuecast_wait::features::{FeatureTracker, Features};
use queuecast_wait::{
    Arrival, BestAnswers, NamedClasses, Overtaking, WAIT_CLASSES, WaitForecast, WaitPredictor, probabilities,
};

/// Where the job would be submitted.
#[derive(Debug)]
pub enum WhenSource<'a> {
    /// To the machine of a log, at the end of this second. Nothing the log says of later is looked at.
    Log {
        /// The log.
        workload: &'a Workload,
        /// The moment.
        at: Time,
    },
    /// To a site as it is found now.
    Live {
        /// The site.
        site: Site,
        /// When it was found, on the clock of its history.
        now: Time,
        /// What has happened there before; may be empty.
        history: &'a Workload,
    },
}

/// How the answer is found.
#[derive(Debug, Clone, PartialEq)]
pub struct WhenSettings {
    /// The methods to choose from: the one whose ranges were best for the last jobs.
    pub methods: Vec<WaitMethod>,
    /// How many of the last jobs each method is tried on.
    pub trials: usize,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
}

impl WhenSettings {
    /// How many jobs methods are tried on by default.
    pub const TRIALS: usize = 500;

    /// The methods that are tried by default.
    pub const METHODS: &'static str = "trees,simulated,knn,past";

    /// Fewer trials than this decide nothing.
    pub const FEWEST: usize = 30;
}

impl Default for WhenSettings {
    fn default() -> WhenSettings {
        let methods = WhenSettings::METHODS.split(',').filter_map(|name| name.parse().ok()).collect();
        WhenSettings { methods, trials: WhenSettings::TRIALS, default_request: DEFAULT_REQUEST }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhenError {
    /// Nothing to learn waits from.
    #[error("the log does not record how long jobs waited")]
    NoWaits,
    /// Too early in the log.
    #[error("no job of the log has started by then, so there is nothing to learn from")]
    NothingStarted,
    /// It can never start.
    #[error("{procs} processors: the machine has {machine}")]
    TooLarge {
        /// Asked for.
        procs: Procs,
        /// There are.
        machine: Procs,
    },
}

/// When a job would start, and how far such answers are to be trusted. Times are seconds from the moment asked about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhenAnswer {
    /// The method that answers.
    pub method: String,
    /// The predicted wait.
    pub wait: PredictedWait,
    /// The site at that moment.
    pub state: StateNow,
    /// How right the method was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// Every method tried, the best first.
    pub tried: Vec<MethodRecord>,
    /// Jobs that had started: what was learned from.
    pub learned: usize,
}

/// When each of several jobs would start. Times are seconds from the moment asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct WhenAnswers {
    /// The method that answers.
    pub method: String,
    /// The predicted wait of each job.
    pub waits: Vec<WaitForecast>,
    /// The site at that moment.
    pub state: StateNow,
    /// How right the method was for the last jobs; `None` with fewer than 30 of them.
    pub record: Option<MethodRecord>,
    /// Every method tried, the best first.
    pub tried: Vec<MethodRecord>,
    /// Jobs that had started: what was learned from.
    pub learned: usize,
}

/// A predicted wait: quantiles in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictedWait {
    /// One in ten starts sooner.
    pub p10: f64,
    /// One in four starts sooner.
    pub p25: f64,
    /// Even odds.
    pub median: f64,
    /// One in four starts later.
    pub p75: f64,
    /// One in ten starts later.
    pub p90: f64,
    /// Start of the 80 % range: p10, except where many jobs start at once.
    pub low: f64,
    /// End of the 80 % range; below p90 where no job can start before `low`.
    pub high: f64,
    /// The point of the method, by which one number is given.
    pub point: f64,
    /// The number that is expected to be least wrong as a share of the response time, that is of wait and requested time
    /// together.
    pub response_point: f64,
    /// The probability to have started within each of these times.
    pub within: Vec<StartedWithin>,
    /// The probability of each class of Kumar & Vadhiyar 2014.
    pub classes: [f64; WAIT_CLASSES],
    /// The classes that are named.
    pub named_classes: ClassNumbers,
}

/// The classes of waits that an answer names, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ClassNumbers {
    /// If one is asked for.
    pub one: usize,
    /// If two are.
    pub two: [usize; 2],
    /// If three are: the first and the last of them.
    pub three: [usize; 2],
}

impl ClassNumbers {
    fn of(named: NamedClasses) -> ClassNumbers {
        let NamedClasses { one, two, three } = named;
        ClassNumbers { one: one + 1, two: two.map(|class| class + 1), three: [three.0 + 1, three.1 + 1] }
    }
}

/// The probability to have started by then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StartedWithin {
    /// Seconds from now.
    pub seconds: i64,
    /// From 0 to 1.
    pub probability: f64,
}

/// The times for which [`PredictedWait::within`] is given.
const WITHIN: [i64; 9] = [60, 600, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/// The site when it was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StateNow {
    /// Processors in service.
    pub procs: Procs,
    /// Processors that no job holds.
    pub free: Procs,
    /// Running jobs.
    pub running: usize,
    /// Waiting jobs.
    pub waiting: usize,
    /// Processors that they ask for.
    pub wanted: u64,
    /// How many of them the site would start before it, by the order learned from past starts.
    pub preferred: usize,
    /// Processors that these ask for.
    pub preferred_wanted: u64,
}

impl PredictedWait {
    /// Of a job that requests this time.
    pub(super) fn of(forecast: &WaitForecast, request: Seconds) -> PredictedWait {
        let wait = &forecast.wait;
        let answers = BestAnswers::of(forecast, request.0.max(0) as f64);
        let within =
            |seconds: i64| StartedWithin { seconds, probability: 1.0 - wait.survival(seconds as f64) };
        let (low, high) = wait.wait_range(0.8);
        PredictedWait {
            low,
            high,
            p10: wait.quantile(0.1),
            p25: wait.quantile(0.25),
            median: wait.quantile(0.5),
            p75: wait.quantile(0.75),
            p90: wait.quantile(0.9),
            point: forecast.point,
            response_point: answers.response_point,
            within: WITHIN.map(within).to_vec(),
            classes: probabilities(wait),
            named_classes: ClassNumbers::of(answers.classes),
        }
    }
}

impl StateNow {
    fn of(site: &Site, now: Time, job: &Job, order: &Overtaking) -> StateNow {
        let view = site.view(now);
        let own = order.score(job, Seconds::ZERO);
        let preferred = view.waiting().filter(|one| order.score(one.job, now - one.job.submit) >= own);
        let preferred: Vec<u64> = preferred.map(|one| u64::from(one.job.shape.procs.0)).collect();
        StateNow {
            preferred: preferred.len(),
            preferred_wanted: preferred.iter().sum(),
            procs: view.machine(),
            free: view.free(),
            running: view.running().count(),
            waiting: view.queue_length(),
            wanted: view.waiting().map(|one| u64::from(one.job.shape.procs.0)).sum(),
        }
    }
}

/// When a job would start. `done` is told of each job that a method was tried on.
///
/// Every method follows the history and is tried on its last jobs, the same for all; the one with the best ranges by their
/// interval score answers.
pub fn when(
    job: &Job,
    source: &WhenSource<'_>,
    settings: &WhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<WhenAnswer, WhenError> {
    let answers = when_each(std::slice::from_ref(job), source, settings, done)?;
    let WhenAnswers { method, waits, state, record, tried, learned } = answers;
    let request = job.shape.limit.unwrap_or(settings.default_request);
    let wait = waits.first().map(|wait| PredictedWait::of(wait, request));
    let wait = wait.ok_or(WhenError::NothingStarted)?;
    Ok(WhenAnswer { method, wait, state, record, tried, learned })
}

/// As [`when()`], for several variants of one job: each is predicted as if it alone were submitted.
pub fn when_each(
    jobs: &[Job],
    source: &WhenSource<'_>,
    settings: &WhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<WhenAnswers, WhenError> {
    let (history, now) = match source {
        WhenSource::Log { workload, at } => (*workload, *at),
        WhenSource::Live { now, history, .. } => (*history, *now),
    };
    let is_live = matches!(source, WhenSource::Live { .. });
    if history.starts.is_empty() && !history.is_empty() {
        return Err(WhenError::NoWaits);
    }
    let learned = history.starts.iter().filter(|&&start| start <= now).count();
    if learned == 0 && !is_live {
        return Err(WhenError::NothingStarted);
    }
    let arrivals = RecordedArrivals::new(history, now, settings.default_request);
    let mut order = Overtaking::new();
    Replay::recorded(history, settings.default_request).advance_to(now, |event| order.observe(event));
    let (arrivals, order, default_request) = (&arrivals, &order, settings.default_request);
    let question = WhenQuestion { jobs, source, now, arrivals, order, default_request };
    let trials = question.trials(settings.trials);
    let said = parallel::map(&settings.methods, |method| {
        let mut predictor = method.build(settings.default_request);
        question.ask(method, &mut *predictor, &trials, done)
    });
    let said: Vec<SaidByMethod> = said.into_iter().collect::<Result<_, _>>()?;
    let known: Vec<KnownWait> = trials.iter().map(|trial| trial.1).collect();
    let ranges: Vec<&[SaidRange]> = said.iter().map(|one| one.ranges.as_slice()).collect();
    let records = judged(&known, &ranges);
    let mut tried: Vec<(MethodRecord, Vec<WaitForecast>, StateNow)> = said
        .into_iter()
        .zip(records)
        .zip(&settings.methods)
        .map(|((said, tally), method)| (tally.record(method.to_string()), said.waits, said.state))
        .collect();
    let enough = |record: &MethodRecord| record.jobs >= WhenSettings::FEWEST;
    let is_simulated = |method: &WaitMethod| matches!(method, WaitMethod::Simulated { .. });
    if tried.iter().all(|(record, ..)| enough(record)) {
        // The sort is stable: equally good methods keep the given order.
        tried.sort_by(|one, other| one.0.interval_score.total_cmp(&other.0.interval_score));
    } else if let Some(place) = settings.methods.iter().position(is_simulated) {
        // With too few trials the first simulating method answers, since it uses the current queue; else the first method.
        tried[..=place].rotate_right(1);
    }
    let Some((record, waits, state)) = tried.first() else { return Err(WhenError::NothingStarted) };
    Ok(WhenAnswers {
        method: record.method.clone(),
        waits: waits.clone(),
        state: *state,
        record: Some(record.clone()).filter(enough),
        tried: tried.iter().map(|one| one.0.clone()).collect(),
        learned,
    })
}

/// What one method says.
struct SaidByMethod {
    /// Of the jobs it is tried on.
    ranges: Vec<SaidRange>,
    /// Of the jobs asked about.
    waits: Vec<WaitForecast>,
    state: StateNow,
}

/// What every method is asked.
struct WhenQuestion<'q, 'a> {
    jobs: &'q [Job],
    source: &'q WhenSource<'a>,
    now: Time,
    arrivals: &'q RecordedArrivals<'a>,
    order: &'q Overtaking,
    default_request: Seconds,
}

impl WhenQuestion<'_, '_> {
    /// The site, as the first job sees it.
    fn state(&self, site: &Site) -> StateNow {
        let nothing = Job::rigid(0, self.now, Procs(1), None);
        StateNow::of(site, self.now, self.jobs.first().unwrap_or(&nothing), self.order)
    }

    /// The last jobs that a method can be tried on, withdrawn ones included, and what is known of their waits.
    fn trials(&self, most: usize) -> Vec<(JobIndex, KnownWait)> {
        let known = self.arrivals.len();
        let trial = |number: usize| {
            let number = JobIndex(number as u32);
            let so_far = self.now - self.arrivals.arrival(number).at;
            Some((number, KnownWait::of(self.arrivals.outcome(number), so_far)?))
        };
        (known.saturating_sub(most)..known).filter_map(trial).collect()
    }

    /// Follows the history with a method, tries it on these jobs, and asks it.
    fn ask(
        &self,
        method: &WaitMethod,
        predictor: &mut dyn WaitPredictor,
        trials: &[(JobIndex, KnownWait)],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<SaidByMethod, WhenError> {
        let first = trials.first().map_or(self.arrivals.len(), |trial| trial.0.at());
        let mut following = self.arrivals.follow(first.saturating_sub(method.remembered()));
        let mut ranges = Vec::with_capacity(trials.len());
        for &(number, _) in trials {
            following.before(number, predictor);
            let arrival = self.arrivals.arrival(number);
            ranges.push(SaidRange::of(&predictor.predict(&arrival, following.site().view(arrival.at)).wait));
            done(1);
        }
        following.to(self.now, predictor);
        let site = match self.source {
            WhenSource::Log { .. } => following.site(),
            WhenSource::Live { site, .. } => site,
        };
        let state = self.state(site);
        if let Some(large) = self.jobs.iter().find(|job| job.shape.procs > state.procs) {
            return Err(WhenError::TooLarge { procs: large.shape.procs, machine: state.procs });
        }
        let waits = self.jobs.iter().zip(0..).map(|(job, place)| {
            // A number that no job of the history has: predictors remember answers by it.
            let job = Job { index: JobIndex(u32::MAX - 1 - place), ..job.clone() };
            let features = features_at(site, self.now, &job, self.default_request);
            let arrival = Arrival { job: &job, at: self.now, features: &features };
            predictor.predict(&arrival, site.view(self.now))
        });
        Ok(SaidByMethod { ranges, waits: waits.collect(), state })
    }
}

/// The features of a job that arrives at a site as it is.
fn features_at(site: &Site, now: Time, job: &Job, default_request: Seconds) -> Features {
    let mut tracker = FeatureTracker::new(default_request);
    let view = site.view(now);
    let mut tell = |job: &Job, at: Time, what: What| tracker.observe(&Event { at, job, what });
    for running in view.running() {
        tell(running.job, running.start, What::Arrived);
        tell(running.job, running.start, What::Started(running.job.shape));
    }
    for waiting in view.waiting() {
        tell(waiting.job, now, What::Arrived);
    }
    tracker.features(job, now)
}
