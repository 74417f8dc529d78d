//! Reservations of a backfilling policy: how many jobs get one, and whether it persists between plans.

use std::fmt;

use serde::Serialize;

use queuecast_core::spec::{Form, Settings, Spec, SpecError, choices, conversions};

/// How many blocked jobs get a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The first N, at least one.
    First(u32),
    /// All of them.
    All,
}

impl Spec for Depth {
    const KIND: &'static str = "reservation depth";

    fn forms() -> Vec<Form> {
        vec![Form::new("N", "the first N blocked jobs").example("4"), Form::new("all", "all blocked jobs")]
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Depth, SpecError> {
        Err(settings.unread())
    }

    fn parse(text: &str) -> Result<Depth, SpecError> {
        match text.parse() {
            _ if text == "all" => Ok(Depth::All),
            Ok(depth) if depth >= 1 => Ok(Depth::First(depth)),
            _ => Err(SpecError::value(Depth::KIND, text, "expected a whole number from 1 on, or \"all\"")),
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Depth::First(depth) => depth.fmt(f),
            Depth::All => f.write_str("all"),
        }
    }
}

conversions!(Depth);

/// Whether reservations persist from one plan to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Persistence {
    /// They are discarded and planned anew each time.
    Replan,
    /// They are kept, and moved earlier (compressed) when a job ends early.
    Keep,
}

choices! { Persistence, "form of reservations":
    Keep = "keep", "reservations are kept, and moved earlier when a job ends early";
    Replan = "replan", "reservations are planned anew each time";
}
