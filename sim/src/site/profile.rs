//! Free processors over the future: a step function with one question, *when at the earliest are n
//! processors free for d seconds*.

use queuecast_core::units::{Procs, Seconds, Time};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProfileStep {
    at: i64,
    free: i64,
}

/// Free processors from now on, as steps; the last one lasts for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    steps: Vec<ProfileStep>,
}

impl Profile {
    /// `free` processors from `now` on, for ever.
    pub fn new(now: Time, free: Procs) -> Profile {
        Profile { steps: vec![ProfileStep { at: now.0, free: i64::from(free.0) }] }
    }

    /// From steps, each with its begin and its free processors, of which there is at least one.
    pub(crate) fn of(steps: impl Iterator<Item = (i64, i64)>) -> Profile {
        Profile { steps: steps.map(|(at, free)| ProfileStep { at, free }).collect() }
    }

    /// The steps, each with its begin and its free processors.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (i64, i64)> {
        self.steps.iter().map(|step| (step.at, step.free))
    }

    /// Forgets what is before `now`.
    pub fn advance(&mut self, now: Time) {
        let passed = self.steps.partition_point(|step| step.at <= now.0);
        if passed > 0 {
            self.steps.drain(..passed - 1);
        }
        self.steps[0].at = self.steps[0].at.max(now.0);
    }

    /// The earliest instant from `from` on at which `procs` processors are free for `length`.
    /// `None` if they never are.
    pub fn earliest(&self, from: Time, procs: Procs, length: Seconds) -> Option<Time> {
        self.earliest_without(from, procs, length, None)
    }

    /// [`Profile::earliest`], as if the reservation of `procs` processors for `length` held from `own` on were not there.
    pub fn earliest_without(
        &self,
        from: Time,
        procs: Procs,
        length: Seconds,
        own: Option<Time>,
    ) -> Option<Time> {
        let (wanted, length) = (i64::from(procs.0), length.0);
        let (own_from, own_to) = own.map_or((i64::MAX, i64::MAX), |at| (at.0, at.0.saturating_add(length)));
        let mut start = from.0;
        let mut blocked = false;
        let first = self.steps.partition_point(|step| step.at <= from.0).saturating_sub(1);
        for (place, step) in self.steps.iter().enumerate().skip(first) {
            let until = self.steps.get(place + 1).map_or(i64::MAX, |next| next.at);
            if step.free >= wanted {
                if blocked {
                    start = step.at;
                    blocked = false;
                }
            } else {
                // Too few, except where one's own reservation lies: that may be a part of this step only.
                let (owned_from, owned_to) = (own_from.max(step.at), own_to.min(until));
                if step.free + wanted < wanted || owned_from >= owned_to {
                    blocked = true;
                    continue;
                }
                if blocked || owned_from > step.at {
                    start = owned_from.max(from.0);
                    blocked = false;
                }
                if owned_to < until {
                    if owned_to - start >= length {
                        return Some(Time(start));
                    }
                    blocked = true;
                    continue;
                }
            }
            if until == i64::MAX || until - start >= length {
                return Some(Time(start));
            }
        }
        None
    }

    /// Whether `procs` processors are free from `from` for `length`.
    pub fn fits(&self, from: Time, procs: Procs, length: Seconds) -> bool {
        let end = from.0.saturating_add(length.0);
        let first = self.steps.partition_point(|step| step.at <= from.0).saturating_sub(1);
        self.steps[first..]
            .iter()
            .take_while(|step| step.at < end)
            .all(|step| step.free >= i64::from(procs.0))
    }

    /// Takes processors for a length of time, whether they are free or not.
    pub fn take(&mut self, from: Time, procs: Procs, length: Seconds) {
        self.change(from, length, -i64::from(procs.0));
    }

    /// Gives processors back.
    pub fn give(&mut self, from: Time, procs: Procs, length: Seconds) {
        self.change(from, length, i64::from(procs.0));
    }

    fn change(&mut self, from: Time, length: Seconds, by: i64) {
        if length <= Seconds::ZERO {
            return;
        }
        let first = self.cut(from.0);
        let past = self.cut(from.0.saturating_add(length.0));
        for step in &mut self.steps[first..past] {
            step.free += by;
        }
        // Equal neighbours say the same thing twice; without them the steps stay as few as can be.
        for border in [past, first] {
            if border > 0
                && self.steps.get(border).is_some_and(|step| step.free == self.steps[border - 1].free)
            {
                self.steps.remove(border);
            }
        }
    }

    /// The place of the step that begins at `at`, made if there is none.
    fn cut(&mut self, at: i64) -> usize {
        let place = self.steps.partition_point(|step| step.at < at);
        if self.steps.get(place).is_none_or(|step| step.at != at) {
            let free = self.steps[place.saturating_sub(1)].free;
            self.steps.insert(place, ProfileStep { at, free });
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hole_is_found_only_if_it_is_long_enough() {
        let mut profile = Profile::new(Time(0), Procs(10));
        profile.take(Time(0), Procs(8), Seconds(100));
        profile.take(Time(150), Procs(10), Seconds(50));
        let when = |procs, length| profile.earliest(Time(0), Procs(procs), Seconds(length));
        assert_eq!(when(2, 150), Some(Time(0)));
        assert_eq!(when(2, 151), Some(Time(200)));
        assert_eq!(when(3, 50), Some(Time(100)));
        assert_eq!(when(3, 51), Some(Time(200)));
        assert_eq!(when(11, 1), None);
    }

    /// Free processors second by second.
    struct Slow(Vec<i64>);

    impl Slow {
        fn fits(&self, from: usize, procs: i64, length: usize) -> bool {
            self.0[from..from + length].iter().all(|&free| free >= procs)
        }
    }

    proptest! {
        #[test]
        fn equals_counting_second_by_second(
            taken in prop::collection::vec((0..80_usize, 1..5_u32, 1..40_usize), 0..20),
            asked in prop::collection::vec((0..60_usize, 1..8_u32, 1..30_usize), 1..20),
        ) {
            let mut profile = Profile::new(Time(0), Procs(8));
            let mut slow = Slow(vec![8; 400]);
            let mut kept = Vec::new();
            for (at, procs, length) in taken {
                if slow.fits(at, i64::from(procs), length) {
                    profile.take(Time(at as i64), Procs(procs), Seconds(length as i64));
                    slow.0[at..at + length].iter_mut().for_each(|free| *free -= i64::from(procs));
                    kept.push((at, procs, length));
                }
            }
            for (from, procs, length) in asked {
                let expected = (from..300).find(|&at| slow.fits(at, i64::from(procs), length));
                let at = |place: usize| Time(place as i64);
                prop_assert_eq!(
                    profile.earliest(at(from), Procs(procs), Seconds(length as i64)), expected.map(at));
                prop_assert_eq!(
                    profile.fits(at(from), Procs(procs), Seconds(length as i64)),
                    slow.fits(from, i64::from(procs), length));
            }
            // Looking past one's own reservation is the same as giving it back first.
            for &(own, procs, length) in &kept {
                let (own, procs, length) = (Time(own as i64), Procs(procs), Seconds(length as i64));
                let mut without = profile.clone();
                without.give(own, procs, length);
                prop_assert_eq!(
                    profile.earliest_without(Time(0), procs, length, Some(own)),
                    without.earliest(Time(0), procs, length));
            }
            for (own, procs, length) in kept {
                profile.give(Time(own as i64), Procs(procs), Seconds(length as i64));
            }
            prop_assert_eq!(profile, Profile::new(Time(0), Procs(8)));
        }
    }
}
