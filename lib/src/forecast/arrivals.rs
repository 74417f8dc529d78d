//! The recorded schedule of a log as wait predictors follow it.

use crate::job::{Event, JobIndex, What};
use crate::site::{Replay, Site, Step, TimedStep};
use crate::units::{Seconds, Time};
use crate::wait::features::{FeatureTracker, Features};
use crate::wait::{Arrival, WaitPredictor};
use crate::workload::Workload;

/// What is the same for all predictors that follow a log: its schedule, and the features of every arrival.
#[derive(Debug, Clone)]
pub struct RecordedArrivals<'a> {
    workload: &'a Workload,
    /// Before its first step.
    replay: Replay<'a>,
    /// The jobs of the workload by their number at the site, where withdrawn jobs are counted too.
    index_of: Vec<Option<JobIndex>>,
    /// Of each job at its submission.
    features: Vec<Features>,
}

impl<'a> RecordedArrivals<'a> {
    /// Of a log that records starts, up to the jobs submitted at `until`. `default_request` stands in for a missing requested
    /// time.
    pub fn new(workload: &'a Workload, until: Time, default_request: Seconds) -> RecordedArrivals<'a> {
        let replay = Replay::recorded(workload, default_request);
        let mut index_of = vec![None; replay.timeline().len()];
        for job in workload.jobs() {
            if let Some(number) = replay.timeline().number(job.index) {
                index_of[number.at()] = Some(job.index);
            }
        }
        let mut tracker = FeatureTracker::new(default_request);
        let known = workload.jobs().partition_point(|job| job.submit <= until);
        let mut features = Vec::with_capacity(known);
        let mut follower = replay.clone();
        for job in &workload.jobs()[..known] {
            follower.advance_before(job.index, |event| tracker.observe(event));
            features.push(tracker.features(job, job.submit));
        }
        RecordedArrivals { workload, replay, index_of, features }
    }

    /// The log.
    pub fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// A job as it was at its submission.
    pub fn arrival(&self, index: JobIndex) -> Arrival<'_> {
        let job = &self.workload.jobs()[index.at()];
        Arrival { job, at: job.submit, features: &self.features[index.at()] }
    }

    /// How long a job waited, where the log knows it.
    pub fn wait(&self, index: JobIndex) -> Option<Seconds> {
        let start = self.workload.starts[index.at()];
        (start != Time::NEVER).then(|| (start - self.workload.jobs()[index.at()].submit).max(Seconds::ZERO))
    }

    /// Before the first event, for one predictor. It is told of arrivals ([`WaitPredictor::arrives`]) from the job of this
    /// number on: those before are too old to be remembered.
    pub fn follow(&self, noted: usize) -> Following<'_, 'a> {
        Following { arrivals: self, replay: self.replay.clone(), noted }
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
    /// Goes on to just before a job of the log is submitted.
    pub fn before(&mut self, job: JobIndex, predictor: &mut dyn WaitPredictor) {
        let Some(submission) = self.replay.submission(job) else { return };
        self.advance(|step| step < submission, predictor);
    }

    /// Goes on to the end of this second; only as far as the features of the arrivals are known.
    pub fn to(&mut self, instant: Time, predictor: &mut dyn WaitPredictor) {
        self.advance(|step| step.at <= instant, predictor);
    }

    fn advance(&mut self, takes: impl Fn(TimedStep) -> bool, predictor: &mut dyn WaitPredictor) {
        let arrivals = self.arrivals;
        while let Some(next) = self.replay.peek().filter(|&next| takes(next)) {
            if next.step == Step::Submitted
                && let Some(arrival) = arrivals.known(next.job)
                && arrival.job.index.at() >= self.noted
            {
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

impl RecordedArrivals<'_> {
    /// The job of this number at the site at its submission; `None` of a withdrawn one, and of one too late to be known.
    fn known(&self, number: JobIndex) -> Option<Arrival<'_>> {
        let index = self.index_of[number.at()].filter(|index| index.at() < self.features.len())?;
        Some(self.arrival(index))
    }

    fn tell(&self, event: &Event<'_>, predictor: &mut dyn WaitPredictor) {
        predictor.observe(event);
        if let (What::Started(_), Some(arrival)) = (event.what, self.known(event.job.index))
            && let Some(wait) = self.wait(arrival.job.index)
        {
            predictor.learn(&arrival, wait);
        }
    }
}
