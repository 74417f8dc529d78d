//! `queuecast generate downey`.

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::generate::{DowneyChoices, Observed};
use queuecast_synth::synth::{Downey, DowneyArrivals};

use super::model_options::JobOptions;
use super::output::OutputOption;
use crate::spec;

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
    pub options: JobOptions,
    #[command(flatten)]
    pub output: OutputOption,
}

/// Choices of the model.
#[derive(Debug, Clone, clap::Args)]
pub struct Choices {
    /// When jobs arrive; by default daytime, or as in the log
    #[arg(long, value_name = "WHEN", value_parser = spec::choice::<DowneyArrivals>())]
    pub arrivals: Option<DowneyArrivals>,
    /// With --like, take this distribution as observed in the log instead of fitting it; may be repeated
    #[arg(long, value_name = "WHAT", value_parser = spec::choice::<Observed>(), help_heading = "Like a log")]
    pub observed: Vec<Observed>,
}

impl Choices {
    /// Refuses options that have no effect.
    pub fn check(&self, fitted: bool) -> Result<(), Failure> {
        if !fitted && !self.observed.is_empty() {
            return Err(Failure::usage("--observed has no effect without --like".to_owned()));
        }
        Ok(())
    }

    /// The choices for the library.
    pub fn choices(&self) -> DowneyChoices {
        let observed = self.observed.clone();
        DowneyChoices { arrivals: self.arrivals, observed, ..DowneyChoices::default() }
    }
}

/// Generates the workload and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let Arguments { choices, options, output } = arguments;
    let fitted = options.model.fitted();
    options.estimate_options.check_log(fitted, &options.estimates)?;
    choices.check(fitted)?;
    options.run::<Downey>(choices.choices(), output, invocation, printer)
}
