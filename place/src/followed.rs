//! A followed Slurm site, to be asked by its own scheduler: the jobs and nodes as a look saw them, what jobs ask for as accounting
//! tells it, and the site as its configuration does.

use std::collections::{BTreeMap, BTreeSet};

use super::live::LiveSite;
use super::slurm::{FoundBefore, NamedTexts, SlurmPlace, note_left_out, read};
use super::slurm_words::stays;
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::{Micros, Seconds, Time};
use queuecast_forecast::forecast::ExpectedArrivals;
use queuecast_slurm_sim::cluster::{
    Begin, Cluster, ClusterMoment, Dependency, JobArray, JobOutcome, JobRequest, JobStanding, NodeState,
    RecordedMoments, RecordedRun, StandingState, SubmittedJob, TimeLimit,
};
use queuecast_slurm_texts::{SiteOptions, SiteReading, read_site, sbatch_line, usage_now};
use queuecast_trace::TimeZone;
use queuecast_trace::squeue::Queued;

/// What is known of a followed site at a look.
#[derive(Debug, Clone, Copy)]
pub struct FollowedTexts<'a> {
    /// What to call the source.
    pub name: &'a str,
    /// What describes the site, as `site capture` saves it, by file.
    pub site: &'a BTreeMap<String, String>,
    /// Accounting, as `sacct` prints it: the last jobs, and those that are in the queue.
    pub accounting: &'a str,
    /// [`SSHARE_NOW`](queuecast_slurm_texts::SSHARE_NOW) and when it was asked for, where it is shown; else accounting tells usage.
    pub sshare: Option<(Time, &'a str)>,
    /// How many tasks may run at once of arrays of which accounting may not tell, by their numbers, 0 being all.
    pub throttles: &'a BTreeMap<u64, u32>,
}

impl SlurmPlace {
    /// A followed site as a look saw it. Nothing that accounting tells of later is used.
    ///
    /// # Errors
    /// If the texts tell of no machine, or another one than the look: then its scheduler cannot be simulated.
    pub fn followed(
        texts: FollowedTexts<'_>,
        look: &LiveSite,
        zone: &TimeZone,
        messages: &dyn Messages,
    ) -> Result<SlurmPlace, Refusal> {
        let now = look.asked;
        let (reading, mut history) = read_known(texts, now, zone)?;
        let cluster = reading.cluster.clone();
        let unknown = look.partition_names().into_iter().find(|name| cluster.partition(name).is_none());
        if let Some(name) = unknown {
            return Err(Refusal::input(format!("partition {name} is not described yet"))
                .hint("queuecast collect asks scontrol for partitions every hour"));
        }
        take_starts(&mut history, look);
        note_left_out(&reading, &history, messages);
        let (moment, not_accounted) =
            moment_of_look(&cluster, &history, look, (texts.sshare, texts.throttles));
        if not_accounted > 0 {
            messages.note(&format!(
                "accounting does not have {} of the queue yet: what {} for is taken from squeue",
                number_of(not_accounted, "job"),
                if not_accounted == 1 { "it asks" } else { "they ask" }
            ));
        }
        let has_past = history.outcomes.iter().any(|one| one.start.is_some() && one.end.is_some());
        let source = format!("squeue, learning from {}", texts.name);
        Ok(SlurmPlace {
            cluster,
            history,
            moment,
            job: None,
            at: now,
            epoch: Some(0),
            source,
            has_past,
            arrivals: ExpectedArrivals::LikeLately,
            is_followed: true,
            found: FoundBefore::default(),
        })
    }
}

/// The site and what accounting tells of it up to a moment.
pub(super) fn read_known(
    texts: FollowedTexts<'_>,
    until: Time,
    zone: &TimeZone,
) -> Result<(SiteReading, RecordedRun), Refusal> {
    let options = SiteOptions { time_zone: zone.clone(), known_until: Some(until) };
    let accounting: BTreeMap<String, String> = [("sacct.psv".to_owned(), texts.accounting.to_owned())].into();
    let site: NamedTexts<'_> = (texts.name, texts.site);
    // Without a job that could be read, the site is known all the same.
    let (reading, history) = match read(site, (texts.name, &accounting), &options) {
        Ok(found) => (found.reading, found.run),
        Err(_) => (read_site(texts.site, &options), RecordedRun::default()),
    };
    if reading.cluster.nodes.is_empty() || reading.cluster.partitions.is_empty() {
        return Err(Refusal::input(format!("{}: no nodes or no partitions are described", texts.name))
            .hint("queuecast collect asks scontrol for them every hour"));
    }
    Ok((reading, history))
}

/// The key of a submission, and the task, of a job as `squeue -r` shows it: `141_7`, `60+1`, `52`.
pub(super) fn key_of(name: &str) -> (&str, Option<u32>) {
    match name.split_once('_') {
        Some((array, task)) => (array, task.parse().ok()),
        None => (name, None),
    }
}

/// When a running job started.
fn started(job: &Queued, now: Time) -> Option<Time> {
    job.elapsed.map(|elapsed| now - elapsed)
}

/// Jobs that the look saw running have started, if accounting does not tell so yet.
pub(super) fn take_starts(history: &mut RecordedRun, look: &LiveSite) {
    let running: BTreeMap<(&str, Option<u32>), &Queued> =
        look.jobs().iter().filter(|job| job.elapsed.is_some()).map(|job| (key_of(&job.name), job)).collect();
    for outcome in history.outcomes.iter_mut().filter(|one| one.start.is_none() && one.end.is_none()) {
        if let Some(job) = running.get(&(outcome.key.as_str(), outcome.task)) {
            outcome.start = started(job, look.asked);
            outcome.nodes = job.nodes.clone().into();
            outcome.partition = job.partitions.first().cloned().unwrap_or_default();
        }
    }
}

/// A task of a submission, if it is an array, and where it stands.
type TaskStanding = (Option<u32>, StandingState);

/// The site as a look saw it, and how many of its jobs accounting does not have.
pub(super) fn moment_of_look(
    cluster: &Cluster,
    history: &RecordedRun,
    look: &LiveSite,
    (sshare, throttles): (Option<(Time, &str)>, &BTreeMap<u64, u32>),
) -> (ClusterMoment, usize) {
    let now = Micros::last_of(look.asked);
    let mut moments = RecordedMoments::new(cluster, history);
    let last = sshare.filter(|one| one.0 <= look.asked).and_then(|(at, text)| {
        let before = moments.at(Micros::last_of(at)).usage;
        Some((at, usage_now(cluster, Some(text))?, before))
    });
    let mut recorded = moments.at(now);
    if let Some((at, shown, before)) = last {
        // What was shown then, and what has been used since by accounting.
        let left = cluster.usage_left(look.asked - at);
        let since = shown.iter().zip(&before).zip(&mut recorded.usage);
        since.for_each(|((shown, before), usage)| *usage = (*usage + (shown - before) * left).max(0.0));
    }
    let accounted: BTreeMap<&str, &SubmittedJob> =
        history.submissions.iter().map(|one| (one.key.as_str(), one)).collect();
    let mut eligible: BTreeMap<(&str, Option<u32>), Option<Time>> = BTreeMap::new();
    for JobOutcome { key, task, eligible: at, .. } in &history.outcomes {
        eligible.insert((key, *task), at.filter(|at| *at <= look.asked));
    }
    let mut groups: BTreeMap<&str, Vec<(Option<u32>, &Queued)>> = BTreeMap::new();
    for job in look.jobs() {
        let (key, task) = key_of(&job.name);
        groups.entry(key).or_default().push((task, job));
    }
    let mut jobs: Vec<(SubmittedJob, Vec<TaskStanding>)> = Vec::new();
    let mut not_accounted = 0;
    for (key, mut tasks) in groups {
        tasks.sort_by_key(|one| one.0);
        let known = accounted.get(key).copied();
        let is_due = tasks.iter().any(|one| !is_barred(one.1));
        not_accounted += usize::from(known.is_none() && is_due);
        let submission = known.map_or_else(|| shown(key, tasks[0].1, look.asked), Clone::clone);
        let throttle = key.parse().ok().and_then(|number: u64| throttles.get(&number).copied());
        let submission = as_seen(submission, &tasks, throttle);
        let standing = |&(task, job): &(Option<u32>, &Queued)| {
            let since = || eligible.get(&(key, task)).copied().flatten();
            (task, standing(cluster, job, &submission, since, look.asked))
        };
        let standings = tasks.iter().map(standing).collect();
        jobs.push((submission, standings));
    }
    // What jobs depend on, and is not in the queue any more, has left.
    let in_queue: BTreeSet<String> = jobs.iter().map(|one| one.0.key.clone()).collect();
    for (place, submission) in recorded.submissions.iter().enumerate() {
        if in_queue.contains(&submission.key) {
            continue;
        }
        let of = recorded.standings.iter().filter(|one| one.submission == place);
        let left = of.map(|one| {
            let well = !matches!(one.state, StandingState::Left { well: false });
            (one.task, StandingState::Left { well })
        });
        jobs.push((submission.clone(), left.collect()));
    }
    jobs.sort_by(|one, other| {
        (one.0.submit, one.0.id, &one.0.key).cmp(&(other.0.submit, other.0.id, &other.0.key))
    });
    let mut moment = ClusterMoment {
        submissions: Vec::new(),
        standings: Vec::new(),
        closed_nodes: closed_nodes(cluster, look),
        ..recorded
    };
    for (submission, standings) in jobs {
        let place = moment.submissions.len();
        moment.submissions.push(submission);
        moment.standings.extend(standings.into_iter().map(|(task, state)| JobStanding {
            submission: place,
            task,
            state,
        }));
    }
    (moment, not_accounted)
}

/// Whether a job waits for another, a time, or its release: accounting does not have it until it could start.
fn is_barred(job: &Queued) -> bool {
    let why = &job.reason.code;
    let has_to_wait = ["Dependency", "BeginTime"].iter().any(|one| why.starts_with(one));
    job.elapsed.is_none() && (has_to_wait || stays(why).is_some())
}

/// Whether a job waits until something is changed.
fn is_held(job: &Queued) -> bool {
    job.elapsed.is_none() && stays(&job.reason.code).is_some()
}

/// What a job still depends on, as `squeue` shows it: `afterok:12(unfulfilled),afterany:7_*(unfulfilled)`.
fn dependency(job: &Queued) -> Option<Dependency> {
    let shown = job.reason.dependency.as_ref()?;
    let mut conditions = String::new();
    for part in shown.split_inclusive([',', '?']) {
        let end = part.find('(').unwrap_or(part.len());
        conditions.push_str(&part[..end]);
        conditions.extend(part[end..].chars().filter(|letter| [',', '?'].contains(letter)));
    }
    sbatch_line(&format!("--dependency={conditions}")).ok()?.request.dependency
}

/// Where a job stands that a look saw; `since` tells since when it could start, by accounting.
fn standing(
    cluster: &Cluster,
    job: &Queued,
    submission: &SubmittedJob,
    since: impl Fn() -> Option<Time>,
    now: Time,
) -> StandingState {
    if let Some(start) = started(job, now) {
        let mut nodes: Vec<usize> = job.nodes.iter().filter_map(|name| cluster.node(name)).collect();
        nodes.sort_unstable();
        let partition = job.partitions.first().and_then(|name| cluster.partition(name));
        return StandingState::Running { start, nodes, partition };
    }
    if is_held(job) && !submission.request.terms.hold {
        return StandingState::Held;
    }
    let eligible = (!is_barred(job)).then(|| since().unwrap_or_else(|| submission.submit.second().min(now)));
    StandingState::Waiting { eligible }
}

/// A submission with what may have been changed since: the tasks that are left, how many of them may run at once, its limit, its partitions,
/// what it still depends on, and whether it is held. Of an array, tasks that wait for something by themselves say so where they stand, or
/// others do that they do not ([`StandingState`]). `throttle` is what is known besides accounting, and later than that, 0 being all tasks.
fn as_seen(
    mut submission: SubmittedJob,
    tasks: &[(Option<u32>, &Queued)],
    throttle: Option<u32>,
) -> SubmittedJob {
    submission.runs = Vec::new();
    let indices: Vec<u32> = tasks.iter().filter_map(|one| one.0).collect();
    let accounted = submission.request.array.as_ref().and_then(|array| array.throttle);
    // Without either: if tasks wait for others of it, as many run as may.
    let waits_for_tasks = |one: &(Option<u32>, &Queued)| one.1.reason.code == "JobArrayTaskLimit";
    let running = tasks.iter().filter(|one| one.1.elapsed.is_some()).count();
    let inferred = tasks.iter().any(waits_for_tasks).then_some((running as u32).max(1));
    let throttle = match throttle {
        Some(0) => None,
        known => known.or(accounted).or(inferred),
    };
    let array = (!indices.is_empty()).then_some(JobArray { indices, throttle });
    if submission.request.array != array {
        submission.request.array = array;
    }
    let waiting: Vec<&Queued> = tasks.iter().map(|one| one.1).filter(|job| job.elapsed.is_none()).collect();
    // A task that could start speaks for it, else the first one that waits.
    let Some(&job) = waiting.iter().find(|job| !is_barred(job)).or(waiting.first()) else {
        let limit = tasks.first().and_then(|one| one.1.limit).map(TimeLimit::Of);
        if limit.is_some() && submission.request.time_limit != limit {
            submission.request.time_limit = limit;
        }
        return submission;
    };
    let limit = job.limit.map(TimeLimit::Of);
    if limit.is_some() && submission.request.time_limit != limit {
        submission.request.time_limit = limit;
    }
    if submission.request.partitions != job.partitions {
        submission.request.partitions.clone_from(&job.partitions);
    }
    let depends_on = waiting.iter().find_map(|job| dependency(job));
    if submission.request.dependency != depends_on {
        submission.request.dependency = depends_on;
    }
    let is_whole_held = waiting.iter().all(|job| is_held(job));
    if submission.request.terms.hold != is_whole_held {
        submission.request.terms.hold = is_whole_held;
    }
    let waits_for_begin = job.reason.code.starts_with("BeginTime");
    match (waits_for_begin, job.reason.start) {
        (true, Some(begin)) => submission.request.terms.begin = Some(Begin::At(begin)),
        // It has come, or was taken back.
        (false, _) if !is_whole_held && submission.request.terms.begin.is_some() => {
            submission.request.terms.begin = None;
        }
        _ => {}
    }
    submission
}

/// A submission that accounting does not have, as far as `squeue` shows it.
fn shown(key: &str, job: &Queued, now: Time) -> SubmittedJob {
    let mut request = JobRequest {
        account: job.reason.account.clone(),
        qos: job.reason.qos.iter().cloned().collect(),
        partitions: job.partitions.clone(),
        tasks: Some(job.procs.0),
        time_limit: job.limit.map(TimeLimit::Of),
        ..JobRequest::default()
    };
    request.terms.reservations = job.reason.reservation.iter().cloned().collect();
    SubmittedJob {
        key: key.to_owned(),
        id: key.parse().ok(),
        submit: job.submit.unwrap_or(now - Seconds(1)).min(now).into(),
        user: job.user.clone(),
        request: request.into(),
        runs: Vec::new(),
        not_modelled: Vec::new(),
    }
}

/// Nodes that take no jobs: they are being drained or are down, some of their processors are neither held nor idle, as `sinfo` counts them,
/// or they are described as closed and none of their processors is idle since.
pub(super) fn closed_nodes(cluster: &Cluster, look: &LiveSite) -> Vec<usize> {
    let mut closed = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (name, procs) in look.node_procs() {
        let Some(node) = cluster.node(name) else { continue };
        seen.insert(node);
        let out = procs.is_closed || procs.held.saturating_add(procs.idle) < procs.all;
        if out || (cluster.nodes[node].state != NodeState::Up && procs.idle == 0) {
            closed.insert(node);
        }
    }
    // A node of no partition is not listed.
    closed.extend(
        (0..cluster.nodes.len())
            .filter(|node| !seen.contains(node) && cluster.nodes[*node].state != NodeState::Up),
    );
    closed.into_iter().collect()
}

#[cfg(test)]
mod tests;
