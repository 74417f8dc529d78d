//! Times in which nothing happens.

use super::phases::SECOND;

/// A day, in microseconds.
pub const DAY: i64 = 86_400 * SECOND;

/// Since when nothing has happened while no job runs, in microseconds.
///
/// What waits is looked at many times a day. What has not started for a day in which nothing ran and nothing happened, and for as
/// long as the age of jobs changes their order, does not start before something happens.
#[derive(Debug)]
pub struct QuietTime {
    since: i64,
    /// How many jobs waited.
    waiting: usize,
    /// When the clock alone last changed something, and when it next will; `None`: not looked up since something happened.
    changes: Option<(i64, i64)>,
    /// Microseconds for which job age can still change the order of the queue; at least a day.
    ageing: i64,
}

impl QuietTime {
    /// Quiet since `now_us`; job age changes the order of the queue for `ageing` microseconds.
    pub fn new(now_us: i64, ageing: i64) -> QuietTime {
        QuietTime { since: now_us, waiting: 0, changes: None, ageing: ageing.max(DAY) }
    }

    /// Something happens now.
    pub fn end(&mut self, now_us: i64) {
        (self.since, self.changes) = (now_us, None);
    }

    /// When something happens next, if nothing has for long: a job comes or ends, or what the clock alone changes. The end of time
    /// where nothing will.
    pub fn next<I: Iterator<Item = i64>>(
        &mut self,
        now_us: i64,
        waiting: usize,
        happens: i64,
        changes: impl Fn() -> I,
    ) -> Option<i64> {
        if std::mem::replace(&mut self.waiting, waiting) != waiting {
            self.end(now_us);
        }
        if now_us - self.since <= DAY {
            return None;
        }
        let known = self.changes.filter(|known| now_us < known.1);
        let (past, next) = *self.changes.insert(known.unwrap_or_else(|| {
            changes().fold((i64::MIN, i64::MAX), |(past, next), at| {
                if at <= now_us { (past.max(at), next) } else { (past, next.min(at)) }
            })
        }));
        let next = next.min(happens);
        let long = if next == i64::MAX { DAY } else { self.ageing };
        (now_us - self.since.max(past) > long).then_some(next)
    }
}
