//! The backfilling family as one plain loop over all waiting jobs, on any capacity: the definition, which the faster planners are
//! tested against and which plans where there is none of them.

use super::order::Order;
use super::policy::{Policy, Start};
use super::priority::Formula;
use super::reservations::Depth;
use super::schedule::{Backfilled, Reason};
use crate::site::{Capacity, Otherwise, Started, View, WaitingJob};
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

    fn in_head_order<'a>(&self, view: &View<'a>) -> Vec<Turn<'a>> {
        let mut waiting: Vec<Turn<'a>> = in_turn(view.waiting());
        if let Some(formula) = &self.priority {
            let value = |one: Turn<'a>| (formula.value(&one.job, view.now()), one);
            let mut valued: Vec<(f64, Turn<'a>)> = waiting.into_iter().map(value).collect();
            valued.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            waiting = valued.into_iter().map(|(_, one)| one).collect();
        }
        waiting
    }
}

impl Policy for Plain {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let depth = match self.depth {
            Depth::First(depth) if self.order.is_some() => depth as usize,
            Depth::First(_) => 1,
            Depth::All => usize::MAX,
        };
        let Some(mut behind) = start_heads(view, self.in_head_order(view), depth, starts) else { return };
        let Some(order) = self.order else { return };
        behind
            .others
            .sort_by_key(|one| (order.rank(one.job.job.shape.procs.0, one.job.planned.0), one.place));
        behind.start_others(starts);
    }
}

/// A waiting job and its place in the queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'a> {
    pub place: usize,
    pub job: WaitingJob<'a>,
}

/// Waiting jobs with their places.
pub(super) fn in_turn<'a>(waiting: impl Iterator<Item = WaitingJob<'a>>) -> Vec<Turn<'a>> {
    waiting.enumerate().map(|(place, job)| Turn { place, job }).collect()
}

/// What is left once the jobs at the head have started or have reservations.
pub(super) struct Behind<'a> {
    now: Time,
    capacity: Box<dyn Capacity + 'a>,
    /// Jobs with a reservation.
    pub reserved: Vec<WaitingJob<'a>>,
    /// The earliest reservation.
    first: Option<Time>,
    /// Jobs that may start beside the reservations, in the order in which they are tried.
    pub others: Vec<Turn<'a>>,
}

/// Takes jobs in this order: each starts, or the earliest start is reserved for it until there are `depth` reservations. `None` if a
/// job is there that nothing may pass.
pub(super) fn start_heads<'a>(
    view: &View<'a>,
    order: Vec<Turn<'a>>,
    depth: usize,
    starts: &mut Vec<Start>,
) -> Option<Behind<'a>> {
    let now = view.now();
    let mut behind =
        Behind { now, capacity: view.capacity(), reserved: Vec::new(), first: None, others: Vec::new() };
    for one in order {
        let job = one.job;
        let found = behind.capacity.earliest(job.index, job.planned, depth);
        match found.start {
            Some(at) if at <= now => {
                if behind.capacity.start(job.index, job.planned) == Started::Runs {
                    starts.push(Start::preferred(job.index, reason(&job, now, behind.first)));
                }
                continue;
            }
            Some(at) => {
                behind.capacity.hold(job.index, at, job.planned);
                behind.reserved.push(job);
                behind.first = Some(behind.first.map_or(at, |first| first.min(at)));
            }
            None if found.otherwise == Otherwise::Blocks => return None,
            None => {}
        }
        if found.otherwise == Otherwise::MayPass {
            behind.others.push(one);
        }
    }
    Some(behind)
}

impl Behind<'_> {
    /// Starts the others that fit beside the reservations.
    pub fn start_others(mut self, starts: &mut Vec<Start>) {
        for Turn { job, .. } in self.others {
            if self.capacity.fits(job.index, self.now, job.planned)
                && self.capacity.start(job.index, job.planned) == Started::Runs
            {
                starts.push(Start::preferred(job.index, reason(&job, self.now, self.first)));
            }
        }
    }
}

/// Why a job starts now: in its turn, or ahead of the earliest reservation `jumped`.
fn reason(job: &WaitingJob<'_>, now: Time, jumped: Option<Time>) -> Reason {
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
