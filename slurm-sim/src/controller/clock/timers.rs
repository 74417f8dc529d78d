//! The controller's clock, and what is due when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::phases::{Phases, REPORT};
use crate::controller::handles::JobHandle;
use queuecast_core::units::{Micros, Seconds};

/// The last second of the clock: some three thousand years from its zero.
pub const LAST_SECOND: i64 = 100_000_000_000;

/// Seconds between two checks of time limits.
pub const LIMIT_CHECK: i64 = 30;

/// An instant beyond the clock's last is the last.
pub fn on_clock(at: Micros) -> Micros {
    let last = Micros::of_seconds(LAST_SECOND);
    at.clamp(Micros::ZERO - last, last)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A job ends by itself.
    End(JobHandle, u32),
    /// The nodes of a job that was stopped are free again.
    Release(JobHandle),
}

/// The controller's clock: what time it is, when its timers were last due, and what happens to jobs when. Seconds are whole.
#[derive(Debug)]
pub struct Clock {
    now: Micros,
    phases: Phases,
    due: BinaryHeap<Reverse<(Micros, Due)>>,
    /// The last pass over the whole queue.
    last_full: i64,
    passes: PassTimes,
    /// The last report of node states to the accounting database.
    last_report: i64,
    last_limit_check: i64,
    /// Whether something has happened that calls for a backfill cycle.
    changed: bool,
}

/// What decides when the background thread makes its next pass of the main scheduler.
#[derive(Debug, Clone, Copy)]
pub struct PassTimes {
    /// The second of the last pass of any kind.
    last: i64,
    /// Whether something has happened since that calls for a pass.
    is_requested: bool,
}

impl Clock {
    /// At the start of a controller.
    pub fn started(phases: Phases) -> Clock {
        Clock {
            now: phases.start,
            due: BinaryHeap::new(),
            last_full: phases.background_start(),
            passes: PassTimes { last: phases.start.second().0, is_requested: false },
            last_report: phases.background_start(),
            last_limit_check: phases.background_start(),
            changed: false,
            phases,
        }
    }

    /// At an instant at which a pass went over the whole queue, limits were checked and any pass was made the given numbers of seconds
    /// ago.
    pub fn resume(&mut self, now: Micros, [full, limit_check, pass]: [i64; 3]) {
        self.now = now;
        let second = self.second();
        self.last_full = second - full;
        self.last_limit_check = second - limit_check.clamp(0, LIMIT_CHECK);
        (self.passes.last, self.last_report) = (second - pass.clamp(0, full.max(0)), second);
    }

    /// When the timers are due.
    pub fn phases(&self) -> Phases {
        self.phases
    }

    /// The instant it is.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// The second it is.
    #[inline]
    pub fn second(&self) -> i64 {
        self.now.second().0
    }

    /// The clock is put to an instant, which may be an earlier one.
    pub fn set(&mut self, now: Micros) {
        self.now = now;
    }

    /// Time passes until an instant; one that is past changes nothing.
    pub fn advance(&mut self, to: Micros) {
        self.now = self.now.max(to);
    }

    /// Something happens after a length of time.
    pub fn set_due(&mut self, after: Micros, what: Due) {
        self.due.push(Reverse((self.now + after, what)));
    }

    /// When something is due next.
    pub fn next_due(&self) -> Micros {
        self.due.peek().map_or(Micros::NEVER, |Reverse((at, _))| *at)
    }

    /// What is due next.
    pub fn take_due(&mut self) -> Option<Due> {
        self.due.pop().map(|Reverse((_, due))| due)
    }

    /// No end of a job is due any more.
    pub fn forget_ends(&mut self) {
        self.due.retain(|Reverse((_, due))| matches!(due, Due::Release(_)));
    }

    /// Something has happened that both schedulers have to look at.
    pub fn request_schedulers(&mut self) {
        self.request_pass();
        self.request_cycle();
    }

    /// Something has happened that calls for a pass of the main scheduler.
    pub fn request_pass(&mut self) {
        self.passes.is_requested = true;
    }

    /// Something has happened that calls for a backfill cycle.
    pub fn request_cycle(&mut self) {
        self.changed = true;
    }

    /// Whether something has happened since the last cycle that calls for one; then one is made now.
    pub fn take_cycle(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// A pass of the main scheduler begins.
    pub fn begin_pass(&mut self) {
        self.passes = PassTimes { last: self.second(), is_requested: false };
    }

    /// What decides when the next pass is made.
    pub fn pass_times(&self) -> PassTimes {
        self.passes
    }

    /// The next pass is made as if those since then had not been.
    pub fn restore_pass_times(&mut self, times: PassTimes) {
        self.passes = times;
    }

    /// Whether nodes are reported to the accounting database now, as they are every [`REPORT`] seconds.
    pub fn take_report(&mut self) -> bool {
        let now = self.second();
        let is_due = now - self.last_report >= REPORT;
        if is_due {
            self.last_report = now;
        }
        is_due
    }

    /// Whether a pass over the whole queue is made now, as it is once in `interval`; `None`: never.
    pub fn take_full_pass(&mut self, interval: Option<Seconds>) -> bool {
        let now = self.second();
        let is_due = interval.is_some_and(|interval| now - self.last_full >= interval.0);
        if is_due {
            self.last_full = now;
        }
        is_due
    }

    /// Whether a pass has been called for and the last one is at least `delay` ago.
    pub fn is_pass_due(&self, delay: Seconds) -> bool {
        self.passes.is_requested && self.second() - self.passes.last >= delay.0
    }

    /// Whether time limits are to be checked in this second; then the next check counts from it.
    pub fn is_limit_check(&mut self, second: i64) -> bool {
        let is_due = second - self.last_limit_check >= LIMIT_CHECK;
        if is_due {
            self.last_limit_check = second;
        }
        is_due
    }

    /// Time limits were checked in this second.
    pub fn limits_checked(&mut self, second: i64) {
        self.last_limit_check = second;
    }
}
