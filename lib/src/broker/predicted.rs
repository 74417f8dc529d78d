//! Least_Predictedqw: the site with the least predicted wait (Kumar & Vadhiyar 2014, section 4).

use super::brokers::{Broker, Routing};
use super::member::Uses;
use super::offer::SiteOffer;
use crate::forecast::WaitMethod;

/// Sites where the job is expected to start within an hour come first, if these are neither none nor all; of those that are
/// left, the one with the least expected wait over the two classes that are named.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastPredictedWait {
    pub window: usize,
    pub literal: bool,
}

impl Broker for LeastPredictedWait {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        let quick: Vec<usize> = (0..offers.len()).filter(|&place| offers[place].is_quick()).collect();
        let candidates = match quick.len() {
            1 => return Routing::One(quick[0]),
            0 => (0..offers.len()).collect(),
            _ => quick,
        };
        let mut best = (candidates[0], f64::INFINITY);
        for place in candidates {
            let expected = offers[place].expected_wait();
            if expected < best.1 {
                best = (place, expected);
            }
        }
        Routing::One(best.0)
    }

    fn uses(&self) -> Uses {
        let ranges = WaitMethod::Ranges { window: self.window, instances: false, quick: true };
        Uses { loads: true, waits: Some(ranges) }
    }
}
