//! `queuecast advise`: what to ask for.

mod answer;

use std::path::{Path, PathBuf};

use queuecast::forecast::{
    JobPlan, PlanError, PlanQuestion, PlanSettings, WaitMethod, WhenSettings, WhenSource, plan_job,
};
use queuecast::job::Job;
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::units::{Procs, Seconds};

use self::answer::{AdvisedJob, AdvisedPartitions};
use super::cleaning;
use super::live::{self, LiveSite};
use super::loaded::{Loaded, number_of};
use super::moment::{self, Moment};
use super::newcomer::{self, METHODS, NewJob};
use super::source::Source;
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
use crate::printer::Printer;
use crate::spec::{self, NamedPredictor, Several, SpecList, SpecParser};

const EXAMPLES: &str = "\
Examples:
  64 processors for two hours, submitted at the end of a log by user 12:
    queuecast advise LOG.swf.gz -n 64 -t 2h -u 12

  It could also run on 32 or 128, and wait until tonight:
    queuecast advise LOG.swf.gz -n 64 -t 2h \\
      --runs 32=100m,64=55m,128=35m --later 6h,12h

  On a Slurm site, now, with its accounting to learn from:
    queuecast advise --live site.sacct.gz -n 64 -t 2h -u anna";

/// Say what to ask for: a time limit, a queue, a size, now or later, and when the job would be done
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The log of the machine, compressed or not; - for standard input. With --live, what to learn from
    #[arg(value_name = "FILE", required_unless_present = "live")]
    pub file: Option<PathBuf>,
    /// Processors the job asks for
    #[arg(short = 'n', long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true, help_heading = "The job")]
    pub size: u32,
    /// Time the job would ask for: 2h10m, 1-12:00:00, plain seconds
    #[arg(short = 't', long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true, help_heading = "The job")]
    pub time: Seconds,
    /// Its user: a name or number of the log; whose past jobs say most about how long it runs
    #[arg(short = 'u', long, value_name = "USER", help_heading = "The job")]
    pub user: Option<String>,
    /// Its queue: a name or number of the log; others are looked at too
    #[arg(short = 'q', long, value_name = "QUEUE", conflicts_with = "live", help_heading = "The job")]
    pub queue: Option<String>,
    /// Sizes it could have, with how long it runs there: 32=100m,64=55m,128=35m
    #[arg(long, value_name = "N=DURATION,…", value_delimiter = ',', value_parser = size_run, help_heading = "What may change")]
    pub runs: Vec<(Procs, Seconds)>,
    /// How much later it could be submitted: 1h,6h
    #[arg(long, value_name = "DURATION,…", value_delimiter = ',', value_parser = spec::positive_duration, help_heading = "What may change")]
    pub later: Vec<Seconds>,
    /// The risk of being stopped at the time limit that is accepted, from 0.001 to 0.5
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share, allow_negative_numbers = true, help_heading = "What may change")]
    pub risk: f64,
    #[command(flatten)]
    pub live: live::Arguments,
    #[command(flatten)]
    pub moment: moment::Arguments,
    #[arg(long, value_name = "METHOD,...", default_value = METHODS, value_parser = SpecList(method()), hide_possible_values = true, help_heading = "The answer")]
    #[arg(help = method().help(METHOD), long_help = method().long_help(METHOD))]
    pub method: Vec<Several<WaitMethod>>,
    #[arg(long, value_name = "PREDICTOR", default_value = PREDICTOR, value_parser = spec::predictor(), hide_possible_values = true, help_heading = "The answer")]
    #[arg(help = spec::predictor().help(RUN_TIMES), long_help = spec::predictor().long_help(RUN_TIMES))]
    pub predictor: NamedPredictor,
    /// How many of the last jobs the methods are tried on, each predicted at its submission with what was known then
    #[arg(long, value_name = "N", default_value_t = WhenSettings::TRIALS, value_parser = spec::at_least::<1, usize>, allow_negative_numbers = true, help_heading = "The answer")]
    pub trials: usize,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// How run times are predicted by default.
const PREDICTOR: &str = "mixture";

/// Simulations that compare submitting later.
const DRAWS: u32 = 200;

const METHOD: &str = "How waits are predicted; of several, separated by commas, the one whose ranges were best for the last jobs of the site, by their interval score";

const RUN_TIMES: &str = "How the job's run time is predicted";

fn method() -> SpecParser<WaitMethod> {
    spec::of()
}

fn size_run(text: &str) -> Result<(Procs, Seconds), String> {
    let (procs, run) = text
        .split_once('=')
        .ok_or_else(|| format!("\"{}\" is no size with a run time, such as 8=2h10m", text.trim()))?;
    let procs =
        spec::at_least_one(procs.trim()).map_err(|why| format!("processors \"{}\": {why}", procs.trim()))?;
    Ok((Procs(procs), spec::positive_duration(run)?))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.001..=0.5).contains(share));
    share.ok_or_else(|| "expected a share from 0.001 to 0.5, such as 0.02".to_owned())
}

impl Arguments {
    fn settings(&self) -> PlanSettings {
        let methods = Several::together(&self.method);
        let when = WhenSettings { methods, trials: self.trials, default_request: DEFAULT_REQUEST };
        PlanSettings { when, predictor: self.predictor.spec.clone(), draws: DRAWS }
    }

    fn new_job(&self) -> NewJob {
        let (user, queue) = (self.user.clone(), self.queue.clone());
        NewJob { procs: Procs(self.size), time: Some(self.time), user, queue }
    }

    fn question(&self, job: Job) -> PlanQuestion {
        PlanQuestion {
            job,
            sizes: self.runs.clone(),
            queues: None,
            later: self.later.clone(),
            risk: self.risk,
        }
    }
}

/// Reads the log or asks the site, and says what to ask for.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    if arguments.predictor.spec == PredictorSpec::Perfect {
        return Err(Failure::usage("--predictor perfect knows the future, and a job to come has none yet"));
    }
    let mut trace =
        arguments.file.as_ref().map(|file| Loaded::read(file, &arguments.source, printer)).transpose()?;
    if let Some(trace) = &trace {
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    match trace.as_mut().filter(|_| !arguments.live.live) {
        Some(trace) => {
            live::take_size(trace);
            let taken = trace.log.workload.latest(&trace.log.unfinished);
            newcomer::take_unfinished(trace, taken.unwrap_or_default(), printer)?;
            from_log(arguments, trace, plot, printer)
        }
        None => from_site(arguments, trace, plot, printer),
    }
}

fn planned(
    question: &PlanQuestion,
    source: &WhenSource<'_>,
    settings: &PlanSettings,
    name: &str,
    printer: &Printer,
) -> Result<JobPlan, Failure> {
    let progress = newcomer::trying(source, &settings.when, printer);
    let done = |steps| progress.advance_by(steps);
    plan_job(question, source, settings, &done).map_err(|error| match error {
        PlanError::When(error) => newcomer::refused(name, error),
        other => Failure::usage(other.to_string()),
    })
}

fn from_log(
    arguments: &Arguments,
    trace: &Loaded,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (workload, zone) = (&trace.log.workload, &arguments.source.reading.time_zone);
    let at = moment::read(&arguments.moment.at, zone, workload)?;
    let new = arguments.new_job();
    new.check(workload)?;
    let job = new.at(at, workload);
    let source = WhenSource::Log { workload, at };
    let settings = arguments.settings();
    let plan = planned(&arguments.question(job), &source, &settings, &trace.name, printer)?;
    let advised = AdvisedJob {
        version: env!("CARGO_PKG_VERSION"),
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        partition: None,
        history: number_of(plan.learned, "job"),
        risk: arguments.risk,
        is_known: arguments.user.is_some(),
        plan,
    };
    plot.answer(&advised, printer)
}

/// The advice on a live site now: for one partition, or for each that differs from the others.
fn from_site(
    arguments: &Arguments,
    mut history: Option<Loaded>,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let (site, new, settings) = (LiveSite::ask()?, arguments.new_job(), arguments.settings());
    if let Some(history) = &mut history {
        newcomer::take_history(history, &site, printer)?;
    }
    let queues = site.queues(arguments.live.partition.as_deref(), arguments.source.procs, printer)?;
    let (mut partitions, mut refused) = (Vec::new(), Vec::new());
    for queue in &queues {
        if let Some(why) = newcomer::not_allowed(queue, &new.asks(queue)) {
            refused.push(format!("{}: {why}", queue.name));
            continue;
        }
        let place = (&site, queue);
        let advised = newcomer::with_queue(&new, place, history.as_ref(), &settings.when, |asked| {
            let settings = PlanSettings { when: asked.settings.clone(), ..settings.clone() };
            let question = PlanQuestion { queues: Some(Vec::new()), ..arguments.question(asked.job.clone()) };
            let plan = planned(&question, &asked.source, &settings, asked.name, printer)?;
            Ok(AdvisedJob {
                version: env!("CARGO_PKG_VERSION"),
                source: asked.name.to_owned(),
                moment: Moment::of(site.asked, Some(0), &arguments.source.reading.time_zone),
                partition: Some(queue.name.clone()),
                history: newcomer::learned_from(asked.whose.as_deref(), plan.learned),
                risk: arguments.risk,
                is_known: arguments.user.is_some(),
                plan,
            })
        })?;
        partitions.push(advised);
    }
    match partitions.pop() {
        Some(only) if partitions.is_empty() => plot.answer(&only, printer),
        Some(last) => {
            partitions.push(last);
            plot.answer(&AdvisedPartitions { partitions, refused }, printer)
        }
        None => Err(Failure::usage("no partition allows this job").hint(refused.join("; "))),
    }
}
