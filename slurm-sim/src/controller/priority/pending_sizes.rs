//! Which sizes of pending jobs are still to be found.

use std::collections::BTreeSet;

use crate::controller::handles::JobHandle;
use crate::controller::job::JobStage;
use crate::controller::lifecycle::Jobs;

/// Pending jobs whose sizes are not known yet. A size is the number of processors that the job-size factor counts.
#[derive(Debug, Default)]
pub struct PendingSizes {
    /// Exclusive jobs that no backfill cycle has seen.
    unsized_jobs: BTreeSet<JobHandle>,
    /// How many of them each user has, by the number of the user.
    of_user: Vec<u32>,
    /// Jobs that have left the queue since the last cycle, and may be among these.
    left: Vec<JobHandle>,
    /// Sizes that were found when jobs were submitted, and count once priorities are computed or a cycle begins.
    found: Vec<(JobHandle, u32)>,
}

impl PendingSizes {
    /// A job has this size from when priorities are computed next, or the next cycle begins.
    pub fn is_found(&mut self, job: JobHandle, cpus: u32) {
        self.found.push((job, cpus));
    }

    /// A cycle is to find the size of a job of this user.
    pub fn is_unsized(&mut self, job: JobHandle, user: u32) {
        let user = user as usize;
        if self.of_user.len() <= user {
            self.of_user.resize(user + 1, 0);
        }
        self.of_user[user] += u32::from(self.unsized_jobs.insert(job));
    }

    /// A job does not wait any more.
    pub fn waits_no_more(&mut self, job: JobHandle) {
        if self.unsized_jobs.contains(&job) {
            self.left.push(job);
        }
    }

    /// Jobs that do not wait any more are forgotten.
    pub fn forget_left(&mut self, jobs: &Jobs<'_>) {
        for job in std::mem::take(&mut self.left) {
            if jobs[job].state != JobStage::Waiting {
                self.is_sized(job, jobs[job].holder.user);
            }
        }
    }

    /// The jobs whose sizes are to be found.
    pub fn unsized_jobs(&self) -> &BTreeSet<JobHandle> {
        &self.unsized_jobs
    }

    /// Whether a user has such jobs.
    pub fn has_unsized(&self, user: u32) -> bool {
        self.of_user.get(user as usize).is_some_and(|&count| count > 0)
    }

    /// The size of a job of this user is not to be found any more.
    pub fn is_sized(&mut self, job: JobHandle, user: u32) {
        if self.unsized_jobs.remove(&job) {
            self.of_user[user as usize] -= 1;
        }
    }

    /// Jobs have the sizes that were found when they were submitted.
    pub fn settle(&mut self, jobs: &mut Jobs<'_>) {
        for (job, cpus) in std::mem::take(&mut self.found) {
            if jobs[job].state == JobStage::Waiting {
                jobs.set_size(job, cpus);
            }
        }
    }
}
