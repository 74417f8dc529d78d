//! What to ask a Slurm site for, by its own scheduler.

use super::super::cluster::{
    ClusterQuestion, ClusterVariants, ClusterWhenError, ClusterWhenSettings, variants_at_cluster,
};
use super::option::{JobChange, JobOption, TimeSpread};
use super::question::{JobPlan, best, scaled};
use crate::allot::SizesError;
use crate::allot::advice::{JobLimits, MoldableJob};
use queuecast_core::units::{Micros, Procs, Seconds};
use queuecast_slurm_sim::cluster::{Cluster, ClusterPartition, PartitionState, SubmittedJob, TimeLimit};

/// A job, and which changes of it may be looked at.
#[derive(Debug)]
pub struct ClusterPlanQuestion<'a> {
    /// The job as its user would ask for it, with a time limit, and the site.
    pub asked: ClusterQuestion<'a>,
    /// How long it runs on other sizes, if it can have them.
    pub sizes: Option<MoldableJob>,
    /// How much later it could be submitted instead.
    pub later: Vec<Seconds>,
    /// The accepted probability of being stopped at a time limit.
    pub risk: f64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClusterPlanError {
    /// Its start cannot be forecast.
    #[error(transparent)]
    When(#[from] ClusterWhenError),
    /// The job asks for no time, and a time limit is what most depends on.
    #[error("the job asks for no time limit")]
    NoLimit,
    /// It cannot be given the sizes described.
    #[error(transparent)]
    Sizes(#[from] SizesError),
}

/// One variant, and its run time relative to that of the job as asked.
struct JobVariant {
    change: JobChange,
    job: SubmittedJob,
    limit: Seconds,
    procs: Procs,
    factor: f64,
}

/// The variants of a job at a Slurm site, and the advised one. All are simulated with common random numbers: run times,
/// arrivals and timers. `done` is called after each submission that forecasts are evaluated on.
pub fn plan_at_cluster(
    question: &ClusterPlanQuestion<'_>,
    settings: ClusterWhenSettings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<JobPlan, ClusterPlanError> {
    let ClusterQuestion { cluster, job, .. } = question.asked;
    let Some(TimeLimit::Of(asked)) = job.request.time_limit else { return Err(ClusterPlanError::NoLimit) };
    let mut asking = ClusterVariants::new(&question.asked, settings);
    let procs = Procs(job.request.processors());
    let measured = question.sizes.as_ref().and_then(|moldable| moldable.run_time_on(procs));
    let (run, limit) = asking.run_time(asked, question.risk, measured);
    let variants = variants(question, cluster, asked, limit.limit, run.quantile(0.5))?;
    let jobs: Vec<SubmittedJob> = variants.iter().map(|one| one.job.clone()).collect();
    let answers = variants_at_cluster(asking, &jobs, done)?;
    let mut options: Vec<JobOption> = Vec::new();
    for (one, wait) in variants.into_iter().zip(answers.waits) {
        // A variant that never starts is left out.
        let Some(wait) = wait else { continue };
        let own = if one.factor == 1.0 { run.clone() } else { scaled(&run, one.factor) };
        let mut option = JobOption::new(one.change, (one.procs, one.limit), &wait, &own);
        option.bound_risk(&limit);
        options.push(option);
    }
    let first = options[0].clone();
    options.iter_mut().for_each(|one| one.compare(&first));
    Ok(JobPlan {
        best: best(&options, question.risk),
        options,
        limit,
        method: answers.method,
        record: answers.record,
        state: answers.state,
        learned: answers.learned,
        run: TimeSpread::of(&run),
        own_runs: None,
    })
}

fn variants(
    question: &ClusterPlanQuestion<'_>,
    cluster: &Cluster,
    asked: Seconds,
    safe: Seconds,
    usual: f64,
) -> Result<Vec<JobVariant>, SizesError> {
    let job = question.asked.job;
    let procs = Procs(job.request.processors());
    let same = |change, job: SubmittedJob| JobVariant { change, job, limit: asked, procs, factor: 1.0 };
    let with_limit = |limit: Seconds| {
        let mut changed = job.clone();
        changed.request.time_limit = Some(TimeLimit::Of(limit));
        changed
    };
    let mut variants = vec![same(JobChange::AsAsked, job.clone())];
    if safe < asked {
        variants.push(JobVariant { limit: safe, ..same(JobChange::Limit, with_limit(safe)) });
    }
    let own = cluster.default_partition().map(|index| cluster.partitions[index].name.clone());
    let own = if job.request.partitions.is_empty() {
        own.into_iter().collect()
    } else {
        job.request.partitions.clone()
    };
    for partition in
        cluster.partitions.iter().filter(|one| !own.contains(&one.name) && is_open(one, job, asked))
    {
        let mut moved = job.clone();
        moved.request.partitions = vec![partition.name.clone()];
        variants.push(same(JobChange::Queue(partition.name.clone()), moved));
    }
    if let Some(moldable) = &question.sizes {
        let machine = Procs(u32::try_from(cluster.cpus()).unwrap_or(u32::MAX));
        let offer = moldable.offered(machine, &[], JobLimits::default())?;
        let measured = offer.sizes.all().iter().find(|size| size.procs == procs);
        let usual = measured.map_or(usual, |size| size.run.0 as f64).max(1.0);
        for size in offer.sizes.all().iter().filter(|size| size.procs != procs) {
            let factor = size.run.0.max(1) as f64 / usual;
            let limit = Seconds((asked.0 as f64 * factor).ceil().clamp(1.0, 1e12) as i64);
            let mut changed = with_limit(limit);
            let each = job.request.cpus_per_task.unwrap_or(1).max(1);
            changed.request.tasks = Some((size.procs.0 / each).max(1));
            variants.push(JobVariant {
                change: JobChange::Size,
                job: changed,
                limit,
                procs: size.procs,
                factor,
            });
        }
    }
    for &later in &question.later {
        let mut delayed = job.clone();
        delayed.submit += Micros::of_seconds(later.0);
        variants.push(same(JobChange::Later(later), delayed));
    }
    Ok(variants)
}

/// Whether a partition starts jobs of that length for this account.
fn is_open(partition: &ClusterPartition, job: &SubmittedJob, limit: Seconds) -> bool {
    partition.state == PartitionState::Up
        && partition.max_time.is_none_or(|longest| limit <= longest)
        && partition.accounts.allows(job.request.account.as_deref().unwrap_or_default())
}
