//! Every command that following a site may run, declared once: for the collector, for administrators who want to read them, and for tests.

use std::collections::BTreeMap;

use queuecast_core::units::Time;
use queuecast_slurm_texts::{CaptureCommand, SSHARE_NOW, SiteFileKind, capture_commands};
use queuecast_trace::sacct::ARGUMENTS;
use queuecast_trace::sinfo::SINFO;

/// Columns of `squeue`, in their order. Names that users choose are not among them, so that none can break a line.
pub const QUEUE_COLUMNS: &str = "%i|%T|%C|%l|%M|%Q|%u|%V|%P|%N|%a|%q|%v|%S|%E|%r";

/// How often a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    /// At every look, once for any number of questions.
    Look,
    /// For each window of the history, then at every tenth look.
    Window,
    /// At a look with jobs that accounting did not have yet.
    NewJobs,
    /// At a look with an array that waits, of which accounting does not tell yet, or that what was told before does not go with.
    NewArrays,
    /// Every hour.
    Hour,
    /// When following begins.
    Once,
    /// For each waiting job that is forecast for the first time, of at most this many at a look.
    Forecast(usize),
}

/// What is asked for besides following a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlsoDone {
    /// Tables for submissions.
    pub tables: bool,
    /// Forecasts as comments of jobs.
    pub comments: bool,
}

/// A command that may be run, and what an administrator wants to know of it. None changes anything but [`comment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredCommand {
    /// The program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How often.
    pub frequency: Frequency,
    /// What for.
    pub purpose: &'static str,
    /// Which daemon answers.
    pub daemon: &'static str,
    /// Who may run it and sees all that it could print.
    pub rights: &'static str,
}

impl DeclaredCommand {
    /// As it would be typed in a shell.
    pub fn line(&self) -> String {
        let quoted = |word: &String| match word.replace('\x1f', "\\x1f") {
            word if word.contains('\\') => {
                let (option, value) = word.split_once('=').unwrap_or(("", &word));
                format!("{option}=$'{value}'")
            }
            word if word.contains(['|', '%', ' ']) => format!("'{word}'"),
            word => word,
        };
        let words: Vec<String> = self.arguments.iter().map(quoted).collect();
        format!("{} {}", self.program, words.join(" "))
    }
}

const USERS: &str =
    "any user; with PrivateData=jobs only operators and administrators see the jobs of others";

/// The queue: every job that Slurm still knows, those that have just ended included.
pub fn queue() -> DeclaredCommand {
    let arguments = ["-h", "-a", "-r", "-t", "all", "-o", QUEUE_COLUMNS];
    DeclaredCommand {
        program: "squeue",
        arguments: arguments.map(str::to_owned).to_vec(),
        frequency: Frequency::Look,
        purpose: "which jobs wait, run and have just ended",
        daemon: "slurmctld",
        rights: USERS,
    }
}

/// The nodes of every partition, and the limits of partitions.
pub fn nodes() -> DeclaredCommand {
    DeclaredCommand {
        program: "sinfo",
        arguments: SINFO.map(str::to_owned).to_vec(),
        frequency: Frequency::Look,
        purpose: "which nodes are free, held and down, and what each partition allows",
        daemon: "slurmctld",
        rights: "any user; with PrivateData=nodes only operators and administrators see nodes",
    }
}

/// Accounting of the jobs that existed between two moments, in Unix seconds.
pub fn accounting(from: i64, to: i64) -> DeclaredCommand {
    let mut arguments = vec!["-S".to_owned(), format!("uts{from}")];
    let mut rest = ARGUMENTS.iter();
    while let Some(&word) = rest.next() {
        arguments.push(word.to_owned());
        if word == "-E" {
            arguments.push(format!("uts{to}"));
            rest.next();
        }
    }
    DeclaredCommand {
        program: "sacct",
        arguments,
        frequency: Frequency::Window,
        purpose: "jobs that have ended: the history that forecasts learn from",
        daemon: "slurmdbd",
        rights: USERS,
    }
}

/// Accounting of these jobs, submitted since a moment, in Unix seconds.
pub fn accounting_of(jobs: &[u64], since: i64, now: i64) -> DeclaredCommand {
    let mut command = accounting(since, now);
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    command.arguments.extend(["-j".to_owned(), jobs.join(",")]);
    command.purpose = "jobs that are gone from the queue and of whose end accounting did not know yet";
    command
}

/// Accounting of jobs that were submitted since it was asked for last.
pub fn accounting_of_new(jobs: &[u64], since: i64, now: i64) -> DeclaredCommand {
    let mut command = accounting_of(jobs, since, now);
    command.frequency = Frequency::NewJobs;
    command.purpose = "what jobs ask for that have come into the queue";
    command
}

/// The file that what `sshare` prints is kept as.
pub const USAGE_FILE: &str = "sshare.psv";

/// What `sshare` printed, as it is kept: after a line with its moment in Unix seconds.
pub fn kept_usage(at: Time, printed: &str) -> String {
    format!("{}\n{printed}", at.0)
}

/// What was kept by [`kept_usage`], and its moment.
pub fn usage_kept(text: &str) -> Option<(Time, &str)> {
    let (at, printed) = text.split_once('\n')?;
    Some((Time(at.parse().ok()?), printed))
}

/// The file that what `squeue` prints of arrays is kept as.
pub const ARRAYS_FILE: &str = "squeue-arrays.txt";

/// The arrays of these numbers that wait, each with its tasks in one word, which ends with how many of them may run at once: `1-500%20`.
pub fn arrays(jobs: &[u64]) -> DeclaredCommand {
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    let arguments = ["-h", "-a", "-t", "PENDING", "-o", "%F|%K", "-j", &jobs.join(",")];
    DeclaredCommand {
        program: "squeue",
        arguments: arguments.map(str::to_owned).to_vec(),
        frequency: Frequency::NewArrays,
        purpose: "how many tasks of an array may run at once, which accounting tells only once some of them could start, and not when that is changed",
        daemon: "slurmctld",
        rights: USERS,
    }
}

/// How many tasks may run at once of each array of which [`arrays`] told, 0 being all.
pub fn throttles_kept(text: Option<&str>) -> BTreeMap<u64, u32> {
    let limited = |line: &str| {
        let (array, tasks) = line.trim().split_once('|')?;
        let most: u32 = tasks.rsplit_once('%').map_or(Ok(0), |one| one.1.parse()).ok()?;
        Some((array.parse().ok()?, most))
    };
    text.unwrap_or_default().lines().filter_map(limited).collect()
}

/// What each user has used, as fair share counts it.
fn usage() -> DeclaredCommand {
    DeclaredCommand {
        program: "sshare",
        arguments: SSHARE_NOW.map(str::to_owned).to_vec(),
        frequency: Frequency::Hour,
        purpose: "what users have used, for the order of the queue; without it accounting tells",
        daemon: "slurmctld",
        rights: "any user; with PrivateData=usage only operators and administrators see the usage of others",
    }
}

/// What describes the site, so that its own scheduler can be simulated: each command with the file that its answer is kept as, and what it is.
/// The configuration comes first.
pub fn description() -> Vec<(&'static str, Option<SiteFileKind>, DeclaredCommand)> {
    let declared = |one: CaptureCommand| {
        let of_accounting = one.program == "sacctmgr";
        let is_reservations = one.kind == SiteFileKind::Reservations;
        let command = DeclaredCommand {
            program: one.program,
            arguments: one.arguments,
            frequency: if is_reservations { Frequency::Look } else { Frequency::Hour },
            purpose: match is_reservations {
                true => "reservations, so that a new maintenance counts from the next look on",
                false => "how the site is set up, for its own scheduler to be simulated",
            },
            daemon: if of_accounting { "slurmdbd" } else { "slurmctld" },
            rights: if of_accounting {
                "any user; with PrivateData=users or usage only operators and administrators see the accounts of others"
            } else {
                "any user; with PrivateData only operators and administrators see all"
            },
        };
        (one.file, Some(one.kind), command)
    };
    let mut all: Vec<_> = capture_commands(None).into_iter().map(declared).collect();
    all.push((USAGE_FILE, None, usage()));
    all
}

/// The reservations, with the file that the answer is kept as. They are among what describes the site, and are asked for at every look.
pub fn reservations() -> Option<(&'static str, SiteFileKind, DeclaredCommand)> {
    let all = description().into_iter();
    all.filter_map(|(file, kind, command)| Some((file, kind?, command)))
        .find(|one| one.1 == SiteFileKind::Reservations)
}

/// The cluster that the commands are about.
pub fn cluster_name() -> DeclaredCommand {
    DeclaredCommand {
        program: "scontrol",
        arguments: ["show", "config"].map(str::to_owned).to_vec(),
        frequency: Frequency::Once,
        purpose: "the name of the cluster",
        daemon: "slurmctld",
        rights: "any user",
    }
}

/// The default partition, marked with a star, and the default limits of partitions.
pub fn defaults() -> DeclaredCommand {
    DeclaredCommand {
        program: "sinfo",
        arguments: ["-h", "-a", "-o", "%R|%P|%L"].map(str::to_owned).to_vec(),
        frequency: Frequency::Once,
        purpose: "the default partition and default limits, for the tables of submissions",
        daemon: "slurmctld",
        rights: "any user",
    }
}

/// The most jobs that are commented at a look.
pub const MOST_COMMENTS: usize = 20;

/// A job with its comment of administrators.
pub fn commented_job(job: &str) -> DeclaredCommand {
    DeclaredCommand {
        program: "scontrol",
        arguments: vec!["-o".to_owned(), "show".to_owned(), "job".to_owned(), job.to_owned()],
        frequency: Frequency::Forecast(MOST_COMMENTS),
        purpose: "whether a job has an AdminComment, which is left as it is",
        daemon: "slurmctld",
        rights: USERS,
    }
}

/// Writes the comment of administrators of a job.
pub fn comment(job: &str, text: &str) -> DeclaredCommand {
    let arguments = vec!["update".to_owned(), format!("JobId={job}"), format!("AdminComment={text}")];
    DeclaredCommand {
        program: "scontrol",
        arguments,
        frequency: Frequency::Forecast(MOST_COMMENTS),
        purpose: "the forecast of a waiting job as its AdminComment: the only command that changes something",
        daemon: "slurmctld",
        rights: "operators and administrators",
    }
}

/// All of them, as they are run at a moment, in Unix seconds.
pub fn all(now: i64, window: i64, also: AlsoDone) -> Vec<DeclaredCommand> {
    let late = accounting_of(&[1234], now - window, now);
    let new = accounting_of_new(&[1234], now - window, now);
    let mut all =
        vec![cluster_name(), queue(), nodes(), accounting(now - window, now), late, new, arrays(&[1234])];
    all.extend(description().into_iter().map(|one| one.2));
    if also.tables {
        all.push(defaults());
    }
    if also.comments {
        all.extend([commented_job("1234"), comment("1234", "queuecast: likely 14:10 to 15:30 today")]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_can_be_typed() {
        let also = AlsoDone { tables: true, comments: true };
        let all = all(1_700_000_000, 86_400, also);
        let [
            name,
            queue,
            nodes,
            accounting,
            late,
            new,
            arrays,
            config,
            ..,
            usage,
            defaults,
            commented,
            comment,
        ] = &all[..]
        else {
            panic!("there are {}", all.len());
        };
        assert!(new.line().ends_with(" -j 1234"), "{}", new.line());
        assert_eq!(arrays.line(), "squeue -h -a -t PENDING -o '%F|%K' -j 1234");
        let kept = throttles_kept(Some("7|1-500%20\n8|1-3\n9|1,3,5,...%4\nx|1%2\n10|1-2%0\n"));
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [(7, 20), (8, 0), (9, 4), (10, 0)]);
        assert_eq!(config.line(), "scontrol show config");
        assert_eq!(usage.line(), "sshare -a -P --format=Account,User,RawUsage");
        assert_eq!(usage_kept(&kept_usage(Time(1234), "a\nb\n")), Some((Time(1234), "a\nb\n")));
        assert_eq!(defaults.line(), "sinfo -h -a -o '%R|%P|%L'");
        assert_eq!(commented.line(), "scontrol -o show job 1234");
        assert!(
            comment.line().starts_with("scontrol update JobId=1234 'AdminComment="),
            "{}",
            comment.line()
        );
        assert_eq!(name.line(), "scontrol show config");
        assert!(queue.line().starts_with("squeue -h -a -r -t all -o '%i|%T|"), "{}", queue.line());
        assert!(nodes.line().starts_with("sinfo -h -a -N -o '%N|"), "{}", nodes.line());
        let line = accounting.line();
        assert!(
            line.starts_with("sacct -S uts1699913600 -a -X -D -P --delimiter=$'\\x1f' -E uts1700000000 "),
            "{line}"
        );
        assert!(late.line().ends_with(" -j 1234"), "{}", late.line());
        assert!(line.contains("--state=BF,") && line.contains("--format=JobIDRaw,JobID,"), "{line}");
    }
}
