//! `queuecast advise`: what to ask for.

mod answer;

use queuecast::allot::advice::JobLimits;
use queuecast::forecast::{
    JobPlan, PlanError, PlanQuestion, PlanSettings, WhenSettings, WhenSource, plan_job,
};
use queuecast::job::Job;
use queuecast::predict::PredictorSpec;
use queuecast::units::Seconds;

use self::answer::{AdvisedJob, AdvisedPartitions};
use super::live::LiveSite;
use super::loaded::{Loaded, number_of};
use super::moldable;
use super::moment::{self, Moment};
use super::newcomer::{self, AskedPlace};
use crate::failure::Failure;
use crate::plot::{PlannedPlot, Plotting};
use crate::printer::Printer;
use crate::spec::{self, NamedPredictor};

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
    #[command(flatten)]
    pub asked: newcomer::Arguments,
    #[command(flatten, next_help_heading = "What may change")]
    pub sizes: moldable::Arguments,
    /// How much later it could be submitted: 1h,6h
    #[arg(long, value_name = "DURATION,…", value_delimiter = ',', value_parser = spec::positive_duration, help_heading = "What may change")]
    pub later: Vec<Seconds>,
    /// The risk of being stopped at the time limit that is accepted, from 0.001 to 0.5
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share, allow_negative_numbers = true, help_heading = "What may change")]
    pub risk: f64,
    #[arg(long, value_name = "PREDICTOR", default_value = PREDICTOR, value_parser = spec::predictor(), hide_possible_values = true, help_heading = "The answer")]
    #[arg(help = spec::predictor().help(RUN_TIMES), long_help = spec::predictor().long_help(RUN_TIMES))]
    pub predictor: NamedPredictor,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// How run times are predicted by default.
const PREDICTOR: &str = "mixture";

/// Simulations that compare submitting later.
const DRAWS: u32 = 200;

const RUN_TIMES: &str = "How the job's run time is predicted";

fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.001..=0.5).contains(share));
    share.ok_or_else(|| "expected a share from 0.001 to 0.5, such as 0.02".to_owned())
}

impl Arguments {
    fn settings(&self, when: WhenSettings) -> PlanSettings {
        PlanSettings { when, predictor: self.predictor.spec.clone(), draws: DRAWS }
    }

    fn question(&self, job: Job) -> PlanQuestion {
        PlanQuestion {
            job,
            // How much its run time varies is learned.
            sizes: self.sizes.described(1.0),
            limits: JobLimits::default(),
            queues: None,
            later: self.later.clone(),
            risk: self.risk,
        }
    }
}

/// Reads the log or asks the site, and says what to ask for.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let plot = arguments.plotting.plan(&arguments.asked.inputs())?;
    if arguments.predictor.spec == PredictorSpec::Perfect {
        return Err(Failure::usage("--predictor perfect knows the future, and a job to come has none yet"));
    }
    if arguments.asked.time.is_none() {
        return Err(Failure::usage("which time limit would the job ask for? give --time, as in -t 2h"));
    }
    arguments.sizes.warnings().iter().for_each(|warning| printer.warning(warning));
    match arguments.asked.read(printer)? {
        AskedPlace::Log(trace) => from_log(arguments, &trace, plot, printer),
        AskedPlace::Site { site, history } => from_site(arguments, &site, history.as_ref(), plot, printer),
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
    let asked = &arguments.asked;
    let (workload, zone) = (&trace.log.workload, &asked.source.reading.time_zone);
    let at = moment::read(&asked.moment.at, zone, workload)?;
    let new = asked.job();
    new.check(workload)?;
    let job = new.at(at, workload);
    let source = WhenSource::Log { workload, at };
    let settings = arguments.settings(asked.settings());
    let plan = planned(&arguments.question(job), &source, &settings, &trace.name, printer)?;
    let advised = AdvisedJob {
        version: env!("CARGO_PKG_VERSION"),
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        partition: None,
        history: number_of(plan.learned, "job"),
        risk: arguments.risk,
        is_known: asked.user.is_some(),
        plan,
    };
    plot.answer(&advised, printer)
}

/// The advice on a live site now: for one partition, or for each that differs from the others.
fn from_site(
    arguments: &Arguments,
    site: &LiveSite,
    history: Option<&Loaded>,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    let asked = &arguments.asked;
    let (new, settings) = (asked.job(), asked.settings());
    let mut found = asked.each_partition(site, printer, |queue| {
        newcomer::with_queue(&new, (site, queue), history, &settings, |live| {
            let settings = arguments.settings(live.settings.clone());
            let question = PlanQuestion {
                queues: Some(Vec::new()),
                limits: queue.limits,
                ..arguments.question(live.job.clone())
            };
            let plan = planned(&question, &live.source, &settings, live.name, printer)?;
            Ok(AdvisedJob {
                version: env!("CARGO_PKG_VERSION"),
                source: live.name.to_owned(),
                moment: Moment::of(site.asked, Some(0), &asked.source.reading.time_zone),
                partition: Some(queue.name.clone()),
                history: newcomer::learned_from(live.whose.as_deref(), plan.learned),
                risk: arguments.risk,
                is_known: asked.user.is_some(),
                plan,
            })
        })
    })?;
    match found.answers.pop() {
        Some(only) if found.answers.is_empty() => plot.answer(&only, printer),
        last => {
            found.answers.extend(last);
            plot.answer(&AdvisedPartitions { partitions: found.answers, refused: found.refused }, printer)
        }
    }
}
