//! A model of jobs as the command line has it: the published one or fitted to a log, with what was said of it.

use std::path::PathBuf;

use queuecast::seed::Seed;
use queuecast::synth::{Downey, DowneyArrivals, Lublin, SynthError};
use queuecast::trace::Ruleset;
use queuecast::workload::Workload;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::parameters::{self, Setting};
use super::refused::Refused;
use crate::commands::loaded::Loaded;
use crate::commands::source::{Reading, Source};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::spec;

/// How much there is.
#[derive(Debug, Clone, clap::Args)]
pub struct Extent {
    /// How many jobs to make, 1 to 10000000; by default 20000, or as many as the log has
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Processors of the machine, 1 to 16777216; by default 256, or as many as the log's has
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
}

/// What every command is told that draws jobs from a model. Apart from [`Extent`], since a trace records its command in the
/// order of these options.
#[derive(Debug, Clone, clap::Args)]
pub struct Modelled {
    /// Give any parameter another value, by the name it has in the header of a generated trace; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameters::setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    pub like: Like,
}

/// A log that the model is fitted to.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Like a log")]
pub struct Like {
    /// Fit the model to this trace: sizes, run times and arrivals, and users and requested times where it has them
    #[arg(long, value_name = "TRACE")]
    pub like: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[arg(long, value_name = "RULESET", default_value = "default", value_parser = spec::ruleset(), hide_possible_values = true, help_heading = "Reading the trace")]
    #[arg(help = spec::ruleset().help("Which records become jobs, and how"))]
    pub clean: Ruleset,
}

/// A model of jobs that knows nothing of users and estimates.
pub trait Model: Serialize + DeserializeOwned {
    /// Its name, in front of its parameters, and of the command.
    const NAME: &'static str;
    /// Who made it.
    const PAPER: &'static str;
    /// With the published parameters.
    fn new(jobs: u32, procs: u32) -> Self;
    /// Fitted to a log.
    fn like(log: &Workload) -> Result<Self, SynthError>;
    /// For so many jobs.
    fn with_jobs(self, jobs: u32) -> Self;
    /// The jobs.
    fn generate(&self, seed: Seed) -> Result<Workload, SynthError>;
    /// What to set instead of stretching time to a load, where that would undo what the model says of days.
    fn own_load(&self) -> Option<&'static str> {
        None
    }
}

impl Model for Lublin {
    const NAME: &'static str = "lublin";
    const PAPER: &'static str = "Lublin & Feitelson 2003";

    fn new(jobs: u32, procs: u32) -> Lublin {
        Lublin::new(jobs, procs)
    }

    fn like(log: &Workload) -> Result<Lublin, SynthError> {
        Lublin::like(log)
    }

    fn with_jobs(self, jobs: u32) -> Lublin {
        Lublin { jobs, ..self }
    }

    fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        Lublin::generate(self, seed)
    }
}

impl Model for Downey {
    const NAME: &'static str = "downey";
    const PAPER: &'static str = "Downey 1997";

    fn new(jobs: u32, procs: u32) -> Downey {
        Downey::new(jobs, procs)
    }

    fn like(log: &Workload) -> Result<Downey, SynthError> {
        Downey::like(log)
    }

    fn with_jobs(self, jobs: u32) -> Downey {
        Downey { jobs, ..self }
    }

    fn generate(&self, seed: Seed) -> Result<Workload, SynthError> {
        Downey::generate(self, seed)
    }

    fn own_load(&self) -> Option<&'static str> {
        (self.arrivals == DowneyArrivals::Apart).then_some("downey.load")
    }
}

impl Modelled {
    /// Reads the log, if there is one.
    pub fn log(&self, extent: &Extent, printer: &Printer) -> Result<Option<Loaded>, Failure> {
        let Like { like, reading, clean } = &self.like;
        let source = Source { reading: reading.clone(), procs: extent.procs, clean: clean.clone() };
        like.as_deref().map(|path| Loaded::read(path, &source, printer)).transpose()
    }

    /// The model: fitted to the log or, with so many jobs and processors where nobody says, as published; then changed by
    /// `choose`, which sees the log as well, and by `--set`.
    pub fn model<M: Model>(
        &self,
        extent: &Extent,
        usual: (u32, u32),
        log: Option<&Loaded>,
        refused: Refused,
        choose: impl FnOnce(M, Option<&Workload>) -> Result<M, SynthError>,
    ) -> Result<M, Failure> {
        let name = log.map(|log| log.name.as_str());
        let model = match log {
            Some(log) => M::like(&log.log.workload).map_err(|error| refused.because(error, name))?,
            None => M::new(extent.jobs.unwrap_or(usual.0), extent.procs.unwrap_or(usual.1)),
        };
        let model = match extent.jobs {
            Some(jobs) => model.with_jobs(jobs),
            None => model,
        };
        let model =
            choose(model, log.map(|log| &log.log.workload)).map_err(|error| refused.because(error, name))?;
        parameters::set(M::NAME, model, &self.set)
    }
}
