//! `queuecast site`: a Slurm site as it is configured.

mod capture;
mod check;
mod compare;
mod diff;
mod forecast;
mod recorded;
mod revision;

use clap::Subcommand;
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;

const EXAMPLES: &str = "\
Examples:
  Save what a site's Slurm says about itself, then look at it:
    queuecast site capture mysite
    queuecast site check mysite

  Configuration files do as well, all or some:
    queuecast site check /etc/slurm

  What a change of slurm.conf would have done to last month's jobs:
    queuecast site diff /etc/slurm new-slurm --accounts mysite --log mysite/sacct.psv

  How far a simulation of recorded runs is from what happened:
    queuecast site compare run1 run2 --format json

docs/guides/sites-slurm.md has more.";

/// Save a Slurm site's configuration, say what is understood of it, review a change of it, or simulate recorded runs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: SiteCommand,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum SiteCommand {
    Check(check::Arguments),
    Capture(capture::Arguments),
    Compare(compare::Arguments),
    Diff(diff::Arguments),
    Forecast(forecast::Arguments),
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    match &arguments.command {
        SiteCommand::Check(arguments) => check::run(arguments, printer),
        SiteCommand::Capture(arguments) => capture::run(arguments, printer),
        SiteCommand::Compare(arguments) => compare::run(arguments, printer),
        SiteCommand::Diff(arguments) => diff::run(arguments, printer),
        SiteCommand::Forecast(arguments) => forecast::run(arguments, printer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    #[test]
    fn each_command_reads_its_arguments() {
        let parse = |line: &str| arguments_alone::parse_subcommand(line).unwrap();
        assert!(matches!(parse("site check a"), SiteCommand::Check(one) if one.folder.ends_with("a")));
        assert!(matches!(parse("site capture b"), SiteCommand::Capture(one) if one.folder.ends_with("b")));
        assert_eq!(
            arguments_alone::parse_subcommand::<SiteCommand>("site check").unwrap_err().exit_code(),
            2
        );
    }
}
