//! Any wait predictor with remaining times below 0.

use std::collections::HashMap;

use super::features::Features;
use super::predictor::{Arrival, LearnedWaits, SimilarWaits, WaitForecast, WaitPredictor};
use queuecast_core::job::{Event, JobIndex, What};
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// A predictor that is asked and taught with [`Features::with_overruns`] in place of the features of arrivals. It has to be told of
/// arrivals: from a job of which it was not, it learns by the features that it is given.
#[derive(Clone)]
pub struct WithOverruns {
    of: Box<dyn LearnedWaits>,
    default_request: Seconds,
    /// Of jobs that have not started. Looked up, never iterated.
    features: HashMap<JobIndex, Features>,
}

impl std::fmt::Debug for WithOverruns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithOverruns").field("waiting", &self.features.len()).finish_non_exhaustive()
    }
}

impl WithOverruns {
    /// This predictor, so asked and taught. `default_request` stands in for a missing requested time.
    pub fn new(of: Box<dyn LearnedWaits>, default_request: Seconds) -> WithOverruns {
        WithOverruns { of, default_request, features: HashMap::new() }
    }
}

impl WaitPredictor for WithOverruns {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let features = arrival.features.with_overruns(arrival.job, site, self.default_request);
        self.of.forecast(&Arrival { features: &features, ..*arrival }, site)
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let features = arrival.features.with_overruns(arrival.job, site, self.default_request);
        self.of.predict(&Arrival { features: &features, ..*arrival }, site)
    }

    fn similar(&self, arrival: &Arrival<'_>, site: View<'_>) -> SimilarWaits {
        let features = arrival.features.with_overruns(arrival.job, site, self.default_request);
        self.of.similar(&Arrival { features: &features, ..*arrival }, site)
    }

    fn refit(&mut self) {
        self.of.refit();
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let features = self.features.remove(&arrival.job.index).unwrap_or(*arrival.features);
        self.of.learn(&Arrival { features: &features, ..*arrival }, wait);
    }

    fn arrives(&mut self, arrival: &Arrival<'_>, site: View<'_>) {
        let features = arrival.features.with_overruns(arrival.job, site, self.default_request);
        self.of.arrives(&Arrival { features: &features, ..*arrival }, site);
        self.features.insert(arrival.job.index, features);
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.of.observe(event);
        if let What::Withdrawn = event.what {
            self.features.remove(&event.job.index);
        }
    }
}
