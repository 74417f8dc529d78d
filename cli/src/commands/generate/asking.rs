//! What jobs ask for: `--estimates` and what belongs to it.

use clap::ValueEnum;
use queuecast::portrait::Modes;
use queuecast::report::duration;
use queuecast::seed::Seed;
use queuecast::synth::{EstimateModel, Estimates, Pairing, ROUND_TIMES, Routine, Supplied, round_up};
use queuecast::units::Seconds;
use queuecast::workload::Workload;

use super::parameters::{self, Setting};
use super::refused::Refused;
use crate::commands::loaded::{Loaded, number_of};
use crate::failure::Failure;
use crate::spec::{Form, Spec, form};

/// Where requested times come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The model of Tsafrir, Etsion & Feitelson 2005.
    Tsafrir,
    /// The trace's own, each to any job it is long enough for.
    Shuffled,
    /// The trace's own, so that they stay put within sittings.
    Sittings,
    /// Twice the trace's own.
    Doubled,
    /// The run time.
    Exact,
    /// The f-model.
    Factor(f64),
    /// Feitelson's model, with the share of jobs that run to their estimate.
    Feit(f64),
    /// Nowhere: there are none.
    None,
}

const TSAFRIR: Form =
    form("tsafrir", "", "few, round and popular, as in production logs (Tsafrir et al. 2005)");
const EXACT: Form = form("exact", "", "the run times themselves");
const FACTOR: Form = form("f", ":F", "anything from the run time to F + 1 times as much (the f-model)");
const FEIT: Form =
    form("feit", "[:PHI]", "a share PHI run to theirs, the others to any part of it; PHI 0.1 by default");
const NONE: Form = form("none", "", "jobs ask for nothing");

/// `--estimates` for jobs that never had any.
pub fn made() -> Spec<Kind> {
    const FORMS: &[Form] = &[TSAFRIR, EXACT, FACTOR, FEIT, NONE];
    Spec::new(FORMS, read)
}

/// `--estimates` for the jobs of a trace.
pub fn replaced() -> Spec<Kind> {
    const FORMS: &[Form] = &[
        TSAFRIR,
        form("shuffled", "", "the trace's own, given to any job they are long enough for"),
        form("sittings", "", "the trace's own, kept together within users' sittings"),
        form("x2", "", "twice the trace's own"),
        EXACT,
        FACTOR,
        FEIT,
        NONE,
    ];
    Spec::new(FORMS, read)
}

fn read(text: &str) -> Result<Kind, String> {
    let (name, given) = text.split_once(':').map_or((text, None), |(name, given)| (name, Some(given)));
    let number = |given: &str, least: f64, most: f64| {
        let number = given.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a number between {least} and {most} after {name}:"))
    };
    match (name, given) {
        ("tsafrir", None) => Ok(Kind::Tsafrir),
        ("shuffled", None) => Ok(Kind::Shuffled),
        ("sittings", None) => Ok(Kind::Sittings),
        ("x2", None) => Ok(Kind::Doubled),
        ("exact", None) => Ok(Kind::Exact),
        ("none", None) => Ok(Kind::None),
        ("feit", None) => Ok(Kind::Feit(0.1)),
        ("feit", Some(given)) => number(given, 0.0, 1.0).map(Kind::Feit),
        ("f", Some(given)) => number(given, 0.0, 1e6).map(Kind::Factor),
        ("f", None) => Err("say how much, as in f:3".to_owned()),
        _ => Err(format!("nothing may follow {name}")),
    }
}

/// Which job gets which estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum PairingName {
    /// They stay put within a user's sitting, and recur
    #[default]
    Sittings,
    /// Any, as long as it is long enough
    Shuffled,
}

/// What the model of estimates is told.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Requested times (--estimates tsafrir)")]
pub struct Asking {
    /// The longest time that may be asked for, 1m to 365d, and no less than the longest run: 18h, 1-12:00:00, plain
    /// seconds; by default the log's longest, or the longest run rounded up
    #[arg(long, value_name = "DURATION", value_parser = length, allow_hyphen_values = true)]
    pub max_estimate: Option<Seconds>,
    /// How many percent of the jobs ask for it, above 0 and up to 100; by default as the model or the log has it
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub max_estimate_percent: Option<f64>,
    /// A time that so many percent of the jobs ask for, as in 1h=12.5; may be repeated, up to 100 percent in all
    #[arg(long, value_name = "TIME=PERCENT", value_parser = mode, allow_hyphen_values = true)]
    pub mode: Vec<Supplied>,
    /// Take this many of the most used times of the log over as modes, 0 to 19
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub modes_of_log: Option<u8>,
    /// Which job gets which: sittings keeps them together within users' sittings, shuffled does not
    #[arg(long, value_name = "HOW", value_enum, hide_possible_values = true, default_value_t)]
    pub pairing: PairingName,
}

fn length(text: &str) -> Result<Seconds, String> {
    duration::parse(text).map_err(|error| error.to_string())
}

fn mode(text: &str) -> Result<Supplied, String> {
    let (time, percent) = text.rsplit_once('=').ok_or("expected TIME=PERCENT, as in 1h=12.5")?;
    let percent =
        percent.trim_end_matches('%').parse().map_err(|_| "expected a number of percent after =")?;
    Ok(Supplied { time: length(time)?, percent })
}

/// What was asked for in the end, for the header.
#[derive(Debug, Default)]
pub struct Asked {
    /// In words.
    pub how: String,
    /// Every parameter.
    pub parameters: Vec<(String, String)>,
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

/// As many values of the head can be known beside the longest.
const MOST_MODES: u8 = 19;

impl Asking {
    /// Refuses what means nothing to this kind of estimates.
    pub fn check(&self, kind: Kind) -> Result<(), Failure> {
        let given = [
            ("--max-estimate", self.max_estimate.is_some()),
            ("--max-estimate-percent", self.max_estimate_percent.is_some()),
            ("--mode", !self.mode.is_empty()),
            ("--modes-of-log", self.modes_of_log.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if kind != Kind::Tsafrir => {
                Err(Failure::usage(format!("{option} means nothing without --estimates tsafrir")))
            }
            _ => match self.modes_of_log {
                Some(modes) if modes > MOST_MODES => {
                    Err(Failure::usage(format!("--modes-of-log {modes}: must be between 0 and {MOST_MODES}")))
                }
                _ => Ok(()),
            },
        }
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
        let longest = match (self.max_estimate, log.and_then(Modes::longest)) {
            (Some(longest), _) => longest,
            (None, Some(longest)) if longest >= run => longest,
            _ => rounded(run),
        };
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
                (Estimates::Own(Pairing::Sittings(routine)), Asked { how, parameters })
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
        let pairing = match self.pairing {
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
        if raised > 0 {
            let raised = number_of(usize::try_from(raised).unwrap_or(usize::MAX), "time");
            how += &format!("; {raised} raised for jobs that would outlive them");
        }
        Ok((times, Asked { how, parameters }))
    }

    /// What `--set` may change of these.
    pub fn models(&self, kind: Kind) -> &'static [&'static str] {
        match (kind, self.pairing) {
            (Kind::Tsafrir, PairingName::Sittings) => &["estimates", "routine"],
            (Kind::Tsafrir, PairingName::Shuffled) => &["estimates"],
            (Kind::Sittings, _) => &["routine"],
            _ => &[],
        }
    }
}
