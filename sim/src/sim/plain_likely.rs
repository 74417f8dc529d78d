//! Backfilling on distributions by the plain loop: the definition of [`super::Likely`], on any capacity, that the faster planner
//! is tested against.

use super::likely::Likely;
use super::plain::{Turn, in_turn, start_heads};
use super::policy::{Policy, Start};
use crate::site::{View, WaitingJob};
use queuecast_core::units::Time;

/// Plans from the view alone and keeps no state.
#[derive(Debug, Clone)]
pub(super) struct PlainLikely {
    likely: Likely,
}

impl PlainLikely {
    pub fn new(likely: Likely) -> PlainLikely {
        PlainLikely { likely }
    }

    fn is_due(&self, job: &WaitingJob<'_>, now: Time) -> bool {
        self.likely.is_due(job.job.submit, now)
    }

    /// Jobs whose patience has run out, by arrival; then those of the shortest aged length, predicted · ageing / (ageing + wait).
    fn in_order<'a>(&self, view: &View<'a>) -> Vec<Turn<'a>> {
        let now = view.now();
        let (mut order, mut others): (Vec<_>, Vec<_>) = view.waiting().partition(|job| self.is_due(job, now));
        let aged = |job: &WaitingJob<'_>| i128::from(self.likely.ageing.0 + (now - job.job.submit).0);
        // The sort is stable: ties stay in order of arrival.
        others.sort_by(|one, other| {
            (i128::from(one.predicted.0) * aged(other)).cmp(&(i128::from(other.predicted.0) * aged(one)))
        });
        order.extend(others);
        in_turn(order.into_iter())
    }
}

impl Policy for PlainLikely {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let Some(mut behind) = start_heads(view, self.in_order(view), 1, starts) else { return };
        if !behind.reserved.iter().any(|job| self.is_due(job, view.now())) {
            behind.others.iter_mut().for_each(|one| one.job.planned = one.job.bound);
        }
        behind.start_others(starts);
    }

    fn confidence(&self) -> Option<f64> {
        Some(self.likely.confidence)
    }
}
