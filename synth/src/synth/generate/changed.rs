//! Workloads made of a log: with other requested times, at another load, resampled, shaken.

use serde::{Deserialize, Serialize};

use super::requested::LogModes;
use super::{
    GenerateError, Generated, GenerationStep, LoadLimit, NamedLog, Parameter, ParameterSetting,
    RequestedTimes, Warning, check_settings,
};
use crate::synth::{LoadTarget, Resample, Rescale, ScaledQuantity, Shaken, Variant};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;

/// Other requested times for the jobs of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateSettings {
    /// The requested times.
    pub requested: RequestedTimes,
    /// Parameters set to other values.
    #[serde(default)]
    pub set: Vec<ParameterSetting>,
    /// The seed.
    pub seed: u64,
}

/// Resampling of a log's users.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResampleSettings {
    /// How many weeks; by default as many as in the log, to the nearest.
    #[serde(default)]
    pub weeks: Option<u32>,
    /// The offered load to approach; by default the log's.
    #[serde(default)]
    pub load: Option<f64>,
    /// The seed.
    pub seed: u64,
}

/// The log with other requested times.
pub fn estimates(settings: &EstimateSettings, log: &NamedLog<'_>) -> Result<Generated, GenerateError> {
    let EstimateSettings { requested, set, seed } = settings;
    check_settings(set, requested.models())?;
    let mut workload = log.workload.clone();
    let calibration = LogModes { log: log.workload, default_modes: 0 };
    let given = requested.give(&mut workload, Some(calibration), set, Seed(*seed))?;
    let changed = Changed {
        workload,
        step: given.step,
        seed: requested.is_random().then_some(*seed),
        parameters: given.parameters,
        warnings: given.warnings,
    };
    Ok(changed.of(log))
}

/// The log at another offered load.
pub fn rescale(rescale: &Rescale, log: &NamedLog<'_>) -> Result<Generated, GenerateError> {
    let workload = rescale.of(log.workload).map_err(GenerateError::log("rescale"))?;
    let (from, to) = (log.workload.offered_load(), workload.offered_load());
    let (target, asked) = match rescale.to {
        LoadTarget::Load(load) => (Parameter::new("rescale.load", load), load),
        LoadTarget::Factor(factor) => (Parameter::new("rescale.factor", factor), factor * from),
    };
    let limit = load_limit(rescale.by, &workload, asked);
    let changed = Changed {
        step: GenerationStep::Rescaled { by: rescale.by, from, to },
        seed: None,
        parameters: vec![target, Parameter::new("rescale.by", rescale.by.name())],
        warnings: missed(to, asked, 0.01, limit).into_iter().collect(),
        workload,
    };
    Ok(changed.of(log))
}

/// The log's users resampled (Zakay & Feitelson 2014).
pub fn resample(settings: &ResampleSettings, log: &NamedLog<'_>) -> Result<Generated, GenerateError> {
    let ResampleSettings { weeks, load, seed } = *settings;
    let resample = Resample { weeks: weeks.unwrap_or_else(|| whole_weeks(log.workload)), load };
    let workload = resample.of(log.workload, Seed(seed)).map_err(GenerateError::log("resample"))?;
    let reached = workload.offered_load();
    let mut parameters = vec![Parameter::new("resample.weeks", resample.weeks)];
    parameters.extend(load.map(|load| Parameter::new("resample.load", load)));
    let missed = load.and_then(|load| missed(reached, load, 0.05, LoadLimit::Sampling));
    let changed = Changed {
        workload,
        step: GenerationStep::Resampled,
        seed: Some(seed),
        parameters,
        warnings: missed.into_iter().collect(),
    };
    Ok(changed.of(log))
}

/// The log with every arrival moved at random (Tsafrir, Ouaknine & Feitelson 2007).
pub fn shake(shaken: &Shaken, log: &NamedLog<'_>) -> Result<Generated, GenerateError> {
    let workload = Variant { shaken: Some(*shaken), ..Variant::default() }
        .of(log.workload)
        .map_err(|error| GenerateError::log("shake")(error.into()))?;
    let changed = Changed {
        workload,
        step: GenerationStep::Shaken { by: shaken.by },
        seed: Some(shaken.seed),
        parameters: vec![Parameter::new("shake.by", shaken.by)],
        warnings: Vec::new(),
    };
    Ok(changed.of(log))
}

/// A changed log, and what was done to it.
struct Changed {
    workload: Workload,
    step: GenerationStep,
    seed: Option<u64>,
    parameters: Vec<Parameter>,
    warnings: Vec<Warning>,
}

impl Changed {
    fn of(mut self, log: &NamedLog<'_>) -> Generated {
        // The log's waits do not belong to the changed jobs.
        self.workload.starts.clear();
        let Changed { workload, step, seed, parameters, warnings } = self;
        let mut steps = log.steps();
        steps.push(step);
        Generated { workload, steps, seed, parameters, warnings }
    }
}

/// The span of submissions in weeks, rounded, at least one.
fn whole_weeks(workload: &Workload) -> u32 {
    const WEEK: i64 = 604_800;
    let last = workload.jobs().last().map(|job| job.submit);
    let span = workload.begins().zip(last).map_or(0, |(first, last)| (last - first).0);
    u32::try_from(((span + WEEK / 2) / WEEK).max(1)).unwrap_or(u32::MAX)
}

/// A warning if the loads differ by more than this part of the load asked for.
fn missed(reached: f64, asked: f64, tolerance: f64, limit: LoadLimit) -> Option<Warning> {
    let differs = (reached / asked - 1.0).abs() > tolerance;
    differs.then_some(Warning::LoadMissed { reached, asked, limit })
}

/// What keeps a rescaled workload from the load that was asked for.
fn load_limit(by: ScaledQuantity, workload: &Workload, asked: f64) -> LoadLimit {
    let full = || workload.jobs().iter().any(|job| job.shape.procs == workload.machine().procs);
    match by {
        ScaledQuantity::Sizes if workload.offered_load() < asked && full() => LoadLimit::MachineSize,
        ScaledQuantity::Sizes => LoadLimit::WholeProcessors,
        ScaledQuantity::Arrivals | ScaledQuantity::RunTimes => LoadLimit::WholeSeconds,
    }
}
