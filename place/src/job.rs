//! A job that has not been submitted: what it asks for.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use queuecast_core::asking::Refusal;
use queuecast_core::job::{Job, QueueId, UserId};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Workload;

/// What a job asks for.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct JobSize {
    /// Processors.
    pub procs: Procs,
    /// In seconds.
    pub time: Seconds,
}

/// A job as it is described before it is submitted.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Processors it asks for.
    pub procs: Procs,
    /// The time it asks for, if it does.
    pub time: Option<Seconds>,
    /// A name or number of the log.
    pub user: Option<String>,
    /// A name or number of the log.
    pub queue: Option<String>,
    /// All that it asks for, as arguments of sbatch, where a job script says it: looked at by the scheduler of a site alone.
    pub sbatch: Option<String>,
}

impl NewJob {
    /// The job, submitted at this moment, as a log with these names numbers its user and queue. What the log does not know is left
    /// out.
    pub fn at(&self, submit: Time, workload: &Workload) -> Job {
        let mut job = Job::rigid(u64::MAX, submit, self.procs, self.time);
        job.user = self.user.as_ref().and_then(|text| user_called(text, workload));
        job.queue = self.queue.as_ref().and_then(|text| queue_called(text, workload));
        job
    }

    /// Whether the log has a job of the user, if one is named.
    pub fn knows_user(&self, workload: &Workload) -> bool {
        self.user.as_ref().is_none_or(|user| known_user(user, workload).is_some())
    }

    /// Refuses a user or a queue that no job of the log has.
    pub fn check(&self, workload: &Workload) -> Result<(), Refusal> {
        if let Some(text) = self.user.as_ref().filter(|_| !self.knows_user(workload)) {
            return Err(Refusal::question(format!("--user {text}: the log has no such user"))
                .hint("name one as the log does; without --user the answer is that for any"));
        }
        match self.queue.as_ref().filter(|text| known_queue(text, workload).is_none()) {
            Some(text) => Err(Refusal::question(format!("--queue {text}: the log has no such queue"))
                .hint(queues(workload))),
            None => Ok(()),
        }
    }
}

fn user_called(text: &str, workload: &Workload) -> Option<UserId> {
    numbered(text, &workload.names.users).or_else(|| text.parse().ok()).and_then(UserId::new)
}

/// Of several names with commas between, the first that the log knows.
fn queue_called(text: &str, workload: &Workload) -> Option<QueueId> {
    let called = |name: &str| numbered(name, &workload.names.queues).or_else(|| name.parse().ok());
    text.split(',').find_map(called).and_then(QueueId::new)
}

/// The user with this name or number, if the log has a job of it.
pub fn known_user(text: &str, workload: &Workload) -> Option<UserId> {
    user_called(text, workload).filter(|&user| workload.jobs().iter().any(|job| job.user == Some(user)))
}

/// The queue with this name or number, if the log has a job in it.
pub fn known_queue(text: &str, workload: &Workload) -> Option<QueueId> {
    queue_called(text, workload).filter(|&queue| workload.jobs().iter().any(|job| job.queue == Some(queue)))
}

/// The number that a log gives to this name.
pub(super) fn numbered(text: &str, names: &BTreeMap<u32, String>) -> Option<u32> {
    names.iter().find(|(_, name)| *name == text).map(|(&number, _)| number)
}

/// The queues of a log, for an error.
fn queues(workload: &Workload) -> String {
    let numbers: BTreeSet<u32> =
        workload.jobs().iter().filter_map(|job| job.queue).map(QueueId::number).collect();
    let name =
        |number: &u32| workload.names.queues.get(number).cloned().unwrap_or_else(|| number.to_string());
    let names: Vec<String> = numbers.iter().take(20).map(name).collect();
    match names.len() {
        0 => "the log names no queues".to_owned(),
        _ => format!("queues of the log: {}", names.join(", ")),
    }
}
