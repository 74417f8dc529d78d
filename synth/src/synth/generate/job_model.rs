//! Models of jobs, and how one is chosen: as published or fitted to a log, then changed.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{GenerateError, ParameterSetting, set};
use crate::synth::{Downey, DowneyArrivals, Lublin, LublinKinds, Rounding, SynthError};
use queuecast_core::seed::Seed;
use queuecast_core::spec::choices;
use queuecast_core::workload::Workload;

/// A model of jobs without users and requested times.
pub trait JobModel: Serialize + DeserializeOwned {
    /// The name of the model in settings and parameters.
    const NAME: &'static str;
    /// Authors and year.
    const PAPER: &'static str;
    /// What can be chosen of the model besides its parameters.
    type Choices;
    /// The model with the published parameters.
    fn published(jobs: u32, procs: u32) -> Self;
    /// The model fitted to a log.
    fn fitted(log: &Workload) -> Result<Self, SynthError>;
    /// The model for this number of jobs.
    fn with_jobs(self, jobs: u32) -> Self;
    /// The model as chosen; `log` is the one it was fitted to.
    fn chosen(self, choices: &Self::Choices, log: Option<&Workload>) -> Result<Self, SynthError>;
    /// Draws the jobs.
    fn generate(&self, seed: Seed) -> Result<Workload, SynthError>;
    /// The parameter to set instead of stretching time to a load, where stretching would change the model's days.
    fn load_parameter(&self) -> Option<&'static str> {
        None
    }
}

/// What can be chosen of the model of Lublin & Feitelson 2003.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LublinChoices {
    /// The kinds of jobs; by default untyped, or as in the log.
    pub kinds: Option<LublinKinds>,
}

impl JobModel for Lublin {
    const NAME: &'static str = "lublin";
    const PAPER: &'static str = "Lublin & Feitelson 2003";
    type Choices = LublinChoices;

    fn published(jobs: u32, procs: u32) -> Lublin {
        Lublin::new(jobs, procs)
    }

    fn fitted(log: &Workload) -> Result<Lublin, SynthError> {
        Lublin::like(log)
    }

    fn with_jobs(self, jobs: u32) -> Lublin {
        Lublin { jobs, ..self }
    }

    fn chosen(self, choices: &LublinChoices, log: Option<&Workload>) -> Result<Lublin, SynthError> {
        let default = if log.is_some() { self.kinds } else { LublinKinds::Untyped };
        Ok(Lublin { kinds: choices.kinds.unwrap_or(default), ..self })
    }

    fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        Lublin::generate(self, seed)
    }
}

/// What can be chosen of the model of Downey 1997.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DowneyChoices {
    /// When jobs arrive; by default in daytime, or as in the log.
    pub arrivals: Option<DowneyArrivals>,
    /// Distributions taken from the log as observed, instead of fitted.
    pub observed: Vec<Observed>,
    /// How average parallelism becomes a number of processors.
    pub rounding: Option<Rounding>,
    /// The offered load while jobs arrive.
    pub load: Option<f64>,
    /// Whether jobs are moldable.
    pub moldable: bool,
}

/// A distribution of Downey's model that can be taken from a log as observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observed {
    /// Sequential lifetimes: run times, multiplied by the speedup.
    Lifetimes,
    /// Average parallelism: numbers of processors.
    Parallelism,
}

choices! { Observed, "distribution":
    Lifetimes = "lifetimes", "sequential lifetimes: run times, times the speedup on as many processors";
    Parallelism = "parallelism", "average parallelism: numbers of processors";
}

impl JobModel for Downey {
    const NAME: &'static str = "downey";
    const PAPER: &'static str = "Downey 1997";
    type Choices = DowneyChoices;

    fn published(jobs: u32, procs: u32) -> Downey {
        Downey::new(jobs, procs)
    }

    fn fitted(log: &Workload) -> Result<Downey, SynthError> {
        Downey::like(log)
    }

    fn with_jobs(self, jobs: u32) -> Downey {
        Downey { jobs, ..self }
    }

    fn chosen(mut self, choices: &DowneyChoices, log: Option<&Workload>) -> Result<Downey, SynthError> {
        if let Some(log) = log.filter(|_| !choices.observed.is_empty()) {
            let observed = Downey::like_observed(log)?;
            if choices.observed.contains(&Observed::Lifetimes) {
                // The load depends on the mean lifetime; this one keeps the log's rate of arrivals.
                (self.lifetime, self.load) = (observed.lifetime, observed.load);
            }
            if choices.observed.contains(&Observed::Parallelism) {
                self.parallelism = observed.parallelism;
            }
        }
        self.arrivals = choices.arrivals.unwrap_or(self.arrivals);
        self.rounding = choices.rounding.unwrap_or(self.rounding);
        self.load = choices.load.unwrap_or(self.load);
        self.moldable = choices.moldable;
        Ok(self)
    }

    fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        Downey::generate(self, seed)
    }

    fn load_parameter(&self) -> Option<&'static str> {
        (self.arrivals == DowneyArrivals::Apart).then_some("downey.load")
    }
}

/// Which model of jobs to draw from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "C: Deserialize<'de> + Default"))]
pub struct ModelSettings<C> {
    /// How many jobs; by default a number of the caller's, or as many as in the log.
    pub jobs: Option<u32>,
    /// Processors of the machine, without a log; by default a number of the caller's.
    pub procs: Option<u32>,
    /// What is chosen of the model.
    pub choices: C,
    /// Parameters set to other values, of this model and of the others that are used with it.
    pub set: Vec<ParameterSetting>,
}

impl<C> ModelSettings<C> {
    /// The model: fitted to the log or, without one, as published for `default` jobs and processors; then as chosen and set.
    pub fn model<M: JobModel<Choices = C>>(
        &self,
        default: (u32, u32),
        log: Option<&Workload>,
    ) -> Result<M, GenerateError> {
        let mut model = match log {
            Some(log) => M::fitted(log).map_err(GenerateError::log(M::NAME))?,
            None => M::published(self.jobs.unwrap_or(default.0), self.procs.unwrap_or(default.1)),
        };
        if let Some(jobs) = self.jobs {
            model = model.with_jobs(jobs);
        }
        let model = model.chosen(&self.choices, log).map_err(GenerateError::log(M::NAME))?;
        set(M::NAME, model, &self.set)
    }
}
