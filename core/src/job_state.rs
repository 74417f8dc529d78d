//! The states of jobs, as Slurm names them.

use std::fmt;

use serde::Serialize;

use crate::job::Ending;

macro_rules! job_states {
    ($($name:literal $variant:ident $(= $meaning:literal)?,)+) => {
        /// The state of a job, as Slurm names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum JobState {
            $(
                #[doc = concat!("`", $name, "`", $(": ", $meaning,)? ".")]
                #[serde(rename = $name)]
                $variant,
            )+
        }

        impl JobState {
            fn named(word: &str) -> Option<JobState> {
                match word {
                    $($name => Some(JobState::$variant),)+
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(JobState::$variant => $name,)+
                }
            }
        }
    };
}

job_states! {
    "PENDING" Pending,
    "RUNNING" Running,
    "SUSPENDED" Suspended,
    "CONFIGURING" Configuring,
    "COMPLETING" Completing,
    "RESIZING" Resizing,
    "STOPPED" Stopped,
    "SIGNALING" Signaling,
    "STAGE_OUT" StageOut,
    "SPECIAL_EXIT" SpecialExit,
    "REQUEUE_HOLD" RequeueHold,
    "REQUEUE_FED" RequeueFed,
    "RESV_DEL_HOLD" ResvDelHold,
    "POWER_UP_NODE" PowerUpNode,
    "UPDATE_DB" UpdateDb,
    "EXPEDITING" Expediting,
    "COMPLETED" Completed,
    "FAILED" Failed,
    "NODE_FAIL" NodeFail,
    "OUT_OF_MEMORY" OutOfMemory,
    "BOOT_FAIL" BootFail,
    "LAUNCH_FAILED" LaunchFailed,
    "RECONFIG_FAIL" ReconfigFail,
    "TIMEOUT" Timeout,
    "DEADLINE" Deadline,
    "CANCELLED" Cancelled,
    "PREEMPTED" Preempted,
    "REQUEUED" Requeued,
    "REVOKED" Revoked,
    "REFUSED" Refused = "not accepted when it was submitted, which Slurm tells its user only",
    "UNKNOWN" Unknown = "a word that is none of these",
}

impl JobState {
    /// A state such as `CANCELLED by 1001`, of which the first word counts; `None` for any other word.
    pub fn shown(text: &str) -> Option<JobState> {
        let word = text.split(' ').next().unwrap_or_default();
        JobState::named(word.strip_suffix('+').unwrap_or(word)).filter(|&state| state != JobState::Unknown)
    }

    /// How a job in this state ended; `None`: it has not.
    pub fn ending(self) -> Option<Ending> {
        use JobState as S;
        match self {
            S::Completed => Some(Ending::Completed),
            S::Failed | S::NodeFail | S::OutOfMemory | S::BootFail | S::LaunchFailed | S::ReconfigFail => {
                Some(Ending::Failed)
            }
            S::Timeout | S::Deadline => Some(Ending::Killed),
            // Stopped by a user or the system before its limit.
            S::Cancelled | S::Preempted | S::Requeued | S::Revoked => Some(Ending::Cancelled),
            S::Refused | S::Unknown => Some(Ending::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
