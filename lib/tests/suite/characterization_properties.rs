//! The portrait of random workloads against slow and obvious ways to the same numbers.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use queuecast_core::job::{Job, UserId};
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;
use queuecast_synth::characterization::{
    Accuracy, Disparity, Flurries, Growth, Owners, SessionStatistics, UserSessions,
};

use crate::support::jobs::{Draft, job, workload};

const WEEK: i64 = 604_800;

fn any_job() -> impl Strategy<Value = Draft> {
    let user = prop::option::weighted(0.9, 0..6_u32);
    let limit = prop::option::weighted(0.9, (1..12_i64).prop_map(|limit| limit * 30));
    let executable = prop::option::of(0..3_u32);
    (0..8 * WEEK, user, limit, 1..4_u32, executable, 0..500_i64).prop_map(
        |(at, user, limit, procs, executable, run)| {
            // Bursts: arrivals at few instants, so that there are sessions.
            let at = at / 90_000 * 90_000 + at % 4_000;
            job(procs, run).at(at).limit(limit).user(user).executable(executable)
        },
    )
}

/// Jobs, and a surge of one user's in one week.
fn any_workload() -> impl Strategy<Value = Workload> {
    let surge = (0..8_i64, 0..6_u32, 0..80_i64);
    (prop::collection::vec(any_job(), 1..120), surge).prop_map(|(mut jobs, (week, user, more))| {
        jobs.extend((0..more).map(|at| job(1, 30).at(week * WEEK + at).limit(60).user(user)));
        workload(8, jobs)
    })
}

fn weeks(workload: &Workload) -> Vec<i64> {
    let first = workload.jobs()[0].submit;
    workload.jobs().iter().map(|job| (job.submit - first).0 / WEEK).collect()
}

/// The one at rank ⌈n/2⌉.
fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers[numbers.len().div_ceil(2) - 1]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn modes_their_weeks_and_their_users(workload in any_workload()) {
        let limits: Vec<Seconds> = workload.jobs().iter().filter_map(|job| job.shape.limit).collect();
        let Some(estimates) = Disparity::of(&workload) else {
            prop_assert!(limits.is_empty());
            return Ok(());
        };
        prop_assert_eq!(estimates.modes.iter().map(|mode| mode.jobs).sum::<u64>(), limits.len() as u64);
        let weeks = weeks(&workload);
        for mode in &estimates.modes {
            let asking: Vec<usize> =
                (0..workload.len()).filter(|&at| workload.jobs()[at].shape.limit == Some(mode.time)).collect();
            let in_weeks: BTreeSet<i64> = asking.iter().map(|&at| weeks[at]).collect();
            let users: BTreeSet<UserId> = asking.iter().filter_map(|&at| workload.jobs()[at].user).collect();
            let rank = 1 + estimates
                .modes
                .iter()
                .filter(|one| one.jobs > mode.jobs || (one.jobs == mode.jobs && one.time < mode.time))
                .count();
            let shorter: BTreeSet<&Seconds> = limits.iter().filter(|&&limit| limit < mode.time).collect();
            prop_assert_eq!(
                (mode.jobs, mode.weeks, mode.rank, mode.time_rank),
                (asking.len() as u64, in_weeks.len() as u64, rank, shorter.len() + 1)
            );
            prop_assert!(mode.users.is_none_or(|known| known as usize == users.len()));
        }
        // The fewest values cover a share, and one less does not.
        for one in &estimates.covering {
            let covered = |values: usize| estimates.modes[..values].iter().map(|mode| mode.jobs).sum::<u64>() as f64;
            let wanted = one.share * limits.len() as f64;
            prop_assert!(covered(one.values) >= wanted && covered(one.values - 1) < wanted);
        }
    }

    #[test]
    fn estimates_become_more(workload in any_workload()) {
        let limits: Vec<Seconds> = workload.jobs().iter().filter_map(|job| job.shape.limit).collect();
        let growth = Growth::of(&workload);
        prop_assert_eq!(growth.is_none(), limits.is_empty());
        for point in growth.iter().flat_map(|growth| &growth.points) {
            let seen: BTreeSet<&Seconds> = limits[..point.jobs as usize].iter().collect();
            prop_assert_eq!(point.values, seen.len() as u64);
        }
        prop_assert!(growth.is_none_or(|growth| growth.points.last().unwrap().jobs == limits.len() as u64));
    }

    #[test]
    fn owners_are_alone(workload in any_workload()) {
        let mut askers: BTreeMap<Seconds, BTreeSet<Option<UserId>>> = BTreeMap::new();
        let mut estimates: BTreeMap<UserId, BTreeSet<Seconds>> = BTreeMap::new();
        for job in workload.jobs() {
            let Some(limit) = job.shape.limit else { continue };
            askers.entry(limit).or_default().insert(job.user);
            if let Some(user) = job.user {
                estimates.entry(user).or_default().insert(limit);
            }
        }
        let Some(owners) = Owners::of(&workload) else {
            prop_assert!(estimates.is_empty());
            return Ok(());
        };
        let mut owned: BTreeMap<u32, u64> = BTreeMap::new();
        for users in askers.values() {
            if let (1, Some(Some(user))) = (users.len(), users.first()) {
                *owned.entry(user.number()).or_default() += 1;
            }
        }
        let found: BTreeMap<u32, u64> = owners.owners.iter().map(|owner| (owner.user, owner.modes)).collect();
        prop_assert_eq!(&found, &owned);
        prop_assert_eq!(owners.owned, owned.values().sum::<u64>());
        prop_assert!(owners.owners.is_sorted_by(|a, b| (b.modes, a.user) < (a.modes, b.user)));
        let most = estimates.values().map(|own| own.len() as i64).max().unwrap();
        prop_assert_eq!((owners.estimates_per_user.count, owners.estimates_per_user.max), (estimates.len() as u64, most));
    }

    #[test]
    fn every_accuracy_is_in_its_bin(workload in any_workload()) {
        let pairs: Vec<(i64, i64)> = workload
            .jobs()
            .iter()
            .zip(workload.truths())
            .filter_map(|(job, truth)| Some((truth.run().0, job.shape.limit?.0)))
            .collect();
        let Some(accuracy) = Accuracy::of(&workload) else {
            prop_assert!(pairs.is_empty());
            return Ok(());
        };
        for (bin, found) in accuracy.histogram.iter().enumerate() {
            let (from, to) = (bin as i64, bin as i64 + 1);
            let inside = |&&(run, limit): &&(i64, i64)| from * limit <= 20 * run && 20 * run < to * limit;
            prop_assert_eq!(found.jobs, pairs.iter().filter(inside).count() as u64);
            prop_assert_eq!(found.short, pairs.iter().filter(inside).filter(|pair| pair.0 < 90).count() as u64);
        }
        let past = pairs.iter().filter(|(run, limit)| run >= limit).count() as u64;
        prop_assert_eq!(accuracy.reached + accuracy.exceeded, past);
        prop_assert_eq!(accuracy.by_run.iter().map(|group| group.jobs).sum::<u64>(), pairs.len() as u64);
        let mean = pairs.iter().map(|&(run, limit)| (run as f64 / limit as f64).min(1.0)).sum::<f64>() / pairs.len() as f64;
        prop_assert!((accuracy.mean - mean).abs() < 1e-9);
        let grouped: f64 = accuracy.by_run.iter().map(|group| group.jobs as f64 * group.mean_accuracy).sum();
        prop_assert!((grouped / pairs.len() as f64 - mean).abs() < 1e-9);
    }

    #[test]
    fn pairs_of_a_user_are_alike_as_often(workload in any_workload()) {
        let habits = SessionStatistics::of(&workload, UserSessions::GAP);
        let users: BTreeSet<UserId> = workload.jobs().iter().filter_map(|job| job.user).collect();
        let Some(habits) = habits else {
            prop_assert!(users.is_empty());
            return Ok(());
        };
        let (mut sessions, mut alike, mut known, mut within) = (0, 0, 0, 0);
        for user in &users {
            let own: Vec<&Job> = workload.jobs().iter().filter(|job| job.user == Some(*user)).collect();
            sessions += 1;
            for pair in own.windows(2) {
                if pair[1].submit - pair[0].submit > UserSessions::GAP {
                    sessions += 1;
                    continue;
                }
                within += 1;
                if let (Some(before), Some(after)) = (pair[0].shape.limit, pair[1].shape.limit) {
                    known += 1;
                    alike += u64::from(before == after);
                }
            }
        }
        prop_assert_eq!((habits.users, habits.sessions, habits.within.pairs), (users.len() as u64, sessions, within));
        prop_assert_eq!(habits.within.estimate, (known > 0).then(|| alike as f64 / known as f64));
        prop_assert_eq!(habits.gaps.map_or(0, |gaps| gaps.count), within);
        prop_assert_eq!(habits.breaks.map_or(0, |breaks| breaks.count), habits.across.pairs);
    }

    #[test]
    fn flurries_are_by_their_definition(workload in any_workload()) {
        let weeks = weeks(&workload);
        let mut totals: BTreeMap<i64, u64> = BTreeMap::new();
        let mut loads: BTreeMap<(UserId, i64), u64> = BTreeMap::new();
        for (job, &week) in workload.jobs().iter().zip(&weeks) {
            *totals.entry(week).or_default() += 1;
            if let Some(user) = job.user {
                *loads.entry((user, week)).or_default() += 1;
            }
        }
        let Some(found) = Flurries::of(&workload) else {
            prop_assert!(loads.is_empty() || totals.len() < 4);
            return Ok(());
        };
        let median_week = median(totals.values().copied().collect());
        prop_assert_eq!(found.median_week, median_week);
        let mut expected = BTreeSet::new();
        for (&(user, week), &jobs) in &loads {
            let own = median(totals.keys().map(|week| loads.get(&(user, *week)).copied().unwrap_or(0)).collect());
            if jobs >= median_week && 2 * jobs >= totals[&week] && jobs >= 3 * own {
                expected.insert((user.number(), week));
            }
        }
        let told: BTreeSet<(u32, i64)> = found
            .flurries
            .iter()
            .flat_map(|one| (0..one.weeks).map(|more| (one.user, (one.week + more) as i64)))
            .collect();
        prop_assert_eq!(&told, &expected);
        for one in &found.flurries {
            let before = (one.user, one.week as i64 - 1);
            prop_assert!(!expected.contains(&before), "joined to the week before");
        }
    }
}

#[test]
fn control_surges_are_drawn_and_found() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let drawn = (0..200).map(|_| any_workload().new_tree(&mut runner).unwrap().current());
    let found = drawn.filter(|one| Flurries::of(one).is_some_and(|found| !found.flurries.is_empty())).count();
    assert!((40..200).contains(&found), "{found} of 200 workloads have a flurry");
}
