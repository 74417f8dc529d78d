//! Where the distribution of a job's run time comes from, as written on a command line.

use std::fmt;
use std::str::FromStr;

use crate::spec::SpecError;
use crate::wait::Outlook;

/// How the run time of a job in the system is described.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum RunTimeOutlook {
    /// By jobs that requested about as much time and ran as long: the shares of the requested time that they used. Where they
    /// are too few, by [`Outlook::Fitted`].
    #[default]
    Shares,
    /// A formula.
    Outlook(Outlook),
}

impl RunTimeOutlook {
    /// Every form, as shown in help.
    pub const KNOWN: [&'static str; 6] =
        ["shares", "fitted", "between:LEAST,MOST", "line:INTERCEPT,SLOPE", "forecast", "forecast:FACTOR"];

    /// The formula, where one is needed.
    pub fn outlook(self) -> Outlook {
        match self {
            RunTimeOutlook::Shares => Outlook::Fitted,
            RunTimeOutlook::Outlook(outlook) => outlook,
        }
    }
}

impl fmt::Display for RunTimeOutlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunTimeOutlook::Shares => f.write_str("shares"),
            RunTimeOutlook::Outlook(outlook) => outlook.fmt(f),
        }
    }
}

impl FromStr for RunTimeOutlook {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<RunTimeOutlook, SpecError> {
        match text {
            "shares" => Ok(RunTimeOutlook::Shares),
            _ => text.parse().map(RunTimeOutlook::Outlook).map_err(|error: SpecError| {
                match error.known.is_empty() {
                    true => error,
                    false => SpecError::unknown("outlook", text, &RunTimeOutlook::KNOWN),
                }
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
            assert_eq!(text.parse::<RunTimeOutlook>().unwrap().to_string(), text);
        }
        let error = "guess".parse::<RunTimeOutlook>().unwrap_err();
        assert_eq!(error.known, RunTimeOutlook::KNOWN);
        assert!("forecast:0".parse::<RunTimeOutlook>().unwrap_err().why.contains("from 1.001"));
        assert_eq!(RunTimeOutlook::KNOWN[1..], Outlook::KNOWN);
    }
}
