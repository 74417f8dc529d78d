//! What predictors that learn from a user's history have in common.

use super::{Question, Requested};
use crate::spec::SpecError;
use crate::units::Seconds;

/// Which jobs count as history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Learn {
    /// Those that have ended, with their run time.
    #[default]
    Ended,
    /// Also running ones that outlived a prediction, with the one that replaced it.
    Overran,
    /// All running ones too, with what is predicted of them.
    Running,
}

impl Learn {
    /// Every choice, as written.
    pub const KNOWN: [&'static str; 3] = ["ended", "overran", "running"];

    pub(super) fn word(self) -> &'static str {
        Learn::KNOWN[self as usize]
    }

    pub(super) fn read(text: &str) -> Result<Learn, SpecError> {
        let all = [Learn::Ended, Learn::Overran, Learn::Running];
        let known = all.into_iter().find(|learn| learn.word() == text);
        known.ok_or_else(|| SpecError::unknown("choice of jobs to learn from", text, &Learn::KNOWN))
    }
}

/// What is predicted of a job with no history to go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Newcomer {
    /// Its requested time.
    #[default]
    Requested,
    /// So many seconds (Talby et al. 2005, section 6: one second, where there are no estimates).
    Fixed(Seconds),
}

impl Newcomer {
    /// Of a job with this requested time.
    pub(super) fn predicted(self, limit: Option<Seconds>, requested: Requested) -> Seconds {
        match self {
            Newcomer::Requested => limit.unwrap_or(requested.default).max(Seconds(1)),
            Newcomer::Fixed(length) => length,
        }
    }
}

/// What is predicted: at least a second, and never above the requested time if that caps it.
pub(super) fn within(predicted: i64, limit: Option<Seconds>, cap: bool) -> Seconds {
    let predicted = Seconds(predicted.max(1));
    limit.filter(|_| cap).map_or(predicted, |limit| predicted.min(limit))
}

/// More than a job has run, whatever its history says: a question about a running job has a sensible answer.
pub(super) fn beyond(question: &Question<'_>, predicted: Seconds) -> Seconds {
    if predicted > question.elapsed { predicted } else { question.elapsed + Seconds(1) }
}
