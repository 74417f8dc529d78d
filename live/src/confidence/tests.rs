//! Synthetic streams of forecasts whose ranges are right, and a planted change after which they are not.
#![expect(clippy::print_stdout, reason = "it says what it measures")]

use queuecast_core::seed::Seed;
use rand::{Rng, RngExt};

use super::*;

/// Jobs in a week of a stream.
const WEEK: usize = 1_000;

/// A stream: each look has one to four jobs of three regimes; waits are log-normal and ranges are their exact quantiles.
struct Stream {
    /// After this job waits are multiplied.
    changes: usize,
    factor: f64,
    /// The share of jobs that share the luck of their look.
    shared: f64,
}

/// Standard normal by the sum of twelve.
fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

impl Stream {
    /// The jobs of a stream, each judged.
    fn jobs(&self, seed: u64, jobs: usize) -> Vec<JudgedForecast> {
        let mut rng = Seed(seed).stream("a stream of judged forecasts");
        let (mut all, mut at) = (Vec::with_capacity(jobs), 0);
        while all.len() < jobs {
            at += 600;
            let luck = normal(&mut rng);
            for _ in 0..rng.random_range(1..=4_usize) {
                let number = all.len();
                let own = normal(&mut rng);
                let luck = if rng.random::<f64>() < self.shared { luck } else { own };
                let (median, spread) = (3_000.0, 0.8);
                let factor = if number >= self.changes { self.factor } else { 1.0 };
                // The tenth and the ninetieth percentile of a standard normal are 1.2816 from zero.
                let range = |level: f64| median * f64::exp(level * 1.2816 * spread);
                let forecast = JobForecast {
                    job: format!("{number} {at}"),
                    at: Time(at),
                    submit: Time(at),
                    partition: ["short", "long", "gpu"][number % 3].to_owned(),
                    procs: 16,
                    ahead: 3,
                    said: SaidSeconds { low: range(-1.0), median, high: range(1.0) },
                    unwidened: None,
                    slurm: None,
                    past: None,
                };
                let wait = median * f64::exp(luck * spread) * factor;
                let outcome = Some(WaitEnd::Started(Time(at + wait.round() as i64)));
                all.push(JudgedForecast { forecast, outcome });
            }
        }
        all
    }
}

/// In how many of these streams of a week something is lost at some time.
fn false_alarms(weeks: u64, shared: f64) -> usize {
    let stream = Stream { changes: usize::MAX, factor: 1.0, shared };
    let is_false = |seed: &u64| {
        let mut is_lost = false;
        follow(&stream.jobs(*seed, WEEK), Time(i64::MAX / 2), &HashSet::new(), |_, all, own| {
            is_lost |= all.is_lost || own.is_lost;
        });
        is_lost
    };
    (0..weeks).filter(is_false).count()
}

/// After how many judged jobs beyond the change the change is found, in each of these streams.
fn delays(streams: u64, factor: f64, shared: f64) -> Vec<usize> {
    let stream = Stream { changes: 500, factor, shared };
    let delay = |seed: u64| {
        let jobs = stream.jobs(seed, 1_500);
        let changed = jobs[500].forecast.at;
        let (mut judged, mut found) = (0, usize::MAX);
        follow(&jobs, Time(i64::MAX / 2), &HashSet::new(), |one, all, _| {
            judged += usize::from(one.said.at >= changed);
            if all.is_lost && judged > 0 {
                found = found.min(judged);
            }
        });
        found
    };
    let mut delays: Vec<usize> = (0..streams).map(delay).collect();
    delays.sort_unstable();
    delays
}

#[test]
fn a_change_is_found_within_200_jobs() {
    for (factor, shared) in [(4.0, 0.0), (0.25, 0.0), (4.0, 0.3)] {
        let delays = delays(20, factor, shared);
        println!("waits times {factor}, {shared} shared: found after {} to {} jobs", delays[0], delays[19]);
        assert!(delays[19] <= 200, "{factor} {shared}: {delays:?}");
    }
}

#[test]
fn an_unchanged_stream_is_trusted() {
    // At most one week in a hundred; 60 of them have one at most with probability 0.88 even if it is just so.
    for shared in [0.0, 0.3] {
        let alarms = false_alarms(60, shared);
        assert!(alarms <= 2, "{alarms} of 60 weeks, {shared} shared");
    }
}

/// Prints what experiments/live/README.md tells; minutes.
#[test]
#[ignore = "measures for minutes; run by scripts/test --thorough"]
fn measured_false_alarms_and_delays() {
    for shared in [0.0, 0.3, 0.5] {
        let alarms = false_alarms(1_000, shared);
        println!("{shared} shared: {alarms} of 1000 weeks of {WEEK} jobs have a false alarm");
        assert!(alarms <= 10, "{alarms}");
        for factor in [0.25, 0.4, 2.5, 4.0] {
            let delays = delays(100, factor, shared);
            println!(
                "  waits times {factor}: found after {} jobs in the median, {} in 95 of 100",
                delays[50], delays[94]
            );
            assert!(delays[94] <= 200, "{delays:?}");
        }
    }
}

#[test]
fn widened_ranges_hold_and_a_regime_is_earned_back() {
    let stream = Stream { changes: 500, factor: 4.0, shared: 0.0 };
    let mut jobs = stream.jobs(7, 1_000);
    let now = jobs[999].forecast.at;
    let lost = Confidence::of(&jobs, now, &HashSet::new());
    let all = lost.0.lost.iter().find(|one| one.jobs.is_none()).unwrap();
    assert!(all.factor > 1.5 && all.inside < 0.7, "{all:?}");
    // Of waits to come, 80 % are in the widened range.
    let later = Stream { changes: 0, ..stream }.jobs(8, 2_000);
    let held = later.iter().filter(|one| {
        let outcome = KnownOutcome::of(one, Time(i64::MAX / 2), &HashSet::new()).unwrap();
        outcome.needed <= all.factor
    });
    let share = held.count() as f64 / 2_000.0;
    assert!((0.7..=0.9).contains(&share), "{share}");
    // Then ranges are right again, though they are said wider: what the method itself says is judged.
    let unchanged = Stream { changes: usize::MAX, factor: 1.0, shared: 0.0 };
    let right = unchanged.jobs(9, 400).into_iter().map(|mut one| {
        let shift = Seconds(now.0 + 600);
        one.forecast.at = one.forecast.at + shift;
        one.forecast.unwidened = Some(one.forecast.said);
        one.forecast.said = SaidSeconds { low: 0.0, high: 1e6, ..one.forecast.said };
        one.forecast.job += " again";
        if let Some(WaitEnd::Started(start)) = &mut one.outcome {
            *start = *start + shift;
        }
        one
    });
    jobs.extend(right);
    let now = jobs.last().unwrap().forecast.at;
    assert_eq!(Confidence::of(&jobs, now, &HashSet::new()).0.lost, []);
}

#[test]
fn one_regime_is_lost_and_the_others_with_a_record_of_their_own_are_not() {
    let unchanged = Stream { changes: usize::MAX, factor: 1.0, shared: 0.0 };
    let mut jobs = unchanged.jobs(3, 900);
    for (number, one) in jobs.iter_mut().enumerate().filter(|one| one.0 % 3 == 0) {
        if let Some(WaitEnd::Started(start)) = &mut one.outcome {
            *start = *start + Seconds(if number > 300 { 100_000 } else { 0 });
        }
    }
    let now = jobs[899].forecast.at;
    let confidence = Confidence::of(&jobs, now, &HashSet::new());
    let lost: Vec<&str> =
        confidence.0.lost.iter().filter_map(|one| Some(one.jobs.as_ref()?.partition.as_str())).collect();
    assert_eq!((lost, confidence.0.known.len()), (vec!["short"], 3));
}

#[test]
fn a_forecast_counts_once_it_is_known_whether_it_held() {
    let said = SaidSeconds { low: 100.0, median: 200.0, high: 300.0 };
    let judged = |outcome| {
        let mut one = Stream { changes: 0, factor: 1.0, shared: 0.0 }.jobs(1, 1).remove(0);
        (one.forecast.at, one.forecast.said, one.outcome) = (Time(1_000), said, outcome);
        one.forecast.job = "1".to_owned();
        one
    };
    let waits: HashSet<String> = ["1".to_owned()].into();
    let known = |outcome, now: i64| {
        let one = judged(outcome);
        KnownOutcome::of(&one, Time(now), &waits).map(|one| (one.known.0, one.needed))
    };
    let started = |at| Some(WaitEnd::Started(Time(at)));
    assert_eq!(known(started(1_250), 1_260), Some((1_250, 1.0)));
    assert_eq!(known(started(1_050), 1_060), Some((1_050, 1.5)));
    assert_eq!(known(started(1_500), 1_600), Some((1_300, 3.0)));
    assert_eq!([known(None, 1_290), known(None, 1_400)], [None, Some((1_300, 2.0))]);
    let left = |at| Some(WaitEnd::Withdrawn(Time(at)));
    assert_eq!([known(left(1_200), 1_400), known(left(1_350), 1_400)], [None, Some((1_300, 1.5))]);
}

#[test]
fn ranges_are_widened_by_what_jobs_that_still_wait_will_need() {
    let needed = |factors: &[f64], open: &[f64]| {
        let of = |is_open: bool| move |&factor: &f64| NeededFactor { known: Time(0), factor, is_open };
        widened(factors.iter().map(of(false)).chain(open.iter().map(of(true))).collect())
    };
    let known: Vec<f64> = (1..=9).map(f64::from).collect();
    // Eight of ten, one more counted, are below.
    assert_eq!(needed(&known, &[]), 8.0);
    // Some that are open early on push it up, and with many of them no factor is known to be enough.
    assert_eq!(needed(&known, &[1.5, 1.5]), 9.0);
    assert_eq!(needed(&[1.0, 1.0, 1.2], &[1.1, 1.1, 1.3, 1.4]), 2.8);
    assert_eq!(needed(&[], &[]), 2.0);
}
