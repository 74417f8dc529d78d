//! Who gains and who loses by a variant of a site: the waits of the same jobs, by group.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::Repeated;
use crate::cluster_report::{GROUPED_BY, group_keys, group_name};
use queuecast_core::units::Seconds;
use queuecast_eval::Spread;
use queuecast_slurm_sim::cluster::{Cluster, RecordedRun};
use queuecast_slurm_sim::controller::SimulatedJob;

/// How the waits of a group differ from those in the first variant, over the jobs that start in every variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupChange {
    /// What jobs are told apart by: `partition`, `qos`, `account` or `size_class`.
    pub by: &'static str,
    /// The group, as of the first variant.
    pub group: String,
    /// Its jobs.
    pub jobs: usize,
    /// Their mean wait in seconds.
    pub mean_wait: f64,
    /// That, less their mean wait in the first variant.
    pub difference: f64,
    /// The difference over shaken submissions.
    pub shaken: Option<Repeated>,
    /// Their mean wait over those, as a mean.
    #[serde(skip)]
    pub shaken_wait: Option<f64>,
    /// Whether the difference lies outside its own 95 % confidence interval around zero.
    pub beyond_scatter: Option<bool>,
    /// The wait that half of them do not exceed.
    pub p50_wait: QuantileChange,
    /// The wait that nine of ten do not exceed.
    pub p90_wait: QuantileChange,
}

/// A quantile of the waits of a group, and how it differs from that in the first variant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QuantileChange {
    /// In seconds.
    pub value: f64,
    /// That, less the value in the first variant.
    pub difference: f64,
    /// The difference over shaken submissions.
    pub shaken: Option<Repeated>,
    /// The value over those, as a mean.
    #[serde(skip)]
    pub shaken_value: Option<f64>,
}

/// A group of the first variant: by what, its place among those, its name.
type Group = (usize, u32, String);

/// For each group of the first variant the waits of its jobs: here, and in the first variant.
pub(crate) type PairedWaits = BTreeMap<Group, (Vec<Seconds>, Vec<Seconds>)>;

/// The waits by group of jobs of the first variant, each given with its wait here and there.
pub(crate) fn waits_by_group<'a>(
    (cluster, run): (&Cluster, &RecordedRun),
    jobs: impl Iterator<Item = (&'a SimulatedJob, Seconds, Seconds)>,
) -> PairedWaits {
    let mut waits = PairedWaits::new();
    for (job, own, first) in jobs {
        for (by, group) in group_keys(cluster, run, job).into_iter().enumerate() {
            let of_group = waits.entry((by, group.0, group_name(by, group))).or_default();
            of_group.0.push(own);
            of_group.1.push(first);
        }
    }
    waits
}

/// By what is not shown who gains: users are many, and their accounts say most of it.
const LEFT_OUT: &str = "user";

/// The mean, the median and the 90th percentile of a group, here and in the first variant.
fn spreads(waits: &(Vec<Seconds>, Vec<Seconds>)) -> [(f64, f64); 3] {
    let [own, first] = [&waits.0, &waits.1].map(|waits| Spread::of(waits.clone()));
    let seconds = |wait: Option<Seconds>| wait.map_or(0.0, |wait| wait.0 as f64);
    [
        (own.mean.unwrap_or_default(), first.mean.unwrap_or_default()),
        (seconds(own.p50), seconds(first.p50)),
        (seconds(own.p90), seconds(first.p90)),
    ]
}

/// Who gains and who loses, the largest changes first; `seeds` are the waits over submissions as they are, then shaken.
pub(crate) fn group_changes(seeds: &[PairedWaits]) -> Vec<GroupChange> {
    let Some((plain, shaken)) = seeds.split_first() else { return Vec::new() };
    let mut changes: Vec<GroupChange> = plain
        .iter()
        .filter(|(group, _)| GROUPED_BY[group.0] != LEFT_OUT)
        .map(|(group, waits)| {
            // A group that has no job under some seed has no difference there.
            let told: Vec<[(f64, f64); 3]> =
                shaken.iter().filter_map(|one| one.get(group).map(spreads)).collect();
            let repeated = |which: usize| {
                let differences: Vec<f64> = told.iter().map(|one| one[which].0 - one[which].1).collect();
                (!differences.is_empty()).then(|| Repeated::of(&differences))
            };
            let over_shaken = |which: usize| {
                let values: Vec<f64> = told.iter().map(|one| one[which].0).collect();
                (!values.is_empty()).then(|| Repeated::of(&values).mean)
            };
            let values = spreads(waits);
            let quantile = |which: usize| QuantileChange {
                value: values[which].0,
                difference: values[which].0 - values[which].1,
                shaken: repeated(which),
                shaken_value: over_shaken(which),
            };
            let mean = quantile(0);
            GroupChange {
                by: GROUPED_BY[group.0],
                group: group.2.clone(),
                jobs: waits.0.len(),
                mean_wait: mean.value,
                difference: mean.difference,
                shaken: mean.shaken,
                shaken_wait: mean.shaken_value,
                beyond_scatter: mean.shaken.and_then(|one| one.is_beyond_scatter()),
                p50_wait: quantile(1),
                p90_wait: quantile(2),
            }
        })
        .collect();
    let weight = |one: &GroupChange| one.difference.abs() * one.jobs as f64;
    order::sort_by(&mut changes, |one, other| weight(other).total_cmp(&weight(one)));
    changes
}

/// Of accounts and users those accounts that only one user has, or that are called as a user.
pub(crate) fn of_one_person<'a>(named: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeSet<String> {
    let (mut users_of, mut users): (BTreeMap<&str, BTreeSet<&str>>, BTreeSet<&str>) = Default::default();
    for (account, user) in named {
        users_of.entry(account).or_default().insert(user);
        users.insert(user);
    }
    let is_personal = |(account, of): &(&str, BTreeSet<&str>)| of.len() < 2 || users.contains(account);
    users_of.into_iter().filter(is_personal).map(|one| one.0.to_owned()).collect()
}
