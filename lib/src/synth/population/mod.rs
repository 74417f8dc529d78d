//! Users and their sittings, on top of any model of jobs: who submits what, in which order.
//!
//! Models of jobs (Lublin & Feitelson 2003, Downey 1997) draw every job by itself. People do not: they sit down, run
//! much the same a few times, and come back to it another day. [`Population::settle`] makes that of a workload by
//! *rearranging* it. Every arrival stays, every job stays; only which job arrives when, and who submits it, is decided.

mod like;
mod manners;
mod people;
mod pool;
#[cfg(test)]
mod tests;
mod walk;

use serde::{Deserialize, Serialize};

use super::SynthError;
use super::error::within;
use crate::job::{ExecutableId, GroupId, Job, QueueId, Truth, UserId};
use crate::portrait::Sittings;
use crate::seed::Seed;
use crate::units::Seconds;
use crate::workload::{Names, Workload};
pub use manners::Manners;
use people::People;
use walk::Turn;

/// Who there is and how they work; each parameter with its range. The defaults lie between the logs of the KTH, CTC
/// and SDSC SP2 machines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Population {
    /// How many people there are; 1 to 1,000,000. All but one or two in a hundred submit something if there
    /// are enough sittings.
    pub users: u32,
    /// How much busier the busiest are: sittings go by `1 / (rank + plateau)^activity`; 0 (all alike) to 5.
    pub activity: f64,
    /// How many of the busiest are about alike; 0 to 10,000.
    pub plateau: f64,
    /// For which share of the workload somebody with many sittings is about; 0.01 to 1. Where too few are about for all
    /// that arrives, others come back, so that small shares are not met.
    pub presence: f64,
    /// Jobs in one sitting, on average; 1 to 1000.
    pub jobs_per_sitting: f64,
    /// The standard deviation of the logarithm behind the number of jobs in a sitting; 0 (all sittings alike) to 3.
    pub sitting_spread: f64,
    /// The median time after which somebody is ready to submit the next job of a sitting, in seconds; 1 to 3600. Since
    /// arrivals are given, the next one comes later: several times as late where they are far apart.
    pub think: Seconds,
    /// The standard deviation of its logarithm; 0 to 4.
    pub think_spread: f64,
    /// Applications of a user, on average; 1 to 100. Who submits little has fewer.
    pub applications: f64,
    /// The chance that an application resembles the user's first one in size, and the chance that it does in run
    /// time; 0 to 1.
    pub kinship: f64,
    /// The chance that the next job of a sitting is of another application; 0 to 1.
    pub switching: f64,
    /// The chance that a sitting begins with the application that the user's last one ended with; 0 to 1.
    pub resuming: f64,
    /// How much the logarithms of an application's run times vary; 0 to 5.
    pub spread: f64,
    /// The same within one sitting; 0 to 5.
    pub sitting_run_spread: f64,
    /// How far run times jump from one sitting with an application to the next: 0 (they change slowly) to 1 (each sitting
    /// is anywhere within what the application does).
    pub wandering: f64,
    /// The chance that a job has another size than its application usually has; 0 to 1.
    pub resizing: f64,
    /// The share of jobs that run for another time than anything suggests, most of them short; 0 to 1.
    pub failures: f64,
    /// How many groups the users belong to; 1 to 1,000,000.
    pub groups: u32,
}

impl Default for Population {
    fn default() -> Population {
        Population {
            users: 300,
            activity: 1.8,
            plateau: 30.0,
            presence: 0.6,
            jobs_per_sitting: 3.0,
            sitting_spread: 0.75,
            think: Seconds(10),
            think_spread: 3.5,
            applications: 12.0,
            kinship: 0.6,
            switching: 0.1,
            resuming: 0.75,
            spread: 0.6,
            sitting_run_spread: 0.1,
            wandering: 0.3,
            resizing: 0.1,
            failures: 0.06,
            groups: 12,
        }
    }
}

/// Queues for workloads that have none, each with the longest time an application of it usually runs.
const QUEUES: [(&str, Seconds); 3] =
    [("short", Seconds(3600)), ("medium", Seconds(21_600)), ("long", Seconds(i64::MAX))];

impl Population {
    /// The population that works as the users of this log do. Fails if the log has no users.
    pub fn like(workload: &Workload) -> Result<Population, SynthError> {
        like::like(workload)
    }

    /// The same arrivals and the same jobs, submitted by these people.
    ///
    /// What stays: every instant of arrival; the multiset of everything else about a job but who submits it (sizes, run
    /// times, requested times, endings, partitions); both for each queue, where jobs have queues. What is made: users,
    /// groups, executables, and queues where there are none. What is lost: accounts, and when jobs really started.
    pub fn settle(&self, workload: &Workload, seed: Seed) -> Result<Workload, SynthError> {
        self.check()?;
        let lanes = Lanes::of(workload);
        let people = People::of(self, workload, &lanes, seed);
        let turns = walk::walk(self, workload, &lanes, &people, seed);
        let places = pool::deal(self, workload, &lanes, &people, &turns, seed);
        self.assemble(workload, &lanes, &people, &turns, &places)
    }

    /// Slot by slot: the arrival, the job dealt to it, and who submits it.
    fn assemble(
        &self,
        workload: &Workload,
        lanes: &Lanes,
        people: &People,
        turns: &[Turn],
        places: &[u32],
    ) -> Result<Workload, SynthError> {
        let queues = (!lanes.queued).then(|| usual_queues(workload, people, turns, places));
        let jobs: Vec<Job> = workload
            .jobs()
            .iter()
            .zip(turns.iter().zip(places))
            .map(|(slot, (turn, &place))| {
                let job = &workload.jobs()[place as usize];
                let application = &people.applications[turn.application as usize];
                Job {
                    index: slot.index,
                    id: slot.id,
                    submit: slot.submit,
                    user: UserId::new(application.user),
                    group: GroupId::new(people.group(application.user)),
                    account: None,
                    executable: ExecutableId::new(turn.application),
                    queue: queues.as_ref().map_or(slot.queue, |queues| queues[turn.application as usize]),
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
        settled.names = self.names(workload, lanes, people);
        Ok(settled)
    }

    fn names(&self, workload: &Workload, lanes: &Lanes, people: &People) -> Names {
        let numbered = |what: &str, count: usize| {
            let width = count.max(1).ilog10() as usize + 1;
            (0..count as u32).map(|number| (number, format!("{what}{:0width$}", number + 1))).collect()
        };
        if workload.is_empty() {
            return workload.names.clone();
        }
        Names {
            users: numbered("user", people.count()),
            groups: numbered("group", self.groups.min(people.count() as u32) as usize),
            executables: numbered("app", people.applications.len()),
            queues: if lanes.queued {
                workload.names.queues.clone()
            } else {
                (0..).zip(QUEUES).map(|(queue, (name, _))| (queue, name.into())).collect()
            },
            accounts: std::collections::BTreeMap::new(),
            partitions: workload.names.partitions.clone(),
            qos: workload.names.qos.clone(),
        }
    }

    fn check(&self) -> Result<(), SynthError> {
        within("users", self.users, 1, 1_000_000)?;
        // NaN is in no range, so it is refused as well.
        within("activity", self.activity, 0.0, 5.0)?;
        within("plateau", self.plateau, 0.0, 10_000.0)?;
        within("presence", self.presence, 0.01, 1.0)?;
        within("jobs_per_sitting", self.jobs_per_sitting, 1.0, 1000.0)?;
        within("sitting_spread", self.sitting_spread, 0.0, 3.0)?;
        within("think", self.think, Seconds(1), Sittings::GAP)?;
        within("think_spread", self.think_spread, 0.0, 4.0)?;
        within("applications", self.applications, 1.0, 100.0)?;
        within("kinship", self.kinship, 0.0, 1.0)?;
        within("switching", self.switching, 0.0, 1.0)?;
        within("resuming", self.resuming, 0.0, 1.0)?;
        within("spread", self.spread, 0.0, 5.0)?;
        within("sitting_run_spread", self.sitting_run_spread, 0.0, 5.0)?;
        within("wandering", self.wandering, 0.0, 1.0)?;
        within("resizing", self.resizing, 0.0, 1.0)?;
        within("failures", self.failures, 0.0, 1.0)?;
        within("groups", self.groups, 1, 1_000_000)
    }
}

/// The queues of a workload as dense numbers. Jobs never change lanes.
struct Lanes {
    /// The lane of each slot.
    of_slot: Vec<u32>,
    /// How many slots each lane has.
    sizes: Vec<u32>,
    /// Whether any job has a queue.
    queued: bool,
}

impl Lanes {
    fn of(workload: &Workload) -> Lanes {
        let mut queues: Vec<Option<QueueId>> = Vec::new();
        for job in workload.jobs() {
            // Logs have few queues, and neighbours mostly the same.
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

/// The queue of each application, by the median of its run times: what its user knows to expect.
fn usual_queues(
    workload: &Workload,
    people: &People,
    turns: &[Turn],
    places: &[u32],
) -> Vec<Option<QueueId>> {
    let mut runs: Vec<(u32, Seconds)> = turns
        .iter()
        .zip(places)
        .map(|(turn, &place)| (turn.application, workload.truths()[place as usize].run()))
        .collect();
    runs.sort_unstable();
    let mut queues = vec![None; people.applications.len()];
    for of_one in runs.chunk_by(|one, other| one.0 == other.0) {
        let (application, median) = of_one[of_one.len() / 2];
        let queue = QUEUES.iter().position(|&(_, longest)| median <= longest).unwrap_or_default();
        queues[application as usize] = QueueId::new(queue as u32);
    }
    queues
}
