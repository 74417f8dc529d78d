//! FCFS, EASY and its orders: one reservation, with an index of the jobs that could be backfilled.
//!
//! Plans exactly as the plain loop with depth one; a property test holds it to that. Three observations
//! make it fast:
//! - Within one plan, free and extra processors only shrink, so a job once passed over stays so.
//! - From one plan to the next, if no job ended and no plan changed, less time is left until the
//!   reservation and nothing else differs, so only jobs that have just arrived can start.
//! - Sorted in blocks with the shortest plan per size class, most of a long queue is skipped unseen.

use super::order::Order;
use super::plain::reason_of;
use super::policy::{Change, Policy, Start};
use super::size_class::{CLASSES, class};
use crate::site::View;
use crate::site::blocks::{Blocks, Entry, Place};
use crate::site::running::{PlannedEnd, Shadow};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Seconds, Time};

/// A waiting job as the search needs it.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    rank: u64,
    job: JobIndex,
    procs: u32,
    planned: i64,
}

/// What a block says: the fewest processors wanted, and for each size class the shortest plan among jobs
/// of that class or a smaller one. Plans too long for 32 bits count as the longest that fits, which can
/// only make a search look where it need not.
#[derive(Debug, Clone, Copy)]
struct Least {
    procs: u32,
    planned: [u32; CLASSES],
}

fn largest(free: i64) -> usize {
    class(u32::try_from(free).unwrap_or(u32::MAX))
}

fn short(planned: i64) -> u32 {
    u32::try_from(planned).unwrap_or(u32::MAX)
}

impl Entry for Candidate {
    type Key = (u64, JobIndex);
    type Summary = Least;
    const EMPTY: Least = Least { procs: u32::MAX, planned: [u32::MAX; CLASSES] };

    fn key(&self) -> (u64, JobIndex) {
        (self.rank, self.job)
    }

    fn include(least: &mut Least, entry: &Candidate) {
        least.procs = least.procs.min(entry.procs);
        let planned = short(entry.planned);
        for shortest in &mut least.planned[class(entry.procs)..] {
            *shortest = planned.min(*shortest);
        }
    }

    fn exclude(_least: &mut Least, _entry: &Candidate) {
        // What a block says stays true as a lower bound when a member leaves; a search that looked in vain
        // sharpens it again.
    }
}

impl Least {
    fn of(members: &[Candidate]) -> Least {
        let mut least = Candidate::EMPTY;
        for member in members {
            least.procs = least.procs.min(member.procs);
            let shortest = &mut least.planned[class(member.procs)];
            *shortest = short(member.planned).min(*shortest);
        }
        for class in 1..CLASSES {
            least.planned[class] = least.planned[class].min(least.planned[class - 1]);
        }
        least
    }
}

/// What a candidate must keep to.
#[derive(Debug, Clone, Copy)]
struct Room {
    free: i64,
    /// Size class of what is free: no larger job can start.
    largest: usize,
    /// Seconds until the reservation begins.
    window: i64,
    extra: i64,
}

impl Room {
    fn new(free: i64, shadow: Shadow, now: i64) -> Room {
        Room { free, largest: largest(free), window: shadow.at - now, extra: shadow.extra }
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        let procs = i64::from(candidate.procs);
        procs <= self.free && (candidate.planned <= self.window || procs <= self.extra)
    }

    fn may_hold_one_of(&self, least: &Least) -> bool {
        let fewest = i64::from(least.procs);
        fewest <= self.extra.min(self.free)
            || (fewest <= self.free && i64::from(least.planned[self.largest]) <= self.window)
    }

    fn fill(&mut self, candidate: &Candidate) {
        let procs = i64::from(candidate.procs);
        self.free -= procs;
        self.largest = largest(self.free);
        if candidate.planned > self.window {
            self.extra -= procs;
        }
    }
}

/// Depth one, head by arrival.
#[derive(Debug, Clone)]
pub(super) struct OneReservation {
    order: Option<Order>,
    candidates: Blocks<Candidate>,
    /// Jobs from this index on are not among the candidates yet.
    unseen: JobIndex,
    /// Whether anything but arrivals may have changed since the last plan.
    stale: bool,
    /// Free processors when the last plan was done.
    free: i64,
    /// The head's reservation, once reckoned; `None` after a change.
    shadow: Option<Shadow>,
    /// Heads started by the plan in progress, which the view does not show running yet.
    started: Vec<PlannedEnd>,
    /// Arrivals looked at by the plan in progress.
    arrivals: Vec<Candidate>,
}

impl OneReservation {
    pub fn new(order: Option<Order>) -> OneReservation {
        OneReservation {
            order,
            candidates: Blocks::new(),
            unseen: JobIndex(0),
            stale: true,
            free: 0,
            shadow: None,
            started: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    fn candidate(&self, order: Order, view: &View<'_>, job: JobIndex) -> Candidate {
        let row = view.row(job);
        Candidate { rank: order.rank(row.procs, row.planned), job, procs: row.procs, planned: row.planned }
    }

    /// Starts jobs from the head of the queue while they fit; the first that does not.
    fn start_heads(&mut self, view: &View<'_>, starts: &mut Vec<Start>) -> Option<JobIndex> {
        let mut head = view.head();
        while let Some(job) = head {
            let row = view.row(job);
            if i64::from(row.procs) > self.free {
                break;
            }
            self.free -= i64::from(row.procs);
            let end = view.now.saturating_add(row.planned);
            self.started.push(PlannedEnd { end, job, procs: row.procs });
            let reason = reason_of(row.submit == view.now, view.now(), Seconds(row.planned), None);
            starts.push(Start::preferred(job, reason));
            if let Some(order) = self.order.filter(|_| job < self.unseen) {
                let key = self.candidate(order, view, job).key();
                self.candidates.remove(key);
            }
            head = view.after(job);
        }
        head
    }

    /// Makes candidates of those that arrived since the last plan and did not start at the head.
    fn gather_arrivals(&mut self, order: Order, view: &View<'_>, head: JobIndex) {
        self.arrivals.clear();
        // Heads start in order of index, so a job that arrived and is not before the head still waits.
        for job in self.unseen.max(head).0..view.submitted().0 {
            if view.row(JobIndex(job)).is_waiting() {
                self.arrivals.push(self.candidate(order, view, JobIndex(job)));
            }
        }
    }

    fn room(&mut self, view: &View<'_>, head: JobIndex) -> Room {
        let wanted = view.row(head).procs;
        // Without enough processors ever (impossible in a checked workload) nothing may leap.
        let never = Shadow { at: view.now, extra: 0 };
        let OneReservation { free, ref mut started, .. } = *self;
        let shadow = *self.shadow.get_or_insert_with(|| {
            started.sort_unstable_by_key(|entry| entry.end);
            view.shadow(free, wanted, started).unwrap_or(never)
        });
        Room::new(free, shadow, view.now)
    }

    fn backfill(&mut self, candidate: &Candidate, room: &mut Room, view: &View<'_>, starts: &mut Vec<Start>) {
        let reservation = Time(view.now + room.window);
        room.fill(candidate);
        let reason = reason_of(false, view.now(), Seconds(candidate.planned), Some(reservation));
        starts.push(Start::preferred(candidate.job, reason));
    }

    fn settle(&mut self, room: &Room) {
        self.free = room.free;
        if let Some(shadow) = &mut self.shadow {
            shadow.extra = room.extra;
        }
    }

    /// Nothing changed but arrivals: the head stays blocked and only they can leap.
    fn plan_arrivals(&mut self, order: Order, view: &View<'_>, head: JobIndex, starts: &mut Vec<Start>) {
        if order != Order::Arrival {
            self.arrivals.sort_unstable_by_key(Candidate::key);
        }
        let arrivals = std::mem::take(&mut self.arrivals);
        if self.free > 0 {
            let mut room = self.room(view, head);
            for arrival in &arrivals {
                if room.holds(arrival) {
                    self.backfill(arrival, &mut room, view, starts);
                } else {
                    self.candidates.insert(*arrival);
                }
            }
            self.settle(&room);
        } else {
            arrivals.iter().for_each(|arrival| self.candidates.insert(*arrival));
        }
        self.arrivals = arrivals;
    }

    /// Everything may have changed: search all candidates.
    fn plan_all(&mut self, view: &View<'_>, head: JobIndex, starts: &mut Vec<Start>) {
        let mut room = self.room(view, head);
        let mut from = Place { block: 0, entry: 0 };
        while let Some(place) = (room.free > 0).then(|| self.next(from, &room)).flatten() {
            let candidate = self.candidates.blocks()[place.block].entries[place.entry];
            self.backfill(&candidate, &mut room, view, starts);
            let alone = self.candidates.blocks()[place.block].entries.len() == 1;
            self.candidates.remove_at(place);
            from = if alone { Place { block: place.block, entry: 0 } } else { place };
        }
        self.settle(&room);
    }

    /// The next candidate from a place on for whom there is room.
    fn next(&mut self, from: Place, room: &Room) -> Option<Place> {
        let mut skip = from.entry;
        let long = self.candidates.blocks().len() > WORTH_SHARPENING;
        for (block, members) in self.candidates.blocks_mut().iter_mut().enumerate().skip(from.block) {
            if room.may_hold_one_of(&members.summary) {
                let found = members.entries[skip..].iter().position(|candidate| room.holds(candidate));
                if let Some(entry) = found {
                    return Some(Place { block, entry: skip + entry });
                }
                if long {
                    members.summary = Least::of(&members.entries);
                }
            }
            skip = 0;
        }
        None
    }
}

/// In a list of no more blocks than this, looking in vain costs less than summing up again.
const WORTH_SHARPENING: usize = 1;

impl Policy for OneReservation {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let only_arrivals = !self.stale && view.free == self.free && view.queue_length() > 0;
        self.stale = false;
        self.started.clear();
        let head = if only_arrivals {
            // The head of the last plan is still blocked, unless there was none.
            let head = view.head();
            if head.is_some_and(|head| head < self.unseen) { head } else { self.start_heads(view, starts) }
        } else {
            self.free = view.free;
            self.shadow = None;
            self.start_heads(view, starts)
        };
        let (Some(head), Some(order)) = (head, self.order) else {
            self.unseen = view.submitted();
            self.shadow = None;
            return;
        };
        self.gather_arrivals(order, view, head);
        let known_head = only_arrivals && head < self.unseen;
        self.unseen = view.submitted();
        if known_head {
            self.plan_arrivals(order, view, head, starts);
        } else {
            self.arrivals.iter().for_each(|arrival| self.candidates.insert(*arrival));
            if self.free > 0 {
                self.plan_all(view, head, starts);
            }
        }
    }

    fn note(&mut self, change: Change) {
        self.stale = true;
        let Some(order) = self.order else { return };
        match change {
            // A job submitted since the last plan is no candidate yet.
            Change::Revised { job, procs, from, to } if job < self.unseen => {
                let procs = procs.0;
                self.candidates.remove((order.rank(procs, from.0), job));
                let rank = order.rank(procs, to.0);
                self.candidates.insert(Candidate { rank, job, procs, planned: to.0 });
            }
            Change::Withdrawn { job, procs, planned } if job < self.unseen => {
                self.candidates.remove((order.rank(procs.0, planned.0), job));
            }
            _ => {}
        }
    }
}
