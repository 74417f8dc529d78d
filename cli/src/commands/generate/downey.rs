//! `queuecast generate downey`.

use clap::ValueEnum;
use queuecast::synth::{Downey, DowneyArrivals};
use queuecast::workload::Workload;

use super::making::Making;
use super::product::Target;
use crate::failure::Failure;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate downey --output made.swf.gz
  queuecast generate downey --procs 128 --arrivals always -o made.swf
  queuecast generate downey --set downey.lifetime=log-normal:600,8 -o made.swf
  queuecast generate downey --like SDSC-SP2.swf.gz --output like-sdsc.swf";

/// Jobs by the model of Downey 1997: work and parallelism uniform in their logarithms. The format has no place for
/// moldable jobs, so each is rigid, on as many processors as its average parallelism
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// When jobs arrive; by default daytime, or as in the log
    #[arg(long, value_name = "WHEN", value_enum)]
    pub arrivals: Option<Arrivals>,
    /// With --like, take these as the log has them, instead of a line through them; may be repeated
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Like a log")]
    pub observed: Vec<Observed>,
    #[command(flatten)]
    pub making: Making,
    #[command(flatten)]
    pub into: Target,
}

/// When jobs arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrivals {
    /// From 8 to 20 o'clock
    Daytime,
    /// The same, on days so far apart that the machine is idle between them
    Apart,
    /// Day and night
    Always,
}

/// What a log shows of the model's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Observed {
    /// Sequential lifetimes: run times, times the speedup on as many processors
    Lifetimes,
    /// Average parallelism: numbers of processors
    Parallelism,
}

/// Makes the workload and writes it.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let fitted = arguments.making.like.like.is_some();
    arguments.making.asking.check_log(fitted)?;
    if !fitted && !arguments.observed.is_empty() {
        return Err(Failure::usage("--observed means nothing without --like".to_owned()));
    }
    let choose = |mut model: Downey, log: Option<&Workload>| {
        if let Some(log) = log.filter(|_| !arguments.observed.is_empty()) {
            let observed = Downey::like_observed(log)?;
            if arguments.observed.contains(&Observed::Lifetimes) {
                // The load goes by the mean lifetime, so that jobs arrive at the log's rate.
                (model.lifetime, model.load) = (observed.lifetime, observed.load);
            }
            if arguments.observed.contains(&Observed::Parallelism) {
                model.parallelism = observed.parallelism;
            }
        }
        let arrivals = match arguments.arrivals {
            None => model.arrivals,
            Some(Arrivals::Daytime) => DowneyArrivals::Daytime,
            Some(Arrivals::Apart) => DowneyArrivals::Apart,
            Some(Arrivals::Always) => DowneyArrivals::Always,
        };
        Ok(Downey { arrivals, moldable: false, ..model })
    };
    arguments.making.run_with(&arguments.into, choose, printer)
}
