//! `queuecast search`: which templates predict the run times of a log best.

mod answer;
mod arguments;
mod checkpoint;
mod choices;
mod found;
mod interrupt;
mod live;
mod scoring;
mod space;
mod text;

use queuecast::eval::search::{Evolution, Search};

use self::answer::Answered;
pub use self::arguments::Arguments;
use self::arguments::How;
use self::checkpoint::{Checkpoint, Identity};
use self::interrupt::Interrupt;
use self::live::Live;
use self::scoring::{Interrupted, Scoring};
use super::loaded::Loaded;
use super::{cleaning, threads};
use crate::failure::{Failure, Kind};
use crate::invocation::Invocation;
use crate::output::Planned;
use crate::printer::Printer;

/// Searches, keeps checkpoints, writes what was found, and shows it beside simpler predictors.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    // Files that cannot be written are refused before anybody waits for what goes into them.
    let inputs = [arguments.file.as_path()];
    let output = arguments.output.as_deref().map(|path| Planned::new(path, &inputs)).transpose()?;
    let checkpoint = arguments.checkpoint.as_deref();
    let checkpoint =
        checkpoint.map(|path| Checkpoint::new(path, &arguments.file, arguments.resume)).transpose()?;
    let trace = Loaded::read(&arguments.file, &arguments.source, printer)?;
    let scoring = Scoring::new(&trace, arguments.replay, arguments.holdout)?;
    let identity = Identity::of(&trace, arguments.replay, &scoring);
    let mut search = asked(arguments, &scoring, &trace.name)?;
    if let Some(checkpoint) = checkpoint.as_ref().filter(|_| arguments.resume) {
        search = checkpoint.read(&identity, &search)?;
    }
    let keep = |search: &Search| checkpoint.as_ref().map_or(Ok(()), |file| file.write(&identity, search));
    let interrupt = Interrupt::listen()?;
    let results = threads::on_threads(arguments.threads, usize::from(u16::MAX), || {
        let live = Live::new(printer);
        while !search.is_done() {
            live.show(&search);
            let step = search.step(&mut |sets| scoring.errors(sets, &interrupt));
            if let Err(Interrupted) = step {
                live.end();
                // Before the first step, there is no checkpoint yet.
                keep(&search)?;
                return Err(interrupted(&search, checkpoint.as_ref(), invocation));
            }
            keep(&search)?;
        }
        live.end();
        Ok(scoring.results(&search))
    })?;
    let answered = Answered::new(arguments, &trace, &scoring, &search, results);
    if let Some(output) = output {
        found::write(output, &answered)?;
    }
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    printer.answer(&answered)
}

/// The search that was asked for, of what these jobs offer.
fn asked(arguments: &Arguments, scoring: &Scoring<'_>, name: &str) -> Result<Search, Failure> {
    let space = space::space(arguments, scoring.jobs(), name)?;
    let greedy = space::without_default_histories(arguments, &space);
    let evolution = Evolution {
        population: arguments.population as usize,
        generations: arguments.generations as usize,
        seed: arguments.seed,
    };
    Ok(match arguments.method {
        How::Greedy => Search::greedy(greedy),
        How::Genetic => Search::genetic(space, evolution, (!arguments.unseeded).then_some(greedy)),
    })
}

/// What is said of a search that was stopped.
fn interrupted(search: &Search, checkpoint: Option<&Checkpoint>, invocation: &Invocation) -> Failure {
    let failure = Failure::new(Kind::Interrupted, stopped(search));
    match checkpoint {
        Some(checkpoint) => failure.hint(format!(
            "nothing before that is lost ({}); to go on: {}",
            checkpoint.name(),
            invocation.resumed()
        )),
        None => failure.hint("nothing was kept; with --checkpoint FILE a search can be gone on with"),
    }
}

/// How far a search came, and what it had found.
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
    use queuecast::eval::search::Space;
    use queuecast::predict::template::TemplateSet;

    use super::*;

    #[test]
    fn a_stopped_search_says_how_far_it_came() {
        let space = Space::of(&[]);
        let evolution = Evolution { generations: 3, ..Evolution::default() };
        let mut score = |sets: &[TemplateSet]| Ok::<_, Interrupted>(vec![90.0; sets.len()]);
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
