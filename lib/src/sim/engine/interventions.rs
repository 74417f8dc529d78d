//! What is done to a simulation from outside: jobs withdrawn, processors lost and restored.

use super::{Components, Engine};
use crate::job::{JobIndex, What};
use crate::sim::error::SimError;
use crate::sim::policy::Change;
use crate::units::{Procs, Seconds, Time};

impl Engine<'_> {
    /// Takes a waiting job out of the queue. `false` if it does not wait. Plans are made at the next instant.
    pub fn withdraw(
        &mut self,
        job: JobIndex,
        now: Time,
        parts: &mut Components<'_, '_>,
    ) -> Result<bool, SimError> {
        let Some(&row) = self.site.rows().present(job).filter(|row| row.is_waiting()) else {
            return Ok(false);
        };
        if self.site.withdraw(job).is_ok() {
            let (procs, planned) = (Procs(row.procs), Seconds(row.planned));
            parts.policy.note(Change::Withdrawn { job, procs, planned });
            self.learn(job, now.0, What::Withdrawn, parts);
            self.tell(job, now.0, What::Withdrawn, parts.observers);
            self.wake = self.wake.min(now.0.saturating_add(1));
        }
        self.result(true)
    }

    /// Processors go out of service. Jobs that run on them run on.
    pub fn lose(&mut self, procs: Procs, parts: &mut Components<'_, '_>) {
        self.site.lose(procs);
        parts.policy.note(Change::Resized);
    }

    /// Processors come back into service; the policy plans at the next instant.
    pub fn restore(&mut self, procs: Procs, now: Time, parts: &mut Components<'_, '_>) {
        self.site.restore(procs);
        parts.policy.note(Change::Resized);
        self.wake = self.wake.min(now.0.saturating_add(1));
    }
}
