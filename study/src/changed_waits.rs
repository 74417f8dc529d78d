//! What becomes of waits if a setting is changed, by group, the largest changes first: at a Slurm site by its own scheduler, on a log's machine by a
//! policy.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::awaited::Awaited;
use crate::change_review::{WaitChange, group_waits_changes, overall_changes};
use crate::group_changes::of_one_person;
use crate::log_setting::{LogJobs, LogSettings};
use crate::shaken::Shaking;
use crate::site_policy::SitePolicy;
use crate::site_variants::{
    ComparedVariants, SiteVariant, VariantChanges, VariantsQuestion, compare_awaited_variants,
};
use queuecast_core::asking::Refusal;
use queuecast_core::spec::Spec;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Backfill;
use queuecast_slurm_sim::cluster::RecordedRun;
use queuecast_slurm_texts::{ChangedValue, SiteOptions};

/// Which setting is changed, and how scatter is measured.
#[derive(Debug, Clone, Copy)]
pub struct SettingQuestion<'a> {
    /// The changes, `KEY=VALUE` with blanks between several.
    pub setting: &'a str,
    /// Changes of both sides; empty for none.
    pub both: &'a str,
    /// How submissions are shaken, if they are.
    pub shaking: Option<Shaking>,
}

/// What becomes of waits if a setting is changed.
#[derive(Debug, Clone, Serialize)]
pub struct ChangedWaits {
    /// Of queuecast.
    pub version: &'static str,
    /// Where the jobs come from.
    pub source: String,
    /// The changes as asked for.
    pub setting: String,
    /// Those of both sides.
    pub both: String,
    /// Who runs next: before the change, and after it.
    pub policies: [String; 2],
    /// The values that change, and from what to what.
    pub changes: Vec<ChangedValue>,
    /// How submissions are shaken, if they are.
    pub shaking: Option<Shaking>,
    /// The first submission, on the clock of the site.
    pub since: Time,
    /// The last.
    pub until: Time,
    /// Jobs that are submitted.
    pub jobs: usize,
    /// Those that start on both sides: waits are over these.
    pub common_jobs: usize,
    /// Those that start before the change and not after it.
    pub lost: usize,
    /// Those that start only after the change.
    pub gained: usize,
    /// Waits of all jobs, then of each partition, QOS, account and size class; of each kind the group whose jobs gain or lose most in all comes first.
    pub waits: Vec<WaitChange>,
    /// What the site or its jobs use and the simulation leaves out.
    pub not_modelled: Vec<String>,
    /// Accounts that tell of one person: only one user submits to them, or they are called as a user.
    #[serde(skip)]
    pub personal_accounts: BTreeSet<String>,
}

/// Words that name who runs next.
const POLICY: &str = "policy=";
const PREDICTOR: &str = "predictor=";

impl SettingQuestion<'_> {
    /// How many simulations it takes.
    pub fn simulations(&self) -> usize {
        ComparedVariants::simulations(self.shaking, 2)
    }

    /// At a site that is described by texts, under the submissions of a log. `None` if it was given up because it was not wanted any more.
    ///
    /// # Errors
    /// If there is no such setting, or the texts do not describe a site or its jobs.
    pub fn of_site(
        &self,
        source: &str,
        (site, log): (&BTreeMap<String, String>, &BTreeMap<String, String>),
        options: &SiteOptions,
        awaited: Awaited<'_>,
    ) -> Result<Option<ChangedWaits>, Refusal> {
        let (both, policy) = site_side(self.both, &SitePolicy::SLURM)?;
        let (changed, other) = site_side(self.setting, &policy)?;
        if changed.is_none() && other == policy {
            return Err(nothing_changes("such as bf_interval=60, partition.debug.nodes=+4 or policy=easy"));
        }
        let question = VariantsQuestion {
            set: both.as_ref().map_or(&[][..], VariantChanges::changes),
            against: changed.as_slice(),
            policies: &[],
            options: options.clone(),
        };
        let variants = question.variants(None, site, log).map_err(|error| error.refusal(source, source))?;
        let [mut before, mut after] = match <[SiteVariant; 2]>::try_from(variants) {
            Ok(two) => two,
            // Only who runs next is another.
            Err(one) => {
                let one = one.into_iter().next().ok_or_else(|| Refusal::bug("a site without a variant"))?;
                [one.clone(), one]
            }
        };
        (before.policy, after.policy) = (policy, other);
        let variants = [before, after];
        let told = compare_awaited_variants(&variants, self.shaking, awaited);
        let Some((common_jobs, compared)) = told.map_err(|error| Refusal::bug(error.to_string()))? else {
            return Ok(None);
        };
        let (run, after) = (&variants[1].what_if.run, &compared[1]);
        let mut waits = overall_changes(common_jobs, after);
        waits.extend(group_waits_changes(&after.groups));
        let submitted = || run.submissions.iter().map(|job| job.submit.second());
        Ok(Some(ChangedWaits {
            version: env!("CARGO_PKG_VERSION"),
            source: source.to_owned(),
            setting: self.setting.to_owned(),
            both: self.both.to_owned(),
            policies: [0, 1].map(|place| compared[place].answer.policy.to_string()),
            changes: changes_of(&after.answer.changes, &compared[0].answer.changes),
            shaking: self.shaking,
            since: submitted().min().unwrap_or_default(),
            until: submitted().max().unwrap_or_default(),
            jobs: variants[1].what_if.log.jobs,
            common_jobs,
            lost: after.lost,
            gained: after.only_here,
            waits,
            not_modelled: after.answer.not_modelled.clone(),
            personal_accounts: personal_accounts(run),
        }))
    }

    /// On the machine of a log, with the last `jobs` of its jobs that have ended by a moment. `None` if it was given up because it was not wanted any
    /// more.
    ///
    /// # Errors
    /// If there is no such setting, or no job has ended by then.
    pub fn of_log(
        &self,
        source: &str,
        (log, at, jobs): (&Workload, Time, usize),
        awaited: Awaited<'_>,
    ) -> Result<Option<ChangedWaits>, Refusal> {
        let before = LogSettings::of(log).with(self.both)?;
        let after = before.with(self.setting)?;
        if before == after {
            return Err(nothing_changes("such as procs=+10% or policy=conservative"));
        }
        let ended = LogJobs::ended_by(log, at, jobs)?;
        let Some(compared) = ended.compared([&before, &after], self.shaking, awaited)? else {
            return Ok(None);
        };
        Ok(Some(ChangedWaits {
            version: env!("CARGO_PKG_VERSION"),
            source: source.to_owned(),
            setting: self.setting.to_owned(),
            both: self.both.to_owned(),
            policies: [&before, &after].map(LogSettings::policy),
            changes: before.changed_to(&after),
            shaking: self.shaking,
            since: ended.span().0,
            until: ended.span().1,
            jobs: ended.len(),
            common_jobs: compared.common,
            lost: compared.lost,
            gained: compared.gained,
            waits: compared.waits,
            not_modelled: Vec::new(),
            personal_accounts: ended.personal_accounts(),
        }))
    }
}

fn nothing_changes(example: &str) -> Refusal {
    Refusal::question("nothing is changed").hint(example)
}

/// Changes of a site, and who runs next there.
fn site_side(text: &str, policy: &SitePolicy) -> Result<(Option<VariantChanges>, SitePolicy), Refusal> {
    let wrong = |why: String| Refusal::question(format!("a setting cannot be changed: {why}"));
    let (mut changes, mut named, mut predictor) = (Vec::new(), None, None);
    for word in text.split_whitespace() {
        if let Some(name) = word.strip_prefix(POLICY) {
            named = Some(Backfill::parse(name).map_err(|error| wrong(error.to_string()))?);
        } else if let Some(name) = word.strip_prefix(PREDICTOR) {
            predictor = Some(PredictorSpec::parse(name).map_err(|error| wrong(error.to_string()))?);
        } else {
            changes.push(word);
        }
    }
    let policy = match (named, predictor) {
        (None, None) => policy.clone(),
        (None, Some(_)) => {
            return Err(
                wrong("a predictor is of a policy".to_owned()).hint("such as policy=easy predictor=recent:2")
            );
        }
        (Some(named), predictor) => {
            let experiment = crate::Experiment::new(named, predictor.unwrap_or(PredictorSpec::Requested));
            SitePolicy::by(experiment).map_err(|error| wrong(error.to_string()))?
        }
    };
    let changes = match changes.is_empty() {
        true => None,
        false => Some(changes.join(" ").parse().map_err(wrong)?),
    };
    Ok((changes, policy))
}

/// What differs from the first side: changes of both sides are none.
fn changes_of(
    after: &[queuecast_slurm_texts::AppliedChange],
    before: &[queuecast_slurm_texts::AppliedChange],
) -> Vec<ChangedValue> {
    let own = after.iter().skip(before.len());
    own.flat_map(|change| change.values.iter().cloned()).collect()
}

/// Accounts that tell of one person.
fn personal_accounts(run: &RecordedRun) -> BTreeSet<String> {
    let named = run.submissions.iter().filter_map(|job| {
        let account = job.request.account.as_deref()?;
        Some((account, job.user.as_str()))
    });
    of_one_person(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Seconds;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn site() -> (BTreeMap<String, String>, BTreeMap<String, String>) {
        let conf = "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[3-4]\n";
        let mut jobs = "submit,user,account,run,args\n".to_owned();
        for place in 0..60 {
            let (partition, size, run) = (["p", "q"][place % 2], 1 + place % 4, 80 + 7 * (place % 11));
            let account = ["shared", "u1", "alone"][place % 3];
            let user = if account == "shared" { place % 2 } else { 1 };
            jobs += &format!("{},u{user},{account},{run},-p {partition} -n {size} -t 10\n", 12 * place);
        }
        let texts = |name: &str, text: String| [(name.to_owned(), text)].into();
        (texts("slurm.conf", conf.to_owned()), texts("jobs.csv", jobs))
    }

    fn asked(setting: &str, both: &str, seeds: u16) -> Result<ChangedWaits, Refusal> {
        let (site, log) = site();
        let shaking = (seeds > 0).then_some(Shaking { by: Seconds(20), seeds });
        let question = SettingQuestion { setting, both, shaking };
        question.of_site("jobs", (&site, &log), &SiteOptions::default(), Awaited::ALWAYS).map(Option::unwrap)
    }

    #[test]
    fn a_partition_with_more_nodes_gains_most() {
        let effect = asked("partition.p.nodes=+2", "", 3).unwrap();
        assert_eq!((effect.jobs, effect.common_jobs, effect.lost), (60, 60, 0));
        let mean = |by: &str, group: &str| {
            let of = |one: &&WaitChange| one.by == by && one.group == group;
            effect.waits.iter().find(of).unwrap().clone()
        };
        let (p, q) = (mean("partition", "p"), mean("partition", "q"));
        assert!(p.before - p.after > 60.0 && p.is_beyond_scatter() == Some(true), "{p:?}");
        assert!((q.before - q.after).abs() < 5.0, "{q:?}");
        // What is shown beside a difference over shaken submissions is of these too.
        for one in &effect.waits {
            let (shaken, over) = (one.shaken.unwrap(), one.over_shaken.unwrap());
            assert!((over.after - over.before - shaken.mean).abs() < 1e-6 && over.before >= -1e-6, "{one:?}");
        }
        assert!(p.over_shaken.unwrap().before != p.before, "shaken submissions are other ones: {p:?}");
        let first = effect.waits.iter().find(|one| one.by == "partition").unwrap();
        assert_eq!(first.group, "p", "the largest change comes first");
        assert!(effect.changes[0].name.contains("partition p") && effect.waits[0].by == "all");
        let personal: Vec<&str> = effect.personal_accounts.iter().map(String::as_str).collect();
        assert_eq!(personal, ["alone", "u1"]);
    }

    #[test]
    fn policies_and_changes_of_both_sides_are_told_apart() {
        let effect = asked("policy=easy", "bf_interval=60", 0).unwrap();
        assert_eq!(effect.policies, ["slurm", "easy"]);
        assert!(effect.changes.is_empty() && effect.waits.iter().all(|one| one.shaken.is_none()));
        for (setting, said) in [
            ("", "nothing is changed"),
            ("bf_intervall=60", "bf_interval"),
            ("policy=best", "policy"),
            ("predictor=recent:2", "a predictor is of a policy"),
            ("partition.none.nodes=+2", "no partition none"),
            ("words", "no setting words"),
        ] {
            let refused = asked(setting, "", 0).unwrap_err().to_string();
            assert!(refused.contains(said), "{setting}: {refused}");
        }
    }

    #[test]
    fn what_is_not_wanted_any_more_is_given_up() {
        let (site, log) = site();
        let shaking = Some(Shaking { by: Seconds(20), seeds: 50 });
        let question = SettingQuestion { setting: "bf_interval=60", both: "", shaking };
        let steps = AtomicUsize::new(0);
        let done = || {
            steps.fetch_add(1, Ordering::Relaxed);
        };
        let awaited = Awaited { done: &done, is_wanted: &|| steps.load(Ordering::Relaxed) == 0 };
        let answer = question.of_site("jobs", (&site, &log), &SiteOptions::default(), awaited).unwrap();
        assert_eq!(question.simulations(), 102);
        let done = steps.into_inner();
        assert!(answer.is_none() && (1..50).contains(&done), "{done} of 102 simulations");
    }
}
