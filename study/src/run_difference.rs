//! How far two runs of the same submissions differ, recorded or simulated.

use queuecast_core::order;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::cluster_report::started;
use queuecast_core::units::Time;
use queuecast_eval::nearest_rank;
use queuecast_slurm_sim::cluster::JobOutcome;

/// What became of the jobs of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRun {
    /// Its name.
    pub name: String,
    /// The instant that its times are compared from.
    pub zero: Time,
    /// What became of its jobs.
    pub outcomes: Vec<JobOutcome>,
}

/// How far two runs differ, over the jobs that started in both. Times are seconds, shares are percentages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDifference {
    /// The one run.
    pub a: String,
    /// The other.
    pub b: String,
    /// Jobs that started in both.
    pub jobs: usize,
    /// Half of the starts differ by no more.
    pub median: Option<i64>,
    /// Nine in ten differ by no more.
    pub p90: Option<i64>,
    /// The start that differs most.
    pub worst: Option<i64>,
    /// Starts that differ by no more than 5 s.
    pub within_5: f64,
    /// And by no more than 30 s.
    pub within_30: f64,
    /// And by no more than 60 s.
    pub within_60: f64,
    /// Mean wait of the one relative to that of the other; `None` if nothing waits in the other.
    pub mean_wait_ratio: Option<f64>,
    /// Rank correlation of the starts; `None` if all are at one instant.
    pub spearman: Option<f64>,
    /// Jobs on the same nodes.
    pub same_nodes: f64,
    /// Jobs that the same scheduler started, the main one or backfilling, of those of which it is told.
    pub same_scheduler: Option<f64>,
}

/// The mean wait of some jobs of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupWait {
    /// The run.
    pub run: String,
    /// What the jobs are told apart by: `all`, `partition` or `cpus`.
    pub by: &'static str,
    /// The group.
    pub group: String,
    /// Jobs that started.
    pub jobs: usize,
    /// Their mean wait from submission, in seconds.
    pub mean_wait: f64,
    /// Of these, the share that backfilling started, in percent.
    pub backfilled: f64,
}

fn waited(outcome: &JobOutcome) -> Option<i64> {
    started(outcome).map(|job| job.wait().0)
}

/// Compares two runs job by job.
pub fn run_difference(a: &NamedRun, b: &NamedRun) -> RunDifference {
    let by_key = |run: &'_ NamedRun| -> BTreeMap<(String, Option<u32>), JobOutcome> {
        let started = run.outcomes.iter().filter(|one| one.start.is_some());
        order::map_of(started.map(|one| ((one.key.clone(), one.task), one.clone())))
    };
    let (ours, theirs) = (by_key(a), by_key(b));
    let both: Vec<(&JobOutcome, &JobOutcome)> =
        ours.iter().filter_map(|(key, one)| Some((one, theirs.get(key)?))).collect();
    let after = |one: &JobOutcome, run: &NamedRun| one.start.map_or(0, |start| (start - run.zero).0);
    let mut apart: Vec<i64> =
        both.iter().map(|(one, other)| (after(one, a) - after(other, b)).abs()).collect();
    apart.sort_unstable();
    let percent = |count: usize, of: usize| if of > 0 { 100.0 * count as f64 / of as f64 } else { 0.0 };
    let within = |most: i64| percent(apart.iter().filter(|apart| **apart <= most).count(), apart.len());
    let (mut mine, mut their) = (0, 0);
    for (one, other) in &both {
        mine += waited(one).unwrap_or(0);
        their += waited(other).unwrap_or(0);
    }
    let same = |one: &JobOutcome, other: &JobOutcome| {
        fn sorted(one: &JobOutcome) -> Vec<&str> {
            let mut nodes: Vec<&str> = one.nodes.iter().collect();
            nodes.sort_unstable();
            nodes
        }
        sorted(one) == sorted(other)
    };
    let told: Vec<bool> =
        both.iter().filter_map(|(one, other)| Some(one.backfilled? == other.backfilled?)).collect();
    let starts = |pick: fn(&(&JobOutcome, &JobOutcome)) -> Option<Time>| -> Vec<f64> {
        both.iter().map(|pair| pick(pair).map_or(0.0, |start| start.0 as f64)).collect()
    };
    RunDifference {
        a: a.name.clone(),
        b: b.name.clone(),
        jobs: both.len(),
        median: nearest_rank(&apart, 50),
        p90: nearest_rank(&apart, 90),
        worst: apart.last().copied(),
        within_5: within(5),
        within_30: within(30),
        within_60: within(60),
        mean_wait_ratio: (their > 0).then(|| mine as f64 / their as f64),
        spearman: correlation(&ranks(&starts(|pair| pair.0.start)), &ranks(&starts(|pair| pair.1.start))),
        same_nodes: percent(both.iter().filter(|(one, other)| same(one, other)).count(), both.len()),
        same_scheduler: (!told.is_empty())
            .then(|| percent(told.iter().filter(|same| **same).count(), told.len())),
    }
}

/// Places in ascending order, from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order::sort_by(&mut order, |&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    for group in order.chunk_by(|&one, &other| values[one] == values[other]) {
        let first = order.partition_point(|&one| values[one] < values[group[0]]);
        let rank = first as f64 + (group.len() + 1) as f64 / 2.0;
        group.iter().for_each(|&one| ranks[one] = rank);
    }
    ranks
}

fn correlation(one: &[f64], other: &[f64]) -> Option<f64> {
    let count = one.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (here, there) = (mean(one), mean(other));
    let (mut both, mut mine, mut their) = (0.0, 0.0, 0.0);
    for (one, other) in one.iter().zip(other) {
        both += (one - here) * (other - there);
        mine += (one - here).powi(2);
        their += (other - there).powi(2);
    }
    (mine > 0.0 && their > 0.0).then(|| both / (mine * their).sqrt())
}

/// Sizes that jobs are told apart by, in processors: up to each.
const SIZES: [(u32, &str); 5] =
    [(1, "1"), (7, "2 to 7"), (12, "8 to 12"), (36, "13 to 36"), (u32::MAX, "more than 36")];

/// Mean waits of a run: of all jobs, by partition and by size.
pub fn group_waits(run: &NamedRun) -> Vec<GroupWait> {
    let mut groups: BTreeMap<(&'static str, usize, String), (usize, i64, usize)> = BTreeMap::new();
    for one in &run.outcomes {
        let Some(wait) = waited(one) else { continue };
        let size = SIZES.iter().position(|(most, _)| one.cpus <= *most).unwrap_or(SIZES.len() - 1);
        let of = [
            ("all", 0, "all".to_owned()),
            ("partition", 0, one.partition.clone()),
            ("cpus", size, SIZES[size].1.to_owned()),
        ];
        for key in of {
            let sums = groups.entry(key).or_default();
            *sums = (sums.0 + 1, sums.1 + wait, sums.2 + usize::from(one.backfilled == Some(true)));
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|((by, _, group), (jobs, waits, backfilled))| GroupWait {
            run: run.name.clone(),
            by,
            group,
            jobs,
            mean_wait: waits as f64 / jobs as f64,
            backfilled: 100.0 * backfilled as f64 / jobs as f64,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::job_state::JobState;

    fn outcome(key: &str, submit: i64, start: Option<i64>, node: &str, backfilled: bool) -> JobOutcome {
        JobOutcome {
            key: key.into(),
            task: None,
            state: JobState::Completed,
            submit: Time(submit),
            eligible: Some(Time(submit)),
            start: start.map(Time),
            end: None,
            partition: "p".into(),
            cpus: 4,
            billed: None,
            nodes: vec![node.into()].into(),
            backfilled: Some(backfilled),
            priority: None,
        }
    }

    #[test]
    fn numbers_are_worked_by_hand() {
        let run = |name: &str, zero: i64, starts: [(Option<i64>, &str, bool); 4]| NamedRun {
            name: name.into(),
            zero: Time(zero),
            outcomes: starts
                .iter()
                .zip(["a", "b", "c", "d"])
                .map(|((start, node, by), key)| {
                    outcome(key, zero, start.map(|start| zero + start), node, *by)
                })
                .collect(),
        };
        let one = run(
            "one",
            0,
            [(Some(0), "x", false), (Some(10), "x", true), (Some(100), "y", true), (None, "", false)],
        );
        let other = run(
            "other",
            500,
            [(Some(0), "x", false), (Some(50), "x", false), (Some(200), "z", true), (Some(9), "x", true)],
        );
        let difference = run_difference(&one, &other);
        assert_eq!((difference.jobs, difference.median, difference.p90), (3, Some(40), Some(100)));
        assert!((difference.within_5 - 100.0 / 3.0).abs() < 1e-9 && difference.within_60 > 66.0);
        assert!((difference.mean_wait_ratio.unwrap() - 110.0 / 250.0).abs() < 1e-9);
        assert!((difference.spearman.unwrap() - 1.0).abs() < 1e-9);
        assert!((difference.same_nodes - 200.0 / 3.0).abs() < 1e-9);
        assert!((difference.same_scheduler.unwrap() - 200.0 / 3.0).abs() < 1e-9);
        // Control: a run and itself.
        let same = run_difference(&one, &one);
        assert_eq!((same.p90, same.within_5, same.same_nodes), (Some(0), 100.0, 100.0));
        let waits = group_waits(&one);
        assert_eq!((waits[0].by, waits[0].jobs), ("all", 3));
        assert!((waits[0].mean_wait - 110.0 / 3.0).abs() < 1e-9);
        assert!(waits.iter().any(|one| one.by == "cpus" && one.group == "2 to 7" && one.jobs == 3));
    }

    #[test]
    fn nothing_in_common_is_no_trouble() {
        let none = NamedRun { name: "none".into(), zero: Time(0), outcomes: Vec::new() };
        let difference = run_difference(&none, &none);
        assert_eq!((difference.jobs, difference.median, difference.spearman), (0, None, None));
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
    }
}
