//! A followed site at a look, with the bodies of answers made once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use axum::body::Bytes;
use queuecast_live::SiteSnapshot;
use queuecast_place::WaitsAnswer;
use queuecast_report::json;
use serde::Serialize;

use crate::pseudonyms::Pseudonyms;
use crate::served_body::ServedBody;

/// A followed site at a look.
#[derive(Debug)]
pub struct ServedSnapshot {
    /// The site.
    pub site: SiteSnapshot,
    /// The number of the look, from 1.
    pub look: u64,
    /// When it was made, by the clock of this machine.
    pub(crate) made: SystemTime,
    pub(crate) pending: ServedBody,
    pub(crate) machine: ServedBody,
    pub(crate) scorecard: ServedBody,
    pub(crate) shadow: ServedBody,
    /// How long jobs of the last days waited.
    pub(crate) history: WaitsAnswer,
    /// What viewers are told of it.
    pub(crate) event: Bytes,
    answered: Mutex<RememberedAnswers>,
}

/// Answers that are remembered until the next look, and how many bytes they and their questions have; what they are compressed to is a
/// fraction of that.
#[derive(Debug, Default)]
struct RememberedAnswers {
    bodies: HashMap<String, ServedBody>,
    bytes: usize,
}

/// What viewers are told of a look.
#[derive(Debug, Serialize)]
struct LookEvent<'a> {
    cluster: &'a str,
    now: i64,
    waiting: usize,
    running: usize,
    used: u64,
    processors: u64,
    look: u64,
}

/// The body of an answer: as the command prints it.
pub(crate) fn body(answer: &impl Serialize) -> ServedBody {
    // What is serialised are numbers, texts and lists of them.
    Bytes::from(json(answer).unwrap_or_default()).into()
}

impl ServedSnapshot {
    /// Days of waits that are shown unless others are asked for.
    pub(crate) const DAYS: u32 = 14;

    /// Bytes of answers that are remembered until the next look, at most.
    const REMEMBERED: usize = 32 << 20;

    /// Makes the bodies.
    pub(crate) fn of(
        site: SiteSnapshot,
        cluster: &str,
        look: u64,
        words: Option<&Pseudonyms>,
    ) -> ServedSnapshot {
        let place = &site.place;
        let (pending, machine) = match words {
            Some(words) => {
                let (mut pending, mut machine) = (place.pending.clone(), place.machine.clone());
                words.pending(&mut pending, None);
                words.machine(&mut machine, None);
                (body(&pending), body(&machine))
            }
            None => (body(&place.pending), body(&place.machine)),
        };
        let history = place.waits(ServedSnapshot::DAYS);
        let event = LookEvent {
            cluster,
            now: place.now(),
            waiting: place.pending.jobs.len(),
            running: place.machine.running.len(),
            used: place.machine.used,
            processors: place.machine.processors,
            look,
        };
        let event = serde_json::to_string(&event).unwrap_or_default();
        ServedSnapshot {
            pending,
            machine,
            scorecard: body(&site.scorecard),
            shadow: body(&site.shadow),
            history,
            event: Bytes::from(format!("event: snapshot\nid: {look}\ndata: {event}\n\n")),
            look,
            made: SystemTime::now(),
            answered: Mutex::default(),
            site,
        }
    }

    /// What was answered to this question since the look.
    pub(crate) fn answered(&self, question: &str) -> Option<ServedBody> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).bodies.get(question).cloned()
    }

    /// Remembers an answer until the next look.
    pub(crate) fn remember(&self, question: String, body: &ServedBody) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = question.len() + body.len();
        if answered.bytes + bytes <= ServedSnapshot::REMEMBERED {
            answered.bytes += bytes;
            answered.bodies.insert(question, body.clone());
        }
    }
}
