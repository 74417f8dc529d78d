//! The states a job can be in, as `sacct` prints them.

use queuecast_core::job::Ending;
use queuecast_core::job_state::JobState;

/// A state such as `CANCELLED by 1001`, of which the first word counts; `None` for an unknown word.
pub(crate) fn state(text: &[u8]) -> Option<JobState> {
    let word = text.split(|&byte| byte == b' ').next().unwrap_or_default();
    JobState::shown(str::from_utf8(word).ok()?)
}

/// The closest status code of the Standard Workload Format; of a job that has not ended, `None`.
pub(super) fn status(ending: Option<Ending>) -> i64 {
    match ending {
        Some(Ending::Completed) => 1,
        Some(Ending::Failed | Ending::Killed) => 0,
        Some(Ending::Cancelled) => 5,
        Some(Ending::Unknown) | None => -1,
    }
}
