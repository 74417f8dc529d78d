//! What is thought of how long jobs go on: what is written on a command line.

use std::fmt;
use std::str::FromStr;

use crate::spec::SpecError;
use crate::wait::Outlook;

/// How much longer jobs go on, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Belief {
    /// Jobs that asked for about as much time and lived as long: each goes on for as long as one of them did, in
    /// proportion to what it asked for. Where too few did, by [`Outlook::Fitted`].
    #[default]
    Shares,
    /// A formula.
    Outlook(Outlook),
}

impl Belief {
    /// Every form, as shown to people.
    pub const KNOWN: [&'static str; 6] =
        ["shares", "fitted", "between:LEAST,MOST", "line:INTERCEPT,SLOPE", "forecast", "forecast:FACTOR"];

    /// The formula, for whoever needs one.
    pub fn outlook(self) -> Outlook {
        match self {
            Belief::Shares => Outlook::Fitted,
            Belief::Outlook(outlook) => outlook,
        }
    }
}

impl fmt::Display for Belief {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Belief::Shares => f.write_str("shares"),
            Belief::Outlook(outlook) => outlook.fmt(f),
        }
    }
}

impl FromStr for Belief {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Belief, SpecError> {
        match text {
            "shares" => Ok(Belief::Shares),
            _ => text.parse().map(Belief::Outlook).map_err(|error: SpecError| match error.known.is_empty() {
                true => error,
                false => SpecError::unknown("outlook", text, &Belief::KNOWN),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written_and_unknown_ones_list_all() {
        for text in ["shares", "fitted", "between:7.4,162755", "forecast", "forecast:2.5"] {
            assert_eq!(text.parse::<Belief>().unwrap().to_string(), text);
        }
        let error = "guess".parse::<Belief>().unwrap_err();
        assert_eq!(error.known, Belief::KNOWN);
        assert!("forecast:0".parse::<Belief>().unwrap_err().why.contains("from 1.001"));
        assert_eq!(Belief::KNOWN[1..], Outlook::KNOWN);
    }
}
