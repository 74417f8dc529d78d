//! What predictors that learn from a user's history have in common.

use super::{Question, Requested};
use crate::spec::SpecError;
use crate::units::Seconds;

/// Which jobs count as history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Learn {
    /// Those that have ended, with their run time.
    #[default]
    Ended,
    /// Also running ones that outlived a prediction, with the one that replaced it.
    Overran,
    /// All running ones too, with what is predicted of them.
    Running,
}

impl Learn {
    /// Every choice, as written.
    pub const KNOWN: [&'static str; 3] = ["ended", "overran", "running"];

    pub(super) fn word(self) -> &'static str {
        Learn::KNOWN[self as usize]
    }

    pub(super) fn read(text: &str) -> Result<Learn, SpecError> {
        let all = [Learn::Ended, Learn::Overran, Learn::Running];
        let known = all.into_iter().find(|learn| learn.word() == text);
        known.ok_or_else(|| SpecError::unknown("choice of jobs to learn from", text, &Learn::KNOWN))
    }
}

/// What is predicted of a job with no history to go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Newcomer {
    /// Its requested time.
    #[default]
    Requested,
    /// So many seconds (Talby et al. 2005, section 6: one second, where there are no estimates).
    Fixed(Seconds),
}

impl Newcomer {
    /// Of a job with this requested time.
    pub(super) fn predicted(self, limit: Option<Seconds>, requested: Requested) -> Seconds {
        match self {
            Newcomer::Requested => limit.unwrap_or(requested.default).max(Seconds(1)),
            Newcomer::Fixed(length) => length,
        }
    }
}

/// What is predicted: at least a second, and never above the requested time if that caps it.
pub(super) fn within(predicted: i64, limit: Option<Seconds>, cap: bool) -> Seconds {
    let predicted = Seconds(predicted.max(1));
    limit.filter(|_| cap).map_or(predicted, |limit| predicted.min(limit))
}

/// More than a job has run, whatever its history says: a question about a running job has a sensible answer.
pub(super) fn beyond(question: &Question<'_>, predicted: Seconds) -> Seconds {
    if predicted > question.elapsed { predicted } else { question.elapsed + Seconds(1) }
}

/// A predictor on its own, told what happens to jobs by hand.
#[cfg(test)]
pub(super) mod stage {
    use crate::job::{End, Ending, Event, ExecutableId, Job, JobIndex, UserId, What};
    use crate::predict::{Question, RuntimePredictor};
    use crate::units::{Procs, Seconds, Time};

    /// What the user writes about a job.
    #[derive(Debug, Clone, Copy)]
    pub struct Submission {
        pub user: Option<u32>,
        pub procs: u32,
        pub limit: Option<i64>,
        pub executable: Option<u32>,
    }

    /// A job of user 1 that asks for so long.
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

        /// What is said of a job that has run for so long.
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

        /// A job outlives what was predicted, and this replaces it; who is revised, and to what.
        pub fn overrun(&mut self, job: usize, at: i64, corrected: i64) -> Vec<(u32, i64)> {
            let elapsed = Time(at) - self.jobs[job].1;
            self.hear(job, at, What::Overran { elapsed, corrected: Seconds(corrected) })
        }

        /// A job ends; who is revised, and to what.
        pub fn end(&mut self, job: usize, at: i64) -> Vec<(u32, i64)> {
            let ran = Time(at) - self.jobs[job].1;
            self.hear(job, at, What::Ended(End { ran, ending: Ending::Completed }))
        }

        /// The next job arrives, starts at once and runs for so long; what was predicted of it.
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
