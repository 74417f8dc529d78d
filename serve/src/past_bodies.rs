//! What was shown before: bodies of earlier moments of a played log, fewer the longer it is played.

use std::collections::VecDeque;

use axum::body::Bytes;

/// Bodies of one moment.
#[derive(Debug, Clone)]
pub(crate) struct BodiesThen {
    /// On the clock of the site.
    pub now: i64,
    /// Every job that waited.
    pub pending: Bytes,
    /// The machine.
    pub machine: Bytes,
}

/// Bodies of earlier moments, at most [`PastBodies::MOST`] of them and [`PastBodies::BYTES`] together.
#[derive(Debug, Default)]
pub(crate) struct PastBodies {
    kept: VecDeque<BodiesThen>,
    /// Seconds of the site between two that are kept, at least.
    apart: i64,
}

impl PastBodies {
    const MOST: usize = 1_000;
    const BYTES: usize = 64 << 20;

    /// Remembers a moment.
    pub fn add(&mut self, then: BodiesThen) {
        if self.kept.back().is_some_and(|last| last.now > then.now) {
            // A log that is played again has its own past.
            self.kept.clear();
            self.apart = 0;
        }
        if self.kept.back().is_some_and(|last| then.now - last.now < self.apart.max(1)) {
            return;
        }
        self.kept.push_back(then);
        while self.kept.len() > PastBodies::MOST || (self.bytes() > PastBodies::BYTES && self.kept.len() > 1)
        {
            self.thin();
        }
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|one| one.pending.len() + one.machine.len()).sum()
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
    pub fn at(&self, moment: i64) -> Option<&BodiesThen> {
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

    fn then(now: i64, bytes: usize) -> BodiesThen {
        BodiesThen { now, pending: Bytes::from(vec![0; bytes]), machine: Bytes::new() }
    }

    #[test]
    fn long_pasts_have_fewer_moments_and_keep_their_beginning() {
        let mut past = PastBodies::default();
        (0..5_000).for_each(|now| past.add(then(now * 60, 10)));
        assert!(past.kept.len() <= PastBodies::MOST && past.kept.len() > PastBodies::MOST / 4);
        assert_eq!(past.first(), Some(0));
        let asked = past.at(150_000).unwrap().now;
        assert!((140_000..=150_000).contains(&asked), "{asked}");
        assert!(past.at(-1).is_none());
        let mut large = PastBodies::default();
        (0..100).for_each(|now| large.add(then(now, 8 << 20)));
        assert!(large.bytes() <= PastBodies::BYTES);
        large.add(then(-5, 1));
        assert_eq!((large.first(), large.kept.len()), (Some(-5), 1));
    }
}
