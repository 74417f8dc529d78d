//! A small model of users with habits, for demonstrations and tests.
//!
//! It has the properties that distinguish backfilling policies: a working day and week; sizes that are mostly powers of
//! two; run times over five orders of magnitude that resemble the user's previous ones; few, round and long requested
//! times; jobs that fail early and jobs that run into their limit. The defaults resemble the logs of the SDSC and CTC
//! SP2 machines without being fitted to them.

mod sessions;
#[cfg(test)]
mod tests;
mod users;

use queuecast_core::order;
use serde::{Deserialize, Serialize};

use super::error::within;
use super::{MONDAY, SynthError};
use queuecast_core::job::{ExecutableId, GroupId, Job, QueueId, Truth, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use sessions::Submission;
use users::HabitUser;

/// The parameters of the model, each with its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Habits {
    /// Number of jobs; 2 to 10,000,000.
    pub jobs: u32,
    /// Processors of the machine; 1 to 16,777,216.
    pub procs: u32,
    /// The offered load; 0.001 to 10. Exact up to the rounding of the span of submissions to a whole second.
    pub load: f64,
    /// Number of users; 1 to 1,000,000. Some may submit no job.
    pub users: u32,
    /// Jobs in one session, on average; 1 to 1000.
    pub jobs_per_session: f64,
    /// Typical requested time over run time, before rounding up; 1 to 100.
    pub overestimate: f64,
    /// The share of jobs that fail within minutes; 0 to 1.
    pub failures: f64,
    /// The share of applications that run into their limit; 0 to 1.
    pub endless: f64,
    /// The longest requested time, in seconds; 300 to 31,536,000.
    pub longest: Seconds,
}

impl Default for Habits {
    fn default() -> Habits {
        Habits {
            jobs: 20_000,
            procs: 256,
            load: 0.85,
            users: 100,
            jobs_per_session: 5.0,
            overestimate: 2.5,
            failures: 0.08,
            endless: 0.06,
            longest: Seconds(64_800),
        }
    }
}

/// The queues, each with its longest requested time.
const QUEUES: [(&str, Seconds); 3] =
    [("short", Seconds(3600)), ("medium", Seconds(21_600)), ("long", Seconds(i64::MAX))];

const GROUPS: [&str; 6] = ["astronomy", "biology", "chemistry", "climate", "materials", "physics"];

impl Habits {
    /// The workload of this seed. The same on every platform: each draw is rounded to whole seconds or processors, far above
    /// the last bit in which logarithms may differ.
    pub fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        self.check()?;
        let users = users::users(self, seed);
        let submissions = sessions::submissions(self, &users, seed);
        let jobs = (1..).zip(&submissions).map(|(id, submission)| job(id, submission, &users)).collect();
        let mut workload = Workload::new(Machine { procs: Procs(self.procs) }, jobs)?;
        workload.epoch = Some(MONDAY);
        let names = &mut workload.names;
        names.users = order::map_of((0..self.users).map(|user| (user, format!("user{:02}", user + 1))));
        names.groups = order::map_of((0..).zip(GROUPS).map(|(group, name)| (group, name.into())));
        names.queues = order::map_of((0..).zip(QUEUES).map(|(queue, (name, _))| (queue, name.into())));
        let applications = users.iter().flat_map(|user| &user.applications);
        names.executables =
            order::map_of((0..).zip(applications).map(|(number, application)| (number, application.name())));
        Ok(workload)
    }

    fn check(&self) -> Result<(), SynthError> {
        within("jobs", self.jobs, 2, 10_000_000)?;
        within("procs", self.procs, 1, 1 << 24)?;
        // NaN is in no range and is refused as well.
        within("load", self.load, 0.001, 10.0)?;
        within("users", self.users, 1, 1_000_000)?;
        within("jobs_per_session", self.jobs_per_session, 1.0, 1000.0)?;
        within("overestimate", self.overestimate, 1.0, 100.0)?;
        within("failures", self.failures, 0.0, 1.0)?;
        within("endless", self.endless, 0.0, 1.0)?;
        within("longest", self.longest, Seconds(300), Seconds(31_536_000))
    }
}

fn job(id: u64, submission: &Submission, users: &[HabitUser]) -> (Job, Truth) {
    let user = &users[submission.user as usize];
    let application = &user.applications[submission.application];
    let limit = submission.limit;
    let queue = QUEUES.iter().position(|&(_, longest)| limit <= longest).unwrap_or_default();
    let mut job = Job::rigid(id, Time(submission.at), Procs(submission.procs), Some(limit));
    job.user = UserId::new(submission.user);
    job.group = GroupId::new(submission.user % GROUPS.len() as u32);
    job.executable = ExecutableId::new(application.number);
    job.queue = QueueId::new(queue as u32);
    (job, submission.truth())
}
