//! When the waiting jobs of a site start by its own scheduler, and how right that was before, found once and kept for every question.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use queuecast_forecast::forecast::{
    ClusterPendingStart, FollowedAnswers, ForecasterKey, FoundQueue, PendingRange, PendingRecord,
    StoredError, WhenSettings, opened, sealed,
};
use queuecast_slurm_sim::cluster::{Cluster, ClusterMoment};
use queuecast_slurm_sim::controller::{SimulatedSchedule, pending_reasons};

/// When the jobs start that wait at a look.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LookStarts {
    /// By submission and task.
    jobs: BTreeMap<(String, Option<u32>), FoundStart>,
    record: Option<PendingRecord>,
    /// What was said up to then, for the next look.
    pub(super) answers: FollowedAnswers,
    /// What was simulated of the queue.
    pub(super) schedules: Vec<SimulatedSchedule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct FoundStart {
    start: Option<PendingRange>,
    never: f64,
}

/// What they are kept as.
const NAME: &str = "starts and schedules of waiting jobs";

impl LookStarts {
    /// What was found of the waiting jobs of a moment.
    pub(super) fn new(moment: &ClusterMoment, (queue, answers): (FoundQueue, FollowedAnswers)) -> LookStarts {
        let FoundQueue { starts, record, schedules } = queue;
        let job = |one: ClusterPendingStart| {
            let key = moment.submissions[one.pending.submission].key.clone();
            ((key, one.pending.task), FoundStart { start: one.start, never: one.never })
        };
        LookStarts { jobs: starts.into_iter().map(job).collect(), record, answers, schedules }
    }

    fn key() -> ForecasterKey {
        ForecasterKey::named(NAME, &WhenSettings::default())
    }

    /// To be kept.
    pub fn stored(&self) -> Option<Vec<u8>> {
        sealed(self, LookStarts::key())
    }

    /// What was stored.
    ///
    /// # Errors
    /// If it is something else, of another version of the program, or damaged.
    pub fn restored(bytes: &[u8]) -> Result<LookStarts, StoredError> {
        opened(bytes, LookStarts::key())
    }

    /// The starts with why each job waits at the same look.
    pub(super) fn of(
        &self,
        cluster: &Cluster,
        moment: &ClusterMoment,
    ) -> (Vec<ClusterPendingStart>, Option<PendingRecord>) {
        let reasons = pending_reasons(cluster, moment);
        let start = |pending: queuecast_slurm_sim::controller::PendingReason| {
            let key = moment.submissions[pending.submission].key.clone();
            let found = self.jobs.get(&(key, pending.task));
            let FoundStart { start, never } =
                found.copied().unwrap_or(FoundStart { start: None, never: 1.0 });
            ClusterPendingStart { pending, start, never }
        };
        (reasons.into_iter().map(start).collect(), self.record)
    }
}
