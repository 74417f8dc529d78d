//! Least_Predictedqw: the site with the least predicted wait (Kumar & Vadhiyar 2014, section 4).

use super::brokers::{Broker, Routing, least};
use super::member::{Uses, WaitHistory};
use super::offer::SiteOffer;
use crate::forecast::{RangePoint, WaitMethod};
use queuecast_sim::wait::FeatureDistance;

/// Sites where the job is expected to start within an hour come first, if these are neither none nor all; of those that are
/// left, the one with the least expected wait over the two classes that are named.
///
/// Predictions have nothing to go by at a site with no history, and at one whose queue asks for more than any in the history: the
/// load stands in there, in seconds, and only a job that starts at once is a quick starter. Without this rule jobs that
/// arrive together all go where none has waited yet, and nothing is learned until they start; `literal` is without it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastPredictedWait {
    pub window: usize,
    pub distance: FeatureDistance,
    pub overruns: bool,
    pub history: WaitHistory,
    pub literal: bool,
}

impl LeastPredictedWait {
    fn knows(&self, offer: &mut SiteOffer<'_>) -> bool {
        if self.literal { offer.has_history() } else { offer.is_within_history() }
    }

    fn is_quick(&self, offer: &mut SiteOffer<'_>) -> bool {
        let predicted = if self.knows(offer) { offer.is_quick() } else { None };
        predicted.unwrap_or_else(|| offer.starts_at_once())
    }

    fn expected_wait(&self, offer: &mut SiteOffer<'_>) -> f64 {
        let predicted = if self.knows(offer) { offer.ranges() } else { None };
        predicted.map_or_else(|| offer.load(), |ranges| ranges.expected_wait())
    }
}

impl Broker for LeastPredictedWait {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        let quick: Vec<usize> =
            (0..offers.len()).filter(|&place| self.is_quick(&mut offers[place])).collect();
        let candidates = match quick.len() {
            1 => return Routing::One(quick[0]),
            0 => (0..offers.len()).collect(),
            _ => quick,
        };
        let waits: Vec<f64> =
            candidates.iter().map(|&place| self.expected_wait(&mut offers[place])).collect();
        Routing::One(candidates[least(waits)])
    }

    fn uses(&self) -> Uses {
        let ranges = WaitMethod::Ranges {
            window: self.window,
            point: RangePoint::Nearest(self.distance),
            quick: true,
            overruns: self.overruns,
        };
        Uses { loads: true, waits: Some(ranges), history: self.history }
    }
}
