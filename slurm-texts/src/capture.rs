//! A site captured: the commands that are asked, and the record of what could not be asked.

use serde::{Deserialize, Serialize};

use super::conf::settings;
use super::file_kind::SiteFileKind;
use queuecast_trace::sacct::ARGUMENTS;

/// One command of a capture and the file for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureCommand {
    /// The file that the answer is saved in.
    pub file: &'static str,
    /// The program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What the answer is.
    pub kind: SiteFileKind,
}

impl CaptureCommand {
    /// Program and arguments as they are typed in bash.
    pub fn line(&self) -> String {
        format!("{} {}", self.program, self.arguments.join(" ")).replace('\x1f', "$'\\x1f'")
    }

    /// Program and arguments without the list of columns.
    pub fn short_line(&self) -> String {
        let line = self.line();
        let end = [" format=", " --format="].into_iter().filter_map(|at| line.find(at)).min();
        line[..end.unwrap_or(line.len())].to_owned()
    }
}

const ASSOCIATIONS: &str = "format=Cluster,Account,User,Partition,ParentName,Share,Priority,GrpJobs,GrpJobsAccrue,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,GrpTRESRunMins,MaxJobs,MaxJobsAccrue,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS";

/// The commands of a capture; with a number of days also those for the accounting and the outages of nodes in that time. None
/// changes anything. The configuration comes first: it tells whether the site has switches and accounting at all.
pub fn capture_commands(accounting_days: Option<u32>) -> Vec<CaptureCommand> {
    let command = |file, program, arguments: &[&str], kind| CaptureCommand {
        file,
        program,
        arguments: arguments.iter().map(|&one| one.to_owned()).collect(),
        kind,
    };
    let mut commands = vec![
        command("scontrol-config.txt", "scontrol", &["show", "config"], SiteFileKind::Config),
        command("scontrol-partition.txt", "scontrol", &["-a", "show", "partition"], SiteFileKind::Partitions),
        command("scontrol-node.txt", "scontrol", &["-a", "show", "node"], SiteFileKind::Nodes),
        command(
            "scontrol-reservation.txt",
            "scontrol",
            &["-a", "show", "reservation"],
            SiteFileKind::Reservations,
        ),
        command("scontrol-topology.txt", "scontrol", &["show", "topology"], SiteFileKind::TopologyConf),
        command("sacctmgr-qos.psv", "sacctmgr", &["show", "qos", "-P"], SiteFileKind::Qos),
        command(
            "sacctmgr-assoc.psv",
            "sacctmgr",
            &["show", "assoc", "-P", ASSOCIATIONS],
            SiteFileKind::Associations,
        ),
    ];
    if let Some(days) = accounting_days {
        let since = format!("now-{days}days");
        let start = format!("Start={since}");
        let events = ["show", "event", "-P", &start];
        commands.push(command(EVENTS_FILE, "sacctmgr", &events, SiteFileKind::NodeEvents));
        let sacct: Vec<&str> = ["-S", &since].into_iter().chain(ARGUMENTS).collect();
        commands.push(command(ACCOUNTING_FILE, "sacct", &sacct, SiteFileKind::Accounting));
    }
    commands
}

/// The file of a capture that has the accounting.
pub const ACCOUNTING_FILE: &str = "sacct.psv";

/// The file of a capture that has the outages of nodes.
const EVENTS_FILE: &str = "sacctmgr-event.psv";

/// Whether a site can be captured without the answer to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutAnswer {
    /// No: there is no capture without it.
    Refused,
    /// Yes: by its configuration, the site has nothing that the command could print.
    Nothing,
    /// Yes, and the capture records it as missing.
    Missing,
}

/// The value of a setting in a configuration (`scontrol show config`), in lower case.
fn configured(config: &str, key: &str) -> Option<String> {
    let found = settings("", config).into_iter().rev().find(|one| one.key.eq_ignore_ascii_case(key));
    found.map(|one| one.value.to_ascii_lowercase())
}

/// Whether Slurm shows users no jobs but their own, operators excepted (`PrivateData`): accounting that a user captures may then lack
/// most jobs.
pub fn hides_jobs(config: &str) -> bool {
    let hidden = configured(config, "PrivateData").unwrap_or_default();
    hidden.split(',').any(|what| ["jobs", "all"].contains(&what.trim()))
}

/// Whether a site can be captured without the answer to a command, by its own configuration (`scontrol show config`).
pub fn without_answer(kind: SiteFileKind, config: &str) -> WithoutAnswer {
    let said = |key: &str| configured(config, key);
    let is_none = |value: &str| value.is_empty() || value == "(null)" || value.ends_with("/none");
    match kind {
        SiteFileKind::TopologyConf => match said("TopologyPlugin").as_deref() {
            Some("topology/tree" | "topology/block") => WithoutAnswer::Missing,
            _ => WithoutAnswer::Nothing,
        },
        SiteFileKind::Qos
        | SiteFileKind::Associations
        | SiteFileKind::NodeEvents
        | SiteFileKind::Accounting => match said("AccountingStorageType") {
            Some(kind) if is_none(&kind) => WithoutAnswer::Nothing,
            _ => WithoutAnswer::Missing,
        },
        _ => WithoutAnswer::Refused,
    }
}

/// One command of a capture and what came of it.
#[derive(Debug, Clone)]
pub struct CommandAnswer {
    /// The command.
    pub command: CaptureCommand,
    /// What it printed; or why there is no answer, and what that means for the capture.
    pub answer: Result<String, (WithoutAnswer, String)>,
}

impl CommandAnswer {
    fn lines(&self) -> Option<usize> {
        self.answer.as_ref().ok().map(|text| text.lines().count())
    }

    /// What the capture records of it.
    pub fn recorded(&self) -> CapturedAnswer {
        let missing = match &self.answer {
            Err((WithoutAnswer::Missing, why)) => Some(why.clone()),
            _ => None,
        };
        let (command, file) = (self.command.short_line(), self.command.file.to_owned());
        CapturedAnswer { command, file, lines: self.lines(), missing }
    }
}

/// What was captured of a site.
#[derive(Debug, Clone, Serialize)]
pub struct CapturedSite {
    /// Where it was written to.
    pub folder: String,
    /// One for each command.
    pub files: Vec<CapturedFile>,
}

/// The file of one command.
#[derive(Debug, Clone, Serialize)]
pub struct CapturedFile {
    /// Its name.
    pub file: String,
    /// The command as it is typed.
    pub command: String,
    /// `None` if it was not written.
    pub lines: Option<usize>,
    /// Why it was not.
    pub failed: Option<String>,
}

impl CapturedSite {
    /// Of the answers of all commands.
    pub fn of(folder: String, answers: &[CommandAnswer]) -> CapturedSite {
        let file = |one: &CommandAnswer| CapturedFile {
            file: one.command.file.to_owned(),
            command: one.command.line(),
            lines: one.lines(),
            failed: one.answer.as_ref().err().map(|(_, why)| why.clone()),
        };
        CapturedSite { folder, files: answers.iter().map(file).collect() }
    }
}

/// What a capture consists of, and what it lacks: the file that makes the others a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureRecord {
    /// The form of this record.
    pub queuecast_capture: u32,
    /// When the site was asked, as a Unix time.
    pub captured: i64,
    /// The folder, next to this file, that the files come from. While it exists its files take precedence, so a capture
    /// interrupted from here on is still complete.
    pub staged: String,
    /// Each command and what became of it.
    pub answers: Vec<CapturedAnswer>,
}

/// One command of a capture and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedAnswer {
    /// The command.
    pub command: String,
    /// The file of its answer.
    pub file: String,
    /// The lines of its answer; `None` without one.
    pub lines: Option<usize>,
    /// Why it could not be asked; `None` if it answered, or if the site has nothing that it could tell.
    pub missing: Option<String>,
}

impl CaptureRecord {
    /// The name of its file.
    pub const FILE: &'static str = "capture.json";
    /// The form that is written.
    pub const FORM: u32 = 1;

    /// Reads a record.
    ///
    /// # Errors
    /// If the text is none, or one of another form.
    pub fn read(text: &str) -> Result<CaptureRecord, String> {
        let record: CaptureRecord =
            serde_json::from_str(text).map_err(|cause| format!("not a record of a capture: {cause}"))?;
        if record.queuecast_capture != CaptureRecord::FORM {
            return Err(format!(
                "a record of form {}, and only form {} is known",
                record.queuecast_capture,
                CaptureRecord::FORM
            ));
        }
        Ok(record)
    }

    /// The commands that could not be asked, and why.
    pub fn missing(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.iter().filter_map(|one| Some((one.command.as_str(), one.missing.as_deref()?)))
    }

    /// Whether a file of this name belongs to another capture: this one has no such answer.
    pub fn is_left_over(&self, file: &str) -> bool {
        self.answers.iter().any(|one| one.file == file && one.lines.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "Configuration data as of 2026-01-01T00:00:00\nAccountingStorageType   = accounting_storage/slurmdbd\nClusterName             = toy\nTopologyPlugin          = topology/flat\n\nSlurmctld(primary) at c0 is UP\n";

    #[test]
    fn the_configuration_says_what_a_site_has() {
        let none = CONFIG.replace("/slurmdbd", "/none");
        let tree = CONFIG.replace("/flat", "/tree");
        for (kind, config, expected) in [
            (SiteFileKind::Qos, CONFIG, WithoutAnswer::Missing),
            (SiteFileKind::Associations, "ClusterName = toy\n", WithoutAnswer::Missing),
            (SiteFileKind::Qos, &none, WithoutAnswer::Nothing),
            (SiteFileKind::TopologyConf, CONFIG, WithoutAnswer::Nothing),
            (SiteFileKind::TopologyConf, &tree, WithoutAnswer::Missing),
            (SiteFileKind::Nodes, &none, WithoutAnswer::Refused),
        ] {
            assert_eq!(without_answer(kind, config), expected, "{kind}");
        }
    }

    #[test]
    fn jobs_of_others_may_be_hidden() {
        for (value, hides) in
            [("none", false), ("accounts,usage", false), ("accounts,jobs", true), ("ALL", true)]
        {
            assert_eq!(hides_jobs(&format!("{CONFIG}PrivateData = {value}\n")), hides, "{value}");
        }
        assert!(!hides_jobs(CONFIG));
    }

    #[test]
    fn a_record_is_read_back_and_another_form_is_not() {
        let answer = |file: &str, lines, missing: Option<&str>| CapturedAnswer {
            command: file.to_owned(),
            file: file.to_owned(),
            lines,
            missing: missing.map(str::to_owned),
        };
        let record = CaptureRecord {
            queuecast_capture: CaptureRecord::FORM,
            captured: 5,
            staged: "x".to_owned(),
            answers: vec![
                answer("a", Some(3), None),
                answer("b", None, Some("down")),
                answer("c", None, None),
            ],
        };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(CaptureRecord::read(&text).as_ref(), Ok(&record));
        assert_eq!(record.missing().collect::<Vec<_>>(), [("b", "down")]);
        assert_eq!(["a", "b", "c", "d"].map(|file| record.is_left_over(file)), [false, true, true, false]);
        let other = text.replace("\"queuecast_capture\":1", "\"queuecast_capture\":2");
        assert!(CaptureRecord::read(&other).unwrap_err().contains("form 2"));
        assert!(CaptureRecord::read("{}").is_err());
    }
}
