//! `queuecast site capture`: saves what a site's Slurm says about itself, all of it or nothing.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use queuecast_operate::SlurmCommands;
use queuecast_process::failure::Failure;
use queuecast_process::printer::{self, Printer};
use queuecast_process::program::Unanswered;
use queuecast_process::staged::StagedFiles;
use queuecast_slurm_texts::{
    CaptureRecord, CapturedSite, CommandAnswer, WithoutAnswer, capture_commands, check_answer, hides_jobs,
    without_answer,
};

use crate::commands::outside;
use crate::spec;

/// Save what Slurm says about this site: nodes, partitions, QOS, accounts, and its accounting
///
/// Runs scontrol, sacctmgr and sacct, which change nothing, and writes their answers into a folder: all of them at once, or nothing. An answer that is not what the command prints is refused, and what was in the folder stays. If only sacctmgr or sacct (or scontrol show topology) cannot be asked, the rest is written, what is missing is recorded in capture.json, so that every command that reads the folder says so, and the exit code is 3.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to write to; made if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How many days of accounting and of outages of nodes are saved
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub days: u32,
    /// Save no accounting and no outages of nodes
    #[arg(long, conflicts_with = "days")]
    pub no_accounting: bool,
    #[command(flatten)]
    pub outside: outside::Arguments,
}

const HINT: &str = "run this on a machine of the site, where scontrol and sacctmgr work";

/// Runs all commands, checks all answers, then writes all files.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let commands = arguments.outside.commands(printer);
    let asked = ask(&commands, (!arguments.no_accounting).then_some(arguments.days))?;
    let config = asked.first().and_then(|one| one.answer.as_deref().ok()).unwrap_or_default();
    if !arguments.no_accounting && hides_jobs(config) {
        printer.warning(
            "this site shows users only their own jobs (PrivateData): unless you are an operator or administrator of it, the accounting has only yours, and forecasts from it do not see the others",
        );
    }
    let name = arguments.folder.display().to_string();
    let staged = StagedFiles::begin(&arguments.folder)?;
    let record = CaptureRecord {
        queuecast_capture: CaptureRecord::FORM,
        captured: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64),
        staged: staged.staged_in(),
        answers: asked.iter().map(CommandAnswer::recorded).collect(),
    };
    let (mut files, mut gone) = (Vec::new(), Vec::new());
    for CommandAnswer { command, answer } in &asked {
        match answer {
            Ok(text) => {
                staged.write(command.file, text)?;
                files.push(command.file);
            }
            Err(_) => gone.push(command.file),
        }
    }
    staged.write(CaptureRecord::FILE, &printer::json(&record)?)?;
    staged.commit(CaptureRecord::FILE, &files, &gone)?;
    printer.answer(&CapturedSite::of(name.clone(), &asked))?;
    printer.note(&format!("queuecast site check {name} says what is understood of it"));
    let missing: Vec<String> =
        record.missing().map(|(command, why)| format!("{command} could not be asked ({why})")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::input(format!("the capture is incomplete: {}", missing.join("; "))).hint(format!(
        "{name} has the rest, and records what is missing; capture again when slurmdbd answers"
    )))
}

/// Asks all commands, and checks what they answer.
///
/// # Errors
/// If something cannot be asked that no capture is made without, or an answer is not what the command prints.
fn ask(commands: &SlurmCommands<'_>, days: Option<u32>) -> Result<Vec<CommandAnswer>, Failure> {
    let mut asked: Vec<CommandAnswer> = Vec::new();
    for command in capture_commands(days) {
        let line = command.short_line();
        let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        let answer = match commands.printed(command.program, &words) {
            Ok(text) => match check_answer(command.kind, &text) {
                Ok(()) => Ok(text),
                Err(why) => Err((Unanswered::Failed(why.to_string()), false)),
            },
            Err(why) => Err((why, true)),
        };
        let answer = match answer {
            Ok(text) => Ok(text),
            Err((why, has_failed)) => {
                // The configuration is asked first.
                let config = asked.first().and_then(|one| one.answer.as_deref().ok()).unwrap_or_default();
                let without = match without_answer(command.kind, config) {
                    WithoutAnswer::Nothing => WithoutAnswer::Nothing,
                    WithoutAnswer::Missing if has_failed && !matches!(why, Unanswered::Absent) => {
                        WithoutAnswer::Missing
                    }
                    _ => return Err(refused(why, &line, has_failed)),
                };
                Err((without, why.to_string()))
            }
        };
        asked.push(CommandAnswer { command, answer });
    }
    Ok(asked)
}

/// Nothing is written.
fn refused(why: Unanswered, line: &str, has_failed: bool) -> Failure {
    let failure = if has_failed {
        why.failure(line, HINT)
    } else {
        Failure::input(format!("{line}: {why}")).hint(HINT)
    };
    failure.hint("nothing was written; what was captured before is as it was")
}
