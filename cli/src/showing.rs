//! The options that decide how results are shown, shared by all commands.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use queuecast_report::Format;

/// How results are shown.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Showing {
    /// How to write results: text and Markdown for reading, JSON and CSV (raw values, seconds) for programs
    #[arg(long, global = true, value_name = "FORMAT", default_value_t = Format::Text, value_parser = formats())]
    pub format: Format,
    /// Print only results, warnings and errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Draw tables and charts in plain ASCII
    #[arg(long, global = true)]
    pub ascii: bool,
    /// When to colour messages and charts; by default on a terminal, unless NO_COLOR is set
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
