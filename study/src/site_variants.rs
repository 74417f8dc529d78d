//! Variants of a site side by side: other sites, or the same with other settings, under the same submissions.

use queuecast_core::order;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use rand::RngExt;
use serde::Serialize;

use crate::Repeated;
use crate::awaited::Awaited;
use crate::cluster_report::{ClusterReport, measures_of, started};
use crate::group_changes::{GroupChange, PairedWaits, group_changes, waits_by_group};
use crate::shaken::Shaking;
use crate::site_answer::{SiteAnswer, simulated_answer};
use crate::site_metrics::SITE_METRICS;
use crate::site_policy::SitePolicy;
use queuecast_core::job_state::JobState;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Micros, Seconds};
use queuecast_eval::Metric;
use queuecast_sim::sim::SimError;
use queuecast_slurm_sim::cluster::{ClusterAction, RecordedRun};
use queuecast_slurm_sim::controller::{SimulatedJob, SimulatedRun};
use queuecast_slurm_texts::{SiteChange, SiteOptions, WhatIf, WhatIfError, read_what_if};

/// A site or a setting, and what is submitted to it.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteVariant {
    /// What it is called.
    pub name: String,
    /// The site and the submissions.
    pub what_if: WhatIf,
    /// Who runs next.
    pub policy: SitePolicy,
}

/// Several changes that make one variant: `bf_interval=60 PriorityWeightAge=2000`.
#[derive(Debug, Clone, Default)]
pub struct VariantChanges(Vec<SiteChange>);

impl VariantChanges {
    /// Each of them.
    pub fn changes(&self) -> &[SiteChange] {
        &self.0
    }
}

impl FromStr for VariantChanges {
    type Err = String;

    fn from_str(text: &str) -> Result<VariantChanges, String> {
        let changes: Result<Vec<SiteChange>, String> =
            text.split_whitespace().map(|one| one.parse().map_err(|error| format!("{error}"))).collect();
        match changes {
            Ok(changes) if changes.is_empty() => Err("expected KEY=VALUE".to_owned()),
            changes => changes.map(VariantChanges),
        }
    }
}

/// Which variants of a site there are: as it is, with each of several changes, and under each of several policies.
#[derive(Debug, Clone)]
pub struct VariantsQuestion<'a> {
    /// Changes of every variant.
    pub set: &'a [SiteChange],
    /// Changes of one variant each.
    pub against: &'a [VariantChanges],
    /// Beside Slurm's own scheduler.
    pub policies: &'a [SitePolicy],
    /// How texts are read.
    pub options: SiteOptions,
}

impl VariantsQuestion<'_> {
    /// The variants of one site; `folder` tells it from others where there are several.
    pub fn variants(
        &self,
        folder: Option<&str>,
        site: &BTreeMap<String, String>,
        log: &BTreeMap<String, String>,
    ) -> Result<Vec<SiteVariant>, WhatIfError> {
        let named = |more: Vec<String>| {
            let parts: Vec<String> = folder.map(str::to_owned).into_iter().chain(more).collect();
            if parts.is_empty() { "as it is".to_owned() } else { parts.join(" ") }
        };
        let mut variants = Vec::new();
        for more in [&VariantChanges::default()].into_iter().chain(self.against) {
            let changes: Vec<SiteChange> = self.set.iter().chain(&more.0).cloned().collect();
            let what_if = read_what_if(site, log, &changes, &self.options)?;
            let name = named(more.0.iter().map(ToString::to_string).collect());
            variants.push(SiteVariant { name, what_if, policy: SitePolicy::SLURM });
        }
        for policy in self.policies {
            let (name, policy) = (named(vec![policy.to_string()]), policy.clone());
            variants.push(SiteVariant { name, policy, ..variants[0].clone() });
        }
        Ok(variants)
    }
}

/// Variants of sites side by side.
#[derive(Debug, Serialize)]
pub struct ComparedVariants {
    /// Of queuecast.
    pub version: &'static str,
    /// The file of the submissions.
    pub source: String,
    /// How submissions are shaken, if they are.
    pub shaking: Option<Shaking>,
    /// Jobs that start in every variant: waits and slowdowns are over these.
    pub common_jobs: usize,
    /// The first is what the others are compared with.
    pub variants: Vec<VariantAnswer>,
}

impl ComparedVariants {
    /// Simulates and compares variants under the submissions of `source`.
    pub fn of(
        source: String,
        shaking: Option<Shaking>,
        variants: &[SiteVariant],
    ) -> Result<ComparedVariants, SimError> {
        let (common_jobs, variants) = compare_variants(variants, shaking)?;
        let version = env!("CARGO_PKG_VERSION");
        Ok(ComparedVariants { version, source, shaking, common_jobs, variants })
    }

    /// How many simulations that takes.
    pub fn simulations(shaking: Option<Shaking>, variants: usize) -> usize {
        variants * (1 + shaking.map_or(0, |shaking| usize::from(shaking.seeds)))
    }
}

/// What became of the submissions in one variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantAnswer {
    /// What it is called.
    pub name: String,
    /// Every number that variants are compared by, in the order of [`SITE_METRICS`].
    pub metrics: Vec<VariantMetric>,
    /// Jobs that start here and not in every variant.
    pub only_here: usize,
    /// Jobs that do not start here, and do in another variant.
    pub only_elsewhere: usize,
    /// Jobs that start in the first variant and not here, but for those that were cancelled while they waited here.
    pub lost: usize,
    /// Mean wait less that of the first variant, over all jobs that start in each: other jobs here than there. `None` if no job starts.
    pub unmatched_difference: Option<f64>,
    /// Who gains and who loses against the first variant, by partition, QOS, account and size: the largest changes first.
    pub groups: Vec<GroupChange>,
    /// What became of the submissions as they are, not shaken.
    pub answer: SiteAnswer,
}

/// One number of a variant, and how it differs from that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantMetric {
    /// Its name.
    pub name: &'static str,
    /// With the submissions as they are; `None` if there is none, as of waits where no job started.
    pub value: Option<f64>,
    /// That, less the value of the first variant.
    pub difference: Option<f64>,
    /// Over shaken submissions.
    pub shaken: Option<ShakenMetric>,
}

/// A number over shaken submissions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShakenMetric {
    /// The number.
    pub value: Repeated,
    /// The number less that of the first variant, each pair under the same submissions.
    pub difference: Repeated,
    /// Whether the difference lies outside its own 95 % confidence interval around zero; `None` if one seed tells nothing.
    pub beyond_scatter: Option<bool>,
}

/// A variant as it was simulated.
struct SimulatedVariant<'a> {
    what_if: Cow<'a, WhatIf>,
    answer: SiteAnswer,
    simulated: SimulatedRun,
}

/// A job in every variant: the key of its submission, and its task.
type JobKey<'a> = (&'a str, Option<u32>);

fn key(job: &SimulatedJob) -> JobKey<'_> {
    (job.outcome.key.as_str(), job.outcome.task)
}

impl SimulatedVariant<'_> {
    fn started(&self) -> BTreeSet<JobKey<'_>> {
        self.simulated.jobs.iter().filter(|job| job.outcome.start.is_some()).map(key).collect()
    }

    fn started_or_cancelled(&self) -> BTreeSet<JobKey<'_>> {
        let is_left =
            |job: &&SimulatedJob| job.outcome.start.is_some() || job.outcome.state == JobState::Cancelled;
        self.simulated.jobs.iter().filter(is_left).map(key).collect()
    }

    /// The report of which waits and slowdowns are over some jobs; how many never started is counted over all.
    fn report_over(&self, jobs: &BTreeSet<JobKey<'_>>) -> ClusterReport {
        let outcomes = self.simulated.jobs.iter().filter(|job| jobs.contains(&key(job)));
        let mut all = measures_of("all", outcomes.map(|job| &job.outcome));
        all.not_started = self.answer.report.waits.first().map_or(0, |all| all.not_started);
        ClusterReport { waits: vec![all], ..self.answer.report.clone() }
    }

    /// The wait of each job.
    fn waits(&self) -> BTreeMap<JobKey<'_>, Seconds> {
        let wait = |job: &SimulatedJob| Some(started(&job.outcome)?.wait());
        order::map_of(self.simulated.jobs.iter().filter_map(|job| Some((key(job), wait(job)?))))
    }
}

/// Simulates every variant, and with every seed if submissions are shaken; all variants see the same shaken times. Waits and slowdowns are
/// over the jobs that start in every variant, whose number is the first part of the answer. Fails only if a predictor or a policy breaks
/// its contract.
pub fn compare_variants(
    variants: &[SiteVariant],
    shaking: Option<Shaking>,
) -> Result<(usize, Vec<VariantAnswer>), SimError> {
    Ok(compare_awaited_variants(variants, shaking, Awaited::ALWAYS)?.unwrap_or_default())
}

/// [`compare_variants`], told of each simulation that is done. `None` if it was not wanted any more.
pub fn compare_awaited_variants(
    variants: &[SiteVariant],
    shaking: Option<Shaking>,
    awaited: Awaited<'_>,
) -> Result<Option<(usize, Vec<VariantAnswer>)>, SimError> {
    let seeds = shaking.map_or(0, |shaking| u64::from(shaking.seeds));
    // Seed zero stands for the submissions as they are.
    let runs: Vec<(usize, u64)> =
        (0..variants.len()).flat_map(|place| (0..=seeds).map(move |seed| (place, seed))).collect();
    let all = parallel::map(&runs, |&(place, seed)| {
        if !(awaited.is_wanted)() {
            return Ok(None);
        }
        let SiteVariant { what_if, policy, .. } = &variants[place];
        let what_if = match shaking.filter(|_| seed > 0) {
            None => Cow::Borrowed(what_if),
            Some(shaking) => {
                let run = shaken_run(&what_if.run, shaking.by.0, seed);
                Cow::Owned(WhatIf { run, ..what_if.clone() })
            }
        };
        let (answer, simulated) = simulated_answer(&what_if, policy)?;
        (awaited.done)();
        Ok(Some(SimulatedVariant { what_if, answer, simulated }))
    });
    let all: Option<Vec<SimulatedVariant<'_>>> = all.into_iter().collect::<Result<_, SimError>>()?;
    let Some(all) = all else { return Ok(None) };
    let width = seeds as usize + 1;
    let at = |place: usize, seed: usize| &all[place * width + seed];
    let started: Vec<Vec<BTreeSet<JobKey<'_>>>> =
        (0..width).map(|seed| (0..variants.len()).map(|place| at(place, seed).started()).collect()).collect();
    let common: Vec<BTreeSet<JobKey<'_>>> = started
        .iter()
        .map(|each| {
            let (first, others) = each.split_first().map_or((None, &[][..]), |(one, rest)| (Some(one), rest));
            let first = first.into_iter().flatten();
            first.filter(|job| others.iter().all(|one| one.contains(*job))).copied().collect()
        })
        .collect();
    let anywhere: BTreeSet<&JobKey<'_>> = started.iter().take(1).flatten().flatten().collect();
    let reports: Vec<Vec<ClusterReport>> = (0..variants.len())
        .map(|place| (0..width).map(|seed| at(place, seed).report_over(&common[seed])).collect())
        .collect();
    let metric = |place: usize, metric: &Metric<ClusterReport>| {
        let values = |place: usize| -> Vec<Option<f64>> {
            reports[place].iter().map(|report| metric.value(report)).collect()
        };
        let (own, first) = (values(place), values(0));
        let less = |own: Option<f64>, first: Option<f64>| Some(own? - first?);
        let told: Option<Vec<f64>> = own[1..].iter().copied().collect();
        let apart: Option<Vec<f64>> =
            own[1..].iter().zip(&first[1..]).map(|(own, first)| less(*own, *first)).collect();
        let shaken = told.zip(apart).filter(|(told, _)| !told.is_empty()).map(|(told, apart)| {
            let difference = Repeated::of(&apart);
            let beyond_scatter = difference.is_beyond_scatter();
            ShakenMetric { value: Repeated::of(&told), difference, beyond_scatter }
        });
        VariantMetric { name: metric.name, value: own[0], difference: less(own[0], first[0]), shaken }
    };
    let mean_wait = |place: usize| at(place, 0).answer.report.waits.first().and_then(|all| all.mean_wait);
    let answers = variants.iter().enumerate().map(|(place, variant)| {
        let waits: Vec<PairedWaits> = (0..width)
            .map(|seed| {
                let (first, common) = (at(0, seed), &common[seed]);
                let jobs = first.simulated.jobs.iter().filter(|job| common.contains(&key(job)));
                let (own, before) = (at(place, seed).waits(), first.waits());
                let pairs = jobs.filter_map(|job| Some((job, *own.get(&key(job))?, *before.get(&key(job))?)));
                waits_by_group((&first.what_if.reading.cluster, &first.what_if.run), pairs)
            })
            .collect();
        VariantAnswer {
            name: variant.name.clone(),
            metrics: SITE_METRICS.iter().map(|one| metric(place, one)).collect(),
            only_here: started[0][place].len() - common[0].len(),
            only_elsewhere: anywhere.len() - started[0][place].len(),
            lost: at(0, 0).started().difference(&at(place, 0).started_or_cancelled()).count(),
            unmatched_difference: mean_wait(place).zip(mean_wait(0)).map(|(own, first)| own - first),
            groups: if place == 0 { Vec::new() } else { group_changes(&waits) },
            answer: at(place, 0).answer.clone(),
        }
    });
    Ok(Some((common[0].len(), answers.collect())))
}

/// Every submission moved by a random number of seconds, none before the first.
fn shaken_run(run: &RecordedRun, by: i64, seed: u64) -> RecordedRun {
    let mut rng = Seed(seed).stream("shaken submissions");
    let (mut shaken, by) = (run.clone(), by.saturating_abs());
    let first = run.submissions.iter().map(|job| job.submit).min().unwrap_or_default();
    let mut moves: BTreeMap<String, Micros> = BTreeMap::new();
    for job in &mut shaken.submissions {
        let before = job.submit;
        job.submit = (job.submit + Micros::of_seconds(rng.random_range(-by..=by))).max(first);
        moves.insert(job.key.clone(), job.submit - before);
    }
    // A job is cancelled or changed as long after its submission as it was.
    for event in &mut shaken.events {
        if let ClusterAction::Cancel { key, .. } | ClusterAction::Job { key, .. } = &event.action
            && let Some(by) = moves.get(key)
        {
            event.at += *by;
        }
    }
    order::sort_by_key(&mut shaken.events, |event| event.at);
    order::sort_by_key(&mut shaken.submissions, |job| job.submit);
    shaken
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_slurm_texts::{SiteChange, SiteOptions, read_what_if};

    fn variant(name: &str, changes: &[&str]) -> SiteVariant {
        let conf = "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\n";
        let mut jobs = "submit,user,account,run,args\n".to_owned();
        for place in 0..40 {
            jobs.push_str(&format!(
                "{},u{},a,{},-n {} -t 10\n",
                20 * place,
                place % 3,
                60 + 7 * (place % 11),
                1 + place % 4
            ));
        }
        let texts = |name: &str, text: &str| -> BTreeMap<String, String> {
            [(name.to_owned(), text.to_owned())].into()
        };
        let changes: Vec<SiteChange> = changes.iter().map(|one| one.parse().unwrap()).collect();
        let what_if = read_what_if(
            &texts("slurm.conf", conf),
            &texts("jobs.csv", &jobs),
            &changes,
            &SiteOptions::default(),
        );
        SiteVariant { name: name.into(), what_if: what_if.unwrap(), policy: SitePolicy::SLURM }
    }

    #[test]
    fn a_difference_is_told_from_scatter() {
        let variants = [
            variant("as it is", &[]),
            variant("twice", &["partition.p.nodes=+2"]),
            variant("same", &["KillWait=31"]),
        ];
        let shaking = Shaking { by: Seconds(30), seeds: 5 };
        let (common, answers) = compare_variants(&variants, Some(shaking)).unwrap();
        assert_eq!(common, 40);
        let metric = |place: usize| answers[place].metrics[0].clone();
        assert_eq!((metric(0).name, metric(0).difference), ("mean_wait", Some(0.0)));
        assert!(metric(1).difference.unwrap() < 0.0);
        let [same, twice] = [2, 1].map(|place| metric(place).shaken.unwrap());
        assert_eq!((twice.beyond_scatter, twice.value.times), (Some(true), 5));
        assert_eq!((same.beyond_scatter, same.difference.mean), (Some(false), 0.0));
        // Shaking moves submissions and loses none.
        assert!(twice.value.deviation > 0.0);
        assert!(answers.iter().all(|one| one.answer.report.jobs == 40));
        let (_, plain) = compare_variants(&variants, None).unwrap();
        assert!(plain[1].metrics.iter().all(|one| one.shaken.is_none()));
        assert_eq!(plain[1].metrics[0].value, answers[1].metrics[0].value);
    }

    /// Two jobs of eight processors no longer start where a job may have one node: those that are left are compared with themselves.
    #[test]
    fn the_same_jobs_are_compared_and_who_gains_is_said() {
        let texts = |name: &str, text: &str| -> BTreeMap<String, String> {
            [(name.to_owned(), text.to_owned())].into()
        };
        let conf = "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[1-2]\n";
        let jobs = "submit,user,account,run,args\n\
            0,u,a,300,-n 8 -t 10\n1,u,a,300,-n 8 -t 10\n2,v,b,60,-n 4 -t 10 -p q\n3,v,b,60,-n 4 -t 10 -p q\n";
        let variant = |name: &str, changes: &[&str]| {
            let changes: Vec<SiteChange> = changes.iter().map(|one| one.parse().unwrap()).collect();
            let site = texts("slurm.conf", conf);
            let options = SiteOptions::default();
            let what_if = read_what_if(&site, &texts("jobs.csv", jobs), &changes, &options).unwrap();
            SiteVariant { name: name.into(), what_if, policy: SitePolicy::SLURM }
        };
        let variants = [variant("as it is", &[]), variant("narrow", &["partition.p.MaxNodes=1"])];
        let (common, answers) = compare_variants(&variants, None).unwrap();
        assert_eq!(common, 2, "{answers:?}");
        let [before, narrow] = &answers[..] else { panic!("{answers:?}") };
        assert_eq!((before.only_here, before.only_elsewhere), (2, 0));
        assert_eq!((narrow.only_here, narrow.only_elsewhere), (0, 2));
        let difference = narrow.metrics[0].difference.unwrap();
        assert!(difference < -100.0, "the small ones no longer wait for the large: {difference}");
        assert!(narrow.unmatched_difference.is_some_and(|other| (other - difference).abs() > 30.0));
        let group = |by: &str| narrow.groups.iter().find(|one| one.by == by).unwrap();
        assert_eq!((group("partition").group.as_str(), group("partition").jobs), ("q", 2));
        assert_eq!(group("account").difference, difference);
        assert!(narrow.groups.iter().all(|one| one.by != "user") && before.groups.is_empty());
        // Limits of partitions are not enforced at submission there: the two wait for ever.
        let report = &narrow.answer.report;
        assert_eq!(
            (report.states.get("PENDING"), report.refused.len()),
            (Some(&2), 0),
            "{:?}",
            report.states
        );
    }
}
