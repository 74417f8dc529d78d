//! `queuecast score`: how right forecasts would have been on a log, each made with what was known at its moment.

mod asked;
mod campaigns;
mod live;
mod runtime;
mod shadow;
mod wait;

use clap::Subcommand;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  queuecast score wait CTC-SP2.swf.gz --method knn
  queuecast score wait site.sacct --procs 4096 --from 2000 --format json
  queuecast score runtime CTC-SP2.swf.gz --method recent:2,sbh,template:@templates.txt";

/// Score forecasts on a log: each is made with what was known at its moment
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: ScoreCommand,
}

/// What is forecast.
#[derive(Debug, Subcommand)]
pub enum ScoreCommand {
    Wait(wait::Arguments),
    Runtime(runtime::Arguments),
    Campaigns(campaigns::Arguments),
    Live(live::Arguments),
    Shadow(shadow::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    match &arguments.command {
        ScoreCommand::Wait(arguments) => wait::run(arguments, printer),
        ScoreCommand::Runtime(arguments) => runtime::run(arguments, printer),
        ScoreCommand::Campaigns(arguments) => campaigns::run(arguments, printer),
        ScoreCommand::Live(arguments) => live::run(arguments, printer),
        ScoreCommand::Shadow(arguments) => shadow::run(arguments, printer),
    }
}
