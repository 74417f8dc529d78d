//! Why a request has no answer: a status, what is wrong, and what to do.

use axum::http::StatusCode;
use queuecast_core::asking::{Refusal, RefusedPart};
use serde::Serialize;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The status of the response.
    pub status: StatusCode,
    /// Seconds after which to ask again, of what is refused for now.
    pub again: u16,
    /// What is asked for of an asker who is not known.
    pub challenge: &'static str,
    body: RefusedBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct RefusedBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    error: String,
    hint: String,
}

/// Seconds after which to ask again, unless another time is known to be better.
const SOON: u16 = 2;

impl Refused {
    /// With what is wrong and what to do.
    pub fn new(status: StatusCode, error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused {
            status,
            again: SOON,
            challenge: "",
            body: RefusedBody { state: None, error: error.into(), hint: hint.into() },
        }
    }

    /// The question makes no sense.
    pub fn question(error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused::new(StatusCode::BAD_REQUEST, error, hint)
    }

    /// A parameter is given twice.
    pub fn twice(name: &str) -> Refused {
        Refused::question(format!("parameter {name} is given twice"), "give it once")
    }

    /// There is no answer now.
    pub fn not_now(error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    }

    /// It is not known who asks; `challenge` says by what that would be.
    pub fn unknown_asker(
        error: impl Into<String>,
        hint: impl Into<String>,
        challenge: &'static str,
    ) -> Refused {
        Refused { challenge, ..Refused::new(StatusCode::UNAUTHORIZED, error, hint) }
    }

    /// The answer failed because of a bug.
    pub fn bug() -> Refused {
        Refused::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the answer failed because of a bug",
            "tell the developers what was asked",
        )
    }

    /// This refusal with how many seconds later to ask again.
    pub fn again_after(self, again: u16) -> Refused {
        Refused { again, ..self }
    }

    /// This refusal with the state that the service is in.
    pub fn with_state(mut self, state: &'static str) -> Refused {
        self.body.state = Some(state);
        self
    }

    /// This refusal with another status.
    pub fn with_status(self, status: StatusCode) -> Refused {
        Refused { status, ..self }
    }

    /// As it is serialised.
    pub fn body(&self) -> &impl Serialize {
        &self.body
    }

    /// As JSON.
    pub fn json(&self) -> String {
        // Two texts can always be serialised.
        serde_json::to_string(&self.body).unwrap_or_default() + "\n"
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        let status = match refusal.part {
            RefusedPart::Question => StatusCode::BAD_REQUEST,
            RefusedPart::Input => StatusCode::SERVICE_UNAVAILABLE,
            RefusedPart::Computation => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let hints = refusal.hints.join("; ");
        let hint = match refusal.part {
            RefusedPart::Question => to_do(&hints),
            RefusedPart::Input | RefusedPart::Computation => hints,
        };
        Refused::new(status, as_asked_here(&refusal.what), hint)
    }
}

/// What the library calls by the command, and what a request calls it.
const CALLED: [(&str, &str); 12] = [
    ("--size", "procs"),
    ("--time", "limit"),
    ("--queue", "partition"),
    ("--partition", "partition"),
    ("--user", "user"),
    ("--array", "array"),
    ("--chain", "chain"),
    ("--at", "at"),
    ("--since", "from"),
    ("--until", "to"),
    ("queuecast when", "/api/v1/when"),
    ("queuecast pending", "/api/v1/pending"),
];

fn as_asked_here(text: &str) -> String {
    CALLED.iter().fold(text.to_owned(), |text, (command, here)| text.replace(command, here))
}

/// What to do about a question, without what only a command can do.
fn to_do(hints: &str) -> String {
    let hints = as_asked_here(hints);
    let is_for_requests = |hint: &&str| !hint.contains("--") && !hint.contains("queuecast ");
    match hints.split("; ").filter(is_for_requests).collect::<Vec<_>>().join("; ") {
        hints if hints.is_empty() => {
            "/api/v1/clusters has the processors and partitions of each cluster".to_owned()
        }
        hints => hints,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_told_of_parameters_and_not_of_options() {
        let told = |what: &str, hint: &str| {
            let refused = Refused::from(Refusal::question(what.to_owned()).hint(hint.to_owned()));
            (refused.body.error, refused.body.hint)
        };
        assert_eq!(
            told("--user 7: the log has no such user", "name one as the log does; without --user any"),
            (
                "user 7: the log has no such user".to_owned(),
                "name one as the log does; without user any".to_owned()
            )
        );
        let (_, hint) = told("the machine has 4", "--procs says how large the machine is");
        assert!(hint.contains("/api/v1/clusters"), "{hint}");
        let (_, hint) = told("it would never start", "queuecast site check DIR lists partitions");
        assert!(hint.contains("/api/v1/clusters"), "{hint}");
    }
}
