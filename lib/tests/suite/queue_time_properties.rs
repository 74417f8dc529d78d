//! Queue times on random machines: the exact median against plain enumeration of outcomes, answers against their
//! definitions, and what must hold of each.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast_core::distribution::LogUniform;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::predict::Forecast;
use queuecast_synth::synth::Downey;
use queuecast_wait::{Holder, LifetimeFit, QueueTime, probability, quantile};
use rand::RngExt;

use crate::support;

/// How finely answers are rounded up, in seconds.
const TICK: f64 = 1.0 / 1024.0;

const ALL: [QueueTime; 4] =
    [QueueTime::Exact, QueueTime::Median, QueueTime::Mean, QueueTime::Combined { benefactors: 2 }];

/// Lifetimes from e² to e¹² s, as in the paper.
fn paper() -> LogUniform {
    LogUniform::between(2f64.exp(), 12f64.exp()).unwrap()
}

/// Mostly aged, some older than they should be, some forecast, some with a known end.
fn holder() -> impl Strategy<Value = Holder> {
    let age = prop_oneof![0..20_i64, 0..4000_i64, 0..170_000_i64];
    (1..9_u32, age, 0..8_u8, 1..5000_i64).prop_map(|(procs, age, kind, length)| {
        let (procs, age) = (Procs(procs), Seconds(age));
        match kind {
            0 => Holder::ending(procs, Seconds(length)),
            1 => Holder::forecast(procs, age, &Forecast::exactly(Seconds(length))),
            2 => Holder::forecast(procs, age, &Forecast::around(length as f64, length as f64 / 3.0, 0.9)),
            3 => Holder::aged(procs, age, &LogUniform::around(Seconds(length), 3.0)),
            _ => Holder::aged(procs, age, &paper()),
        }
    })
}

fn machines() -> impl Strategy<Value = Vec<Holder>> {
    prop::collection::vec(holder(), 0..11)
}

fn held(holders: &[Holder]) -> u32 {
    holders.iter().map(|holder| holder.procs().0).sum()
}

/// Pr{F ≥ n'} as equations 6 to 8 have it: every outcome, one after another.
fn enumerated(holders: &[Holder], more: u32, t: f64) -> f64 {
    (0..1_u32 << holders.len())
        .map(|outcome| {
            let ended = |place: usize| outcome >> place & 1 == 1;
            let all = || holders.iter().enumerate();
            let freed: u32 = all().filter(|(place, _)| ended(*place)).map(|(_, one)| one.procs().0).sum();
            let chance: f64 = all()
                .map(|(place, one)| if ended(place) { 1.0 - one.survival(t) } else { one.survival(t) })
                .product();
            if freed >= more { chance } else { 0.0 }
        })
        .sum()
}

/// The product of equation 9.
fn by_benefactors(holders: &[Holder], more: u32, t: f64) -> f64 {
    let benefactors = holders.iter().filter(|holder| holder.procs().0 >= more);
    1.0 - benefactors.map(|holder| holder.survival(t)).product::<f64>()
}

/// The sum of equation 10.
fn on_average(holders: &[Holder], t: f64) -> f64 {
    holders.iter().map(|holder| f64::from(holder.procs().0) * (1.0 - holder.survival(t))).sum()
}

/// Whether the answer is the first tick at which a level that only grows reaches a target. Rounding of sums is forgiven
/// to a part in 10^9.
fn is_first(answer: f64, target: f64, level: impl Fn(f64) -> f64) -> bool {
    level(answer) >= target - 1e-9 && (answer == 0.0 || level(answer - TICK) <= target + 1e-9)
}

proptest! {
    #![proptest_config(support::cases(300))]

    /// The search for the shortest wait and run may stop once no larger size can be better: the result is the same.
    #[test]
    fn stopping_early_finds_the_same_best(
        machine in machines(),
        runs in prop::collection::vec(0..3000_i64, 1..90),
    ) {
        let mut runs = runs;
        runs.sort_unstable_by(|a, b| b.cmp(a));
        let (most, fastest) = (Procs(runs.len() as u32), runs[runs.len() - 1] as f64);
        let best = |times: &[Option<f64>]| {
            let turnarounds = (1..times.len()).filter_map(|more| Some((times[more]? + runs[more - 1] as f64, more)));
            turnarounds.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        for by in ALL {
            let (mut shortest, mut asked) = (f64::INFINITY, 0);
            let heard = by.predict_while(&machine, most, |more, seconds| {
                asked += 1;
                shortest = shortest.min(seconds + runs[more.0 as usize - 1] as f64);
                seconds + fastest < shortest
            });
            let all = by.predict_all(&machine, most);
            prop_assert_eq!(best(&heard), best(&all), "{}", by);
            prop_assert_eq!(heard.len(), all.len());
            prop_assert!(heard.iter().zip(&all).all(|(heard, all)| heard.is_none() || heard == all));
            prop_assert_eq!(heard.iter().flatten().count(), asked + 1);
        }
    }

    #[test]
    fn the_exact_probability_is_that_of_all_outcomes(
        holders in machines(),
        more in 0..60_u32,
        t in prop_oneof![0.0..100.0, 0.0..200_000.0],
    ) {
        let (quick, slow) = (probability(&holders, Procs(more), t), enumerated(&holders, more, t));
        prop_assert!((quick - slow).abs() < 1e-12, "{} {}", quick, slow);
    }

    #[test]
    fn answers_are_the_first_moments_of_their_definitions(holders in machines(), more in 1..60_u32) {
        let procs = Procs(more);
        let exact = QueueTime::Exact.predict(&holders, procs);
        prop_assert_eq!(exact.is_some(), more <= held(&holders));
        if let Some(exact) = exact {
            prop_assert!(is_first(exact, 0.5, |t| enumerated(&holders, more, t)));
        }
        let benefactors = holders.iter().filter(|holder| holder.procs() >= procs).count();
        let median = QueueTime::Median.predict(&holders, procs);
        prop_assert_eq!(median.is_some(), benefactors > 0);
        if let Some(median) = median {
            prop_assert!(is_first(median, 0.5, |t| by_benefactors(&holders, more, t)));
            // More can only help.
            prop_assert!(exact.unwrap() <= median);
        }
        let mean = QueueTime::Mean.predict(&holders, procs);
        prop_assert_eq!(mean.is_some(), more <= held(&holders));
        if let Some(mean) = mean {
            prop_assert!(is_first(mean, f64::from(more), |t| on_average(&holders, t)));
        }
        for count in 1..5 {
            let combined = QueueTime::Combined { benefactors: count }.predict(&holders, procs);
            prop_assert_eq!(combined, if benefactors >= count as usize { median } else { mean });
        }
    }

    #[test]
    fn all_sizes_at_once_are_each_by_itself(holders in machines(), most in 0..70_u32) {
        for how in ALL {
            let all = how.predict_all(&holders, Procs(most));
            prop_assert_eq!(all.len() as u32, most.min(held(&holders)) + 1);
            for (more, answer) in (0..).zip(all) {
                prop_assert_eq!(answer, how.predict(&holders, Procs(more)), "{} {}", how, more);
            }
        }
    }

    #[test]
    fn more_is_later(holders in machines()) {
        for how in [QueueTime::Exact, QueueTime::Median, QueueTime::Mean] {
            let all = how.predict_all(&holders, Procs(100));
            // None is later than any.
            let later = |pair: &[Option<f64>]| pair[1].is_none() || pair[0].is_some() && pair[0] <= pair[1];
            prop_assert!(all.windows(2).all(later), "{how} {all:?}");
        }
    }

    #[test]
    fn the_median_of_benefactors_ignores_the_small(
        holders in machines(),
        others in prop::collection::vec(holder(), 0..5),
        more in 1..9_u32,
    ) {
        let small = others.into_iter().filter(|holder| holder.procs().0 < more);
        let with: Vec<Holder> = holders.iter().cloned().chain(small).collect();
        let ask = |holders: &[Holder]| QueueTime::Median.predict(holders, Procs(more));
        prop_assert_eq!(ask(&with), ask(&holders));
    }

    #[test]
    fn another_holder_never_delays(holders in machines(), other in holder(), more in 1..60_u32) {
        let with: Vec<Holder> = holders.iter().cloned().chain([other]).collect();
        for how in [QueueTime::Exact, QueueTime::Median, QueueTime::Mean] {
            let (before, after) = (how.predict(&holders, Procs(more)), how.predict(&with, Procs(more)));
            prop_assert!(before.is_none() || after <= before, "{how} {before:?} {after:?}");
        }
    }

    /// The number freed on average moves by little in little time, so answers to slightly different ages do too.
    #[test]
    fn the_mean_is_continuous(ages in prop::collection::vec((1..9_u32, 60..100_000_i64), 1..10), t in 0.0..150_000.0) {
        let holders: Vec<Holder> =
            ages.iter().map(|&(procs, age)| Holder::aged(Procs(procs), Seconds(age), &paper())).collect();
        let step = on_average(&holders, t + 0.001) - on_average(&holders, t);
        // No job ends faster than at its present age.
        let steepest: f64 = ages
            .iter()
            .map(|&(procs, age)| f64::from(procs) / (age as f64 * (12.0 - (age as f64).ln())))
            .sum();
        prop_assert!((0.0..=0.001 * steepest + 1e-9).contains(&step), "{} {}", step, steepest);
    }

    /// In another unit of time, everything takes as many times longer.
    #[test]
    fn lifetimes_have_no_scale(
        ages in prop::collection::vec((1..9_u32, 0..100_000_i64), 1..10),
        more in 1..30_u32,
        scale in 2..50_i64,
    ) {
        let of = |scale: i64| -> Vec<Holder> {
            let factor = scale as f64;
            let lifetimes = LogUniform::between(factor * 2f64.exp(), factor * 12f64.exp()).unwrap();
            ages.iter().map(|&(procs, age)| Holder::aged(Procs(procs), Seconds(age * scale), &lifetimes)).collect()
        };
        for how in ALL {
            let (one, many) = (how.predict(&of(1), Procs(more)), how.predict(&of(scale), Procs(more)));
            prop_assert_eq!(one.is_some(), many.is_some());
            if let (Some(one), Some(many)) = (one, many) {
                // Each is rounded up to a tick.
                prop_assert!((one * scale as f64 - many).abs() <= scale as f64 * TICK + 1e-3, "{how} {one} {many}");
            }
        }
    }

    #[test]
    fn likelier_is_later(holders in machines(), more in 1..30_u32) {
        let shares = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0];
        let quantiles = shares.map(|share| quantile(&holders, Procs(more), share));
        prop_assert!(quantiles.is_sorted(), "{quantiles:?}");
        prop_assert_eq!(quantiles[3], QueueTime::Exact.predict(&holders, Procs(more)));
    }
}

/// The properties above must be able to fail: on the same machines, wrong formulas are caught.
#[test]
fn control_wrong_formulas_are_caught() {
    let mut runner = TestRunner::deterministic();
    let (mut swapped, mut approximated, mut late, mut small) = (0, 0, 0, 0);
    let sudden = [Holder::ending(Procs(4), Seconds(60))];
    assert!(
        on_average(&sudden, 60.0) - on_average(&sudden, 59.999) > 1.0,
        "a known end is no steady release"
    );
    let machines: Vec<Vec<Holder>> =
        (0..100).map(|_| machines().new_tree(&mut runner).unwrap().current()).collect();
    for holders in machines.iter().filter(|holders| holders.len() > 2) {
        // Equation 6 as printed, ended and running the wrong way round, is Pr{held − F ≥ n'}.
        let more = held(holders) / 3 + 1;
        let printed = 1.0 - enumerated(holders, held(holders) - more + 1, 900.0);
        swapped += u32::from((printed - probability(holders, Procs(more), 900.0)).abs() > 1e-6);
        let exact = QueueTime::Exact.predict(holders, Procs(more)).unwrap();
        late += u32::from(!is_first(exact + 1.0, 0.5, |t| enumerated(holders, more, t)));
        let near = |how: QueueTime| {
            how.predict(holders, Procs(more)).is_some_and(|other| (other - exact).abs() < 1.0)
        };
        approximated += u32::from(!near(QueueTime::Mean));
        let all = QueueTime::Exact.predict(holders, Procs(1));
        small += u32::from(QueueTime::Exact.predict(&holders[1..], Procs(1)) != all);
    }
    assert!(
        swapped > 40 && approximated > 40 && late > 20 && small > 20,
        "{swapped} {approximated} {late} {small}"
    );
}

/// Processors of the machine below.
const MACHINE: u32 = 128;

/// A machine full of jobs at a random moment: sizes uniform in the log up to the machine, lifetimes those of the paper.
/// Each holder with how much longer it will really run.
fn full_machine(uniform: &mut impl FnMut() -> f64) -> Vec<(Holder, f64)> {
    let (mut free, mut jobs) = (MACHINE, Vec::new());
    while free > 0 {
        let procs = (f64::from(MACHINE).powf(uniform()) as u32).clamp(1, free);
        // A random moment finds long jobs in proportion to their length, and each at a random part of it.
        let lifetime = paper().least() + uniform() * (paper().most() - paper().least());
        let age = (lifetime * uniform()).floor();
        jobs.push((Holder::aged(Procs(procs), Seconds(age as i64), &paper()), lifetime - age));
        free -= procs;
    }
    jobs
}

/// When `more` processors were free.
fn really(jobs: &[(Holder, f64)], more: u32) -> f64 {
    let mut ends: Vec<(f64, u32)> = jobs.iter().map(|(holder, left)| (*left, holder.procs().0)).collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut freed = 0;
    ends.into_iter()
        .find_map(|(end, procs)| {
            freed += procs;
            (freed >= more).then_some(end)
        })
        .unwrap()
}

/// Coefficient of correlation.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0 / count, sum.1 + pair.1 / count));
    let moment = |by: fn(f64, f64) -> f64| pairs.iter().map(|pair| by(pair.0 - x, pair.1 - y)).sum::<f64>();
    moment(|x, y| x * y) / (moment(|x, _| x * x) * moment(|_, y| y * y)).sqrt()
}

/// How many of them.
const MACHINES: u32 = 40_000;

/// Sizes asked for.
const SIZES: [u32; 4] = [1, 4, 16, 64];

/// What became of predictions for each of the sizes, made `factor` times as long: the share of requests that had one; of
/// these, the share served by then; and over all, the correlation of the logarithms of predicted and actual.
fn outcome(how: QueueTime, factor: f64) -> ([f64; 4], [f64; 4], f64) {
    let mut stream = Seed(1997).stream("full machines");
    let mut uniform = || stream.random_range(0.0..1.0);
    let (mut given, mut served, mut pairs) = ([0.0; 4], [0.0; 4], Vec::new());
    for _ in 0..MACHINES {
        let jobs = full_machine(&mut uniform);
        let holders: Vec<Holder> = jobs.iter().map(|job| job.0.clone()).collect();
        for (place, more) in SIZES.into_iter().enumerate() {
            let Some(predicted) = how.predict(&holders, Procs(more)) else { continue };
            let (predicted, actual) = (predicted * factor, really(&jobs, more));
            given[place] += 1.0;
            served[place] += if actual <= predicted { 1.0 } else { 0.0 };
            pairs.push((predicted.ln(), actual.ln()));
        }
    }
    (
        given.map(|given| given / f64::from(MACHINES)),
        [0, 1, 2, 3].map(|place| served[place] / given[place]),
        correlation(&pairs),
    )
}

/// The table of docs/concepts/queue-time.md, to the percent, and a bit for another machine's logarithms.
#[test]
fn what_became_of_predictions_is_as_the_page_says() {
    let page = [
        ("exact", [1.0; 4], [0.50, 0.50, 0.50, 0.50], 0.59),
        ("median", [1.0, 1.0, 1.0, 0.54], [0.50, 0.51, 0.55, 0.49], 0.54),
        ("mean", [1.0; 4], [0.05, 0.14, 0.29, 0.50], 0.50),
        ("combined", [1.0; 4], [0.50, 0.50, 0.49, 0.50], 0.56),
        ("combined:1", [1.0; 4], [0.50, 0.51, 0.55, 0.50], 0.59),
        ("combined:3", [1.0; 4], [0.47, 0.44, 0.35, 0.50], 0.43),
    ];
    for (how, given, served, correlation) in page {
        let found = outcome(how.parse().unwrap(), 1.0);
        let pairs = found.0.into_iter().zip(given).chain(found.1.into_iter().zip(served));
        let close = |(one, other): (f64, f64)| (one - other).abs() < 0.0051;
        assert!(pairs.chain([(found.2, correlation)]).all(close), "{how} {found:.4?}");
    }
    // Control: twice the median is no median, though it correlates as well.
    let doubled = outcome(QueueTime::Exact, 2.0);
    assert!(doubled.1.into_iter().all(|served| served > 0.58), "{doubled:?}");
}

/// Jobs older than the line allows are no rarity, says docs/concepts/queue-time.md.
#[test]
fn run_times_of_the_model_are_not_quite_uniform_in_the_log() {
    for seed in 1..4 {
        let workload = Downey::new(30_421, 128).generate(Seed(seed)).unwrap();
        let runs = || workload.truths().iter().map(|truth| truth.run());
        let mut fit = LifetimeFit::new();
        runs().for_each(|run| fit.observe(run));
        let most = fit.lifetimes().unwrap().most();
        let beyond: f64 = runs().map(|run| (run.0 as f64 - most).max(0.0)).sum();
        let share = beyond / runs().map(|run| run.0 as f64).sum::<f64>();
        assert!((8.5..9.0).contains(&(most / 3600.0)) && (0.31..0.335).contains(&share), "{most} {share}");
        let longer = runs().filter(|run| run.0 as f64 > most).count() as f64 / 30_421.0;
        assert!((0.038..0.042).contains(&longer), "{longer}");
        assert!(runs().max() > Some(Seconds(45 * 3600)));
        // Control: sequential lifetimes are.
        let mut fit = LifetimeFit::new();
        let jobs = Downey::new(30_421, 128).jobs(Seed(seed)).unwrap();
        jobs.iter().for_each(|job| fit.observe(job.lifetime));
        let most = fit.lifetimes().unwrap().most();
        let longer = jobs.iter().filter(|job| job.lifetime.0 as f64 > most).count() as f64 / 30_421.0;
        assert!(longer < 0.01, "{most} {longer}");
    }
}
