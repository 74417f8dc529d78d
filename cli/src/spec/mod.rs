//! Specs on the command line: parsers, help texts, shell completion and errors, made from the library's forms.

mod list;
mod parser;
mod templates;
mod values;

pub use list::{Several, SpecList};
pub use parser::{SpecParser, choice, of, read};
pub use templates::{NamedPredictor, labels, predictor};
pub use values::{
    at_least, at_least_one, dimension, duration, positive, positive_duration, seeds, time_zone,
};
