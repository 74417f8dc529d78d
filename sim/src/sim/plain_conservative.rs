//! Conservative backfilling with kept reservations as a plain loop over all of them: the slow definition that
//! [`super::conservative`] is tested against.
//!
//! When a job ends, the waiting jobs are taken in arrival order and each is moved to the earliest start that the
//! other reservations leave (compression; Mu'alem & Feitelson 2001, section 2). When a running job outlives its
//! plan, or a prediction is revised, the reservations that no longer fit are planned anew in arrival order; the
//! others stay. Compression follows if a plan became shorter.

use super::plain::reason_of;
use super::policy::{Change, Policy, Start};
use crate::site::{Profile, View};
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Seconds, Time};

/// The reservation of a waiting job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reserved {
    pub job: JobIndex,
    pub at: Time,
    pub procs: Procs,
    pub planned: Seconds,
}

/// A reservation for each waiting job, in arrival order, and what they leave free.
#[derive(Debug, Clone)]
pub(super) struct PlainConservative {
    /// Free processors besides running jobs and reservations; `None` before the first plan.
    pub profile: Option<Profile>,
    pub reservations: Vec<Reserved>,
    pub unseen: JobIndex,
    /// Processors to give back, and until when.
    ended: Vec<(Procs, Time)>,
    /// Whether a planned run time changed since the last plan: some reservations may not fit any more.
    broken: bool,
    /// Whether a job ended or a planned run time became shorter: reservations may move earlier.
    eased: bool,
    pub wake: Option<Time>,
}

impl PlainConservative {
    pub fn new() -> PlainConservative {
        PlainConservative {
            profile: None,
            reservations: Vec::new(),
            unseen: JobIndex(0),
            ended: Vec::new(),
            broken: false,
            eased: false,
            wake: None,
        }
    }

    /// Plans anew around the running jobs: first the reservations that still fit, in order of their start, then
    /// the others in arrival order.
    fn rebuild(&mut self, view: &View<'_>) -> Profile {
        let now = view.now();
        let mut profile = view.profile();
        let mut by_start: Vec<usize> = (0..self.reservations.len()).collect();
        by_start.sort_by_key(|&place| self.reservations[place].at);
        let mut displaced = Vec::new();
        for place in by_start {
            let reservation = &mut self.reservations[place];
            reservation.at = reservation.at.max(now);
            reservation.planned = Seconds(view.row(reservation.job).planned);
            if profile.fits(reservation.at, reservation.procs, reservation.planned) {
                profile.take(reservation.at, reservation.procs, reservation.planned);
            } else {
                displaced.push(place);
            }
        }
        displaced.sort_unstable();
        for place in displaced {
            let reservation = &mut self.reservations[place];
            reservation.at = place_earliest(&mut profile, now, reservation.procs, reservation.planned);
        }
        profile
    }

    fn compress(&mut self, profile: &mut Profile, now: Time) {
        for reservation in &mut self.reservations {
            let Reserved { at, procs, planned, .. } = *reservation;
            let earliest = profile.earliest_without(now, procs, planned, Some(at));
            if let Some(earlier) = earliest.filter(|&earliest| earliest < at) {
                profile.give(at, procs, planned);
                profile.take(earlier, procs, planned);
                reservation.at = earlier;
            }
        }
    }
}

/// Reserves the earliest room there is. A checked workload has no job larger than the machine, so there always is
/// some; otherwise the job never starts.
fn place_earliest(profile: &mut Profile, now: Time, procs: Procs, planned: Seconds) -> Time {
    let Some(at) = profile.earliest(now, procs, planned) else { return Time::NEVER };
    profile.take(at, procs, planned);
    at
}

impl Policy for PlainConservative {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let now = view.now();
        let eased = std::mem::take(&mut self.eased);
        let mut profile = match self.profile.take() {
            Some(mut profile) if !self.broken => {
                profile.advance(now);
                for (procs, planned_end) in &self.ended {
                    profile.give(now, *procs, *planned_end - now);
                }
                profile
            }
            _ => self.rebuild(view),
        };
        self.broken = false;
        self.ended.clear();
        if eased {
            self.compress(&mut profile, now);
        }
        // In a policy that begins in the middle of a simulation, all waiting jobs are new; the head is the first.
        let unseen = view.head().map_or(self.unseen, |head| self.unseen.max(head));
        for job in (unseen.0..view.submitted().0).map(JobIndex) {
            let row = view.row(job);
            if row.is_waiting() {
                let (procs, planned) = (Procs(row.procs), Seconds(row.planned));
                let at = place_earliest(&mut profile, now, procs, planned);
                self.reservations.push(Reserved { job, at, procs, planned });
            }
        }
        self.unseen = view.submitted();
        self.profile = Some(profile);

        let mut jumped = None::<Time>;
        let mut wake = None::<Time>;
        self.reservations.retain(|reservation| {
            let Reserved { job, at, planned, .. } = *reservation;
            if at > now {
                jumped = Some(jumped.map_or(at, |first| first.min(at)));
                wake = jumped;
                return true;
            }
            let arrived_now = view.row(job).submit == now.0;
            starts.push(Start::preferred(job, reason_of(arrived_now, now, planned, jumped)));
            false
        });
        self.wake = wake;
    }

    fn note(&mut self, change: Change) {
        match change {
            Change::Ended { procs, planned_end, .. } => {
                self.ended.push((procs, planned_end));
                self.eased = true;
            }
            Change::Moved { from, to, .. } => {
                self.broken = true;
                self.eased |= to < from;
            }
            Change::Revised { from, to, .. } => {
                self.broken = true;
                self.eased |= to < from;
            }
            Change::Withdrawn { job, .. } => {
                self.reservations.retain(|reservation| reservation.job != job);
                (self.broken, self.eased) = (true, true);
            }
            Change::Resized => (self.broken, self.eased) = (true, true),
        }
    }

    fn wake(&self) -> Option<Time> {
        self.wake
    }
}
