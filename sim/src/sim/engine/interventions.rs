//! What is done to a simulation from outside: an instant taken in parts, jobs withdrawn, processors lost and restored.

use super::{Components, Engine};
use crate::sim::error::SimError;
use crate::sim::policy::{Change, Policy, Start};
use crate::site::Nodes;
use crate::site::rows::Row;
use queuecast_core::job::{Ending, Job, JobIndex, Truth, What};
use queuecast_core::units::{Procs, Seconds, Time};

impl Engine<'_> {
    /// The first part of an instant, for several simulations in step: jobs due to end by then end, and predictions are
    /// outlived. Whether a plan is due: jobs ended, or the policy asked for one. Jobs are then submitted by
    /// [`Engine::admit`], and [`Engine::replan`] plans.
    pub fn settle(&mut self, now: Time, parts: &mut Components<'_, '_>) -> Result<bool, SimError> {
        let mut is_due = self.wake <= now.0;
        while let Some(job) = self.ends.take(now.0) {
            self.end(job, now.0, parts);
            is_due = true;
        }
        self.overrun_all(now.0, parts);
        self.result(is_due)
    }

    /// The last part of an instant: a plan. After jobs were withdrawn there may be another one.
    pub fn replan(&mut self, now: Time, parts: &mut Components<'_, '_>) -> Result<(), SimError> {
        self.plan(now.0, parts);
        self.result(())
    }

    /// Plans anew as [`Engine::replan`] does, on nodes, which stand in for the number of processors.
    pub fn replan_on(
        &mut self,
        now: Time,
        nodes: &dyn Nodes,
        parts: &mut Components<'_, '_>,
    ) -> Result<(), SimError> {
        self.plan_on(now.0, parts, Some(nodes));
        self.result(())
    }

    /// Starts jobs that a policy has named on nodes, each in the shape that it has there; `false` if one of them has no room.
    pub(super) fn shape_on(
        &mut self,
        nodes: &dyn Nodes,
        starts: &mut [Start],
        now: i64,
        policy: &dyn Policy,
    ) -> bool {
        for start in starts {
            let waits = |row: &&Row| row.is_waiting();
            if self.site.rows().present(start.job).filter(waits).is_none() {
                return self.fail_start(start.job, now, policy);
            }
            let Some(shape) = nodes.begin(start.job) else {
                let (policy, job) = (policy.name(), self.site.rows().job(start.job).id);
                return self.fail(SimError::NoRoom { policy, job, at: Time(now) });
            };
            start.shape = shape;
        }
        true
    }

    /// A running job is stopped now. `false` if it does not run.
    pub fn stop(
        &mut self,
        job: JobIndex,
        now: Time,
        parts: &mut Components<'_, '_>,
    ) -> Result<bool, SimError> {
        let Some(&row) = self.site.rows().present(job).filter(|row| !row.is_waiting()) else {
            return Ok(false);
        };
        (self.secrets[job].run, self.secrets[job].ending) = (now.0 - row.start, Ending::Cancelled);
        self.placement(job).ran = now - Time(row.start);
        self.end(job, now.0, parts);
        self.result(true)
    }

    /// How long a job in the system runs in all. For oracles only.
    pub fn true_run(&self, job: JobIndex) -> Seconds {
        Seconds(self.secrets[job].run)
    }

    /// A job joins the queue now; no plan is made. Returns its number.
    pub fn admit(
        &mut self,
        job: Job,
        truth: Truth,
        now: Time,
        parts: &mut Components<'_, '_>,
    ) -> Result<JobIndex, SimError> {
        let index = self.site.submitted();
        self.arrivals.push(job, truth);
        self.arrive(now.0, parts);
        self.result(index)
    }

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
