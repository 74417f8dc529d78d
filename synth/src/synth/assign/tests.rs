//! Assignments against what is asked of them, on workloads by hand and at random.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::remaining::{Remaining, raised};
use super::*;
use crate::characterization::Mode;
use queuecast_core::job::{Job, Truth, UserId};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Machine;

/// Jobs of (arrival, user, processors, run).
fn workload(jobs: &[(i64, u32, u32, i64)]) -> Workload {
    let jobs = (1..).zip(jobs).map(|(id, &(at, user, procs, run))| {
        let mut job = Job::rigid(id, Time(at), Procs(procs), None);
        job.user = UserId::new(user);
        (job, Truth::rigid(Seconds(run)))
    });
    Workload::new(Machine { procs: Procs(64) }, jobs.collect()).unwrap()
}

fn of_runs(runs: &[i64]) -> Workload {
    workload(&runs.iter().map(|&run| (0, 1, 1, run)).collect::<Vec<_>>())
}

fn modes(modes: &[(i64, u64)]) -> Modes {
    modes.iter().map(|&(time, jobs)| Mode { time: Seconds(time), jobs }).collect()
}

const PAIRINGS: [Pairing; 2] = [
    Pairing::Shuffled,
    Pairing::Sessions(Routine { gap: Seconds(3600), kept: 0.5, recalled: 0.8, disorder: 0.35 }),
];

#[test]
fn every_permitted_assignment_is_equally_likely() {
    let jobs = of_runs(&[5, 8, 15, 25]);
    let modes = modes(&[(10, 1), (20, 1), (30, 2)]);
    let mut seen: BTreeMap<Vec<Seconds>, u32> = BTreeMap::new();
    for seed in 0..30_000 {
        *seen.entry(Pairing::Shuffled.pair(&modes, &jobs, Seed(seed)).unwrap()).or_default() += 1;
    }
    // The last has one of the two 30s; the third has 20 or the other 30; the first two share the rest in either order.
    // As permutations of four labelled estimates: 2 · 2 · 2 = 8, each as likely.
    let expected: BTreeMap<Vec<Seconds>, u32> =
        [[10, 20, 30, 30], [20, 10, 30, 30], [10, 30, 20, 30], [30, 10, 20, 30]]
            .into_iter()
            .map(|estimates| (estimates.map(Seconds).to_vec(), 7500))
            .collect();
    assert_eq!(seen.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    // Five standard deviations of a count of 30,000 · 1/4.
    assert!(seen.values().all(|&count| count.abs_diff(7500) < 375), "{seen:?}");
}

#[test]
fn an_impossible_assignment_is_an_error() {
    for pairing in PAIRINGS {
        let error = pairing.pair(&modes(&[(10, 2), (30, 1)]), &of_runs(&[5, 20, 25]), Seed(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1 of 3 jobs run longer than any estimate left for them (job 3 runs 25 s, the longest estimate is 30 s): \
             raise the longest estimate, or the number of jobs that use the long ones"
        );
        let error = pairing.pair(&modes(&[(10, 2)]), &of_runs(&[5, 20]), Seed(1)).unwrap_err();
        assert!(
            matches!(error, SynthError::Outlived { outlived: 1, jobs: 2, id: 2, run: 20, longest: 10 }),
            "{error}"
        );
        // All that outlive the longest are counted, not only the first; so are they where estimates may be raised.
        let (few, jobs) = (modes(&[(10, 3), (30, 1)]), of_runs(&[5, 40, 50, 35]));
        for error in
            [pairing.pair(&few, &jobs, Seed(1)), pairing.pair_raised(&few, &jobs, Seed(1)).map(|it| it.0)]
        {
            assert_eq!(
                error.unwrap_err().to_string(),
                "3 of 4 jobs run longer than the longest estimate, 30 s (job 3 runs 50 s): raise the longest estimate"
            );
        }
        let error = pairing.pair(&modes(&[(10, 2)]), &of_runs(&[5]), Seed(1)).unwrap_err();
        assert_eq!(error.to_string(), "2 estimates for 1 jobs: one for each is needed");
        assert_eq!(pairing.pair(&Modes::default(), &of_runs(&[]), Seed(1)), Ok(vec![]));
    }
}

#[test]
fn as_few_as_necessary_are_raised() {
    let jobs = of_runs(&[5, 5, 15, 25]);
    assert!(raised(&modes(&[(10, 3), (20, 1)]), &jobs).is_err(), "nothing suffices for 25");
    let (served, lifted) = raised(&modes(&[(10, 3), (30, 1)]), &jobs).unwrap();
    assert_eq!((served, lifted), (modes(&[(10, 2), (30, 2)]), 1));
    let enough = modes(&[(10, 2), (20, 1), (30, 1)]);
    assert_eq!(raised(&enough, &jobs).unwrap(), (enough, 0));
}

#[test]
fn a_batch_has_one_estimate_and_a_user_comes_back_to_it() {
    // Three users of one size each, in sessions of four, a day apart; enough of every estimate.
    let jobs: Vec<(i64, u32, u32, i64)> =
        (0..240).map(|job| (job / 4 * 86_400 + job % 4, (job / 4 % 3) as u32, 2, 60)).collect();
    let jobs = workload(&jobs);
    let values: Vec<(i64, u64)> = (1..=12).map(|time| (time * 600, 20)).collect();
    let modes = modes(&values);
    let routine = Routine { recalled: 1.0, ..Routine::default() };
    let estimates = Pairing::Sessions(routine).pair(&modes, &jobs, Seed(3)).unwrap();
    assert!(estimates.chunks(4).all(|session| session.iter().all(|&estimate| estimate == session[0])));
    // A user has 80 jobs, a value 20: it takes four at least, and few more are taken.
    let distinct = |estimates: &[Seconds]| -> usize {
        let of = |user: usize| {
            estimates.chunks(4).skip(user).step_by(3).flatten().copied().collect::<Modes>().len()
        };
        (0..3).map(of).sum()
    };
    assert!(distinct(&estimates) <= 22, "{}", distinct(&estimates));
    // The control: shuffled, hardly any session is of one estimate, and users have nearly all of them.
    let shuffled = Pairing::Shuffled.pair(&modes, &jobs, Seed(3)).unwrap();
    assert!(distinct(&shuffled) >= 34);
    let of_one =
        shuffled.chunks(4).filter(|session| session.iter().all(|&estimate| estimate == session[0])).count();
    assert!(of_one < 10, "{of_one} of 60");
}

#[test]
fn long_jobs_are_served_whichever_job_chooses_first() {
    // 400 strangers with one job each, every second one long.
    let jobs: Vec<(i64, u32, u32, i64)> =
        (0..400).map(|job| (i64::from(job), job, 1, if job % 2 == 0 { 700 } else { 30 })).collect();
    let jobs = workload(&jobs);
    let long_for_short = |short: u64, disorder: f64| {
        let modes = modes(&[(60, short), (1200, 400 - short)]);
        let routine = Routine { disorder, ..Routine::default() };
        let estimates = Pairing::Sessions(routine).pair(&modes, &jobs, Seed(1)).unwrap();
        estimates.iter().zip(jobs.truths()).filter(|(e, truth)| e.0 == 1200 && truth.run().0 == 30).count()
    };
    // As many long estimates as long jobs leave no choice; with 100 more, the short jobs have those.
    assert_eq!((long_for_short(200, 0.0), long_for_short(200, 1.0)), (0, 0));
    assert_eq!((long_for_short(100, 0.0), long_for_short(100, 1.0)), (100, 100));
}

#[test]
fn made_from_run_times() {
    let jobs = of_runs(&[0, 1, 100, 10_000, 100_000]);
    let of = |estimates: Estimates| estimates.of(&jobs, Seed(5)).unwrap();
    assert_eq!(of(Estimates::Factor(0.0)), [1, 1, 100, 10_000, 100_000].map(Seconds));
    for seed in 0..200 {
        let threefold = Estimates::Factor(2.0).of(&jobs, Seed(seed)).unwrap();
        assert!(threefold.iter().zip(jobs.truths()).all(|(estimate, truth)| {
            let run = truth.run().max(Seconds(1));
            *estimate >= run && *estimate <= run.scaled(3.0)
        }));
        let feit = Estimates::Feit(0.1).of(&jobs, Seed(seed)).unwrap();
        assert_eq!(feit[4], Seconds(100_000), "longer than a day, so its own run time");
        assert!(feit[3] >= Seconds(10_000) && feit[3] <= Seconds(86_400));
    }
    assert_eq!(of(Estimates::Feit(1.0)), of(Estimates::Factor(0.0)));
    // Accuracy is uniform: its mean is a half, and the peak adds to it.
    let many = of_runs(&[3600; 20_000]);
    let accuracy = |peak: f64| {
        let estimates = Estimates::Feit(peak).of(&many, Seed(9)).unwrap();
        estimates.iter().map(|estimate| 3600.0 / estimate.0 as f64).sum::<f64>() / 20_000.0
    };
    assert!((accuracy(0.0) - 0.5).abs() < 0.02 && (accuracy(0.4) - 0.7).abs() < 0.02);
}

#[test]
fn own_estimates_are_doubled_or_given_to_others() {
    let mut jobs = of_runs(&[5, 15, 25]);
    assert_eq!(
        Estimates::Doubled.of(&jobs, Seed(1)).unwrap_err().to_string(),
        "3 of 3 jobs have no estimate to use"
    );
    jobs.replace_limits([10, 20, 30].map(Seconds).map(Some));
    assert_eq!(Estimates::Doubled.of(&jobs, Seed(1)).unwrap(), [20, 40, 60].map(Seconds));
    for pairing in PAIRINGS {
        let given: Modes = Estimates::Own(pairing).of(&jobs, Seed(1)).unwrap().into_iter().collect();
        assert_eq!(given, Modes::of(&jobs));
    }
    let routine = Routine { recalled: 1.5, ..Routine::default() };
    let error = Estimates::Own(Pairing::Sessions(routine)).of(&jobs, Seed(1)).unwrap_err();
    assert_eq!(error.to_string(), "recalled = 1.5: must be between 0 and 1");
    let error = Estimates::Factor(-1.0).of(&jobs, Seed(1)).unwrap_err();
    assert_eq!(error.to_string(), "f = -1: must be between 0 and 1000000");
}

#[test]
fn the_model_serves_every_job_whatever_it_draws() {
    let runs: Vec<i64> = (0..2000).map(|job| if job % 2 == 0 { 50_000 } else { 30 }).collect();
    let jobs = of_runs(&runs);
    for (seed, pairing) in (0..20).zip(PAIRINGS.into_iter().cycle()) {
        let model = EstimateModel::new(1, Seconds(64_800));
        let estimates = Estimates::Model(model, pairing).of(&jobs, Seed(seed)).unwrap();
        assert!(estimates.iter().zip(&runs).all(|(estimate, run)| estimate.0 >= *run));
    }
    let model = EstimateModel::new(1, Seconds(3600));
    let error = Estimates::Model(model, Pairing::Shuffled).of(&jobs, Seed(1)).unwrap_err();
    assert!(
        matches!(error, SynthError::Outlived { outlived: 1000, run: 50_000, longest: 3600, .. }),
        "{error}"
    );
}

/// Whether all jobs can be served, the obvious way: the longest job gets the longest estimate, and so on.
fn can_be_served(modes: &Modes, jobs: &Workload) -> bool {
    let mut runs: Vec<Seconds> = jobs.truths().iter().map(Truth::run).collect();
    runs.sort();
    runs.into_iter().zip(modes.times()).all(|(run, estimate)| run <= estimate)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn assignments_are_exact_or_impossible(
        jobs in prop::collection::vec((0i64..20_000, 0u32..5, 1u32..4, 0i64..60), 1..60),
        times in prop::collection::vec(0i64..70, 60),
        seed in 0u64..1000,
    ) {
        let jobs = workload(&jobs);
        let modes: Modes = times[..jobs.len()].iter().map(|&time| Seconds(time)).collect();
        for pairing in PAIRINGS {
            match pairing.pair(&modes, &jobs, Seed(seed)) {
                Ok(estimates) => {
                    prop_assert!(can_be_served(&modes, &jobs));
                    prop_assert!(estimates.iter().zip(jobs.truths()).all(|(estimate, truth)| *estimate >= truth.run()));
                    prop_assert_eq!(&estimates.iter().copied().collect::<Modes>(), &modes);
                    prop_assert_eq!(estimates, pairing.pair(&modes, &jobs, Seed(seed)).unwrap());
                }
                Err(error) => {
                    prop_assert!(!can_be_served(&modes, &jobs));
                    let too_short = matches!(error, SynthError::TooShort { .. } | SynthError::Outlived { .. });
                    prop_assert!(too_short);
                    if let Ok((served, lifted)) = raised(&modes, &jobs) {
                        prop_assert!(can_be_served(&served, &jobs) && lifted > 0);
                        prop_assert_eq!(served.jobs(), modes.jobs());
                    }
                }
            }
        }
        prop_assert_eq!(Remaining::new(&modes, &jobs).is_ok(), can_be_served(&modes, &jobs));
    }
}
