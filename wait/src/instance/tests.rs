//! Distances by hand and by a sort of all, and what tuning is worth.

use proptest::prelude::*;

use super::super::features::{Feature, Features};
use super::super::predictor::test_support::asked;
use super::situations::ATTRIBUTES;
use super::*;
use queuecast_core::job::{Job, UserId};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Machine;
use queuecast_sim::site::Site;

/// A job of a user on `procs` processors that arrives while `queue` jobs wait.
fn with<T>(user: u32, procs: f64, queue: f64, at: i64, each: impl FnOnce(&Arrival<'_>) -> T) -> T {
    let mut job = Job::rigid(1, Time(at), Procs(1), None);
    job.user = UserId::new(user);
    let mut features = Features::default();
    features.0[Feature::RequestSize as usize] = procs;
    features.0[Feature::QueueLength as usize] = queue;
    each(&Arrival { job: &job, at: Time(at), features: &features })
}

fn situation(user: u32, procs: f64, queue: f64) -> Instance {
    with(user, procs, queue, 0, Instance::of)
}

fn history(jobs: &[(u32, f64, f64, i64)]) -> Instances {
    let mut history = Instances::default();
    for (at, &(user, procs, queue, wait)) in jobs.iter().enumerate() {
        history.push(situation(user, procs, queue), Time(at as i64), Seconds(wait));
    }
    history.measure(0..jobs.len());
    history
}

fn predicted(instance: &mut InstanceBased, user: u32, procs: f64, queue: f64, at: i64) -> WaitForecast {
    let site = Site::new(Machine { procs: Procs(8) });
    with(user, procs, queue, at, |arrival| instance.predict(arrival, site.view(Time(at))))
}

#[test]
fn distances_are_worked_by_hand() {
    // Ranges: processors 100, waiting jobs 10.
    let history = history(&[(1, 0.0, 0.0, 10), (1, 100.0, 10.0, 20), (2, 50.0, 5.0, 30)]);
    let mut weights = [0.0; ATTRIBUTES];
    // The user counts once, processors twice, waiting jobs once.
    (weights[0], weights[5], weights[7]) = (1.0, 2.0, 1.0);
    let tuning = Tuning { weights, neighbours: 2, width: 0.5 };
    let near = tuning.nearest(&history, &situation(1, 50.0, 10.0), 0..3, &mut Vec::new());
    // (0 + 2·0.25 + 1)/4, (0 + 2·0.25 + 0)/4, (1 + 0 + 0.25)/4.
    assert_eq!(near, [(0.125, 1), (0.3125, 2)]);
    let kernel: Vec<f64> = tuning.kernel(&near).collect();
    assert!((kernel[1] / kernel[0] - (-0.1875_f64 / 0.25).exp()).abs() < 1e-6, "{kernel:?}");
    // Of equally near ones the latest.
    let near =
        Tuning { neighbours: 1, ..tuning }.nearest(&history, &situation(9, 50.0, 5.0), 0..2, &mut Vec::new());
    assert_eq!(near[0].1, 1);
}

#[test]
fn only_jobs_that_had_started_are_known() {
    let mut history = Instances::default();
    for (at, wait) in [(0, 10), (1, 20), (2, 30), (25, 10), (40, 1)] {
        history.push(situation(1, 1.0, 1.0), Time(at), Seconds(wait));
    }
    // Starts at 10, 21, 32, 35 and 41.
    assert_eq!([0, 1, 2, 3, 4].map(|row| history.started_before(row, 0..5)), [0..0, 0..0, 0..0, 0..2, 0..4]);
    assert_eq!(history.started_before(4, 1..3), 1..3);
}

#[test]
fn nothing_is_known_at_first_and_the_oldest_is_forgotten() {
    let mut instance = InstanceBased::new(1);
    assert_eq!(asked(&mut instance, 1, &[]), WaitForecast::nothing_known());
    for wait in [7, 9] {
        with(1, 1.0, 1.0, 0, |arrival| instance.learn(arrival, Seconds(wait)));
    }
    assert_eq!(predicted(&mut instance, 1, 1.0, 1.0, 0).point, 9.0);
}

/// Waits depend on the queue alone; users and sizes are noise. Tuning finds that, walking forward.
#[test]
fn tuning_lowers_the_error_of_later_jobs() {
    let mut dice = 5_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let mut tuned = InstanceBased::new(2000);
    let mut untuned = InstanceBased { until: usize::MAX, ..InstanceBased::new(2000) };
    let (mut errors, mut judged) = ([0.0; 2], 0);
    for turn in 0..4000_i64 {
        let (user, procs, queue) = (roll(30) as u32, roll(64) as f64, roll(40) as f64);
        let (at, wait) = (turn * 1000, (queue * 500.0) as i64 + roll(300) as i64);
        for (error, instance) in errors.iter_mut().zip([&mut tuned, &mut untuned]) {
            if turn == 600 {
                let rows = instance.history.last(2000);
                instance.history.measure(rows);
            }
            if turn >= 2000 {
                *error += (predicted(instance, user, procs, queue, at).point - wait as f64).abs();
            }
            with(user, procs, queue, at, |arrival| instance.learn(arrival, Seconds(wait)));
        }
        judged += 1;
    }
    assert_eq!(untuned.tuning, Tuning::default(), "the control");
    assert!(errors[0] < 0.5 * errors[1], "{} of {}, {judged}: {:?}", errors[0], errors[1], tuned.tuning);
    assert!(tuned.tuning.weights[7] > tuned.tuning.weights[0], "{:?}", tuned.tuning);
}

/// Against the formula, over the whole history.
#[test]
fn a_fixed_kernel_weighs_all_jobs_and_tunes_nothing() {
    let mut fixed = InstanceBased::new(2000).with_width(0.3);
    let mut jobs: Vec<(u32, f64, f64, i64)> = Vec::new();
    for turn in 0..700_i64 {
        let job = ((turn % 5) as u32, (turn * 7 % 64) as f64, (turn * 13 % 40) as f64, turn * 37 % 5000);
        with(job.0, job.1, job.2, turn * 1000, |arrival| fixed.learn(arrival, Seconds(job.3)));
        jobs.push(job);
    }
    assert_eq!(fixed.tuning, Tuning::default());
    let target = (3, 20.0, 11.0);
    // Ranges 63 and 39; of ten attributes these three differ.
    let square = |job: &(u32, f64, f64, i64)| {
        let user = if job.0 == target.0 { 0.0 } else { 1.0 };
        let parts = [(job.1 - target.1) / 63.0, (job.2 - target.2) / 39.0].map(|part: f64| part * part);
        (user + parts[0] + parts[1]) / 10.0
    };
    let weights: Vec<f64> = jobs.iter().map(|job| (-square(job) / 0.09).exp()).collect();
    let sum: f64 = jobs.iter().zip(&weights).map(|(job, weight)| weight * job.3 as f64).sum();
    let expected = sum / weights.iter().sum::<f64>();
    let forecast = predicted(&mut fixed, target.0, target.1, target.2, 700_000);
    assert!((forecast.point - expected).abs() < 1e-3 * expected, "{} {expected}", forecast.point);
    let site = Site::new(Machine { procs: Procs(8) });
    let alone =
        with(target.0, target.1, target.2, 700_000, |arrival| fixed.similar(arrival, site.view(Time(0))));
    assert!((alone.point - forecast.point).abs() < 1e-6 * expected);
    // Control: a narrow kernel is the mean of the nearest.
    let mut narrow = fixed.clone().with_width(0.001);
    let least = jobs.iter().map(square).fold(f64::INFINITY, f64::min);
    let nearest: Vec<f64> =
        jobs.iter().filter(|job| square(job) - least < 1e-12).map(|job| job.3 as f64).collect();
    let alone = predicted(&mut narrow, target.0, target.1, target.2, 700_000).point;
    assert!((alone - nearest.iter().sum::<f64>() / nearest.len() as f64).abs() < 1.0, "{alone} {nearest:?}");
}

proptest! {
    #[test]
    fn nearest_are_those_of_a_sort_of_all(
        jobs in prop::collection::vec((0..3_u32, 0.0..64.0_f64, 0.0..20.0_f64, 0..10_000_i64), 1..80),
        target in (0..3_u32, 0.0..80.0_f64, 0.0..30.0_f64), neighbours in 1..20_usize,
    ) {
        let history = history(&jobs);
        let tuning = Tuning { neighbours, ..Tuning::default() };
        let near = tuning.nearest(&history, &situation(target.0, target.1, target.2), 0..jobs.len(), &mut Vec::new());
        let range = |of: fn(&(u32, f64, f64, i64)) -> f64| {
            let ends = jobs.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |ends, x| (ends.0.min(x), ends.1.max(x)));
            ends.1 - ends.0
        };
        let (sizes, queues) = (range(|job| job.1), range(|job| job.2));
        let apart = |x: f64, y: f64, range: f64| if range > 0.0 { ((x - y).abs() / range).min(1.0).powi(2) } else { 0.0 };
        let mut slow: Vec<f64> = jobs.iter().map(|job| {
            let user = if job.0 == target.0 { 0.0 } else { 1.0 };
            (user + apart(job.1, target.1, sizes) + apart(job.2, target.2, queues)) / ATTRIBUTES as f64
        }).collect();
        slow.sort_by(f64::total_cmp);
        prop_assert_eq!(near.len(), neighbours.min(jobs.len()));
        for (found, expected) in near.iter().zip(&slow) {
            prop_assert!((f64::from(found.0) - expected).abs() < 1e-5, "{:?} {:?}", near, slow);
        }
    }
}
