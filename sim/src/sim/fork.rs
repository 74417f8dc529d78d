//! What if: a copy of a site at one instant, run on under assumptions about run times and later arrivals.
//!
//! A fork has what a view shows: which jobs run, which wait, and what is predicted of them. How long each job really runs is
//! assumed by the caller, so a fork never reveals the truth. Start times are predicted by running many forks.

use super::engine::{Components, Engine, Unknown};
use super::error::SimError;
use super::options::Options;
use super::policy::Policy;
use crate::predict::RuntimePredictor;
use crate::site::{Site, View};
use queuecast_core::job::{Job, JobIndex, Truth};
use queuecast_core::units::{Seconds, Time};

/// A copy of a site, with an assumption about the run time of each job there.
#[derive(Debug, Clone)]
pub struct Fork {
    now: Time,
    options: Options,
    engine: Engine<'static>,
}

impl Fork {
    /// Copies the site of a view; `run` says how long each job there runs in all, and is taken at its word: it is not cut at a
    /// limit. Jobs keep their numbers.
    pub fn of(view: &View<'_>, options: Options, run: impl FnMut(&Unknown<'_>) -> Seconds) -> Fork {
        Fork::from_site(view.to_site(), view.now(), options, run)
    }

    /// A fork of a site of one's own at an instant.
    pub fn from_site(
        site: Site,
        now: Time,
        options: Options,
        run: impl FnMut(&Unknown<'_>) -> Seconds,
    ) -> Fork {
        Fork { now, options, engine: Engine::resume(site, now, options, run) }
    }

    /// The same site under other assumptions.
    pub fn assuming(&self, run: impl FnMut(&Unknown<'_>) -> Seconds) -> Fork {
        Fork::from_site(self.engine.site().clone(), self.now, self.options, run)
    }

    /// Jobs that will be submitted later, beside those expected already; one submitted before the instant of the fork arrives
    /// at that instant. They are numbered, after the jobs at the site, in order of submission. Their truths are taken as given.
    pub fn expect(&mut self, arrivals: impl IntoIterator<Item = (Job, Truth)>) {
        for (job, truth) in arrivals {
            let submit = job.submit.max(self.now);
            self.engine.submit(Job { submit, ..job }, truth);
        }
    }

    /// The number that the next expected arrival gets if it is the first one.
    pub fn next(&self) -> JobIndex {
        self.engine.site().submitted()
    }

    /// When a job that waits or is expected starts, if everything goes as assumed; `None` if it never does, or was running.
    ///
    /// The policy knows this state and nothing before, so one that keeps reservations makes them anew. The predictor is asked
    /// about expected arrivals, and may revise jobs by their numbers.
    pub fn start_of(
        &self,
        job: JobIndex,
        policy: &mut dyn Policy,
        predictor: &mut dyn RuntimePredictor,
    ) -> Result<Option<Time>, SimError> {
        self.clone().start_before(job, Time::NEVER, policy, predictor)
    }

    /// The start of a job as above, given up at `until`: `None` also if the job does not start before then. The fork is used up, which saves a
    /// copy.
    pub fn start_before(
        self,
        job: JobIndex,
        until: Time,
        policy: &mut dyn Policy,
        predictor: &mut dyn RuntimePredictor,
    ) -> Result<Option<Time>, SimError> {
        let mut engine = self.engine;
        let site = engine.site();
        if job < site.submitted() && site.job(job).is_none() || engine.start(job).is_some() {
            return Ok(None);
        }
        let mut parts = Components { policy, predictor, observers: &mut [] };
        engine.conclude(self.now, &mut parts)?;
        while engine.start(job).is_none() && engine.next().is_some_and(|next| next < until) {
            engine.step(&mut parts)?;
        }
        Ok(engine.start(job))
    }
}
