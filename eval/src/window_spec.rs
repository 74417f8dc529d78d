//! Windows of counted jobs as specs. They are read here because their lengths are durations, such as `7d`.

use std::fmt;

use super::Window;
use queuecast_core::duration;
use queuecast_core::spec::{Form, SettingKey, Settings, Spec, SpecError, Value, Written, conversions};
use queuecast_core::units::{Seconds, Time};

const ENDS: &[SettingKey] =
    &[SettingKey::new("first", "SHARE").placed(), SettingKey::new("last", "SHARE").placed()];
const LENGTHS: &[SettingKey] =
    &[SettingKey::new("first", "DURATION").placed(), SettingKey::new("last", "DURATION").placed()];
const INSTANTS: &[SettingKey] =
    &[SettingKey::new("from", "DURATION").placed(), SettingKey::new("until", "DURATION").placed()];

impl Spec for Window {
    const KIND: &'static str = "window";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] = &[
            Form::new("all", "all jobs"),
            Form::new("share", "without these shares of the jobs at either end: share:1%,5%").with(
                ":FIRST[,LAST]",
                ENDS,
                "share:1%,5%",
            ),
            Form::new("seconds", "without jobs submitted this close to either end: seconds:7d,1d").with(
                ":FIRST[,LAST]",
                LENGTHS,
                "seconds:7d,1d",
            ),
            Form::new(
                "submitted",
                "jobs submitted between these times since the trace's start: submitted:7d,14d",
            )
            .with(":FROM,UNTIL", INSTANTS, "submitted:7d,14d"),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<Window, SpecError> {
        match settings.name() {
            "all" => Ok(Window::All),
            "share" => {
                let (first, last) = (settings.required("first")?, settings.value("last"));
                let (warm_up, cool_down) = (share(first)?, last.map_or(Ok(0.0), share)?);
                if warm_up + cool_down < 1.0 {
                    return Ok(Window::Share { warm_up, cool_down });
                }
                let first = first.text();
                Err(settings.wrong(match last {
                    Some(last) => format!("{first} and {} together leave no job to count", last.text()),
                    None => format!("leaving out {first} leaves no job to count"),
                }))
            }
            "seconds" => {
                let warm_up = length(settings.required("first")?)?;
                let cool_down = settings.value("last").map_or(Ok(Seconds::ZERO), length)?;
                Ok(Window::Seconds { warm_up, cool_down })
            }
            "submitted" => {
                let (first, last) = (settings.required("from")?, settings.required("until")?);
                let (from, until) = (instant(first)?, instant(last)?);
                if until <= from {
                    let (first, last) = (first.text(), last.text());
                    return Err(
                        settings.wrong(format!("{last} is not after {first}, so no job is between them"))
                    );
                }
                Ok(Window::Submitted { from, until })
            }
            _ => Err(settings.unread()),
        }
    }
}

fn length(value: Value<'_>) -> Result<Seconds, SpecError> {
    duration::parse(value.text()).map_err(|error| value.wrong(error))
}

/// A time since the trace's start, which may be negative in plain seconds: some logs have earlier jobs.
fn instant(value: Value<'_>) -> Result<Time, SpecError> {
    value.text().parse().map(Time).or_else(|_| length(value).map(|length| Time(length.0)))
}

/// `0.05` or `5%`.
fn share(value: Value<'_>) -> Result<f64, SpecError> {
    let text = value.text();
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim(), 100.0));
    let number: f64 = digits.parse().map_err(|_| value.wrong("not a share, such as 0.05 or 5%"))?;
    let share = number / divisor;
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err(value.wrong("not a share: those are from 0 to 1, or from 0% to 100%"))
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::All => Written::new("all"),
            Window::Share { warm_up, cool_down } => Written::new("share").value(warm_up).value(cool_down),
            Window::Seconds { warm_up, cool_down } => Written::new("seconds").value(warm_up).value(cool_down),
            Window::Submitted { from, until } => Written::new("submitted").value(from).value(until),
        }
        .fmt(f)
    }
}

conversions!(Window);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Window, String> {
        text.parse().map_err(|error: SpecError| error.why)
    }

    #[test]
    fn every_kind_of_window_can_be_written() {
        assert_eq!(read("all"), Ok(Window::All));
        assert_eq!(read("share:1%,0.05"), Ok(Window::Share { warm_up: 0.01, cool_down: 0.05 }));
        assert_eq!(read("share:0.5"), Ok(Window::Share { warm_up: 0.5, cool_down: 0.0 }));
        let days = Window::Seconds { warm_up: Seconds(604_800), cool_down: Seconds(3_600) };
        assert_eq!(read("seconds:7d,1h"), Ok(days));
        assert_eq!(read("submitted:-5,10"), Ok(Window::Submitted { from: Time(-5), until: Time(10) }));
        assert_eq!(read("seconds:1-12:00:00").unwrap().to_string(), "seconds:129600,0");
    }

    #[test]
    fn what_is_written_is_read_as_the_same_window() {
        for text in ["all", "share:0.01,0.05", "seconds:604800,3600", "submitted:-5,10"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("submitted:1d,2d").unwrap().to_string(), "submitted:86400,172800");
    }

    #[test]
    fn what_is_no_window_says_why() {
        for (text, why) in [
            ("all:1", "all has no settings"),
            ("share", "give FIRST[,LAST], as in share:1%,5%"),
            ("share:x", "not a share"),
            ("seconds:7x", "not a length of time"),
            ("submitted:5", "give FROM,UNTIL, as in submitted:7d,14d"),
            ("submitted:a,b", "not a length of time"),
            ("submitted:7d,1d", "1d is not after 7d"),
            ("share:100%", "leaving out 100% leaves no job to count"),
            ("share:1", "leaves no job"),
            ("share:90%,0.9", "90% and 0.9 together leave no job"),
            ("share:-1", "-1: not a share"),
        ] {
            assert!(read(text).is_err_and(|said| said.contains(why)), "{text}: {:?}", read(text));
        }
    }
}
