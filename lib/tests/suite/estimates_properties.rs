//! The estimate model and the assignments at the ends of their ranges, and against brute force where a case is small
//! enough for it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_synth::characterization::{Mode, Modes};
use queuecast_synth::synth::{EstimateModel, Exponential, Pairing, PowerLaw, Routine, Supplied, ValueCount};

use crate::support;
use crate::support::jobs::{job, of_runs, workload};

// ---------------------------------------------------------------------------------------------- the estimate model

/// Longest times, among them the shortest there are and those that are no whole minutes.
fn longest() -> impl Strategy<Value = i64> {
    prop_oneof![
        2 => select(vec![60_i64, 61, 90, 119, 120, 121, 300, 301, 1199, 1200, 1260, 14_400, 64_800, 129_600]),
        2 => 60..3000_i64,
        1 => 60..=400_000_i64,
    ]
}

/// Modes to supply: times as shares of the longest, percentages as parts of a sum.
fn supplied(longest: i64) -> impl Strategy<Value = Vec<Supplied>> {
    let time = prop_oneof![
        3 => 1..=longest,
        1 => Just(longest),
        1 => (1..=(longest / 60).max(1)).prop_map(|minutes| minutes * 60),
    ];
    let mode = (time, prop_oneof![4 => 0.01..10.0_f64, 1 => Just(1e-9), 1 => 10.0..1000.0_f64]);
    let sum = select(vec![0.001, 5.0, 50.0, 88.9, 89.0, 89.1, 95.0, 99.999_999_999, 100.0]);
    (proptest::collection::vec(mode, 0..20), sum).prop_map(move |(modes, sum)| {
        let mut parts: BTreeMap<i64, f64> = BTreeMap::new();
        for (time, part) in modes {
            parts.insert(time.min(longest), part);
        }
        let all: f64 = parts.values().sum();
        let percent = |part: f64| part / all * sum;
        parts.iter().map(|(&time, &part)| Supplied { time: Seconds(time), percent: percent(part) }).collect()
    })
}

fn model() -> impl Strategy<Value = EstimateModel> {
    let values = prop_oneof![
        4 => Just(ValueCount::Linear),
        1 => Just(ValueCount::POWER),
        1 => (1e-3..1e6_f64, -2.0..0.6_f64).prop_map(|(alpha, beta)| ValueCount::Power { alpha, beta }),
        2 => (1..300_u64).prop_map(ValueCount::Exactly),
    ];
    let jobs = prop_oneof![1..30_u64, 1..3000_u64, Just(1_000_000_u64), Just(u64::from(u32::MAX))];
    let a = proptest::option::of(prop_oneof![Just(1.0 + f64::EPSILON), 1.0001..3.0_f64, Just(1e9)]);
    let head_percent = select(vec![89.0, 89.0, 75.0, 99.0]);
    longest().prop_flat_map(move |longest| {
        (jobs.clone(), supplied(longest), values.clone(), a.clone(), head_percent.clone(), -20.0..20.0_f64)
            .prop_map(move |(jobs, supplied, values, a, head_percent, rho)| EstimateModel {
                supplied,
                values,
                a,
                head_percent,
                // A small head, so that every percentage leaves something for its first.
                head: Exponential { alpha: 8.0, ..Exponential::default() },
                tail: PowerLaw { omega: 795.6, rho },
                ..EstimateModel::new(jobs, Seconds(longest))
            })
    })
}

proptest! {
    #![proptest_config(support::cases(400))]

    #[test]
    fn a_model_uses_every_job_once_and_no_time_beyond_the_longest(model in model(), seed in 0..1000_u64) {
        let modes = match model.modes(Seed(seed)) {
            Ok(modes) => modes,
            // Only a number of values that was given can be refused, or too few times for what was supplied.
            Err(error) => {
                let error = error.to_string();
                prop_assert!(
                    error.starts_with("values = ") || error.ends_with("there is no other time to ask for"),
                    "{}", error
                );
                return Ok(());
            }
        };
        prop_assert_eq!(modes.jobs(), model.jobs);
        prop_assert!(modes.by_time().iter().all(|mode| (1..=model.longest.0).contains(&mode.time.0)));
        prop_assert_eq!(&modes, &model.modes(Seed(seed)).unwrap());
        let known = |time: Seconds| model.supplied.iter().find(|supplied| supplied.time == time);
        // All but what is supplied are whole minutes.
        for mode in modes.by_time() {
            prop_assert!(mode.time.0 % 60 == 0 || mode.time == model.longest || known(mode.time).is_some());
        }
        let all: f64 = model.supplied.iter().map(|mode| mode.percent).sum();
        // No run time is known, so the longest is asked for.
        if all < 99.9 && model.jobs > 3000 && model.supplied.iter().all(|mode| mode.time != model.longest) {
            prop_assert_eq!(modes.longest(), Some(model.longest));
        }
        if let ValueCount::Exactly(values) = model.values
            && model.supplied.is_empty() && model.jobs >= values
        {
            prop_assert_eq!(modes.len() as u64, values);
        }
        // What is supplied has its share, but for whole jobs and one job for each other value.
        if model.jobs >= 1_000_000 {
            for mode in &model.supplied {
                let off = (modes.share(mode.time) * 100.0 - mode.percent).abs();
                let values = modes.len() as f64 / model.jobs as f64 * 100.0;
                prop_assert!(off <= values + 1e-6, "{:?}: {} of {}", mode, modes.share(mode.time), off);
            }
        }
    }

    #[test]
    fn the_head_has_its_percentage_if_less_is_supplied(longest in 30_000..200_000_i64, seed in 0..1000_u64,
        pairs in proptest::collection::btree_map(1..30_000_i64, 0.1..4.0_f64, 0..19)
    ) {
        let supplied: Vec<Supplied> =
            pairs.iter().map(|(&time, &percent)| Supplied { time: Seconds(time), percent }).collect();
        let model = EstimateModel { supplied, ..EstimateModel::new(1_000_000, Seconds(longest)) };
        let modes = model.modes(Seed(seed)).unwrap();
        // The twenty most popular are the head, or more popular than what was supplied.
        prop_assert!(modes.head_share(20) > 0.89 - 1e-4, "{}", modes.head_share(20));
        prop_assert!(modes.share(Seconds(longest)) > 0.0);
        let tail = 1.0 - model.supplied.iter().map(|mode| modes.share(mode.time)).sum::<f64>();
        prop_assert!(tail > 0.0);
        // The longest is the most popular of all that was not supplied.
        let own = |mode: &&Mode| model.supplied.iter().all(|known| known.time != mode.time);
        let most = modes.by_time().iter().filter(own).map(|mode| mode.jobs).max().unwrap();
        prop_assert_eq!(most, modes.by_time().last().unwrap().jobs);
    }
}

#[test]
fn wrong_parameters_are_refused_whether_or_not_they_come_to_matter() {
    // 30 jobs have no tail, 30,000 do; neither may have a tail that is none.
    for jobs in [30, 30_000] {
        let plain = EstimateModel::new(jobs, Seconds(64_800));
        let wrong = [
            EstimateModel { tail: PowerLaw { omega: -1.0, rho: -2.0 }, ..plain.clone() },
            EstimateModel { tail: PowerLaw { omega: 1.0, rho: f64::NAN }, ..plain.clone() },
            EstimateModel {
                head: Exponential { alpha: f64::NAN, ..Exponential::default() },
                ..plain.clone()
            },
            EstimateModel { head_percent: f64::INFINITY, ..plain.clone() },
            EstimateModel { a: Some(1.0), ..plain.clone() },
            EstimateModel { longest_percent: Some(0.0), ..plain.clone() },
            EstimateModel { longest: Seconds(59), ..plain.clone() },
            EstimateModel { jobs: 0, ..plain.clone() },
        ];
        for wrong in wrong {
            let error = wrong.modes(Seed(1)).unwrap_err().to_string();
            assert!(error.contains(": must be ") && !error.contains('\n'), "{error}");
        }
        assert!(plain.modes(Seed(1)).is_ok());
    }
}

// ---------------------------------------------------------------------------------------------------- assignments

/// How many permutations of the estimates, taken as different things, serve the jobs in each way.
fn permitted(estimates: &[i64], runs: &[i64]) -> BTreeMap<Vec<i64>, u32> {
    fn go(left: &mut Vec<i64>, runs: &[i64], so_far: &mut Vec<i64>, ways: &mut BTreeMap<Vec<i64>, u32>) {
        let Some(&run) = runs.get(so_far.len()) else {
            *ways.entry(so_far.clone()).or_default() += 1;
            return;
        };
        for place in 0..left.len() {
            let estimate = left.remove(place);
            if estimate >= run {
                so_far.push(estimate);
                go(left, runs, so_far, ways);
                so_far.pop();
            }
            left.insert(place, estimate);
        }
    }
    let mut ways = BTreeMap::new();
    go(&mut estimates.to_vec(), runs, &mut Vec::new(), &mut ways);
    ways
}

proptest! {
    #![proptest_config(support::cases(12))]

    /// Chi-squared at six standard deviations: 12 cases do not meet that by chance.
    #[test]
    fn the_shuffle_is_uniform_over_all_permutations_that_serve(
        runs in proptest::collection::vec(0..5_i64, 2..=4),
        spare in proptest::collection::vec(0..5_i64, 4),
    ) {
        let estimates: Vec<i64> = runs.iter().zip(&spare).map(|(run, spare)| run + spare + 1).collect();
        let (jobs, modes) = (of_runs(&runs), estimates.iter().map(|&time| Seconds(time)).collect::<Modes>());
        let ways = permitted(&estimates, &runs);
        let all = f64::from(ways.values().sum::<u32>());
        let draws = 12_000;
        let mut seen: BTreeMap<Vec<i64>, u32> = BTreeMap::new();
        for seed in 0..draws {
            let drawn = Pairing::Shuffled.pair(&modes, &jobs, Seed(seed)).unwrap();
            *seen.entry(drawn.into_iter().map(|time| time.0).collect()).or_default() += 1;
        }
        prop_assert!(seen.keys().all(|drawn| ways.contains_key(drawn)));
        let squared: f64 = ways.iter().map(|(way, &weight)| {
            let expected = draws as f64 * f64::from(weight) / all;
            (f64::from(seen.get(way).copied().unwrap_or_default()) - expected).powi(2) / expected
        }).sum();
        let free = ways.len() as f64 - 1.0;
        prop_assert!(squared <= free + 6.0 * (2.0 * free).sqrt() + 6.0, "{} of {}: {:?}", squared, free, seen);
    }
}

/// The fewest estimates that any change of them upwards to serve the jobs has to change, times taken from `times`,
/// under which no more of them become at least any time than has to be.
fn fewest_raised(times: &[i64], before: &[i64], runs: &[i64]) -> Option<(Vec<i64>, u64)> {
    let (mut before, mut runs) = (before.to_vec(), runs.to_vec());
    before.sort_unstable();
    runs.sort_unstable();
    let count = |of: &[i64], time: i64| of.iter().filter(|&&one| one >= time).count();
    // From every time on, what there is and what is needed, whichever is more.
    let mut after = Vec::new();
    let mut above = 0;
    for &time in times.iter().rev() {
        let below = times.iter().copied().filter(|&other| other < time).max().unwrap_or(-1);
        let needed = runs.iter().filter(|&&run| run > below).count();
        let wanted = count(&before, time).max(needed);
        after.extend(std::iter::repeat_n(time, wanted - above));
        above = wanted;
    }
    if runs.iter().any(|run| times.last().is_none_or(|last| run > last)) {
        return None;
    }
    after.sort_unstable();
    // Those that stay are what both have in common.
    let both = times.iter().map(|&time| {
        let of = |all: &[i64]| all.iter().filter(|&&one| one == time).count();
        of(&before).min(of(&after))
    });
    let changed = (before.len() - both.sum::<usize>()) as u64;
    Some((after, changed))
}

proptest! {
    #![proptest_config(support::cases(600))]

    #[test]
    fn no_more_is_raised_than_necessary(
        rows in proptest::collection::vec((0..9_i64, 1..10_i64), 1..9),
        seed in 0..100_u64,
    ) {
        let (runs, estimates): (Vec<i64>, Vec<i64>) = rows.into_iter().unzip();
        let modes: Modes = estimates.iter().map(|&time| Seconds(time)).collect();
        let times: Vec<i64> = modes.by_time().iter().map(|mode| mode.time.0).collect();
        let expected = fewest_raised(&times, &estimates, &runs);
        match (Pairing::Shuffled.pair_raised(&modes, &of_runs(&runs), Seed(seed)), expected) {
            (Ok((given, raised)), Some((mut after, changed))) => {
                let mut given: Vec<i64> = given.into_iter().map(|time| time.0).collect();
                prop_assert!(given.iter().zip(&runs).all(|(given, run)| given >= run));
                given.sort_unstable();
                after.sort_unstable();
                prop_assert_eq!(given, after);
                prop_assert_eq!(raised, changed);
            }
            (Err(_), None) => {}
            (given, expected) => prop_assert!(false, "{:?} instead of {:?}", given, expected),
        }
    }

    #[test]
    fn sessions_keep_every_estimate_whatever_the_routine(
        rows in proptest::collection::vec((0..9000_i64, 0..4_u32, 1..4_u32, 0..1000_i64, 0..1000_i64), 1..60),
        (gap, kept, recalled, disorder) in (1..604_800_i64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64),
        corner in 0..4_u8,
        seed: u64,
    ) {
        let estimates: Vec<i64> = rows.iter().map(|row| row.3 + row.4 + 1).collect();
        // User 3 stands for jobs of no known user.
        let jobs = rows.iter().map(|&(at, user, procs, run, _)| {
            job(procs, run).at(at).user(Some(user).filter(|user| *user < 3))
        });
        let workload = workload(4, jobs);
        let modes: Modes = estimates.into_iter().map(Seconds).collect();
        let [kept, recalled, disorder] = match corner {
            0 => [0.0; 3],
            1 => [1.0; 3],
            _ => [kept, recalled, disorder],
        };
        let pairing = Pairing::Sessions(Routine { gap: Seconds(gap), kept, recalled, disorder });
        let given = pairing.pair(&modes, &workload, Seed(seed)).unwrap();
        prop_assert!(given.iter().zip(workload.truths()).all(|(given, truth)| *given >= truth.run()));
        prop_assert_eq!(&given.iter().copied().collect::<Modes>(), &modes);
        prop_assert_eq!(given, pairing.pair(&modes, &workload, Seed(seed)).unwrap());
    }
}

#[test]
fn a_chain_of_raises_counts_each_estimate_once() {
    // The 1 becomes a 3: that the 2 stays is the same as both moving up by one.
    let modes: Modes = [1, 2, 3].map(Seconds).into_iter().collect();
    let (given, raised) = Pairing::Shuffled.pair_raised(&modes, &of_runs(&[2, 3, 3]), Seed(1)).unwrap();
    assert_eq!((given, raised), ([2, 3, 3].map(Seconds).to_vec(), 1));
}

#[test]
fn raising_makes_up_no_estimates() {
    let modes: Modes = [1, 9].map(Seconds).into_iter().collect();
    let error = Pairing::Shuffled.pair_raised(&modes, &of_runs(&[5, 6, 7]), Seed(1)).unwrap_err();
    assert_eq!(error.to_string(), "2 estimates for 3 jobs: one for each is needed");
}

#[test]
fn raising_many_estimates_ends() {
    // In time that grew with the square of the jobs it would not.
    // Every job but a few is longer than what is there for it by half.
    let jobs = 400_000_i64;
    let modes: Modes = (1..=jobs).map(Seconds).collect();
    let runs: Vec<i64> = (1..=jobs).map(|run| jobs / 2 + run / 2).collect();
    let (given, raised) = Pairing::Shuffled.pair_raised(&modes, &of_runs(&runs), Seed(1)).unwrap();
    assert!(given.iter().zip(&runs).all(|(given, run)| given.0 >= *run) && raised > 0);
}

// -------------------------------------------------------------------------------------------------------- controls

#[test]
fn control_brute_force_finds_what_is_found_by_hand() {
    // The 3 needs the 4; the others share 1 and 4 in either order, or not if one of them is longer than 1.
    assert_eq!(permitted(&[1, 4, 4], &[0, 1, 3]), [(vec![1, 4, 4], 2), (vec![4, 1, 4], 2)].into());
    assert!(permitted(&[1, 1, 4], &[0, 2, 3]).is_empty());
    assert_eq!(fewest_raised(&[1, 2, 3], &[1, 2, 3], &[2, 3, 3]), Some((vec![2, 3, 3], 1)));
    assert_eq!(fewest_raised(&[1, 9], &[1, 9], &[1, 1]), Some((vec![1, 9], 0)));
    assert_eq!(fewest_raised(&[1, 9], &[1, 9], &[1, 10]), None);
}
