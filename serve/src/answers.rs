//! The answer of each route: one call of the library, or a body that was made at the last look.

use std::sync::Arc;
use std::time::SystemTime;

use axum::body::Bytes;
use axum::http::StatusCode;
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::Time;
use queuecast_live::{SaidTimes, Scorecard};
use queuecast_place::{
    AheadJob, FastestAnswer, MachineAnswer, PendingAnswer, PendingJob, ScriptJob, WaitsAnswer,
};
use queuecast_trace::{PastSpan, past_moment};
use serde::Serialize;

use crate::cluster::{ClusterRow, ClusterState, unix};
use crate::played_past::QueueThen;
use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::served_body::ServedBody;
use crate::service::Service;
use crate::snapshot::{ServedSnapshot, body};

/// Notes on the way are those of a command; a request has no place for them.
struct QuietMessages;

impl Messages for QuietMessages {
    fn note(&self, _: &str) {}

    fn warning(&self, _: &str) {}

    fn begins(&self, _: &str, _: usize) {}

    fn done(&self, _: usize) {}
}

/// A cluster in the list, and what the user of the request may do there.
#[derive(Debug, Serialize)]
struct ListedCluster<'a> {
    #[serde(flatten)]
    row: ClusterRow<'a>,
    /// Whether it may be asked what a setting would change.
    what_if: bool,
}

pub(crate) fn clusters(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let what_if = service.administers(question);
    let rows = service.clusters.iter().map(|one| ListedCluster { row: one.row(), what_if });
    Ok(body(&rows.collect::<Vec<_>>()))
}

/// The last look of the cluster that is asked about.
pub(crate) fn snapshot(service: &Service, question: &ServedQuestion) -> Result<Arc<ServedSnapshot>, Refused> {
    let cluster = service.cluster(question)?;
    cluster.snapshot().ok_or_else(|| {
        let why = cluster.row().why_not();
        Refused::not_now(
            format!("{}: it has not been looked at yet{why}", cluster.name),
            "ask again soon; /api/v1/ready tells when",
        )
    })
}

/// The user that a question names. Where names are replaced, that is one's own or none.
fn asking_user<'q>(service: &Service, question: &'q ServedQuestion) -> Result<Option<&'q str>, Refused> {
    let (named, own) = (question.text("user"), question.user.as_deref());
    if service.words.is_some() && named.is_some() && named != own {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "this service names users to themselves only",
            "leave user out; behind a proxy that names the user one's own jobs come first",
        ));
    }
    Ok(named.or(own))
}

pub(crate) fn when(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    asking_user(service, question)?;
    let (snapshot, job) = (snapshot(service, question)?, question.job()?);
    let place = &snapshot.site.place;
    with_script(question, &place.when(&job, &QuietMessages)?, place.is_by_scheduler())
}

/// An answer about a job script, with how the script was read.
#[derive(Debug, Serialize)]
struct ScriptAnswer<'a, T> {
    #[serde(flatten)]
    answer: &'a T,
    script: ScriptJob,
}

/// The body of an answer; of one about a script with what was read in it, and what of it was not looked at: the scheduler of a site looks at
/// all that it can simulate.
fn with_script(
    question: &ServedQuestion,
    answer: &impl Serialize,
    is_by_scheduler: bool,
) -> Result<ServedBody, Refused> {
    match question.script()? {
        Some(script) => {
            let ignored = if is_by_scheduler { script.not_modelled.clone() } else { script.ignored.clone() };
            Ok(body(&ScriptAnswer { answer, script: ScriptJob { ignored, ..script } }))
        }
        None => Ok(body(answer)),
    }
}

pub(crate) fn script(_: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let script = question.script()?.ok_or_else(|| {
        Refused::question(
            "script is missing: the text of a job script",
            "such as {\"script\": \"#!/bin/sh\\n#SBATCH -n 16\"}",
        )
    })?;
    Ok(body(&script))
}

pub(crate) fn fastest(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    asking_user(service, question)?;
    let job = question.job()?;
    let looks: Vec<(&str, Option<Arc<ServedSnapshot>>)> =
        service.clusters.iter().map(|one| (one.name.as_str(), one.snapshot())).collect();
    let places = looks.iter().map(|(name, look)| (*name, look.as_ref().map(|look| &look.site.place)));
    let is_by_scheduler =
        looks.iter().filter_map(|one| one.1.as_ref()).all(|look| look.site.place.is_by_scheduler());
    with_script(question, &FastestAnswer::of(places, &job, &QuietMessages)?, is_by_scheduler)
}

pub(crate) fn advice(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    asking_user(service, question)?;
    let (snapshot, job) = (snapshot(service, question)?, question.job()?);
    if job.time.is_none() {
        return Err(Refused::question(
            "limit is missing: which time limit would the job ask for?",
            "such as procs=16&limit=2h",
        ));
    }
    let place = &snapshot.site.place;
    with_script(question, &place.advise(&job, &QuietMessages)?, place.is_by_scheduler())
}

pub(crate) fn campaign(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    asking_user(service, question)?;
    let (snapshot, campaign) = (snapshot(service, question)?, question.campaign()?);
    let partition = question.text("partition");
    let place = &snapshot.site.place;
    with_script(question, &place.campaign(&campaign, partition, &QuietMessages)?, place.is_by_scheduler())
}

pub(crate) fn pending(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let user = asking_user(service, question)?;
    let snapshot = snapshot(service, question)?;
    if let Some(at) = question.text("at") {
        return then(
            service,
            question,
            at,
            |then| {
                let user = user.map(|user| snapshot.site.place.user_name(user));
                of_user(service, question, &then.pending, user.as_deref())
            },
            |place| of_user(service, question, &place.pending, user),
        );
    }
    let Some(user) = user else { return Ok(snapshot.pending.clone()) };
    let user = snapshot.site.place.user_name(user);
    Ok(of_user(service, question, &snapshot.site.place.pending, Some(&user)))
}

/// The queue with the jobs of a user first, other users' names replaced where they are.
fn of_user(
    service: &Service,
    question: &ServedQuestion,
    queue: &PendingAnswer,
    user: Option<&str>,
) -> ServedBody {
    let mut answer = queue.of_user(user);
    if let Some(words) = &service.words {
        words.pending(&mut answer, question.user.as_deref());
    }
    body(&answer)
}

/// The machine, other users' names replaced where they are.
fn of_machine(service: &Service, question: &ServedQuestion, machine: &MachineAnswer) -> ServedBody {
    match &service.words {
        None => body(machine),
        Some(words) => {
            let mut answer = machine.clone();
            words.machine(&mut answer, question.user.as_deref());
            body(&answer)
        }
    }
}

/// The time at a cluster: a played log has a clock of its own.
fn now_of(cluster: &ClusterState, snapshot: &ServedSnapshot) -> Time {
    Time(match cluster.store {
        Some(_) => unix(SystemTime::now()),
        None => snapshot.site.place.now(),
    })
}

/// The body of a past moment: of a played log as it was shown then, else by what the store remembers.
fn then(
    service: &Service,
    question: &ServedQuestion,
    at: &str,
    shown: impl Fn(&QueueThen) -> ServedBody,
    of_store: impl Fn(&queuecast_place::PlaceSnapshot) -> ServedBody,
) -> Result<ServedBody, Refused> {
    let (cluster, snapshot) = (service.cluster(question)?, snapshot(service, question)?);
    let moment = past_moment(at, now_of(cluster, &snapshot), &service.zone)?;
    if let Some(store) = &cluster.store {
        return Ok(of_store(&store.at(moment)?));
    }
    let past = cluster.past.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    past.at(moment.0).map(shown).ok_or_else(|| {
        Refused::question(
            format!("at={at}: the log was not played then"),
            "past_from of /api/v1/clusters is the first moment that can be asked about",
        )
    })
}

/// A waiting job.
#[derive(Debug, Serialize)]
struct QueuedBody<'a> {
    job: &'a PendingJob,
    said: &'a [SaidTimes],
    ahead_count: usize,
    ahead: &'a [AheadJob],
}

pub(crate) fn queued(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let snapshot = snapshot(service, question)?;
    let name = question.text("job").unwrap_or_default();
    let Some(mut found) = snapshot.site.place.queued(name) else {
        return Err(Refused::new(
            StatusCode::NOT_FOUND,
            format!("no job {name} waits"),
            "it may have started; /api/v1/pending lists the jobs that wait",
        ));
    };
    if let Some(words) = &service.words {
        words.ahead(&mut found, question.user.as_deref());
    }
    let said = snapshot.site.said.get(name).map_or(&[][..], |said| said);
    Ok(body(&QueuedBody { job: &found.job, said, ahead_count: found.ahead_count, ahead: &found.ahead }))
}

pub(crate) fn machine(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let snapshot = snapshot(service, question)?;
    if let Some(at) = question.text("at") {
        return then(
            service,
            question,
            at,
            |then| of_machine(service, question, &then.machine),
            |place| of_machine(service, question, &place.machine),
        );
    }
    match &service.words {
        Some(_) if question.user.is_some() => Ok(of_machine(service, question, &snapshot.site.place.machine)),
        _ => Ok(snapshot.machine.clone()),
    }
}

/// More days are not counted.
pub(crate) const MOST_DAYS: u32 = 366;

/// How long jobs waited from when they were eligible, and how long they were held before, where accounting tells it.
#[derive(Debug, Serialize)]
struct WaitsBody {
    #[serde(flatten)]
    answer: WaitsAnswer,
    held: Option<WaitsAnswer>,
}

pub(crate) fn waits(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let (cluster, snapshot) = (service.cluster(question)?, snapshot(service, question)?);
    match question.number("days")?.unwrap_or(ServedSnapshot::DAYS) {
        days if days <= MOST_DAYS => {
            let held = cluster.store.as_ref().map(|store| store.holds(days)).transpose()?;
            let answer = match days {
                ServedSnapshot::DAYS => snapshot.history.clone(),
                _ => snapshot.site.place.waits(days),
            };
            Ok(body(&WaitsBody { answer, held }))
        }
        days => Err(Refused::question(
            format!("days={days}: that is too many"),
            format!("ask for at most {MOST_DAYS}"),
        )),
    }
}

pub(crate) fn scorecard(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    let (cluster, snapshot) = (service.cluster(question)?, snapshot(service, question)?);
    let (from, to) = (question.text("from"), question.text("to"));
    if from.is_none() && to.is_none() {
        return Ok(snapshot.scorecard.clone());
    }
    let PastSpan { from, until } =
        PastSpan::read((from, to), (now_of(cluster, &snapshot), Scorecard::USUAL), &service.zone)?;
    // Forecasts of a log are on its own clock.
    let place = &snapshot.site.place;
    let epoch = place.pending.epoch.unwrap_or(0);
    let on_clock = |time: Time| Time(time.0.saturating_sub(epoch));
    let span = PastSpan { from: on_clock(from), until: on_clock(until) };
    match (&cluster.store, &snapshot.site.forecasts) {
        (Some(store), _) => Ok(body(&store.scorecard(span)?)),
        (None, Some(forecasts)) => Ok(body(&forecasts.scorecard(span))),
        (None, None) => Err(Refusal::bug("a cluster without a store and without forecasts").into()),
    }
}

pub(crate) fn shadow(service: &Service, question: &ServedQuestion) -> Result<ServedBody, Refused> {
    Ok(snapshot(service, question)?.shadow.clone())
}

/// Whether the service is alive, or which clusters it knows.
#[derive(Debug, Serialize)]
struct StateBody {
    state: &'static str,
    version: &'static str,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn health(service: &Service, _: &ServedQuestion) -> Result<ServedBody, Refused> {
    if let Some(why) = service.failure() {
        return Err(Refused::not_now(
            format!("no cluster can be followed any more: {why}"),
            "the service ends with exit code 3; its log says why",
        )
        .with_state("failed"));
    }
    Ok(body(&StateBody { state: "alive", version: VERSION }))
}

pub(crate) fn ready(service: &Service, _: &ServedQuestion) -> Result<ServedBody, Refused> {
    let not_yet: Vec<&ClusterState> =
        service.clusters.iter().filter(|one| one.snapshot().is_none()).collect();
    if not_yet.is_empty() {
        return Ok(body(&StateBody { state: "ready", version: VERSION }));
    }
    let names: Vec<String> =
        not_yet.iter().map(|one| format!("{}{}", one.name, one.row().why_not())).collect();
    Err(Refused::not_now(format!("not looked at yet: {}", names.join("; ")), "ask again soon"))
}

pub(crate) fn metrics(service: &Service, _: &ServedQuestion) -> Result<ServedBody, Refused> {
    Ok(Bytes::from(service.metrics.text(&service.clusters)).into())
}
