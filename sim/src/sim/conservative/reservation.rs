//! Reservations sorted by start, with bounds per block, and when the reservation of each job begins.

use std::collections::VecDeque;

use crate::sim::availability::{FreeTime, seconds};
use crate::sim::size_class::{CLASSES, class};
use crate::site::blocks::Entry;
use queuecast_core::job::JobIndex;

/// The reservation of a waiting job. They are sorted by start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reservation {
    pub(super) at: i64,
    pub(super) planned: i64,
    pub(super) job: JobIndex,
    pub(super) procs: u32,
    /// How long it needs its processors, as summaries hold it. A job of no length needs an instant.
    pub(super) needs: i32,
    pub(super) class: u8,
    /// The time freed since the last visit into which the job may fit, as one interval; empty if none.
    pub(super) freed: (i64, i64),
    /// Whether the time right before it was freed since the last visit.
    pub(super) adjacent: bool,
}

/// No time.
pub(super) const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

pub(super) fn hull(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
    (one.0.min(other.0), one.1.max(other.1))
}

impl Reservation {
    pub(super) fn new(job: JobIndex, procs: u32, at: i64, planned: i64) -> Reservation {
        let (needs, class) = (seconds(planned.max(1)), class(procs) as u8);
        Reservation { at, planned, job, procs, needs, class, freed: NOTHING, adjacent: false }
    }

    pub(super) fn end(&self) -> i64 {
        self.at.saturating_add(self.planned)
    }

    pub(super) fn is_listed(&self) -> bool {
        self.adjacent || self.freed != NOTHING
    }
}

/// Bounds on the reservations of a block. They stay valid when one leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The shortest planned run time in each size class, at most what 32 bits hold.
    pub(super) shortest: [i32; CLASSES],
    /// The longest.
    pub(super) longest: [i32; CLASSES],
    /// Reservations that have left since the bounds were exact.
    pub(super) left: u32,
    /// No job that arrived before this one is in the block.
    pub(super) oldest: JobIndex,
}

impl Entry for Reservation {
    type Key = (i64, JobIndex);
    type Summary = Bounds;
    const EMPTY: Bounds =
        Bounds { shortest: [i32::MAX; CLASSES], longest: [0; CLASSES], left: 0, oldest: JobIndex(u32::MAX) };

    fn key(&self) -> (i64, JobIndex) {
        (self.at, self.job)
    }

    fn include(bounds: &mut Bounds, entry: &Reservation) {
        let class = usize::from(entry.class);
        bounds.shortest[class] = bounds.shortest[class].min(entry.needs);
        bounds.longest[class] = bounds.longest[class].max(entry.needs);
        bounds.oldest = bounds.oldest.min(entry.job);
    }

    fn exclude(bounds: &mut Bounds, _entry: &Reservation) {
        bounds.left += 1;
    }
}

impl Bounds {
    pub(super) fn of(entries: &[Reservation]) -> Bounds {
        let mut bounds = Reservation::EMPTY;
        entries.iter().for_each(|entry| Reservation::include(&mut bounds, entry));
        bounds
    }

    /// Whether a job of the block may be short enough for what an interval offers.
    pub(super) fn may_use(&self, offer: &FreeTime) -> bool {
        self.shortest.iter().zip(&offer.longest).fold(false, |any, (shortest, run)| any | (shortest <= run))
    }
}

/// When the reservation of each waiting job begins, by job.
#[derive(Debug, Clone, Default)]
pub(super) struct Starts {
    first: u32,
    /// From the first job on; `None` for jobs without a reservation.
    starts: VecDeque<Option<i64>>,
}

impl Starts {
    pub(super) fn of(&self, job: JobIndex) -> Option<i64> {
        *self.starts.get(job.0.checked_sub(self.first)? as usize)?
    }

    /// Jobs are added in arrival order.
    pub(super) fn add(&mut self, job: JobIndex, at: i64) {
        if self.starts.is_empty() {
            self.first = job.0;
        }
        self.starts.resize((job.0 - self.first) as usize, None);
        self.starts.push_back(Some(at));
    }

    pub(super) fn change(&mut self, job: JobIndex, at: Option<i64>) {
        if let Some(start) = self.starts.get_mut((job.0 - self.first) as usize) {
            *start = at;
        }
        while let Some(None) = self.starts.front() {
            self.starts.pop_front();
            self.first += 1;
        }
    }

    /// Whether some job that arrived before this one has a reservation.
    pub(super) fn any_before(&self, job: JobIndex) -> bool {
        !self.starts.is_empty() && self.first < job.0
    }
}
