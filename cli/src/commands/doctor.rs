//! `queuecast doctor`: what works of collector and service, what does not, and what to do.

use std::path::PathBuf;

use queuecast_operate::settings;
use queuecast_operate::{ToldStore, check_up};
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;

use super::{outside, store_option};

const EXAMPLES: &str = "\
Examples:
  As the user that the services run as:
    sudo -u queuecast queuecast doctor

  For a monitor: exit code 3 if something is wrong, and why as JSON:
    queuecast doctor --format json";

/// Check what collect and serve need, and say what to do about what does not work
///
/// Checks the file of settings, Slurm's commands, what this user sees by them, clock and zone, the store and how old what it has is, the service: whether it refuses strangers, and answers the token, users of a proxy and administrators. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The file of settings; by default as for queuecast config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    store: store_option::Arguments,
    #[command(flatten)]
    outside: outside::Arguments,
}

/// Checks all of it.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    let told = ToldStore { is_named: arguments.store.is_named(), location: arguments.store.told() };
    let commands = arguments.outside.commands(printer);
    let checkup = check_up(settings::file_for(invocation), told, &commands, invocation.whole());
    printer.answer(&checkup)?;
    match checkup.wrong() {
        0 => Ok(()),
        1 => Err(Failure::input("one check found something wrong")),
        wrong => Err(Failure::input(format!("{wrong} checks found something wrong"))),
    }
}
