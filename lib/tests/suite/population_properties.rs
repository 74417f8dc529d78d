//! Settling, rescaling and resampling on random workloads: nothing is lost, nothing is made up, nothing panics.

use proptest::prelude::*;
use queuecast_core::job::{Ending, QueueId};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_synth::synth::{LoadTarget, Population, Resample, Rescale, ScaledQuantity};

use crate::support;
use crate::support::jobs::{self, job, of_runs};

const MACHINE: u32 = 64;

fn workload(most: usize) -> impl Strategy<Value = Workload> {
    // Gaps from bursts to years.
    let gap = prop_oneof![6 => 0..60_i64, 3 => 0..7200_i64, 1 => 0..50_000_000_i64];
    let ending = prop_oneof![Just(Ending::Completed), Just(Ending::Failed), Just(Ending::Unknown)];
    let queue = prop_oneof![Just(None), (0..3_u32).prop_map(Some)];
    let user = prop_oneof![Just(None), (0..5_u32).prop_map(Some)];
    let row = (gap, 1..=64_u32, 0..100_000_i64, ending, queue, user, proptest::option::of(1..200_000_i64));
    let jobs = proptest::collection::vec(row, 0..most);
    (jobs, -1_000_000..1_000_000_i64, proptest::option::of(0..2_000_000_000_i64)).prop_map(
        |(rows, begins, epoch)| {
            let mut at = begins;
            let jobs = rows.into_iter().map(|(gap, procs, run, ending, queue, user, limit)| {
                at += gap;
                job(procs, run).at(at).limit(limit).user(user).queue(queue).ending(ending)
            });
            let mut workload = jobs::workload(MACHINE, jobs);
            workload.epoch = epoch;
            workload
        },
    )
}

fn population() -> impl Strategy<Value = Population> {
    let users = (1..200_u32, 0.0..=5.0_f64, 0.0..50.0_f64, 0.01..=1.0_f64, 1..50_u32);
    let sessions = (1.0..50.0_f64, 0.0..=3.0_f64, 1..=3600_i64, 0.0..=4.0_f64);
    let work = (1.0..30.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64);
    let runs = (0.0..=5.0_f64, 0.0..=5.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64);
    (users, sessions, work, runs).prop_map(|(users, sessions, work, runs)| Population {
        users: users.0,
        activity: users.1,
        plateau: users.2,
        presence: users.3,
        groups: users.4,
        jobs_per_session: sessions.0,
        session_spread: sessions.1,
        think: Seconds(sessions.2),
        think_spread: sessions.3,
        applications: work.0,
        kinship: work.1,
        switching: work.2,
        resuming: work.3,
        spread: runs.0,
        session_run_spread: runs.1,
        wandering: runs.2,
        resizing: runs.3,
        failures: runs.4,
    })
}

/// Queue, processors, requested time, run time and ending of a job.
type Content = (Option<QueueId>, u32, Option<Seconds>, Seconds, u8);

/// Everything about the jobs but who submits them and when, sorted, with or without queues.
fn contents(workload: &Workload, queued: bool) -> Vec<Content> {
    let pairs = workload.jobs().iter().zip(workload.truths());
    let mut all: Vec<_> = pairs
        .map(|(job, truth)| {
            let queue = job.queue.filter(|_| queued);
            (queue, job.shape.procs.0, job.shape.limit, truth.run(), truth.ending as u8)
        })
        .collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn settling_rearranges(before in workload(300), population in population(), seed: u64) {
        let after = population.assign_users(&before, Seed(seed)).unwrap();
        let queued = before.jobs().iter().any(|job| job.queue.is_some());
        prop_assert_eq!(contents(&after, queued), contents(&before, queued));
        for (one, other) in after.jobs().iter().zip(before.jobs()) {
            prop_assert_eq!((one.submit, one.id, one.index), (other.submit, other.id, other.index));
            prop_assert!(!queued || one.queue == other.queue);
            prop_assert!(one.user.is_some_and(|user| user.number() < population.users));
            prop_assert!(one.group.is_some_and(|group| group.number() < population.groups));
            prop_assert!(one.executable.is_some());
        }
        prop_assert_eq!(&after, &population.assign_users(&before, Seed(seed)).unwrap());
    }

    #[test]
    fn any_log_with_users_can_be_imitated(log in workload(120), seed: u64) {
        let known = log.jobs().iter().any(|job| job.user.is_some());
        let population = Population::like(&log);
        prop_assert_eq!(population.is_ok(), known);
        if let Ok(population) = population {
            prop_assert_eq!(population.assign_users(&log, Seed(seed)).unwrap().len(), log.len());
        }
    }

    #[test]
    fn rescaling_meets_the_load_or_says_why(
        before in workload(100),
        load in 0.001..5.0_f64,
        by in prop_oneof![Just(ScaledQuantity::Arrivals), Just(ScaledQuantity::RunTimes), Just(ScaledQuantity::Sizes)],
    ) {
        let Ok(after) = (Rescale { to: LoadTarget::Load(load), by }).of(&before) else { return Ok(()) };
        prop_assert_eq!(after.len(), before.len());
        if by == ScaledQuantity::Arrivals {
            let span = (after.jobs().last().unwrap().submit - after.begins().unwrap()).0 as f64;
            prop_assert!((after.offered_load() / load - 1.0).abs() <= 0.6 / span, "{}", after.offered_load());
            prop_assert_eq!(contents(&after, true), contents(&before, true));
        }
    }

    #[test]
    fn resampled_jobs_are_jobs_of_the_log(
        log in workload(100),
        weeks in 1..100_u32,
        load in proptest::option::of(0.01..2.0_f64),
        seed: u64,
    ) {
        let resample = Resample { weeks, load };
        let Ok(new) = resample.of(&log, Seed(seed)) else { return Ok(()) };
        prop_assert!(new.jobs().is_sorted_by_key(|job| job.submit));
        let old = contents(&log, true);
        prop_assert!(contents(&new, true).iter().all(|job| old.binary_search(job).is_ok()));
        prop_assert!(new.jobs().iter().all(|job| job.user.is_some()));
        prop_assert_eq!(&new, &resample.of(&log, Seed(seed)).unwrap());
    }
}

#[test]
fn control_a_lost_job_and_a_changed_one_are_found() {
    assert_eq!(contents(&of_runs(&[1, 2]), true), contents(&of_runs(&[2, 1]), true));
    assert_ne!(contents(&of_runs(&[1, 2]), true), contents(&of_runs(&[1]), true));
    assert_ne!(contents(&of_runs(&[1, 2]), true), contents(&of_runs(&[1, 3]), true));
}
