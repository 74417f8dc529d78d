//! `queuecast completions`: what a shell needs to complete commands, options and names.

use clap_complete::Shell;
use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_report::Format;

const EXAMPLES: &str = "\
Examples:
  bash:
    queuecast completions bash \\
      > ~/.local/share/bash-completion/completions/queuecast

  zsh, with ~/.zfunc in fpath:
    queuecast completions zsh > ~/.zfunc/_queuecast

  fish:
    queuecast completions fish > ~/.config/fish/completions/queuecast.fish";

/// Print a script that teaches a shell to complete queuecast's commands
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell to print it for
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(arguments: &Arguments, invocation: &Invocation, printer: &Printer) -> Result<(), Failure> {
    if printer.format() != Format::Text {
        let what = format!("a script for a shell cannot be written as {}", printer.format());
        return Err(Failure::usage(what).hint("leave out --format"));
    }
    // clap_complete panics when a write fails, so it writes to memory, and the printer handles closed pipes.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut invocation.whole().clone(), "queuecast", &mut script);
    printer.write(&script)
}
