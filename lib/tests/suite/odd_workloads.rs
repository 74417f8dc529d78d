//! Workloads of one job, one user or one instant: what is made of them is sound, or it is said why not.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use queuecast_core::job::Truth;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_synth::characterization::Characterization;
use queuecast_synth::synth::{
    Downey, EstimateModel, Estimates, LoadTarget, Lublin, Pairing, Population, Resample, Rescale, Routine,
    ScaledQuantity, Shaken, Variant,
};

use crate::support;
use crate::support::jobs::{job, of_runs, workload};

/// Workloads of few jobs at the ends of everything: one instant or ages apart, no time or 10^12 s, the whole machine.
fn odd() -> impl Strategy<Value = Workload> {
    let machine = select(vec![1_u32, 2, 3, 100, 1 << 24, u32::MAX]);
    let gap =
        prop_oneof![4 => Just(0_i64), 3 => 0..10_000_i64, 1 => Just(604_800_i64), 1 => 0..100_000_000_i64];
    let run =
        prop_oneof![3 => Just(0_i64), 2 => Just(1), 2 => 0..100_000_i64, 1 => Just(1_000_000_000_000_i64)];
    let limit = prop_oneof![3 => Just(None), 2 => Just(Some(1_i64)), 2 => (1..200_000_i64).prop_map(Some)];
    let user = select(vec![None, None, Some(0_u32), Some(1), Some(u32::MAX - 1)]);
    let queue = select(vec![None, Some(0_u32), Some(u32::MAX - 1)]);
    let row = (gap, any::<Index>(), any::<bool>(), run, limit, user, queue);
    let jobs = proptest::collection::vec(row, 1..40);
    let epoch =
        select(vec![None, Some(0_i64), Some(-1), Some(1_700_000_000), Some(i64::MIN), Some(i64::MAX)]);
    (machine, jobs, select(vec![0_i64, -1_000_000_000_000, 1_000_000_000_000]), epoch, 0..4_u8).prop_map(
        |(machine, rows, begins, epoch, alike)| {
            let mut at = begins;
            let jobs = rows.into_iter().map(|(gap, size, whole, run, limit, user, queue)| {
                at += gap;
                let procs = if whole { machine } else { 1 + size.index(machine as usize) as u32 };
                let (user, queue) = (user.filter(|_| alike != 0), queue.filter(|_| alike != 1));
                job(procs, run).at(at).limit(limit).user(user).queue(queue)
            });
            let mut workload = workload(machine, jobs);
            workload.epoch = epoch;
            workload
        },
    )
}

/// Size and run time of every job, sorted.
fn shapes(workload: &Workload) -> Vec<(u32, i64)> {
    let mut shapes: Vec<(u32, i64)> = workload
        .jobs()
        .iter()
        .zip(workload.truths())
        .map(|(job, truth)| (job.shape.procs.0, truth.run().0))
        .collect();
    shapes.sort_unstable();
    shapes
}

proptest! {
    #![proptest_config(support::cases(300))]

    #[test]
    fn odd_workloads_are_settled_and_imitated(before in odd(), users in 1..50_u32, seed: u64) {
        let population = Population { users, ..Population::default() };
        let after = population.assign_users(&before, Seed(seed)).unwrap();
        prop_assert_eq!(shapes(&after), shapes(&before));
        prop_assert!(after.jobs().iter().zip(before.jobs()).all(|(one, other)| one.submit == other.submit));
        let queued = before.jobs().iter().any(|job| job.queue.is_some());
        prop_assert!(after.jobs().iter().zip(before.jobs()).all(|(one, other)| !queued || one.queue == other.queue));
        if let Ok(like) = Population::like(&before) {
            prop_assert!(like.assign_users(&before, Seed(seed)).is_ok());
        }
    }

    #[test]
    fn odd_workloads_are_rescaled_or_it_is_said_why_not(
        before in odd(),
        to in prop_oneof![(0.001..100.0_f64).prop_map(LoadTarget::Load), (0.001..1000.0_f64).prop_map(LoadTarget::Factor)],
        by in select(vec![ScaledQuantity::Arrivals, ScaledQuantity::RunTimes, ScaledQuantity::Sizes]),
    ) {
        let after = match (Rescale { to, by }).of(&before) {
            Ok(after) => after,
            Err(error) => {
                prop_assert!(!error.to_string().contains('\n'));
                return Ok(());
            }
        };
        prop_assert_eq!(after.len(), before.len());
        prop_assert_eq!((after.machine(), after.epoch), (before.machine(), before.epoch));
        for (new, old) in after.truths().iter().zip(before.truths()) {
            prop_assert_eq!(new.run() > Seconds::ZERO, old.run() > Seconds::ZERO);
        }
        let pairs = after.jobs().iter().zip(after.truths()).zip(before.jobs().iter().zip(before.truths()));
        for ((job, truth), (before, run)) in pairs {
            // Who did not outrun the request does not come to.
            let (new, old) = (job.shape.limit, before.shape.limit);
            prop_assert!(old.is_none_or(|old| run.run() > old) || new.is_some_and(|new| truth.run() <= new));
        }
        if let LoadTarget::Load(load) = to {
            let offered = after.offered_load();
            // Off by half a processor or half a second of every job at most, or by half a second of the span.
            let machine = f64::from(after.machine().procs.0);
            let jobs = || after.jobs().iter().zip(after.truths());
            let span = (after.jobs().last().unwrap().submit - after.begins().unwrap()).0.max(1) as f64;
            let off = match by {
                ScaledQuantity::Arrivals => load * 0.6 / (span - 0.5),
                ScaledQuantity::RunTimes => jobs().map(|(job, _)| f64::from(job.shape.procs.0)).sum::<f64>() / (machine * span),
                ScaledQuantity::Sizes => jobs().map(|(_, truth)| truth.run().0 as f64).sum::<f64>() / (machine * span),
            };
            prop_assert!((offered - load).abs() <= off + 1e-9 * load, "{} instead of {}, off by {}", offered, load, off);
        }
    }

    #[test]
    fn models_like_odd_workloads_are_models_or_refused(workload in odd(), seed: u64) {
        for model in [Downey::like(&workload), Downey::like_observed(&workload)].into_iter().flatten() {
            let bounds = (1.0, 1e12);
            let [least, most] = [0.0, 1.0].map(|share| model.lifetime.at(share, bounds));
            prop_assert!(least <= most && model.lifetime.mean(bounds).is_finite());
            prop_assert!((0.001..=10.0).contains(&model.load));
            let made = model.generate(Seed(seed));
            let large = workload.machine().procs.0 > 1 << 24;
            prop_assert!(made.is_ok() || large || most > 1e9, "{:?}", made.unwrap_err());
        }
        if let Ok(model) = Lublin::like(&workload) {
            prop_assert!(model.generate(Seed(seed)).is_ok());
        }
    }

    #[test]
    fn a_workload_is_at_its_own_load(before in odd(), by in select(vec![ScaledQuantity::Arrivals, ScaledQuantity::RunTimes, ScaledQuantity::Sizes])) {
        let load = before.offered_load();
        let one_instant = before.jobs().last().unwrap().submit == before.begins().unwrap();
        if !(0.001..=100.0).contains(&load) || one_instant {
            return Ok(());
        }
        let after = (Rescale { to: LoadTarget::Load(load), by }).of(&before);
        prop_assert!(after.is_ok(), "{:?}", after);
        prop_assert!((after.unwrap().offered_load() / load - 1.0).abs() < 1e-6);
    }

    #[test]
    fn odd_workloads_are_resampled_or_it_is_said_why_not(
        log in odd(), weeks in 1..60_u32, load in proptest::option::of(0.001..1.0_f64), seed: u64,
    ) {
        let resample = Resample { weeks, load };
        // A user who does next to nothing on a large machine would have to be there millions of times.
        let area: i128 = shapes(&log).iter().map(|&(procs, run)| i128::from(procs) * i128::from(run)).sum();
        let few = load.is_none() || area > i128::from(log.machine().procs.0) * 200_000;
        if !few {
            return Ok(());
        }
        let Ok(new) = resample.of(&log, Seed(seed)) else { return Ok(()) };
        let old = shapes(&log);
        prop_assert!(shapes(&new).iter().all(|shape| old.binary_search(shape).is_ok()));
        if let (Some(first), Some(last)) = (new.begins(), new.jobs().last()) {
            prop_assert!((last.submit - first).0 < i64::from(weeks) * 604_800);
            // Everything is at its time of the week.
            let week = |at: Time| at.0.rem_euclid(604_800);
            let mut hours: Vec<i64> = log.jobs().iter().map(|job| week(job.submit)).collect();
            hours.sort_unstable();
            prop_assert!(new.jobs().iter().all(|job| hours.binary_search(&week(job.submit)).is_ok()));
        }
    }

    #[test]
    fn odd_workloads_have_characterizations(workload in odd()) {
        let described = Characterization::of(&workload);
        let jobs = workload.len() as u64;
        prop_assert_eq!(described.jobs, jobs);
        prop_assert_eq!(described.run_percentiles.len(), 101);
        prop_assert!(described.run_percentiles.is_sorted());
        prop_assert_eq!(described.estimates.is_some(), described.with_estimate > 0);
        prop_assert_eq!(described.accuracy.is_some(), described.with_estimate > 0);
        prop_assert_eq!(described.sessions.is_some(), described.with_user > 0);
        if let Some(accuracy) = &described.accuracy {
            let below: u64 = accuracy.histogram.iter().map(|bin| bin.jobs).sum();
            prop_assert_eq!(below + accuracy.reached + accuracy.exceeded, described.with_estimate);
            prop_assert_eq!(accuracy.by_run.iter().map(|bin| bin.jobs).sum::<u64>(), described.with_estimate);
            prop_assert!((0.0..=1.0).contains(&accuracy.mean) && (0.0..=1.0).contains(&accuracy.peak_share));
        }
        if let Some(estimates) = &described.estimates {
            prop_assert!((0.5 - 1e-9..=1.0).contains(&estimates.joint_ratio));
            prop_assert_eq!(estimates.modes.iter().map(|mode| mode.jobs).sum::<u64>(), described.with_estimate);
            prop_assert!((estimates.modes.last().unwrap().covered - 1.0).abs() < 1e-12);
            for covering in &estimates.covering {
                let fewest = estimates.modes.iter().position(|mode| mode.covered >= covering.share - 1e-12);
                prop_assert_eq!(Some(covering.values), fewest.map(|place| place + 1));
            }
        }
        // Not a number is not even equal to itself.
        prop_assert_eq!(&described, &Characterization::of(&workload), "something is not a number");
    }

    #[test]
    fn odd_workloads_get_estimates_from_every_source(
        mut workload in odd(), f in select(vec![0.0, 0.5, 300.0, 1e6]), phi in 0.0..=1.0_f64, seed: u64,
    ) {
        for source in [Estimates::Factor(f), Estimates::Feit(phi)] {
            let given = source.of(&workload, Seed(seed)).unwrap();
            let least = |truth: &Truth| truth.run().max(Seconds(1));
            prop_assert!(given.iter().zip(workload.truths()).all(|(given, truth)| *given >= least(truth)));
        }
        let longest = workload.truths().iter().map(|truth| truth.run()).max().unwrap();
        for pairing in [Pairing::Shuffled, Pairing::Sessions(Routine::default())] {
            let model = EstimateModel::new(1, Seconds(86_400));
            let given = Estimates::Model(model, pairing).of(&workload, Seed(seed));
            prop_assert_eq!(given.is_ok(), longest <= Seconds(86_400));
            let limits: Vec<Option<Seconds>> = workload.jobs().iter().map(|job| job.shape.limit).collect();
            let known = limits.iter().all(Option::is_some);
            prop_assert!(known || Estimates::Own(pairing).of(&workload, Seed(seed)).is_err());
        }
        let runs: Vec<Option<Seconds>> =
            workload.truths().iter().map(|truth| Some(truth.run().max(Seconds(1)))).collect();
        workload.replace_limits(runs);
        let given = Estimates::Own(Pairing::Shuffled).of(&workload, Seed(seed)).unwrap();
        // Where every job asks for exactly its run time, no other estimate can be assigned.
        prop_assert!(given.iter().zip(workload.truths()).all(|(given, truth)| *given == truth.run().max(Seconds(1))));
    }

    #[test]
    fn odd_workloads_are_shaken(workload in odd(), by in select(vec![0_i64, 1, -1, 1_000_000]), seed: u64) {
        let shaken = Some(Shaken { by: Seconds(by), seed });
        let after = Variant { shaken, ..Variant::default() }.of(&workload).unwrap();
        prop_assert_eq!(shapes(&after), shapes(&workload));
    }
}

#[test]
fn the_only_load_there_is_can_be_asked_for() {
    for (run, span) in (2..300_i64).flat_map(|run| [(run, 7), (run, 1009), (run, 2173)]) {
        let workload = workload(1, [0, span].map(|at| job(1, run).at(at)));
        let own = Rescale { to: LoadTarget::Load(workload.offered_load()), by: ScaledQuantity::Sizes };
        if workload.offered_load() <= 100.0 {
            assert_eq!(own.of(&workload), Ok(workload));
        }
    }
}

#[test]
fn a_load_that_whole_seconds_cannot_have_is_refused() {
    let workload = workload(1, [0, 1, 2, 4].map(|at| job(1, 1).at(at).limit(3600)));
    assert_eq!(workload.offered_load(), 1.0);
    let error = (Rescale { to: LoadTarget::Load(0.25), by: ScaledQuantity::RunTimes })
        .of(&workload)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("load = 0.25: must be at least 1"), "{error}");
    let half = Rescale { to: LoadTarget::Factor(0.5), by: ScaledQuantity::RunTimes };
    let error = half.of(&workload).unwrap_err().to_string();
    assert!(error.starts_with("factor = 0.5: must be at least 1"), "{error}");
}

// -------------------------------------------------------------------------------------------------------- controls

#[test]
fn control_a_lost_and_a_changed_job_are_found() {
    assert_eq!(shapes(&of_runs(&[1, 2])), shapes(&of_runs(&[2, 1])));
    assert_ne!(shapes(&of_runs(&[1, 2])), shapes(&of_runs(&[1])));
    assert_ne!(shapes(&of_runs(&[1, 2])), shapes(&of_runs(&[1, 3])));
}
