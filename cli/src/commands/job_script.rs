//! A job script as a question: what its `#SBATCH` lines ask for.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use queuecast_core::units::Procs;
use queuecast_place::ScriptJob;
use queuecast_process::failure::Failure;
use queuecast_process::input::Input;
use queuecast_process::printer::Printer;
use queuecast_report::{duration, words};
use queuecast_slurm_texts::is_job_script;

use super::newcomer;

/// A longer text is no job script.
const LONGEST: u64 = 1 << 22;

/// Whether a file is a job script. What cannot be read is none, and is refused when it is read as something else.
pub fn is_one(path: &Path) -> bool {
    // A pipe can be read only once.
    if !path.metadata().is_ok_and(|about| about.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut head));
    read.is_ok() && is_job_script(&String::from_utf8_lossy(&head))
}

/// What is to be said of a job script once it is known whether the scheduler of a site answers.
pub struct ScriptNotes {
    /// If it does.
    by_scheduler: Vec<String>,
    /// If the machine is a number of processors.
    by_processors: Vec<String>,
}

impl ScriptNotes {
    /// Says it.
    pub fn tell(&self, is_by_scheduler: bool, printer: &Printer) {
        let notes = if is_by_scheduler { &self.by_scheduler } else { &self.by_processors };
        notes.iter().for_each(|note| printer.note(note));
    }
}

/// Takes what a job script asks for where no option says it. `asks_several`: whether options say which jobs are asked about.
pub fn take(
    asked: &mut newcomer::Arguments,
    path: &Path,
    asks_several: bool,
    printer: &Printer,
) -> Result<Option<ScriptNotes>, Failure> {
    let mut text = Vec::new();
    let input = Input::open(path, printer)?;
    let name = input.name.clone();
    input
        .take(LONGEST)
        .read_to_end(&mut text)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    let read = ScriptJob::read(&name, &String::from_utf8_lossy(&text))?;
    if asked.slurm.site.is_some() {
        // Later arguments replace earlier ones, as options of sbatch replace lines of the script.
        let given = asked.slurm.sbatch.take().map_or_else(String::new, |given| format!(" {given}"));
        printer.note(&format!("{name}: understood as sbatch {}", read.arguments));
        asked.slurm.sbatch = Some(format!("{}{given}", read.arguments));
        return Ok(None);
    }
    let mut by_processors = Vec::new();
    let time = match read.time {
        Some(limit) => format!(" for {}", duration::exact(limit)),
        None if read.is_unlimited => " without a time limit".to_owned(),
        None => String::new(),
    };
    let place = read.partitions.as_ref().map_or_else(String::new, |name| format!(" in partition {name}"));
    let procs = words::number_of(read.procs.0, "processor");
    by_processors.push(format!("{name}: understood as {procs}{time}{place}"));
    let mut by_scheduler = vec![format!("{name}: understood as sbatch {}", read.arguments)];
    if let Some(array) = read.array.as_ref().filter(|_| !asks_several) {
        let note = format!(
            "{name}: one job of its array is asked about; --array {array} asks when all of them start and end"
        );
        by_scheduler.push(note.clone());
        by_processors.push(note);
    }
    let ignored: Vec<&str> =
        read.ignored.iter().map(String::as_str).filter(|one| !one.starts_with("--array=")).collect();
    if !ignored.is_empty() {
        by_processors.push(format!(
            "{name}: the machine is taken as processors alone; {} {} not looked at beyond that. At a site that queuecast collect follows, or with --site, Slurm's own scheduler is simulated",
            ignored.join(", "),
            if ignored.len() == 1 { "is" } else { "are" }
        ));
    }
    asked.lines = Some(read.sbatch(asked.size.map(Procs)));
    asked.size = asked.size.or(Some(read.procs.0));
    asked.time = asked.time.or(read.time);
    if asked.live.live {
        asked.live.partition = asked.live.partition.take().or(read.partitions);
    } else {
        asked.queue = asked.queue.take().or(read.partition);
    }
    Ok(Some(ScriptNotes { by_scheduler, by_processors }))
}
