//! Conservative backfilling with kept reservations: each job gets a reservation when it arrives, and the reservation
//! moves only to earlier times while planned run times hold.
//!
//! Plans exactly as [`PlainConservative`], which visits every reservation at every plan; a property test holds
//! it to that. This one visits only the reservations that may have become movable:
//!
//! 1. When a reservation was made, or compression last visited it, no earlier start had room for it. Reserving
//!    takes room and cannot change that. So an earlier start has room now only if room was *freed* since then in the
//!    time the job would run, and after the last such change the start had room. It is enough, after each change that
//!    frees an interval, to list the reservations for which some start has room that uses a part of the interval.
//! 2. A start at which the job would run into its own present reservation has room only if the instant before
//!    that reservation has. So the job is listed when that instant is freed: its reservation begins in the interval or
//!    right after it.
//! 3. Any other start needs the job's processors free for its whole length without a break, in a stretch that
//!    overlaps the interval and ends before the reservation begins. The longest such stretch is measured per size
//!    class, and blocks of reservations without a job that short are skipped.
//!
//! Listed reservations are visited in arrival order. What a visit frees is listed for this compression if its turn is
//! still to come, otherwise for the next: exactly the order in which the plain loop would find it.
//!
//! When planned run times grow, only reservations in an overbooked interval can be displaced: outside of it, all fit
//! together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::reservation::{Bounds, NOTHING, Reservation, Starts, hull};
use crate::sim::availability::{Availability, StartRange, seconds};
use crate::sim::plain::reason_of;
use crate::sim::plain_conservative::{PlainConservative, Reserved};
use crate::sim::policy::{Change, Policy, Start};
use crate::sim::size_class::CLASSES;
use crate::site::Profile;
use crate::site::View;
use crate::site::blocks::{Blocks, Entry, Place};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};

/// A reservation for each waiting job, and what they leave free.
#[derive(Debug, Clone)]
pub(in crate::sim) struct Indexed {
    /// Free processors besides running jobs and reservations; `None` before the first plan.
    availability: Option<Availability>,
    reservations: Blocks<Reservation>,
    starts: Starts,
    /// No planned run time is longer.
    longest: i64,
    /// Jobs from this index on have no reservation yet.
    unseen: JobIndex,
    /// The reservation being visited by compression; those up to it have had their turn.
    turn: Option<JobIndex>,
    /// Reservations to visit in this compression, or in the next if there is none now.
    listed: BinaryHeap<Reverse<JobIndex>>,
    /// Reservations to visit in the next compression.
    listed_for_next: Vec<JobIndex>,
    changes: Changes,
    wake: Option<Time>,
    /// Jobs to start, kept for its memory.
    due: Vec<Reservation>,
}

/// What has changed since the last plan.
#[derive(Debug, Clone, Default)]
struct Changes {
    /// Processors of ended jobs, and until when the availability has them busy.
    ended: Vec<(u32, i64)>,
    /// Running jobs planned to end at another time, and until when the availability has them busy.
    moved: BTreeMap<JobIndex, i64>,
    /// Waiting jobs with other planned run times.
    revised: Vec<JobIndex>,
    /// Reservations of withdrawn jobs.
    withdrawn: Vec<Reservation>,
    /// Whether processors went out of service or came back.
    resized: bool,
    /// Whether a job ended or left, or a planned run time became shorter.
    eased: bool,
}

impl Indexed {
    /// Goes on where the plain loop is after a plan. All reservations are listed: which of them could move is unknown.
    pub fn from_plain(plain: &PlainConservative) -> Option<Indexed> {
        let mut indexed = Indexed {
            availability: Some(Availability::of(plain.profile.as_ref()?.steps())),
            reservations: Blocks::new(),
            starts: Starts::default(),
            longest: 0,
            unseen: plain.unseen,
            turn: None,
            listed: BinaryHeap::new(),
            listed_for_next: Vec::new(),
            changes: Changes::default(),
            wake: plain.wake,
            due: Vec::new(),
        };
        for reserved in &plain.reservations {
            let mut reservation =
                Reservation::new(reserved.job, reserved.procs.0, reserved.at.0, reserved.planned.0);
            (reservation.freed, reservation.adjacent) = ((i64::MIN, i64::MAX), true);
            indexed.longest = indexed.longest.max(reservation.planned);
            indexed.starts.add(reservation.job, reservation.at);
            indexed.listed.push(Reverse(reservation.job));
            indexed.reservations.insert(reservation);
        }
        Some(indexed)
    }

    /// The plain loop in the same state. For use after a plan.
    pub fn to_plain(&self) -> Option<PlainConservative> {
        let mut reservations: Vec<Reserved> = self
            .reservations
            .iter()
            .map(|reservation| Reserved {
                job: reservation.job,
                at: Time(reservation.at),
                procs: Procs(reservation.procs),
                planned: Seconds(reservation.planned),
            })
            .collect();
        reservations.sort_unstable_by_key(|reserved| reserved.job);
        let mut plain = PlainConservative::new();
        plain.profile = Some(Profile::of(self.availability.as_ref()?.steps()));
        plain.reservations = reservations;
        (plain.unseen, plain.wake) = (self.unseen, self.wake);
        Some(plain)
    }

    /// Brings the availability up to date with what has changed; displaces reservations that no longer fit.
    fn update(&mut self, availability: &mut Availability, view: &View<'_>) {
        let now = view.now;
        let mut changes = std::mem::take(&mut self.changes);
        let mut freed = NOTHING;
        for (procs, busy_until) in changes.ended.drain(..) {
            if busy_until > now {
                availability.add(now, busy_until, i64::from(procs));
                freed = (now, freed.1.max(busy_until));
            }
        }
        for reservation in changes.withdrawn.drain(..) {
            let (at, end) = (reservation.at.max(now), reservation.end());
            if at < end {
                availability.add(at, end, i64::from(reservation.procs));
                freed = hull(freed, (at, end));
            }
        }
        if !changes.moved.is_empty() || !changes.revised.is_empty() {
            let freed_too = self.replan(availability, view, &mut changes);
            freed = hull(freed, freed_too);
        }
        self.changes = changes;
        self.list(availability, freed);
    }

    /// Plans anew on a machine of another size: first the reservations that still fit, in order of their start, then
    /// the others in arrival order. All of them are listed.
    fn rebuild(&mut self, view: &View<'_>) -> Availability {
        let mut availability = free_from_now(view);
        let mut all: Vec<Reservation> = self.reservations.iter().copied().collect();
        let mut displaced = Vec::new();
        for (place, reservation) in all.iter_mut().enumerate() {
            let planned = view.row(reservation.job).planned;
            *reservation = Reservation::new(reservation.job, reservation.procs, reservation.at, planned);
            (reservation.freed, reservation.adjacent) = ((i64::MIN, i64::MAX), true);
            let procs = i64::from(reservation.procs);
            if availability.fits(reservation.at, reservation.end(), procs) {
                availability.add(reservation.at, reservation.end(), -procs);
            } else {
                displaced.push(place);
            }
        }
        displaced.sort_unstable_by_key(|&place| all[place].job);
        for place in displaced {
            let Reservation { procs, planned, .. } = all[place];
            all[place].at = reserve_earliest(&mut availability, view.now, procs, planned);
        }
        self.reservations = Blocks::new();
        self.listed.clear();
        for reservation in all {
            self.longest = self.longest.max(reservation.planned);
            self.starts.change(reservation.job, Some(reservation.at));
            self.listed.push(Reverse(reservation.job));
            self.reservations.insert(reservation);
        }
        availability
    }

    /// Takes over changed plans of running and waiting jobs. Returns an interval that holds all time freed.
    fn replan(
        &mut self,
        availability: &mut Availability,
        view: &View<'_>,
        changes: &mut Changes,
    ) -> (i64, i64) {
        let now = view.now;
        let mut freed = NOTHING;
        let mut taken = NOTHING;
        let mut change = |availability: &mut Availability, procs: u32, from: i64, to: i64| {
            let (begin, end) = (from.min(to).max(now), from.max(to));
            if begin < end {
                let (procs, span) =
                    if to < from { (i64::from(procs), &mut freed) } else { (-i64::from(procs), &mut taken) };
                availability.add(begin, end, procs);
                *span = (span.0.min(begin), span.1.max(end));
            }
        };
        for (job, busy_until) in std::mem::take(&mut changes.moved) {
            let row = view.row(job);
            change(availability, row.procs, busy_until, row.planned_end());
        }
        for job in changes.revised.drain(..) {
            let Some(place) = self.find(job) else { continue };
            let block = &mut self.reservations.blocks_mut()[place.block];
            let reservation = &mut block.entries[place.entry];
            let before = *reservation;
            reservation.planned = view.row(job).planned;
            reservation.needs = seconds(reservation.planned.max(1));
            change(availability, before.procs, before.end(), reservation.end());
            if reservation.planned < before.planned {
                // A shorter job may fit anywhere before its reservation.
                reservation.freed = (i64::MIN, i64::MAX);
                if !before.is_listed() {
                    self.listed.push(Reverse(job));
                }
            }
            let reservation = *reservation;
            Reservation::include(&mut block.summary, &reservation);
            self.longest = self.longest.max(reservation.planned);
        }
        let overbooked = if taken == NOTHING { None } else { availability.overbooked(taken.0, taken.1) };
        if let Some((from, to)) = overbooked {
            freed = hull(freed, self.displace(availability, now, from, to));
        }
        freed
    }

    /// Finds other times for reservations that overlap an overbooked interval and do not fit beside those that begin
    /// before them. Returns an interval that holds all their old times.
    fn displace(&mut self, availability: &mut Availability, now: i64, from: i64, to: i64) -> (i64, i64) {
        let first = (from.saturating_sub(self.longest), JobIndex(0));
        let near = self.reservations.after(first).take_while(|reservation| reservation.at < to);
        let mut overlapping: Vec<Reservation> =
            near.filter(|reservation| reservation.end() > from).copied().collect();
        for reservation in &overlapping {
            availability.add(reservation.at, reservation.end(), i64::from(reservation.procs));
        }
        overlapping.retain(|reservation| {
            let (at, end, procs) = (reservation.at, reservation.end(), i64::from(reservation.procs));
            let fits = availability.fits(at, end, procs);
            if fits {
                availability.add(at, end, -procs);
            }
            !fits
        });
        overlapping.sort_unstable_by_key(|reservation| reservation.job);
        let mut vacated = NOTHING;
        for reservation in &overlapping {
            vacated = hull(vacated, (reservation.at, reservation.end()));
            let at = reserve_earliest(availability, now, reservation.procs, reservation.planned);
            if let Some(place) = self.find(reservation.job) {
                self.set_start(place, at);
            }
        }
        vacated
    }

    fn find(&self, job: JobIndex) -> Option<Place> {
        self.reservations.find((self.starts.of(job)?, job))
    }

    /// Lists the reservations that may be able to move into a freed interval.
    fn list(&mut self, availability: &Availability, freed: (i64, i64)) {
        // A job that begins where the interval does, or before, has nothing to gain.
        let first = self.reservations.place_after((freed.0, JobIndex(u32::MAX)));
        if freed == NOTHING || first.block == self.reservations.blocks().len() {
            return;
        }
        let Indexed { reservations, listed, listed_for_next, turn, .. } = self;
        let blocks = &mut reservations.blocks_mut()[first.block..];
        let mut longest = [0; CLASSES];
        for block in &mut *blocks {
            if block.summary.left > WORTH_MEASURING {
                block.summary = Bounds::of(&block.entries);
            }
            for (longest, of_block) in longest.iter_mut().zip(&block.summary.longest) {
                *longest = (*longest).max(*of_block);
            }
        }
        let offer = availability.offer(freed.0, freed.1, &longest);
        if offer.most <= 0 {
            return;
        }
        let mut reader = availability.reader(offer.place);
        let mut skip = first.entry;
        for block in blocks {
            let skip = std::mem::take(&mut skip);
            let may_fit = block.summary.may_use(&offer);
            if !may_fit && block.entries[skip].at > freed.1 {
                continue;
            }
            for reservation in &mut block.entries[skip..] {
                let procs = i64::from(reservation.procs);
                if !may_fit && reservation.at > freed.1 {
                    break;
                }
                if procs > offer.most {
                    continue;
                }
                let fits = reservation.needs <= offer.longest[usize::from(reservation.class)];
                let adjacent = reservation.at <= freed.1 && reader.free_at(reservation.at - 1) >= procs;
                if !fits && !adjacent {
                    continue;
                }
                if !reservation.is_listed() {
                    if turn.is_none_or(|turn| reservation.job > turn) {
                        listed.push(Reverse(reservation.job));
                    } else {
                        listed_for_next.push(reservation.job);
                    }
                }
                reservation.adjacent |= adjacent;
                if fits {
                    reservation.freed = hull(reservation.freed, freed);
                }
            }
        }
    }

    /// Moves reservations to the earliest time the others leave, in arrival order.
    fn compress(&mut self, availability: &mut Availability, now: i64) {
        while let Some(Reverse(job)) = self.listed.pop() {
            let Some(place) = self.find(job) else { continue };
            let reservation = &mut self.reservations.blocks_mut()[place.block].entries[place.entry];
            let before = *reservation;
            (reservation.freed, reservation.adjacent) = (NOTHING, false);
            let Some(earlier) = earlier_start(availability, now, &before) else { continue };
            let Reservation { at, planned, procs, .. } = before;
            let procs = i64::from(procs);
            let end = earlier.saturating_add(planned);
            availability.add(earlier, end.min(at), -procs);
            availability.add(end.max(at), before.end(), procs);
            self.set_start(place, earlier);
            self.turn = Some(job);
            self.list(availability, (end.max(at), before.end()));
        }
        self.turn = None;
        self.listed.extend(self.listed_for_next.drain(..).map(Reverse));
    }

    fn set_start(&mut self, place: Place, at: i64) {
        let moved = Reservation { at, ..self.reservations.blocks()[place.block].entries[place.entry] };
        self.reservations.remove_at(place);
        self.reservations.insert(moved);
        self.starts.change(moved.job, Some(at));
    }

    /// Reserves for the jobs that arrived since the last plan.
    fn reserve_for_arrivals(&mut self, availability: &mut Availability, view: &View<'_>) {
        // In a policy that begins in the middle of a simulation, all waiting jobs are new; the head is the first.
        let unseen = view.head().map_or(self.unseen, |head| self.unseen.max(head));
        for job in (unseen.0..view.submitted().0).map(JobIndex) {
            let row = view.row(job);
            if row.is_waiting() {
                let (procs, planned) = (row.procs, row.planned);
                let at = reserve_earliest(availability, view.now, procs, planned);
                self.longest = self.longest.max(planned);
                self.reservations.insert(Reservation::new(job, procs, at, planned));
                self.starts.add(job, at);
            }
        }
        self.unseen = view.submitted();
    }

    /// Starts the jobs whose reservations begin, in arrival order.
    fn start_due(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let now = view.now;
        let mut due = std::mem::take(&mut self.due);
        while let Some(&reservation) = self.reservations.first().filter(|first| first.at <= now) {
            self.reservations.remove_at(Place { block: 0, entry: 0 });
            self.starts.change(reservation.job, None);
            due.push(reservation);
        }
        due.sort_unstable_by_key(|reservation| reservation.job);
        for reservation in due.drain(..) {
            let arrived_now = view.row(reservation.job).submit == now;
            let jumped = self.first_start_before(reservation.job);
            let reason = reason_of(arrived_now, view.now(), Seconds(reservation.planned), jumped);
            starts.push(Start::preferred(reservation.job, reason));
        }
        self.due = due;
        self.wake = self.reservations.first().map(|reservation| Time(reservation.at));
    }

    /// The earliest start reserved for a job that arrived before this one.
    fn first_start_before(&self, job: JobIndex) -> Option<Time> {
        if !self.starts.any_before(job) {
            return None;
        }
        let blocks = self.reservations.blocks().iter().filter(|block| block.summary.oldest < job);
        let mut older = blocks.flat_map(|block| &block.entries).filter(|reservation| reservation.job < job);
        older.next().map(|reservation| Time(reservation.at))
    }
}

/// How many reservations leave a block before its bounds are measured again.
const WORTH_MEASURING: u32 = 16;

/// The earliest start of a listed reservation, if it is earlier than its present one.
fn earlier_start(availability: &Availability, now: i64, reservation: &Reservation) -> Option<i64> {
    let Reservation { at, planned, freed, .. } = *reservation;
    let procs = i64::from(reservation.procs);
    let apart = || {
        // To use freed time, a job must still run when it begins, and begin before it ends.
        let from = freed.0.saturating_sub(planned.max(1)).saturating_add(1).max(now);
        availability.earliest(StartRange { from, before: freed.1.min(at), own: at }, procs, planned)
    };
    let apart = if freed == NOTHING { None } else { apart() };
    let adjacent = if reservation.adjacent { availability.free_since(at, procs) } else { None };
    apart.into_iter().chain(adjacent).min()
}

/// Reserves the earliest room there is. A checked workload has no job larger than the machine, so there always is
/// some; otherwise the job never starts.
fn reserve_earliest(availability: &mut Availability, now: i64, procs: u32, planned: i64) -> i64 {
    let search = StartRange { from: now, before: i64::MAX, own: i64::MAX };
    let procs = i64::from(procs);
    let Some(at) = availability.earliest(search, procs, planned) else { return i64::MAX };
    availability.add(at, at.saturating_add(planned), -procs);
    at
}

/// Free processors as running jobs end as planned.
fn free_from_now(view: &View<'_>) -> Availability {
    let mut availability = Availability::new(view.now, i64::from(view.machine().0));
    for running in view.running() {
        availability.add(view.now, running.planned_end.0, -i64::from(running.procs.0));
    }
    availability
}

impl Policy for Indexed {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let eased = std::mem::take(&mut self.changes.eased);
        let mut availability = match self.availability.take() {
            Some(mut availability) if !self.changes.resized => {
                availability.advance(view.now);
                self.update(&mut availability, view);
                availability
            }
            _ => {
                self.changes = Changes::default();
                self.rebuild(view)
            }
        };
        if eased {
            self.compress(&mut availability, view.now);
        }
        self.reserve_for_arrivals(&mut availability, view);
        self.availability = Some(availability);
        self.start_due(view, starts);
    }

    fn note(&mut self, change: Change) {
        let changes = &mut self.changes;
        match change {
            Change::Ended { job, procs, planned_end, .. } => {
                let busy_until = changes.moved.remove(&job).unwrap_or(planned_end.0);
                changes.ended.push((procs.0, busy_until));
                changes.eased = true;
            }
            Change::Moved { job, from, to } => {
                changes.moved.entry(job).or_insert(from.0);
                changes.eased |= to < from;
            }
            Change::Revised { job, from, to, .. } => {
                changes.revised.push(job);
                changes.eased |= to < from;
            }
            Change::Withdrawn { job, .. } => {
                changes.eased = true;
                if let Some(place) = self.starts.of(job).and_then(|at| self.reservations.find((at, job))) {
                    changes.withdrawn.push(self.reservations.blocks()[place.block].entries[place.entry]);
                    self.reservations.remove_at(place);
                    self.starts.change(job, None);
                }
            }
            Change::Resized => (changes.resized, changes.eased) = (true, true),
        }
    }

    fn wake(&self) -> Option<Time> {
        self.wake
    }
}
