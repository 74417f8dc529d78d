//! `queuecast search`: which templates predict the run times of a log best.

mod arguments;
mod checkpoint_file;
mod progress;

use queuecast_process::failure::{Failure, Kind};
use queuecast_process::interrupt::StopRequest;
use queuecast_process::invocation::{Invocation, quoted};
use queuecast_process::printer::Printer;
use queuecast_report::search::{SearchAnswer, stopped};
use queuecast_report::words::number_of;
use queuecast_study::search::{Search, SearchError, SearchRun, Stopped};

pub use self::arguments::Arguments;
use self::checkpoint_file::CheckpointFile;
use self::progress::StepProgress;
use super::loaded::Loaded;
use super::{cleaning, threads};

/// Searches, keeps checkpoints, writes the templates, and shows their errors beside those of baselines.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    // Files that cannot be written are refused before the search begins.
    let inputs = [arguments.file.as_path()];
    let output = arguments.replacing.plan(arguments.output.as_deref(), &inputs)?;
    let plot = arguments.plotting.plan(&inputs)?;
    let checkpoint = arguments.checkpoint.as_deref();
    let checkpoint =
        checkpoint.map(|path| CheckpointFile::new(path, &arguments.file, arguments.resume)).transpose()?;
    let trace = Loaded::read(&arguments.file, &arguments.source, printer)?;
    let request = arguments.request();
    let mut run =
        SearchRun::new(&trace.log.workload, &request).map_err(|error| refused(&trace.name, &error))?;
    if let Some(checkpoint) = checkpoint.as_ref().filter(|_| arguments.resume) {
        checkpoint.resume(&mut run)?;
    }
    let keep = |run: &SearchRun<'_>| checkpoint.as_ref().map_or(Ok(()), |file| file.write(run));
    let interrupt = StopRequest::listen();
    let report = threads::on_threads(arguments.threads, usize::from(u16::MAX), || {
        let progress = StepProgress::new(printer);
        while !run.is_done() {
            progress.show(run.search());
            let step = run.step(&|| interrupt.is_asked());
            if let Err(Stopped) = step {
                progress.end();
                // Before the first step, there is no checkpoint yet.
                keep(&run)?;
                return Err(interrupted(run.search(), checkpoint.as_ref(), invocation));
            }
            keep(&run)?;
        }
        progress.end();
        Ok(run.report())
    })?;
    let answered = SearchAnswer::new((&trace.name, &trace.log), report, |found| {
        let written = arguments.output.as_ref().map(|path| format!("@{}", path.display()));
        let templates = format!("template:{}", written.as_deref().unwrap_or(found));
        let [file, templates] = [&arguments.file.display().to_string(), &templates].map(|word| quoted(word));
        format!("{} simulate {file} --policy sjbf --predictor {templates}", invocation.program())
    });
    if let Some(output) = output {
        output.write(&answered.templates_file())?;
    }
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    plot.answer(&answered, printer)
}

/// Why the log cannot be searched, with the options that help.
fn refused(name: &str, error: &SearchError) -> Failure {
    match error {
        SearchError::TooFewJobs { searched, jobs, needed } => {
            let of = if searched < jobs { format!(" of {jobs}") } else { String::new() };
            Failure::input(format!(
                "{name}: {}{of} to search on, but at least {needed} are needed, and one more where some are held out",
                number_of(*searched, "job")
            ))
            .hint("search on a longer log, or hold out less of it; queuecast trace info shows what is in it")
        }
        SearchError::NoWaits => Failure::input(format!(
            "{name} does not record how long jobs waited, so their starts are unknown"
        ))
        .hint("--replay submit predicts jobs as they are submitted, and needs no waits"),
        SearchError::Absent { missing, present } => {
            Failure::input(format!("the jobs of {name} do not differ in {missing}; they do in {present}"))
                .hint("give --characteristics among those, or leave it out to search all of them")
        }
    }
}

/// The failure of an interrupted search.
fn interrupted(search: &Search, checkpoint: Option<&CheckpointFile>, invocation: &Invocation) -> Failure {
    let failure = Failure::new(Kind::Interrupted, stopped(search));
    match checkpoint {
        Some(checkpoint) => failure.hint(format!(
            "nothing before that is lost ({}); to resume: {}",
            checkpoint.name(),
            invocation.resumed()
        )),
        None => failure.hint("nothing was kept; with --checkpoint FILE an interrupted search can be resumed"),
    }
}
