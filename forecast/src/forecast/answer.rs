//! What a forecaster is asked with, and what it answers: settings, predicted waits, the site as it is.

use serde::Serialize;

use super::doubt::Doubt;
use super::method::WaitMethod;
use super::range_record::MethodRecord;
use super::regime::{self, RegimeRecord};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::site::Site;
use queuecast_wait::{
    BestAnswers, NamedClasses, Overtaking, PointRule, WAIT_CLASSES, WaitForecast, probabilities,
};

/// How the answer is found.
#[derive(Debug, Clone, PartialEq)]
pub struct WhenSettings {
    /// The methods to choose from: the first one, unless another had better ranges for the last jobs beyond chance.
    pub methods: Vec<WaitMethod>,
    /// How many of the last jobs each method is tried on.
    pub trials: usize,
    /// How run times are predicted, where the site is simulated.
    pub predictor: PredictorSpec,
    /// Stands in for a missing requested time.
    pub default_request: Seconds,
}

impl WhenSettings {
    /// How many jobs methods are tried on by default.
    pub const TRIALS: usize = 500;

    /// The methods that are tried by default.
    pub const METHODS: &'static str = "trees,simulated,knn,past";

    /// Fewer trials than this decide nothing.
    pub const FEWEST: usize = regime::FEWEST;
}

impl Default for WhenSettings {
    fn default() -> WhenSettings {
        let methods = WhenSettings::METHODS.split(',').filter_map(|name| name.parse().ok()).collect();
        let predictor = PredictorSpec::Mixture(Default::default());
        WhenSettings { methods, trials: WhenSettings::TRIALS, predictor, default_request: DEFAULT_REQUEST }
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
    /// How right it was for those of them in the situation of the job asked about; `None` with fewer than 30.
    pub regime: Option<RegimeRecord>,
    /// Every method tried, the one that answers first.
    pub tried: Vec<MethodRecord>,
    /// Jobs that had started: what was learned from.
    pub learned: usize,
}

impl WhenAnswer {
    /// Why it is not to be relied on, in words; `None` if its ranges have held, or too little is known.
    pub fn doubt(&self) -> Option<String> {
        Doubt::of(self.regime.as_ref(), self.record.as_ref()).map(|doubt| doubt.words())
    }
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
    /// How right it was for those of them in the situation of each job; `None` with fewer than 30.
    pub regimes: Vec<Option<RegimeRecord>>,
    /// Every method tried, the one that answers first.
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
    /// All of it.
    #[serde(skip)]
    pub distribution: Distribution,
    /// By what its classes are named, and the time that the job requests.
    #[serde(skip)]
    pub(super) named_by: (PointRule, Seconds),
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
            distribution: wait.clone(),
            named_by: (forecast.rule, request),
        }
    }

    /// The same wait after a change of all times that keeps their order.
    #[must_use]
    pub fn mapped(&self, change: impl Fn(f64) -> f64) -> PredictedWait {
        let (rule, request) = self.named_by;
        let wait = self.distribution.mapped(&change);
        PredictedWait::of(&WaitForecast { point: change(self.point), wait, rule }, request)
    }
}

impl StateNow {
    pub(super) fn of(site: &Site, now: Time, job: &Job, order: &Overtaking) -> StateNow {
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
