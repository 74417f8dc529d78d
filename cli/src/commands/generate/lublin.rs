//! `queuecast generate lublin`.

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_synth::synth::generate::LublinChoices;
use queuecast_synth::synth::{Lublin, LublinKinds};

use super::model_options::JobOptions;
use super::output::OutputOption;
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast generate lublin --output made.swf.gz
  queuecast generate lublin --jobs 100000 --load 0.8 --seed 7 -o made.swf.zst
  queuecast generate lublin --like KTH-SP2.swf.gz --jobs 50000 -o like.swf
  queuecast generate lublin --kinds both --users none -o bare.swf
  queuecast generate lublin --max-estimate 60h --mode 1h=20 -o asked.swf";

/// Jobs by the model of Lublin & Feitelson 2003: sizes, run times that depend on them, arrivals by day and night
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Kinds of jobs; by default untyped, as in the authors' own sample, or as in the log
    #[arg(long, value_name = "KINDS", value_parser = spec::choice::<LublinKinds>())]
    pub kinds: Option<LublinKinds>,
    #[command(flatten)]
    pub options: JobOptions,
    #[command(flatten)]
    pub output: OutputOption,
}

/// Generates the workload and writes it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let Arguments { kinds, options, output } = arguments;
    options.estimate_options.check_log(options.model.fitted(), &options.estimates)?;
    let choices = LublinChoices { kinds: *kinds };
    options.run::<Lublin>(choices, output, invocation, printer)
}
