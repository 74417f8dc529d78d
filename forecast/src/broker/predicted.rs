//! Least_Predictedqw: the site with the least predicted wait (Kumar & Vadhiyar 2014, section 4).

use super::brokers::{Broker, Routing, least};
use super::member::{Uses, WaitHistory};
use super::offer::SiteOffer;
use crate::forecast::{RangePoint, WaitMethod};
use queuecast_wait::FeatureDistance;

/// Prefers the sites where the job is predicted to be a quick starter (within an hour), if there are any; among the
/// candidates, chooses the least expected wait over the two classes that are named.
///
/// At a site with too little history, or whose queue demands more than any in its history, the load in seconds replaces the
/// prediction and only a job that starts at once is a quick starter. Otherwise jobs that arrive together would all go to a
/// site without waits yet; `literal` drops this demand check, as in the paper.
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
