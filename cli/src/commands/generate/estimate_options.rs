//! Requested times: `--estimates` and the options beside it.

use clap::ValueEnum;
use queuecast::synth::Supplied;
use queuecast::synth::generate::{MOST_MODES, ModelledTimes, PairingKind, RequestedTimes};
use queuecast::units::Seconds;

use crate::failure::Failure;
use crate::spec::{self, Form, SpecParser, form};

/// What `--estimates` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EstimateKind {
    /// The model of Tsafrir, Etsion & Feitelson 2005.
    Tsafrir,
    /// The trace's own, each to any job that fits into it.
    Shuffled,
    /// The trace's own, kept together within sessions.
    Sessions,
    /// Twice the trace's own.
    Doubled,
    /// The run times.
    Exact,
    /// The f-model.
    Factor(f64),
    /// Feitelson's model, with the share of jobs that run to their estimate.
    Feit(f64),
    /// No requested times.
    None,
}

const TSAFRIR: Form =
    form("tsafrir", "", "few, round and popular, as in production logs (Tsafrir et al. 2005)");
const EXACT: Form = form("exact", "", "the run times");
const FACTOR: Form = form("f", ":F", "uniform from the run time to F + 1 times as much (the f-model)");
const FEIT: Form =
    form("feit", "[:PHI]", "uniform accuracy; a share PHI of the jobs runs to the limit (0.1 by default)");
const NONE: Form = form("none", "", "no requested times");

/// `--estimates` for jobs that never had any.
pub fn made() -> SpecParser<EstimateKind> {
    const FORMS: &[Form] = &[TSAFRIR, EXACT, FACTOR, FEIT, NONE];
    SpecParser::new(FORMS, |text| match read(text)? {
        EstimateKind::Shuffled | EstimateKind::Sessions | EstimateKind::Doubled => {
            Err(format!("{text} needs the requested times of a trace"))
        }
        kind => Ok(kind),
    })
}

/// `--estimates` for the jobs of a trace.
pub fn replaced() -> SpecParser<EstimateKind> {
    const FORMS: &[Form] = &[
        TSAFRIR,
        form("shuffled", "", "the trace's own, assigned at random"),
        form("sessions", "", "the trace's own, repeated within users' sessions"),
        form("x2", "", "twice the trace's own"),
        EXACT,
        FACTOR,
        FEIT,
        NONE,
    ];
    SpecParser::new(FORMS, read)
}

fn read(text: &str) -> Result<EstimateKind, String> {
    let (name, given) = text.split_once(':').map_or((text, None), |(name, given)| (name, Some(given)));
    let number = |given: &str, least: f64, most: f64| {
        let number = given.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a number between {least} and {most} after {name}:"))
    };
    match (name, given) {
        ("tsafrir", None) => Ok(EstimateKind::Tsafrir),
        ("shuffled", None) => Ok(EstimateKind::Shuffled),
        ("sessions", None) => Ok(EstimateKind::Sessions),
        ("sittings", None) => Ok(EstimateKind::Sessions), // an alias
        ("x2", None) => Ok(EstimateKind::Doubled),
        ("exact", None) => Ok(EstimateKind::Exact),
        ("none", None) => Ok(EstimateKind::None),
        ("feit", None) => Ok(EstimateKind::Feit(0.1)),
        ("feit", Some(given)) => number(given, 0.0, 1.0).map(EstimateKind::Feit),
        ("f", Some(given)) => number(given, 0.0, 1e6).map(EstimateKind::Factor),
        ("f", None) => Err("say how much, as in f:3".to_owned()),
        _ => Err(format!("nothing may follow {name}")),
    }
}

/// Which job gets which estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PairingName {
    /// Repeated within users' sessions
    #[value(alias = "sittings")]
    Sessions,
    /// At random among those long enough
    Shuffled,
}

impl PairingName {
    fn kind(self) -> PairingKind {
        match self {
            PairingName::Sessions => PairingKind::Sessions,
            PairingName::Shuffled => PairingKind::Shuffled,
        }
    }
}

/// Options of the model of requested times.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Requested times (--estimates tsafrir)")]
pub struct EstimateOptions {
    /// Longest requested time, 1m to 365d: 18h, 1-12:00:00, plain seconds; by default the log's longest that is not an
    /// exception, or without requested times the longest run time rounded up
    #[arg(long, value_name = "DURATION", value_parser = spec::duration, allow_hyphen_values = true)]
    pub max_estimate: Option<Seconds>,
    /// Percentage of the jobs that request it, above 0, at most 100; by default as in the model or the log
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub max_estimate_percent: Option<f64>,
    /// A time requested by this percentage of the jobs, as in 1h=12.5; may be repeated, up to 100 percent in all
    #[arg(long, value_name = "TIME=PERCENT", value_parser = mode, allow_hyphen_values = true)]
    pub mode: Vec<Supplied>,
    /// Number of the log's most popular times that the model uses, 0 to 19
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub modes_of_log: Option<u8>,
    /// Which job gets which: sessions (repeated within users' sessions) or shuffled (at random); by default sessions, or
    /// shuffled without users
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true)]
    pub pairing: Option<PairingName>,
}

fn mode(text: &str) -> Result<Supplied, String> {
    let (time, percent) = text.rsplit_once('=').ok_or("expected TIME=PERCENT, as in 1h=12.5")?;
    let percent =
        percent.trim_end_matches('%').parse().map_err(|_| "expected a number of percent after =")?;
    if !(percent > 0.0 && percent <= 100.0) {
        return Err("the percent must be above 0 and at most 100".to_owned());
    }
    Ok(Supplied { time: spec::duration(time)?, percent })
}

/// A length in the largest unit of which it is a whole number.
fn typed(time: Seconds) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(length, _)| time.0 > 0 && time.0 % length == 0);
    let (length, unit) = unit.unwrap_or((1, "s"));
    format!("{}{unit}", time.0 / length)
}

impl EstimateOptions {
    /// The settings for the library. Fails if an option has no effect.
    pub fn requested(&self, kind: EstimateKind) -> Result<RequestedTimes, Failure> {
        self.check(kind)?;
        Ok(match kind {
            EstimateKind::Tsafrir => RequestedTimes::Tsafrir(ModelledTimes {
                longest: self.max_estimate,
                longest_percent: self.max_estimate_percent,
                supplied: self.mode.clone(),
                modes_of_log: self.modes_of_log,
                pairing: self.pairing.map(PairingName::kind),
            }),
            EstimateKind::Shuffled => RequestedTimes::Shuffled,
            EstimateKind::Sessions => RequestedTimes::Sessions,
            EstimateKind::Doubled => RequestedTimes::Doubled,
            EstimateKind::Exact => RequestedTimes::Exact,
            EstimateKind::Factor(f) => RequestedTimes::Factor(f),
            EstimateKind::Feit(phi) => RequestedTimes::Feit(phi),
            EstimateKind::None => RequestedTimes::None,
        })
    }

    /// Refuses options that have no effect on this kind of estimates.
    fn check(&self, kind: EstimateKind) -> Result<(), Failure> {
        let given = [
            ("--max-estimate", self.max_estimate.is_some()),
            ("--max-estimate-percent", self.max_estimate_percent.is_some()),
            ("--mode", !self.mode.is_empty()),
            ("--modes-of-log", self.modes_of_log.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if kind != EstimateKind::Tsafrir => {
                Err(Failure::usage(format!("{option} has no effect without --estimates tsafrir")))
            }
            _ => match self.modes_of_log {
                Some(modes) if modes > MOST_MODES => {
                    Err(Failure::usage(format!("--modes-of-log {modes}: must be between 0 and {MOST_MODES}")))
                }
                _ => self.check_modes(),
            },
        }
    }

    /// Refuses what means nothing if there is no log to learn from.
    pub fn check_log(&self, any: bool) -> Result<(), Failure> {
        if any || self.modes_of_log.is_none() {
            return Ok(());
        }
        Err(Failure::usage("--modes-of-log has no effect without --like".to_owned()))
    }

    /// Refuses times that are given twice, and more than all jobs.
    fn check_modes(&self) -> Result<(), Failure> {
        let option = |mode: &Supplied| format!("--mode {}={}", typed(mode.time), mode.percent);
        let longest = self.max_estimate_percent.map(|percent| format!("--max-estimate-percent {percent}"));
        for (place, mode) in self.mode.iter().enumerate() {
            let before = self.mode[..place].iter().find(|before| before.time == mode.time).map(option);
            let as_longest = longest.clone().filter(|_| self.max_estimate == Some(mode.time));
            if let Some(before) = before.or(as_longest) {
                let what = format!("{before} {}: a time can be given once only", option(mode));
                return Err(Failure::usage(what));
            }
        }
        let sum: f64 = self.mode.iter().map(|mode| mode.percent).chain(self.max_estimate_percent).sum();
        if !self.mode.is_empty() && sum > 100.0 + 1e-9 {
            let all: Vec<String> = longest.into_iter().chain(self.mode.iter().map(option)).collect();
            let what = format!("{}: {sum} percent in all, must be at most 100", all.join(" "));
            return Err(Failure::usage(what));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_a_parameter_is_held_to_its_range() {
        for (text, kind) in [
            ("tsafrir", EstimateKind::Tsafrir),
            ("shuffled", EstimateKind::Shuffled),
            ("sessions", EstimateKind::Sessions),
            ("sittings", EstimateKind::Sessions), // an alias
            ("x2", EstimateKind::Doubled),
            ("exact", EstimateKind::Exact),
            ("f:0", EstimateKind::Factor(0.0)),
            ("f:2.5", EstimateKind::Factor(2.5)),
            ("feit", EstimateKind::Feit(0.1)),
            ("feit:1", EstimateKind::Feit(1.0)),
            ("none", EstimateKind::None),
        ] {
            assert_eq!(read(text), Ok(kind), "{text}");
        }
        for text in ["f", "f:", "f:-1", "f:nan", "feit:1.1", "feit:x", "exact:2", "tsafrir:3"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mode_is_a_time_and_percent() {
        assert_eq!(mode("1h=12.5"), Ok(Supplied { time: Seconds(3600), percent: 12.5 }));
        assert_eq!(mode("18:00:00=5%"), Ok(Supplied { time: Seconds(64_800), percent: 5.0 }));
        assert_eq!([3600, 5400, 172_800, 61].map(|time| typed(Seconds(time))), ["1h", "90m", "2d", "61s"]);
        assert!(
            ["1h", "=5", "1h=", "1h=many", "soon=5", "1h=0", "1h=101", "1h=nan"]
                .iter()
                .all(|text| mode(text).is_err())
        );
    }
}
