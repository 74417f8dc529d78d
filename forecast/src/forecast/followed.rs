//! A method of the forecaster, as it follows a site.

use super::method::WaitMethod;
use super::starts::{LearnedSite, SimulationModel, TreeModel};
use queuecast_core::job::Event;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, WaitForecast, WaitPredictor};

/// A method and what it has learned. Those that simulate share what is learned of the site; it is passed to them.
pub(super) struct FollowedMethod {
    pub method: WaitMethod,
    model: MethodModel,
}

enum MethodModel {
    Trees(Box<TreeModel>),
    Simulated(SimulationModel),
    Other(Box<dyn WaitPredictor>),
}

impl FollowedMethod {
    /// Before the first event. `default_request` stands in for a missing requested time.
    pub fn new(method: WaitMethod, default_request: Seconds) -> FollowedMethod {
        let model = match &method {
            WaitMethod::Trees(settings) => MethodModel::Trees(Box::new(TreeModel::new(*settings))),
            WaitMethod::Simulated { draws, policy } => {
                MethodModel::Simulated(SimulationModel::new(*draws, policy.clone()))
            }
            other => MethodModel::Other(other.build(default_request)),
        };
        FollowedMethod { method, model }
    }

    /// As [`WaitPredictor::forecast`].
    pub fn forecast(&self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        match &self.model {
            MethodModel::Trees(model) => model.forecast(learned, arrival, site),
            MethodModel::Simulated(model) => model.forecast(learned, arrival, site),
            MethodModel::Other(predictor) => predictor.forecast(arrival, site),
        }
    }

    /// As [`WaitPredictor::predict`].
    pub fn predict(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        match &mut self.model {
            MethodModel::Trees(model) => model.predict(learned, arrival, site),
            MethodModel::Simulated(model) => model.predict(learned, arrival, site),
            MethodModel::Other(predictor) => predictor.predict(arrival, site),
        }
    }

    /// As [`WaitPredictor::arrives`].
    pub fn arrives(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) {
        match &mut self.model {
            MethodModel::Trees(model) => model.arrives(learned, arrival, site),
            MethodModel::Simulated(_) => {}
            MethodModel::Other(predictor) => predictor.arrives(arrival, site),
        }
    }

    /// As [`WaitPredictor::learn`].
    pub fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        match &mut self.model {
            MethodModel::Trees(model) => model.learn(arrival, wait),
            MethodModel::Simulated(model) => model.learn(arrival, wait),
            MethodModel::Other(predictor) => predictor.learn(arrival, wait),
        }
    }

    /// As [`WaitPredictor::observe`], after the site has learned from the event.
    pub fn observe(&mut self, event: &Event<'_>) {
        match &mut self.model {
            MethodModel::Trees(model) => model.observe(event),
            MethodModel::Simulated(model) => model.observe(event),
            MethodModel::Other(predictor) => predictor.observe(event),
        }
    }

    /// As [`WaitPredictor::refit`].
    pub fn refit(&mut self) {
        match &mut self.model {
            MethodModel::Trees(model) => model.refit(),
            MethodModel::Simulated(_) => {}
            MethodModel::Other(predictor) => predictor.refit(),
        }
    }
}
