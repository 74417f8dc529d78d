//! Times in which nothing happens.

use super::timers::LAST_SECOND;
use queuecast_core::units::{Micros, Seconds};

/// Since when nothing has happened while no job runs.
///
/// What waits is looked at many times a day. What has not started for a day in which nothing ran and nothing happened, and for as
/// long as the age of jobs changes their order, does not start before something happens.
#[derive(Debug)]
pub struct QuietTime {
    since: Micros,
    /// How many jobs waited.
    waiting: usize,
    /// When the clock alone last changed something, and when it next will; `None`: not looked up since something happened.
    changes: Option<(Micros, Micros)>,
    /// For how long job age can still change the order of the queue; at least a day.
    ageing: Micros,
}

impl QuietTime {
    /// Quiet since `now`; job age changes the order of the queue for the time `max_age`.
    pub fn new(now: Micros, max_age: Seconds) -> QuietTime {
        let ageing = Micros::of_seconds(max_age.0.clamp(0, LAST_SECOND));
        QuietTime { since: now, waiting: 0, changes: None, ageing: ageing.max(Micros::DAY) }
    }

    /// Something happens now.
    pub fn end(&mut self, now: Micros) {
        (self.since, self.changes) = (now, None);
    }

    /// When something happens next, if nothing has for long: a job comes or ends, or what the clock alone changes. The end of time
    /// where nothing will.
    pub fn next<I: Iterator<Item = Micros>>(
        &mut self,
        now: Micros,
        waiting: usize,
        happens: Micros,
        changes: impl Fn() -> I,
    ) -> Option<Micros> {
        if std::mem::replace(&mut self.waiting, waiting) != waiting {
            self.end(now);
        }
        if now - self.since <= Micros::DAY {
            return None;
        }
        let known = self.changes.filter(|known| now < known.1);
        let (past, next) = *self.changes.insert(known.unwrap_or_else(|| {
            changes().fold((Micros(i64::MIN), Micros::NEVER), |(past, next), at| {
                if at <= now { (past.max(at), next) } else { (past, next.min(at)) }
            })
        }));
        let next = next.min(happens);
        let long = if next == Micros::NEVER { Micros::DAY } else { self.ageing };
        (now - self.since.max(past) > long).then_some(next)
    }
}
