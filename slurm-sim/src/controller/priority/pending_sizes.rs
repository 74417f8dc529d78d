//! Which sizes of pending jobs are still to be found.

use crate::controller::handles::JobHandle;
use crate::controller::job::JobStage;
use crate::controller::lifecycle::Jobs;
use crate::controller::limits::LimitNumber;

/// Pending jobs whose sizes are not known yet. A size is the number of processors that the job-size factor counts.
#[derive(Debug, Default)]
pub struct PendingSizes {
    /// Exclusive jobs that no backfill cycle has seen, and the numbers of their limits.
    unsized_jobs: Vec<(JobHandle, LimitNumber)>,
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

    /// A cycle is to find the size of a job, whose limits have this number.
    pub fn is_unsized(&mut self, job: JobHandle, limits: LimitNumber) {
        self.unsized_jobs.push((job, limits));
    }

    /// A job does not wait any more.
    pub fn waits_no_more(&mut self, job: JobHandle) {
        if !self.unsized_jobs.is_empty() {
            self.left.push(job);
        }
    }

    /// Jobs that do not wait any more are forgotten.
    pub fn forget_left(&mut self, jobs: &Jobs<'_>) {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|&job| jobs[job].state != JobStage::Waiting);
        if !left.is_empty() {
            self.unsized_jobs.retain(|(job, _)| !left.contains(job));
        }
    }

    /// The jobs that wait for their sizes to be found, and the numbers of their limits.
    pub fn unsized_jobs(&self) -> &[(JobHandle, LimitNumber)] {
        &self.unsized_jobs
    }

    /// The sizes of these jobs, which are in the order of [`unsized_jobs`](PendingSizes::unsized_jobs), have been found.
    pub fn are_sized(&mut self, jobs: &[JobHandle]) {
        let mut jobs = jobs.iter().peekable();
        if jobs.len() > 0 {
            self.unsized_jobs.retain(|(job, _)| jobs.next_if_eq(&job).is_none());
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
