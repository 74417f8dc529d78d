//! What if: a copy of the machine and its queue at one instant, run on under assumptions of one's own.
//!
//! A fork sees what a view shows: who runs, who waits, and what is predicted of them. How long each job will
//! really run is for the caller to assume, so a fork never leaks the truth. Waits are predicted by running
//! many forks forward.

use super::engine::{Company, Engine};
use super::error::SimError;
use super::options::Options;
use super::policy::Policy;
use super::rows::Row;
use super::view::View;
use crate::job::{Job, JobIndex, Truth};
use crate::predict::RuntimePredictor;
use crate::units::{Procs, Seconds, Time};

/// A job whose run time has to be assumed.
#[derive(Debug, Clone, Copy)]
pub struct Unknown<'a> {
    /// The job.
    pub job: &'a Job,
    /// How long it has run so far; `None` while it waits.
    pub elapsed: Option<Seconds>,
    /// What is predicted of it at the instant of the fork.
    pub predicted: Seconds,
}

/// The state of one instant, owned.
#[derive(Debug, Clone)]
pub struct Fork {
    now: Time,
    machine: Procs,
    options: Options,
    /// Who was there, in arrival order, then who is to come.
    jobs: Vec<Job>,
    truths: Vec<Truth>,
    /// One for each job that was there.
    rows: Vec<Row>,
    /// The index each of them has in the simulation forked from.
    origins: Vec<JobIndex>,
}

impl Fork {
    /// Copies the state; `run` says how long each job there will run in all, and is taken at its word: it is
    /// not cut at a limit. Jobs keep the index they have in the simulation forked from.
    pub fn of(view: &View<'_>, options: Options, mut run: impl FnMut(&Unknown<'_>) -> Seconds) -> Fork {
        let mut origins: Vec<JobIndex> = view.queue.iter(view.rows).collect();
        origins.extend(view.running.iter().filter(|entry| entry.end > view.gone_by).map(|entry| entry.job));
        origins.sort_unstable();
        let mut fork = Fork {
            now: view.now(),
            machine: view.machine(),
            options,
            jobs: Vec::with_capacity(origins.len()),
            truths: Vec::with_capacity(origins.len()),
            rows: Vec::with_capacity(origins.len()),
            origins,
        };
        for &origin in &fork.origins {
            let row = view.row(origin);
            let job = &view.jobs[origin.at()];
            let elapsed = (!row.is_waiting()).then(|| view.now() - Time(row.start));
            let run = run(&Unknown { job, elapsed, predicted: Seconds(row.predicted) });
            let run = run.max(elapsed.unwrap_or_default());
            fork.jobs.push(job.clone());
            fork.truths.push(Truth::rigid(run));
            fork.rows.push(row.assuming(run));
        }
        fork
    }

    /// Jobs that will arrive later, beside those expected already; one submitted before the instant of the fork
    /// counts as arriving at that instant. Their truths are taken as given.
    pub fn expect(&mut self, arrivals: impl IntoIterator<Item = (Job, Truth)>) {
        let there = self.rows.len();
        let mut expected: Vec<(Job, Truth)> =
            self.jobs.drain(there..).zip(self.truths.drain(there..)).collect();
        expected.extend(arrivals);
        expected.sort_by_key(|(job, _)| job.submit);
        for (job, truth) in expected {
            let submit = job.submit.max(self.now);
            self.jobs.push(Job { submit, ..job });
            self.truths.push(truth);
        }
    }

    /// When a job that waits starts, if everything goes as assumed; `None` if it does not wait here.
    ///
    /// The policy starts afresh: it knows this state and nothing before, so one that keeps reservations makes
    /// them anew. The predictor is asked about expected arrivals, and may revise whoever is there by the index
    /// the job has in the simulation forked from (so expected arrivals need an index of their own).
    pub fn start_of(
        &self,
        job: JobIndex,
        policy: &mut dyn Policy,
        predictor: &mut dyn RuntimePredictor,
    ) -> Result<Option<Time>, SimError> {
        let place = self.origins.binary_search(&job).ok().filter(|&place| self.rows[place].is_waiting());
        let Some(place) = place else { return Ok(None) };
        let mut company = Company { policy, predictor, observers: &mut [] };
        let mut engine = Engine::resume(self.machine, &self.jobs, &self.truths, self.options, &self.rows);
        engine.conclude(self.now, &mut company)?;
        while engine.start(JobIndex(place as u32)).is_none() && engine.step(&mut company)?.is_some() {}
        Ok(engine.start(JobIndex(place as u32)))
    }
}
