//! `queuecast search`: which templates predict the run times of a log best.

mod answer;
mod checkpoint;
mod choices;
mod found;
mod interrupt;
mod live;
mod people;
mod scoring;

use std::path::PathBuf;

use clap::ValueEnum;
use queuecast::eval::search::{Evolution, MOST_TEMPLATES, SMALLEST_POPULATION, Search};
use queuecast::predict::template::Estimator;

use self::answer::Answered;
use self::checkpoint::{Checkpoint, Identity};
use self::choices::{Letter, Remembered};
use self::interrupt::Interrupt;
use self::live::Live;
use self::scoring::{Interrupted, Scoring};
use super::loaded::Loaded;
use super::source::Source;
use super::{cleaning, threads};
use crate::failure::{Failure, Kind};
use crate::output::Planned;
use crate::printer::Printer;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  The templates that predict a log best, for use with simulate and compare:
    queuecast search CTC-SP2.swf.gz --output ctc.templates
    queuecast simulate CTC-SP2.swf.gz --policy sjbf --predictor template:@ctc.templates

  Searched on the first half, judged on the second:
    queuecast search CTC-SP2.swf.gz --holdout 0.5

  A long search that can be interrupted with Ctrl-C and gone on with:
    queuecast search CTC-SP2.swf.gz --generations 500 --checkpoint ctc.search
    queuecast search CTC-SP2.swf.gz --generations 500 --checkpoint ctc.search --resume

  A log that does not say how long jobs waited:
    queuecast search made-up.swf --replay submit --method greedy";

/// Search for the job characteristics that predict run times best
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How to search
    #[arg(long, value_name = "METHOD", value_enum, default_value_t)]
    pub method: How,
    /// When jobs are predicted
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub replay: When,
    /// Keep this share of the jobs, the last ones, out of the search, and judge by them
    #[arg(long, value_name = "SHARE", value_parser = choices::share, allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// Template sets in a generation
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = spec::at_least::<{ SMALLEST_POPULATION as i64 }, u32>, allow_negative_numbers = true, help_heading = "Genetic search")]
    pub population: u32,
    /// How many generations
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "Genetic search")]
    pub generations: u32,
    /// Another seed is another search; the same seed is always the same one
    #[arg(
        long,
        value_name = "SEED",
        default_value_t = 1,
        allow_negative_numbers = true,
        help_heading = "Genetic search"
    )]
    pub seed: u64,
    /// Begin with random template sets only; without this, the best of a greedy search is one of the first
    /// generation, so that the result is never worse than that
    #[arg(long, help_heading = "Genetic search")]
    pub unseeded: bool,
    /// What may make jobs similar, of q (queue), p (partition), o (quality of service), u (user), g (group), k
    /// (account), e (executable) and n (ranges of processors); by default whatever jobs differ in
    #[arg(long, value_name = "LETTER,...", value_delimiter = ',', value_parser = choices::letter, help_heading = "What is searched")]
    pub characteristics: Vec<Letter>,
    /// How similar jobs become a prediction: mean, lr (linear regression on processors), inv, log
    #[arg(long, value_name = "WORD,...", value_delimiter = ',', default_value = "mean,lr", value_parser = choices::estimator, help_heading = "What is searched")]
    pub estimators: Vec<Estimator>,
    /// How many jobs a category may remember: numbers, and all; by default all for the greedy search, and all,
    /// 2, 4, 8, 16, 32, 128 and 512 for the genetic search
    #[arg(long, value_name = "JOBS,...", value_delimiter = ',', value_parser = choices::history, help_heading = "What is searched")]
    pub histories: Vec<Remembered>,
    /// Let categories remember all jobs, as the paper does
    #[arg(long, conflicts_with = "histories", help_heading = "What is searched")]
    pub no_history: bool,
    /// The most templates of one set
    #[arg(long, value_name = "N", default_value_t = MOST_TEMPLATES as u16, value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "What is searched")]
    pub max_templates: u16,
    #[command(flatten)]
    pub source: Source,
    /// Keep the state of the search here after each step, so that it can be gone on with
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint
    #[arg(long, requires = "checkpoint", help_heading = "Results")]
    pub resume: bool,
    /// Write the templates found, for --predictor template:@FILE
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub output: Option<PathBuf>,
    /// How many template sets are scored at once; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true, help_heading = "Results")]
    pub threads: Option<u16>,
    /// Leave out the chart
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
}

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum How {
    /// Template by template
    Greedy,
    /// By crossing and mutating template sets
    #[default]
    Genetic,
}

/// When jobs are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum When {
    /// As they start, which needs a log that says how long they waited
    #[default]
    Start,
    /// As they are submitted
    Submit,
}

impl When {
    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            When::Start => "start",
            When::Submit => "submit",
        }
    }
}

impl Arguments {
    /// The search that was asked for, of what these jobs offer.
    fn search(&self, scoring: &Scoring<'_>, name: &str) -> Result<Search, Failure> {
        let space = choices::space(self, scoring.jobs(), name)?;
        let greedy = choices::without_default_histories(self, &space);
        let evolution = Evolution {
            population: self.population as usize,
            generations: self.generations as usize,
            seed: self.seed,
        };
        Ok(match self.method {
            How::Greedy => Search::greedy(greedy),
            How::Genetic => Search::genetic(space, evolution, (!self.unseeded).then_some(greedy)),
        })
    }
}

/// Searches, keeps checkpoints, writes what was found, and shows it beside simpler predictors.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    // Files that cannot be written are refused before anybody waits for what goes into them.
    let inputs = [arguments.file.as_path()];
    let output = arguments.output.as_deref().map(|path| Planned::new(path, &inputs)).transpose()?;
    let checkpoint = arguments.checkpoint.as_deref();
    let checkpoint =
        checkpoint.map(|path| Checkpoint::new(path, &arguments.file, arguments.resume)).transpose()?;
    let trace = Loaded::read(&arguments.file, &arguments.source, printer)?;
    let scoring = Scoring::new(&trace, arguments.replay, arguments.holdout)?;
    let identity = Identity::of(&trace, arguments.replay, &scoring);
    let mut search = arguments.search(&scoring, &trace.name)?;
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
                return Err(interrupted(&search, checkpoint.as_ref()));
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

/// What is said of a search that was stopped.
fn interrupted(search: &Search, checkpoint: Option<&Checkpoint>) -> Failure {
    let failure = Failure::new(Kind::Interrupted, stopped(search));
    match checkpoint {
        Some(checkpoint) => failure.hint(format!(
            "nothing before that is lost ({}); to go on: {}",
            checkpoint.name(),
            interrupt::again()
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
    use clap::Parser;
    use queuecast::eval::search::Space;
    use queuecast::predict::template::TemplateSet;

    use super::*;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(line: &str) -> Arguments {
        Alone::try_parse_from(line.split(' ')).unwrap().arguments
    }

    #[test]
    fn the_file_is_enough() {
        let arguments = parse("search a.swf");
        assert_eq!((arguments.method, arguments.replay), (How::Genetic, When::Start));
        assert_eq!((arguments.population, arguments.generations, arguments.seed), (50, 50, 1));
        assert_eq!(arguments.estimators, [Estimator::Mean, Estimator::Linear]);
        assert!(!arguments.unseeded && arguments.max_templates == 10 && arguments.histories.is_empty());
    }

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

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (line, reason) in [
            ("search", "FILE"),
            ("search a --method hill", "greedy, genetic"),
            ("search a --population 3", "must be at least 4"),
            ("search a --generations 0", "must be at least 1"),
            ("search a --holdout 1", "between 0 and 1"),
            ("search a --holdout half", "between 0 and 1"),
            ("search a --characteristics u,x", "known are q, p, o, u, g, k, e, n"),
            ("search a --estimators median", "known are mean, lr, inv, log"),
            ("search a --histories 0", "a number of jobs from 1 on, or all"),
            ("search a --histories 2 --no-history", "cannot be used with"),
            ("search a --resume", "--checkpoint"),
            ("search a --max-templates 0", "must be at least 1"),
        ] {
            let error = Alone::try_parse_from(line.split(' ')).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
    }
}
