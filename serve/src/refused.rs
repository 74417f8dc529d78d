//! Why a request has no answer: a status, what is wrong, and what to do.

use axum::http::StatusCode;
use queuecast_core::asking::{Refusal, RefusedPart};
use serde::Serialize;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The status of the response.
    pub status: StatusCode,
    body: RefusedBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct RefusedBody {
    error: String,
    hint: String,
}

impl Refused {
    /// With what is wrong and what to do.
    pub fn new(status: StatusCode, error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused { status, body: RefusedBody { error: error.into(), hint: hint.into() } }
    }

    /// The question makes no sense.
    pub fn question(error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused::new(StatusCode::BAD_REQUEST, error, hint)
    }

    /// There is no answer now.
    pub fn not_now(error: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
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
        // The library names options of the command; parameters have no dashes.
        let what = refusal.what.strip_prefix("--").unwrap_or(&refusal.what).to_owned();
        Refused::new(status, what, refusal.hints.join("; "))
    }
}
