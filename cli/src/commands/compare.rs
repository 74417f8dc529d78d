//! `queuecast compare`: policies × predictors × corrections × event orders × traces, on all cores.

use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use queuecast_core::parallel;
use queuecast_core::workload::Workload;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_sim::predict::Correction;
use queuecast_sim::sim::{Backfill, EventOrder};
use queuecast_slurm_texts::{SiteChange, SiteOptions};
use queuecast_study::{
    ComparedTrace, ComparedVariants, ComparisonAnswer, ComparisonQuestion, Experiment, SitePolicy,
    VariantChanges, VariantsQuestion,
};

use super::loaded::{self, Loaded};
use super::shaken::ShakeOptions;
use super::site_texts::{log_texts, refuse_settings, site_policy, texts};
use super::source::{EVENT_ORDER, Scheduling, Source, correction_help, policy_help, predictor_help};
use super::variation::VariationOptions;
use super::{cleaning, threads};
use crate::commands::simulated::simulated;
use crate::plot::Plotting;
use crate::spec::{self, NamedPredictor, Several, SpecList};

const EXAMPLES: &str = "\
Examples:
  Four policies on one trace:
    queuecast compare KTH-SP2.swf.gz --policy fcfs,easy,sjbf,conservative

  Does predicting run times help, and how far is it from knowing them?
    queuecast compare traces/*.swf.gz --policy easy,sjbf \\
      --predictor requested,recent:2,perfect

  Is it luck? Means over 20 seeds that move every arrival by up to a minute:
    queuecast compare KTH-SP2.swf.gz --policy easy,sjbf --shake 1m --seeds 20

  A table for a paper:
    queuecast compare KTH-SP2.swf.gz --policy fcfs,easy --format markdown

  A Slurm site as it is, with another setting, and with another two:
    queuecast compare jobs.csv --site mysite --against bf_interval=60 \\
      --against 'bf_interval=60 PriorityWeightAge=2000' --shake 30s --seeds 5";

/// Simulate every combination of policies, predictors, corrections, event orders and traces, and compare
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The traces, compressed or not; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "POLICY,...", default_value = "fcfs,easy,sjbf,conservative", default_value_if("site", ArgPredicate::IsPresent, None::<&str>), value_parser = SpecList(spec::of::<Backfill>()), hide_possible_values = true)]
    #[arg(help = spec::of::<Backfill>().help("Who runs next"), long_help = policy_help())]
    pub policy: Vec<Several<Backfill>>,
    #[arg(long, value_name = "PREDICTOR,...", default_value = "requested", value_parser = SpecList(spec::predictor()), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("How long jobs are expected to run"), long_help = predictor_help())]
    pub predictor: Vec<Several<NamedPredictor>>,
    #[arg(long, value_name = "CORRECTION,...", default_value = "increments", value_parser = SpecList(spec::of::<Correction>()), hide_possible_values = true)]
    #[arg(help = spec::of::<Correction>().help("What to expect of a job that outlived its prediction"), long_help = correction_help())]
    pub correction: Vec<Several<Correction>>,
    #[arg(long, value_name = "ORDER,...", default_value = "textbook", value_parser = SpecList(spec::of::<EventOrder>()), hide_possible_values = true, help_heading = "The scheduler")]
    #[arg(help = spec::of::<EventOrder>().help(EVENT_ORDER), long_help = spec::of::<EventOrder>().long_help(EVENT_ORDER))]
    pub event_order: Vec<Several<EventOrder>>,
    #[command(flatten)]
    pub at_sites: VariantOptions,
    #[command(flatten)]
    pub variation: VariationOptions,
    #[command(flatten)]
    pub shaken: ShakeOptions,
    #[command(flatten)]
    pub scheduling: Scheduling,
    #[command(flatten)]
    pub source: Source,
    /// How many simulations run at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Add how long each simulation took, in JSON and CSV; without it, results are the same every time
    #[arg(long, help_heading = "Results", conflicts_with = "shake")]
    pub timings: bool,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// `--site`, `--set` and `--against`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Slurm sites")]
pub struct VariantOptions {
    /// Simulate Slurm's own scheduler on the configuration in this folder (see site check), beside it each --policy given;
    /// several folders are compared
    #[arg(long, value_name = "DIR")]
    pub site: Vec<PathBuf>,
    /// Change a setting of every variant: PriorityWeightAge=2000, partition.debug.nodes=+4
    #[arg(long, value_name = "KEY=VALUE", requires = "site", value_parser = |text: &str| text.parse::<SiteChange>())]
    pub set: Vec<SiteChange>,
    /// Compare with these settings, blanks between several; once for each variant
    #[arg(long, value_name = "KEY=VALUE ...", requires = "site", value_parser = |text: &str| text.parse::<VariantChanges>())]
    pub against: Vec<VariantChanges>,
}

impl Arguments {
    /// Every combination, policies slowest, corrections fastest.
    fn experiments(&self) -> Result<Vec<Experiment>, Failure> {
        let mut experiments = Vec::new();
        for policy in Several::together(&self.policy) {
            let policy = self.variation.applied(&policy)?;
            for predictor in Several::together(&self.predictor) {
                for order in Several::together(&self.event_order) {
                    for correction in Several::together(&self.correction) {
                        let one = self.scheduling.experiment(
                            policy.clone(),
                            predictor.spec.clone(),
                            correction,
                            order,
                        );
                        experiments.push(one);
                    }
                }
            }
        }
        Ok(experiments)
    }
}

/// Reads every trace once, simulates all combinations, and shows them side by side.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    if !arguments.at_sites.site.is_empty() {
        return at_sites(arguments, printer);
    }
    if arguments.files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Failure::usage("standard input can be read only once").hint("name - at most once"));
    }
    let inputs: Vec<&Path> = arguments.files.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let question = ComparisonQuestion {
        experiments: arguments.experiments()?,
        window: arguments.scheduling.window,
        shaking: arguments.shaken.shaking(),
        labels: spec::labels(&Several::together(&arguments.predictor)),
    };
    let sweep = question.sweep(arguments.files.len());
    let (traces, results) = threads::on_threads(arguments.threads, sweep.simulations().len(), || {
        let traces = read_all(arguments, &question, printer)?;
        let workloads: Vec<&Workload> = traces.iter().map(|trace| &trace.log.workload).collect();
        let results = simulated(&sweep, &workloads, printer)?;
        Ok((traces, results))
    })?;
    let compared = traces.iter().map(|trace| ComparedTrace {
        facts: trace.facts(),
        cleaning: Some(trace.log.report.clone()),
        notes: trace.assumptions(&question.experiments),
    });
    let compared: Vec<ComparedTrace> = compared.collect();
    for trace in compared.iter().filter(|_| printer.shows_rows_only()) {
        let name = &trace.facts.source;
        trace.cleaning.iter().for_each(|one| cleaning::note(name, one, cleaning::Overrun::Decided, printer));
        trace.notes.iter().for_each(|one| printer.note(&format!("{name}: {one}")));
    }
    let mut answer = question.answer(compared, results);
    if let ComparisonAnswer::Once(comparison) = &mut answer {
        comparison.timings = arguments.timings;
        // Jobs are killed alike in every experiment.
        for (at, trace) in traces.iter().enumerate() {
            let first = comparison.results_of(at).into_iter().next();
            first.into_iter().for_each(|first| loaded::tell_killed(&first.summary, &trace.name, printer));
        }
    }
    plot.answer(&answer, printer)
}

/// Reads every trace, and checks that the question can be asked of it.
fn read_all(
    arguments: &Arguments,
    question: &ComparisonQuestion,
    printer: &Printer,
) -> Result<Vec<Loaded>, Failure> {
    // Which failure is told does not depend on which thread was first.
    let progress = Progress::new(printer, "reading", arguments.files.len());
    let below = printer.below_progress();
    let traces = parallel::try_map(&arguments.files, |path: &PathBuf| {
        let read = Loaded::read(path, &arguments.source, &below);
        progress.advance();
        read
    })?;
    drop(progress);
    traces.iter().try_for_each(|trace| trace.check(&question.experiments))?;
    for trace in &traces {
        if question.window.select(&trace.log.workload)?.is_empty() {
            printer.warning(&format!("no job is counted: {}", question.window.describe()));
        }
    }
    Ok(traces)
}

/// Variants of Slurm sites under the same submissions.
fn at_sites(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let (given, shaking) = (&arguments.at_sites, arguments.shaken.shaking());
    let [file] = &arguments.files[..] else {
        return Err(Failure::usage("with --site, one file of submissions is compared")
            .hint("name one FILE; several sites or settings are compared with --site and --against"));
    };
    let folders = given.site.iter().chain([file]).filter_map(|folder| folder.read_dir().ok());
    let inputs: Vec<PathBuf> = folders.flatten().flatten().map(|entry| entry.path()).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).chain([file.as_path()]).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    // Slurm's own first, then each other policy on the site as it is.
    let experiments = arguments.experiments()?;
    if experiments.is_empty() {
        let factor = arguments.scheduling.prediction_factor;
        for predictor in Several::together(&arguments.predictor) {
            for correction in Several::together(&arguments.correction) {
                refuse_settings(&predictor.spec, (&correction, factor), &arguments.variation)?;
            }
        }
    }
    let others: Vec<SitePolicy> =
        experiments.into_iter().map(|one| site_policy(Some(one))).collect::<Result<_, _>>()?;
    let question = VariantsQuestion {
        set: &given.set,
        against: &given.against,
        policies: &others,
        options: SiteOptions {
            time_zone: arguments.source.reading.time_zone.clone(),
            ..SiteOptions::default()
        },
    };
    let (log, source) = (log_texts(file, printer)?, file.display().to_string());
    let mut variants = Vec::new();
    for site in &given.site {
        let name = site.display().to_string();
        let folder = (given.site.len() > 1).then_some(name.as_str());
        let read = question.variants(folder, &texts(site, printer)?, &log);
        variants.extend(read.map_err(|error| error.refusal(&name, &source))?);
    }
    drop(log);
    for misread in variants.iter().flat_map(|one| &one.what_if.reading.misread).take(3) {
        printer.warning(&misread.to_string());
    }
    let simulations = ComparedVariants::simulations(shaking, variants.len());
    let progress = Progress::uncounted(printer, &format!("{simulations} simulations"));
    let compare = || Ok(ComparedVariants::of(source, shaking, &variants)?);
    let compared = threads::on_threads(arguments.threads, simulations, compare)?;
    drop(progress);
    plot.answer(&compared, printer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    fn parse(line: &str) -> Arguments {
        arguments_alone::parse(line).unwrap()
    }

    fn names(arguments: &Arguments) -> Vec<String> {
        let name = |one: &Experiment| format!("{} {} {}", one.policy, one.predictor, one.options.correction);
        arguments.experiments().unwrap().iter().map(name).collect()
    }

    #[test]
    fn commas_and_repetition_mean_the_same() {
        let commas = parse("compare a b --policy fcfs,easy --predictor requested,recent:2");
        let repeated =
            parse("compare a b --policy fcfs --policy easy --predictor requested --predictor recent:2");
        assert_eq!(names(&commas), names(&repeated));
        let expected = ["fcfs requested", "fcfs recent:2", "easy requested", "easy recent:2"];
        assert_eq!(names(&commas), expected.map(|name| format!("{name} increments")));
        assert_eq!(commas.files.len(), 2);
    }

    #[test]
    fn a_file_is_enough_and_at_least_one_is_needed() {
        let expected = ["fcfs", "easy", "sjbf", "conservative"];
        assert_eq!(names(&parse("compare a")), expected.map(|name| format!("{name} requested increments")));
        for line in ["compare", "compare a --threads 0"] {
            assert_eq!(arguments_alone::parse::<Arguments>(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
