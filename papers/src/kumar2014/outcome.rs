//! What came of one log.

use queuecast::eval::WaitScore;

use super::methods::ComparedMethod;
use super::readings::{PaperReading, ReadingScore};

/// What came of one log.
#[derive(Debug, Clone, Default)]
pub struct LogScores {
    /// By method, in the order of the plan.
    pub(super) scores: Vec<(ComparedMethod, WaitScore)>,
    pub(super) readings: Vec<(PaperReading, ReadingScore)>,
}

impl LogScores {
    /// What came of a method; `None` where no wanted table needs it.
    pub(super) fn of(&self, method: ComparedMethod) -> Option<&WaitScore> {
        self.scores.iter().find(|(known, _)| *known == method).map(|(_, score)| score)
    }
}
