//! Which waiting jobs gain age.

use super::counted::Limits;
use crate::controller::handles::JobHandle;
use crate::controller::lifecycle::Jobs;

impl Limits {
    /// Jobs that could start gain age from now on, in the order of their submission, as many as limits allow (`MaxJobsAccrue`).
    pub fn begin_ageing(&mut self, jobs: &mut Jobs<'_>, waiting: &[JobHandle], now: i64) {
        if self.limits_accrual {
            waiting.iter().for_each(|&job| self.begins_ageing(jobs, job, |_| now));
        }
    }

    /// Jobs that could start have gained age since they could, as many as limits allow.
    pub fn have_aged(&mut self, jobs: &mut Jobs<'_>, waiting: &[JobHandle]) {
        waiting.iter().for_each(|&job| self.begins_ageing(jobs, job, |eligible| eligible));
    }

    /// A waiting job gains age, unless it does so already or a limit keeps it from that, since an instant made of that at which it has
    /// become eligible.
    fn begins_ageing(&mut self, jobs: &mut Jobs<'_>, job: JobHandle, since: impl Fn(i64) -> i64) {
        let one = &jobs[job];
        if let Some(eligible) = one.wait.eligible
            && one.wait.accrues_since.is_none()
            && let Some(limit) = one.holder.limits.accrual
            && self.accrues(limit)
        {
            jobs.accrues_since(job, since(eligible));
        }
    }

    /// A job does not wait any more.
    pub fn end_ageing(&mut self, jobs: &mut Jobs<'_>, job: JobHandle) {
        if jobs.accrues_no_more(job)
            && let Some((holder, _)) = jobs[job].holder.limits.accrual
        {
            self.accrues_no_more(holder);
        }
    }
}
