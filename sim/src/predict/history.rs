//! Settings and rules that predictors by user history share.

use std::fmt;

use super::{Question, Requested};
use queuecast_core::spec::{SpecError, Value, choices};
use queuecast_core::units::Seconds;

/// The longest window or history that may be asked for.
pub(super) const LONGEST_WINDOW: i64 = 100_000;

/// The longest time a setting may give, in seconds.
pub(super) const LONGEST_TIME: i64 = u32::MAX as i64;

/// Which jobs count as history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Learn {
    /// Ended jobs, with their run times.
    #[default]
    Ended,
    /// Also running jobs that outlived a prediction, with the prediction that replaced it.
    Overran,
    /// Also all other running jobs, with their predictions.
    Running,
}

choices! { Learn, "choice of jobs to learn from":
    Ended = "ended", "ended jobs, with their run times";
    Overran = "overran", "also running jobs that outlived a prediction, with the prediction that replaced it";
    Running = "running", "also all other running jobs, with their predictions";
}

/// The prediction for a job without history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Newcomer {
    /// Its requested time.
    #[default]
    Requested,
    /// A fixed time (Talby et al. 2005, section 6: one second, where there are no estimates).
    Fixed(Seconds),
}

impl Newcomer {
    /// The prediction for a job with this requested time.
    pub(super) fn predicted(self, limit: Option<Seconds>, requested: Requested) -> Seconds {
        match self {
            Newcomer::Requested => limit.unwrap_or(requested.default).max(Seconds(1)),
            Newcomer::Fixed(length) => length,
        }
    }

    /// Reads the value of a setting.
    pub(super) fn read(value: Value<'_>) -> Result<Newcomer, SpecError> {
        // The former word is read too.
        if ["requested", "estimate"].contains(&value.text()) {
            return Ok(Newcomer::Requested);
        }
        let fixed = value.seconds(LONGEST_TIME).map(Newcomer::Fixed);
        fixed.map_err(|_| value.wrong("say requested, or a whole number of seconds from 1 on"))
    }
}

impl fmt::Display for Newcomer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Newcomer::Requested => f.write_str("requested"),
            Newcomer::Fixed(length) => length.fmt(f),
        }
    }
}

/// The prediction raised to at least a second, and capped by the requested time if `cap`.
pub(super) fn within(predicted: i64, limit: Option<Seconds>, cap: bool) -> Seconds {
    let predicted = Seconds(predicted.max(1));
    limit.filter(|_| cap).map_or(predicted, |limit| predicted.min(limit))
}

/// The prediction raised above the elapsed time of a running job.
pub(super) fn beyond(question: &Question<'_>, predicted: Seconds) -> Seconds {
    if predicted > question.elapsed { predicted } else { question.elapsed + Seconds(1) }
}

/// A test stage: one predictor that is fed events by hand.
#[cfg(test)]
pub(super) mod stage {
    use crate::predict::{Question, RuntimePredictor};
    use queuecast_core::job::{End, Ending, Event, ExecutableId, Job, JobIndex, UserId, What};
    use queuecast_core::units::{Procs, Seconds, Time};

    /// What the user writes about a job.
    #[derive(Debug, Clone, Copy)]
    pub struct Submission {
        pub user: Option<u32>,
        pub procs: u32,
        pub limit: Option<i64>,
        pub executable: Option<u32>,
    }

    /// A job of user 1 with this limit.
    pub fn asks(limit: i64) -> Submission {
        Submission { user: Some(1), procs: 1, limit: Some(limit), executable: None }
    }

    /// The predictor and the jobs it has heard of.
    pub struct Stage<P> {
        pub predictor: P,
        jobs: Vec<(Job, Time)>,
    }

    impl<P: RuntimePredictor> Stage<P> {
        pub fn new(predictor: P) -> Stage<P> {
            Stage { predictor, jobs: Vec::new() }
        }

        /// Makes the next job, of which the predictor does not hear.
        pub fn unheard(&mut self, at: i64, submission: Submission) -> usize {
            let Submission { user, procs, limit, executable } = submission;
            let index = self.jobs.len();
            let mut job = Job::rigid(index as u64, Time(at), Procs(procs), limit.map(Seconds));
            job.index = JobIndex(index as u32);
            (job.user, job.executable) = (user.and_then(UserId::new), executable.and_then(ExecutableId::new));
            self.jobs.push((job, Time(at)));
            index
        }

        /// The next job arrives; what is predicted of it.
        pub fn arrive(&mut self, at: i64, submission: Submission) -> i64 {
            let index = self.unheard(at, submission);
            assert_eq!(self.hear(index, at, What::Arrived), []);
            self.asked(index, 0)
        }

        /// What is predicted of a job that has run for `elapsed` seconds.
        pub fn asked(&self, job: usize, elapsed: i64) -> i64 {
            let question = Question { job: &self.jobs[job].0, elapsed: Seconds(elapsed) };
            self.predictor.estimate(&question).point().0
        }

        /// A job starts.
        pub fn start(&mut self, job: usize, at: i64) {
            self.jobs[job].1 = Time(at);
            let shape = self.jobs[job].0.shape;
            assert_eq!(self.hear(job, at, What::Started(shape)), []);
        }

        /// A job outlives what was predicted, and this replaces it. Returns the jobs whose predictions are revised, and to what.
        pub fn overrun(&mut self, job: usize, at: i64, corrected: i64) -> Vec<(u32, i64)> {
            let elapsed = Time(at) - self.jobs[job].1;
            self.hear(job, at, What::Overran { elapsed, corrected: Seconds(corrected) })
        }

        /// A job ends. Returns the jobs whose predictions are revised, and to what.
        pub fn end(&mut self, job: usize, at: i64) -> Vec<(u32, i64)> {
            let ran = Time(at) - self.jobs[job].1;
            self.hear(job, at, What::Ended(End { ran, ending: Ending::Completed }))
        }

        /// The next job arrives, starts at once and runs for `run` seconds; what was predicted of it.
        pub fn run(&mut self, at: i64, submission: Submission, run: i64) -> i64 {
            let predicted = self.arrive(at, submission);
            let job = self.jobs.len() - 1;
            self.start(job, at);
            self.end(job, at + run);
            predicted
        }

        fn hear(&mut self, job: usize, at: i64, what: What) -> Vec<(u32, i64)> {
            let mut revisions = Vec::new();
            let event = Event { at: Time(at), job: &self.jobs[job].0, what };
            self.predictor.observe(&event, &mut revisions);
            revisions.iter().map(|revision| (revision.job.0, revision.forecast.point().0)).collect()
        }
    }
}
