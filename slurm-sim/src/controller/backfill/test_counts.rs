//! How many jobs a backfill cycle has tested.

use std::collections::BTreeMap;

use crate::cluster::BackfillSettings;
use crate::controller::job::{ControlledJob, RequestedPartition};

/// How many jobs a backfill cycle has tested of each user, partition and association.
#[derive(Debug, Default)]
pub struct TestCounts {
    of_user: BTreeMap<u32, u32>,
    of_partition: BTreeMap<usize, u32>,
    of_user_here: BTreeMap<(u32, usize), u32>,
    of_association: BTreeMap<Option<usize>, u32>,
    reserved_in: BTreeMap<usize, u32>,
}

impl TestCounts {
    /// Whether nodes may be reserved for one more job of a partition (`bf_job_part_count_reserve`), which then is counted.
    pub fn reserves(&mut self, partition: usize, settings: &BackfillSettings) -> bool {
        let most = settings.job_part_count_reserve;
        if most == 0 {
            return true;
        }
        let count = self.reserved_in.entry(partition).or_default();
        *count += 1;
        *count <= most
    }

    /// Counts a job, unless that would be more than is allowed.
    pub fn count(
        &mut self,
        job: &ControlledJob,
        at: &RequestedPartition,
        settings: &BackfillSettings,
    ) -> bool {
        let own = self.of_user.entry(job.holder.user).or_default();
        let here = self.of_partition.entry(at.partition).or_default();
        let own_here = self.of_user_here.entry((job.holder.user, at.partition)).or_default();
        let same = self.of_association.entry(job.holder.association).or_default();
        let is_full = |count: u32, most: u32| most > 0 && count >= most;
        if is_full(*own, settings.counts.max_job_user)
            || is_full(*here, settings.counts.max_job_part)
            || is_full(*own_here, settings.counts.max_job_user_part)
            || is_full(*same, settings.counts.max_job_assoc)
        {
            return false;
        }
        (*own, *here, *own_here, *same) = (*own + 1, *here + 1, *own_here + 1, *same + 1);
        true
    }
}
