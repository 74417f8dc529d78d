//! What keeps a job from starting, in words: its start is simulated again without each other job in turn.

use std::collections::BTreeMap;

use super::blockers::{StartWhy, TriedBlocker};
use super::pending::{LearnedQueue, names_in};
use super::queue_history::without_jobs;
use super::queue_past::by_scheduler;
use super::{AskedPlace, LiveQueue, NewJob, PendingJob, SlurmJob, SlurmPlace, StartAnswer, StartTime};
use queuecast_core::asking::{Messages, Refusal, Unheard};
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{AskedStart, PendingForecaster, StartBlockers, WhenSettings};

/// What is told of a job at a place.
struct NamedJob {
    name: String,
    user: Option<String>,
    /// Its array, if it is of one.
    array: Option<String>,
    procs: u64,
}

/// The scheduler that a live site is asked by, if it is.
fn scheduler_of(place: AskedPlace<'_>) -> Option<&SlurmPlace> {
    match place {
        AskedPlace::Live { history, procs, .. } => by_scheduler(history, procs).map(|found| found.1),
        AskedPlace::Log { .. } | AskedPlace::Slurm(_) => None,
    }
}

/// What keeps a waiting job from starting; `None` if that is not found out.
pub(super) fn why_queued(
    place: AskedPlace<'_>,
    job: &PendingJob,
    settings: &WhenSettings,
    messages: &dyn Messages,
) -> Result<Option<StartWhy>, Refusal> {
    if let Some(scheduler) = scheduler_of(place) {
        return Ok(scheduler.why_queued(&job.job, messages));
    }
    match place {
        AskedPlace::Log { log, at } => {
            let queue = LearnedQueue::of_log(log, at, settings, messages)?;
            let jobs = of_log(&queue, &log.log.workload);
            Ok(asked_waiting(&queue, &jobs, job, messages))
        }
        AskedPlace::Live { site, history, partition, procs } => {
            let queues = site.whole_queues(partition, procs)?;
            let Some(group) = queues.iter().find(|one| Some(&one.name) == job.partition.as_ref()) else {
                return Ok(None);
            };
            let queue = LearnedQueue::of_live((site, group), history, None, settings, messages)?;
            Ok(asked_waiting(&queue, &of_live(group), job, messages))
        }
        AskedPlace::Slurm(place) => Ok(place.why_queued(&job.job, messages)),
    }
}

fn asked_waiting(
    queue: &LearnedQueue,
    jobs: &BTreeMap<JobIndex, NamedJob>,
    job: &PendingJob,
    messages: &dyn Messages,
) -> Option<StartWhy> {
    let (&index, _) = jobs.iter().find(|(_, one)| one.name == job.job)?;
    found(queue, AskedStart::Waiting(index), jobs, job.user.as_deref(), messages)
}

/// Says what keeps a job that would be submitted from starting, beside each answer.
///
/// # Errors
/// As of [`when_at`](super::when_at).
pub fn explain_start(
    place: AskedPlace<'_>,
    new: &NewJob,
    answer: &mut StartAnswer,
    settings: &WhenSettings,
    messages: &dyn Messages,
) -> Result<(), Refusal> {
    let starts = match answer {
        StartAnswer::One(start) => std::slice::from_mut(&mut **start),
        StartAnswer::Several(starts) => &mut starts.partitions[..],
    };
    for start in starts {
        start.blockers = why_new(place, new, start, settings, messages)?;
    }
    Ok(())
}

fn why_new(
    place: AskedPlace<'_>,
    new: &NewJob,
    start: &StartTime,
    settings: &WhenSettings,
    messages: &dyn Messages,
) -> Result<Option<StartWhy>, Refusal> {
    let user = new.user.as_deref();
    if let (Some(scheduler), Some(partition)) = (scheduler_of(place), &start.partition) {
        let job = SlurmJob::in_partition(new, partition, start.asked.time);
        let (job, _) = scheduler.newcomer(&job, &Unheard)?;
        return Ok(scheduler.why_newcomer(&job, messages));
    }
    match place {
        AskedPlace::Log { log, at } => {
            let queue = LearnedQueue::of_log(log, at, settings, messages)?;
            let job = Job { index: newcomer(&queue), ..new.at(at, &log.log.workload) };
            let jobs = of_log(&queue, &log.log.workload);
            Ok(found(&queue, AskedStart::Newcomer(&job), &jobs, user, messages))
        }
        AskedPlace::Live { site, history, partition, procs } => {
            let queues = site.whole_queues(partition, procs)?;
            let Some(group) = queues.iter().find(|one| Some(&one.name) == start.partition.as_ref()) else {
                return Ok(None);
            };
            let queue = LearnedQueue::of_live((site, group), history, Some(new), settings, messages)?;
            let nothing = without_jobs(site.procs())?;
            let workload = history.map_or(&nothing, |one| one.workload);
            let mut job = Job { index: newcomer(&queue), ..new.at(site.asked, workload) };
            job.shape.limit = Some(group.asked_by(new).time);
            Ok(found(&queue, AskedStart::Newcomer(&job), &of_live(group), user, messages))
        }
        AskedPlace::Slurm(place) => Ok(place.why_new(messages)),
    }
}

/// The number that the next job of a site would have.
fn newcomer(queue: &LearnedQueue) -> JobIndex {
    queue.site.submitted()
}

fn of_log(queue: &LearnedQueue, workload: &Workload) -> BTreeMap<JobIndex, NamedJob> {
    let view = queue.site.view(queue.now);
    let running = view.running().map(|one| (one.index, one.job));
    let all = running.chain(view.waiting().map(|one| (one.index, one.job)));
    let named = |(index, job): (JobIndex, &Job)| {
        let (user, _) = names_in(workload, job);
        let procs = u64::from(job.shape.procs.0);
        (index, NamedJob { name: job.id.0.to_string(), user, array: None, procs })
    };
    all.map(named).collect()
}

fn of_live(queue: &LiveQueue) -> BTreeMap<JobIndex, NamedJob> {
    let named = |(number, job): (u32, &queuecast_trace::squeue::Queued)| {
        let array = job.name.split_once('_').map(|(array, _)| array.to_owned());
        let (name, user) = (job.name.clone(), Some(job.user.clone()));
        (JobIndex(number), NamedJob { name, user, array, procs: u64::from(job.procs.0) })
    };
    (0..).zip(queue.jobs()).map(named).collect()
}

/// Leaves out each job, and the jobs of each user and array together.
fn found(
    queue: &LearnedQueue,
    asked: AskedStart<'_>,
    jobs: &BTreeMap<JobIndex, NamedJob>,
    user: Option<&str>,
    messages: &dyn Messages,
) -> Option<StartWhy> {
    let is_asked = |index: JobIndex| matches!(asked, AskedStart::Waiting(job) if job == index);
    let mut groups: BTreeMap<(bool, &str), Vec<JobIndex>> = BTreeMap::new();
    for (&index, job) in jobs.iter().filter(|(index, _)| !is_asked(**index)) {
        let of_array = job.array.as_deref().map(|array| (true, array));
        for key in of_array.into_iter().chain(job.user.as_deref().map(|user| (false, user))) {
            groups.entry(key).or_default().push(index);
        }
    }
    let (keys, groups): (Vec<(bool, &str)>, Vec<Vec<JobIndex>>) = groups.into_iter().unzip();
    messages.begins("leaving out jobs", PendingForecaster::most_cases(groups.len()));
    let blockers =
        queue
            .forecaster
            .blockers((&queue.site, queue.now), asked, queue.order, &groups, &|steps| messages.done(steps))?;
    let StartBlockers { draws, median, candidates, effects } = blockers;
    let known = |seconds: f64| seconds.is_finite().then_some(seconds);
    let tried = effects.into_iter().map(|one| {
        let names: Vec<String> = one.jobs.iter().map(|job| jobs[job].name.clone()).collect();
        let own = |of: Option<&str>| if of.is_some() && of == user { "your own " } else { "" };
        let what = match one.group.map(|place| keys[place]) {
            Some((true, array)) => format!("{}array {array}", own(jobs[&one.jobs[0]].user.as_deref())),
            Some((false, of)) if Some(of) == user => format!("your own {} jobs", names.len()),
            Some((false, of)) => format!("the {} jobs of user {of}", names.len()),
            None => format!("{}job {}", own(jobs[&one.jobs[0]].user.as_deref()), names[0]),
        };
        TriedBlocker {
            what,
            procs: one.jobs.iter().map(|job| jobs[job].procs).sum(),
            jobs: names,
            median: known(one.effect.median),
            gain: known(one.effect.gain),
            sooner: one.effect.sooner,
            matters: one.effect.matters(median),
        }
    });
    Some(StartWhy::new(draws, median, candidates, tried.collect()))
}
