//! `queuecast generate downey`.

use clap::ValueEnum;
use queuecast::synth::{Downey, DowneyArrivals, SynthError};
use queuecast::workload::Workload;

use super::making::Making;
use super::product::Target;
use crate::failure::Failure;
use crate::invocation::Invocation;
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
    #[command(flatten)]
    pub choices: Choices,
    #[command(flatten)]
    pub making: Making,
    #[command(flatten)]
    pub into: Target,
}

/// What is chosen of the model, whatever becomes of its jobs.
#[derive(Debug, Clone, clap::Args)]
pub struct Choices {
    /// When jobs arrive; by default daytime, or as in the log
    #[arg(long, value_name = "WHEN", value_enum)]
    pub arrivals: Option<Arrivals>,
    /// With --like, take these as the log has them, instead of a line through them; may be repeated
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Like a log")]
    pub observed: Vec<Observed>,
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

impl Choices {
    /// Refuses what nothing would heed.
    pub fn check(&self, fitted: bool) -> Result<(), Failure> {
        if !fitted && !self.observed.is_empty() {
            return Err(Failure::usage("--observed means nothing without --like".to_owned()));
        }
        Ok(())
    }

    /// The model as chosen; the log is the one it is fitted to.
    pub fn applied(&self, mut model: Downey, log: Option<&Workload>) -> Result<Downey, SynthError> {
        if let Some(log) = log.filter(|_| !self.observed.is_empty()) {
            let observed = Downey::like_observed(log)?;
            if self.observed.contains(&Observed::Lifetimes) {
                // The load goes by the mean lifetime, so that jobs arrive at the log's rate.
                (model.lifetime, model.load) = (observed.lifetime, observed.load);
            }
            if self.observed.contains(&Observed::Parallelism) {
                model.parallelism = observed.parallelism;
            }
        }
        model.arrivals = match self.arrivals {
            None => model.arrivals,
            Some(Arrivals::Daytime) => DowneyArrivals::Daytime,
            Some(Arrivals::Apart) => DowneyArrivals::Apart,
            Some(Arrivals::Always) => DowneyArrivals::Always,
        };
        Ok(model)
    }
}

/// Makes the workload and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let Arguments { choices, making, into } = arguments;
    let fitted = making.modelled.like.like.is_some();
    making.asking.check_log(fitted)?;
    choices.check(fitted)?;
    let choose = |model: Downey, log: Option<&Workload>| {
        Ok(Downey { moldable: false, ..choices.applied(model, log)? })
    };
    making.run_with(into, choose, invocation, printer)
}
