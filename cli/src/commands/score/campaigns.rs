//! `queuecast score campaigns`.

use std::path::PathBuf;

use queuecast_eval::{EvalError, score_campaigns};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::score::ScoredCampaigns;
use queuecast_report::words::number_of;

use crate::commands::loaded::Loaded;
use crate::commands::source::Source;
use crate::commands::{cleaning, threads};
use crate::spec;

const EXAMPLES: &str = "\
Examples:
  queuecast score campaigns KTH-SP2.swf.gz
  queuecast score campaigns site.sacct.gz --campaigns 100 --format csv";

/// Score forecasts of campaigns: when the first of several jobs starts, and when the last ends
///
/// Jobs of one user that were submitted within a minute are a campaign. Each is asked about at its first submission with what was known then, as queuecast when --array and --jobs answer, beside the quantiles of how long past campaigns of that size took.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The trace, compressed or not; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How many campaigns are asked about, at most, of each class of sizes (2 to 3 jobs, 4 to 7, and so on): the last ones
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = spec::at_least_one::<usize>, allow_negative_numbers = true)]
    pub campaigns: usize,
    #[command(flatten)]
    pub source: Source,
    /// How many simulations are done at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
}

/// Follows the log, and judges what was said of its campaigns.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let trace = Loaded::read(&arguments.file, &arguments.source, printer)?;
    cleaning::note(&trace.name, &trace.log.report, cleaning::Overrun::Kept, printer);
    let scores = threads::on_threads(arguments.threads, usize::MAX, || {
        let progress = Progress::uncounted(printer, "asking about past campaigns");
        let done = |steps| progress.advance_by(steps);
        let (workload, settings) = (&trace.log.workload, WhenSettings::default());
        score_campaigns(workload, &settings, arguments.campaigns, &done)
            .map_err(|error| refused(&trace.name, error))
    })?;
    printer.answer(&ScoredCampaigns::new(&trace.name, scores))
}

fn refused(name: &str, error: EvalError) -> Failure {
    match error {
        EvalError::NoWaits => Failure::input(format!("{name} does not record when jobs started"))
            .hint("simulate it (queuecast simulate LOG --schedule-swf OUT.swf) and score the simulated log"),
        EvalError::TooFewJobs { jobs, needed } => Failure::input(format!(
            "{name} has {} that ended, and the first {} of each size are learned from only",
            number_of(jobs, "campaign"),
            needed - 1
        ))
        .hint("a campaign is two or more jobs of one user that were submitted within a minute"),
        other => other.into(),
    }
}
