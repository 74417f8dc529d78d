//! Requested times: `--estimates` and the options beside it.

use queuecast_core::units::Seconds;
use queuecast_process::failure::Failure;
use queuecast_report::duration;
use queuecast_synth::synth::Supplied;
use queuecast_synth::synth::generate::{MOST_MODES, ModelledTimes, PairingKind, RequestedTimes};

use crate::spec::{self, SpecParser};

/// `--estimates` for jobs that never had any.
pub fn made() -> SpecParser<RequestedTimes> {
    let own = ["shuffled", "sessions", "x2"];
    replaced().without(&own).read_by(|text| match read(text)? {
        RequestedTimes::Shuffled | RequestedTimes::Sessions | RequestedTimes::Doubled => {
            Err(format!("{text} needs the requested times of a trace"))
        }
        requested => Ok(requested),
    })
}

/// `--estimates` for the jobs of a trace.
pub fn replaced() -> SpecParser<RequestedTimes> {
    spec::of::<RequestedTimes>().read_by(read)
}

/// The former name of sessions, which is read too.
const FORMER: &str = "sittings"; // an alias

/// Reads a source of requested times.
fn read(text: &str) -> Result<RequestedTimes, String> {
    spec::read(if text == FORMER { "sessions" } else { text })
}

/// Reads `--pairing`.
fn pairing(text: &str) -> Result<PairingKind, String> {
    spec::read(if text == FORMER { "sessions" } else { text })
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
    #[arg(long, value_name = "TIME=PERCENT", allow_hyphen_values = true)]
    pub mode: Vec<Supplied>,
    /// Number of the log's most popular times that the model uses, 0 to 19
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub modes_of_log: Option<u8>,
    /// Which job gets which: sessions (repeated within users' sessions) or shuffled (at random); by default sessions, or
    /// shuffled without users
    #[arg(long, value_name = "HOW", value_parser = pairing)]
    pub pairing: Option<PairingKind>,
}

impl EstimateOptions {
    /// The settings for the library: those of the spec, and the options. Fails if an option has no effect.
    pub fn requested(&self, given: &RequestedTimes) -> Result<RequestedTimes, Failure> {
        self.check(given)?;
        let RequestedTimes::Tsafrir(times) = given else { return Ok(given.clone()) };
        let times = ModelledTimes {
            longest: self.max_estimate.or(times.longest),
            longest_percent: self.max_estimate_percent.or(times.longest_percent),
            supplied: times.supplied.iter().chain(&self.mode).copied().collect(),
            modes_of_log: self.modes_of_log.or(times.modes_of_log),
            pairing: self.pairing.or(times.pairing),
        };
        check_modes(&times)?;
        Ok(RequestedTimes::Tsafrir(times))
    }

    /// Refuses options that have no effect on these requested times.
    fn check(&self, requested: &RequestedTimes) -> Result<(), Failure> {
        let given = [
            ("--max-estimate", self.max_estimate.is_some()),
            ("--max-estimate-percent", self.max_estimate_percent.is_some()),
            ("--mode", !self.mode.is_empty()),
            ("--modes-of-log", self.modes_of_log.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if !matches!(requested, RequestedTimes::Tsafrir(_)) => {
                Err(Failure::usage(format!("{option} has no effect without --estimates tsafrir")))
            }
            _ => match self.modes_of_log {
                Some(modes) if modes > MOST_MODES => {
                    Err(Failure::usage(format!("--modes-of-log {modes}: must be between 0 and {MOST_MODES}")))
                }
                _ => Ok(()),
            },
        }
    }

    /// Refuses what has no effect without a log to learn from.
    pub fn check_log(&self, any: bool, given: &RequestedTimes) -> Result<(), Failure> {
        let by_spec = matches!(given, RequestedTimes::Tsafrir(times) if times.modes_of_log.is_some());
        if any || (self.modes_of_log.is_none() && !by_spec) {
            return Ok(());
        }
        Err(Failure::usage("--modes-of-log has no effect without --like".to_owned()))
    }
}

/// Refuses times that are given twice, and more than all jobs.
fn check_modes(times: &ModelledTimes) -> Result<(), Failure> {
    let option = |mode: &Supplied| format!("--mode {}={}", duration::short(mode.time), mode.percent);
    let longest = times.longest_percent.map(|percent| format!("--max-estimate-percent {percent}"));
    for (place, mode) in times.supplied.iter().enumerate() {
        let before = times.supplied[..place].iter().find(|before| before.time == mode.time).map(option);
        let as_longest = longest.clone().filter(|_| times.longest == Some(mode.time));
        if let Some(before) = before.or(as_longest) {
            let what = format!("{before} {}: a time can be given once only", option(mode));
            return Err(Failure::usage(what));
        }
    }
    let sum: f64 = times.supplied.iter().map(|mode| mode.percent).chain(times.longest_percent).sum();
    if !times.supplied.is_empty() && sum > 100.0 + 1e-9 {
        let all: Vec<String> = longest.into_iter().chain(times.supplied.iter().map(option)).collect();
        let what = format!("{}: {sum} percent in all, must be at most 100", all.join(" "));
        return Err(Failure::usage(what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_read() {
        assert_eq!(read(FORMER), Ok(RequestedTimes::Sessions));
        assert_eq!(pairing(FORMER), Ok(PairingKind::Sessions));
        assert_eq!(read("f:2.5"), Ok(RequestedTimes::Factor(2.5)));
        assert!(read("f").is_err() && pairing("at random").is_err());
    }
}
