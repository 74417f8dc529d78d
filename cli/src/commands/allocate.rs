//! `queuecast allocate`: how many processors to ask for.

use std::path::{Path, PathBuf};

use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_forecast::advice::{AdviceError, AdviceSettings, Preference, RunTimeOutlook, Target};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{AllocationAnswer, AllocationSettings, NewJob, SlurmJob, allocate_at};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::told;
use queuecast_report::allocation_warnings;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::Backfill;
use queuecast_wait::QueueTime;

use super::loaded::Loaded;
use super::place::{ReadPlace, StoreUse, read_live};
use super::raw_trace::RawTrace;
use super::slurm_site::AtSite;
use super::source::{Source, policy_help, predictor_help};
use super::variation::VariationOptions;
use super::{cleaning, live, methods, moldable, moment, site_option, slurm_site};
use crate::plot::Plotting;
use crate::spec::{self, NamedPredictor, SpecParser};

/// Simulations, and past jobs that correct them, by default.
const DRAWS: u32 = 300;
const CALIBRATE: usize = 200;

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

  By Slurm's own scheduler, on the configuration saved by site capture:
    queuecast allocate site.sacct.gz --site mysite --runs 8=4h,16=2h10m -u anna

  By simulations of the queue under EASY instead, and how right these were on
  this log so far:
    queuecast allocate LOG.swf.gz --runs 8=4h,16=2h10m --policy easy --check 300";

/// Say how many processors to ask for: when a job would start and end on each size, and how sure that is
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from. With --site, by default the accounting in its folder
    #[arg(value_name = "FILE", required_unless_present_any = ["live", "site"])]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub slurm: site_option::Arguments,
    #[command(flatten)]
    pub live: live::Arguments,
    #[command(flatten)]
    pub moment: moment::Arguments,
    #[command(flatten, next_help_heading = "The job")]
    pub job: moldable::Arguments,
    /// Its run time may be this many times longer or shorter than said; from 1, for certain, to 1000
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor, allow_negative_numbers = true, help_heading = "The job")]
    pub give_or_take: f64,
    /// Its user: a name or number of the log
    #[arg(short = 'u', long, value_name = "USER", help_heading = "The job")]
    pub user: Option<String>,
    /// Its queue: a name or number of the log; in accounting records the partition
    #[arg(short = 'q', long, value_name = "QUEUE", help_heading = "The job")]
    pub queue: Option<String>,
    #[command(flatten)]
    pub methods: methods::Arguments,
    /// Requested time of jobs that have none: 2h10m, 1-12:00:00, plain seconds; by default a day
    #[arg(long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "The answer")]
    pub default_request: Option<Seconds>,
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

/// How queue times are predicted otherwise: any of these options leaves the methods out, so none can be given with one of theirs.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The queue, simulated or by a formula instead")]
pub struct Forecasting {
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "POLICY", value_parser = spec::of::<Backfill>(), hide_possible_values = true)]
    #[arg(help = spec::of::<Backfill>().help(POLICY), long_help = format!("{POLICY}\n{}", policy_help()))]
    pub policy: Option<Backfill>,
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "OUTLOOK", value_parser = outlook(), hide_possible_values = true)]
    #[arg(help = outlook().help(OUTLOOK), long_help = outlook().long_help(OUTLOOK))]
    pub outlook: Option<RunTimeOutlook>,
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "PREDICTOR", value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("Predictor of run times, for an outlook that uses one; by default requested"), long_help = predictor_help())]
    pub predictor: Option<NamedPredictor>,
    #[arg(long, conflicts_with_all = OF_METHODS, alias = "by", value_name = "FORMULA", value_parser = formula(), hide_possible_values = true)]
    #[arg(help = formula().help(FORMULA), long_help = formula().long_help(FORMULA))]
    pub formula: Option<QueueTime>,
    /// Number of simulations; from 1 to 100000, by default 300
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "N", value_parser = draws, allow_negative_numbers = true)]
    pub draws: Option<u32>,
    /// Seed of the simulations, by default 1; the same seed gives the same answer
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Correct simulated queue times by this many past jobs of the log, predicted in the same way; 0 for none, else at least 30; by
    /// default 200
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "N", value_parser = spec::at_least::<0, usize>, allow_negative_numbers = true)]
    pub calibrate: Option<usize>,
    /// Also report how right simulated predictions would have been for this many jobs of the log that have started by then
    #[arg(long, conflicts_with_all = OF_METHODS, value_name = "N", value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true)]
    pub check: Option<usize>,
    // After the others: its own heading would go on.
    #[command(flatten)]
    pub variation: VariationOptions,
}

/// The options of the methods.
const OF_METHODS: [&str; 2] = ["method", "trials"];

const POLICY: &str = "Simulate the queue under this scheduling policy; by default easy";
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

impl Arguments {
    fn settings(&self) -> Result<AllocationSettings, Failure> {
        let Forecasting {
            ref policy,
            outlook,
            ref predictor,
            formula,
            draws,
            seed,
            calibrate,
            check,
            ref variation,
        } = self.forecasting;
        let default_request = self.default_request.unwrap_or(DEFAULT_REQUEST);
        let otherwise = policy.is_some()
            || outlook.is_some()
            || predictor.is_some()
            || formula.is_some()
            || draws.is_some()
            || seed.is_some()
            || calibrate.is_some()
            || check.is_some()
            || !variation.is_none();
        let forecast = WhenSettings { default_request, ..self.methods.settings() };
        let advice = AdviceSettings {
            policy: variation.applied(&policy.clone().unwrap_or_else(Backfill::easy))?,
            outlook,
            predictor: predictor.as_ref().map_or(PredictorSpec::Requested, |one| one.spec.clone()),
            by: formula,
            draws: draws.unwrap_or(DRAWS),
            seed: Seed(seed.unwrap_or(1)),
            default_request,
            calibrate: calibrate.unwrap_or(CALIBRATE),
            check,
            preference: Preference { target: self.target, averse: self.averse },
        };
        Ok(AllocationSettings { forecast: Some(forecast).filter(|_| !otherwise), advice })
    }

    /// The job, in any size.
    fn newcomer(&self) -> NewJob {
        NewJob {
            procs: Procs(1),
            time: None,
            user: self.user.clone(),
            queue: self.queue.clone(),
            sbatch: None,
        }
    }

    /// The job as sbatch would be asked for it at a Slurm site.
    fn at_site(&self) -> AtSite<'_> {
        let job = SlurmJob {
            sbatch: self.slurm.sbatch.clone(),
            tasks: Some(1),
            time: None,
            partition: self.queue.clone().or(self.live.partition.clone()),
            user: self.user.clone(),
            is_alone: false,
        };
        let zone = &self.source.reading.time_zone;
        AtSite { file: self.file.as_ref(), live: &self.live, at: &self.moment.at, zone, job: Some(job) }
    }
}

/// Reads the place, and shows the advice.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let Some(job) = arguments.job.described(arguments.give_or_take) else {
        return Err(Failure::usage(
            "how long does the job run? give --runs, as in --runs 8=4h,16=2h10m; or --lifetime, --parallelism and --variance",
        ));
    };
    let (all, new) = (arguments.settings()?, arguments.newcomer());
    let settings = &all.advice;
    // Wrong settings are reported before a long log is read.
    settings.outlook().map_err(AdviceError::refusal)?;
    if settings.by.is_some() && settings.check.is_some() {
        return Err(AdviceError::CheckedFormula.refusal().into());
    }
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let usual = all.forecast.as_ref().is_some_and(|one| *one == WhenSettings::default());
    let read =
        read_place(arguments, settings, StoreUse::of(usual, arguments.methods.cache.no_cache), printer)?;
    read.check_user(new.user.as_deref())?;
    let (place, zone) =
        (read.asked(&arguments.live, arguments.source.procs), &arguments.source.reading.time_zone);
    let answer = told::learned(arguments.methods.cache.is_kept(), printer, |messages| {
        allocate_at(place, (&job, &new), &all, zone, messages)
    })?;
    let first = match &answer {
        AllocationAnswer::One(one) => Some(&**one),
        AllocationAnswer::Several(several) => several.answers.first(),
    };
    let past = match &read {
        ReadPlace::Log(log, _) => Some(log.named().into()),
        ReadPlace::Live { history: Some(past), .. } => Some(past.named()),
        _ => None,
    };
    arguments.job.warnings().iter().for_each(|warning| printer.warning(warning));
    for warning in first.into_iter().flat_map(|one| allocation_warnings(one, past)) {
        printer.warning(&warning);
    }
    plot.answer(&answer, printer)
}

/// What is known at a moment of a log, of a live site now, or of a Slurm site.
fn read_place(
    arguments: &Arguments,
    settings: &AdviceSettings,
    uses: StoreUse,
    printer: &Printer,
) -> Result<ReadPlace, Failure> {
    let check = |trace: &Loaded| {
        let checked = settings.predictor.check(trace.log.workload.jobs());
        checked.map_err(|error| Failure::usage(format!("{}: {error}", trace.name)))?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
        Ok::<(), Failure>(())
    };
    if let Some(site) = &arguments.slurm.site {
        let place = slurm_site::read(&arguments.at_site(), site, printer)?;
        return Ok(ReadPlace::Slurm(Box::new(place)));
    }
    if let Some(file) = arguments.file.as_ref().filter(|_| !arguments.live.live) {
        let (trace, at) = read_log(arguments, file, settings, printer)?;
        check(&trace)?;
        return Ok(ReadPlace::Log(Box::new(trace), at));
    }
    if settings.predictor == PredictorSpec::Perfect {
        return Err(AdviceError::PerfectLive.refusal().into());
    }
    let Arguments { file, live, moment, source, .. } = arguments;
    let from = (file.as_ref(), source, uses, None);
    let (site, history) = read_live(from, live, &moment.at, printer)?;
    if let Some(past) = &history {
        let past = past.named();
        let checked = settings.predictor.check(past.workload.jobs());
        checked.map_err(|error| Failure::usage(format!("{}: {error}", past.name)))?;
    }
    Ok(ReadPlace::Live { site, history })
}

/// What a log tells of the moment asked about, and that moment. The perfect predictor is told all run times.
fn read_log(
    arguments: &Arguments,
    file: &Path,
    settings: &AdviceSettings,
    printer: &Printer,
) -> Result<(Loaded, Time), Failure> {
    let raw = RawTrace::read(file, &arguments.source.options(), printer)?;
    let commands = arguments.live.outside.commands(printer);
    if settings.predictor != PredictorSpec::Perfect {
        return raw.known(&arguments.source, &arguments.moment.at, &commands, printer);
    }
    let at = raw.moment(&arguments.moment.at, &arguments.source.reading.time_zone)?;
    let mut trace = raw.whole(printer)?;
    trace.warn(&arguments.source, printer);
    live::take_size(&mut trace, &commands);
    Ok((trace, at))
}
