//! Variants of a site side by side: other sites, or the same with other settings, under the same submissions.

use std::collections::BTreeMap;
use std::str::FromStr;

use rand::RngExt;
use serde::Serialize;

use crate::Repeated;
use crate::cluster_report::ClusterReport;
use crate::shaken::Shaking;
use crate::site_answer::{SiteAnswer, simulate_site};
use crate::site_metrics::SITE_METRICS;
use crate::site_policy::SitePolicy;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::Micros;
use queuecast_eval::Metric;
use queuecast_sim::sim::SimError;
use queuecast_slurm_sim::cluster::{ClusterAction, RecordedRun};
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
        let variants = compare_variants(variants, shaking)?;
        Ok(ComparedVariants { version: env!("CARGO_PKG_VERSION"), source, shaking, variants })
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

/// Simulates every variant, and with every seed if submissions are shaken; all variants see the same shaken times. Fails only
/// if a predictor or a policy breaks its contract.
pub fn compare_variants(
    variants: &[SiteVariant],
    shaking: Option<Shaking>,
) -> Result<Vec<VariantAnswer>, SimError> {
    let seeds = shaking.map_or(0, |shaking| u64::from(shaking.seeds));
    // Seed zero stands for the submissions as they are.
    let runs: Vec<(usize, u64)> =
        (0..variants.len()).flat_map(|place| (0..=seeds).map(move |seed| (place, seed))).collect();
    let answers = parallel::map(&runs, |&(place, seed)| {
        let SiteVariant { what_if, policy, .. } = &variants[place];
        match shaking.filter(|_| seed > 0) {
            None => Ok(simulate_site(what_if, policy)?.0),
            Some(shaking) => {
                let run = shaken_run(&what_if.run, shaking.by.0, seed);
                Ok(simulate_site(&WhatIf { run, ..what_if.clone() }, policy)?.0)
            }
        }
    });
    let answers: Vec<SiteAnswer> = answers.into_iter().collect::<Result<_, SimError>>()?;
    let width = seeds as usize + 1;
    let of = |place: usize| &answers[place * width..(place + 1) * width];
    let metric = |place: usize, metric: &Metric<ClusterReport>| {
        let values = |place: usize| -> Vec<Option<f64>> {
            of(place).iter().map(|one| metric.value(&one.report)).collect()
        };
        let (own, first) = (values(place), values(0));
        let less = |own: Option<f64>, first: Option<f64>| Some(own? - first?);
        let told: Option<Vec<f64>> = own[1..].iter().copied().collect();
        let apart: Option<Vec<f64>> =
            own[1..].iter().zip(&first[1..]).map(|(own, first)| less(*own, *first)).collect();
        let shaken = told.zip(apart).filter(|(told, _)| !told.is_empty()).map(|(told, apart)| {
            let difference = Repeated::of(&apart);
            let beyond_scatter = difference.confidence.map(|half| difference.mean.abs() > half);
            ShakenMetric { value: Repeated::of(&told), difference, beyond_scatter }
        });
        VariantMetric { name: metric.name, value: own[0], difference: less(own[0], first[0]), shaken }
    };
    Ok(variants
        .iter()
        .enumerate()
        .map(|(place, variant)| VariantAnswer {
            name: variant.name.clone(),
            metrics: SITE_METRICS.iter().map(|one| metric(place, one)).collect(),
            answer: of(place)[0].clone(),
        })
        .collect())
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
    // A job is cancelled as long after its submission as it was.
    for event in &mut shaken.events {
        if let ClusterAction::Cancel { key, .. } = &event.action
            && let Some(by) = moves.get(key)
        {
            event.at += *by;
        }
    }
    shaken.events.sort_by_key(|event| event.at);
    shaken.submissions.sort_by_key(|job| job.submit);
    shaken
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
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
        let answers = compare_variants(&variants, Some(shaking)).unwrap();
        let metric = |place: usize| answers[place].metrics[0].clone();
        assert_eq!((metric(0).name, metric(0).difference), ("mean_wait", Some(0.0)));
        assert!(metric(1).difference.unwrap() < 0.0);
        let [same, twice] = [2, 1].map(|place| metric(place).shaken.unwrap());
        assert_eq!((twice.beyond_scatter, twice.value.times), (Some(true), 5));
        assert_eq!((same.beyond_scatter, same.difference.mean), (Some(false), 0.0));
        // Shaking moves submissions and loses none.
        assert!(twice.value.deviation > 0.0);
        assert!(answers.iter().all(|one| one.answer.report.jobs == 40));
        let plain = compare_variants(&variants, None).unwrap();
        assert!(plain[1].metrics.iter().all(|one| one.shaken.is_none()));
        assert_eq!(plain[1].metrics[0].value, answers[1].metrics[0].value);
    }
}
