//! What the user asked for.

use super::{Forecast, Question, Revision, RuntimePredictor};
use crate::job::{Event, Job};
use crate::units::Seconds;

/// Assumed for a job without a requested time, unless the caller says otherwise: one day, a limit that
/// many sites give by default.
pub const DEFAULT_REQUEST: Seconds = Seconds(24 * 3600);

/// Predicts the requested time: classic backfilling.
#[derive(Debug, Clone, Copy)]
pub struct Requested {
    /// Assumed where a job has none.
    pub default: Seconds,
}

impl Requested {
    /// The requested time of this job, or the default.
    pub fn of(&self, job: &Job) -> Seconds {
        job.shape.limit.unwrap_or(self.default)
    }
}

impl RuntimePredictor for Requested {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(self.of(question.job))
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}
