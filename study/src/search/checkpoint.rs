//! A search between two steps, as data: with what it belongs to, so that it is resumed only there.

use serde::{Deserialize, Serialize};

use super::error::CheckpointError;
use super::request::PredictedAt;
use super::search::Search;
use queuecast_core::workload::Workload;

/// What a search depends on besides its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    version: String,
    digest: String,
    replay: PredictedAt,
    searched: usize,
    held_out: usize,
}

/// The state of a search; `S` is [`Search`], or the form it has in a file before its version is known.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint<S = Search> {
    /// What it belongs to.
    #[serde(flatten)]
    pub identity: Identity,
    /// How far it is.
    pub search: S,
}

impl Identity {
    pub(super) fn new(
        workload: &Workload,
        replay: PredictedAt,
        searched: usize,
        held_out: usize,
    ) -> Identity {
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            digest: format!("{:016x}", workload.digest()),
            replay,
            searched,
            held_out,
        }
    }

    /// Refuses another version, another workload, and other jobs to search on.
    pub fn check(&self, written: &Identity) -> Result<(), CheckpointError> {
        let both = |field: fn(&Identity) -> &String| (field(written).clone(), field(self).clone());
        self.check_version(written)?;
        if written.digest != self.digest {
            let (written, this) = both(|one| &one.digest);
            return Err(CheckpointError::Workload { written, this });
        }
        if written != self {
            return Err(CheckpointError::Jobs { written: written.jobs(), this: self.jobs() });
        }
        Ok(())
    }

    /// Refuses another version.
    pub(super) fn check_version(&self, written: &Identity) -> Result<(), CheckpointError> {
        if written.version == self.version {
            return Ok(());
        }
        let (written, this) = (written.version.clone(), self.version.clone());
        Err(CheckpointError::Version { written, this })
    }

    fn jobs(&self) -> String {
        format!("at {} on {} jobs with {} held out", self.replay, self.searched, self.held_out)
    }
}

/// Refuses the state of a search with other settings.
pub(super) fn check_settings(written: &Search, asked: &Search) -> Result<(), CheckpointError> {
    if written.is_same_as(asked) {
        return Ok(());
    }
    let pairs = written.settings().into_iter().zip(asked.settings());
    let differing: Vec<String> = pairs
        .filter(|(written, asked)| written != asked)
        .map(|((name, written), (_, asked))| format!("{name} {written}, now {asked}"))
        .collect();
    Err(CheckpointError::Settings(differing.join("; ")))
}
