//! Which sizes of pending jobs are still to be found.

use crate::controller::handles::JobHandle;
use crate::controller::job::JobStage;
use crate::controller::lifecycle::Jobs;

/// Pending jobs whose sizes are not known yet. A size is the number of processors that the job-size factor counts.
#[derive(Debug, Default)]
pub struct PendingSizes {
    /// Exclusive jobs that no backfill cycle has seen.
    unsized_jobs: Vec<JobHandle>,
    /// Sizes that were found when jobs were submitted, and count once priorities are computed or a cycle begins.
    found: Vec<(JobHandle, u32)>,
}

impl PendingSizes {
    /// A job has this size from when priorities are computed next, or the next cycle begins.
    pub fn is_found(&mut self, job: JobHandle, cpus: u32) {
        self.found.push((job, cpus));
    }

    /// A cycle is to find the size of a job.
    pub fn is_unsized(&mut self, job: JobHandle) {
        self.unsized_jobs.push(job);
    }

    /// The jobs whose sizes are to be found.
    pub fn unsized_jobs(&self) -> &[JobHandle] {
        &self.unsized_jobs
    }

    /// Only these of the jobs without a size still are to be looked at.
    pub fn keep_unsized(&mut self, mut stays: impl FnMut(JobHandle) -> bool) {
        self.unsized_jobs.retain(|&job| stays(job));
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
