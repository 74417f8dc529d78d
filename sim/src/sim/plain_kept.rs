//! Conservative backfilling with kept reservations as a plain loop over all waiting jobs, on any capacity: the definition that
//! [`super::conservative`] is tested against.
//!
//! When a job ends, the waiting jobs are taken in turn and each is moved to the earliest start that the other reservations leave
//! (compression; Mu'alem & Feitelson 2001, section 2). When a running job outlives its plan, or a prediction is revised, the reservations
//! that no longer fit are planned anew in turn; the others stay. Compression follows if a plan became shorter.

use std::collections::BTreeMap;

use super::plain::reason_of;
use super::policy::{Change, Policy, Start};
use crate::site::{Capacity, Otherwise, Started, View, WaitingJob};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Seconds, Time};

/// The start that is kept for a job, and how long it is planned to run then.
type KeptStart = (Time, Seconds);

/// A reservation for each waiting job.
#[derive(Debug, Clone, Default)]
pub(super) struct PlainKept {
    kept: BTreeMap<JobIndex, KeptStart>,
    /// Whether some reservations may not fit any more since the last plan.
    broken: bool,
    /// Whether a planned run time changed: then those of one start are in the order of the queue, whenever they were made.
    revised: bool,
    /// Whether a job ended or a planned run time became shorter: reservations may move earlier.
    eased: bool,
    wake: Option<Time>,
}

/// A plan in the making: the waiting jobs in turn, each with its reservation.
struct Keeping<'a> {
    now: Time,
    capacity: Box<dyn Capacity + 'a>,
    jobs: Vec<(WaitingJob<'a>, Option<KeptStart>)>,
}

impl Keeping<'_> {
    /// Holds what was kept, in the order of the starts. Where that may not fit any more, those that do not are planned anew in turn.
    fn hold_kept(&mut self, is_broken: bool, is_revised: bool) {
        let mut by_start: Vec<usize> =
            (0..self.jobs.len()).filter(|&place| self.jobs[place].1.is_some()).collect();
        by_start.sort_by_key(|&place| {
            let (job, kept) = &self.jobs[place];
            let rank = if is_revised { 0 } else { self.capacity.rank_of_kept(job.index) };
            (kept.map(|kept| kept.0), rank)
        });
        let mut displaced = Vec::new();
        for place in by_start {
            let (job, kept) = &mut self.jobs[place];
            let Some((at, planned)) = kept else { continue };
            *at = (*at).max(self.now);
            if is_broken {
                *planned = job.planned;
            }
            let fits = !is_broken || self.capacity.fits(job.index, *at, *planned);
            if !fits {
                displaced.push(place);
            }
            if !fits || !self.capacity.hold(job.index, *at, *planned) {
                *kept = None;
            }
        }
        displaced.sort_unstable();
        displaced.into_iter().for_each(|place| self.reserve(place));
    }

    /// Reserves the earliest start there is.
    fn reserve(&mut self, place: usize) {
        let (job, kept) = &mut self.jobs[place];
        let found = self.capacity.earliest(job.index, job.planned, usize::MAX);
        // What nothing may pass is held for ever.
        let at = found.start.or((found.otherwise == Otherwise::Blocks).then_some(Time::NEVER));
        *kept = at.filter(|&at| self.capacity.hold(job.index, at, job.planned)).map(|at| (at, job.planned));
    }

    /// Moves each in turn to the earliest start that the others leave it.
    fn compress(&mut self) {
        for (job, kept) in &mut self.jobs {
            let Some((at, planned)) = kept else { continue };
            if let Some(earlier) = self.capacity.earlier(job.index, *planned, *at) {
                self.capacity.give_back(job.index, *at, *planned);
                self.capacity.hold(job.index, earlier, *planned);
                *at = earlier;
            }
        }
    }

    /// Starts those whose reservations have come. Whether each found its room; those that did not have no reservation any more.
    fn start_due(&mut self, starts: &mut Vec<Start>) -> bool {
        let (mut jumped, mut all) = (None::<Time>, true);
        let now = self.now;
        for (job, kept) in &mut self.jobs {
            let Some((at, planned)) = *kept else { continue };
            if at > now {
                jumped = Some(jumped.map_or(at, |first| first.min(at)));
                continue;
            }
            *kept = None;
            match self.capacity.start(job.index, planned) {
                Started::Runs => {
                    let reason = reason_of(job.job.submit == now, now, planned, jumped);
                    starts.push(Start::preferred(job.index, reason));
                }
                Started::KeptBack => {}
                Started::NoRoom => all = false,
            }
        }
        all
    }
}

impl PlainKept {
    pub fn new() -> PlainKept {
        PlainKept::default()
    }
}

impl Policy for PlainKept {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let jobs = view.waiting().map(|job| (job, self.kept.get(&job.index).copied()));
        let mut plan = Keeping { now: view.now(), capacity: view.capacity(), jobs: jobs.collect() };
        plan.hold_kept(std::mem::take(&mut self.broken), std::mem::take(&mut self.revised));
        if std::mem::take(&mut self.eased) {
            plan.compress();
        }
        // Those that find no room where it was held are planned once more.
        for _ in 0..2 {
            for place in 0..plan.jobs.len() {
                let (job, kept) = &plan.jobs[place];
                if kept.is_none() && !starts.iter().any(|start| start.job == job.index) {
                    plan.reserve(place);
                }
            }
            if plan.start_due(starts) {
                break;
            }
        }
        self.kept = plan.jobs.iter().filter_map(|(job, kept)| Some((job.index, (*kept)?))).collect();
        self.wake = self.kept.values().map(|kept| kept.0).min();
    }

    fn note(&mut self, change: Change) {
        match change {
            Change::Ended { .. } => self.eased = true,
            Change::Moved { from, to, .. } => {
                (self.broken, self.revised) = (true, true);
                self.eased |= to < from;
            }
            Change::Revised { from, to, .. } => {
                (self.broken, self.revised) = (true, true);
                self.eased |= to < from;
            }
            Change::Withdrawn { .. } | Change::Resized => (self.broken, self.eased) = (true, true),
        }
    }

    fn wake(&self) -> Option<Time> {
        self.wake
    }
}
