//! A model of users and their sessions, on top of any model of jobs.
//!
//! Models of jobs (Lublin & Feitelson 2003, Downey 1997) draw jobs independently. Real users submit similar jobs in
//! sessions and repeat them on other days. [`Population::assign_users`] gives a workload this structure by *rearranging*
//! it: all arrival times and all jobs are kept; it decides which job arrives when, and who submits it.

mod like;
mod pool;
mod sessions;
#[cfg(test)]
mod tests;
mod user_statistics;
mod users;

use queuecast_core::order;
use serde::{Deserialize, Serialize};

use super::SynthError;
use super::error::within;
use crate::characterization::UserSessions;
use queuecast_core::job::{ExecutableId, GroupId, Job, QueueId, Truth, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::{Names, Workload};
use sessions::AssignedJob;
pub use user_statistics::UserStatistics;
use users::Users;

/// The parameters of the model, each with its range. The defaults lie between the values fitted to the KTH, CTC and SDSC
/// SP2 logs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Population {
    /// Number of users; 1 to 1,000,000. All but one or two percent submit a job if there are enough sessions.
    pub users: u32,
    /// Exponent of the users' activity: a user's share of the sessions is proportional to
    /// `1 / (rank + plateau)^activity`; 0 (all equal) to 5.
    pub activity: f64,
    /// Number of most active users with nearly equal activity; 0 to 10,000.
    pub plateau: f64,
    /// The share of the workload's duration during which a user with many sessions is present; 0.01 to 1. Small shares are
    /// exceeded where too few users are present for the arrivals.
    pub presence: f64,
    /// Jobs in a session, on average; 1 to 1000.
    #[serde(alias = "jobs_per_sitting")]
    pub jobs_per_session: f64,
    /// Standard deviation of the logarithm of the number of jobs in a session; 0 (all sessions equal) to 3.
    #[serde(alias = "sitting_spread")]
    pub session_spread: f64,
    /// Median think time: seconds after which a user is ready to submit the next job of a session; 1 to 3600. The job is
    /// submitted at a later arrival, several times as late where arrivals are sparse.
    pub think: Seconds,
    /// Standard deviation of the logarithm of the think time; 0 to 4.
    pub think_spread: f64,
    /// Applications of a user, on average; 1 to 100. Users with few jobs have fewer.
    pub applications: f64,
    /// Probability that an application has the size of the user's first one, and probability that it has its run time;
    /// 0 to 1.
    pub kinship: f64,
    /// Probability that the next job of a session is of another application; 0 to 1.
    pub switching: f64,
    /// Probability that a session begins with the application of the user's previous session; 0 to 1.
    pub resuming: f64,
    /// Standard deviation of the noise on the logarithms of an application's run times; 0 to 5.
    pub spread: f64,
    /// Standard deviation of that noise within a session; 0 to 5.
    #[serde(alias = "sitting_run_spread")]
    pub session_run_spread: f64,
    /// How much the run times of an application change between sessions: 0 (slowly) to 1 (independently).
    pub wandering: f64,
    /// Probability that a job has another size than is usual for its application; 0 to 1.
    pub resizing: f64,
    /// Share of jobs whose run time is unrelated to their application, most of them short; 0 to 1.
    pub failures: f64,
    /// Number of groups; 1 to 1,000,000.
    pub groups: u32,
}

impl Default for Population {
    fn default() -> Population {
        Population {
            users: 300,
            activity: 1.8,
            plateau: 30.0,
            presence: 0.6,
            jobs_per_session: 3.0,
            session_spread: 0.75,
            think: Seconds(10),
            think_spread: 3.5,
            applications: 12.0,
            kinship: 0.6,
            switching: 0.1,
            resuming: 0.75,
            spread: 0.6,
            session_run_spread: 0.1,
            wandering: 0.3,
            resizing: 0.1,
            failures: 0.06,
            groups: 12,
        }
    }
}

/// Queues for workloads without queues, each with the longest median run time of its applications.
const QUEUES: [(&str, Seconds); 3] =
    [("short", Seconds(3600)), ("medium", Seconds(21_600)), ("long", Seconds(i64::MAX))];

impl Population {
    /// The model calibrated to the users of a log. Fails if the log has no users.
    pub fn like(workload: &Workload) -> Result<Population, SynthError> {
        like::like(workload)
    }

    /// Rearranges a workload among users.
    ///
    /// Kept: every arrival time, and the multiset of jobs (size, run time, requested time, ending, partition), both per
    /// queue where jobs have queues. Assigned: users, groups, executables, and queues where there are none. Dropped:
    /// accounts and recorded start times.
    pub fn assign_users(&self, workload: &Workload, seed: Seed) -> Result<Workload, SynthError> {
        self.check()?;
        let lanes = Lanes::of(workload);
        let users = Users::of(self, workload, &lanes, seed);
        let submissions = sessions::assign(self, workload, &lanes, &users, seed);
        let places = pool::deal(self, workload, &lanes, &users, &submissions, seed);
        self.assemble(workload, &lanes, &users, &submissions, &places)
    }

    /// Puts together, for each arrival, the job that arrives and the user who submits it.
    fn assemble(
        &self,
        workload: &Workload,
        lanes: &Lanes,
        users: &Users,
        submissions: &[AssignedJob],
        places: &[u32],
    ) -> Result<Workload, SynthError> {
        let queues = (!lanes.queued).then(|| usual_queues(workload, users, submissions, places));
        let jobs: Vec<Job> = workload
            .jobs()
            .iter()
            .zip(submissions.iter().zip(places))
            .map(|(slot, (submission, &place))| {
                let job = &workload.jobs()[place as usize];
                let application = &users.applications[submission.application as usize];
                Job {
                    index: slot.index,
                    id: slot.id,
                    submit: slot.submit,
                    user: UserId::new(application.user),
                    group: GroupId::new(users.group(application.user)),
                    account: None,
                    executable: ExecutableId::new(submission.application),
                    queue: queues
                        .as_ref()
                        .map_or(slot.queue, |queues| queues[submission.application as usize]),
                    partition: job.partition,
                    qos: job.qos,
                    shape: job.shape,
                    other_shapes: job.other_shapes.clone(),
                }
            })
            .collect();
        let truths: Vec<Truth> =
            places.iter().map(|&place| workload.truths()[place as usize].clone()).collect();
        let mut settled = Workload::from_columns(workload.machine(), jobs, truths)?;
        settled.epoch = workload.epoch;
        settled.names = self.names(workload, lanes, users);
        Ok(settled)
    }

    fn names(&self, workload: &Workload, lanes: &Lanes, users: &Users) -> Names {
        let numbered = |what: &str, count: usize| {
            let width = count.max(1).ilog10() as usize + 1;
            order::map_of((0..count as u32).map(|number| (number, format!("{what}{:0width$}", number + 1))))
        };
        if workload.is_empty() {
            return workload.names.clone();
        }
        Names {
            users: numbered("user", users.count()),
            groups: numbered("group", self.groups.min(users.count() as u32) as usize),
            executables: numbered("app", users.applications.len()),
            queues: if lanes.queued {
                workload.names.queues.clone()
            } else {
                order::map_of((0..).zip(QUEUES).map(|(queue, (name, _))| (queue, name.into())))
            },
            accounts: std::collections::BTreeMap::new(),
            partitions: workload.names.partitions.clone(),
            qos: workload.names.qos.clone(),
        }
    }

    fn check(&self) -> Result<(), SynthError> {
        within("users", self.users, 1, 1_000_000)?;
        // NaN is in no range and is refused as well.
        within("activity", self.activity, 0.0, 5.0)?;
        within("plateau", self.plateau, 0.0, 10_000.0)?;
        within("presence", self.presence, 0.01, 1.0)?;
        within("jobs_per_session", self.jobs_per_session, 1.0, 1000.0)?;
        within("session_spread", self.session_spread, 0.0, 3.0)?;
        within("think", self.think, Seconds(1), UserSessions::GAP)?;
        within("think_spread", self.think_spread, 0.0, 4.0)?;
        within("applications", self.applications, 1.0, 100.0)?;
        within("kinship", self.kinship, 0.0, 1.0)?;
        within("switching", self.switching, 0.0, 1.0)?;
        within("resuming", self.resuming, 0.0, 1.0)?;
        within("spread", self.spread, 0.0, 5.0)?;
        within("session_run_spread", self.session_run_spread, 0.0, 5.0)?;
        within("wandering", self.wandering, 0.0, 1.0)?;
        within("resizing", self.resizing, 0.0, 1.0)?;
        within("failures", self.failures, 0.0, 1.0)?;
        within("groups", self.groups, 1, 1_000_000)
    }
}

/// The queues of a workload as consecutive numbers. Jobs stay in their queues.
struct Lanes {
    /// The lane of each arrival.
    of_slot: Vec<u32>,
    /// The number of arrivals in each lane.
    sizes: Vec<u32>,
    /// Whether any job has a queue.
    queued: bool,
}

impl Lanes {
    fn of(workload: &Workload) -> Lanes {
        let mut queues: Vec<Option<QueueId>> = Vec::new();
        for job in workload.jobs() {
            // Logs have few queues, and consecutive jobs mostly share one.
            if queues.last() != Some(&job.queue) {
                queues.push(job.queue);
                if queues.len() > 4096 {
                    queues.sort_unstable();
                    queues.dedup();
                }
            }
        }
        queues.sort_unstable();
        queues.dedup();
        let mut sizes = vec![0; queues.len()];
        let (mut queue, mut lane) = (None, usize::MAX);
        let of_slot = workload.jobs().iter().map(|job| {
            if lane == usize::MAX || queue != job.queue {
                (queue, lane) = (job.queue, queues.binary_search(&job.queue).unwrap_or_default());
            }
            sizes[lane] += 1;
            lane as u32
        });
        let of_slot = of_slot.collect();
        Lanes { of_slot, sizes, queued: queues.iter().any(Option::is_some) }
    }
}

/// The queue of each application, by its median run time.
fn usual_queues(
    workload: &Workload,
    users: &Users,
    submissions: &[AssignedJob],
    places: &[u32],
) -> Vec<Option<QueueId>> {
    let mut runs: Vec<(u32, Seconds)> = submissions
        .iter()
        .zip(places)
        .map(|(submission, &place)| (submission.application, workload.truths()[place as usize].run()))
        .collect();
    runs.sort_unstable();
    let mut queues = vec![None; users.applications.len()];
    for of_one in runs.chunk_by(|one, other| one.0 == other.0) {
        let (application, median) = of_one[of_one.len() / 2];
        let queue = QUEUES.iter().position(|&(_, longest)| median <= longest).unwrap_or_default();
        queues[application as usize] = QueueId::new(queue as u32);
    }
    queues
}
