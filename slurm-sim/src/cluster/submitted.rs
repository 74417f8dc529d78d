//! Submissions.

use serde::Serialize;

use super::request::{Begin, JobRequest};
use queuecast_core::units::{Micros, Seconds};

/// One submission: a job, or an array of jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubmittedJob {
    /// A name of its own, by which dependencies and events mean it.
    pub key: String,
    /// Its number at the site; `None` where there is none.
    pub id: Option<u64>,
    /// When it was submitted; the second's begin where it is not known better. The scheduler sees the second.
    pub submit: Micros,
    /// The user.
    pub user: String,
    /// What it asks for.
    pub request: JobRequest,
    /// How long it runs: one value, or one for each task of an array, in the order of the indices.
    pub runs: Vec<TaskRun>,
    /// Options of its submission that are not represented in the request, by name.
    pub not_modelled: Vec<String>,
}

impl SubmittedJob {
    /// The first instant at which it may start: its submission, or the begin time that it asks for.
    pub fn may_start(&self) -> Micros {
        let begin = match self.request.terms.begin {
            Some(Begin::After(by)) => (self.submit.second() + by).into(),
            Some(Begin::At(at) | Begin::Eligible(at)) => at.into(),
            // Resolved when the submission is read.
            Some(Begin::Clock(_) | Begin::Local(_)) | None => self.submit,
        };
        self.submit.max(begin)
    }
}

/// How long a job runs if it is let run. Never known to a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskRun {
    /// It runs for this time and completes.
    For(Seconds),
    /// It runs for this time and fails: jobs that depend on its success (`afterok`) never start.
    FailsAfter(Seconds),
    /// Beyond its time limit.
    PastLimit,
    /// Not known: it never ran.
    Unknown,
}
