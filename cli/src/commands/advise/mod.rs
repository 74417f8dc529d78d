//! `queuecast advise`: what to ask for.

mod answer;

use std::path::PathBuf;

use queuecast::allot::advice::JobLimits;
use queuecast::forecast::{
    ClusterPlanError, ClusterPlanQuestion, ClusterQuestion, JobPlan, PlanError, PlanQuestion, PlanSettings,
    WhenSettings, WhenSource, plan_at_cluster, plan_job,
};
use queuecast::job::Job;
use queuecast::predict::PredictorSpec;
use queuecast::units::{Seconds, Time};

use self::answer::{AdvisedJob, AdvisedPlaces};
use super::live::LiveSite;
use super::loaded::{Loaded, number_of};
use super::moldable;
use super::moment::Moment;
use super::newcomer::{self, AskedPlace};
use super::raw_trace::RawTrace;
use super::slurm_site::{self, SiteQuestion};
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

  Here or at another site:
    queuecast advise HERE.swf.gz -n 64 -t 2h --other-site THERE.swf.gz

  On a Slurm site, now, with its accounting to learn from:
    queuecast advise --live site.sacct.gz -n 64 -t 2h -u anna

  By Slurm's own scheduler, on the configuration saved by site capture:
    queuecast advise site.sacct.gz --site mysite -n 64 -t 2h -u anna";

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
    /// The log of another site where it could be submitted instead; may be given again. --at is read on each log's own
    /// clock: end is its last submission
    #[arg(
        long = "other-site",
        value_name = "LOG",
        conflicts_with_all = ["live", "site"],
        help_heading = "What may change"
    )]
    pub other_sites: Vec<PathBuf>,
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
    let mut inputs = arguments.asked.inputs();
    inputs.extend(arguments.other_sites.iter().map(PathBuf::as_path));
    let plot = arguments.plotting.plan(&inputs)?;
    if arguments.predictor.spec == PredictorSpec::Perfect {
        return Err(Failure::usage("--predictor perfect knows the future, and a job to come has none yet"));
    }
    if arguments.asked.time.is_none() {
        return Err(Failure::usage("which time limit would the job ask for? give --time, as in -t 2h"));
    }
    arguments.sizes.warnings().iter().for_each(|warning| printer.warning(warning));
    if let Some(site) = &arguments.asked.slurm.site {
        let question = slurm_site::read(&arguments.asked, site, printer)?;
        return plot.answer(&at_slurm_site(arguments, question, printer)?, printer);
    }
    match arguments.asked.read(printer)? {
        AskedPlace::Log(trace, at) => from_log(arguments, &trace, at, plot, printer),
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
    at: Time,
    plot: PlannedPlot,
    printer: &Printer,
) -> Result<(), Failure> {
    if arguments.other_sites.is_empty() {
        arguments.asked.job().check(&trace.log.workload)?;
    }
    let here = at_site(arguments, trace, at, printer);
    if arguments.other_sites.is_empty() {
        return plot.answer(&here?, printer);
    }
    let (mut sites, mut refused) = (Vec::new(), Vec::new());
    let mut first = None;
    let mut take = |name: &str, answer: Result<AdvisedJob, Failure>| match answer {
        Ok(mut site) => {
            site.is_one_of_several = true;
            sites.push(site);
        }
        Err(why) => {
            refused.push(format!("{name}: {why}"));
            first.get_or_insert(why);
        }
    };
    take(&trace.name, here);
    for file in &arguments.other_sites {
        let raw = RawTrace::read(file, &arguments.asked.source.options(), printer)?;
        let known = arguments.asked.known(&raw, printer);
        take(&raw.name, known.and_then(|(other, at)| at_site(arguments, &other, at, printer)));
    }
    match first {
        Some(why) if sites.is_empty() => Err(why),
        _ => plot.answer(&AdvisedPlaces::sites(sites, refused), printer),
    }
}

/// The advice at one site, by its log. A user that the log does not know counts as any.
fn at_site(
    arguments: &Arguments,
    trace: &Loaded,
    at: Time,
    printer: &Printer,
) -> Result<AdvisedJob, Failure> {
    let asked = &arguments.asked;
    let (workload, zone) = (&trace.log.workload, &asked.source.reading.time_zone);
    let mut new = asked.job();
    if !new.knows_user(workload) {
        new.user = None;
    }
    new.check(workload)?;
    let job = new.at(at, workload);
    let source = WhenSource::Log { workload, at };
    let settings = arguments.settings(asked.settings());
    let plan = planned(&arguments.question(job), &source, &settings, &trace.name, printer)?;
    Ok(AdvisedJob {
        version: env!("CARGO_PKG_VERSION"),
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        partition: None,
        is_one_of_several: false,
        history: number_of(plan.learned, "job"),
        risk: arguments.risk,
        is_known: new.user.is_some(),
        plan,
    })
}

/// The advice at a Slurm site, by its own scheduler.
fn at_slurm_site(
    arguments: &Arguments,
    question: SiteQuestion,
    printer: &Printer,
) -> Result<AdvisedJob, Failure> {
    let settings = slurm_site::settings(&arguments.asked, &question);
    let progress = slurm_site::trying(&settings, printer);
    let done = |steps| progress.advance_by(steps);
    let SiteQuestion { cluster, history, moment, job, .. } = &question;
    let asking = ClusterPlanQuestion {
        asked: ClusterQuestion { cluster, history, moment, job },
        // How much its run time varies is learned.
        sizes: arguments.sizes.described(1.0),
        later: arguments.later.clone(),
        risk: arguments.risk,
    };
    let plan = plan_at_cluster(&asking, settings, &done).map_err(|error| match error {
        ClusterPlanError::When(error) => slurm_site::refused(&error),
        other => Failure::usage(other.to_string()),
    })?;
    drop(progress);
    Ok(AdvisedJob {
        version: env!("CARGO_PKG_VERSION"),
        source: question.source,
        moment: Moment::of(question.at, question.epoch, &arguments.asked.source.reading.time_zone),
        partition: question.job.request.partitions.first().cloned(),
        is_one_of_several: false,
        history: number_of(plan.learned, "job"),
        risk: arguments.risk,
        is_known: arguments.asked.user.is_some(),
        plan,
    })
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
                is_one_of_several: true,
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
            plot.answer(&AdvisedPlaces::partitions(found.answers, found.refused), printer)
        }
    }
}
