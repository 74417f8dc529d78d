//! Where the remaining run times of running jobs come from, as written on a command line or in an experiment file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Holder, LifetimeFit};
use queuecast_core::distribution::{Distribution, LogUniform};
use queuecast_core::spec::{Form, SettingKey, Settings, Spec, SpecError, conversions};
use queuecast_core::units::{Procs, Seconds};
use queuecast_sim::predict::Forecast;

/// How the remaining run time of a running job is described.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Outlook {
    /// By its age and the lifetimes of the jobs that ended so far; by the forecast until these make a line.
    #[default]
    Fitted,
    /// By its age and given lifetimes: between these two lengths in seconds.
    Between(f64, f64),
    /// By its age and given lifetimes, as β₀ and β₁ of equation 4.
    Line(f64, f64),
    /// By the run-time predictor's forecast: its distribution, or its point where it has none.
    Forecast,
    /// By the forecast's point, give or take this factor: lifetimes uniform in the logarithm around it.
    Factor(f64),
}

impl Outlook {
    /// The running job of this age, of whose whole run time `forecast` is predicted.
    pub fn holder(&self, procs: Procs, age: Seconds, forecast: &Forecast, fit: &LifetimeFit) -> Holder {
        Holder::new(procs, self.run_time(age, forecast, fit))
    }

    /// The whole run time of a job of this age, given that age. Impossible lifetimes, which no text gives, leave the forecast.
    pub fn run_time(&self, age: Seconds, forecast: &Forecast, fit: &LifetimeFit) -> Distribution {
        let lifetimes = match *self {
            Outlook::Fitted => fit.lifetimes(),
            Outlook::Between(least, most) => LogUniform::between(least, most).ok(),
            Outlook::Line(intercept, slope) => LogUniform::line(intercept, slope).ok(),
            Outlook::Forecast => None,
            Outlook::Factor(factor) => Some(LogUniform::around(forecast.point(), factor)),
        };
        let whole = lifetimes.map_or_else(|| forecast.distribution(), Distribution::log_uniform);
        whole.given(age.0 as f64)
    }
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outlook::Fitted => f.write_str("fitted"),
            Outlook::Between(least, most) => write!(f, "between:{least},{most}"),
            Outlook::Line(intercept, slope) => write!(f, "line:{intercept},{slope}"),
            Outlook::Forecast => f.write_str("forecast"),
            Outlook::Factor(factor) => write!(f, "forecast:{factor}"),
        }
    }
}

impl Outlook {
    /// The forms, for specs that have more.
    pub(crate) const FORMS: &[Form] = &[
        Form::new("fitted", "by their age and the lifetimes of all jobs that ended"),
        Form::new("between", "by their age and lifetimes between these, in seconds").with(
            ":LEAST,MOST",
            &[SettingKey::new("least", "LEAST").placed(), SettingKey::new("most", "MOST").placed()],
            "between:7.4,162755",
        ),
        Form::new("line", "the same, by the line of their distribution").with(
            ":INTERCEPT,SLOPE",
            &[SettingKey::new("intercept", "INTERCEPT").placed(), SettingKey::new("slope", "SLOPE").placed()],
            "line:-0.2,0.1",
        ),
        Form::new("forecast", "as the predictor says: its interval, or its point, give or take a factor")
            .with("[:FACTOR]", &[SettingKey::new("factor", "FACTOR").placed()], "forecast:2"),
    ];
}

impl Spec for Outlook {
    const KIND: &'static str = "outlook";

    fn forms() -> Vec<Form> {
        Outlook::FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Outlook, SpecError> {
        let any = || f64::MIN..=f64::MAX;
        let two = |one: &str, other: &str| -> Result<(f64, f64), SpecError> {
            let number = |key: &str| settings.required(key)?.number(any()).map_err(|_| settings.incomplete());
            Ok((number(one)?, number(other)?))
        };
        match settings.name() {
            "fitted" => Ok(Outlook::Fitted),
            "between" => {
                let (least, most) = two("least", "most")?;
                LogUniform::between(least, most).map_err(|error| settings.wrong(error.why))?;
                Ok(Outlook::Between(least, most))
            }
            "line" => {
                let (intercept, slope) = two("intercept", "slope")?;
                LogUniform::line(intercept, slope).map_err(|error| settings.wrong(error.why))?;
                Ok(Outlook::Line(intercept, slope))
            }
            "forecast" => match settings.value("factor") {
                None => Ok(Outlook::Forecast),
                Some(value) => value
                    .number(1.001..=1e6)
                    .map(Outlook::Factor)
                    .map_err(|_| value.wrong("the factor must be from 1.001 to 1000000, as in forecast:2")),
            },
            _ => Err(settings.unread()),
        }
    }
}

conversions!(Outlook);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_as_written() {
        for text in ["fitted", "between:7.4,162755", "line:-0.2,0.1", "forecast", "forecast:2.5"] {
            assert_eq!(text.parse::<Outlook>().unwrap().to_string(), text);
        }
        assert_eq!(Outlook::default().to_string(), "fitted");
    }

    #[test]
    fn wrong_specs_say_what_is_possible() {
        for (text, expected) in [
            ("", "fitted, between:LEAST,MOST, line:INTERCEPT,SLOPE, forecast[:FACTOR]"),
            ("guess", "no such outlook"),
            ("fitted:2", "no settings"),
            ("between", "as in between:"),
            ("between:1", "as in between:"),
            ("between:10,5", "the second above the first"),
            ("between:0,5", "above 0"),
            ("line:1", "as in line:"),
            ("line:-0.2,-0.1", "slope must be above 0"),
            ("forecast:1", "from 1.001"),
            ("forecast:x", "as in forecast:2"),
            ("forecast:NaN", "as in forecast:2"),
        ] {
            let error = text.parse::<Outlook>().expect_err(text).to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
        }
        assert_eq!("guess".parse::<Outlook>().unwrap_err().known, queuecast_core::spec::known::<Outlook>());
    }

    #[test]
    fn each_has_its_source() {
        let (forecast, mut fit) = (Forecast::exactly(Seconds(400)), LifetimeFit::new());
        let half = |spec: &str, fit: &LifetimeFit| {
            let holder = spec.parse::<Outlook>().unwrap().holder(Procs(1), Seconds(100), &forecast, fit);
            (0..100_000).find(|&t| holder.survival(f64::from(t)) <= 0.5 + 1e-9).unwrap()
        };
        assert_eq!(half("forecast", &fit), 300);
        assert_eq!(half("fitted", &fit), 300, "nothing seen: the forecast");
        [10, 1000].into_iter().for_each(|lifetime| fit.observe(Seconds(lifetime)));
        assert_eq!(half("fitted", &fit), 900, "√(100 · 10,000) − 100");
        assert_eq!(half("between:1,10000", &fit), 900);
        assert_eq!(half("line:0,0.10857362047581294", &fit), 900, "1 / ln 10,000");
        assert_eq!(half("forecast:2", &fit), 300, "it is at least 200 for certain");
        assert_eq!(half("forecast:9", &fit), 500, "√(100 · 3600) − 100");
    }
}
