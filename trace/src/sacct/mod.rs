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

/// Every state. Without it, jobs that were cancelled before they were eligible are left out.
macro_rules! states {
    () => {
        "BF,CA,CD,DL,F,NF,OOM,PD,PR,R,RQ,RS,RV,S,TO"
    };
}

/// Every column that is used. Free text comes last, since `-P` escapes nothing.
macro_rules! columns {
    () => {
        "JobIDRaw,JobID,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,TimelimitRaw,ReqCPUS,AllocCPUS,NNodes,ReqMem,TotalCPU,User,Group,Account,QOS,Partition,ReqTRES,AllocTRES,NodeList,Constraints,Reservation,Priority,Flags,JobName,SubmitLine"
    };
}

/// A query whose output has every column that is used. Unit separators do not occur in job names, Unix seconds do not
/// depend on daylight saving time, and `-D` shows every run of a requeued job.
pub const EXAMPLE_COMMAND: &str = concat!(
    "SLURM_TIME_FORMAT=%s sacct -a -X -D -P --delimiter=$'\\x1f' -S 2024-01-01 -E now -s ",
    states!(),
    " --format=",
    columns!()
);

/// The command as arguments of `sacct`, without `-S` and its value.
pub const ARGUMENTS: [&str; 9] = [
    "-a",
    "-X",
    "-D",
    "-P",
    "--delimiter=\x1f",
    "-E",
    "now",
    concat!("--state=", states!()),
    concat!("--format=", columns!()),
];
