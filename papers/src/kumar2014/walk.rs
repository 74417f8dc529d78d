//! Follows a log as a reading of the paper does, job by job: what is predicted at each submission, and what is learned at each start.

use queuecast_core::job::{Event, JobIndex, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, WaitWindow};
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_sim::site::{Replay, View};
use queuecast_wait::features::{FeatureTracker, Features};
use queuecast_wait::{
    Arrival, BinomialBound, InstanceBased, NamedClasses, Nearest, NearestRegression, QuickStarters, Ranges,
    Regression, WAIT_CLASSES, WaitPredictor, ZeroWait, class_of, probabilities,
};

use super::settings::{Known, ReadingSettings};
use crate::Done;

/// What was predicted of a job, and what was so. Classes count from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedJob {
    /// How long it waited.
    pub wait: Seconds,
    /// The class of that.
    pub actual: usize,
    /// The classes that QBETS names.
    pub qbets: NamedClasses,
    /// The wait by instance-based learning.
    pub ibl: f64,
    /// The wait by its neighbours alone.
    pub neighbours: f64,
    /// The requested time.
    pub request: Seconds,
    /// Whether it is expected to be a quick starter.
    pub is_quick: bool,
}

impl PredictedJob {
    /// The error of a wait as a share of the response time, with the requested time as run time; `None` of no time at all.
    pub fn response_error(&self, predicted: f64) -> Option<f64> {
        let waited = self.wait.0 as f64;
        let response = waited + self.request.0.max(0) as f64;
        (response > 0.0).then(|| (predicted - waited).abs() / response)
    }

    /// A wait, with quick starters first.
    pub fn with_quick_starters(&self, predicted: f64) -> f64 {
        if self.is_quick { 0.0 } else { predicted }
    }
}

/// Asked about every job of the window, and taught by every start.
pub trait Follower {
    /// What is said about a job.
    type Said;

    /// A job of the window is submitted.
    fn asked(&mut self, arrival: &Arrival<'_>, site: View<'_>, wait: Seconds, request: Seconds)
    -> Self::Said;

    /// A job has started.
    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds);

    /// Something happened.
    fn observe(&mut self, _event: &Event<'_>) {}
}

/// Asks about the jobs of the window of a reading, in the order of the log. The workload is that of
/// [`ReadingSettings::workload`].
pub fn walk<F: Follower>(
    workload: &Workload,
    settings: &ReadingSettings,
    follower: &mut F,
    done: &Done<'_>,
) -> Result<Vec<F::Said>, EvalError> {
    let first = WaitWindow::FROM - 1;
    if workload.starts.is_empty() {
        return Err(EvalError::NoWaits);
    }
    if workload.len() <= first {
        return Err(EvalError::TooFewJobs { jobs: workload.len(), needed: WaitWindow::FROM });
    }
    let mut replay = Replay::recorded(workload, DEFAULT_REQUEST);
    let mut index_of: Vec<Option<JobIndex>> = vec![None; replay.timeline().len()];
    for job in workload.jobs() {
        if let Some(number) = replay.timeline().number(job.index) {
            index_of[number.at()] = Some(job.index);
        }
    }
    let wait = |index: JobIndex| {
        let start = workload.starts[index.at()];
        (start != Time::NEVER).then(|| (start - workload.jobs()[index.at()].submit).max(Seconds::ZERO))
    };
    let mut tracker = FeatureTracker::new(DEFAULT_REQUEST);
    let mut features: Vec<Features> = Vec::new();
    let mut said = Vec::new();
    let last = first.saturating_add(settings.jobs).min(workload.len());
    for job in &workload.jobs()[..last] {
        replay.advance_before(job.index, |event| {
            tracker.observe(event);
            follower.observe(event);
            if settings.known == Known::Started
                && matches!(event.what, What::Started(_))
                && let Some(started) = index_of[event.job.index.at()]
                && let Some(waited) = wait(started)
            {
                let job = &workload.jobs()[started.at()];
                follower.learn(&Arrival { job, at: job.submit, features: &features[started.at()] }, waited);
            }
        });
        let own = tracker.features(job, job.submit);
        let site = replay.site().view(job.submit);
        features.push(if settings.overruns { own.with_overruns(job, site, DEFAULT_REQUEST) } else { own });
        let Some(waited) = wait(job.index) else { continue };
        let arrival = Arrival { job, at: job.submit, features: &features[job.index.at()] };
        if job.index.at() >= first {
            let request = job.shape.limit.unwrap_or(DEFAULT_REQUEST);
            said.push(follower.asked(&arrival, site, waited, request));
            done(1);
        }
        if settings.known == Known::Submitted {
            follower.learn(&arrival, waited);
        }
    }
    Ok(said)
}

/// The predictors of single waits.
pub struct PointFollower {
    nearest: Nearest,
    quick: QuickStarters,
    bound: BinomialBound,
    instances: InstanceBased,
}

impl PointFollower {
    /// Those of a reading, with the paper's history.
    pub fn new(settings: &ReadingSettings) -> PointFollower {
        let bound = BinomialBound::new(BinomialBound::QUANTILE, BinomialBound::CONFIDENCE);
        let bound = bound.grouped(settings.groups);
        let instances = InstanceBased::new(InstanceBased::WINDOW);
        PointFollower {
            nearest: Nearest::new(Nearest::WINDOW, settings.distance),
            quick: QuickStarters::new(QuickStarters::WINDOW),
            bound: match settings.misses {
                Some(misses) => bound.cut_after(misses),
                None => bound,
            },
            instances: match settings.width {
                Some(width) => instances.with_width(width),
                None => instances,
            },
        }
    }
}

impl Follower for PointFollower {
    type Said = PredictedJob;

    fn asked(
        &mut self,
        arrival: &Arrival<'_>,
        site: View<'_>,
        wait: Seconds,
        request: Seconds,
    ) -> PredictedJob {
        let bound = self.bound.predict(arrival, site);
        PredictedJob {
            wait,
            actual: class_of(wait.0 as f64),
            qbets: NamedClasses::of(bound.point, &probabilities(&bound.wait)),
            ibl: self.instances.similar(arrival, site).point,
            neighbours: self.nearest.similar(arrival, site).point,
            request,
            is_quick: self.quick.verdict(arrival, site).is_quick(),
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.nearest.learn(arrival, wait);
        self.quick.learn(arrival, wait);
        self.bound.learn(arrival, wait);
        self.instances.learn(arrival, wait);
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.bound.observe(event);
        self.instances.observe(event);
    }
}

/// The support vector machine: the probability of each class. It is the same whatever the point is.
pub struct ClassFollower(Ranges);

impl Default for ClassFollower {
    fn default() -> ClassFollower {
        ClassFollower(Ranges::new(Box::new(ZeroWait), Ranges::WINDOW, Ranges::WINDOW))
    }
}

impl Follower for ClassFollower {
    type Said = [f64; WAIT_CLASSES];

    fn asked(
        &mut self,
        arrival: &Arrival<'_>,
        site: View<'_>,
        _: Seconds,
        _: Seconds,
    ) -> [f64; WAIT_CLASSES] {
        probabilities(&self.0.predict(arrival, site).wait)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.0.learn(arrival, wait);
    }
}

/// A technique of Table 3: predicted waits.
pub struct RegressionFollower(NearestRegression);

impl RegressionFollower {
    /// By a regression over the neighbours of a reading.
    pub fn new(settings: &ReadingSettings, by: Regression) -> RegressionFollower {
        RegressionFollower(NearestRegression::new(Nearest::WINDOW, settings.distance, by))
    }
}

impl Follower for RegressionFollower {
    type Said = f64;

    fn asked(&mut self, arrival: &Arrival<'_>, site: View<'_>, _: Seconds, _: Seconds) -> f64 {
        self.0.predict(arrival, site).point
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.0.learn(arrival, wait);
    }
}
