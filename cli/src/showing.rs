//! The options that decide how results are shown, shared by all commands.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use queuecast_process::printer::{Colour, PrinterSettings};
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
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_parser = colours())]
    pub color: Colour,
}

impl Showing {
    /// What they say.
    pub fn settings(&self) -> PrinterSettings {
        let Showing { format, quiet, ascii, color } = *self;
        PrinterSettings { format, quiet, ascii, color }
    }
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

fn colours() -> impl TypedValueParser<Value = Colour> {
    PossibleValuesParser::new(["auto", "always", "never"]).map(|name| match name.as_str() {
        "always" => Colour::Always,
        "never" => Colour::Never,
        _ => Colour::Auto,
    })
}
