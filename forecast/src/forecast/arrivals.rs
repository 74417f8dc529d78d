//! The recorded schedule of a log as wait predictors follow it.

use std::borrow::Cow;

use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::site::{Replay, Site, Step, TimedStep};
use queuecast_wait::features::{FeatureTracker, Features};
use queuecast_wait::{Arrival, WaitPredictor};

/// What is the same for all predictors that follow a log: its schedule, and the features of every arrival.
///
/// Arrivals are numbered in order of submission. Jobs that were withdrawn are among them: while a job waits, nothing tells
/// whether it will start.
#[derive(Debug, Clone)]
pub struct RecordedArrivals<'a> {
    workload: &'a Workload,
    /// Before its first step.
    replay: Replay<'a>,
    /// By number.
    jobs: Cow<'a, [Job]>,
    /// Of each job at its submission, by number.
    features: Vec<Features>,
}

/// What became of the wait of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitOutcome {
    /// It started after this wait.
    Started(Seconds),
    /// It left the queue after this time, without having started.
    Withdrawn(Seconds),
    /// The log does not know when it started.
    Unknown,
}

impl WaitOutcome {
    /// How long it waited until it started.
    pub fn wait(self) -> Option<Seconds> {
        match self {
            WaitOutcome::Started(wait) => Some(wait),
            WaitOutcome::Withdrawn(_) | WaitOutcome::Unknown => None,
        }
    }
}

impl<'a> RecordedArrivals<'a> {
    /// Of a log that records starts, up to the jobs submitted at `until`. `default_request` stands in for a missing requested
    /// time.
    pub fn new(workload: &'a Workload, until: Time, default_request: Seconds) -> RecordedArrivals<'a> {
        let replay = Replay::recorded(workload, default_request);
        let jobs = replay.timeline().jobs(workload);
        let known = jobs.partition_point(|job| job.submit <= until);
        let mut tracker = FeatureTracker::new(default_request);
        let mut features = Vec::with_capacity(known);
        let mut follower = replay.clone();
        while let Some(next) = follower.peek().filter(|_| features.len() < known) {
            if next.step == Step::Submitted {
                let job = &jobs[next.job.at()];
                features.push(tracker.features(job, job.submit));
            }
            let Some(event) = follower.step() else { break };
            tracker.observe(&event);
        }
        RecordedArrivals { workload, replay, jobs, features }
    }

    /// The log.
    pub fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The number of a job of the workload; `None` if it was submitted too late to be one of them.
    pub fn number(&self, index: JobIndex) -> Option<JobIndex> {
        self.replay.timeline().number(index).filter(|number| number.at() < self.features.len())
    }

    /// The job of this number as it was at its submission.
    pub fn arrival(&self, number: JobIndex) -> Arrival<'_> {
        let job = &self.jobs[number.at()];
        Arrival { job, at: job.submit, features: &self.features[number.at()] }
    }

    /// What became of the wait of the job of this number.
    pub fn outcome(&self, number: JobIndex) -> WaitOutcome {
        let submit = self.jobs[number.at()].submit;
        let timeline = self.replay.timeline();
        let Some(index) = timeline.index(number) else {
            let left = timeline.left(number, self.workload);
            return WaitOutcome::Withdrawn((left - submit).max(Seconds::ZERO));
        };
        match self.workload.starts[index.at()] {
            Time::NEVER => WaitOutcome::Unknown,
            start => WaitOutcome::Started((start - submit).max(Seconds::ZERO)),
        }
    }

    /// Before the first event, for one predictor. It is told of arrivals ([`WaitPredictor::arrives`]) from the job of this
    /// number on: those before are too old to be remembered.
    pub fn follow(&self, noted: usize) -> Following<'_, 'a> {
        Following { arrivals: self, replay: self.replay.clone(), noted }
    }

    /// The job of this number; `None` of one that is too late to be known.
    fn known(&self, number: JobIndex) -> Option<Arrival<'_>> {
        (number.at() < self.features.len()).then(|| self.arrival(number))
    }

    fn tell(&self, event: &Event<'_>, predictor: &mut dyn WaitPredictor) {
        predictor.observe(event);
        if let (What::Started(_), Some(arrival)) = (event.what, self.known(event.job.index))
            && let Some(wait) = self.outcome(event.job.index).wait()
        {
            predictor.learn(&arrival, wait);
        }
    }
}

/// The schedule up to an instant that only moves forward, as one predictor is told of it.
#[derive(Debug, Clone)]
pub struct Following<'r, 'a> {
    arrivals: &'r RecordedArrivals<'a>,
    replay: Replay<'a>,
    /// The first job whose arrival is told.
    noted: usize,
}

impl Following<'_, '_> {
    /// Goes on to just before the job of this number is submitted.
    pub fn before(&mut self, number: JobIndex, predictor: &mut dyn WaitPredictor) {
        let at = self.arrivals.jobs[number.at()].submit;
        let submission = TimedStep { at, step: Step::Submitted, job: number };
        self.advance(|step| step < submission, predictor);
        self.replay.admit(self.arrivals.jobs[number.at()].shape.procs);
    }

    /// Goes on to the end of this second; only as far as the features of the arrivals are known.
    pub fn to(&mut self, instant: Time, predictor: &mut dyn WaitPredictor) {
        self.advance(|step| step.at <= instant, predictor);
    }

    fn advance(&mut self, takes: impl Fn(TimedStep) -> bool, predictor: &mut dyn WaitPredictor) {
        let arrivals = self.arrivals;
        while let Some(next) = self.replay.peek().filter(|&next| takes(next)) {
            if next.step == Step::Submitted
                && next.job.at() >= self.noted
                && let Some(arrival) = arrivals.known(next.job)
            {
                self.replay.admit(arrival.job.shape.procs);
                predictor.arrives(&arrival, self.replay.site().view(next.at));
            }
            let Some(event) = self.replay.step() else { break };
            arrivals.tell(&event, predictor);
        }
    }

    /// The site then.
    pub fn site(&self) -> &Site {
        self.replay.site()
    }
}
