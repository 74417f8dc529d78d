//! A site's history as known at an instant: the schedule so far, and what it taught about run times.

use super::advisor::Advisor;
use super::run_time_model::RunTimeModel;
use super::situation::Situation;
use crate::allot::Sizes;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::Backfill;
use queuecast_sim::site::{Replay, Step};

/// The jobs used for calibration are the last of this many times as many, spread evenly over the log.
const SPREAD: usize = 5;

/// A job that has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedJob {
    /// Its index in the workload.
    pub job: JobIndex,
    /// How long it waited.
    pub wait: Seconds,
    /// When it started.
    pub started: Time,
}

/// A schedule followed up to an instant that only moves forward, and what is learned from it on the way.
#[derive(Debug)]
pub struct Past<'a> {
    replay: Replay<'a>,
    run_times: RunTimeModel,
    default_request: Seconds,
}

impl<'a> Past<'a> {
    /// Before the first event of a schedule. `default_request` stands in for a missing requested time.
    pub fn new(replay: Replay<'a>, run_times: RunTimeModel, default_request: Seconds) -> Past<'a> {
        Past { replay, run_times, default_request }
    }

    /// This schedule from its beginning, with a run-time model that has learned nothing.
    pub fn restarted(&self, run_times: RunTimeModel) -> Past<'a> {
        Past { replay: self.replay.restarted(), run_times, default_request: self.default_request }
    }

    /// Goes on to the end of this second.
    pub fn to(&mut self, instant: Time) {
        self.replay.advance_to(instant, |event| self.run_times.observe(event));
    }

    /// Goes on to just before a job of the workload is submitted.
    pub fn before(&mut self, job: JobIndex) {
        self.replay.advance_before(job, |event| self.run_times.observe(event));
    }

    /// How many jobs have ended so far.
    pub fn ended(&self) -> usize {
        self.run_times.ended()
    }

    /// How many jobs have been withdrawn so far while they waited.
    pub fn withdrawn(&self) -> usize {
        let left = |step: Step| matches!(step, Step::Withdrawn | Step::WithdrawnAtOnce);
        self.replay.taken().iter().filter(|taken| left(taken.step)).count()
    }

    /// The site at this instant, which is not before the last one gone to.
    pub fn situation(&mut self, now: Time) -> Situation {
        self.run_times.situation(self.replay.site().clone(), now)
    }

    /// What was learned of run times, for a site of which this is the history.
    pub fn run_times(&mut self) -> &mut RunTimeModel {
        &mut self.run_times
    }

    /// Goes on to just before a job is submitted, and asks about it: its own size and requested time, which is all that was
    /// known of how long it would run.
    pub fn ask(&mut self, job: JobIndex, policy: Backfill) -> Advisor {
        self.before(job);
        let job = &self.replay.workload().jobs()[job.at()];
        let asked = job.shape.limit.unwrap_or(self.default_request).max(Seconds(1));
        Advisor::new(self.situation(job.submit), Sizes::one(job.shape.procs, asked), policy, 1.0)
    }

    /// At most `most` of the jobs that have started so far, evenly spaced in order of submission. The first twentieth is
    /// left out as warm-up.
    pub fn sample(&self, most: usize) -> Vec<StartedJob> {
        let started = self.started();
        let count = most.min(started.len());
        (0..count).map(|place| started[place * started.len() / count]).collect()
    }

    /// Jobs that have started so far, to calibrate with the last `most` of them: in order of submission, at most about five
    /// times as many, spread evenly. So those last are of the last fifth of a long log, and of a short one all. The first
    /// twentieth is left out.
    pub fn for_calibration(&self, most: usize) -> Vec<StartedJob> {
        let started = self.started();
        let every = started.len().div_ceil(SPREAD.saturating_mul(most).max(1)).max(1);
        // Counted from the end, so that the newest is among them.
        let mut kept: Vec<StartedJob> = started.iter().rev().step_by(every).copied().collect();
        kept.reverse();
        kept
    }

    /// In order of submission, without the first twentieth.
    fn started(&self) -> Vec<StartedJob> {
        let (timeline, jobs) = (self.replay.timeline(), self.replay.workload().jobs());
        let taken = self.replay.taken().iter().filter(|step| step.step == Step::Started);
        let mut started: Vec<StartedJob> = taken
            .filter_map(|step| {
                let job = timeline.index(step.job)?;
                Some(StartedJob { job, wait: step.at - jobs[job.at()].submit, started: step.at })
            })
            .collect();
        started.sort_unstable_by_key(|one| one.job);
        started.drain(..started.len() / 20);
        started
    }
}
