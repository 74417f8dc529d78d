//! What a Slurm site says of itself at this moment: text of `squeue` and `sinfo`, asked for as written here.
//!
//! `-a` asks about all partitions, `-p` about one; `sinfo` refuses both together. Names that users choose are not asked
//! for, so that none can break a line.

use std::cmp::Reverse;

use super::sacct::seconds;
use crate::job::{Job, UserId};
use crate::units::{Procs, Seconds, Time};
use crate::workload::Names;

/// What to ask `squeue`: one line for each job, those of arrays too.
///
/// Jobs whose nodes are being configured hold processors already; only `-t` selects them as running. Submission times are
/// printed as Unix seconds where [`TIME_FORMAT`] is set in the environment of the command.
pub const SQUEUE: [&str; 6] =
    ["-h", "-r", "-t", "RUNNING,CONFIGURING,PENDING", "-o", "%i|%T|%C|%l|%M|%Q|%u|%V|%r"];

/// The environment variable that has Slurm print times as Unix seconds, and its value.
pub const TIME_FORMAT: (&str, &str) = ("SLURM_TIME_FORMAT", "%s");

/// What to ask `sinfo`: one line for each node and partition.
pub const SINFO: [&str; 4] = ["-h", "-N", "-o", "%N|%C"];

/// Reasons of jobs that wait for processors and nothing else.
const IN_LINE: [&str; 6] =
    ["None", "Priority", "Resources", "Nodes required for job are", "ReqNodeNotAvail", "Prolog"];

/// Text that is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of {command} is not as asked for: {text:?}")]
pub struct NotAsAsked {
    /// The command that printed it.
    pub command: &'static str,
    /// Which line.
    pub line: usize,
    /// What it says.
    pub text: String,
}

/// A job that runs or waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// Slurm's number; for one of an array, the array's.
    pub id: u64,
    /// Processors it holds or asks for.
    pub procs: Procs,
    /// The time it asks for; `None` if there is no limit.
    pub limit: Option<Seconds>,
    /// How long it has run; `None` while it waits.
    pub elapsed: Option<Seconds>,
    /// Its user.
    pub user: String,
    /// When it was submitted, as a Unix time, where that is known.
    pub submit: Option<Time>,
    /// Higher priorities come first.
    pub priority: i64,
    /// Whether it runs, or waits for processors, and not for a time, another job, or a limit of its user's.
    pub in_line: bool,
}

/// Reads what [`SQUEUE`] asks for. Waiting jobs come in the order of the queue, by priority and then number; running ones
/// first, the oldest before the others.
pub fn squeue(text: &str) -> Result<Vec<Queued>, NotAsAsked> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let wrong = |(line, text): (usize, &str)| NotAsAsked { command: "squeue", line, text: text.to_owned() };
    let mut jobs =
        lines.map(|line| queued(line.1).ok_or_else(|| wrong(line))).collect::<Result<Vec<_>, _>>()?;
    jobs.sort_by_key(|job| (job.elapsed.is_none(), job.elapsed.map(Reverse), Reverse(job.priority), job.id));
    Ok(jobs)
}

fn queued(line: &str) -> Option<Queued> {
    let fields: Vec<&str> = line.trim_end().splitn(8, '|').collect();
    let &[id, state, procs, limit, used, priority, user, reason] = &fields[..] else { return None };
    let digits = id.find(|c: char| !c.is_ascii_digit()).map_or(id, |end| &id[..end]);
    let length = |text: &str| seconds(text.as_bytes()).map(Seconds);
    let limit = match limit {
        "UNLIMITED" | "NOT_SET" | "INVALID" | "Partition_Limit" => None,
        limit => Some(length(limit)?).filter(|&limit| limit > Seconds::ZERO),
    };
    let elapsed = match state {
        "RUNNING" | "CONFIGURING" => Some(length(used).unwrap_or_default()),
        "PENDING" => None,
        _ => return None,
    };
    let (submit, reason) = submission(reason);
    Some(Queued {
        id: digits.parse().ok()?,
        procs: Procs(procs.parse().ok().filter(|&procs| procs > 0)?),
        limit,
        elapsed,
        user: user.to_owned(),
        submit,
        priority: priority.parse().ok()?,
        // Why a running job once waited may still be said.
        in_line: elapsed.is_some() || IN_LINE.iter().any(|known| reason.starts_with(known)),
    })
}

/// A submission time in front of the reason, if there is one that is a Unix time.
fn submission(text: &str) -> (Option<Time>, &str) {
    let Some((time, reason)) = text.split_once('|') else { return (None, text) };
    let is_time = time == "N/A" || time.starts_with(|c: char| c.is_ascii_digit());
    if is_time { (time.parse().ok().map(Time), reason) } else { (None, text) }
}

impl Queued {
    /// It as a job, submitted at its own time or else at the time it was asked about. Its user has the number that a log
    /// gives to this name.
    pub fn job(&self, asked: Time, names: &Names) -> Job {
        let submit = self.submit.map_or(asked, |submit| submit.min(asked));
        let user = names.users.iter().find(|(_, user)| **user == self.user).map(|(&number, _)| number);
        let job = Job::rigid(self.id, submit, self.procs, self.limit);
        Job { user: user.and_then(UserId::new), ..job }
    }
}

/// Reads what [`SINFO`] asks for: the processors of all nodes that are held or idle, each node counted once. Those of nodes
/// that are down or drained are not among them.
pub fn sinfo(text: &str) -> Result<Procs, NotAsAsked> {
    let mut seen: Vec<(&str, u32)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let node = text.split_once('|').and_then(|(name, cpus)| {
            let mut parts = cpus.trim().split('/').map(str::parse::<u32>);
            let (held, idle) = (parts.next()?.ok()?, parts.next()?.ok()?);
            Some((name, held.checked_add(idle)?))
        });
        seen.push(node.ok_or_else(|| NotAsAsked { command: "sinfo", line, text: text.to_owned() })?);
    }
    seen.sort_unstable();
    seen.dedup_by_key(|(name, _)| *name);
    Ok(Procs(seen.iter().fold(0, |sum, (_, procs)| sum.saturating_add(*procs))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a site printed it.
    const QUEUE: &str = "\
151|PENDING|16|10:00|0:00|15350|alice|Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions
52|PENDING|16|1-05:00:00|0:00|15256|dave|Priority
3|PENDING|16|30:00|0:00|99999|carol|BeginTime
141_7|PENDING|1|UNLIMITED|0:00|15256|dave|Resources
2|RUNNING|2|1:00|0:16|10146|bob|None
9|RUNNING|4|2:00:00|1-00:00:01|10146|bob|None
60|PENDING|1|5:00|0:00|20000|eve|Dependency
";

    #[test]
    fn jobs_come_in_the_order_of_the_queue() {
        let jobs = squeue(QUEUE).unwrap();
        let ids: Vec<(u64, bool)> = jobs.iter().map(|job| (job.id, job.in_line)).collect();
        assert_eq!(
            ids,
            [(9, true), (2, true), (3, false), (60, false), (151, true), (52, true), (141, true)]
        );
        assert_eq!(jobs[0].elapsed, Some(Seconds(86_401)));
        assert_eq!(
            (jobs[1].procs, jobs[1].limit, jobs[1].elapsed),
            (Procs(2), Some(Seconds(60)), Some(Seconds(16)))
        );
        assert_eq!((jobs[5].limit, jobs[5].elapsed), (Some(Seconds(104_400)), None));
        assert_eq!((jobs[6].limit, jobs[6].user.as_str()), (None, "dave"));
        assert_eq!(squeue(""), Ok(Vec::new()));
    }

    #[test]
    fn submission_times_are_unix_seconds() {
        let text =
            "5|PENDING|1|1:00|0:00|7|ada|1763222400|Priority\n6|PENDING|1|1:00|0:00|6|eve|N/A|Dependency\n";
        let jobs = squeue(text).unwrap();
        assert_eq!((jobs[0].submit, jobs[0].in_line), (Some(Time(1_763_222_400)), true));
        assert_eq!((jobs[1].submit, jobs[1].in_line), (None, false));
        let job = |asked: i64| jobs[0].job(Time(asked), &Names::default()).submit;
        assert_eq!(
            (job(1_763_222_500), job(5)),
            (Time(1_763_222_400), Time(5)),
            "not after it was asked about"
        );
    }

    #[test]
    fn what_was_not_asked_for_is_refused() {
        for line in [
            "JOBID PARTITION NAME",
            "52|PENDING|16|10:00",
            "52|PENDING|0|10:00|0:00|1|a|Priority",
            "52|PENDING|x|10:00|0:00|1|a|Priority",
            "52|COMPLETED|1|10:00|0:00|1|a|None",
            "52|PENDING|1|soon|0:00|1|a|None",
        ] {
            let error = squeue(&format!("{QUEUE}{line}\n")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (8, line));
        }
    }

    #[test]
    fn a_node_in_several_partitions_is_counted_once_and_a_broken_one_not() {
        let text = "node01|4/0/0/4\nnode01|4/0/0/4\nnode02|1/3/0/4\nnode03|0/0/4/4\n";
        assert_eq!(sinfo(text), Ok(Procs(8)));
        assert_eq!(sinfo("NODELIST CPUS").unwrap_err().line, 1);
        assert!(sinfo("node01|4").is_err());
    }
}
