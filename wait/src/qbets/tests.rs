//! Bounds by the sum, by simulation, and across change points.

use proptest::prelude::*;
use rand_distr::{Distribution as _, LogNormal};

use super::super::predictor::test_support::{asked, taught};
use super::ranks::{CAPACITY, at_most};
use super::*;
use queuecast_core::seed::Seed;

/// The sum, term by term. Terms are kept as logarithms: the first are too small for a number of 64 bits.
fn slow_rank(count: usize, quantile: f64, confidence: f64) -> Option<usize> {
    let (mut term, mut sum) = (count as f64 * (1.0 - quantile).ln(), 0.0);
    for rank in 1..=count {
        sum += term.exp();
        if sum >= confidence {
            return Some(rank);
        }
        term += ((count - rank + 1) as f64 / rank as f64 * quantile / (1.0 - quantile)).ln();
    }
    None
}

#[test]
fn the_fewest_waits_are_59() {
    let mut ranks = BoundRanks::new(0.95, 0.95);
    ranks.cover(CAPACITY);
    assert_eq!((ranks.fewest, ranks.rank(58), ranks.rank(59)), (59, None, Some(59)));
    assert_eq!(BoundRanks::new(0.5, 0.5).fewest, 1);
    // Every length of a history has one, and they are no smaller of more waits.
    let all: Vec<usize> = (59..=CAPACITY).filter_map(|count| ranks.rank(count)).collect();
    assert!(all.len() == CAPACITY - 58 && all.is_sorted(), "{}", all.len());
    assert_eq!(ranks.rank(CAPACITY + 1), None);
    // As the histories of several groups ask for them.
    let mut again = BoundRanks::new(0.95, 0.95);
    [60, 58, 3_000, 59, CAPACITY].into_iter().for_each(|count| again.cover(count));
    assert!((0..=CAPACITY).all(|count| again.rank(count) == ranks.rank(count)));
}

proptest! {
    #[test]
    fn ranks_are_those_of_the_sum(quantile in 0.5..0.97_f64, confidence in 0.5..0.99_f64, more in 0..120_usize) {
        let mut ranks = BoundRanks::new(quantile, confidence);
        ranks.cover(ranks.fewest + more);
        prop_assert_eq!(ranks.rank(ranks.fewest + more), slow_rank(ranks.fewest + more, quantile, confidence));
        prop_assert_eq!(slow_rank(ranks.fewest - 1, quantile, confidence), None);
    }

    #[test]
    fn the_bound_is_at_its_quantile(
        waits in prop::collection::vec(0..100_000_i64, 1..300), quantile in 0.5..0.97_f64,
    ) {
        let mut bound = BinomialBound::new(quantile, 0.9);
        for &wait in &waits {
            taught(&mut bound, 1, &[], wait);
        }
        let forecast = asked(&mut bound, 1, &[]);
        let at = forecast.wait.quantile(quantile);
        prop_assert!((at - forecast.point).abs() <= 1e-6 * (1.0 + forecast.point), "{} {}", at, forecast.point);
        prop_assert!(forecast.wait.quantile(0.1) <= forecast.point);
        prop_assert!(waits.contains(&(forecast.point as i64)));
    }
}

/// Of many histories of 100 independent waits, the share whose bound is not below the true quantile is the confidence, or a little more.
#[test]
fn bounds_hold_as_often_as_the_confidence_says() {
    let law = LogNormal::new(6.0, 1.5).unwrap();
    let truth = (6.0 + 1.5 * 1.281_551_565_545_f64).exp();
    let mut rng = Seed(11).stream("waits");
    let mut held = 0;
    // No change points.
    let fresh = BinomialBound { runs: RunLengths::new(0.5, 1e-12), ..BinomialBound::new(0.9, 0.8) };
    for _ in 0..400 {
        let mut bound = fresh.clone();
        (0..100).for_each(|_| taught(&mut bound, 1, &[], law.sample(&mut rng) as i64));
        held += usize::from(asked(&mut bound, 1, &[]).point >= truth);
    }
    // Two standard deviations are 0.04 at most.
    let expected = at_most(slow_rank(100, 0.9, 0.8).unwrap() - 1, 100, 0.9);
    assert!((held as f64 / 400.0 - expected).abs() < 0.04, "{held} of 400, expected {expected}");
    assert!(expected >= 0.8);
}

#[test]
fn next_waits_are_below_the_bound_as_often_as_the_quantile_says() {
    let law = LogNormal::new(6.0, 1.5).unwrap();
    let mut rng = Seed(12).stream("waits");
    let mut bound = BinomialBound::new(0.95, 0.95);
    let (mut below, mut asked_for) = (0, 0);
    for turn in 0..20_000 {
        let wait = law.sample(&mut rng) as i64;
        if turn >= 200 {
            below += usize::from(wait as f64 <= asked(&mut bound, 1, &[]).point);
            asked_for += 1;
        }
        taught(&mut bound, 1, &[], wait);
    }
    let share = f64::from(below as u32) / f64::from(asked_for);
    assert!((0.945..0.98).contains(&share), "{share}");
}

#[test]
fn a_change_of_level_cuts_the_history() {
    let mut bound = BinomialBound::new(0.95, 0.95);
    for wait in 0..1000 {
        taught(&mut bound, 1, &[], 100 + wait * 37 % 100);
    }
    assert!(asked(&mut bound, 1, &[]).point < 200.0);
    // Three misses in a row of independent waits; the rest of the 59 are still from before, and the largest of all is the bound.
    for _ in 0..2 {
        taught(&mut bound, 1, &[], 50_000);
    }
    assert_eq!((asked(&mut bound, 1, &[]).point < 200.0, bound.of_all.len()), (true, 1002));
    taught(&mut bound, 1, &[], 50_000);
    assert_eq!((asked(&mut bound, 1, &[]).point, bound.of_all.len()), (50_000.0, 59));
    // A control: the same waits spread out are no change.
    let mut spread = BinomialBound::new(0.95, 0.95);
    for wait in 0..1000 {
        taught(&mut spread, 1, &[], 100 + wait * 37 % 100);
        if wait % 300 == 299 {
            taught(&mut spread, 1, &[], 50_000);
        }
    }
    assert!(asked(&mut spread, 1, &[]).point < 200.0);
}

#[test]
fn a_group_without_enough_waits_falls_back() {
    let mut bound = BinomialBound::new(0.95, 0.95);
    assert_eq!(asked(&mut bound, 1, &[]), WaitForecast::nothing_known());
    taught(&mut bound, 1, &[], 7);
    assert_eq!(asked(&mut bound, 1, &[]).point, 7.0, "the longest so far");
    for wait in 0..58 {
        taught(&mut bound, 1, &[], 10 + wait);
    }
    assert_eq!(asked(&mut bound, 1, &[]).point, 67.0, "59 waits, the largest");
    assert_eq!(asked(&mut bound, 2, &[]).point, 67.0, "of all queues");
    for _ in 0..59 {
        taught(&mut bound, 2, &[], 3);
    }
    assert_eq!((asked(&mut bound, 1, &[]).point, asked(&mut bound, 2, &[]).point), (67.0, 3.0));
    let sizes = [1, 4, 5, 16, 17, 64, 65, 1000];
    let ranges = sizes.map(|procs| {
        range_of(&Job::rigid(1, queuecast_core::units::Time(0), queuecast_core::units::Procs(procs), None))
    });
    assert_eq!(ranges, [0, 0, 1, 1, 2, 2, 3, 3]);
}

/// Jobs of one queue that differ in size and requested time.
#[test]
fn groups_by_request_ignore_queues() {
    let ert = |seconds: f64| [1.0, seconds];
    let mut bound = BinomialBound::new(0.95, 0.95).grouped(BoundGroups::Request);
    let mut by_queue = BinomialBound::new(0.95, 0.95);
    for wait in 0..59 {
        for (queue, seconds, base) in [(1, 900.0, 0), (2, 43_201.0, 5000)] {
            taught(&mut bound, queue, &ert(seconds), base + wait);
            taught(&mut by_queue, queue, &ert(seconds), base + wait);
        }
    }
    assert_eq!(asked(&mut bound, 2, &ert(60.0)).point, 58.0, "up to 15 minutes, whatever the queue");
    assert_eq!(asked(&mut bound, 1, &ert(1e6)).point, 5058.0, "more than 12 hours");
    // Too few of 15 minutes to an hour are known: all of the size.
    assert!(asked(&mut bound, 1, &ert(901.0)).point >= 5055.0);
    // Control.
    assert_eq!(asked(&mut by_queue, 2, &ert(60.0)).point, 5058.0);
}

#[test]
fn a_fixed_run_of_misses_cuts_whatever_the_autocorrelation() {
    // Waits that rise slowly and fall: autocorrelation near 1.
    let teach = |bound: &mut BinomialBound| {
        for turn in 0..1000_i64 {
            taught(bound, 1, &[], 100 + (turn % 200 - 100).abs());
        }
        (0..3).for_each(|_| taught(bound, 1, &[], 50_000));
        bound.of_all.len()
    };
    let (mut fixed, mut usual) =
        (BinomialBound::new(0.95, 0.95).cut_after(3), BinomialBound::new(0.95, 0.95));
    let (fixed, usual) = (teach(&mut fixed), teach(&mut usual));
    assert!((59..62).contains(&fixed), "{fixed}");
    assert_eq!(usual, 1003, "the control");
}
