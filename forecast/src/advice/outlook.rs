//! Where the distribution of a job's run time comes from, as written on a command line.

use std::fmt;

use queuecast_core::spec::{Form, Settings, Spec, SpecError, conversions};
use queuecast_wait::Outlook;

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

impl Spec for RunTimeOutlook {
    const KIND: &'static str = "outlook";

    fn forms() -> Vec<Form> {
        let shares = Form::new("shares", "as jobs did that requested about as much time and ran as long");
        std::iter::once(shares).chain(Outlook::forms()).collect()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<RunTimeOutlook, SpecError> {
        match settings.name() {
            "shares" => Ok(RunTimeOutlook::Shares),
            _ => Outlook::from_settings(settings).map(RunTimeOutlook::Outlook),
        }
    }
}

conversions!(RunTimeOutlook);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written_and_unknown_ones_list_all() {
        for text in ["shares", "fitted", "between:7.4,162755", "forecast", "forecast:2.5"] {
            assert_eq!(text.parse::<RunTimeOutlook>().unwrap().to_string(), text);
        }
        let error = "guess".parse::<RunTimeOutlook>().unwrap_err();
        assert_eq!(error.known, queuecast_core::spec::known::<RunTimeOutlook>());
        assert!("forecast:0".parse::<RunTimeOutlook>().unwrap_err().why.contains("from 1.001"));
    }
}
