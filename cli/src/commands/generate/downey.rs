//! `queuecast generate downey`.

use clap::ValueEnum;
use queuecast::synth::{Downey, DowneyArrivals};

use super::making::Making;
use super::product::Target;
use crate::failure::Failure;
use crate::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast generate downey --output made.swf.gz
  queuecast generate downey --procs 128 --arrivals always -o made.swf
  queuecast generate downey --like SDSC-SP2.swf.gz --output like-sdsc.swf";

/// Jobs by the model of Downey 1997: work and parallelism uniform in their logarithms. The format has no place for
/// moldable jobs, so each is rigid, on as many processors as its average parallelism
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// When jobs arrive; by default daytime, or as in the log
    #[arg(long, value_name = "WHEN", value_enum)]
    pub arrivals: Option<Arrivals>,
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
    /// Day and night
    Always,
}

/// Makes the workload and writes it.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    arguments.making.asking.check_log(arguments.making.like.like.is_some())?;
    let choose = |model: Downey| {
        let arrivals = match arguments.arrivals {
            None => model.arrivals,
            Some(Arrivals::Daytime) => DowneyArrivals::Daytime,
            Some(Arrivals::Always) => DowneyArrivals::Always,
        };
        Downey { arrivals, moldable: false, ..model }
    };
    arguments.making.run(&arguments.into, choose, printer)
}
