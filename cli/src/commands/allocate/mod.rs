//! `queuecast allocate`: how many processors to ask for.

mod answer;
mod job;
mod live;
mod moment;
mod people;

use std::path::PathBuf;

use queuecast::allot::advice::{
    AdviceError, Advisor, Belief, Calibration, Case, Drawn, Lesson, Past, Preference, Record, State, Target,
    Walk,
};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec, RuntimePredictor};
use queuecast::report::duration;
use queuecast::seed::Seed;
use queuecast::sim::{Backfill, LimitRule};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::wait::QueueTime;
use queuecast::workload::{Machine, Workload};
use rayon::prelude::*;

use self::answer::{Allocated, Calibrated, Moment, Seen, Settings};
use super::cleaning;
use super::loaded::Loaded;
use super::source::{Source, policy_help, predictor_help};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::spec::{self, Form, Spec, form};

/// So many draws place a question of the past.
const LESSON_DRAWS: u32 = 30;

const EXAMPLES: &str = "\
Examples:
  Run times were measured on three sizes; which to ask for, as the machine is at the end of a log:
    queuecast allocate LOG.swf.gz --runs 8=4h,16=2h10m,32=80m

  The same 200 days after the start in the log's header, for a job described by its speedup, which needs four processors for its memory:
    queuecast allocate LOG.swf.gz --at 200d --lifetime 20h --parallelism 40 --variance 1 --fewest 4

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
    /// Leave out the chart
    #[arg(long, help_heading = "Results")]
    pub no_plot: bool,
}

/// How the future is guessed.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "The queue")]
pub struct Forecasting {
    #[arg(long, value_name = "POLICY", default_value = "easy", value_parser = spec::policy(), hide_possible_values = true)]
    #[arg(help = spec::policy().help("Who runs next"), long_help = policy_help())]
    pub policy: Backfill,
    #[arg(long, value_name = "OUTLOOK", value_parser = outlook(), hide_possible_values = true)]
    #[arg(help = outlook().help(OUTLOOK), long_help = outlook().long_help(OUTLOOK))]
    pub outlook: Option<Belief>,
    #[arg(long, value_name = "PREDICTOR", default_value = "requested", value_parser = spec::predictor(), hide_possible_values = true)]
    #[arg(help = spec::predictor().help("Who forecasts run times, for an outlook that asks"), long_help = predictor_help())]
    pub predictor: PredictorSpec,
    #[arg(long, value_name = "PREDICTOR", value_parser = by(), hide_possible_values = true)]
    #[arg(help = by().help(BY), long_help = by().long_help(BY))]
    pub by: Option<QueueTime>,
    /// In how many ways things may go; from 1 to 100000
    #[arg(long, value_name = "N", default_value = "300", value_parser = draws, allow_negative_numbers = true)]
    pub draws: u32,
    /// Another seed is other luck; the same seed is always the same
    #[arg(long, value_name = "SEED", default_value = "1")]
    pub seed: u64,
    /// Requested time of jobs that have none: 2h10m, 1-12:00:00, plain seconds; by default a day
    #[arg(long, value_name = "DURATION", value_parser = length, allow_hyphen_values = true)]
    pub default_request: Option<Seconds>,
    /// Correct queue times by what became of this many past jobs of the log, asked about in the same way; 0 for not at all.
    /// Fewer than 30 are too few
    #[arg(long, value_name = "N", default_value = "200", value_parser = spec::at_least::<0, usize>, allow_negative_numbers = true)]
    pub calibrate: usize,
    /// Also say how right such predictions would have been for this many jobs of the log that have started by then
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true)]
    pub check: Option<usize>,
}

const OUTLOOK: &str = "How much longer jobs go on; by default shares, with --by fitted";
const BY: &str =
    "Predict queue times by a formula of Downey 1997, if nobody waits, instead of simulating the queue";
const TARGET: &str = "By what turnarounds are compared";

fn outlook() -> Spec<Belief> {
    const FORMS: &[Form] = &[
        form("shares", "", "as jobs did that asked for about as much time and lived as long"),
        form("fitted", "", "by their age and the lifetimes of all jobs that ended"),
        form("between", ":LEAST,MOST", "by their age and lifetimes between these, in seconds"),
        form("line", ":INTERCEPT,SLOPE", "the same, by the line of their distribution"),
        form(
            "forecast",
            "[:FACTOR]",
            "as --predictor says: its interval, or its point, give or take a factor",
        ),
    ];
    Spec::new(FORMS, |text| text.parse::<Belief>().map_err(|error| error.why))
}

fn by() -> Spec<QueueTime> {
    const FORMS: &[Form] = &[
        form("combined", "[:BENEFACTORS]", "median if so many running jobs (2) hold enough each, else mean"),
        form("median", "", "when one of the jobs that hold enough will have ended"),
        form("mean", "", "when enough is free on average"),
        form("exact", "", "when it is as likely as not that enough is free"),
    ];
    Spec::new(FORMS, |text| text.parse::<QueueTime>().map_err(|error| error.why))
}

fn target() -> Spec<Target> {
    const FORMS: &[Form] = &[
        form("median", "", "as likely longer as shorter"),
        form("mean", "", "rare long waits count in full"),
        form("p90", "", "what nine in ten do not exceed: for a deadline"),
    ];
    Spec::new(FORMS, |text| text.parse::<Target>().map_err(|error| error.why))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn draws(text: &str) -> Result<u32, String> {
    let draws = text.parse().ok().filter(|draws| (1..=100_000).contains(draws));
    draws.ok_or_else(|| "expected a whole number from 1 to 100000".to_owned())
}

fn length(text: &str) -> Result<Seconds, String> {
    let length = duration::parse(text).map_err(|error| error.to_string())?;
    if length > Seconds::ZERO { Ok(length) } else { Err("expected a time above zero".to_owned()) }
}

impl From<AdviceError> for Failure {
    fn from(error: AdviceError) -> Failure {
        match error {
            AdviceError::Sim(error) => error.into(),
            AdviceError::Workload(_) => Failure::unexpected(error.to_string()),
            AdviceError::JobsAhead { .. } => Failure::usage(format!("--by {error}")),
            _ => Failure::usage(error.to_string())
                .hint("another --by may say more; without it, the queue is simulated"),
        }
    }
}

impl Forecasting {
    /// A formula needs another formula.
    fn belief(&self) -> Result<Belief, Failure> {
        match (self.outlook, self.by) {
            (Some(Belief::Shares), Some(by)) => Err(Failure::usage(format!(
                "--by {by} needs an outlook that is a formula, and shares is none: leave one of them out"
            ))),
            (None, Some(_)) => Ok(Belief::Outlook(Belief::Shares.outlook())),
            (given, _) => Ok(given.unwrap_or_default()),
        }
    }

    fn default_request(&self) -> Seconds {
        self.default_request.unwrap_or(DEFAULT_REQUEST)
    }

    fn predictor(&self, workload: &Workload) -> Box<dyn RuntimePredictor> {
        let fates = || workload.jobs().iter().zip(workload.truths());
        let runs = || fates().map(|(job, truth)| LimitRule::Ignore.ran(job, truth)).collect();
        self.predictor.build(runs, self.default_request())
    }

    /// The log up to a moment: as it was, or, where it does not say when jobs started, as it would have been.
    fn walk<'a>(&self, workload: &'a Workload, until: Time) -> Result<Walk<'a>, Failure> {
        let (belief, default) = (self.belief()?, self.default_request());
        let predictor = self.predictor(workload);
        if workload.is_empty() || !workload.starts.is_empty() {
            return Ok(Walk::recorded(workload, belief, predictor, default));
        }
        let (mut policy, mut planner) =
            (self.policy.build(), PredictorSpec::Requested.build(Vec::new, default));
        Ok(Walk::simulated(workload, until, &mut *policy, &mut *planner, belief, predictor, default)?)
    }

    /// So many draws, on all cores; the same on any number of them.
    fn drawn(&self, advisor: &Advisor, draws: u32) -> Result<Vec<Drawn>, Failure> {
        let drawn: Result<Vec<Drawn>, AdviceError> =
            (0..draws).into_par_iter().map(|number| advisor.draw(Seed(self.seed), number)).collect();
        Ok(drawn?)
    }

    /// What predictions were worth at these past moments.
    fn lessons(&self, walk: &mut Walk<'_>, past: &[Past]) -> Result<Vec<Lesson>, Failure> {
        let mut lessons = Vec::with_capacity(past.len());
        for &Past { job, wait, started } in past {
            let advisor = walk.ask(job, self.policy.clone());
            let drawn = self.drawn(&advisor, self.draws.min(LESSON_DRAWS))?;
            lessons.extend(Lesson::of(&advisor, &drawn, wait, started));
        }
        Ok(lessons)
    }

    /// What the past teaches, and, if asked for, how right it would have been about jobs that have started by now.
    fn learned(&self, workload: &Workload, known: &Walk<'_>) -> Result<Learned, Failure> {
        if self.by.is_some() {
            return Ok(Learned::default());
        }
        let again = || known.again(self.predictor(workload));
        let past = if self.calibrate > 0 { known.lessons(self.calibrate) } else { Vec::new() };
        // A check needs those of all times.
        let needed = if self.check.is_some() { 0 } else { past.len().saturating_sub(self.calibrate) };
        let lessons = self.lessons(&mut again(), &past[needed..])?;
        let newest = lessons[lessons.len().saturating_sub(self.calibrate)..].to_vec();
        let record =
            self.check.map(|most| self.record(&mut again(), &known.past(most), &lessons)).transpose()?;
        Ok(Learned { calibration: Calibration::of(newest), record: record.flatten() })
    }

    /// How right it would have been about these jobs, each with the lessons known when it came. With lessons, those jobs
    /// count that came when there were enough.
    fn record(
        &self,
        walk: &mut Walk<'_>,
        past: &[Past],
        lessons: &[Lesson],
    ) -> Result<Option<Record>, Failure> {
        let (mut plain, mut calibrated) = (Vec::new(), Vec::new());
        for &Past { job, wait, started } in past {
            let advisor = walk.ask(job, self.policy.clone());
            let mut drawn = self.drawn(&advisor, self.draws)?;
            let calibration = Calibration::before(lessons, started - wait, self.calibrate);
            if let Some(calibration) = &calibration {
                drawn = calibration.correct(&advisor, &drawn);
            }
            let queue = advisor.conclude(&drawn, Preference::default())?.recommended().queue;
            let cases = if calibration.is_some() { &mut calibrated } else { &mut plain };
            cases.push(Case::of(queue, wait, calibration.as_ref()));
        }
        Ok(Record::of(if calibrated.is_empty() { &plain } else { &calibrated }))
    }
}

/// What the past teaches.
#[derive(Default)]
struct Learned {
    calibration: Option<Calibration>,
    record: Option<Record>,
}

/// The machine at the moment asked about, and where that comes from.
struct Situation {
    source: String,
    moment: Moment,
    state: State,
    seen: Seen,
    learned: Learned,
}

/// The machine as a log has it at a moment.
fn logged(arguments: &Arguments, trace: &Loaded) -> Result<Situation, Failure> {
    let (forecasting, workload) = (&arguments.forecasting, &trace.log.workload);
    let zone = &arguments.source.reading.time_zone;
    let at = moment::read(&arguments.at, zone, workload)?;
    let mut walk = forecasting.walk(workload, at)?;
    walk.to(at);
    let state = walk.state(at);
    Ok(Situation {
        source: trace.name.clone(),
        moment: Moment::of(at, workload.epoch, zone),
        seen: Seen::of(&state, walk.ended(), workload.starts.is_empty()),
        state,
        learned: forecasting.learned(workload, &walk)?,
    })
}

/// The machine as the site's Slurm has it now, with all of a log to learn from, if there is one.
fn now(arguments: &Arguments, trace: Option<&Loaded>, printer: &Printer) -> Result<Situation, Failure> {
    let forecasting = &arguments.forecasting;
    if forecasting.predictor == PredictorSpec::Perfect {
        return Err(Failure::usage("--predictor perfect: nobody knows the future of a live site"));
    }
    let site = live::Site::ask(&arguments.live, arguments.source.procs, printer)?;
    let nothing = Workload::new(Machine { procs: site.machine }, Vec::new())
        .map_err(|error| Failure::input(format!("sinfo: {error}")))?;
    let workload = trace.map_or(&nothing, |trace| &trace.log.workload);
    let end = Time::NEVER - Seconds(1);
    let mut walk = forecasting.walk(workload, end)?;
    walk.to(end);
    let (running, waiting) = site.jobs(workload);
    let state = walk.believed(site.machine, running.iter().map(|(job, age)| (job, *age)), waiting.iter());
    let zone = &arguments.source.reading.time_zone;
    Ok(Situation {
        source: trace
            .map_or_else(|| "squeue".to_owned(), |trace| format!("squeue, learning from {}", trace.name)),
        moment: Moment::of(site.asked, Some(0), zone),
        seen: Seen::of(&state, walk.ended(), false),
        state,
        learned: forecasting.learned(workload, &walk)?,
    })
}

/// Finds the moment, asks about every size, and shows what it says.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let Forecasting { ref policy, ref predictor, by, draws, seed, calibrate, .. } = arguments.forecasting;
    let belief = arguments.forecasting.belief()?;
    arguments.job.check()?;
    if by.is_some() && arguments.forecasting.check.is_some() {
        return Err(Failure::usage("--check is for simulated queues: leave out --by"));
    }
    let trace =
        arguments.file.as_ref().map(|file| Loaded::read(file, &arguments.source, printer)).transpose()?;
    if let Some(trace) = &trace {
        let checked = predictor.check(trace.log.workload.jobs());
        checked.map_err(|error| Failure::usage(format!("{}: {error}", trace.name)))?;
        cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    }
    let Situation { source, moment, state, seen, learned } = match &trace {
        Some(trace) if !arguments.live.live => logged(arguments, trace)?,
        trace => now(arguments, trace.as_ref(), printer)?,
    };
    let job::Offer { sizes, between } = arguments.job.offered(&state)?;
    if between.as_ref().is_some_and(|between| between.measured.len() < 3) {
        printer.warning("--between: two measured sizes fit many curves; measure a third");
    }
    if let Some(between) = between.as_ref().filter(|between| between.is_bad()) {
        printer.warning(&format!(
            "--between: the fitted curve is up to {:.1}% off the measured run times; do not trust the sizes between them",
            100.0 * between.deviation
        ));
    }
    let preference = Preference { target: arguments.target, averse: arguments.averse };
    let advisor = Advisor::new(state, sizes, policy.clone(), arguments.job.give_or_take);
    let advice = match by {
        Some(by) => advisor.by(by, preference)?,
        None => {
            let drawn = arguments.forecasting.drawn(&advisor, draws)?;
            let calibration = learned.calibration.as_ref();
            let corrected = calibration.map(|calibration| calibration.correct(&advisor, &drawn));
            advisor.conclude(&corrected.unwrap_or(drawn), preference)?
        }
    };
    let unknown: Vec<Procs> = advisor
        .sizes()
        .iter()
        .map(|size| size.procs)
        .filter(|&procs| advice.prospects().iter().all(|prospect| prospect.procs != procs))
        .collect();
    let settings = Settings {
        policy: policy.to_string(),
        outlook: belief.to_string(),
        predictor: predictor.to_string(),
        by: by.map(|by| by.to_string()),
        draws: by.is_none().then_some(draws),
        seed: by.is_none().then_some(seed),
        calibrate: by.is_none().then_some(calibrate),
        target: arguments.target.to_string(),
        averse: arguments.averse,
        give_or_take: arguments.job.give_or_take,
        default_request: arguments.forecasting.default_request(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let plot = !arguments.no_plot;
    printer.answer(&Allocated {
        version,
        source,
        moment,
        state: seen,
        settings,
        preference,
        advice,
        unknown,
        between,
        calibration: learned.calibration.as_ref().map(Calibrated::of),
        record: learned.record,
        plot,
    })
}
