//! The states a job can be in, as `sacct` prints them.

use queuecast_core::job::Ending;

/// The meaning of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobState {
    Unfinished,
    Ended(Ending),
}

/// The meaning of a state such as `CANCELLED by 1001`, of which the first word counts; `None` for an unknown word.
pub(crate) fn state(text: &[u8]) -> Option<JobState> {
    let word = text.split(|&byte| byte == b' ').next().unwrap_or_default();
    let word = word.strip_suffix(b"+").unwrap_or(word);
    Some(match word {
        b"COMPLETED" => JobState::Ended(Ending::Completed),
        b"FAILED" | b"NODE_FAIL" | b"OUT_OF_MEMORY" | b"BOOT_FAIL" | b"LAUNCH_FAILED" | b"RECONFIG_FAIL" => {
            JobState::Ended(Ending::Failed)
        }
        b"TIMEOUT" | b"DEADLINE" => JobState::Ended(Ending::Killed),
        // Stopped by a user or the system before its limit.
        b"CANCELLED" | b"PREEMPTED" | b"REQUEUED" | b"REVOKED" => JobState::Ended(Ending::Cancelled),
        b"PENDING" | b"RUNNING" | b"SUSPENDED" | b"RESIZING" | b"CONFIGURING" | b"COMPLETING"
        | b"STOPPED" | b"SIGNALING" | b"STAGE_OUT" | b"SPECIAL_EXIT" | b"REQUEUE_HOLD" | b"REQUEUE_FED"
        | b"RESV_DEL_HOLD" | b"POWER_UP_NODE" | b"UPDATE_DB" | b"EXPEDITING" => JobState::Unfinished,
        _ => return None,
    })
}

/// The closest status code of the Standard Workload Format.
pub(super) fn status(state: JobState) -> i64 {
    match state {
        JobState::Ended(Ending::Completed) => 1,
        JobState::Ended(Ending::Failed | Ending::Killed) => 0,
        JobState::Ended(Ending::Cancelled) => 5,
        JobState::Unfinished | JobState::Ended(Ending::Unknown) => -1,
    }
}
