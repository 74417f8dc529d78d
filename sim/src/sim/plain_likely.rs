//! Backfilling on distributions as one plain loop over a profile of free processors: the slow definition of
//! [`super::Likely`] that the faster planner is tested against.

use super::likely::Likely;
use super::plain::{free_from_now, reason};
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
    fn in_order<'a>(&self, view: &View<'a>) -> Vec<WaitingJob<'a>> {
        let now = view.now();
        let (mut order, mut others): (Vec<_>, Vec<_>) = view.waiting().partition(|job| self.is_due(job, now));
        let aged = |job: &WaitingJob<'_>| i128::from(self.likely.ageing.0 + (now - job.job.submit).0);
        // The sort is stable: ties stay in order of arrival.
        others.sort_by(|one, other| {
            (i128::from(one.predicted.0) * aged(other)).cmp(&(i128::from(other.predicted.0) * aged(one)))
        });
        order.extend(others);
        order
    }
}

impl Policy for PlainLikely {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let now = view.now();
        let mut profile = free_from_now(view);
        let mut reservation = None::<(Time, bool)>;
        for mut job in self.in_order(view) {
            let procs = job.job.shape.procs;
            let Some((reserved, due)) = reservation else {
                let Some(at) = profile.earliest(now, procs, job.planned) else { return };
                profile.take(at, procs, job.planned);
                if at == now {
                    starts.push(Start::preferred(job.index, reason(&job, now, None)));
                } else {
                    reservation = Some((at, self.is_due(&job, now)));
                }
                continue;
            };
            if !due {
                job.planned = job.bound;
            }
            if profile.fits(now, procs, job.planned) {
                profile.take(now, procs, job.planned);
                starts.push(Start::preferred(job.index, reason(&job, now, Some(reserved))));
            }
        }
    }

    fn confidence(&self) -> Option<f64> {
        Some(self.likely.confidence)
    }
}
