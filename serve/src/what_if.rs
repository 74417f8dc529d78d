//! What becomes of waits if a setting is changed: computed beside everything else, one at a time, told as it goes on, and given up once the client is
//! gone.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{Response, StatusCode};
use futures_util::stream;
use queuecast_core::asking::Refusal;
use queuecast_core::units::{Seconds, Time};
use queuecast_live::StoredSite;
use queuecast_report::json;
use queuecast_study::{Awaited, ChangedWaits, SettingQuestion, Shaking};
use queuecast_trace::Log;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use crate::answers;
use crate::log_event::LogEvent;
use crate::question::ServedQuestion;
use crate::refused::Refused;
use crate::service::Service;

/// Jobs that are simulated unless others are asked for, and at most.
pub(crate) const JOBS: (u32, u32) = (5_000, 30_000);

/// How often submissions are moved at random unless otherwise asked for, and at most.
pub(crate) const SEEDS: (u32, u32) = (4, 20);

/// Jobs of one side over all repetitions, at most: all are in memory at once.
const SIMULATED: u32 = 150_000;

/// By how much they are moved at most.
const SHAKEN_BY: Seconds = Seconds(60);

/// A question is given up after this time, between two simulations.
const LONGEST: Duration = Duration::from_secs(600);

/// Nodes that are added to a partition, at most: each takes memory in every simulation.
const ADDED_NODES: u64 = 10_000;

/// A client that sends nothing is noticed after this time.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// Where the jobs and the machine are known from.
enum WhatIfSource {
    Log(Arc<str>, Arc<Log>, Time),
    Stored(StoredSite),
}

/// A question, read.
struct AskedSetting {
    setting: String,
    both: String,
    jobs: usize,
    seeds: u16,
    source: WhatIfSource,
}

/// How far it is.
#[derive(Debug, Serialize)]
struct SettingProgress {
    done: usize,
    of: usize,
}

fn event(name: &str, data: &impl Serialize) -> Bytes {
    // A line feed would end the data.
    let data = json(data).unwrap_or_default().replace(['\r', '\n'], "");
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

fn read(service: &Service, question: &ServedQuestion) -> Result<AskedSetting, Refused> {
    if !service.administers(question) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "only administrators may ask what a setting would change",
            "queuecast serve --administrator NAME names them",
        ));
    }
    let Some(setting) = question.text("set") else {
        return Err(Refused::question(
            "set is missing: which setting is changed?",
            "such as set=partition.debug.nodes=+4; of a log set=procs=+10% or set=policy=conservative",
        ));
    };
    let both = question.text("both").unwrap_or_default();
    let added = |word: &str| {
        let (key, value) = word.split_once('=')?;
        let digits = value.strip_prefix('+').filter(|_| key.to_lowercase().ends_with(".nodes"))?;
        // A number that is too long for one is too many.
        Some(digits.split(':').next()?.parse().unwrap_or(u64::MAX))
    };
    if setting
        .split_whitespace()
        .chain(both.split_whitespace())
        .filter_map(added)
        .any(|one| one > ADDED_NODES)
    {
        return Err(Refused::question(
            "those are too many nodes for a request",
            format!("add at most {ADDED_NODES}, or ask the command: queuecast compare --site"),
        ));
    }
    let names_user = |text: &str| text.split_whitespace().any(|one| one.to_lowercase().starts_with("user."));
    if service.words.is_some() && (names_user(setting) || names_user(both)) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "this service names users to themselves only",
            "ask the command: queuecast compare --site",
        ));
    }
    let within = |name: &str, (usual, most): (u32, u32)| match question.number(name)? {
        Some(number) if number > most => Err(Refused::question(
            format!("{name}={number}: that is too many"),
            format!("ask for at most {most}"),
        )),
        number => Ok(number.unwrap_or(usual)),
    };
    let (jobs, seeds) = (within("jobs", JOBS)?, within("seeds", SEEDS)?);
    if jobs * (1 + seeds) > SIMULATED {
        return Err(Refused::question(
            format!("{jobs} jobs, each {} times, are too many", 1 + seeds),
            format!("jobs times seeds and one may be {SIMULATED} at most"),
        ));
    }
    let (cluster, snapshot) = (service.cluster(question)?, answers::snapshot(service, question)?);
    let source = match (&cluster.store, snapshot.site.place.log()) {
        (Some(store), _) => WhatIfSource::Stored(store.clone()),
        (None, Some((name, log, at))) => WhatIfSource::Log(name, log, at),
        (None, None) => return Err(Refusal::bug("a cluster without a store and without a log").into()),
    };
    Ok(AskedSetting {
        setting: setting.to_owned(),
        both: both.to_owned(),
        jobs: jobs as usize,
        seeds: seeds as u16,
        source,
    })
}

/// Computes the answer and tells how far it is; ends with an event `answer` or `refused`. Given up once the client has closed the connection.
pub(crate) fn stream(service: &Arc<Service>, question: &ServedQuestion) -> Result<Response<Body>, Refused> {
    let asked = read(service, question)?;
    let waits = service.settings_waiting.clone().try_acquire_owned().map_err(|_| {
        Refused::not_now("others wait already to ask what a setting would change", "ask again in a minute")
    })?;
    let (told, heard) = channel::<Bytes>(256);
    let service = service.clone();
    tokio::spawn(async move {
        let turn = match service.settings_turn.clone().try_acquire_owned() {
            Ok(turn) => turn,
            Err(_) => {
                let _ = told.try_send(Bytes::from_static(b"event: waits\ndata: {}\n\n"));
                tokio::select! {
                    turn = service.settings_turn.clone().acquire_owned() => match turn {
                        Ok(turn) => turn,
                        Err(_) => return,
                    },
                    () = told.closed() => return,
                }
            }
        };
        drop(waits);
        let work = tokio::task::spawn_blocking(move || {
            answer(&service, &asked, &told);
            drop(turn);
        });
        // A bug in it ends the stream, which a client sees.
        let _ = work.await;
    });
    let told = stream::unfold(heard, |mut heard: Receiver<Bytes>| async move {
        let bytes = match timeout(KEEP_ALIVE, heard.recv()).await {
            Ok(bytes) => bytes?,
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((Ok::<Bytes, std::convert::Infallible>(bytes), heard))
    });
    let mut response = Response::new(Body::from_stream(told));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// A pool of its own, so that looks and other requests have a core left where there are several.
fn on_own_threads<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Refusal> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1)).build();
    let pool = pool.map_err(|error| Refusal::bug(format!("no threads: {error}")))?;
    Ok(pool.install(work))
}

fn answer(service: &Service, asked: &AskedSetting, told: &Sender<Bytes>) {
    let begun = std::time::Instant::now();
    let question = SettingQuestion {
        setting: &asked.setting,
        both: &asked.both,
        shaking: Some(Shaking { by: SHAKEN_BY, seeds: asked.seeds }),
    };
    let of = question.simulations();
    let done = std::sync::atomic::AtomicUsize::new(0);
    // What a slow client does not take of the progress is left out.
    let _ = told.try_send(event("progress", &SettingProgress { done: 0, of }));
    let one_done = || {
        let done = 1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let _ = told.try_send(event("progress", &SettingProgress { done, of }));
    };
    let is_wanted = || !told.is_closed() && !*service.stop.borrow() && begun.elapsed() < LONGEST;
    let awaited = Awaited { done: &one_done, is_wanted: &is_wanted };
    let found = on_own_threads(|| match &asked.source {
        WhatIfSource::Log(name, log, at) => question.of_log(name, (&log.workload, *at, asked.jobs), awaited),
        WhatIfSource::Stored(store) => {
            let texts = store.described(asked.jobs)?;
            let source = format!("accounting of {}", store.name());
            question.of_site(&source, (&texts.site, &texts.accounting), &texts.options, awaited)
        }
    });
    let found = found.and_then(|found| found);
    let outcome = match &found {
        Ok(Some(_)) => "answered",
        Ok(None) => "given up",
        Err(_) => "refused",
    };
    let seconds = format!("{:.1}", begun.elapsed().as_secs_f64());
    (service.tell)(LogEvent::new("what-if", &[("outcome", outcome), ("seconds", &seconds)]));
    let last = match found {
        Ok(Some(effect)) => match shown(service, effect, asked) {
            Ok(effect) => event("answer", &effect),
            Err(refused) => event("refused", &refused.body()),
        },
        Ok(None) if begun.elapsed() < LONGEST => return,
        Ok(None) => event(
            "refused",
            &Refused::not_now(
                format!("it took longer than {} minutes", LONGEST.as_secs() / 60),
                "ask with fewer jobs or seeds, or ask the command: queuecast compare --site",
            )
            .body(),
        ),
        Err(refusal) => event("refused", &Refused::from(refusal).body()),
    };
    let _ = told.blocking_send(last);
}

/// The answer on the clock of the site's other answers; without accounts that tell of one person where names are replaced.
fn shown(service: &Service, mut effect: ChangedWaits, asked: &AskedSetting) -> Result<ChangedWaits, Refused> {
    if let WhatIfSource::Log(_, log, _) = &asked.source {
        let epoch = log.workload.epoch.unwrap_or(0);
        (effect.since, effect.until) =
            (Time(effect.since.0.saturating_add(epoch)), Time(effect.until.0.saturating_add(epoch)));
    }
    let Some(words) = &service.words else { return Ok(effect) };
    let named = |word: &str| {
        let account = word.get(8..).filter(|_| word.to_lowercase().starts_with("account."))?;
        account.split('.').next().map(str::to_lowercase)
    };
    let personal = |name: String| effect.personal_accounts.iter().any(|one| one.to_lowercase() == name);
    if asked.setting.split_whitespace().chain(asked.both.split_whitespace()).filter_map(named).any(personal) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "the account is one person's, and this service names users to themselves only",
            "ask the command: queuecast compare --site",
        ));
    }
    for one in effect.waits.iter_mut().filter(|one| one.by == "account") {
        if effect.personal_accounts.contains(&one.group) {
            one.group = words.account(&one.group);
        }
    }
    Ok(effect)
}
