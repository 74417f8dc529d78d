//! Reader of what Slurm's `sacct -P` prints: any column order, any delimiter of one or several bytes, times in Unix seconds or
//! local, steps skipped, every row of a requeued job kept.
//!
//! Values are parsed here and checked in [`mod@crate::clean`].

mod checks;
mod clusters;
mod columns;
mod duration;
mod fields;
mod format;
mod reader;
mod row;
mod state;
mod texts;
mod time;

pub use duration::seconds;
pub(super) use state::state;
pub use texts::SacctTexts;
pub use time::unix_second;

/// A query whose output has every column that is used. Unit separators do not occur in job names, Unix seconds do not
/// depend on daylight saving time, and `-D` shows every run of a requeued job.
pub const EXAMPLE_COMMAND: &str = "SLURM_TIME_FORMAT=%s sacct -a -X -D -P --delimiter=$'\\x1f' \
-S 2024-01-01 -E now -s BF,CA,CD,DL,F,NF,OOM,PD,PR,R,RQ,RS,RV,S,TO \
--format=JobIDRaw,JobID,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,TimelimitRaw,ReqCPUS,\
AllocCPUS,NNodes,ReqMem,TotalCPU,User,Group,Account,QOS,Partition,JobName";
