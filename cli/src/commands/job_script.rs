//! A job script as a question: what its `#SBATCH` lines ask for.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use queuecast::cluster::TimeLimit;
use queuecast::report::{duration, words};
use queuecast::slurm::{beyond_processors, is_job_script, sbatch_line, script_arguments};
use queuecast::units::Procs;

use super::newcomer;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::Printer;

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

/// Takes what a job script asks for where no option says it, and says what was understood.
pub fn take(asked: &mut newcomer::Arguments, path: &Path, printer: &Printer) -> Result<(), Failure> {
    let mut text = Vec::new();
    let input = Input::open(path, printer)?;
    let name = input.name.clone();
    input
        .take(LONGEST)
        .read_to_end(&mut text)
        .map_err(|cause| Failure::input(format!("cannot read {name}")).because(cause))?;
    let text = String::from_utf8_lossy(&text);
    if !is_job_script(&text) {
        return Err(Failure::input(format!(
            "{name}: no job script: it neither begins with #! nor has #SBATCH lines"
        )));
    }
    let arguments = script_arguments(&text);
    let read = sbatch_line(&arguments).map_err(|error| {
        Failure::input(format!("{name}: {error}")).hint("its #SBATCH lines are read as sbatch reads them")
    })?;
    if asked.slurm.site.is_some() {
        // Later arguments replace earlier ones, as options of sbatch replace lines of the script.
        let given = asked.slurm.sbatch.take().map_or_else(String::new, |given| format!(" {given}"));
        printer.note(&format!("{name}: understood as sbatch {arguments}"));
        asked.slurm.sbatch = Some(format!("{arguments}{given}"));
        return Ok(());
    }
    let request = &read.request;
    let (procs, limit) = (Procs(request.processors()), request.time_limit);
    let time = match limit {
        Some(TimeLimit::Of(limit)) => format!(" for {}", duration::exact(limit)),
        Some(TimeLimit::Unlimited) => " without a time limit".to_owned(),
        None => String::new(),
    };
    let partition = request.partitions.first();
    let place = partition.map_or_else(String::new, |name| format!(" in partition {name}"));
    printer.note(&format!("{name}: understood as {}{time}{place}", words::number_of(procs.0, "processor")));
    let mut ignored = read.not_modelled.clone();
    ignored.extend(beyond_processors(request));
    if !ignored.is_empty() {
        printer.note(&format!(
            "{name}: the machine is taken as processors alone, and one job is asked about; {} {} not looked at beyond that. --site simulates Slurm's own scheduler",
            ignored.join(", "),
            if ignored.len() == 1 { "is" } else { "are" }
        ));
    }
    asked.size = asked.size.or(Some(procs.0));
    if let Some(TimeLimit::Of(limit)) = limit {
        asked.time = asked.time.or(Some(limit));
    }
    if asked.live.live {
        asked.live.partition = asked.live.partition.take().or(partition.cloned());
    } else {
        asked.queue = asked.queue.take().or(partition.cloned());
    }
    Ok(())
}
