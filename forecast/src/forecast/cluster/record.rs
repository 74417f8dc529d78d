//! What was learned of a site for its own scheduler, kept: learning it anew takes its whole past, and hundreds of simulations.

use serde::{Deserialize, Serialize};

use super::followed_answers::FollowedAnswers;
use super::past::LearnedRuns;
use crate::forecast::answer::WhenSettings;
use crate::forecast::range_record::MethodRecord;
use crate::forecast::regime::{JudgedJobs, Regime, RegimeRecord};
use crate::forecast::start_record::StartRecord;
use crate::forecast::stored::{ForecasterKey, StoredError, opened, sealed};
use queuecast_core::units::Micros;

/// How right forecasts of the last submissions to a site were, each with what was known then.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct NewcomerRecord {
    /// Forecasts that were made: later ones have other random numbers.
    pub asked: u64,
    /// By how much forecasts are corrected.
    pub corrections: StartRecord,
    /// Of the site's scheduler, and of the quantiles of past waits.
    pub tried: [MethodRecord; 2],
    /// Whether the quantiles of past waits were better, beyond chance.
    pub prefers_past: bool,
    /// These submissions.
    pub met: Vec<TriedSubmission>,
}

/// What a submission met, and what became of it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct TriedSubmission {
    pub regime: Regime,
    /// Whether the range of each method held.
    pub held: [bool; 2],
    pub at_once: bool,
}

impl NewcomerRecord {
    /// How right the answers were that a job in a situation is given.
    pub fn in_regime(&self, regime: Regime) -> Option<RegimeRecord> {
        let method = usize::from(self.prefers_past);
        regime.record(|alike| {
            let mut judged = JudgedJobs::default();
            for one in self.met.iter().filter(|one| alike(&one.regime)) {
                judged.jobs += 1;
                judged.inside += usize::from(one.held[method]);
                judged.at_once += usize::from(one.at_once);
            }
            judged
        })
    }
}

/// What was learned of a site up to a moment: how long jobs run, and how right forecasts by its own scheduler were, of jobs at their
/// submission and of jobs that waited.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClusterRecord {
    pub(super) runs: LearnedRuns,
    pub(super) newcomers: NewcomerRecord,
    pub(super) waiting: FollowedAnswers,
    /// When they were tried.
    pub(super) tried: Micros,
}

/// What a record is kept as.
const NAME: &str = "a site's own scheduler";

impl ClusterRecord {
    fn key() -> ForecasterKey {
        ForecasterKey::named(NAME, &WhenSettings::default())
    }

    /// To be kept.
    pub fn stored(&self) -> Option<Vec<u8>> {
        sealed(self, ClusterRecord::key())
    }

    /// What was stored.
    ///
    /// # Errors
    /// If it is something else, of another version of the program, or damaged.
    pub fn restored(bytes: &[u8]) -> Result<ClusterRecord, StoredError> {
        opened(bytes, ClusterRecord::key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_record_is_refused() {
        assert!(ClusterRecord::restored(b"something else").is_err());
    }
}
