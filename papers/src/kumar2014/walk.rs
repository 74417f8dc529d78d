//! The classes that are predicted, job by job, for readings of the paper that the library does not
//! offer: with a history that holds jobs from their submission on (a look into the future), and with run times for requests.

use queuecast::eval::{EvalError, WaitWindow};
use queuecast::job::{Event, JobIndex, What};
use queuecast::predict::DEFAULT_REQUEST;
use queuecast::site::{Replay, View};
use queuecast::units::{Seconds, Time};
use queuecast::wait::features::{FeatureTracker, Features};
use queuecast::wait::{
    Arrival, BinomialBound, InstanceBased, Nearest, QuickStarters, WaitPredictor, class_of,
};
use queuecast::workload::Workload;

use crate::Done;

/// When a job is in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// From its start on, when its wait is known.
    Started,
    /// From its submission on, wait included: a look into the future.
    Submitted,
}

/// What was predicted of a job, and what was so. Classes count from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedClass {
    /// How long it waited.
    pub wait: Seconds,
    /// The class of that.
    pub actual: usize,
    /// By QBETS.
    pub qbets: usize,
    /// By instance-based learning.
    pub ibl: usize,
    /// By its neighbours alone.
    pub neighbours: usize,
    /// The error of that wait, as a share of the response time with the requested time as run time; `None` of none.
    pub response_error: Option<f64>,
    /// Whether it is expected to be a quick starter.
    pub is_quick: bool,
}

impl PredictedClass {
    /// With quick starters first.
    pub fn framework(&self) -> usize {
        if self.is_quick { 0 } else { self.neighbours }
    }
}

/// Predicts up to so many jobs from the paper's first on, in the order of the log.
pub fn walk(
    workload: &Workload,
    jobs: usize,
    known: Known,
    done: &Done<'_>,
) -> Result<Vec<PredictedClass>, EvalError> {
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
    let mut follower = Follower::default();
    let mut tracker = FeatureTracker::new(DEFAULT_REQUEST);
    let mut features: Vec<Features> = Vec::new();
    let mut predicted = Vec::new();
    let last = first.saturating_add(jobs).min(workload.len());
    for job in &workload.jobs()[..last] {
        replay.advance_before(job.index, |event| {
            tracker.observe(event);
            follower.observe(event);
            if known == Known::Started
                && matches!(event.what, What::Started(_))
                && let Some(started) = index_of[event.job.index.at()]
                && let Some(waited) = wait(started)
            {
                let job = &workload.jobs()[started.at()];
                follower.learn(&Arrival { job, at: job.submit, features: &features[started.at()] }, waited);
            }
        });
        features.push(tracker.features(job, job.submit));
        let Some(waited) = wait(job.index) else { continue };
        let arrival = Arrival { job, at: job.submit, features: &features[job.index.at()] };
        if job.index.at() >= first {
            let request = job.shape.limit.unwrap_or(DEFAULT_REQUEST);
            predicted.push(follower.predicted(&arrival, replay.site().view(job.submit), waited, request));
            done(1);
        }
        if known == Known::Submitted {
            follower.learn(&arrival, waited);
        }
    }
    Ok(predicted)
}

/// The predictors, with the paper's history.
struct Follower {
    nearest: Nearest,
    quick: QuickStarters,
    bound: BinomialBound,
    instances: InstanceBased,
}

impl Default for Follower {
    fn default() -> Follower {
        Follower {
            nearest: Nearest::new(Nearest::WINDOW),
            quick: QuickStarters::new(QuickStarters::WINDOW),
            bound: BinomialBound::new(BinomialBound::QUANTILE, BinomialBound::CONFIDENCE),
            instances: InstanceBased::new(InstanceBased::WINDOW),
        }
    }
}

impl Follower {
    fn predicted(
        &mut self,
        arrival: &Arrival<'_>,
        site: View<'_>,
        wait: Seconds,
        request: Seconds,
    ) -> PredictedClass {
        let waited = wait.0 as f64;
        let point = self.nearest.predict(arrival, site).point;
        let response = waited + request.0.max(0) as f64;
        PredictedClass {
            wait,
            actual: class_of(waited),
            qbets: class_of(self.bound.predict(arrival, site).point),
            ibl: class_of(self.instances.predict(arrival, site).point),
            neighbours: class_of(point),
            response_error: (response > 0.0).then(|| (point - waited).abs() / response),
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
