//! Submissions.

use std::collections::HashSet;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Serialize, Serializer};

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
    pub request: SharedRequest,
    /// How long it runs: one value, or one for each task of an array, in the order of the indices.
    pub runs: Vec<TaskRun>,
    /// Options of its submission that are not represented in the request, by name.
    pub not_modelled: Vec<String>,
}

/// What a submission asks for, in memory that submissions which ask for the same may share. To change one is to give it memory of its own.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct SharedRequest(Arc<JobRequest>);

impl From<JobRequest> for SharedRequest {
    fn from(request: JobRequest) -> SharedRequest {
        SharedRequest(Arc::new(request))
    }
}

impl SharedRequest {
    /// Where it is in memory: two that are there at one time and in the same place are the same.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether both are in the same memory.
    pub fn is_same(&self, other: &SharedRequest) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for SharedRequest {
    type Target = JobRequest;
    fn deref(&self) -> &JobRequest {
        &self.0
    }
}

impl DerefMut for SharedRequest {
    fn deref_mut(&mut self) -> &mut JobRequest {
        Arc::make_mut(&mut self.0)
    }
}

impl fmt::Debug for SharedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for SharedRequest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        JobRequest::serialize(self, to)
    }
}

/// Finds out which requests are the same, so that these share their memory.
#[derive(Debug, Default)]
pub struct SharedRequests(HashSet<SharedRequest>);

impl SharedRequests {
    /// The request in memory that all like it have.
    pub fn shared(&mut self, request: impl Into<SharedRequest>) -> SharedRequest {
        let request = request.into();
        match self.0.get(&request) {
            Some(known) => known.clone(),
            None => {
                self.0.insert(request.clone());
                request
            }
        }
    }
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
