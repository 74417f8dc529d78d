//! A change of a site's configuration reviewed before it is made: what differs, what it would have done to jobs of the past, and whether
//! that is more than the site allows.

use queuecast_core::order;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::Repeated;
use crate::group_changes::{GroupChange, QuantileChange};
use crate::shaken::Shaking;
use crate::site_metrics::{MEAN_WAIT, P50_WAIT, P90_WAIT};
use crate::site_policy::SitePolicy;
use crate::site_variants::{ComparedVariants, SiteVariant, VariantAnswer};
use queuecast_core::choices;
use queuecast_core::duration;
use queuecast_core::units::Seconds;
use queuecast_sim::sim::SimError;
use queuecast_slurm_texts::{SiteChanges, SiteOptions, WhatIfError, read_what_if, site_changes};

/// Two configurations of a site, given as texts by name.
#[derive(Debug, Clone)]
pub struct ReviewQuestion<'a> {
    /// What the two are called.
    pub names: [&'a str; 2],
    /// Their texts: before the change, and after it.
    pub sites: [&'a BTreeMap<String, String>; 2],
    /// How texts are read.
    pub options: SiteOptions,
    /// How submissions are shaken, if they are.
    pub shaking: Option<Shaking>,
    /// What is allowed, if anything is judged.
    pub threshold: Option<ReviewThreshold>,
}

/// What a change may do to waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReviewThreshold {
    /// The largest increase that is allowed.
    pub max_increase: LargestIncrease,
    /// Of what.
    pub of: ReviewedWait,
    /// Of which jobs: each group is judged.
    pub per: ReviewedGroup,
    /// Increases below this are allowed, whatever their share.
    pub ignore_below: Seconds,
    /// Jobs that start before the change and never after it; those that are cancelled while they wait do not count.
    pub max_lost: usize,
}

/// The largest increase of a wait that is allowed: `10%`, or `5m`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LargestIncrease {
    /// As a share of the wait before the change.
    Share(f64),
    /// As a length of time.
    Time(Seconds),
}

impl FromStr for LargestIncrease {
    type Err = String;

    fn from_str(text: &str) -> Result<LargestIncrease, String> {
        let expected = || format!("{text:?} is neither a share such as 10% nor a length of time such as 5m");
        match text.trim().strip_suffix('%') {
            Some(percent) => {
                let percent = percent.trim().parse::<f64>().ok();
                let percent = percent.filter(|percent| percent.is_finite() && *percent >= 0.0);
                Ok(LargestIncrease::Share(percent.ok_or_else(expected)? / 100.0))
            }
            None => {
                let time = duration::parse(text.trim()).ok().filter(|time| time.0 >= 0);
                Ok(LargestIncrease::Time(time.ok_or_else(expected)?))
            }
        }
    }
}

impl fmt::Display for LargestIncrease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LargestIncrease::Share(share) => write!(f, "{}%", (share * 1e6).round() / 1e4),
            LargestIncrease::Time(time) => f.write_str(&duration::exact(*time)),
        }
    }
}

impl Serialize for LargestIncrease {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which number of the waits is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewedWait {
    /// The mean.
    MeanWait,
    /// What half of the jobs do not exceed.
    MedianWait,
    /// What nine of ten do not exceed.
    P90Wait,
}

choices! { ReviewedWait, "number of waits":
    MeanWait = "mean-wait", "the mean";
    MedianWait = "median-wait", "what half of the jobs do not exceed";
    P90Wait = "p90-wait", "what nine of ten jobs do not exceed";
}

/// Whose waits are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewedGroup {
    /// Those of all jobs together.
    All,
    /// Those of each partition.
    Partition,
    /// Those of each QOS.
    Qos,
    /// Those of each account.
    Account,
}

choices! { ReviewedGroup, "grouping of jobs":
    All = "all", "all jobs together";
    Partition = "partition", "the jobs of each partition";
    Qos = "qos", "the jobs of each QOS";
    Account = "account", "the jobs of each account";
}

/// A change of a site's configuration, and what it would have done.
#[derive(Debug, Serialize)]
pub struct ChangeReview {
    /// Of queuecast.
    pub version: &'static str,
    /// The configuration before the change.
    pub old: String,
    /// The configuration after it.
    pub new: String,
    /// What differs.
    pub changes: SiteChanges,
    /// What it would have done to the jobs of a log; `None` without a log, or if nothing differs that is simulated.
    pub effect: Option<ReviewEffect>,
    /// Whether that is allowed; `None` if nothing is judged.
    pub outcome: Option<ReviewOutcome>,
}

/// What a change would have done to the jobs of a log.
#[derive(Debug, Serialize)]
pub struct ReviewEffect {
    /// Waits of all jobs, then of each partition, QOS, account and size class, over the jobs that start in both.
    pub waits: Vec<WaitChange>,
    /// Jobs that start before the change and never after it; those that are cancelled while they wait do not count.
    pub lost: usize,
    /// The two configurations under the same submissions, in full.
    pub compared: ComparedVariants,
}

/// One number of the waits of a group, before a change and after it, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitChange {
    /// What jobs are told apart by: `all`, `partition`, `qos`, `account` or `size_class`.
    pub by: &'static str,
    /// The group, as of before the change.
    pub group: String,
    /// Its jobs.
    pub jobs: usize,
    /// Which number.
    pub of: ReviewedWait,
    /// Before the change.
    pub before: f64,
    /// After it.
    pub after: f64,
    /// The difference over shaken submissions.
    pub shaken: Option<Repeated>,
    /// Before and after the change over the same shaken submissions, as means: that is what `shaken` is the difference of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_shaken: Option<ShakenWaits>,
}

/// One number of the waits of a group as means over shaken submissions, before a change and after it, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShakenWaits {
    /// Before the change.
    pub before: f64,
    /// After it.
    pub after: f64,
}

impl ShakenWaits {
    fn of(after: Option<f64>, difference: Option<Repeated>) -> Option<ShakenWaits> {
        Some(ShakenWaits { before: after? - difference?.mean, after: after? })
    }
}

impl WaitChange {
    /// How much longer: over shaken submissions where they are shaken.
    pub fn increase(&self) -> f64 {
        self.shaken.map_or(self.after - self.before, |shaken| shaken.mean)
    }

    /// The increase as a share of the wait before the change; `None` if there was none.
    pub fn share(&self) -> Option<f64> {
        (self.before > 0.0).then(|| self.increase() / self.before)
    }

    /// Whether the difference is more than its own scatter; `None` if that is not known.
    pub fn is_beyond_scatter(&self) -> Option<bool> {
        self.shaken.and_then(|shaken| shaken.is_beyond_scatter())
    }
}

/// Whether a change is allowed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewOutcome {
    /// What is allowed.
    pub threshold: ReviewThreshold,
    /// Whether the change is within it.
    pub is_allowed: bool,
    /// Groups whose waits increase by more, beyond their scatter where that is known; the largest increase first.
    pub over: Vec<OverThreshold>,
    /// Groups whose waits increase by more, but not beyond their scatter; the largest increase first.
    pub within_scatter: Vec<OverThreshold>,
    /// Whether more jobs than allowed never start.
    pub loses_jobs: bool,
}

/// A group whose waits increase by more than is allowed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverThreshold {
    /// What jobs are told apart by.
    pub by: &'static str,
    /// The group.
    pub group: String,
    /// How much longer it waits, in seconds.
    pub increase: f64,
    /// As a share of the wait before the change; `None` if there was none.
    pub share: Option<f64>,
}

impl ReviewQuestion<'_> {
    /// What differs.
    pub fn changes(&self) -> SiteChanges {
        site_changes(self.sites[0], self.sites[1], &self.options)
    }

    /// The two configurations with what was submitted. An error says for which of the two it is.
    pub fn variants(&self, log: &BTreeMap<String, String>) -> Result<Vec<SiteVariant>, (usize, WhatIfError)> {
        let variant = |place: usize| {
            let what_if = read_what_if(self.sites[place], log, &[], &self.options);
            let name = self.names[place].to_owned();
            Ok(SiteVariant {
                name,
                what_if: what_if.map_err(|error| (place, error))?,
                policy: SitePolicy::SLURM,
            })
        };
        (0..self.sites.len()).map(variant).collect()
    }

    /// The review without a log: only what differs.
    pub fn without_log(&self) -> ChangeReview {
        self.answer(self.changes(), None)
    }

    /// The review with what the change would have done to the submissions of `source`. Simulates nothing if nothing differs that is simulated. Fails
    /// only if a predictor or a policy breaks its contract.
    pub fn review(&self, source: String, variants: &[SiteVariant]) -> Result<ChangeReview, SimError> {
        let changes = self.changes();
        if !changes.is_simulated() {
            return Ok(self.answer(changes, None));
        }
        let compared = ComparedVariants::of(source, self.shaking, variants)?;
        Ok(self.answer(changes, effect(compared)))
    }

    fn answer(&self, changes: SiteChanges, effect: Option<ReviewEffect>) -> ChangeReview {
        let [old, new] = self.names.map(str::to_owned);
        let outcome = self.threshold.map(|threshold| judged(threshold, effect.as_ref()));
        ChangeReview { version: env!("CARGO_PKG_VERSION"), old, new, changes, effect, outcome }
    }
}

fn effect(compared: ComparedVariants) -> Option<ReviewEffect> {
    let new = compared.variants.get(1)?;
    let mut waits = overall_changes(compared.common_jobs, new);
    let mut groups: Vec<&GroupChange> = new.groups.iter().collect();
    order::sort_by(&mut groups, |one, other| one.group.cmp(&other.group));
    waits.extend(by_kind(&groups));
    Some(ReviewEffect { waits, lost: new.lost, compared })
}

/// Kinds of groups, in the order they are shown.
const SHOWN_BY: [&str; 4] = ["partition", "qos", "account", "size_class"];

/// The changes of groups, those of each kind together, in the order given.
fn by_kind(groups: &[&GroupChange]) -> Vec<WaitChange> {
    let of_kind =
        |by: &&str| groups.iter().filter(|one| one.by == *by).flat_map(|one| of_group(one)).collect();
    SHOWN_BY.iter().flat_map(|by| -> Vec<WaitChange> { of_kind(by) }).collect()
}

/// The changes of groups, those of each kind together, the largest first as they are given.
pub(crate) fn group_waits_changes(groups: &[GroupChange]) -> Vec<WaitChange> {
    by_kind(&groups.iter().collect::<Vec<_>>())
}

/// The changes of all jobs together.
pub(crate) fn overall_changes(jobs: usize, new: &VariantAnswer) -> Vec<WaitChange> {
    let numbers = [
        (MEAN_WAIT.name, ReviewedWait::MeanWait),
        (P50_WAIT.name, ReviewedWait::MedianWait),
        (P90_WAIT.name, ReviewedWait::P90Wait),
    ];
    let change = |(name, of): (&str, ReviewedWait)| {
        let found = new.metrics.iter().find(|one| one.name == name)?;
        let (after, difference) = (found.value?, found.difference?);
        let shaken = found.shaken.map(|shaken| shaken.difference);
        let over_shaken = ShakenWaits::of(found.shaken.map(|shaken| shaken.value.mean), shaken);
        let (by, group) = ("all", "all".to_owned());
        Some(WaitChange { by, group, jobs, of, before: after - difference, after, shaken, over_shaken })
    };
    numbers.into_iter().filter_map(change).collect()
}

fn of_group(one: &GroupChange) -> [WaitChange; 3] {
    let mean = QuantileChange {
        value: one.mean_wait,
        difference: one.difference,
        shaken: one.shaken,
        shaken_value: one.shaken_wait,
    };
    let numbers = [
        (ReviewedWait::MeanWait, mean),
        (ReviewedWait::MedianWait, one.p50_wait),
        (ReviewedWait::P90Wait, one.p90_wait),
    ];
    numbers.map(|(of, change)| WaitChange {
        by: one.by,
        group: one.group.clone(),
        jobs: one.jobs,
        of,
        before: change.value - change.difference,
        after: change.value,
        shaken: change.shaken,
        over_shaken: ShakenWaits::of(change.shaken_value, change.shaken),
    })
}

fn judged(threshold: ReviewThreshold, effect: Option<&ReviewEffect>) -> ReviewOutcome {
    let waits = effect.map_or(&[][..], |effect| &effect.waits);
    let exceeding = |is_certain: bool| {
        let mut exceeding: Vec<OverThreshold> = waits
            .iter()
            .filter(|one| one.by == threshold.per.name() && one.of == threshold.of)
            .filter(|one| (one.is_beyond_scatter() != Some(false)) == is_certain)
            .filter(|one| threshold.is_exceeded_by(one))
            .map(|one| OverThreshold {
                by: one.by,
                group: one.group.clone(),
                increase: one.increase(),
                share: one.share(),
            })
            .collect();
        order::sort_by(&mut exceeding, |one, other| other.increase.total_cmp(&one.increase));
        exceeding
    };
    let (over, within_scatter) = (exceeding(true), exceeding(false));
    let loses_jobs = effect.is_some_and(|effect| effect.lost > threshold.max_lost);
    let is_allowed = over.is_empty() && !loses_jobs;
    ReviewOutcome { threshold, is_allowed, over, within_scatter, loses_jobs }
}

impl ReviewThreshold {
    /// Whether an increase is more than is allowed, scatter or not.
    fn is_exceeded_by(&self, one: &WaitChange) -> bool {
        let increase = one.increase();
        let allowed = match self.max_increase {
            LargestIncrease::Share(share) => share * one.before,
            LargestIncrease::Time(time) => time.0 as f64,
        };
        increase > 0.0 && increase > allowed && increase >= self.ignore_below.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONF: &str =
        "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[3-4]\n";

    fn texts(name: &str, text: &str) -> BTreeMap<String, String> {
        [(name.to_owned(), text.to_owned())].into()
    }

    /// Jobs of both partitions, more than two nodes take at once.
    fn log() -> BTreeMap<String, String> {
        let mut jobs = "submit,user,account,run,args\n".to_owned();
        for place in 0..60 {
            let (partition, size) = (["p", "q"][place % 2], 1 + place % 4);
            let run = 80 + 7 * (place % 11);
            jobs.push_str(&format!("{},u{},a,{run},-p {partition} -n {size} -t 10\n", 12 * place, place % 3));
        }
        texts("jobs.csv", &jobs)
    }

    fn review(new: &str, threshold: &str, per: ReviewedGroup) -> ChangeReview {
        let sites = [CONF, new].map(|conf| texts("slurm.conf", conf));
        let question = ReviewQuestion {
            names: ["old", "new"],
            sites: [&sites[0], &sites[1]],
            options: SiteOptions::default(),
            shaking: Some(Shaking { by: Seconds(20), seeds: 3 }),
            threshold: Some(ReviewThreshold {
                max_increase: threshold.parse().unwrap(),
                of: ReviewedWait::MeanWait,
                per,
                ignore_below: Seconds(10),
                max_lost: 0,
            }),
        };
        let variants = question.variants(&log()).unwrap();
        question.review("jobs.csv".to_owned(), &variants).unwrap()
    }

    #[test]
    fn a_partition_that_loses_a_node_is_over_and_the_other_is_not() {
        let new = CONF.replace("PartitionName=p Nodes=n[1-2]", "PartitionName=p Nodes=n1");
        let answer = review(&new, "10%", ReviewedGroup::Partition);
        let outcome = answer.outcome.unwrap();
        assert!(!outcome.is_allowed && !outcome.loses_jobs);
        let groups: Vec<&str> = outcome.over.iter().map(|one| one.group.as_str()).collect();
        assert_eq!(groups, ["p"]);
        assert!(outcome.over[0].increase > 60.0 && outcome.over[0].share.is_some());
        let waits = answer.effect.unwrap().waits;
        let same = waits.iter().find(|one| one.group == "q" && one.of == ReviewedWait::MeanWait).unwrap();
        // Both share the scheduler's passes, so that starts move by seconds.
        assert!((same.before - same.after).abs() < 5.0, "{same:?}");
        // Control: as much as that is allowed.
        assert!(review(&new, "9000%", ReviewedGroup::Partition).outcome.unwrap().is_allowed);
        assert!(!review(&new, "30s", ReviewedGroup::All).outcome.unwrap().is_allowed);
        assert!(review(&new, "2d", ReviewedGroup::All).outcome.unwrap().is_allowed);
    }

    #[test]
    fn jobs_that_never_start_are_lost_not_gained() {
        let new = CONF.replace("Nodes=n[3-4]", "Nodes=n[3-4] MaxTime=5");
        let answer = review(&new, "10%", ReviewedGroup::Partition);
        let (effect, outcome) = (answer.effect.unwrap(), answer.outcome.unwrap());
        assert_eq!(effect.lost, 30);
        assert!(outcome.loses_jobs && !outcome.is_allowed && outcome.over.is_empty(), "{outcome:?}");
    }

    #[test]
    fn nothing_is_simulated_if_nothing_differs_that_is_simulated() {
        let answer = review(&format!("SlurmctldPort=6820\n{CONF}"), "0%", ReviewedGroup::All);
        assert!(answer.effect.is_none() && answer.outcome.unwrap().is_allowed);
        assert_eq!(answer.changes.settings.len(), 1);
        assert!(review(CONF, "0%", ReviewedGroup::All).changes.is_empty());
    }

    #[test]
    fn increases_are_shares_or_lengths_of_time() {
        assert_eq!("12.5%".parse(), Ok(LargestIncrease::Share(0.125)));
        assert_eq!("5m".parse(), Ok(LargestIncrease::Time(Seconds(300))));
        for wrong in ["-3%", "x%", "-5m", "many", "NaN%", "%"] {
            assert!(wrong.parse::<LargestIncrease>().unwrap_err().contains("10%"), "{wrong}");
        }
        let told = ["12.5%", "90s"].map(|text| text.parse::<LargestIncrease>().unwrap().to_string());
        assert_eq!(told, ["12.5%", "1 min 30 s"]);
    }
}
