//! The requested times of a generated workload: where they come from, and which job gets which.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    GenerateError, GenerationStep, Parameter, ParameterSetting, RequestedTimesSource, Warning, listed, set,
};
use crate::characterization::Modes;
use crate::synth::{EstimateModel, Estimates, Pairing, ROUND_TIMES, Routine, Supplied, round_up};
use queuecast_core::job::Truth;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// Where the requested times of a workload come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RequestedTimes {
    /// The model of Tsafrir, Etsion & Feitelson 2005.
    Tsafrir(ModelledTimes),
    /// The workload's own, each to any job that fits into it.
    Shuffled,
    /// The workload's own, assigned so that they repeat within sessions.
    Sessions,
    /// Twice the workload's own.
    Doubled,
    /// The run times.
    Exact,
    /// The f-model: uniform from the run time to `f + 1` times as much.
    Factor(f64),
    /// The model of Mu'alem & Feitelson 2001, with the share of jobs that run to their requested time.
    Feit(f64),
    /// No requested times.
    None,
}

impl Default for RequestedTimes {
    fn default() -> RequestedTimes {
        RequestedTimes::Tsafrir(ModelledTimes::default())
    }
}

/// Settings of the model of Tsafrir, Etsion & Feitelson 2005.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelledTimes {
    /// The longest time that may be requested; by default the log's, or where there is none the longest run time rounded up.
    pub longest: Option<Seconds>,
    /// How many percent of the jobs request it; by default as in the log or by the model.
    pub longest_percent: Option<f64>,
    /// Times requested by known percentages of the jobs.
    pub supplied: Vec<Supplied>,
    /// How many of the log's most popular times are supplied as well, at most [`MOST_MODES`].
    pub modes_of_log: Option<u8>,
    /// Which job gets which; by default by session, or shuffled if no user is known.
    pub pairing: Option<PairingKind>,
}

/// How requested times are assigned to jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairingKind {
    /// They repeat within users' sessions.
    Sessions,
    /// At random among the jobs that fit.
    Shuffled,
}

/// The most times that can be supplied beside the longest.
pub const MOST_MODES: u8 = 19;

/// The names of the models in settings and parameters.
pub(super) const MODEL: &str = "estimates";
const ROUTINE: &str = "routine";

/// A log that the model is calibrated to.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogModes<'a> {
    /// The log.
    pub log: &'a Workload,
    /// How many of its most popular times are supplied if the settings do not say.
    pub default_modes: u8,
}

/// What is recorded about the requested times given.
#[derive(Debug)]
pub(super) struct Given {
    pub step: GenerationStep,
    pub parameters: Vec<Parameter>,
    pub warnings: Vec<Warning>,
}

impl Given {
    fn from(source: RequestedTimesSource, parameters: Vec<Parameter>) -> Given {
        let step = GenerationStep::GivenRequestedTimes { source, raised: 0 };
        Given { step, parameters, warnings: Vec::new() }
    }
}

impl RequestedTimes {
    /// Whether the seed decides any of them.
    pub(super) fn is_random(&self) -> bool {
        !matches!(self, RequestedTimes::Doubled | RequestedTimes::Exact | RequestedTimes::None)
    }

    /// The models whose parameters can be set.
    pub(super) fn models(&self) -> &'static [&'static str] {
        match self {
            RequestedTimes::Tsafrir(times) if times.pairing == Some(PairingKind::Shuffled) => &[MODEL],
            RequestedTimes::Tsafrir(_) => &[MODEL, ROUTINE],
            RequestedTimes::Sessions => &[ROUTINE],
            _ => &[],
        }
    }

    /// Replaces the requested times of a workload.
    pub(super) fn give(
        &self,
        workload: &mut Workload,
        calibration: Option<LogModes<'_>>,
        settings: &[ParameterSetting],
        seed: Seed,
    ) -> Result<Given, GenerateError> {
        let (estimates, given) = match self {
            RequestedTimes::None => {
                workload.replace_limits(vec![None; workload.len()]);
                return Ok(Given::from(RequestedTimesSource::None, Vec::new()));
            }
            RequestedTimes::Tsafrir(times) => {
                return times.give(workload, calibration, settings, seed);
            }
            RequestedTimes::Shuffled => (
                Estimates::Own(Pairing::Shuffled),
                Given::from(RequestedTimesSource::OwnShuffled, Vec::new()),
            ),
            RequestedTimes::Sessions => {
                let routine = set(ROUTINE, Routine::default(), settings)?;
                let given = Given::from(RequestedTimesSource::OwnBySession, listed(ROUTINE, &routine)?);
                (Estimates::Own(Pairing::Sessions(routine)), given)
            }
            RequestedTimes::Doubled => {
                (Estimates::Doubled, Given::from(RequestedTimesSource::OwnDoubled, Vec::new()))
            }
            RequestedTimes::Exact => {
                (Estimates::Factor(0.0), Given::from(RequestedTimesSource::Exact, Vec::new()))
            }
            RequestedTimes::Factor(f) => {
                let parameters = vec![Parameter::new("estimates.f", f)];
                (Estimates::Factor(*f), Given::from(RequestedTimesSource::Factor, parameters))
            }
            RequestedTimes::Feit(phi) => {
                let parameters = vec![Parameter::new("estimates.phi", phi)];
                (Estimates::Feit(*phi), Given::from(RequestedTimesSource::Feit, parameters))
            }
        };
        let times = estimates.of(workload, seed).map_err(GenerateError::RequestedTimes)?;
        workload.replace_limits(times.into_iter().map(Some));
        Ok(given)
    }
}

impl ModelledTimes {
    fn give(
        &self,
        workload: &mut Workload,
        calibration: Option<LogModes<'_>>,
        settings: &[ParameterSetting],
        seed: Seed,
    ) -> Result<Given, GenerateError> {
        let log = calibration.map(|calibration| Modes::of(calibration.log)).filter(|modes| !modes.is_empty());
        let default_modes = calibration.map_or(0, |calibration| calibration.default_modes);
        let model = self.model(workload, log.as_ref(), default_modes, settings)?;
        let mut parameters = listed(MODEL, &model)?;
        let pairing = match self.pairing.unwrap_or_else(|| default_pairing(workload)) {
            PairingKind::Shuffled => Pairing::Shuffled,
            PairingKind::Sessions => {
                let routine = set(ROUTINE, Routine::default(), settings)?;
                parameters.extend(listed(ROUTINE, &routine)?);
                Pairing::Sessions(routine)
            }
        };
        let modes = model.modes(seed).map_err(GenerateError::parameters(MODEL))?;
        let (paired, outlived) = within(workload, model.longest);
        let (times, raised) =
            pairing.pair_raised(&modes, &paired, seed).map_err(GenerateError::parameters(MODEL))?;
        workload.replace_limits(times.into_iter().map(Some));
        let mut warnings = Vec::new();
        warnings.extend(outlived);
        warnings.extend((raised > 0).then_some(Warning::Raised { requested_times: raised }));
        warnings.extend((calibration.is_some() && log.is_none()).then_some(Warning::NoRequestedTimes));
        let step = GenerationStep::GivenRequestedTimes { source: RequestedTimesSource::Tsafrir, raised };
        Ok(Given { step, parameters, warnings })
    }

    /// The model for this workload; what is not given comes from the log's modes, if there are any.
    fn model(
        &self,
        workload: &Workload,
        log: Option<&Modes>,
        default_modes: u8,
        settings: &[ParameterSetting],
    ) -> Result<EstimateModel, GenerateError> {
        let run = workload.truths().iter().map(|truth| truth.run()).max().unwrap_or_default();
        // A job that outlived the limit of its site says nothing about that limit; runs that were generated do.
        let asked = workload.jobs().iter().any(|job| job.shape.limit.is_some());
        let of_log = [log.and_then(Modes::permitted), log.and_then(Modes::longest)];
        let suffices = |longest: &Seconds| (asked || *longest >= run) && (60..=YEAR).contains(&longest.0);
        let of_log = || of_log.into_iter().flatten().find(suffices);
        let longest = self.longest.or_else(of_log).unwrap_or_else(|| rounded(run));
        let mut model = EstimateModel::new(workload.len() as u64, longest);
        model.longest_percent = self.longest_percent;
        model.supplied.clone_from(&self.supplied);
        if let Some(log) = log {
            supply(&mut model, log, self.modes_of_log.unwrap_or(default_modes));
        }
        let model = set(MODEL, model, settings)?;
        if model.longest < run && !asked {
            return Err(GenerateError::LongestTooShort { longest: model.longest, run });
        }
        Ok(model)
    }
}

/// The workload with no job longer than the longest requested time, and a warning if there was one: such a job gets the
/// longest time and outlives it, as it did in its log.
fn within(workload: &Workload, longest: Seconds) -> (Cow<'_, Workload>, Option<Warning>) {
    let runs = || workload.truths().iter().map(Truth::run);
    let jobs = runs().filter(|&run| run > longest).count() as u64;
    let Some(run) = runs().max().filter(|_| jobs > 0) else { return (Cow::Borrowed(workload), None) };
    let mut cut = workload.clone();
    cut.limit_runs(longest);
    (Cow::Owned(cut), Some(Warning::Outlived { jobs, longest, run }))
}

fn default_pairing(workload: &Workload) -> PairingKind {
    let any_user = workload.jobs().iter().any(|job| job.user.is_some());
    if any_user { PairingKind::Sessions } else { PairingKind::Shuffled }
}

/// The longest time that the model accepts, in seconds.
const YEAR: i64 = 31_536_000;

/// Supplies the log's most popular times to the model, except those already supplied.
fn supply(model: &mut EstimateModel, log: &Modes, most: u8) {
    let supplied = |model: &EstimateModel, time| model.supplied.iter().any(|mode| mode.time == time);
    let percent = |time| 100.0 * log.share(time);
    if model.longest_percent.is_none() && !supplied(model, model.longest) && log.share(model.longest) > 0.0 {
        model.longest_percent = Some(percent(model.longest));
    }
    let left = |model: &EstimateModel| {
        100.0
            - model.longest_percent.unwrap_or(0.0)
            - model.supplied.iter().map(|mode| mode.percent).sum::<f64>()
    };
    for mode in log.by_popularity().into_iter().take(usize::from(most)) {
        let (time, percent) = (mode.time, percent(mode.time));
        let others = model.supplied.iter().filter(|mode| mode.time != model.longest).count();
        if time < model.longest
            && !supplied(model, time)
            && others < usize::from(MOST_MODES)
            && percent <= left(model)
        {
            model.supplied.push(Supplied { time, percent });
        }
    }
}

/// A round limit for this longest run time: a round time, or whole half days.
fn rounded(run: Seconds) -> Seconds {
    const HALF_DAY: i64 = 43_200;
    let longest = ROUND_TIMES.last().copied().unwrap_or_default();
    if run <= longest {
        round_up(run, longest)
    } else {
        Seconds((run.0 + HALF_DAY - 1) / HALF_DAY * HALF_DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::characterization::Mode;
    use queuecast_core::job::{Job, UserId};
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::Machine;

    #[test]
    fn the_longest_is_round() {
        let hours = |hours: i64| Seconds(hours * 3600);
        assert_eq!(rounded(Seconds(1000)), Seconds(1800));
        assert_eq!([hours(13), hours(24), hours(25), hours(36)].map(rounded), [18, 24, 36, 36].map(hours));
    }

    #[test]
    fn a_log_supplies_what_is_not_supplied_already() {
        let log: Modes = [(3600, 50), (600, 30), (7200, 15), (60, 5)]
            .map(|(time, jobs)| Mode { time: Seconds(time), jobs })
            .into_iter()
            .collect();
        let mut model = EstimateModel::new(100, Seconds(7200));
        model.supplied.push(Supplied { time: Seconds(3600), percent: 45.0 });
        supply(&mut model, &log, 19);
        let known: Vec<(i64, f64)> = model.supplied.iter().map(|mode| (mode.time.0, mode.percent)).collect();
        assert_eq!(model.longest_percent, Some(15.0));
        assert_eq!(known, [(3600, 45.0), (600, 30.0), (60, 5.0)]);
        // Control: as many as asked for, and never more than all.
        let mut model = EstimateModel::new(100, Seconds(7200));
        supply(&mut model, &log, 1);
        assert_eq!(model.supplied.len(), 1);
        let mut model = EstimateModel::new(100, Seconds(7200));
        model.supplied.push(Supplied { time: Seconds(900), percent: 40.0 });
        supply(&mut model, &log, 19);
        assert!(model.supplied.iter().map(|mode| mode.percent).sum::<f64>() <= 85.0, "{model:?}");
    }

    /// 3,000 jobs of half an hour that request 1, 2 or 7 h, and one that ran for 76 days against a request of 7 h.
    fn with_an_outlier() -> Workload {
        let jobs = (0..3000).map(|number| {
            let (run, hours) = if number == 1500 { (76 * 86_400, 7) } else { (1800, [1, 2, 7][number % 3]) };
            let limit = Some(Seconds(3600 * hours));
            let mut job = Job::rigid(number as u64 + 1, Time(60 * number as i64), Procs(1), limit);
            job.user = UserId::new(number as u32 % 20);
            (job, Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(8) }, jobs.collect()).unwrap()
    }

    #[test]
    fn one_job_that_outlived_its_limit_does_not_raise_the_longest_requested_time() {
        let mut workload = with_an_outlier();
        let log = workload.clone();
        let calibration = Some(LogModes { log: &log, default_modes: 0 });
        let given = RequestedTimes::default().give(&mut workload, calibration, &[], Seed(1)).unwrap();
        let longest = workload.jobs().iter().filter_map(|job| job.shape.limit).max();
        assert_eq!(longest, Some(Seconds(7 * 3600)));
        assert_eq!(workload.jobs()[1500].shape.limit, longest);
        assert_eq!(workload.truths(), log.truths());
        let outlived = Warning::Outlived { jobs: 1, longest: Seconds(7 * 3600), run: Seconds(76 * 86_400) };
        assert!(given.warnings.contains(&outlived), "{:?}", given.warnings);
        // Control: jobs that never requested a time define the longest by their runs.
        let mut bare = log.clone();
        bare.replace_limits(vec![None; log.len()]);
        let given = RequestedTimes::default().give(&mut bare, None, &[], Seed(1)).unwrap();
        assert!(bare.jobs()[1500].shape.limit >= Some(Seconds(76 * 86_400)));
        assert!(!given.warnings.iter().any(|warning| matches!(warning, Warning::Outlived { .. })));
    }
}
