//! `queuecast advise`: what to ask for.

use std::path::PathBuf;

use queuecast_core::asking::Refusal;
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::advice::JobChanges;
use queuecast_place::{PlaceAdvice, advise_at, advise_at_logs};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::told;
use queuecast_sim::predict::PredictorSpec;

use super::loaded::Loaded;
use super::place::ReadPlace;
use super::raw_trace::RawTrace;
use super::{moldable, newcomer};
use crate::plot::Plotting;
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
    #[arg(long = "other-site", value_name = "LOG", help_heading = "What may change")]
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
    fn advice(&self) -> PlaceAdvice {
        PlaceAdvice {
            // How much its run time varies is learned.
            changes: JobChanges {
                sizes: self.sizes.described(1.0),
                later: self.later.clone(),
                risk: self.risk,
            },
            predictor: self.predictor.spec.clone(),
            when: self.asked.settings(),
            draws: DRAWS,
        }
    }
}

/// Reads the place, and says what to ask for.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let mut asked = arguments.asked.clone();
    let mut inputs = asked.inputs();
    inputs.extend(arguments.other_sites.iter().map(PathBuf::as_path));
    let plot = arguments.plotting.plan(&inputs)?;
    if arguments.predictor.spec == PredictorSpec::Perfect {
        return Err(Failure::usage(
            "--predictor perfect knows the future of the jobs of a log, and the job asked about is none of them",
        )
        .hint("leave --predictor out, or name another"));
    }
    if asked.time.is_none() {
        return Err(Failure::usage("which time limit would the job ask for? give --time, as in -t 2h"));
    }
    arguments.sizes.warnings().iter().for_each(|warning| printer.warning(warning));
    let read = ReadPlace::read(&asked, printer)?;
    if matches!(read, ReadPlace::Live { .. }) {
        asked.take_asker(read.asked(&arguments.asked.live, asked.source.procs), printer);
    }
    let (job, advice, zone) = (asked.job(), arguments.advice(), &asked.source.reading.time_zone);
    let answer = match &read {
        ReadPlace::Log(here, at) if !arguments.other_sites.is_empty() => {
            let others = other_sites(arguments, printer)?;
            let known = others.iter().map(|(name, known)| {
                let known = known.as_ref().map(|(trace, at)| (trace.named(), *at));
                (name.as_str(), known.map_err(Clone::clone))
            });
            let logs = std::iter::once((here.name.as_str(), Ok((here.named(), *at)))).chain(known);
            told::learned(asked.methods.cache.is_kept(), printer, |messages| {
                advise_at_logs(logs, &job, &advice, zone, messages)
            })
        }
        read => {
            read.check_user(job.user.as_deref())?;
            let place = read.asked(&asked.live, asked.source.procs);
            told::learned(asked.methods.cache.is_kept(), printer, |messages| {
                advise_at(place, &job, &advice, zone, messages)
            })
        }
    };
    plot.answer(&answer?, printer)
}

/// What the logs of other sites tell of the moment asked about, or why they tell nothing.
fn other_sites(arguments: &Arguments, printer: &Printer) -> Result<Vec<OtherSite>, Failure> {
    let read = |file: &PathBuf| {
        let raw = RawTrace::read(file, &arguments.asked.source.options(), printer)?;
        let known = arguments.asked.known(&raw, printer);
        Ok((raw.name, known.map_err(Refusal::from)))
    };
    arguments.other_sites.iter().map(read).collect()
}

/// The name of a log, and what it tells.
type OtherSite = (String, Result<(Loaded, Time), Refusal>);
