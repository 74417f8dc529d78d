//! Which waiting jobs gain age.

use crate::controller::handles::JobHandle;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// Jobs that could start gain age from now on, in the order of their submission, as many as limits allow (`MaxJobsAccrue`).
    pub fn begin_ageing(&mut self) {
        if !self.limits.limits_accrual {
            return;
        }
        let now = self.second();
        for &job in &self.queue.waiting {
            let one = &mut self.jobs[job];
            if one.wait.eligible.is_some()
                && one.wait.accrues_since.is_none()
                && let Some(limit) = one.holder.limits.accrual
                && self.limits.accrues(limit)
            {
                one.wait.accrues_since = Some(now);
            }
        }
    }

    /// A job does not wait any more.
    pub fn end_ageing(&mut self, job: JobHandle) {
        let one = &mut self.jobs[job];
        if one.wait.accrues_since.take().is_some()
            && let Some((holder, _)) = one.holder.limits.accrual
        {
            self.limits.accrues_no_more(holder);
        }
    }
}
