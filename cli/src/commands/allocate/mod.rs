//! `queuecast allocate`: how many processors to ask for.

mod answer;
mod job;
mod live;
mod moment;
mod text;

use std::path::{Path, PathBuf};

use queuecast::allot::SizesError;
use queuecast::allot::advice::{
    AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, Preference, RunTimeOutlook, Target, advise,
};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::seed::Seed;
use queuecast::sim::Backfill;
use queuecast::units::Seconds;
use queuecast::wait::QueueTime;
use queuecast::workload::{Machine, Workload};

use self::answer::{Allocated, Moment};
use super::cleaning;
use super::loaded::Loaded;
use super::source::{Source, policy_help, predictor_help};
use super::variation::Variation;
use crate::failure::Failure;
use crate::plot::Plotting;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec::{self, NamedPredictor, SpecParser};

const EXAMPLES: &str = "\
Examples:
  Run times were measured on three sizes; the machine is as at the end of a log:
    queuecast allocate LOG.swf.gz --runs 8=4h,16=2h10m,32=80m

  200 days after the start in the log's header, for a job described by its
  speedup, which needs four processors for its memory:
    queuecast allocate LOG.swf.gz --at 200d --lifetime 20h --parallelism 40 \\
      --variance 1 --fewest 4

  On a Slurm site, now, with its accounting to learn from:
    queuecast allocate --live site.sacct.gz --runs 8=4h,16=2h10m,32=80m

  How right such predictions were on this log so far:
    queuecast allocate LOG.swf.gz --runs 8=4h,16=2h10m --check 300";

/// Say how many processors to ask for: when a job would start and end on each size, and how sure that is
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from
    #[arg(value_name = "FILE", required_unless_present = "live")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub live: live::Arguments,
    /// The moment the job is submitted: a length of time since the log's start (200d, or seconds), a date (1996-12-24,
    /// 1996-12-24T12:00), or end, the last submission. The start is that of the log's header (UnixStartTime), which may be
    /// long before the first submission. Nothing the log says of later is looked at
    #[arg(
        long,
        value_name = "MOMENT",
        default_value = "end",
        allow_hyphen_values = true,
        conflicts_with = "live"
    )]
    pub at: String,
    #[command(flatten)]
    pub job: job::Arguments,
    #[arg(long, value_name = "TARGET", default_value = "median", value_parser = target(), hide_possible_values = true, help_heading = "The choice")]
    #[arg(help = target().help(TARGET), long_help = target().long_help(TARGET))]
    pub target: Target,
    /// Start later only to gain more than this share of the run time in the size that starts soonest, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share, allow_negative_numbers = true, help_heading = "The choice")]
    pub averse: f64,
    #[command(flatten)]
    pub forecasting: Forecasting,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// How queue times are predicted.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The queue")]
pub struct Forecasting {
    #[arg(long, value_name = "POLICY", default_value = "easy", value_parser = spec::of::<Backfill>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Backfill>().help("The scheduling policy"), long_help = policy_help())]
    pub policy: Backfill,
    #[arg(long, value_name = "OUTLOOK", value_parser = outlook(), hide_possible_values = true)]
    #[arg(help = outlook().help(OUTLOOK), long_help = outlook().long_help(OUTLOOK))]
    pub outlook: Option<RunTimeOutlook>,
    #[arg(long, value_name = "PREDICTOR", default_value = "requested", value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("Predictor of run times, for an outlook that uses one"), long_help = predictor_help())]
    pub predictor: NamedPredictor,
    #[arg(long, alias = "by", value_name = "FORMULA", value_parser = formula(), hide_possible_values = true)]
    #[arg(help = formula().help(FORMULA), long_help = formula().long_help(FORMULA))]
    pub formula: Option<QueueTime>,
    /// Number of simulations; from 1 to 100000
    #[arg(long, value_name = "N", default_value = "300", value_parser = draws, allow_negative_numbers = true)]
    pub draws: u32,
    /// Seed of the simulations; the same seed gives the same answer
    #[arg(long, value_name = "SEED", default_value = "1")]
    pub seed: u64,
    /// Requested time of jobs that have none: 2h10m, 1-12:00:00, plain seconds; by default a day
    #[arg(long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    pub default_request: Option<Seconds>,
    /// Correct queue times by this many past jobs of the log, predicted in the same way; 0 for none, else at least 30
    #[arg(long, value_name = "N", default_value = "200", value_parser = spec::at_least::<0, usize>, allow_negative_numbers = true)]
    pub calibrate: usize,
    /// Also report how right such predictions would have been for this many jobs of the log that have started by then
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true)]
    pub check: Option<usize>,
    // After the others: its own heading would go on.
    #[command(flatten)]
    pub variation: Variation,
}

const OUTLOOK: &str = "How long jobs run; by default shares, with --formula fitted";
const FORMULA: &str =
    "Predict queue times by a formula of Downey 1997, if no job waits, instead of simulating the queue";
const TARGET: &str = "By what turnarounds are compared";

fn outlook() -> SpecParser<RunTimeOutlook> {
    spec::of()
}

fn formula() -> SpecParser<QueueTime> {
    spec::of()
}

fn target() -> SpecParser<Target> {
    spec::of()
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn draws(text: &str) -> Result<u32, String> {
    let draws = text.parse().ok().filter(|draws| (1..=100_000).contains(draws));
    draws.ok_or_else(|| "expected a whole number from 1 to 100000".to_owned())
}

impl From<AdviceError> for Failure {
    fn from(error: AdviceError) -> Failure {
        match error {
            AdviceError::Sim(error) => error.into(),
            AdviceError::Workload(_) => Failure::unexpected(error.to_string()),
            AdviceError::JobsAhead { .. } | AdviceError::NoFormula { .. } => {
                Failure::usage(format!("--formula {error}"))
            }
            AdviceError::CheckedFormula => {
                Failure::usage("--check is for simulated queues: leave out --formula")
            }
            AdviceError::PerfectLive => Failure::usage(format!("--predictor perfect: {error}")),
            AdviceError::Sizes(SizesError::NoFit(why)) => Failure::usage(format!("--between: {why}")),
            AdviceError::Sizes(SizesError::Outside { .. } | SizesError::NoneViable { given: None, .. }) => {
                Failure::usage(error.to_string())
                    .hint("--procs says how large the machine is, where the log does not")
            }
            AdviceError::Sizes(_) => Failure::usage(error.to_string()),
            _ => Failure::usage(error.to_string())
                .hint("another --formula may say more; without it, the queue is simulated"),
        }
    }
}

impl Arguments {
    fn settings(&self) -> Result<AdviceSettings, Failure> {
        let Forecasting {
            ref policy, outlook, ref predictor, formula, draws, seed, calibrate, check, ..
        } = self.forecasting;
        Ok(AdviceSettings {
            policy: self.forecasting.variation.applied(policy)?,
            outlook,
            predictor: predictor.spec.clone(),
            by: formula,
            draws,
            seed: Seed(seed),
            default_request: self.forecasting.default_request.unwrap_or(DEFAULT_REQUEST),
            calibrate,
            check,
            preference: Preference { target: self.target, averse: self.averse },
        })
    }
}

/// Reads the log or asks the site, and shows the advice.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let (job, settings) = (arguments.job.described()?, arguments.settings()?);
    // Wrong settings are reported before a long log is read.
    settings.outlook()?;
    if settings.by.is_some() && settings.check.is_some() {
        return Err(AdviceError::CheckedFormula.into());
    }
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let trace =
        arguments.file.as_ref().map(|file| Loaded::read(file, &arguments.source, printer)).transpose()?;
    if let Some(trace) = &trace {
        let checked = settings.predictor.check(trace.log.workload.jobs());
        checked.map_err(|error| Failure::usage(format!("{}: {error}", trace.name)))?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    let zone = &arguments.source.reading.time_zone;
    let (answer, source, moment) = match &trace {
        Some(trace) if !arguments.live.live => {
            let workload = &trace.log.workload;
            let at = moment::read(&arguments.at, zone, workload)?;
            let _progress = Progress::uncounted(printer, predicting(&settings));
            let answer = advise(&job, AdviceSource::Log { workload, at }, &settings)?;
            (answer, trace.name.clone(), Moment::of(at, workload.epoch, zone))
        }
        history => {
            if settings.predictor == PredictorSpec::Perfect {
                return Err(AdviceError::PerfectLive.into());
            }
            let found = live::LiveQueue::ask(&arguments.live, arguments.source.procs, printer)?;
            let nothing = Workload::new(Machine { procs: found.machine }, Vec::new())
                .map_err(|error| Failure::input(format!("sinfo: {error}")))?;
            let workload = history.as_ref().map_or(&nothing, |trace| &trace.log.workload);
            let site = found.site(&workload.names, settings.default_request);
            let source = AdviceSource::Live { site, now: found.asked, history: workload };
            let name = history
                .as_ref()
                .map_or_else(|| "squeue".to_owned(), |trace| format!("squeue, learning from {}", trace.name));
            let _progress = Progress::uncounted(printer, predicting(&settings));
            (advise(&job, source, &settings)?, name, Moment::of(found.asked, Some(0), zone))
        }
    };
    warn(&answer, printer);
    let version = env!("CARGO_PKG_VERSION");
    plot.answer(&Allocated { version, source, moment, answer }, printer)
}

/// What takes long.
fn predicting(settings: &AdviceSettings) -> &'static str {
    if settings.check.is_some() {
        "predicting the job and checking past predictions"
    } else {
        "predicting the job"
    }
}

/// Warns of a fitted curve that deserves no trust.
fn warn(answer: &AdviceAnswer, printer: &Printer) {
    let Some(between) = &answer.between else { return };
    if between.measured.len() < 3 {
        printer.warning("--between: two measured sizes fit many curves; measure a third");
    }
    if between.is_bad() {
        printer.warning(&format!(
            "--between: the fitted curve is up to {:.1}% off the measured run times; do not trust the sizes between them",
            100.0 * between.deviation
        ));
    }
}
