//! When one job that already waits at a place starts.

use serde::Serialize;

use super::blockers::StartWhy;
use super::why::why_queued;
use super::{AskedPlace, AskedQueue, LabelledLog, LiveSite, PendingAnswer, PendingJob, pending_at};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::Time;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_trace::{Moment, TimeZone};

/// When a waiting job starts: its row of [`pending_at`], from the same simulations.
#[derive(Debug, Serialize)]
pub struct QueuedAnswer {
    /// Of queuecast.
    pub version: &'static str,
    /// Where what is known comes from.
    pub source: String,
    /// The moment asked about.
    pub moment: Moment,
    /// The Unix time that the clock of the moment begins at.
    #[serde(skip)]
    pub epoch: Option<i64>,
    /// The zone of dates.
    #[serde(skip)]
    pub zone: TimeZone,
    /// What it waits in, and how its start was found; `None` if it is not in line.
    pub queue: Option<AskedQueue>,
    /// The job.
    pub job: PendingJob,
    /// What keeps it from starting, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blockers: Option<StartWhy>,
}

/// Says when a waiting job starts; with `why`, what keeps it from starting.
///
/// # Errors
/// If no such job waits at the place, or this has nothing to learn from.
pub fn queued_at(
    place: AskedPlace<'_>,
    name: &str,
    why: bool,
    settings: &WhenSettings,
    zone: &TimeZone,
    messages: &dyn Messages,
) -> Result<QueuedAnswer, Refusal> {
    let answer = pending_at(place, None, settings, zone, messages)?;
    let PendingAnswer { version, source, moment, epoch, zone, queues, jobs, .. } = answer;
    let names: Vec<String> = jobs.iter().map(|job| job.job.clone()).collect();
    let Some(job) = jobs.into_iter().find(|job| job.job == name) else {
        return Err(not_waiting(place, name, &names));
    };
    let queue = job.queue_in(&queues).cloned();
    let blockers = match why && job.place.is_some() {
        true => why_queued(place, &job, settings, messages)?,
        false => None,
    };
    Ok(QueuedAnswer { version, source, moment, epoch, zone, queue, job, blockers })
}

/// Why a job is not among those that wait.
fn not_waiting(place: AskedPlace<'_>, name: &str, waiting: &[String]) -> Refusal {
    let tasks: Vec<&str> = waiting
        .iter()
        .map(String::as_str)
        .filter(|one| one.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')))
        .collect();
    if let Some(first) = tasks.first() {
        return Refusal::question(format!("job {name} is an array of which {} tasks wait", tasks.len()))
            .hint(format!("ask about one of them, such as {first}"));
    }
    let said = match place {
        AskedPlace::Live { site, .. } => of_live(site, name),
        AskedPlace::Log { log, at } => of_log(log, at, name),
        AskedPlace::Slurm(place) => place.not_waiting(name),
    };
    Refusal::question(said.unwrap_or_else(|| format!("no job {name} waits there"))).hint(
        match waiting.len() {
            0 => "nothing waits there at that moment".to_owned(),
            _ => "queuecast pending lists the jobs that wait".to_owned(),
        },
    )
}

fn of_live(site: &LiveSite, name: &str) -> Option<String> {
    let job = site.jobs().iter().find(|job| job.name == name)?;
    match job.elapsed {
        Some(_) => Some(format!("job {name} runs already")),
        None => {
            Some(format!("job {name} does not wait in this partition, but in {}", job.partitions.join(",")))
        }
    }
}

fn of_log(log: LabelledLog<'_>, at: Time, name: &str) -> Option<String> {
    let id: u64 = name.parse().ok()?;
    let workload = &log.log.workload;
    let place = workload.jobs().iter().position(|job| job.id.0 == id)?;
    let job = &workload.jobs()[place];
    if job.submit > at {
        return Some(format!("job {name} is submitted later"));
    }
    let start = workload.starts.get(place).filter(|&&start| start <= at)?;
    Some(format!("job {name} has started already, {} s before", (at - *start).0))
}
