//! `queuecast allocate`: how many processors to ask for.

mod answer;
mod partitions;
mod text;

use std::path::{Path, PathBuf};

use queuecast::allot::SizesError;
use queuecast::allot::advice::{
    AdviceAnswer, AdviceError, AdviceSettings, AdviceSource, MoldableJob, Preference, RunTimeOutlook, Target,
    advise,
};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::seed::Seed;
use queuecast::sim::Backfill;
use queuecast::trace::{MachineSize, MachineSource};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::wait::QueueTime;
use queuecast::workload::{Machine, Workload};

use self::answer::Allocated;
use self::partitions::{AllocatedByPartition, Refused};
use super::cleaning;
use super::live;
use super::loaded::Loaded;
use super::moldable;
use super::moment::{self, Moment};
use super::outside::SlurmCommands;
use super::raw_trace::RawTrace;
use super::source::{Source, policy_help, predictor_help};
use super::variation::Variation;
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
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
    #[command(flatten)]
    pub moment: moment::Arguments,
    #[command(flatten, next_help_heading = "The job")]
    pub job: moldable::Arguments,
    /// Its run time may be this many times longer or shorter than said; from 1, for certain, to 1000
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor, allow_negative_numbers = true, help_heading = "The job")]
    pub give_or_take: f64,
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

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (1.0..=1000.0).contains(factor));
    factor.ok_or_else(|| "expected a number from 1 to 1000".to_owned())
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
    let Some(job) = arguments.job.described(arguments.give_or_take) else {
        return Err(Failure::usage(
            "how long does the job run? give --runs, as in --runs 8=4h,16=2h10m; or --lifetime, --parallelism and --variance",
        ));
    };
    let settings = arguments.settings()?;
    // Wrong settings are reported before a long log is read.
    settings.outlook()?;
    if settings.by.is_some() && settings.check.is_some() {
        return Err(AdviceError::CheckedFormula.into());
    }
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let check = |trace: &Loaded| {
        let checked = settings.predictor.check(trace.log.workload.jobs());
        checked.map_err(|error| Failure::usage(format!("{}: {error}", trace.name)))?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
        Ok::<(), Failure>(())
    };
    if let Some(file) = arguments.file.as_ref().filter(|_| !arguments.live.live) {
        let (trace, at) = read_log(arguments, file, &settings, printer)?;
        check(&trace)?;
        return from_log(arguments, &job, &settings, &trace, at, plot, printer);
    }
    let trace =
        arguments.file.as_ref().map(|file| Loaded::read(file, &arguments.source, printer)).transpose()?;
    trace.as_ref().map_or(Ok(()), check)?;
    if settings.predictor == PredictorSpec::Perfect {
        return Err(AdviceError::PerfectLive.into());
    }
    from_site(arguments, &job, &settings, trace, plot, printer)
}

/// What a log tells of the moment asked about, and that moment. The perfect predictor is told all run times.
fn read_log(
    arguments: &Arguments,
    file: &Path,
    settings: &AdviceSettings,
    printer: &Printer,
) -> Result<(Loaded, Time), Failure> {
    let raw = RawTrace::read(file, &arguments.source.options(), printer)?;
    let commands = SlurmCommands::within(&arguments.live.outside, printer);
    if settings.predictor != PredictorSpec::Perfect {
        return raw.known(&arguments.source, &arguments.moment.at, &commands, printer);
    }
    let at = raw.moment(&arguments.moment.at, &arguments.source.reading.time_zone)?;
    let mut trace = raw.whole(printer)?;
    trace.warn(&arguments.source, printer);
    live::take_size(&mut trace, &commands);
    Ok((trace, at))
}

/// The advice at a moment of a log.
fn from_log(
    arguments: &Arguments,
    job: &MoldableJob,
    settings: &AdviceSettings,
    trace: &Loaded,
    at: Time,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (workload, zone) = (&trace.log.workload, &arguments.source.reading.time_zone);
    let answer = {
        let _progress = Progress::uncounted(printer, predicting(settings));
        advise(job, AdviceSource::Log { workload, at }, settings)?
    };
    warn(arguments, &answer, printer);
    warn_of_load(&answer, &trace.name, workload.machine().procs, printer);
    let advice = Allocated {
        version: env!("CARGO_PKG_VERSION"),
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        partition: None,
        machine: trace.log.machine,
        history: None,
        answer,
    };
    plot.answer(&advice, printer)
}

/// The advice on a live site now: one answer, or one for each partition that differs from the others.
fn from_site(
    arguments: &Arguments,
    job: &MoldableJob,
    settings: &AdviceSettings,
    mut history: Option<Loaded>,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let procs = arguments.source.procs;
    let site = live::LiveSite::ask(&SlurmCommands::within(&arguments.live.outside, printer))?;
    if let Some(history) = history.as_mut().filter(|one| one.log.machine.is_largest_job()) {
        history.log.take_size(Some(site.procs()));
    }
    let queues = site.queues(arguments.live.partition.as_deref(), procs, printer)?;
    let nothing = Workload::new(Machine { procs: site.procs().max(Procs(1)) }, Vec::new())
        .map_err(|error| Failure::input(format!("sinfo: {error}")))?;
    let workload = history.as_ref().map_or(&nothing, |trace| &trace.log.workload);
    let source = history
        .as_ref()
        .map_or_else(|| "squeue".to_owned(), |trace| format!("squeue, learning from {}", trace.name));
    let several = queues.len() > 1;
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    let progress = Progress::uncounted(printer, predicting(settings));
    for queue in &queues {
        let found = queue.site(site.asked, &workload.names, settings.default_request, None);
        let asked =
            AdviceSource::Live { site: found, now: site.asked, history: workload, limits: queue.limits };
        let answer = match advise(job, asked, settings) {
            Err(AdviceError::Sizes(why @ SizesError::NoneAllowed { .. })) if several => {
                refused.push(Refused {
                    partition: queue.name.clone(),
                    limits: queue.limits,
                    why: why.to_string(),
                });
                continue;
            }
            answer => answer?,
        };
        let from = if procs.is_some() { MachineSource::Given } else { MachineSource::Sinfo };
        answers.push(Allocated {
            version: env!("CARGO_PKG_VERSION"),
            source: source.clone(),
            moment: Moment::of(site.asked, Some(0), &arguments.source.reading.time_zone),
            partition: Some(queue.name.clone()),
            machine: MachineSize { procs: queue.machine, source: from },
            history: history.as_ref().map(|trace| trace.log.machine),
            answer,
        });
    }
    drop(progress);
    if let Some(first) = answers.first() {
        warn(arguments, &first.answer, printer);
        if let Some(history) = &history {
            warn_of_load(&first.answer, &history.name, workload.machine().procs, printer);
        }
    }
    match (answers.pop(), several) {
        (Some(only), false) => plot.answer(&only, printer),
        (Some(last), true) => {
            answers.push(last);
            plot.answer(&AllocatedByPartition { answers, refused }, printer)
        }
        (None, _) => {
            let why: Vec<String> =
                refused.iter().map(|one| format!("{}: {}", one.partition, one.why)).collect();
            Err(Failure::usage("no partition allows any of the sizes").hint(why.join("; ")))
        }
    }
}

/// What takes long.
fn predicting(settings: &AdviceSettings) -> &'static str {
    if settings.check.is_some() {
        "predicting the job and checking past predictions"
    } else {
        "predicting the job"
    }
}

/// Warns of run times that may be meant in another unit, and of a fitted curve that deserves no trust.
fn warn(arguments: &Arguments, answer: &AdviceAnswer, printer: &Printer) {
    arguments.job.warnings().iter().for_each(|warning| printer.warning(warning));
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

/// Warns of a machine on which the jobs of the log cannot have run.
fn warn_of_load(answer: &AdviceAnswer, log: &str, machine: Procs, printer: &Printer) {
    if answer.site.load > 1.0 {
        printer.warning(&format!(
            "{log}: an offered load of {:.0}% on {machine} processors: the machine is larger, or the queue grows without bound; \
             --procs says how large it is",
            100.0 * answer.site.load
        ));
    }
}
