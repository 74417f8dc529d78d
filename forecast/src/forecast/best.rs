//! What `when` answers with, as a wait predictor: the first method, unless another had better ranges for the last jobs.

use std::fmt;

use super::answer::WhenSettings;
use super::forecaster::{Forecaster, SubmissionUse};
use super::method::WaitMethod;
use queuecast_core::job::{Event, JobIndex};
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, LearnedWaits, WaitForecast, WaitPredictor};

/// A [`Forecaster`] that predicts every job that it is asked about by the method that would answer then. Methods are tried on these jobs.
#[derive(Clone)]
pub struct BestWaits {
    forecaster: Forecaster,
    /// The last job that it was told is submitted.
    last: Option<JobIndex>,
}

impl fmt::Debug for BestWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BestWaits").field("forecaster", &self.forecaster).finish_non_exhaustive()
    }
}

impl BestWaits {
    /// Before the first event.
    pub fn new(settings: &WhenSettings) -> BestWaits {
        BestWaits { forecaster: Forecaster::new(settings), last: None }
    }

    fn submitted(&mut self, arrival: &Arrival<'_>, site: View<'_>, tried: bool) -> Option<WaitForecast> {
        self.last = Some(arrival.job.index);
        let used = SubmissionUse { tried, ..SubmissionUse::LIVE };
        if tried {
            self.forecaster.refit();
        }
        let best = self.forecaster.best(arrival.at);
        let mut said = self.forecaster.submitted(arrival.job, &site.as_site(), used);
        best.filter(|&best| best < said.len()).map(|best| said.swap_remove(best))
    }
}

/// The predictor of a method. Unlike [`WaitMethod::build`], which gives the first of the methods that [`WaitMethod::Best`] chooses from,
/// it chooses.
pub fn wait_predictor(method: &WaitMethod, default_request: Seconds) -> Box<dyn LearnedWaits> {
    match method {
        WaitMethod::Best => {
            Box::new(BestWaits::new(&WhenSettings { default_request, ..WhenSettings::default() }))
        }
        other => other.build(default_request),
    }
}

impl WaitPredictor for BestWaits {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let answers = self.forecaster.answer(std::slice::from_ref(arrival.job), &site.as_site(), arrival.at);
        let wait = answers.ok().and_then(|answers| answers.waits.into_iter().next());
        wait.unwrap_or_else(WaitForecast::nothing_known)
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.submitted(arrival, site, true).unwrap_or_else(WaitForecast::nothing_known)
    }

    fn refit(&mut self) {
        self.forecaster.refit();
    }

    fn arrives(&mut self, arrival: &Arrival<'_>, site: View<'_>) {
        if self.last != Some(arrival.job.index) {
            self.submitted(arrival, site, false);
        }
    }

    fn learn(&mut self, _: &Arrival<'_>, _: Seconds) {
        // The forecaster learns from the start itself, which it observes.
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.forecaster.observe(event);
    }
}
