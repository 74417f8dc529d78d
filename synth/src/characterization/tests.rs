//! Each statistic on workloads small enough to count by hand.

use super::*;
use queuecast_core::job::{ExecutableId, Job, Truth, UserId};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Machine;

const WEEK: i64 = 604_800;

/// A job: when it arrives, whose it is, what it asks for, how long it runs.
type Asked = (i64, Option<u32>, Option<i64>, i64);

fn workload(jobs: impl IntoIterator<Item = Asked>) -> Workload {
    let jobs = jobs.into_iter().map(|(submit, user, limit, run)| {
        let mut job = Job::rigid(1, Time(submit), Procs(1), limit.map(Seconds));
        job.user = user.and_then(UserId::new);
        (job, Truth::rigid(Seconds(run)))
    });
    Workload::new(Machine { procs: Procs(8) }, jobs.collect()).unwrap()
}

/// Jobs of user 1 that ask for these times, a minute apart.
fn asking(times: &[i64]) -> Workload {
    workload((0..).zip(times).map(|(at, &time)| (at * 60, Some(1), Some(time), 1)))
}

#[test]
fn modes_are_ranked_by_jobs_and_counted_by_weeks_and_users() {
    let jobs = [
        (0, Some(1), Some(600), 1),
        (10, Some(2), Some(600), 1),
        (20, Some(1), Some(90), 1),
        (WEEK - 1, Some(1), Some(600), 1),
        (WEEK, Some(1), Some(600), 1),
        (5 * WEEK, Some(3), Some(60), 1),
        (5 * WEEK, None, None, 1),
        (9 * WEEK, None, None, 1),
    ];
    let described = Characterization::of(&workload(jobs));
    assert_eq!(
        (described.jobs, described.with_estimate, described.with_user, described.weeks),
        (8, 6, 6, 10)
    );
    let estimates = described.estimates.unwrap();
    assert_eq!((estimates.jobs, estimates.values, estimates.weeks), (6, 3, 3));
    assert_eq!((estimates.longest, estimates.longest_share), (Seconds(600), 4.0 / 6.0));
    assert_eq!((estimates.head_share, estimates.whole_minutes), (1.0, 5.0 / 6.0));
    let ranked = |mode: &Ranked| (mode.rank, mode.time.0, mode.time_rank, mode.jobs, mode.weeks, mode.users);
    assert_eq!(
        estimates.modes.iter().map(ranked).collect::<Vec<_>>(),
        [(1, 600, 3, 4, 2, Some(2)), (2, 60, 1, 1, 1, Some(1)), (3, 90, 2, 1, 1, Some(1))]
    );
    assert_eq!(estimates.modes.iter().map(|mode| mode.covered * 6.0).collect::<Vec<_>>(), [4.0, 5.0, 6.0]);
    let covering: Vec<usize> = estimates.covering.iter().map(|one| one.values).collect();
    assert_eq!(covering, [1, 1, 2, 3, 3, 3, 3, 3]);
}

#[test]
fn the_head_is_twenty_values() {
    let times: Vec<i64> = (1..=30).chain(1..=20).collect();
    let estimates = Disparity::of(&asking(&times)).unwrap();
    assert_eq!((estimates.head().len(), estimates.head_share), (20, 40.0 / 50.0));
    assert_eq!(Disparity::of(&asking(&[60, 120])).unwrap().head().len(), 2);
}

#[test]
fn different_estimates_become_more() {
    let growth = Growth::of(&asking(&[5, 5, 6, 5, 7, 7, 5])).unwrap();
    let points: Vec<(u64, u64)> = growth.points.iter().map(|point| (point.jobs, point.values)).collect();
    assert_eq!(points, [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 3)]);
    assert_eq!(growth.points[3].expected, 2.0);
}

#[test]
fn a_mode_is_owned_if_one_known_user_alone_asks_for_it() {
    let jobs = [
        // 1 owns 60 and 90, 2 owns 300; 600 is shared, 900 also a stranger's, 1200 a stranger's only.
        (0, Some(1), Some(60), 1),
        (1, Some(1), Some(60), 1),
        (2, Some(1), Some(90), 1),
        (3, Some(2), Some(300), 1),
        (4, Some(1), Some(600), 1),
        (5, Some(2), Some(600), 1),
        (6, Some(2), Some(900), 1),
        (7, None, Some(900), 1),
        (8, None, Some(1200), 1),
        (9, Some(3), None, 1),
    ];
    let mut workload = workload(jobs);
    workload.names.users.insert(1, "ada".to_owned());
    let owners = Owners::of(&workload).unwrap();
    assert_eq!((owners.owned, owners.owned_share), (3, 0.5));
    let owner = |user, name: Option<&str>, modes, jobs| Owner {
        user,
        name: name.map(str::to_owned),
        modes,
        share: modes as f64 / 6.0,
        jobs,
    };
    assert_eq!(owners.owners, [owner(1, Some("ada"), 2, 3), owner(2, None, 1, 1)]);
    let per_user = owners.estimates_per_user;
    assert_eq!((per_user.count, per_user.min, per_user.max), (2, 3, 3));
}

#[test]
fn accuracy_is_counted_in_steps_of_five_percent() {
    let jobs = [(0, 100), (4, 100), (5, 100), (94, 100), (95, 100), (99, 100), (100, 100), (300, 100)];
    let jobs = jobs.map(|(run, limit)| (0, None, Some(limit), run)).into_iter().chain([(0, None, None, 7)]);
    let accuracy = Accuracy::of(&workload(jobs)).unwrap();
    let counted = |bin: usize| (accuracy.histogram[bin].jobs, accuracy.histogram[bin].short);
    assert_eq!([0, 1, 18, 19].map(counted), [(2, 2), (1, 1), (1, 0), (2, 0)]);
    assert_eq!(accuracy.histogram.iter().map(|bin| bin.jobs).sum::<u64>(), 6);
    assert_eq!((accuracy.jobs, accuracy.reached, accuracy.exceeded), (8, 1, 1));
    assert_eq!(accuracy.peak_share, 4.0 / 8.0);
    assert!((accuracy.mean - 4.97 / 8.0).abs() < 1e-12);
    assert_eq!(accuracy.by_run.len(), 8);
    assert_eq!((accuracy.by_run[7].mean_run, accuracy.by_run[7].mean_accuracy), (300.0, 1.0));
}

#[test]
fn groups_by_run_time_are_of_equal_size() {
    let jobs = (0..250).map(|run| (0, None, Some(500), 249 - run));
    let groups = Accuracy::of(&workload(jobs)).unwrap().by_run;
    assert_eq!(groups.len(), 100);
    assert!(groups.iter().all(|group| (2..=3).contains(&group.jobs)));
    assert_eq!((groups[0].jobs, groups[0].mean_run, groups[0].mean_accuracy), (2, 0.5, 0.001));
    assert!(groups.is_sorted_by(|a, b| a.mean_run < b.mean_run));
}

#[test]
fn what_repeats_is_told_within_and_across_sessions() {
    // One user: three jobs in one session, two in the next; a stranger between them.
    let shapes = [
        (0, Some(1), 1, Some(60), Some(7)),
        (100, Some(1), 1, Some(60), Some(7)),
        (150, None, 2, Some(60), Some(7)),
        (400, Some(1), 2, Some(90), Some(8)),
        (10_000, Some(1), 2, Some(90), None),
        (10_100, Some(1), 2, None, Some(8)),
    ];
    let jobs = shapes.map(|(submit, user, procs, limit, executable)| {
        let mut job = Job::rigid(1, Time(submit), Procs(procs), limit.map(Seconds));
        job.user = user.and_then(UserId::new);
        job.executable = executable.and_then(ExecutableId::new);
        (job, Truth::rigid(Seconds(1)))
    });
    let workload = Workload::new(Machine { procs: Procs(8) }, jobs.to_vec()).unwrap();
    let habits = SessionStatistics::of(&workload, UserSessions::GAP).unwrap();
    assert_eq!((habits.users, habits.sessions, habits.alone_share), (1, 2, 0.0));
    assert_eq!((habits.jobs_per_session.min, habits.jobs_per_session.max), (2, 3));
    let gaps = habits.gaps.unwrap();
    assert_eq!((gaps.count, gaps.min, gaps.max), (3, 100, 300));
    assert_eq!(habits.breaks.unwrap().max, 9_600);
    let within =
        Repeats { pairs: 3, estimate: Some(0.5), processors: Some(2.0 / 3.0), executable: Some(0.5) };
    assert_eq!(habits.within, within);
    let across = Repeats { pairs: 1, estimate: Some(1.0), processors: Some(1.0), executable: None };
    assert_eq!(habits.across, across);
}

/// Ten users with ten jobs each in each of some weeks, and these more.
fn with_surge(weeks: i64, more: impl IntoIterator<Item = (i64, u32, usize)>) -> Workload {
    let usual = (0..weeks * 100).map(|at| (at * (WEEK / 100), Some((at % 10) as u32), Some(60), 1));
    let more = more.into_iter().flat_map(|(week, user, jobs)| {
        (0..jobs as i64).map(move |at| (week * WEEK + at, Some(user), Some(60), 1))
    });
    workload(usual.chain(more))
}

#[test]
fn a_flurry_is_a_week_that_one_user_filled() {
    // Control: without a surge there is no flurry.
    let calm = Flurries::of(&with_surge(20, [])).unwrap();
    assert_eq!((calm.weeks, calm.median_week, calm.flurries.len()), (20, 100, 0));
    let surges = [(4, 90, 150), (5, 90, 250), (9, 3, 90), (12, 91, 99)];
    let found = Flurries::of(&with_surge(20, surges)).unwrap();
    assert_eq!(found.median_week, 100);
    let told = |one: &Flurry| (one.user, one.week, one.weeks, one.begins, one.jobs);
    // User 3's own ten and ninety more are a hundred of 190; user 91's 99 are one short of a median week.
    assert_eq!(
        found.flurries.iter().map(told).collect::<Vec<_>>(),
        [(90, 4, 2, Time(4 * WEEK), 400), (3, 9, 1, Time(9 * WEEK), 100)]
    );
    assert_eq!((found.flurries[0].share, found.flurries[0].times_median), (400.0 / 600.0, 2.0));
}

#[test]
fn who_always_fills_the_machine_is_no_flurry() {
    let alone = |surge: i64| {
        let jobs = (0..10).flat_map(move |week| {
            let jobs = if week == 7 { surge } else { 50 };
            (0..jobs).map(move |at| (week * WEEK + at, Some(1), Some(60), 1))
        });
        Flurries::of(&workload(jobs)).unwrap().flurries.len()
    };
    assert_eq!((alone(50), alone(149), alone(150)), (0, 0, 1));
}

#[test]
fn weeks_without_jobs_are_not_usual_and_do_not_join_flurries() {
    let busy = [0, 1, 2, 3, 40, 41].map(|week| (week, 5, 10));
    let surge = [(3, 6, 30), (40, 6, 30)];
    let jobs = busy
        .into_iter()
        .chain(surge)
        .flat_map(|(week, user, jobs)| (0..jobs).map(move |at| (week * WEEK + at, Some(user), None, 1)));
    let found = Flurries::of(&workload(jobs)).unwrap();
    assert_eq!((found.weeks, found.median_week), (6, 10));
    assert_eq!(found.flurries.iter().map(|one| one.week).collect::<Vec<_>>(), [3, 40]);
}

#[test]
fn what_is_unknown_is_not_zero() {
    let nothing = Characterization::of(&workload([]));
    assert_eq!((nothing.jobs, nothing.weeks, nothing.run_percentiles.len()), (0, 0, 0));
    assert_eq!((nothing.estimates, nothing.sessions, nothing.flurries), (None, None, None));
    let without_estimates =
        Characterization::of(&workload([(0, Some(1), None, 5), (9 * WEEK, Some(1), None, 5)]));
    assert_eq!((&without_estimates.estimates, &without_estimates.growth), (&None, &None));
    assert_eq!((&without_estimates.owners, &without_estimates.accuracy), (&None, &None));
    assert_eq!(without_estimates.flurries, None, "two weeks are too few");
    let habits = without_estimates.sessions.unwrap();
    assert_eq!((habits.gaps, habits.within.pairs, habits.within.processors), (None, 0, None));
    assert_eq!((habits.across.estimate, habits.across.processors), (None, Some(1.0)));
    let without_users = Characterization::of(&workload((0..5).map(|week| (week * WEEK, None, Some(60), 5))));
    assert_eq!((&without_users.owners, &without_users.sessions), (&None, &None));
    assert_eq!(without_users.flurries, None);
    assert_eq!(without_users.estimates.unwrap().modes[0].users, None);
    assert!(without_users.accuracy.is_some());
}

#[test]
fn run_percentiles_are_values_that_occur() {
    let runs = (1..=10).map(|run| (0, None, None, run * 10));
    let percentiles = Characterization::of(&workload(runs)).run_percentiles;
    assert_eq!(percentiles.len(), 101);
    assert_eq!([0, 1, 10, 11, 50, 99, 100].map(|at| percentiles[at].0), [10, 10, 10, 20, 50, 100, 100]);
}
