//! Specs on the command line: parsers, help texts, shell completion and errors, made from the library's forms.

mod list;
mod parser;
mod templates;

use queuecast_eval::Dimension;

pub use list::{Several, SpecList};
pub use parser::{SpecParser, choice, of, read};
pub use queuecast_report::duration::{
    parse as duration, parse_limit as time_limit, parse_positive as positive_duration,
};
pub use queuecast_report::number::{at_least, at_least_one, positive};
pub use queuecast_study::read_seeds as seeds;
pub use queuecast_trace::time_zone;
pub use templates::{NamedPredictor, labels, predictor};

/// What jobs are grouped by; former names are read, but not listed.
pub fn dimension() -> SpecParser<Dimension> {
    of::<Dimension>().read_by(Dimension::read)
}
