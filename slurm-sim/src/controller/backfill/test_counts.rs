//! How many jobs a backfill cycle has tested.

use std::collections::BTreeMap;

use crate::cluster::{AssociationIndex, BackfillSettings, PartitionIndex};
use crate::controller::job::{ControlledJob, RequestedPartition};

/// How many jobs a backfill cycle has tested of each user, partition and association, where that is limited.
#[derive(Debug, Default, Clone)]
pub struct TestCounts {
    /// By the number of the user.
    of_user: Vec<u32>,
    of_partition: BTreeMap<PartitionIndex, u32>,
    of_user_here: BTreeMap<(u32, PartitionIndex), u32>,
    of_association: BTreeMap<Option<AssociationIndex>, u32>,
    reserved_in: BTreeMap<PartitionIndex, u32>,
}

/// The count of a holder, if it is limited.
fn limited<K: Ord>(counts: &mut BTreeMap<K, u32>, of: K, most: u32) -> Option<(&mut u32, u32)> {
    (most > 0).then(|| (counts.entry(of).or_default(), most))
}

impl TestCounts {
    /// Whether nodes may be reserved for one more job of a partition (`bf_job_part_count_reserve`), which then is counted.
    pub fn reserves(&mut self, partition: PartitionIndex, settings: &BackfillSettings) -> bool {
        let most = settings.job_part_count_reserve;
        if most == 0 {
            return true;
        }
        let count = self.reserved_in.entry(partition).or_default();
        *count += 1;
        *count <= most
    }

    /// Whether no further job of a user is counted.
    pub fn is_full(&self, user: u32, settings: &BackfillSettings) -> bool {
        let most = settings.counts.max_job_user;
        most > 0 && self.of_user.get(user as usize).is_some_and(|&count| count >= most)
    }

    /// Counts a job, unless that would be more than is allowed.
    pub fn count(
        &mut self,
        job: &ControlledJob,
        at: &RequestedPartition,
        settings: &BackfillSettings,
    ) -> bool {
        let (user, most) = (job.holder.user, &settings.counts);
        if most.max_job_user > 0 && self.of_user.len() <= user as usize {
            self.of_user.resize(user as usize + 1, 0);
        }
        let counts = [
            (most.max_job_user > 0).then(|| (&mut self.of_user[user as usize], most.max_job_user)),
            limited(&mut self.of_partition, at.partition, most.max_job_part),
            limited(&mut self.of_user_here, (user, at.partition), most.max_job_user_part),
            limited(&mut self.of_association, job.holder.association, most.max_job_assoc),
        ];
        if counts.iter().flatten().any(|(count, most)| **count >= *most) {
            return false;
        }
        counts.into_iter().flatten().for_each(|(count, _)| *count += 1);
        true
    }
}
