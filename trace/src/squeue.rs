//! The jobs of a Slurm site at this moment: text of `squeue`, asked for as written here.
//!
//! Names that users choose are not asked for, so that none can break a line.

use queuecast_core::order;
use std::cmp::Reverse;

use super::hostlist::expanded;
use super::sacct::seconds;
use queuecast_core::job::{Job, UserId};
use queuecast_core::job_state::JobState;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Names;

/// What to ask `squeue`: one line for each job of all partitions, those of arrays too.
///
/// Jobs whose nodes are being configured hold processors already; only `-t` selects them as running. Submission times are
/// printed as Unix seconds where [`TIME_FORMAT`] is set in the environment of the command.
pub const SQUEUE: [&str; 7] = [
    "-h",
    "-a",
    "-r",
    "-t",
    "RUNNING,CONFIGURING,PENDING",
    "-o",
    "%i|%T|%C|%l|%M|%Q|%u|%V|%P|%N|%a|%q|%v|%S|%E|%r",
];

/// The environment variable that has Slurm print times as Unix seconds, and its value.
pub const TIME_FORMAT: (&str, &str) = ("SLURM_TIME_FORMAT", "%s");

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

/// Why a job waits, as Slurm shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownReason {
    /// Slurm's word: `Priority`, `QOSMaxJobsPerUserLimit`.
    pub code: String,
    /// Its account and its QOS.
    pub account: Option<String>,
    /// See `account`.
    pub qos: Option<String>,
    /// Its reservation.
    pub reservation: Option<String>,
    /// When it is expected to start, or may begin, as a Unix time.
    pub start: Option<Time>,
    /// What it depends on: `afterok:12(unfulfilled)`.
    pub dependency: Option<String>,
}

/// A job that runs or waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// Slurm's number; for one of an array, the array's.
    pub id: u64,
    /// Its number as it is shown: `141_7` for one of an array.
    pub name: String,
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
    /// The partitions it may run in, or the one it runs in.
    pub partitions: Vec<String>,
    /// The nodes it holds; none while it waits.
    pub nodes: Vec<String>,
    /// Whether it runs, or waits for processors, and not for a time, another job, or a limit of its user's.
    pub in_line: bool,
    /// Why it waits, as Slurm shows it; a running job may still show why it waited.
    pub reason: ShownReason,
}

/// Reads what [`SQUEUE`] asks for. Waiting jobs come in the order of the queue, by priority and then number; running ones
/// first, the oldest before the others.
pub fn squeue(text: &str) -> Result<Vec<Queued>, NotAsAsked> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let wrong = |(line, text): (usize, &str)| NotAsAsked { command: "squeue", line, text: text.to_owned() };
    let mut jobs =
        lines.map(|line| queued(line.1).ok_or_else(|| wrong(line))).collect::<Result<Vec<_>, _>>()?;
    order::sort_by_key(&mut jobs, |job| {
        (job.elapsed.is_none(), job.elapsed.map(Reverse), Reverse(job.priority), job.id)
    });
    Ok(jobs)
}

fn queued(line: &str) -> Option<Queued> {
    // Only what comes before the tenth bar and the reason was asked for by earlier versions.
    let fields: Vec<&str> = line.trim_end().splitn(16, '|').collect();
    let (&[id, state, procs, limit, used, priority, user, submit, partitions, nodes], told) =
        fields.split_first_chunk()?;
    let shown =
        |text: &str| Some(text.to_owned()).filter(|text| !["", "(null)", "N/A"].contains(&text.as_str()));
    let reason = match told {
        [account, qos, reservation, start, dependency, reason] => ShownReason {
            code: (*reason).to_owned(),
            account: shown(account),
            qos: shown(qos),
            reservation: shown(reservation),
            start: start.parse().ok().map(Time),
            dependency: shown(dependency),
        },
        [] => return None,
        // A reason is free text, which may have bars in it.
        reason => ShownReason { code: reason.join("|"), ..ShownReason::default() },
    };
    let digits = id.find(|c: char| !c.is_ascii_digit()).map_or(id, |end| &id[..end]);
    let length = |text: &str| seconds(text.as_bytes()).map(Seconds);
    let limit = match limit {
        "UNLIMITED" | "NOT_SET" | "INVALID" | "Partition_Limit" => None,
        limit => Some(length(limit)?).filter(|&limit| limit > Seconds::ZERO),
    };
    let elapsed = match JobState::shown(state)? {
        JobState::Running | JobState::Configuring => Some(length(used).unwrap_or_default()),
        JobState::Pending => None,
        _ => return None,
    };
    Some(Queued {
        id: digits.parse().ok()?,
        name: id.to_owned(),
        procs: Procs(procs.parse().ok().filter(|&procs| procs > 0)?),
        limit,
        elapsed,
        user: user.to_owned(),
        submit: submit.parse().ok().map(Time),
        priority: priority.parse().ok()?,
        partitions: partitions.split(',').map(str::to_owned).collect(),
        nodes: if nodes.is_empty() { Vec::new() } else { expanded(nodes)? },
        // Why a running job once waited may still be said.
        in_line: elapsed.is_some() || IN_LINE.iter().any(|known| reason.code.starts_with(known)),
        reason,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As a site printed it.
    const QUEUE: &str = "\
151|PENDING|16|10:00|0:00|15350|alice|1763222400|short||Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions
52|PENDING|16|1-05:00:00|0:00|15256|dave|1763222400|short,long||Priority
3|PENDING|16|30:00|0:00|99999|carol|1763222400|short||BeginTime
141_7|PENDING|1|UNLIMITED|0:00|15256|dave|1763222400|short||Resources
2|RUNNING|2|1:00|0:16|10146|bob|1763222400|short|node01|None
9|RUNNING|4|2:00:00|1-00:00:01|10146|bob|1763222400|long|node[02-03]|None
60|PENDING|1|5:00|0:00|20000|eve|1763222400|short||Dependency
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
        assert_eq!(
            (jobs[0].nodes.join(" "), jobs[0].partitions.join(" ")),
            ("node02 node03".into(), "long".into())
        );
        assert_eq!((jobs[5].nodes.len(), jobs[5].partitions.join(" ")), (0, "short long".into()));
        assert_eq!(squeue(""), Ok(Vec::new()));
    }

    #[test]
    fn why_a_job_waits_is_read_as_shown() {
        let text = "\
7_3|PENDING|4|1:00|0:00|7|ada|1763222400|short||phys|high|(null)|N/A|(null)|QOSMaxJobsPerUserLimit
8|PENDING|4|1:00|0:00|6|ada|1763222400|short||phys|normal|maint|1763230000|afterok:7_*(unfulfilled)|Dependency
";
        let jobs = squeue(text).unwrap();
        let told = |code: &str, qos: &str| ShownReason {
            code: code.into(),
            account: Some("phys".into()),
            qos: Some(qos.into()),
            ..ShownReason::default()
        };
        assert_eq!((jobs[0].name.as_str(), jobs[0].id), ("7_3", 7));
        assert_eq!(jobs[0].reason, told("QOSMaxJobsPerUserLimit", "high"));
        let expected = ShownReason {
            reservation: Some("maint".into()),
            start: Some(Time(1_763_230_000)),
            dependency: Some("afterok:7_*(unfulfilled)".into()),
            ..told("Dependency", "normal")
        };
        assert_eq!((&jobs[1].reason, jobs[1].in_line), (&expected, false));
    }

    #[test]
    fn submission_times_are_unix_seconds() {
        let text = "5|PENDING|1|1:00|0:00|7|ada|1763222400|short||Priority\n6|PENDING|1|1:00|0:00|6|eve|N/A|short||Dependency\n";
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
            "52|PENDING|0|10:00|0:00|1|a|9|p||Priority",
            "52|PENDING|x|10:00|0:00|1|a|9|p||Priority",
            "52|COMPLETED|1|10:00|0:00|1|a|9|p||None",
            "52|PENDING|1|soon|0:00|1|a|9|p||None",
            "52|RUNNING|1|10:00|0:00|1|a|9|p|n[1|None",
        ] {
            let error = squeue(&format!("{QUEUE}{line}\n")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (8, line));
        }
    }
}
