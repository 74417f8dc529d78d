//! Waits by simulating the site onwards many times, corrected by what became of past answers.

use queuecast_core::order;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::learned_site::LearnedSite;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, Calibration, Lesson, WaitForecast, WaitPredictor, WaitQuestion};

/// The last answers that correct one, as of `allocate`.
const LESSONS: usize = 200;

/// Answers whose outcome is not known, at most.
const MOST_OPEN: usize = 100_000;

/// Simulations of a trial, at most: enough to tell what its range is worth. An answer has all of them.
const TRIAL_DRAWS: u32 = 40;

/// Jobs in a queue behind which a trial has fewer simulations.
const LONG_QUEUE: u32 = 100;

/// Simulations of a trial, at least.
const FEWEST_DRAWS: u32 = 8;

/// Puts the job into the queue of a site and runs the site on, many times: the waits that come out, corrected by what became of past
/// answers like them, are the distribution.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::forecast) struct SimulationModel {
    draws: u32,
    policy: Option<Backfill>,
    /// By the number of the job.
    open: BTreeMap<JobIndex, WaitQuestion>,
    lessons: VecDeque<Lesson>,
}

impl SimulationModel {
    /// Before the first event. Without a policy the site is taken to schedule by EASY backfilling, its queue in the order that it was
    /// seen to prefer.
    pub fn new(draws: u32, policy: Option<Backfill>) -> SimulationModel {
        SimulationModel { draws: draws.max(1), policy, open: BTreeMap::new(), lessons: VecDeque::new() }
    }

    /// The simulated waits of a job; empty if it never starts.
    fn simulated(&self, learned: &LearnedSite, job: &Job, site: View<'_>, draws: u32) -> Vec<Seconds> {
        let seed = Seed(u64::from(job.index.0));
        let waits = match &self.policy {
            // A job that fits while none waits starts at once under every policy.
            _ if site.queue_length() == 0 && job.shape.procs <= site.free() => vec![0.0; draws as usize],
            Some(policy) => learned.waits_under(policy, site, job, draws, seed),
            None => learned.waits(site, job, draws, seed),
        };
        waits.iter().map(|&wait| Seconds(wait as i64)).collect()
    }

    /// The distribution of these waits, corrected by what became of past answers like them.
    fn corrected(&self, procs: Procs, request: Seconds, mut waits: Vec<Seconds>) -> WaitForecast {
        if waits.is_empty() {
            return WaitForecast::nothing_known();
        }
        if let Some(calibration) = Calibration::of(self.lessons.iter().copied().collect()) {
            calibration.correct(&mut waits, procs, request);
        }
        let mut waits: Vec<f64> = waits.iter().map(|wait| wait.0.max(0) as f64).collect();
        order::sort_floats(&mut waits);
        match Distribution::observed(waits.into(), 1.0) {
            Some(wait) => WaitForecast::by_measure(wait),
            None => WaitForecast::nothing_known(),
        }
    }

    /// As [`WaitPredictor::forecast`].
    pub fn forecast(&self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let job = arrival.job;
        let waits = self.simulated(learned, job, site, self.draws);
        self.corrected(job.shape.procs, learned.request(job), waits)
    }

    /// As [`WaitPredictor::predict`], of fewer simulations: it is for trying the method. The longer the queue, the fewer, since each costs
    /// as much as the queue is long.
    pub fn tried(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let affordable = TRIAL_DRAWS * LONG_QUEUE / (site.queue_length() as u32).max(LONG_QUEUE);
        self.noted(learned, arrival, site, self.draws.min(affordable.max(FEWEST_DRAWS)))
    }

    /// As [`WaitPredictor::predict`].
    pub fn predict(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.noted(learned, arrival, site, self.draws)
    }

    fn noted(
        &mut self,
        learned: &LearnedSite,
        arrival: &Arrival<'_>,
        site: View<'_>,
        draws: u32,
    ) -> WaitForecast {
        let (job, request) = (arrival.job, learned.request(arrival.job));
        let waits = self.simulated(learned, job, site, draws);
        if !waits.is_empty() {
            if self.open.len() >= MOST_OPEN {
                self.open.pop_first();
            }
            self.open.insert(job.index, WaitQuestion::new(waits.iter().copied(), job.shape.procs, request));
        }
        self.corrected(job.shape.procs, request, waits)
    }

    /// As [`WaitPredictor::learn`].
    pub fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        if let Some(question) = self.open.remove(&arrival.job.index) {
            if self.lessons.len() == LESSONS {
                self.lessons.pop_front();
            }
            self.lessons.push_back(Lesson { question, wait, started: arrival.at + wait });
        }
    }

    /// As [`WaitPredictor::observe`], after the site has learned from the event.
    pub fn observe(&mut self, event: &Event<'_>) {
        if let What::Withdrawn = event.what {
            self.open.remove(&event.job.index);
        }
    }
}

/// Predicts waits by simulating the site onwards many times, corrected by what became of past answers.
#[derive(Clone)]
pub struct SimulatedWaits {
    learned: LearnedSite,
    model: SimulationModel,
}

impl fmt::Debug for SimulatedWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedWaits")
            .field("draws", &self.model.draws)
            .field("policy", &self.model.policy)
            .finish_non_exhaustive()
    }
}

impl SimulatedWaits {
    /// How many simulations make an answer by default.
    pub const DRAWS: u32 = 200;

    /// Before the first event. Without a policy the site is taken to schedule by EASY backfilling, its queue in the order that it was
    /// seen to prefer.
    pub fn new(
        draws: u32,
        policy: Option<Backfill>,
        predictor: &PredictorSpec,
        default_request: Seconds,
    ) -> SimulatedWaits {
        let learned = LearnedSite::new(predictor, default_request);
        SimulatedWaits { learned, model: SimulationModel::new(draws, policy) }
    }
}

impl WaitPredictor for SimulatedWaits {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.model.forecast(&self.learned, arrival, site)
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.model.predict(&self.learned, arrival, site)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.model.learn(arrival, wait);
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.learned.observe(event);
        self.model.observe(event);
    }
}
