//! Workloads from a model of jobs: the jobs, their load, their users, their requested times.

use serde::{Deserialize, Serialize};

use super::requested::{self, LogModes};
use super::users;
use super::{
    DowneyChoices, GenerateError, Generated, GenerationStep, JobModel, LublinChoices, ModelSettings,
    NamedLog, Parameter, RequestedTimes, UserSettings, check_settings, listed,
};
use crate::characterization::Modes;
use crate::synth::{Downey, Habits, LoadTarget, Lublin, Rescale};
use queuecast_core::job::{Ending, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// What to generate from a model of jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "C: Deserialize<'de> + Default"))]
pub struct JobSettings<C> {
    /// The model.
    pub model: ModelSettings<C>,
    /// The offered load, reached by stretching the time between arrivals; by default that of the log, or the model's.
    pub load: Option<f64>,
    /// The users; `None` for jobs without users.
    pub users: Option<UserSettings>,
    /// The requested times.
    pub requested: RequestedTimes,
    /// The seed.
    pub seed: u64,
}

impl<C: Default> Default for JobSettings<C> {
    fn default() -> JobSettings<C> {
        JobSettings {
            model: ModelSettings { jobs: None, procs: None, choices: C::default(), set: Vec::new() },
            load: None,
            users: Some(UserSettings::default()),
            requested: RequestedTimes::default(),
            seed: 1,
        }
    }
}

/// Jobs and processors where neither the settings nor a log say.
const DEFAULT: (u32, u32) = (20_000, 256);

/// The number of steps that [`from_model`] reports.
pub const STEPS: usize = 4;

/// Generates a workload by the model of Lublin & Feitelson 2003, fitted to the log if there is one.
pub fn lublin(
    settings: &JobSettings<LublinChoices>,
    log: Option<&NamedLog<'_>>,
) -> Result<Generated, GenerateError> {
    from_model::<Lublin>(settings, log, || ())
}

/// Generates a workload by the model of Downey 1997, fitted to the log if there is one.
pub fn downey(
    settings: &JobSettings<DowneyChoices>,
    log: Option<&NamedLog<'_>>,
) -> Result<Generated, GenerateError> {
    from_model::<Downey>(settings, log, || ())
}

/// Generates a workload by the model of users with habits.
pub fn habits(model: &Habits, seed: u64) -> Result<Generated, GenerateError> {
    let workload = model.generate(Seed(seed)).map_err(GenerateError::parameters("habits"))?;
    let (steps, parameters) = (vec![GenerationStep::DrawnFromHabits], listed("habits", model)?);
    Ok(Generated { workload, steps, seed: Some(seed), parameters, warnings: Vec::new() })
}

/// Generates a workload by any model of jobs, fitted to the log if there is one. `progress` is called after each of
/// [`STEPS`] steps.
pub fn from_model<M: JobModel>(
    settings: &JobSettings<M::Choices>,
    log: Option<&NamedLog<'_>>,
    progress: impl Fn(),
) -> Result<Generated, GenerateError> {
    let seed = Seed(settings.seed);
    let of_log = log.map(|log| log.workload);
    let model: M = settings.model.model(DEFAULT, of_log)?;
    let set = &settings.model.set;
    let population = settings.users.map(|users| users.population(of_log, set)).transpose()?;
    let mut used = vec![M::NAME];
    used.extend(population.is_some().then_some(users::MODEL));
    used.extend(settings.requested.models());
    check_settings(set, &used)?;

    let mut workload = model.generate(seed).map_err(GenerateError::parameters(M::NAME))?;
    progress();
    let mut steps = vec![GenerationStep::Drawn { paper: M::PAPER }];
    steps.extend(log.map(|log| GenerationStep::Fitted { log: log.name.to_owned(), digest: log.digest() }));
    if let Some(limit) = longest_permitted(&settings.requested, of_log) {
        let jobs = stop_at(&mut workload, limit)?;
        steps.extend((jobs > 0).then_some(GenerationStep::Stopped { jobs, limit }));
    }
    let mut parameters = listed(M::NAME, &model)?;
    if let Some(load) = load(settings.load, model.load_parameter(), of_log)? {
        workload = Rescale { to: LoadTarget::Load(load), by: Default::default() }
            .of(&workload)
            .map_err(GenerateError::parameters("rescale"))?;
        parameters.push(Parameter::new("load", load));
    }
    progress();
    if let Some(population) = &population {
        workload =
            population.assign_users(&workload, seed).map_err(GenerateError::parameters(users::MODEL))?;
        steps.push(GenerationStep::GivenUsers);
        parameters.extend(listed(users::MODEL, population)?);
    }
    progress();
    let calibration = of_log.map(|log| LogModes { log, default_modes: requested::MOST_MODES });
    let given = settings.requested.give(&mut workload, calibration, set, seed)?;
    steps.push(given.step);
    parameters.extend(given.parameters);
    progress();
    Ok(Generated { workload, steps, seed: Some(settings.seed), parameters, warnings: given.warnings })
}

/// The offered load to stretch time to. Sizes, run times and arrivals are fitted separately, so a fitted model need not
/// have the load of its log: by default it is stretched to it.
fn load(
    given: Option<f64>,
    instead: Option<&'static str>,
    log: Option<&Workload>,
) -> Result<Option<f64>, GenerateError> {
    match (given, instead) {
        (Some(load), Some(instead)) => Err(GenerateError::DaysFixed { load, instead }),
        (None, Some(_)) => Ok(None),
        (Some(load), None) => Ok(Some(load)),
        (None, None) => Ok(log.map(Workload::offered_load).filter(|load| (0.001..=100.0).contains(load))),
    }
}

/// The longest run time that the log's site permits, where requested times are modelled after the log.
fn longest_permitted(requested: &RequestedTimes, log: Option<&Workload>) -> Option<Seconds> {
    match requested {
        RequestedTimes::Tsafrir(times) if times.longest.is_none() => {
            log.and_then(|log| Modes::of(log).permitted())
        }
        _ => None,
    }
}

/// Stops the jobs that run longer than the limit; returns how many.
fn stop_at(workload: &mut Workload, limit: Seconds) -> Result<usize, GenerateError> {
    let longer = |truth: &Truth| truth.run() > limit;
    let stopped = workload.truths().iter().filter(|truth| longer(truth)).count();
    let stop = |truth: &Truth| match longer(truth) {
        true => Truth { ending: Ending::Killed, ..Truth::rigid(limit) },
        false => truth.clone(),
    };
    let truths = workload.truths().iter().map(stop).collect();
    let mut kept = Workload::from_columns(workload.machine(), workload.jobs().to_vec(), truths)
        .map_err(|error| GenerateError::parameters(requested::MODEL)(error.into()))?;
    kept.names.clone_from(&workload.names);
    kept.epoch = workload.epoch;
    *workload = kept;
    Ok(stopped)
}
