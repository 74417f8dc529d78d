//! The waits of the last jobs of each kind.

use serde::{Deserialize, Serialize};

use queuecast_core::job::Job;
use queuecast_core::units::Time;
use queuecast_sim::predict::Lookup;

/// How much a new wait counts in the mean of its kind.
const NEW: f64 = 0.3;

/// Offset in seconds: waits are averaged as ln(wait + offset).
const UNIT: f64 = 60.0;

/// Jobs of one kind: which kind, and its identifiers.
type Key = (u8, u32, u32, u64);

/// The kinds of a job.
pub(super) const KINDS: usize = 7;

/// What is known of the waits of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct RecentWait {
    /// Mean of the logarithms, the newest counting most.
    pub mean: f64,
    /// The last one's.
    pub last: f64,
    /// When that job started.
    pub at: Time,
}

/// The waits of the last jobs of each kind.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RecentWaits {
    /// Looked up, never iterated.
    kinds: Lookup<Key, RecentWait>,
}

fn keys(job: &Job) -> [Key; KINDS] {
    let known = |id: Option<u32>| id.map_or(0, |id| id.wrapping_add(1));
    let user = known(job.user.map(|id| id.number()));
    let queue = known(job.queue.map(|id| id.number()));
    let procs = job.shape.procs.0;
    let request = job.shape.limit.map_or(u64::MAX, |limit| limit.0.max(0) as u64);
    let size = procs.max(1).ilog2();
    let length = job.shape.limit.map_or(99, |limit| u64::from(limit.0.max(1).unsigned_abs().ilog2()));
    [
        (0, user, procs, request),
        (1, user, queue, 0),
        (2, user, 0, 0),
        (3, queue, size, 0),
        (4, queue, 0, 0),
        (5, size, 0, length),
        (6, 0, 0, 0),
    ]
}

/// A wait on the scale of the means.
pub(super) fn scaled(wait: f64) -> f64 {
    (wait.max(0.0) + UNIT).ln()
}

impl RecentWaits {
    /// Learns that a job started at `at` after waiting `wait` seconds.
    pub fn learn(&mut self, job: &Job, wait: f64, at: Time) {
        let value = scaled(wait);
        for key in keys(job) {
            let recent = self.kinds.entry(key).or_insert(RecentWait { mean: value, last: value, at });
            *recent = RecentWait { mean: recent.mean + NEW * (value - recent.mean), last: value, at };
        }
    }

    /// What is known of each kind of a job.
    pub fn of(&self, job: &Job) -> [Option<RecentWait>; KINDS] {
        keys(job).map(|key| self.kinds.get(&key).copied())
    }
}
