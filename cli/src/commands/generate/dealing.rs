//! From what was asked for to a requested time for every job.

use queuecast::portrait::Modes;
use queuecast::seed::Seed;
use queuecast::synth::{EstimateModel, Estimates, Pairing, ROUND_TIMES, Routine, Supplied, round_up};
use queuecast::units::Seconds;
use queuecast::workload::Workload;

use super::asking::{Asking, Kind, MOST_MODES, PairingName};
use super::parameters::{self, Setting};
use super::refused::Refused;
use crate::commands::loaded::{Loaded, number_of};
use crate::failure::Failure;

/// What was asked for in the end, for the header.
#[derive(Debug, Default)]
pub struct Asked {
    /// In words.
    pub how: String,
    /// Every parameter.
    pub parameters: Vec<(String, String)>,
    /// What a user may not have expected.
    pub warnings: Vec<String>,
}

const REFUSED: Refused = Refused {
    model: "estimates",
    options: &[
        ("longest", "--max-estimate"),
        ("longest_percent", "--max-estimate-percent"),
        ("supplied", "--mode"),
        ("supplied.time", "--mode"),
        ("supplied.percent", "--mode"),
    ],
};

/// A log that the model may learn from.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The log.
    pub log: &'a Loaded,
    /// How many of its most used times the model is told.
    pub modes: u8,
}

impl Asking {
    /// Has the jobs ask for these times.
    pub fn deal(
        &self,
        kind: Kind,
        workload: &mut Workload,
        known: Option<Known<'_>>,
        settings: &[Setting],
        seed: Seed,
    ) -> Result<Asked, Failure> {
        let name = known.map(|known| known.log.name.as_str());
        let simple = |how: &str| Asked { how: how.to_owned(), ..Asked::default() };
        let (estimates, asked) = match kind {
            Kind::None => {
                workload.replace_limits(vec![None; workload.len()]);
                return Ok(simple("no requested times"));
            }
            Kind::Tsafrir => {
                let (times, asked) = self.modelled(workload, known, settings, seed)?;
                workload.replace_limits(times.into_iter().map(Some));
                return Ok(asked);
            }
            Kind::Shuffled => {
                (Estimates::Own(Pairing::Shuffled), simple("requested times are the trace's own, shuffled"))
            }
            Kind::Sittings => {
                let routine = parameters::set("routine", Routine::default(), settings)?;
                let parameters = parameters::listed("routine", &routine)?;
                let how = "requested times are the trace's own, kept together within sittings".to_owned();
                (Estimates::Own(Pairing::Sittings(routine)), Asked { how, parameters, ..Asked::default() })
            }
            Kind::Doubled => (Estimates::Doubled, simple("requested times are twice the trace's own")),
            Kind::Exact => (Estimates::Factor(0.0), simple("requested times are the run times")),
            Kind::Factor(f) => {
                let how = "requested times are between once and F + 1 times the run times (the f-model)";
                let parameters = vec![("estimates.f".to_owned(), f.to_string())];
                (Estimates::Factor(f), Asked { parameters, ..simple(how) })
            }
            Kind::Feit(phi) => {
                let how = "requested times by the model of Mu'alem & Feitelson 2001";
                let parameters = vec![("estimates.phi".to_owned(), phi.to_string())];
                (Estimates::Feit(phi), Asked { parameters, ..simple(how) })
            }
        };
        let times = estimates.of(workload, seed).map_err(|error| {
            let failure = REFUSED.because(error, name);
            failure
                .hint("--clean predictsim leaves out jobs that ask for nothing, and cuts runs to what was asked for")
        })?;
        workload.replace_limits(times.into_iter().map(Some));
        Ok(asked)
    }

    /// An estimate of the model for every job.
    fn modelled(
        &self,
        workload: &Workload,
        known: Option<Known<'_>>,
        settings: &[Setting],
        seed: Seed,
    ) -> Result<(Vec<Seconds>, Asked), Failure> {
        let log = known.map(|known| Modes::of(&known.log.log.workload)).filter(|modes| !modes.is_empty());
        let most = known.map_or(0, |known| known.modes);
        let model = self.model(workload, log.as_ref(), most, settings)?;
        let mut parameters = parameters::listed("estimates", &model)?;
        let anybody = || workload.jobs().iter().any(|job| job.user.is_some());
        let usual = || if anybody() { PairingName::Sittings } else { PairingName::Shuffled };
        let pairing = match self.pairing.unwrap_or_else(usual) {
            PairingName::Shuffled => Pairing::Shuffled,
            PairingName::Sittings => {
                let routine = parameters::set("routine", Routine::default(), settings)?;
                parameters.extend(parameters::listed("routine", &routine)?);
                Pairing::Sittings(routine)
            }
        };
        let refused = |error| REFUSED.because(error, None);
        let modes = model.modes(seed).map_err(refused)?;
        let (times, raised) = pairing.pair_raised(&modes, workload, seed).map_err(refused)?;
        let mut how = "requested times by the model of Tsafrir, Etsion & Feitelson 2005".to_owned();
        let mut warnings = Vec::new();
        if raised > 0 {
            let raised = number_of(usize::try_from(raised).unwrap_or(usize::MAX), "requested time");
            let raised = format!("{raised} raised for jobs that would outlive them");
            how += &format!("; {raised}");
            warnings.push(format!("{raised}: fewer jobs than modelled ask for short times"));
        }
        if let (Some(known), None) = (known, &log) {
            warnings.push(format!("{} has no requested times: these are the model's alone", known.log.name));
        }
        Ok((times, Asked { how, parameters, warnings }))
    }

    /// The model for this workload; what is not given comes from the log's modes, if there are any.
    fn model(
        &self,
        workload: &Workload,
        log: Option<&Modes>,
        modes_of_log: u8,
        settings: &[Setting],
    ) -> Result<EstimateModel, Failure> {
        let run = workload.truths().iter().map(|truth| truth.run()).max().unwrap_or_default();
        let of_log = [log.and_then(Modes::permitted), log.and_then(Modes::longest)];
        let enough = |longest: &Seconds| *longest >= run && longest.0 <= YEAR;
        let of_log = || of_log.into_iter().flatten().find(enough);
        let longest = self.max_estimate.or_else(of_log).unwrap_or_else(|| rounded(run));
        let mut model = EstimateModel::new(workload.len() as u64, longest);
        model.longest_percent = self.max_estimate_percent;
        model.supplied.clone_from(&self.mode);
        if let Some(log) = log {
            supply(&mut model, log, modes_of_log);
        }
        let model = parameters::set("estimates", model, settings)?;
        if model.longest < run {
            return Err(Failure::usage(format!(
                "--max-estimate {}: must be at least {run}, the longest run in seconds, and at most 31536000",
                model.longest
            ))
            .hint("jobs may not run longer than they ask for"));
        }
        Ok(model)
    }
}

/// The longest that the model takes, in seconds.
const YEAR: i64 = 31_536_000;

/// Has the model know the most used times of a log, but for those of which more is known already.
fn supply(model: &mut EstimateModel, log: &Modes, most: u8) {
    let known = |model: &EstimateModel, time| model.supplied.iter().any(|mode| mode.time == time);
    let percent = |time| 100.0 * log.share(time);
    if model.longest_percent.is_none() && !known(model, model.longest) && log.share(model.longest) > 0.0 {
        model.longest_percent = Some(percent(model.longest));
    }
    let left = |model: &EstimateModel| {
        100.0
            - model.longest_percent.unwrap_or(0.0)
            - model.supplied.iter().map(|mode| mode.percent).sum::<f64>()
    };
    for mode in log.by_popularity().into_iter().take(usize::from(most)) {
        let Supplied { time, percent } = Supplied { time: mode.time, percent: percent(mode.time) };
        let beside = model.supplied.iter().filter(|mode| mode.time != model.longest).count();
        if time < model.longest
            && !known(model, time)
            && beside < usize::from(MOST_MODES)
            && percent <= left(model)
        {
            model.supplied.push(Supplied { time, percent });
        }
    }
}

/// The time people would be allowed to ask for if this was the longest they need: a round one, or whole half days.
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
    use queuecast::portrait::Mode;

    use super::*;

    #[test]
    fn the_longest_is_round() {
        let hours = |hours: i64| Seconds(hours * 3600);
        assert_eq!(rounded(Seconds(1000)), Seconds(1800));
        assert_eq!([hours(13), hours(24), hours(25), hours(36)].map(rounded), [18, 24, 36, 36].map(hours));
    }

    #[test]
    fn a_log_adds_what_is_not_known_better() {
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
}
