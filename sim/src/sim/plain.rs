//! The backfilling family as one plain loop over all waiting jobs: the slow definition that the faster planners
//! are tested against.

use super::order::Order;
use super::policy::{Policy, Start};
use super::priority::Formula;
use super::profile::Profile;
use super::reservations::Depth;
use super::schedule::{Backfilled, Reason};
use crate::site::{View, WaitingJob};
use queuecast_core::units::{Seconds, Time};

/// Plans from the view alone and keeps no state.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    depth: Depth,
    order: Option<Order>,
    priority: Option<Formula>,
}

impl Plain {
    pub fn new(depth: Depth, order: Option<Order>, priority: Option<Formula>) -> Plain {
        Plain { depth, order, priority }
    }

    fn in_head_order<'a>(&self, view: &View<'a>) -> Vec<WaitingJob<'a>> {
        let mut waiting: Vec<WaitingJob<'a>> = view.waiting().collect();
        if let Some(formula) = &self.priority {
            let mut valued: Vec<(f64, WaitingJob<'a>)> =
                waiting.iter().map(|job| (formula.value(job, view.now()), *job)).collect();
            valued.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            waiting = valued.into_iter().map(|(_, job)| job).collect();
        }
        waiting
    }
}

impl Policy for Plain {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let now = view.now();
        let depth = match self.depth {
            Depth::First(depth) => depth as usize,
            Depth::All => usize::MAX,
        };
        let mut profile = free_from_now(view);
        let mut first_reservation = None::<Time>;
        let mut reserved = 0;
        let mut others = Vec::new();
        for job in self.in_head_order(view) {
            if reserved == depth || (reserved > 0 && self.order.is_none()) {
                others.push(job);
                continue;
            }
            let procs = job.job.shape.procs;
            // A job larger than what is in service can never start; nothing passes it until processors come back.
            let Some(at) = profile.earliest(now, procs, job.planned) else { return };
            profile.take(at, procs, job.planned);
            if at == now {
                starts.push(Start::preferred(job.index, reason(&job, now, first_reservation)));
            } else {
                reserved += 1;
                first_reservation = Some(first_reservation.map_or(at, |first| first.min(at)));
            }
        }
        let Some(order) = self.order else { return };
        if order != Order::Arrival {
            others.sort_by_key(|job| (order.rank(job.job.shape.procs.0, job.planned.0), job.index));
        }
        for job in others {
            let procs = job.job.shape.procs;
            if profile.fits(now, procs, job.planned) {
                profile.take(now, procs, job.planned);
                starts.push(Start::preferred(job.index, reason(&job, now, first_reservation)));
            }
        }
    }
}

/// The free processors over time if running jobs end as planned.
pub(super) fn free_from_now(view: &View<'_>) -> Profile {
    let mut profile = Profile::new(view.now(), view.machine());
    let mut busy = i64::from(view.machine().0) - view.free;
    for running in view.running() {
        let procs = running.procs;
        profile.take(view.now(), procs, running.planned_end - view.now());
        busy -= i64::from(procs.0);
    }
    debug_assert_eq!(busy, 0, "busy processors are held by running jobs");
    profile
}

/// Why a job starts now: in its turn, or ahead of the earliest reservation `jumped`.
pub(super) fn reason(job: &WaitingJob<'_>, now: Time, jumped: Option<Time>) -> Reason {
    reason_of(job.job.submit == now, now, job.planned, jumped)
}

/// [`reason`] from the job's facts.
pub(super) fn reason_of(arrived_now: bool, now: Time, planned: Seconds, jumped: Option<Time>) -> Reason {
    match jumped {
        Some(reservation) if now + planned <= reservation => Reason::Backfilled(Backfilled::InTime),
        Some(_) => Reason::Backfilled(Backfilled::InSpace),
        None if arrived_now => Reason::Immediate,
        None => Reason::Reserved,
    }
}
