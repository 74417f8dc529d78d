//! Free processors over time, held to a plain list.

use proptest::prelude::*;

use super::super::size_class::class;
use super::*;
use crate::site::Profile;
use queuecast_core::units::{Procs, Seconds, Time};

const MACHINE: i64 = 40;

/// Some intervals with processors taken, in a availability and second by second.
fn taken(intervals: &[(i64, i64, i64)], seconds: usize) -> (Availability, Vec<i64>) {
    let mut availability = Availability::new(0, MACHINE);
    let mut slow = vec![MACHINE; seconds];
    for &(from, length, procs) in intervals {
        availability.add(from, from + length, -procs);
        slow[from as usize..(from + length) as usize].iter_mut().for_each(|free| *free -= procs);
    }
    (availability, slow)
}

fn intervals() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    // Few and many: of many, some are given back, and blocks are split and emptied.
    let interval = (0..900_i64, 1..80_i64, 1..4_i64);
    prop_oneof![prop::collection::vec(interval.clone(), 0..20), prop::collection::vec(interval, 150..250)]
}

proptest! {
    #[test]
    fn equals_counting_second_by_second(
        intervals in intervals(), returned in 0..200_usize, now in 0..400_i64,
        asked in prop::collection::vec((0..700_i64, 1..60_i64, -2..40_i64, 0..300_i64), 1..30),
    ) {
        let (mut availability, mut slow) = taken(&intervals, 1200);
        for &(from, length, procs) in intervals.iter().take(returned) {
            availability.add(from, from + length, procs);
            slow[from as usize..(from + length) as usize].iter_mut().for_each(|free| *free += procs);
        }
        availability.advance(now);
        for &(from, length, procs, more) in &asked {
            let from = from.max(now);
            let free = |from: i64, to: i64| &slow[from as usize..to as usize];
            let fits = |at: i64| free(at, at + length).iter().all(|&free| free >= procs);
            prop_assert_eq!(availability.fits(from, from + length, procs), fits(from));
            let mut reader = availability.reader(availability.locate(now));
            for at in now..=from {
                prop_assert_eq!(reader.free_at(at), slow[at as usize]);
            }
            // Anywhere, and before a limit.
            let search = StartRange { from, before: i64::MAX, own: i64::MAX };
            let expected = (from..1100).find(|&at| fits(at));
            prop_assert_eq!(availability.earliest(search, procs, length), expected);
            let search = StartRange { before: from + more, ..search };
            prop_assert_eq!(
                availability.earliest(search, procs, length), expected.filter(|&at| at < from + more));
            // With a reservation at the limit, which needs no other room from there on.
            let own = from + more;
            let fits = |at: i64| free(at, own.min(at + length)).iter().all(|&free| free >= procs);
            let search = StartRange { from, before: own, own };
            prop_assert_eq!(availability.earliest(search, procs, length), (from..own).find(|&at| fits(at)));
            // How long it has been free.
            let since = (now..from).rev().take_while(|&at| slow[at as usize] >= procs).last();
            prop_assert_eq!(availability.free_since(from, procs).filter(|_| from > now), since);
            // From the first to the last instant with less than nothing.
            let mut negative = (from..from + length).filter(|&at| slow[at as usize] < 0);
            let first = negative.next();
            let expected = first.map(|first| (first, negative.next_back().unwrap_or(first) + 1));
            prop_assert_eq!(availability.overbooked(from, from + length), expected);
        }
    }

    #[test]
    fn an_offer_says_how_long_each_class_is_free_around_an_interval(
        intervals in intervals(), from in 0..900_i64, length in 1..100_i64, long in 0..300_i32,
    ) {
        let (availability, slow) = taken(&intervals, 1200);
        let offer = availability.offer(from, from + length, &[long; CLASSES]);
        let inside = &slow[from as usize..(from + length) as usize];
        prop_assert_eq!(Some(&offer.most), inside.iter().max());
        for procs in 1..=MACHINE {
            // The smallest of its class.
            if class(procs as u32) == class(procs as u32 - 1) && procs > 1 {
                continue;
            }
            let free = |at: i64| usize::try_from(at).is_ok_and(|at| slow.get(at).is_none_or(|&free| free >= procs));
            let runs = (from..from + length).filter(|&at| free(at)).map(|at| {
                let before = (0..at).rev().take_while(|&at| free(at)).count() as i64;
                before + (at..1600).take_while(|&at| free(at)).count() as i64
            });
            let expected = runs.max().unwrap_or(0);
            let said = i64::from(offer.longest[class(procs as u32)]);
            prop_assert!(
                said == expected || said.min(expected) >= i64::from(long), "{} for {}, not {}", said, procs, expected);
        }
    }

    #[test]
    fn finds_what_a_profile_finds(intervals in intervals(), procs in 1..40_u32, length in 1..200_i64) {
        let (availability, _) = taken(&intervals, 1200);
        let mut profile = Profile::new(Time(0), Procs(MACHINE as u32));
        for &(from, length, procs) in &intervals {
            profile.take(Time(from), Procs(procs as u32), Seconds(length));
        }
        let search = StartRange { from: 0, before: i64::MAX, own: i64::MAX };
        prop_assert_eq!(
            availability.earliest(search, i64::from(procs), length).map(Time),
            profile.earliest(Time(0), Procs(procs), Seconds(length)));
    }
}
