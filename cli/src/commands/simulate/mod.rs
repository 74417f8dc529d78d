//! `queuecast simulate`: one trace, one policy, one predictor.

mod files;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::ArgPredicate;
use queuecast_eval::{Dimension, Evaluation};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::words::number_of;
use queuecast_sim::predict::Correction;
use queuecast_sim::sim::{Backfill, EventOrder};
use queuecast_slurm_texts::{SiteChange, SiteOptions, WhatIf, read_what_if};
use queuecast_study::{Experiment, Measurement, Simulated, SimulatedSite, Timings, simulate_site};

use self::files::Files;
use super::cleaning;
use super::loaded::{self, Loaded};
use super::site_texts::{log_texts, refuse_settings, site_policy, texts};
use super::source::{EVENT_ORDER, Scheduling, Source, correction_help, policy_help, predictor_help};
use super::variation::VariationOptions;
use crate::plot::{PlannedPlot, Plotting};
use crate::spec::{self, NamedPredictor};

const EXAMPLES: &str = "\
Examples:
  What EASY backfilling would have done with a trace:
    queuecast simulate KTH-SP2.swf.gz

  Shortest jobs first, by the mean of each user's last two run times:
    queuecast simulate KTH-SP2.swf.gz --policy sjbf --predictor recent:2

  Where every job was placed, for a spreadsheet:
    queuecast simulate KTH-SP2.swf.gz --schedule placed.csv

  What sacct printed (docs/guides/slurm.md has the command), by user, for a
  program; the last number of sinfo -h -o %C is the size of the machine:
    queuecast simulate site.sacct.gz --procs 4096 --group-by user --format json

  What Slurm itself would do at a site (docs/guides/sites-slurm.md), with four
  more nodes in a partition:
    queuecast simulate jobs.csv --site mysite --set partition.debug.nodes=+4

  And what EASY backfilling would do on the same nodes and partitions:
    queuecast simulate jobs.csv --site mysite --policy easy";

/// Simulate a scheduler on a trace and report how long jobs would have waited
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[arg(long, value_name = "POLICY", default_value = "easy", default_value_if("site", ArgPredicate::IsPresent, None::<&str>), value_parser = spec::of::<Backfill>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Backfill>().help("Who runs next"), long_help = policy_help())]
    pub policy: Option<Backfill>,
    #[arg(long, value_name = "PREDICTOR", default_value = "requested", value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("How long jobs are expected to run"), long_help = predictor_help())]
    pub predictor: NamedPredictor,
    #[arg(long, value_name = "CORRECTION", default_value = "increments", value_parser = spec::of::<Correction>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Correction>().help("What to expect of a job that outlived its prediction"), long_help = correction_help())]
    pub correction: Correction,
    #[command(flatten)]
    pub on_site: SiteOptionsGiven,
    #[command(flatten)]
    pub variation: VariationOptions,
    #[arg(long, value_name = "ORDER", default_value = "textbook", value_parser = spec::of::<EventOrder>(), hide_possible_values = true, help_heading = "The scheduler")]
    #[arg(help = spec::of::<EventOrder>().help(EVENT_ORDER), long_help = spec::of::<EventOrder>().long_help(EVENT_ORDER))]
    pub event_order: EventOrder,
    #[command(flatten)]
    pub scheduling: Scheduling,
    #[command(flatten)]
    pub source: Source,
    #[arg(long, alias = "by", value_name = "WHAT", value_parser = spec::dimension(), hide_possible_values = true, help_heading = "Results")]
    #[arg(help = spec::dimension().help("Also report on each"), long_help = spec::dimension().long_help("Also report on each"))]
    pub group_by: Option<Dimension>,
    /// Add how long reading and simulating took, in JSON and CSV; without it, results are the same every time
    #[arg(long, help_heading = "Results")]
    pub timings: bool,
    #[command(flatten)]
    pub files: files::FileNames,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// `--site`, `--set` and `--submissions`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "A Slurm site")]
pub struct SiteOptionsGiven {
    /// Simulate Slurm's own scheduler, or the --policy given, on the configuration in this folder (see site check)
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
    /// Change a setting of the site: PriorityWeightAge=2000, bf_interval=60, partition.debug.nodes=+4,
    /// qos.high.Priority=9
    #[arg(long, value_name = "KEY=VALUE", requires = "site", value_parser = |text: &str| text.parse::<SiteChange>())]
    pub set: Vec<SiteChange>,
    /// Write what is submitted as a list of sbatch's arguments (docs/reference/submissions.md)
    #[arg(long, value_name = "OUT.csv", requires = "site")]
    pub submissions: Option<PathBuf>,
}

/// What is simulated, as it was read.
enum Submitted {
    /// The jobs of a log, on its machine.
    Log(Box<Loaded>),
    /// Submissions at a Slurm site, which is called so, as are they.
    Site { site: String, source: String, what_if: Box<WhatIf> },
}

impl Arguments {
    fn experiment(&self) -> Result<Experiment, Failure> {
        let policy = self.variation.applied(self.policy.as_ref().unwrap_or(&Backfill::easy()))?;
        let predictor = self.predictor.spec.clone();
        Ok(self.scheduling.experiment(policy, predictor, self.correction, self.event_order))
    }

    /// All files that are read: at a site those of its folder, and of that of the submissions.
    fn inputs(&self) -> Vec<PathBuf> {
        let folders = self.on_site.site.iter().flat_map(|site| [site, &self.file]);
        let entries = folders.filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
        entries.map(|entry| entry.path()).chain([self.file.clone()]).collect()
    }

    fn read(&self, printer: &Printer) -> Result<Submitted, Failure> {
        let Some(folder) = &self.on_site.site else {
            return Ok(Submitted::Log(Box::new(Loaded::read(&self.file, &self.source, printer)?)));
        };
        let (site, source) = (folder.display().to_string(), self.file.display().to_string());
        let (texts, log) = (texts(folder, printer)?, log_texts(&self.file, printer)?);
        let options =
            SiteOptions { time_zone: self.source.reading.time_zone.clone(), ..SiteOptions::default() };
        let what_if = read_what_if(&texts, &log, &self.on_site.set, &options);
        let what_if = Box::new(what_if.map_err(|error| error.refusal(&site, &source))?);
        Ok(Submitted::Site { site, source, what_if })
    }
}

/// Reads what is simulated, simulates it, writes the files asked for, and shows the result.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    // Settings that contradict each other and files that cannot be written are refused before anything is read.
    let experiment = arguments.experiment()?;
    let is_given = arguments.on_site.site.is_some() && arguments.policy.is_some();
    let policy = site_policy(is_given.then(|| experiment.clone()))?;
    if arguments.on_site.site.is_some() && !is_given {
        let corrected = (&arguments.correction, arguments.scheduling.prediction_factor);
        refuse_settings(&arguments.predictor.spec, corrected, &arguments.variation)?;
    }
    let inputs = arguments.inputs();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let files = Files::plan(&arguments.files, &arguments.on_site.submissions, &inputs)?;
    let plot = arguments.plotting.plan(&inputs)?;
    match arguments.read(printer)? {
        Submitted::Log(trace) => on_log(arguments, &trace, &experiment, files, plot, printer),
        Submitted::Site { site, source, what_if } => {
            let progress = Progress::uncounted(printer, &format!("simulating {} jobs", what_if.log.jobs));
            let (answer, outcomes) = simulate_site(&what_if, &policy)?;
            drop(progress);
            files.write_at_site(&what_if, &outcomes, printer)?;
            answer.misread.iter().take(3).for_each(|misread| printer.warning(&misread.to_string()));
            if answer.misread.len() > 3 {
                printer.warning(&format!("and {} more places could not be read", answer.misread.len() - 3));
            }
            plot.answer(&SimulatedSite::of(site, source, answer), printer)
        }
    }
}

/// One experiment on a log.
fn on_log(
    arguments: &Arguments,
    trace: &Loaded,
    experiment: &Experiment,
    files: Files,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (experiments, workload) = (std::slice::from_ref(experiment), &trace.log.workload);
    trace.check(experiments)?;
    if arguments.scheduling.window.select(workload)?.is_empty() {
        printer.warning(&format!("no job is counted: {}", arguments.scheduling.window.describe()));
    }
    let progress = Progress::uncounted(printer, &format!("simulating {}", number_of(workload.len(), "job")));
    let begun = Instant::now();
    let schedule = experiment.run(workload)?;
    let took = Timings { read_seconds: trace.seconds, simulate_seconds: begun.elapsed().as_secs_f64() };
    files.write(trace, experiment, &Evaluation::of(workload, &schedule)?)?;
    let measurement = Measurement { window: arguments.scheduling.window, by: arguments.group_by };
    let named = (trace.name.as_str(), &trace.log);
    let mut simulated = Simulated::measured(experiment, named, &schedule, measurement, took)?;
    drop(progress);
    simulated.timings = arguments.timings.then_some(took);
    simulated.predictor = spec::labels([&arguments.predictor]).label(&simulated.predictor);
    loaded::tell_killed(&simulated.summary, &trace.name, printer);
    if printer.shows_rows_only() {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Decided, printer);
        trace.assumptions(experiments).iter().for_each(|one| printer.note(one));
    }
    plot.answer(&simulated, printer)
}

#[cfg(test)]
mod tests {
    use queuecast_core::units::Seconds;
    use queuecast_eval::Window;
    use queuecast_sim::predict::PredictorSpec;
    use queuecast_sim::sim::{Depth, LimitRule};

    use super::*;
    use crate::commands::arguments_alone;
    use crate::commands::source::InputFormat;

    fn parse(line: &str) -> Arguments {
        arguments_alone::parse(line).unwrap()
    }

    #[test]
    fn a_file_is_enough_and_means_what_the_library_means_by_default() {
        let arguments = parse("simulate a.swf");
        let given = arguments.experiment().unwrap();
        let default = Experiment::new(Backfill::easy(), PredictorSpec::Requested);
        assert_eq!(given, default);
        assert_eq!(arguments.source.reading.input_format, InputFormat::Auto);
        assert_eq!(arguments.scheduling.window, Window::All);
        assert!(!arguments.source.reading.strict && !arguments.plotting.no_plot);
    }

    #[test]
    fn every_option_is_read() {
        let arguments = parse(
            "simulate - --policy easy --predictor recent:2:median --correction factor:1.5 --event-order pyss \
             --procs 100 --clean predictsim --strict --input-format sacct --time-zone UTC --depth all \
             --backfill-order shortest --priority wait/requested --prediction-factor 2 --limit ignore --default-request 2h10m \
             --window share:1% --group-by size-class --schedule a.csv --schedule-swf b.swf --queue-series c.csv --no-plot",
        );
        assert_eq!(arguments.predictor.to_string(), "recent:2:median");
        assert_eq!(arguments.variation.depth, Some(Depth::All));
        assert_eq!(arguments.scheduling.default_request, Some(Seconds(7_800)));
        assert_eq!(arguments.scheduling.limit, LimitRule::Ignore);
        assert_eq!(arguments.group_by, Some(Dimension::SizeClass));
        assert_eq!(arguments.source.procs, Some(100));
        assert!(arguments.plotting.no_plot && arguments.source.reading.strict);
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (line, reason) in [
            ("simulate", "FILE"),
            ("simulate a --policy easi", "similar value exists: 'easy'"),
            ("simulate a --procs 0", "must be at least 1"),
            ("simulate a --procs -1", "must be at least 1"),
            ("simulate a --depth -1", "from 1 on"),
            ("simulate a --prediction-factor -2", "above zero"),
            ("simulate a --default-request -2h", "length of time"),
            ("simulate a --prediction-factor 0", "above zero"),
            ("simulate a --default-request 2x", "not a length of time"),
            ("simulate a --default-request 0", "above zero"),
            ("simulate a --depth some", "or \"all\""),
            ("simulate a --window share:x", "not a share"),
            ("simulate a --clean achive", "none, default, predictsim, reference"),
            ("simulate a --time-zone Mars", "no such time zone"),
        ] {
            let error = arguments_alone::parse::<Arguments>(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains(reason), "{line}: {error}");
        }
    }
}
