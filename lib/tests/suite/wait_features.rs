//! The features of arrivals against an obvious computation over the whole queue and machine.

use proptest::prelude::*;
use queuecast_core::job::{Job, Truth};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Withdrawn, Workload};
use queuecast_sim::site::{Replay, View};
use queuecast_wait::features::{Feature, FeatureTracker, Features};

use crate::support;

const DEFAULT: Seconds = Seconds(50);

/// Gap, wait, run (`None`: it is withdrawn), processors, requested time.
type Row = (i64, i64, Option<i64>, u32, Option<i64>);

fn recorded(rows: &[Row]) -> Workload {
    let (mut jobs, mut truths, mut starts, mut withdrawn) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut submit = 0;
    for (number, &(gap, wait, run, procs, limit)) in (1..).zip(rows) {
        submit += gap;
        let mut job = Job::rigid(number, Time(submit), Procs(procs), limit.map(Seconds));
        job.index.0 = jobs.len() as u32;
        match run {
            Some(run) => {
                jobs.push(job);
                truths.push(Truth::rigid(Seconds(run)));
                starts.push(Time(submit + wait));
            }
            None => withdrawn.push(Withdrawn { job, left: Time(submit + wait) }),
        }
    }
    let mut log = Workload::recorded(Machine { procs: Procs(64) }, jobs, truths, starts).unwrap();
    log.set_withdrawn(withdrawn).unwrap();
    log
}

/// Table 1 as it is written: every waiting and every running job is looked at.
fn slow(job: &Job, view: &View<'_>) -> Features {
    let ert = |job: &Job| job.shape.limit.unwrap_or(DEFAULT).0 as f64;
    let size = |job: &Job| f64::from(job.shape.procs.0);
    let cpu = |job: &Job| size(job) * ert(job);
    let now = view.now();
    let waiting: Vec<(&Job, f64)> = view.waiting().map(|one| (one.job, cpu(one.job))).collect();
    let running: Vec<(&Job, f64)> = view
        .running()
        .map(|one| (one.job, size(one.job) * (ert(one.job) - (now - one.start).0 as f64).max(0.0)))
        .collect();
    let rank = |among: &[(&Job, f64)], key: &dyn Fn(&Job) -> f64| {
        1.0 + among.iter().filter(|(other, _)| key(other) <= key(job)).count() as f64
    };
    let lower = |among: &[(&Job, f64)], key: &dyn Fn(&Job) -> f64| {
        among.iter().filter(|(other, _)| key(other) < key(job)).map(|one| one.1).sum::<f64>()
    };
    let all = |among: &[(&Job, f64)]| among.iter().map(|one| one.1).sum::<f64>();
    Features(Feature::ALL.map(|feature| match feature {
        Feature::RequestSize => size(job),
        Feature::Ert => ert(job),
        Feature::QueueRankBySize => rank(&waiting, &size),
        Feature::QueueRankByErt => rank(&waiting, &ert),
        Feature::QueueRankByCpuTime => rank(&waiting, &cpu),
        Feature::QueueDemand => all(&waiting),
        Feature::QueueLength => waiting.len() as f64,
        Feature::QueueDemandOfSmaller => lower(&waiting, &size),
        Feature::QueueDemandOfShorter => lower(&waiting, &ert),
        Feature::QueueDemandOfLess => lower(&waiting, &cpu),
        Feature::RunningRankBySize => rank(&running, &size),
        Feature::RunningRankByErt => rank(&running, &ert),
        Feature::RunningRankByCpuTime => rank(&running, &cpu),
        Feature::RunningRemaining => all(&running),
        Feature::RunningJobs => running.len() as f64,
        Feature::RunningRemainingOfSmaller => lower(&running, &size),
        Feature::RunningRemainingOfShorter => lower(&running, &ert),
        Feature::RunningRemainingOfLess => lower(&running, &cpu),
        Feature::Occupied => running.iter().map(|one| size(one.0)).sum(),
    }))
}

/// The features of every job of a log at its arrival: fast, and slow.
fn both(log: &Workload) -> Vec<(Features, Features)> {
    let mut replay = Replay::recorded(log, DEFAULT);
    let mut tracker = FeatureTracker::new(DEFAULT);
    let each = log.jobs().iter().map(|job| {
        replay.advance_before(job.index, |event| tracker.observe(event));
        (tracker.features(job, job.submit), slow(job, &replay.site().view(job.submit)))
    });
    each.collect()
}

fn row() -> impl Strategy<Value = Row> {
    (
        0..25_i64,
        0..60_i64,
        prop::option::weighted(0.8, 0..120_i64),
        1..9_u32,
        prop::option::weighted(0.9, 1..100_i64),
    )
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn features_are_those_of_the_whole_queue_and_machine(rows in prop::collection::vec(row(), 1..80)) {
        for (place, (fast, slow)) in both(&recorded(&rows)).into_iter().enumerate() {
            for feature in Feature::ALL {
                prop_assert_eq!(fast.of(feature), slow.of(feature), "{} of job {}", feature.name(), place);
            }
            prop_assert!(fast.0.iter().all(|&value| value >= 0.0));
        }
    }

    /// Only what was known at an arrival counts: later events, and how long jobs will run or wait, change nothing before.
    #[test]
    fn what_happens_later_changes_nothing(
        rows in prop::collection::vec(row(), 2..60), others in prop::collection::vec(row(), 60), from in 0..60_usize,
    ) {
        let from = from % rows.len();
        let log = recorded(&rows);
        let arrived: i64 = rows[..=from].iter().map(|row| row.0).sum();
        // Everything after the arrival of one job is another: jobs, and the starts and ends of jobs that came before.
        let mut changed = rows.clone();
        let mut submit = 0;
        for (place, row) in changed.iter_mut().enumerate() {
            submit += row.0;
            let (start, end) = (submit + row.1, submit + row.1 + row.2.unwrap_or(0));
            if place > from {
                *row = (row.0.max(1), others[place].1, others[place].2, others[place].3, others[place].4);
            } else if start > arrived || start == arrived && row.2.is_some() {
                // Ends and withdrawals of the second of an arrival are known to it, starts are not.
                (row.1, row.2) = (arrived - submit + 1 + others[place].1, others[place].2);
            } else if row.2.is_some() && end > arrived {
                row.2 = Some(arrived - submit - row.1 + 1 + others[place].1);
            }
        }
        let by_id = |log: &Workload| -> Vec<(u64, Features)> {
            let ids = log.jobs().iter().map(|job| job.id.0);
            ids.zip(both(log)).map(|(id, features)| (id, features.0)).collect()
        };
        let (before, after) = (by_id(&log), by_id(&recorded(&changed)));
        let known = |features: Vec<(u64, Features)>| -> std::collections::BTreeMap<u64, Features> {
            features.into_iter().filter(|(id, _)| *id <= from as u64 + 1).collect()
        };
        let (before, after) = (known(before), known(after));
        for (id, features) in &before {
            if let Some(other) = after.get(id) {
                prop_assert_eq!(features, other, "job {}", id);
            }
        }
    }
}

/// Control: three jobs worked by hand.
#[test]
fn worked_by_hand() {
    // At 100, the first has run for 100 of its 300 s on 4 processors; the second waits, 2 processors for 50 s.
    let rows =
        [(0, 0, Some(500), 4, Some(300)), (90, 60, Some(10), 2, Some(50)), (10, 80, Some(10), 3, Some(50))];
    let (features, _) = both(&recorded(&rows))[2];
    let expected = [
        (Feature::RequestSize, 3.0),
        (Feature::Ert, 50.0),
        (Feature::QueueRankBySize, 2.0),
        (Feature::QueueRankByErt, 2.0),
        (Feature::QueueDemand, 100.0),
        (Feature::QueueLength, 1.0),
        (Feature::QueueDemandOfSmaller, 100.0),
        (Feature::QueueDemandOfShorter, 0.0),
        (Feature::QueueDemandOfLess, 100.0),
        (Feature::RunningRankBySize, 1.0),
        (Feature::RunningRemaining, 800.0),
        (Feature::RunningRemainingOfSmaller, 0.0),
        (Feature::Occupied, 4.0),
    ];
    for (feature, value) in expected {
        assert_eq!(features.of(feature), value, "{}", feature.name());
    }
}
