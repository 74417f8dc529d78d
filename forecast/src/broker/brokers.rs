//! Brokers: which site a job that arrives is sent to.

use super::member::Uses;
use super::offer::SiteOffer;
use crate::forecast::{FOREVER, WaitMethod};
use queuecast_core::order;
use queuecast_core::units::Seconds;

/// Where a job goes, by places among the offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// To this one.
    One(usize),
    /// A copy to each of these; once one starts, the others are withdrawn.
    Several(Vec<usize>),
}

/// Decides where jobs go.
pub trait Broker: Send {
    /// A job has arrived that these sites take: its home first, then in the order of the grid. There is at least one.
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing;

    /// What it needs the sites to keep. Without a wait method, [`SiteOffer::forecast`] returns `None`.
    fn uses(&self) -> Uses {
        Uses::default()
    }
}

/// The index of the least value; the first of equal ones.
pub(super) fn least(values: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (place, value) in values.into_iter().enumerate() {
        if value < best.1 {
            best = (place, value);
        }
    }
    best.0
}

/// Every job runs at its home; one without a home at the first site that takes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtHome;

impl Broker for AtHome {
    fn choose(&mut self, _: &mut [SiteOffer<'_>]) -> Routing {
        Routing::One(0)
    }
}

/// The site, or the few sites, with the least load (Subramani et al. 2002: greedy, and K-distributed).
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastLoaded {
    pub copies: usize,
}

impl Broker for LeastLoaded {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        let loads: Vec<f64> = offers.iter_mut().map(SiteOffer::load).collect();
        if self.copies == 1 {
            return Routing::One(least(loads));
        }
        let mut places: Vec<usize> = (0..offers.len()).collect();
        order::sort_by(&mut places, |&one, &other| loads[one].total_cmp(&loads[other]));
        places.truncate(self.copies);
        Routing::Several(places)
    }

    fn uses(&self) -> Uses {
        Uses { loads: true, ..Uses::default() }
    }
}

/// A copy to every site that takes the job (Casanova 2007).
#[derive(Debug, Clone, Copy)]
pub(super) struct Redundant;

impl Broker for Redundant {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        Routing::Several((0..offers.len()).collect())
    }
}

/// Which number of the predicted wait is minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// Its point.
    Point,
    /// This quantile.
    Quantile(f64),
}

/// Sends a job to the site with the least predicted turnaround (wait plus run time). Sites where the job starts at once
/// have no wait; ties go to the site with the least load after the job is added.
#[derive(Debug, Clone)]
pub(super) struct LeastTurnaround {
    pub aim: Aim,
    pub waits: WaitMethod,
}

impl Broker for LeastTurnaround {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        let aim = self.aim;
        Routing::One(soonest(
            offers,
            |offer, _| {
                let run = offer.planned_run();
                let wait = if offer.has_history() { offer.forecast() } else { None };
                let wait = match (wait, aim) {
                    (Some(forecast), Aim::Point) => forecast.point,
                    (Some(forecast), Aim::Quantile(share)) => forecast.wait.quantile(share),
                    (None, _) => offer.load(),
                };
                Some(wait + run.0 as f64)
            },
            |offer| offer.planned_run(),
        ))
    }

    fn uses(&self) -> Uses {
        Uses { loads: true, waits: Some(self.waits.clone()), ..Uses::default() }
    }
}

/// Knows how long every job runs, and sends each to where it would end first if no job were submitted after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Oracle;

impl Broker for Oracle {
    fn choose(&mut self, offers: &mut [SiteOffer<'_>]) -> Routing {
        let end = |offer: &mut SiteOffer<'_>, before: f64| {
            let run = offer.true_run().0 as f64;
            // One second beyond the best end so far, so that a tie is found too.
            let patience = (before - run + 1.0).clamp(1.0, FOREVER.0 as f64) as i64;
            Some(offer.true_wait(Seconds(patience))?.0 as f64 + run)
        };
        Routing::One(soonest(offers, end, |offer| offer.true_run()))
    }

    fn uses(&self) -> Uses {
        Uses { loads: true, ..Uses::default() }
    }
}

/// The index of the offer with the least `turnaround`; the function is given the best so far and may return `None` beyond
/// it. Sites where the job starts at once are evaluated first; others are skipped if their `run` time alone is no better.
fn soonest(
    offers: &mut [SiteOffer<'_>],
    mut turnaround: impl FnMut(&mut SiteOffer<'_>, f64) -> Option<f64>,
    run: impl Fn(&SiteOffer<'_>) -> Seconds,
) -> usize {
    let mut best: Option<(f64, f64, usize)> = None;
    let consider =
        |time: f64, offer: &mut SiteOffer<'_>, place: usize, best: &mut Option<(f64, f64, usize)>| {
            if best.is_none_or(|best| time <= best.0) {
                let load = offer.load_with_job();
                if best.is_none_or(|best| (time, load) < (best.0, best.1)) {
                    *best = Some((time, load, place));
                }
            }
        };
    let mut others = Vec::new();
    for (place, offer) in offers.iter_mut().enumerate() {
        if offer.starts_at_once() {
            consider(run(offer).0 as f64, offer, place, &mut best);
        } else {
            others.push(place);
        }
    }
    for place in others {
        let offer = &mut offers[place];
        let before = best.map_or(f64::INFINITY, |best| best.0);
        if run(offer).0 as f64 >= before {
            continue;
        }
        if let Some(time) = turnaround(offer, before) {
            consider(time, offer, place, &mut best);
        }
    }
    best.map_or(0, |best| best.2)
}
