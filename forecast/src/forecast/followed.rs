//! A method of the forecaster, as it follows a site.

use serde::{Deserialize, Serialize};

use super::method::WaitMethod;
use super::starts::{LearnedSite, SimulationModel, TreeModel};
use queuecast_core::job::Event;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, LearnedWaits, Nearest, PastWaits, WaitForecast, WaitPredictor};

/// A method and what it has learned. Those that simulate share what is learned of the site; it is passed to them.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FollowedMethod {
    pub method: WaitMethod,
    model: MethodModel,
}

/// The methods that are tried by default can be stored, others not.
#[derive(Clone, Serialize, Deserialize)]
enum MethodModel {
    Trees(Box<TreeModel>),
    Simulated(SimulationModel),
    Past(PastWaits),
    Nearest(Box<Nearest>),
    #[serde(skip)]
    Other(Box<dyn LearnedWaits>),
}

/// A model as [`MethodModel`] has it, `$trees` and `$simulated` for those that share what is learned of the site, and `$predictor` for
/// those that need nothing but what they are told.
macro_rules! by_model {
    ($model:expr, $trees:ident => $of_trees:expr, $simulated:ident => $of_simulated:expr, $predictor:ident => $other:expr) => {
        match $model {
            MethodModel::Trees($trees) => $of_trees,
            MethodModel::Simulated($simulated) => $of_simulated,
            MethodModel::Past($predictor) => $other,
            MethodModel::Nearest($predictor) => $other,
            MethodModel::Other($predictor) => $other,
        }
    };
}

impl FollowedMethod {
    /// Before the first event. `default_request` stands in for a missing requested time.
    pub fn new(method: WaitMethod, default_request: Seconds) -> FollowedMethod {
        let model = match &method {
            WaitMethod::Trees(settings) => MethodModel::Trees(Box::new(TreeModel::new(*settings))),
            WaitMethod::Simulated { draws, policy } => {
                MethodModel::Simulated(SimulationModel::new(*draws, policy.clone()))
            }
            WaitMethod::Past { window } => MethodModel::Past(PastWaits::new(*window)),
            WaitMethod::Nearest { window, distance, by: None, overruns: false } => {
                MethodModel::Nearest(Box::new(Nearest::new(*window, *distance)))
            }
            other => MethodModel::Other(other.build(default_request)),
        };
        FollowedMethod { method, model }
    }

    /// From the starts of how many earlier arrivals it learns before it is asked, at most: those before are forgotten by then.
    pub fn learned_from(&self) -> usize {
        match self.method {
            // More than the window, since jobs start in another order than they arrive.
            WaitMethod::Nearest { window, by: None, overruns: false, .. } => window.saturating_mul(2),
            _ => usize::MAX,
        }
    }

    /// Whether it can be stored.
    pub fn is_stored(&self) -> bool {
        !matches!(self.model, MethodModel::Other(_))
    }

    /// As [`WaitPredictor::forecast`].
    pub fn forecast(&self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        by_model!(&self.model,
            model => model.forecast(learned, arrival, site),
            model => model.forecast(learned, arrival, site),
            predictor => predictor.forecast(arrival, site))
    }

    /// As [`WaitPredictor::predict`], of a job that methods are tried on.
    pub fn predict(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        by_model!(&mut self.model,
            model => model.predict(learned, arrival, site),
            model => model.tried(learned, arrival, site),
            predictor => predictor.predict(arrival, site))
    }

    /// As [`WaitPredictor::arrives`]; this many later submissions before the first that it is tried on.
    pub fn arrives(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>, ahead: usize) {
        by_model!(&mut self.model,
            model => model.arrives(learned, arrival, site, ahead),
            _model => {},
            predictor => predictor.arrives(arrival, site));
    }

    /// As [`WaitPredictor::learn`].
    pub fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        by_model!(&mut self.model,
            model => model.learn(arrival, wait),
            model => model.learn(arrival, wait),
            predictor => predictor.learn(arrival, wait));
    }

    /// As [`WaitPredictor::observe`], after the site has learned from the event.
    pub fn observe(&mut self, event: &Event<'_>) {
        by_model!(&mut self.model,
            model => model.observe(event),
            model => model.observe(event),
            predictor => predictor.observe(event));
    }

    /// As [`WaitPredictor::refit`], given up once `stop` says so: then the models stay as they are, and are still due.
    pub fn refit(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        by_model!(&mut self.model,
            model => model.refit_unless(stop),
            _model => {},
            predictor => if !stop() { predictor.refit() });
    }
}
