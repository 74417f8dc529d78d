//! What was shown before: queue and machine at earlier moments of a played log, fewer the longer it is played.

use std::collections::VecDeque;

use queuecast_place::{MachineAnswer, PendingAnswer};

/// Queue and machine at one moment.
#[derive(Debug, Clone)]
pub(crate) struct QueueThen {
    /// On the clock of the site.
    pub now: i64,
    /// Every job that waited.
    pub pending: PendingAnswer,
    /// The machine.
    pub machine: MachineAnswer,
    /// Bytes that both have as bodies, which is about as many as they take.
    pub bytes: usize,
}

/// Earlier moments, at most [`PlayedPast::MOST`] of them and [`PlayedPast::BYTES`] together.
#[derive(Debug, Default)]
pub(crate) struct PlayedPast {
    kept: VecDeque<QueueThen>,
    /// Seconds of the site between two that are kept, at least.
    apart: i64,
}

impl PlayedPast {
    const MOST: usize = 1_000;
    const BYTES: usize = 16 << 20;

    /// Remembers a moment.
    pub fn add(&mut self, then: QueueThen) {
        if self.kept.back().is_some_and(|last| last.now > then.now) {
            // A log that is played again has its own past.
            self.kept.clear();
            self.apart = 0;
        }
        if self.kept.back().is_some_and(|last| then.now - last.now < self.apart.max(1)) {
            return;
        }
        self.kept.push_back(then);
        while self.kept.len() > PlayedPast::MOST || (self.bytes() > PlayedPast::BYTES && self.kept.len() > 1)
        {
            self.thin();
        }
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|one| one.bytes).sum()
    }

    /// Forgets every other moment.
    fn thin(&mut self) {
        let mut place = 0;
        self.kept.retain(|_| {
            place += 1;
            place % 2 == 1
        });
        let span = self.kept.back().zip(self.kept.front()).map_or(0, |(last, first)| last.now - first.now);
        self.apart = span / (self.kept.len().max(2) as i64 - 1);
    }

    /// The last moment by then.
    pub fn at(&self, moment: i64) -> Option<&QueueThen> {
        self.kept.iter().rev().find(|one| one.now <= moment)
    }

    /// The earliest moment.
    pub fn first(&self) -> Option<i64> {
        self.kept.front().map(|one| one.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Time;
    use queuecast_trace::{Moment, TimeZone};

    fn then(now: i64, bytes: usize) -> QueueThen {
        let moment = Moment { time: Time(now), date: None };
        let (version, source, zone) = ("", String::new(), TimeZone::UTC);
        let (queues, jobs, running, planned) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let pending = PendingAnswer {
            version,
            source: source.clone(),
            moment: moment.clone(),
            epoch: None,
            zone,
            user: None,
            queues,
            shown: None,
            jobs,
        };
        let machine =
            MachineAnswer { version, source, moment, now, processors: 0, used: 0, running, planned };
        QueueThen { now, pending, machine, bytes }
    }

    #[test]
    fn long_pasts_have_fewer_moments_and_keep_their_beginning() {
        let mut past = PlayedPast::default();
        (0..5_000).for_each(|now| past.add(then(now * 60, 10)));
        assert!(past.kept.len() <= PlayedPast::MOST && past.kept.len() > PlayedPast::MOST / 4);
        assert_eq!(past.first(), Some(0));
        let asked = past.at(150_000).unwrap().now;
        assert!((140_000..=150_000).contains(&asked), "{asked}");
        assert!(past.at(-1).is_none());
        let mut large = PlayedPast::default();
        (0..100).for_each(|now| large.add(then(now, 8 << 20)));
        assert!(large.bytes() <= PlayedPast::BYTES);
        large.add(then(-5, 1));
        assert_eq!((large.first(), large.kept.len()), (Some(-5), 1));
    }
}
