//! Waits by simulating the queue, corrected by the site's own past: what `allocate` does for several sizes.

use std::collections::{HashMap, VecDeque};

use crate::allot::Sizes;
use crate::allot::advice::{Advisor, RunTimeModel, RunTimeOutlook};
use crate::distribution::Distribution;
use crate::job::{Event, JobIndex};
use crate::predict::PredictorSpec;
use crate::seed::Seed;
use crate::sim::Backfill;
use crate::site::View;
use crate::units::{Seconds, Time};
use crate::wait::{Arrival, Calibration, Lesson, WaitForecast, WaitPredictor, WaitQuestion};

/// The last waits that correct an answer, as of `allocate`.
const LESSONS: usize = 200;

/// Puts the job at the end of the queue and runs the site on under EASY backfilling, many times, with run times drawn from
/// those of similar jobs; then corrects the waits by what became of its earlier answers.
pub struct SimulatedWaits {
    policy: Backfill,
    draws: u32,
    run_times: RunTimeModel,
    default_request: Seconds,
    /// Answers to jobs that have not started. Looked up, never iterated.
    asked: HashMap<JobIndex, WaitQuestion>,
    lessons: VecDeque<Lesson>,
}

impl std::fmt::Debug for SimulatedWaits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulatedWaits").field("lessons", &self.lessons.len()).finish_non_exhaustive()
    }
}

impl SimulatedWaits {
    /// How many simulations make an answer by default.
    pub const DRAWS: u32 = 50;

    /// By so many simulations, at least one. `default_request` stands in for a missing requested time.
    pub fn new(draws: u32, default_request: Seconds) -> SimulatedWaits {
        let predictor = PredictorSpec::Requested.build(Vec::new, default_request);
        SimulatedWaits {
            policy: Backfill::easy(),
            draws: draws.max(1),
            run_times: RunTimeModel::new(RunTimeOutlook::default(), predictor),
            default_request,
            asked: HashMap::new(),
            lessons: VecDeque::new(),
        }
    }

    /// The waits of the job in all simulations, corrected; empty where it can never start.
    fn waits(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> Vec<Seconds> {
        let job = arrival.job;
        let request = job.shape.limit.unwrap_or(self.default_request).max(Seconds(1));
        let situation = self.run_times.situation(site.to_site(), site.now());
        let sizes = Sizes::one(job.shape.procs, request);
        let advisor = Advisor::new(situation, sizes, self.policy.clone(), 1.0);
        let Ok(drawn) = advisor.simulate(Seed(u64::from(job.index.0)), self.draws) else { return Vec::new() };
        if let Some(question) = advisor.question(&drawn) {
            self.asked.insert(job.index, question);
        }
        let corrected = match Calibration::of(self.lessons.iter().copied().collect()) {
            Some(calibration) => advisor.after_now(advisor.correct(&calibration, &drawn)),
            None => drawn,
        };
        corrected.iter().filter_map(|one| one.each.first()).map(|one| one.0).collect()
    }
}

impl WaitPredictor for SimulatedWaits {
    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let mut waits: Vec<f64> = self.waits(arrival, site).iter().map(|wait| wait.0.max(0) as f64).collect();
        waits.sort_by(f64::total_cmp);
        match Distribution::observed(waits.into(), 1.0) {
            Some(wait) => WaitForecast::by_median(wait),
            None => WaitForecast::nothing_known(),
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        if let Some(question) = self.asked.remove(&arrival.job.index) {
            if self.lessons.len() == LESSONS {
                self.lessons.pop_front();
            }
            let started: Time = arrival.at + wait;
            self.lessons.push_back(Lesson { question, wait, started });
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.run_times.observe(event);
    }
}
