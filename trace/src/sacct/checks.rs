//! What the columns of `sacct` hold, as far as it tells whether a row was split in the right places.

use jiff::tz::TimeZone;

use super::duration::{seconds, whole};
use super::fields::IMPOSSIBLE;
use super::state::state;
use super::time::instant;

/// The cost of a text that a column does not hold in any known version of Slurm.
const IMPLAUSIBLE: u32 = 100;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    JobNumber,
    State,
    Instant,
    Whole,
    Length,
    ExitCode,
    User,
    Name,
    Anything,
}

const CHECKS: [(Check, &[&str]); 8] = [
    (Check::JobNumber, &["JobID", "JobIDRaw"]),
    (Check::State, &["State"]),
    (Check::Instant, &["Submit", "Eligible", "Start", "End"]),
    (
        Check::Whole,
        &[
            "ElapsedRaw",
            "TimelimitRaw",
            "ReqCPUS",
            "AllocCPUS",
            "NCPUS",
            "NNodes",
            "AllocNodes",
            "ReqNodes",
            "NTasks",
            "UID",
            "GID",
            "AssocID",
            "DBIndex",
            "Priority",
            "QOSRAW",
            "CPUTimeRAW",
            "ResvCPURAW",
            "PlannedCPURAW",
            "WCKeyID",
        ],
    ),
    (
        Check::Length,
        &[
            "Elapsed",
            "Timelimit",
            "Suspended",
            "TotalCPU",
            "SystemCPU",
            "UserCPU",
            "CPUTime",
            "Reserved",
            "Planned",
            "ResvCPU",
            "PlannedCPU",
            "AveCPU",
            "MinCPU",
        ],
    ),
    (Check::ExitCode, &["ExitCode", "DerivedExitCode"]),
    (Check::User, &["User"]),
    (Check::Name, &["Group", "Account", "Partition", "QOS", "Cluster"]),
];

impl Check {
    /// What the column of this name holds.
    pub fn of(name: &[u8]) -> Check {
        let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
        CHECKS.iter().find(|(_, names)| names.iter().any(is)).map_or(Check::Anything, |(check, _)| *check)
    }

    /// How unlikely it is that the column holds a text, blanks around it included. A user whose jobs are in earlier rows is
    /// the likeliest.
    pub fn cost(self, text: &[u8], zone: &TimeZone, is_known_user: impl FnOnce(&[u8]) -> bool) -> u32 {
        let bare = text.trim_ascii();
        let doubt = |fits: bool| if fits { 0 } else { IMPLAUSIBLE };
        let must = |fits: bool| if fits { 0 } else { IMPOSSIBLE };
        let word = || [&b"INVALID"[..], b"UNLIMITED", b"Partition_Limit", b"Unknown"].contains(&bare);
        let one_word = !bare.iter().any(u8::is_ascii_whitespace);
        let own = match self {
            Check::JobNumber => must(bare.first().is_some_and(u8::is_ascii_digit)),
            Check::State => must(state(bare).is_some()),
            Check::Instant => must(instant(bare, zone).is_some()),
            Check::Whole => doubt(bare.is_empty() || word() || whole(bare).is_some()),
            Check::Length => doubt(bare.is_empty() || word() || seconds(bare).is_some()),
            Check::ExitCode => {
                let code = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
                doubt(bare.is_empty() || (bare.contains(&b':') && bare.iter().all(code)))
            }
            Check::User => doubt(one_word) + u32::from(!is_known_user(bare)),
            Check::Name => doubt(one_word),
            Check::Anything => 0,
        };
        own + doubt(bare.len() == text.len()) + must(!text.contains(&b'\n'))
    }
}
