//! What to ask a Slurm site for, by its own scheduler.

use super::offer::JobLimits;
use super::option::{JobOption, TimeSpread};
use super::question::{JobPlan, PlanError};
use super::variant::{JobChange, JobChanges, JobVariant, VariantsOf};
use crate::forecast::{ClusterQuestion, ClusterVariants, ClusterWhenSettings, variants_at_cluster};
use queuecast_core::units::{Micros, Procs, Seconds};
use queuecast_slurm_sim::cluster::{
    Cluster, ClusterPartition, PartitionState, SubmittedJob, TimeLimit, submit_refusal,
};

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
    let machine = Procs(u32::try_from(cluster.cpus()).unwrap_or(u32::MAX));
    let variants = VariantsOf {
        job,
        asked,
        run: &run,
        is_measured,
        limit: &limit,
        // The site says which are too long.
        longest: Seconds(i64::MAX),
        queues: other_partitions(cluster, job, asked),
        sizes: &changes.sizes(machine, &[], JobLimits::default())?,
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
    let answers = variants_at_cluster(asking, &jobs, done)?;
    let own_runs = if is_measured { None } else { past_runs };
    let plan = JobPlan {
        options: JobOption::all(&variants, answers.waits.iter().map(Option::as_ref), Some(&limit)),
        limit,
        best: 0,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        learned: answers.learned,
        run: TimeSpread::of(&run),
        own_runs,
    };
    Ok(plan.compared(changes.risk))
}

/// The job in each partition that it does not ask for and that starts such jobs.
fn other_partitions(cluster: &Cluster, job: &SubmittedJob, asked: Seconds) -> Vec<(String, SubmittedJob)> {
    let usual = cluster.default_partition().map(|index| &cluster.partitions[index].name);
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
