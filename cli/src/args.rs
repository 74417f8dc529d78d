//! The command line as a value: what every command shares. Each command's own arguments live with it.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use queuecast::report::Format;

use crate::commands::Command;

const EXIT_CODES: &str = "\
Exit codes:
  0  done (also when the reader of a pipe went away)
  1  something unexpected, such as a full disk
  2  the arguments do not make sense
  3  the input cannot be used
  4  a reproduced table is out of tolerance

Standard output is data, everything else goes to standard error, so results can be piped:
  queuecast COMMAND --format json | jq";

/// How long will my job run, when will it start, and what would the scheduler do if it knew.
#[derive(Debug, Parser)]
#[command(
    name = "queuecast",
    bin_name = "queuecast",
    version,
    after_help = "Run queuecast COMMAND --help for its options and examples.",
    after_long_help = EXIT_CODES,
    arg_required_else_help = true,
    propagate_version = false,
    max_term_width = 100,
)]
pub struct Args {
    #[command(flatten)]
    pub showing: Showing,
    #[command(subcommand)]
    pub command: Command,
}

/// How results are shown, whatever they are.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Showing {
    /// How to write results: text and Markdown for people, JSON and CSV (raw values, seconds) for programs
    #[arg(long, global = true, value_name = "FORMAT", default_value_t = Format::Text, value_parser = formats())]
    pub format: Format,
    /// Say nothing but results, warnings and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Draw tables and charts in plain ASCII
    #[arg(long, global = true)]
    pub ascii: bool,
    /// When to colour messages; the default heeds NO_COLOR and whether anybody is looking
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub color: Colour,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Colour {
    #[default]
    Auto,
    Always,
    Never,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}
