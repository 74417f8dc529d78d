//! `queuecast search`: which templates predict the run times of a log best.

mod answer;
mod arguments;
mod checkpoint_file;
mod progress;
mod templates_file;
mod text;
mod values;

use queuecast::study::search::{Search, SearchError, SearchRun, Stopped};

use self::answer::SearchAnswer;
pub use self::arguments::Arguments;
use self::checkpoint_file::CheckpointFile;
use self::progress::StepProgress;
use super::loaded::{Loaded, number_of};
use super::{cleaning, threads};
use crate::failure::{Failure, Kind};
use crate::interrupt::StopRequest;
use crate::invocation::Invocation;
use crate::output::PlannedFile;
use crate::printer::Printer;

/// Searches, keeps checkpoints, writes the templates, and shows their errors beside those of baselines.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    // Files that cannot be written are refused before the search begins.
    let inputs = [arguments.file.as_path()];
    let output = arguments.output.as_deref().map(|path| PlannedFile::new(path, &inputs)).transpose()?;
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
    let answered = SearchAnswer {
        version: env!("CARGO_PKG_VERSION"),
        report,
        workload: trace.facts(),
        cleaning: &trace.log.report,
        trace: &trace,
        program: invocation.program(),
        file: arguments.file.display().to_string(),
        written: arguments.output.as_ref().map(|path| path.display().to_string()),
    };
    if let Some(output) = output {
        templates_file::write(output, &answered)?;
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

/// How far an interrupted search was, and its best template set.
fn stopped(search: &Search) -> String {
    let generations = search.genetic_part().map_or(0, |genetic| genetic.history().len());
    let mut said = match search.greedy_part() {
        Some(greedy) if !greedy.is_done() => "interrupted during the greedy search".to_owned(),
        _ if generations == 0 => "interrupted during the first generation".to_owned(),
        _ => format!("interrupted after generation {generations} of {}", search.evolution().generations),
    };
    if let Some((templates, error)) = search.best() {
        said += &format!("; the best so far, with a mean error of {:.2} min: {templates}", error / 60.0);
    }
    said
}

#[cfg(test)]
mod tests {
    use queuecast::predict::template::TemplateSet;
    use queuecast::study::search::{Evolution, Space};

    use super::*;

    #[test]
    fn a_stopped_search_says_how_far_it_came() {
        let space = Space::of(&[]);
        let evolution = Evolution { generations: 3, ..Evolution::default() };
        let mut score = |sets: &[TemplateSet]| Ok::<_, Stopped>(vec![90.0; sets.len()]);
        let mut search = Search::genetic(space.clone(), evolution, Some(space));
        assert_eq!(stopped(&search), "interrupted during the greedy search");
        search.step(&mut score).unwrap();
        let best = "; the best so far, with a mean error of 1.50 min: ()";
        assert_eq!(stopped(&search), format!("interrupted during the greedy search{best}"));
        search.step(&mut score).unwrap();
        assert_eq!(stopped(&search), format!("interrupted during the first generation{best}"));
        search.step(&mut score).unwrap();
        assert!(stopped(&search).starts_with("interrupted after generation 1 of 3; the best so far"));
    }
}
