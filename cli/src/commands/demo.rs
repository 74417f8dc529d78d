//! `queuecast demo`: policies and predictors compared on a generated workload.

use std::path::PathBuf;

use queuecast_core::seed::Seed;
use queuecast_process::failure::Failure;
use queuecast_process::invocation::{Invocation, quoted};
use queuecast_process::printer::Printer;
use queuecast_report::swf::{self, Heading};
use queuecast_study::Demonstration;
use queuecast_synth::synth::{Habits, SynthError};

use super::threads;
use crate::commands::replacing::Replacing;
use crate::commands::simulated::simulated;
use crate::plot::Plotting;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast demo
  queuecast demo --load 0.95 --seed 7
  queuecast demo --jobs 5000 --procs 512 --output made-up.swf.gz";

/// Generate a workload and compare policies and predictors on it; needs no files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// How many jobs to generate
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = spec::at_least::<2, u32>, allow_negative_numbers = true)]
    pub jobs: u32,
    /// Processors of the machine
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: u32,
    /// Offered load: work that arrives per processor; from 1 on the queue grows without bound
    #[arg(long, value_name = "LOAD", default_value = "0.85", value_parser = spec::positive, allow_negative_numbers = true)]
    pub load: f64,
    /// Seed of the random numbers; the same seed gives the same workload
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Write the workload in the Standard Workload Format; .gz and .zst compress it
    #[arg(short, long, alias = "save", value_name = "OUT.swf")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// Generates a workload, simulates it with each policy and predictor, and compares them.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let planned = arguments.replacing.plan(arguments.output.as_deref(), &[])?;
    let plot = arguments.plotting.plan(&[])?;
    let model =
        Habits { jobs: arguments.jobs, procs: arguments.procs, load: arguments.load, ..Habits::default() };
    let workload = model.generate(Seed(arguments.seed)).map_err(|error| match error {
        SynthError::OutOfRange { .. } => Failure::usage(error.to_string()),
        SynthError::TooShort { .. }
        | SynthError::Outlived { .. }
        | SynthError::Unsuitable(_)
        | SynthError::Workload(_) => Failure::unexpected(error.to_string()),
    })?;
    if let Some(planned) = planned {
        let heading = Heading { header: None, notes: &[Demonstration::trace_note(&model, arguments.seed)] };
        planned.write_by(|out| swf::write(out, heading, &workload, None).map(drop))?;
    }
    let sweep = Demonstration::sweep();
    let results = threads::on_threads(None, sweep.simulations().len(), || {
        Ok(simulated(&sweep, &[&workload], printer)?)
    })?;
    let answer = Demonstration {
        saved: arguments.output.as_ref().map(|path| quoted(&path.display().to_string())),
        program: invocation.program(),
        ..Demonstration::of(model, arguments.seed, &workload, results)
    };
    plot.answer(&answer, printer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn nothing_is_enough_and_nonsense_is_refused() {
        let demo = arguments_alone::parse::<Arguments>("demo").unwrap();
        assert_eq!((demo.jobs, demo.procs, demo.load, demo.seed), (20_000, 256, 0.85, 1));
        for nonsense in ["--jobs=0", "--procs=0", "--load=0", "--load=x", "--seed=-1"] {
            let refused = arguments_alone::parse::<Arguments>(&format!("demo {nonsense}"));
            assert_eq!(refused.unwrap_err().exit_code(), 2, "{nonsense}");
        }
    }
}
