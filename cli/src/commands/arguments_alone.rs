//! Reads the arguments of one command as if it were the whole program. For tests.

use clap::{Args, Command, Error, Subcommand};

/// The arguments in a line, of which the first word is the name of the program.
pub fn parse<Arguments: Args>(line: &str) -> Result<Arguments, Error> {
    let mut command = Arguments::augment_args(Command::new("alone"));
    let matches = command.try_get_matches_from_mut(line.split(' '))?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The subcommand in a line, of which the first word is the name of the program.
pub fn parse_subcommand<Commands: Subcommand>(line: &str) -> Result<Commands, Error> {
    let mut command = Commands::augment_subcommands(Command::new("alone")).subcommand_required(true);
    let matches = command.try_get_matches_from_mut(line.split(' '))?;
    Commands::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}
