//! Waits by simulating the site onwards many times.

use std::fmt;

use super::learned_site::LearnedSite;
use crate::distribution::Distribution;
use crate::job::Event;
use crate::predict::PredictorSpec;
use crate::seed::Seed;
use crate::sim::Backfill;
use crate::site::View;
use crate::units::Seconds;
use crate::wait::{Arrival, WaitForecast, WaitPredictor};

/// Puts the job into the queue and runs the site on, many times: the waits that come out are the distribution.
pub struct SimulatedWaits {
    site: LearnedSite,
    draws: u32,
    policy: Option<Backfill>,
}

impl fmt::Debug for SimulatedWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedWaits")
            .field("draws", &self.draws)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl SimulatedWaits {
    /// How many simulations make an answer by default.
    pub const DRAWS: u32 = 200;

    /// Before the first event. Without a policy the site is taken to schedule by EASY backfilling, its queue in the order that it was
    /// seen to prefer.
    pub fn new(draws: u32, policy: Option<Backfill>, predictor: &PredictorSpec, default_request: Seconds) -> SimulatedWaits {
        SimulatedWaits { site: LearnedSite::new(predictor, default_request), draws: draws.max(1), policy }
    }
}

impl WaitPredictor for SimulatedWaits {
    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let job = arrival.job;
        let seed = Seed(u64::from(job.index.0));
        let waits = match &self.policy {
            // A job that fits while none waits starts at once under every policy.
            _ if site.queue_length() == 0 && job.shape.procs <= site.free() => vec![0.0],
            Some(policy) => self.site.waits_under(policy, site, job, self.draws, seed),
            None => self.site.waits(site, job, self.draws, seed),
        };
        match Distribution::observed(waits.into(), 1.0) {
            Some(wait) => WaitForecast::by_measure(wait),
            None => WaitForecast::nothing_known(),
        }
    }

    fn learn(&mut self, _arrival: &Arrival<'_>, _wait: Seconds) {}

    fn observe(&mut self, event: &Event<'_>) {
        self.site.observe(event);
    }
}
