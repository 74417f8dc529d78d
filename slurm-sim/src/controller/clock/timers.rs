//! The controller's clock, and what is due when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::phases::Phases;
use crate::controller::handles::JobHandle;
use queuecast_core::units::Micros;

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
    pub phases: Phases,
    due: BinaryHeap<Reverse<(Micros, Due)>>,
    /// The last pass over the whole queue.
    pub last_full: i64,
    /// The last pass of any kind.
    pub last_pass: i64,
    pub last_report: i64,
    last_limit_check: i64,
    /// Whether something has happened that calls for a pass of the main scheduler.
    pub pass_requested: bool,
    /// Whether something has happened that calls for a backfill cycle.
    pub changed: bool,
}

impl Clock {
    /// At the start of a controller.
    pub fn started(phases: Phases) -> Clock {
        Clock {
            now: phases.start,
            due: BinaryHeap::new(),
            last_full: phases.background_start(),
            last_pass: phases.start.second().0,
            last_report: phases.background_start(),
            last_limit_check: phases.background_start(),
            pass_requested: false,
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
        (self.last_pass, self.last_report) = (second - pass.clamp(0, full.max(0)), second);
    }

    /// The instant it is.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// The second it is.
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
        (self.pass_requested, self.changed) = (true, true);
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
