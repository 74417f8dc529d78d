//! Requested times as specs: `tsafrir`, `shuffled`, `f:3`, `feit:0.1`.

use std::fmt;

use super::requested::{MOST_MODES, ModelledTimes, PairingKind, RequestedTimes};
use crate::synth::Supplied;
use queuecast_core::spec::{Form, SettingKey, Settings, Spec, SpecError, Value, Written, choices};
use queuecast_core::units::Seconds;

choices! { PairingKind, "pairing":
    Sessions = "sessions", "repeated within users' sessions";
    Shuffled = "shuffled", "at random among those long enough";
}

/// The share of jobs that run to their requested time, by default.
const PHI: f64 = 0.1;
/// The largest factor of the f-model.
const LARGEST: f64 = 1e6;
/// The longest time that can be requested: a year.
const LONGEST: i64 = 31_536_000;

const TSAFRIR: &[SettingKey] = &[
    SettingKey::new("longest", "SECONDS"),
    SettingKey::new("longest-percent", "PERCENT"),
    SettingKey::new("mode", "SECONDS@PERCENT"),
    SettingKey::new("modes-of-log", "N"),
    SettingKey::new("pairing", "sessions|shuffled"),
];
const FACTOR: &[SettingKey] = &[SettingKey::new("factor", "F").placed()];
const FEIT: &[SettingKey] = &[SettingKey::new("phi", "PHI").placed()];

impl Spec for RequestedTimes {
    const KIND: &'static str = "source of requested times";

    fn forms() -> Vec<Form> {
        const FORMS: &[Form] = &[
            Form::new("tsafrir", "few, round and popular, as in production logs (Tsafrir et al. 2005)").with(
                "[:SETTINGS]",
                TSAFRIR,
                "tsafrir:longest=64800,pairing=shuffled",
            ),
            Form::new("shuffled", "the trace's own, assigned at random"),
            Form::new("sessions", "the trace's own, repeated within users' sessions"),
            Form::new("x2", "twice the trace's own"),
            Form::new("exact", "the run times"),
            Form::new("f", "uniform from the run time to F + 1 times as much (the f-model)")
                .with(":F", FACTOR, "f:3"),
            Form::new("feit", "uniform accuracy; a share PHI of the jobs runs to the limit (0.1 by default)")
                .with("[:PHI]", FEIT, "feit:0.1"),
            Form::new("none", "no requested times"),
        ];
        FORMS.to_vec()
    }

    fn from_settings(settings: &Settings<'_>) -> Result<RequestedTimes, SpecError> {
        match settings.name() {
            "tsafrir" => modelled(settings).map(RequestedTimes::Tsafrir),
            "shuffled" => Ok(RequestedTimes::Shuffled),
            "sessions" => Ok(RequestedTimes::Sessions),
            "x2" => Ok(RequestedTimes::Doubled),
            "exact" => Ok(RequestedTimes::Exact),
            "f" => settings.required("factor")?.number(0.0..=LARGEST).map(RequestedTimes::Factor),
            "feit" => {
                let phi = settings.value("phi").map_or(Ok(PHI), |phi| phi.number(0.0..=1.0));
                phi.map(RequestedTimes::Feit)
            }
            "none" => Ok(RequestedTimes::None),
            _ => Err(settings.unread()),
        }
    }
}

fn modelled(settings: &Settings<'_>) -> Result<ModelledTimes, SpecError> {
    let mut times = ModelledTimes::default();
    settings.set("longest", &mut times.longest, |value| value.seconds(LONGEST).map(Some))?;
    settings
        .set("longest-percent", &mut times.longest_percent, |value| percent(value, value.text()).map(Some))?;
    times.supplied = settings.values("mode").map(mode).collect::<Result<_, _>>()?;
    settings.set("modes-of-log", &mut times.modes_of_log, |value| {
        value.whole(0..=i64::from(MOST_MODES)).map(Some)
    })?;
    settings.set("pairing", &mut times.pairing, |value| value.spec().map(Some))?;
    Ok(times)
}

/// `3600@12.5`
fn mode(value: Value<'_>) -> Result<Supplied, SpecError> {
    let wrong = || value.wrong("expected SECONDS@PERCENT, as in 3600@12.5");
    let (time, share) = value.text().split_once('@').ok_or_else(wrong)?;
    let time = time.parse().ok().filter(|time| (1..=LONGEST).contains(time)).ok_or_else(wrong)?;
    Ok(Supplied { time: Seconds(time), percent: percent(value, share)? })
}

fn percent(value: Value<'_>, text: &str) -> Result<f64, SpecError> {
    let percent = text.parse().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0);
    percent.ok_or_else(|| value.wrong("the percent must be above 0 and at most 100"))
}

impl fmt::Display for RequestedTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestedTimes::Tsafrir(times) => {
                let mut settings: Vec<String> = Vec::new();
                settings.extend(times.longest.map(|longest| format!("longest={longest}")));
                settings.extend(times.longest_percent.map(|percent| format!("longest-percent={percent}")));
                settings
                    .extend(times.supplied.iter().map(|one| format!("mode={}@{}", one.time, one.percent)));
                settings.extend(times.modes_of_log.map(|modes| format!("modes-of-log={modes}")));
                settings.extend(times.pairing.map(|pairing| format!("pairing={pairing}")));
                settings.into_iter().fold(Written::new("tsafrir"), Written::value)
            }
            RequestedTimes::Shuffled => Written::new("shuffled"),
            RequestedTimes::Sessions => Written::new("sessions"),
            RequestedTimes::Doubled => Written::new("x2"),
            RequestedTimes::Exact => Written::new("exact"),
            RequestedTimes::Factor(factor) => Written::new("f").value(factor),
            RequestedTimes::Feit(phi) if *phi == PHI => Written::new("feit"),
            RequestedTimes::Feit(phi) => Written::new("feit").value(phi),
            RequestedTimes::None => Written::new("none"),
        }
        .fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same_value() {
        for text in [
            "tsafrir",
            "tsafrir:longest=64800,longest-percent=12.5,mode=3600@20,mode=43200@10,modes-of-log=3,pairing=shuffled",
            "shuffled",
            "sessions",
            "x2",
            "exact",
            "f:0",
            "f:2.5",
            "feit",
            "feit:1",
            "none",
        ] {
            assert_eq!(RequestedTimes::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(RequestedTimes::parse("tsafrir"), Ok(RequestedTimes::default()));
        assert_eq!(RequestedTimes::parse("feit:0.1").unwrap().to_string(), "feit");
    }

    #[test]
    fn a_parameter_is_held_to_its_range() {
        for text in [
            "f",
            "f:",
            "f:-1",
            "f:nan",
            "feit:1.1",
            "feit:x",
            "exact:2",
            "tsafrir:3",
            "tsafrir:mode=3600",
            "tsafrir:mode=3600@0",
            "tsafrir:modes-of-log=20",
            "tsafrir:longest=0",
            "many",
        ] {
            assert!(RequestedTimes::parse(text).is_err(), "{text}");
        }
    }
}
