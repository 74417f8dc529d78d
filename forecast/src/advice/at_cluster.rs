//! What to ask a Slurm site for, by its own scheduler.

use super::allocation::{SizeForecasts, chosen, in_size, of_recommended};
use super::offer::{JobLimits, MoldableJob};
use super::option::{JobOption, TimeSpread};
use super::prospect::Preference;
use super::question::{JobPlan, PlanError};
use super::variant::{AskedJob, JobChange, JobChanges, JobVariant, VariantsOf};
use crate::forecast::{
    ClusterQuestion, ClusterVariants, ClusterWhenSettings, never_starts, variants_at_cluster,
};
use queuecast_core::units::{Micros, Procs, Seconds};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterPartition, PartitionState, SubmittedJob, TimeLimit, submit_refusal,
};
use queuecast_slurm_sim::controller::free_processors;

/// The variants of a job at a Slurm site, and the advised one. All are simulated with common random numbers: run times,
/// arrivals and timers. Changes that the site refuses, or under which the job never starts, are left out. `done` is called after
/// each submission that forecasts are evaluated on.
pub fn plan_at_cluster(
    question: &ClusterQuestion<'_>,
    changes: &JobChanges,
    settings: ClusterWhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<JobPlan, PlanError> {
    let ClusterQuestion { cluster, job, .. } = *question;
    let Some(TimeLimit::Of(asked)) = job.request.time_limit else { return Err(PlanError::NoLimit) };
    let asking = ClusterVariants::new(question, settings);
    let mut past = asking.past();
    let procs = Procs(job.request.processors());
    let measured = changes.measured(procs);
    let (is_measured, run) = (measured.is_some(), measured.unwrap_or_else(|| past.run_time(job)));
    let past_runs = past.own_runs(job);
    let limit = past.advise_limit(&run, asked, changes.risk);
    let variants = VariantsOf {
        job,
        asked,
        run: &run,
        is_measured,
        limit: &limit,
        // The site says which are too long.
        longest: Seconds(i64::MAX),
        queues: other_partitions(cluster, job, asked),
        sizes: &changes.sizes(all_procs(cluster), &[], JobLimits::default())?,
    };
    let mut variants = variants.all(|job| past.run_time(job));
    for &later in &changes.later {
        let mut job = job.clone();
        job.submit += Micros::of_seconds(later.0);
        let (change, limit, run) = (JobChange::Later(later), asked, run.clone());
        variants.push(JobVariant { change, job, procs, limit, run });
    }
    variants.retain(|one| one.change == JobChange::AsAsked || submit_refusal(cluster, &one.job).is_none());
    let jobs: Vec<SubmittedJob> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = variants_at_cluster(asking, &jobs, done);
    if answers.waits.first().is_none_or(Option::is_none) {
        return Err(never_starts(job).into());
    }
    let own_runs = if is_measured { None } else { past_runs };
    let plan = JobPlan {
        options: JobOption::all(&variants, answers.waits.iter().map(Option::as_ref), Some(&limit)),
        limit,
        best: None,
        method: answers.method,
        record: answers.record,
        regime: answers.regimes.first().copied().flatten(),
        state: answers.state,
        learned: answers.learned,
        run: TimeSpread::of(&run),
        own_runs,
    };
    Ok(plan.compared(changes.risk))
}

/// What can be expected of a job in each of its sizes at a Slurm site, each as if it alone were asked about: all with the same random
/// numbers. Sizes that the site refuses are excluded. `done` is called after each submission that forecasts are evaluated on.
///
/// # Errors
/// If no size is possible, the site takes none, or the job starts in none.
pub fn sizes_at_cluster(
    moldable: &MoldableJob,
    question: &ClusterQuestion<'_>,
    (limits, preference): (JobLimits, Preference),
    settings: ClusterWhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<SizeForecasts, PlanError> {
    let ClusterQuestion { cluster, moment, job, .. } = *question;
    let machine = all_procs(cluster);
    let limits = JobLimits { most: limits.most.or(Some(machine)), ..limits };
    let free = Procs(u32::try_from(free_processors(cluster, moment).1).unwrap_or(u32::MAX));
    let mut offer = moldable.offered(machine, &[free], limits)?;
    let (mut variants, mut why) = (Vec::new(), None);
    for size in offer.sizes.all() {
        let variant = in_size(job, size, moldable);
        match not_taken(cluster, &variant) {
            None => variants.push(variant),
            Some(refusal) => {
                offer.excluded.push(size.procs);
                why.get_or_insert(refusal);
            }
        }
    }
    if let Some(why) = why.filter(|_| variants.is_empty()) {
        return Err(PlanError::NotTaken(why));
    }
    offer.excluded.sort_unstable();
    let jobs: Vec<SubmittedJob> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = variants_at_cluster(ClusterVariants::new(question, settings), &jobs, done);
    let options = JobOption::all(&variants, answers.waits.iter().map(Option::as_ref), None);
    let started = variants.iter().zip(&answers.waits);
    let never = started.filter(|(_, wait)| wait.is_none()).map(|(one, _)| one.procs).collect();
    let advice = chosen(&options, preference).ok_or_else(|| never_starts(job))?;
    Ok(SizeForecasts {
        regime: of_recommended(&advice, &variants, &answers.regimes),
        advice,
        offer,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        excess: Procs(0),
        learned: answers.learned,
        never,
    })
}

/// Why a site does not take a job in a size; what else the job asks for may make it larger.
fn not_taken(cluster: &Cluster, variant: &JobVariant<SubmittedJob>) -> Option<String> {
    let (asked, procs) = (variant.procs, variant.job.procs());
    if procs != asked {
        return Some(format!(
            "by its nodes and processors per task it would have {procs} processors and not {asked}"
        ));
    }
    submit_refusal(cluster, &variant.job).map(|why| why.to_string())
}

fn all_procs(cluster: &Cluster) -> Procs {
    Procs(u32::try_from(cluster.cpus()).unwrap_or(u32::MAX))
}

/// The job in each partition that it does not ask for and that starts such jobs.
fn other_partitions(cluster: &Cluster, job: &SubmittedJob, asked: Seconds) -> Vec<(String, SubmittedJob)> {
    let usual = cluster.default_partition().map(|index| &cluster[index].name);
    let is_own = |name: &String| match job.request.partitions.is_empty() {
        true => Some(name) == usual,
        false => job.request.partitions.contains(name),
    };
    let others = cluster.partitions.iter().filter(|one| !is_own(&one.name) && is_open(one, job, asked));
    let moved = |partition: &ClusterPartition| {
        let mut moved = job.clone();
        moved.request.partitions = vec![partition.name.clone()];
        (partition.name.clone(), moved)
    };
    others.map(moved).collect()
}

/// Whether a partition starts jobs of that length for this account.
fn is_open(partition: &ClusterPartition, job: &SubmittedJob, limit: Seconds) -> bool {
    partition.state == PartitionState::Up
        && partition.max_time.is_none_or(|longest| limit <= longest)
        && partition.accounts.allows(job.request.account.as_deref().unwrap_or_default())
}
