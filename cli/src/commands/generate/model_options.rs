//! Options of the commands that draw jobs from a model.

use std::path::{Path, PathBuf};

use queuecast_process::failure::Failure;
use queuecast_process::invocation::Invocation;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_synth::synth::generate::{
    JobModel, JobSettings, ModelSettings, ParameterSetting, RequestedTimes, STEPS, from_model,
};
use queuecast_trace::Ruleset;

use super::errors::{self, OPTIONS};
use super::estimate_options::{self, EstimateOptions};
use super::log_change::named;
use super::output::OutputOption;
use super::user_options::UserOptions;
use crate::commands::loaded::Loaded;
use crate::commands::source::{Reading, Source};
use crate::spec;

/// How many jobs on how many processors.
#[derive(Debug, Clone, clap::Args)]
pub struct Extent {
    /// Number of jobs, 1 to 10000000; by default 20000, or as in the log
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Processors of the machine, 1 to 16777216; by default 256, or as in the log
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
}

/// Parameters of the model, and the log it is fitted to. Apart from [`Extent`], since a trace records its command in the
/// order of these options.
#[derive(Debug, Clone, clap::Args)]
pub struct ModelOptions {
    /// Set a parameter by its name in the header of a generated trace; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<ParameterSetting>,
    #[command(flatten)]
    pub like: Like,
}

/// The log that the model is fitted to.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Like a log")]
pub struct Like {
    /// Fit the model to this trace: sizes, run times and arrivals, and users and requested times where it has them
    #[arg(long, value_name = "TRACE")]
    pub like: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[arg(long, value_name = "RULESET", default_value = "default", value_parser = spec::of::<Ruleset>(), hide_possible_values = true, help_heading = "Reading the trace")]
    #[arg(help = spec::of::<Ruleset>().help("Which records become jobs, and how"))]
    pub clean: Ruleset,
}

impl ModelOptions {
    /// Whether the model is fitted to a log.
    pub fn fitted(&self) -> bool {
        self.like.like.is_some()
    }

    /// Reads the log, if there is one.
    pub fn log(&self, extent: &Extent, printer: &Printer) -> Result<Option<Loaded>, Failure> {
        let Like { like, reading, clean } = &self.like;
        let source = Source { reading: reading.clone(), procs: extent.procs, clean: clean.clone() };
        like.as_deref().map(|path| Loaded::read(path, &source, printer)).transpose()
    }

    /// The settings for the library.
    pub fn settings<C>(&self, extent: &Extent, choices: C) -> ModelSettings<C> {
        ModelSettings { jobs: extent.jobs, procs: extent.procs, choices, set: self.set.clone() }
    }
}

/// Options of every model of jobs.
#[derive(Debug, Clone, clap::Args)]
pub struct JobOptions {
    #[command(flatten)]
    pub extent: Extent,
    /// Stretch or shrink the time between arrivals to this offered load, 0.001 to 100; by default that of the log or of
    /// the model
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Seed: the same seed gives the same workload
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    // After the options without a heading, which its own would cover.
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub users: UserOptions,
    #[arg(long, value_name = "WHAT", default_value = "tsafrir", value_parser = estimate_options::made(), hide_possible_values = true, help_heading = "Requested times")]
    #[arg(help = estimate_options::made().help("Requested times"), long_help = estimate_options::made().long_help("Requested times"))]
    pub estimates: RequestedTimes,
    #[command(flatten)]
    pub estimate_options: EstimateOptions,
}

impl JobOptions {
    /// Generates a workload by a model and writes it.
    pub fn run<M: JobModel>(
        &self,
        choices: M::Choices,
        output: &OutputOption,
        invocation: &Invocation,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let requested: RequestedTimes = self.estimate_options.requested(&self.estimates)?;
        let inputs: Vec<&Path> = self.model.like.like.as_deref().into_iter().collect();
        let place = output.plan(&inputs, printer)?;
        let log = self.model.log(&self.extent, printer)?;
        let settings = JobSettings {
            model: self.model.settings(&self.extent, choices),
            load: self.load,
            users: self.users.settings()?,
            requested,
            seed: self.seed,
        };
        let name = log.as_ref().map(|log| log.name.as_str());
        let generated = {
            let progress = Progress::new(printer, "generating", STEPS);
            let named = log.as_ref().map(|log| named(log, &[]));
            from_model::<M>(&settings, named.as_ref(), || progress.advance())
                .map_err(|error| errors::failure(error, OPTIONS, name))?
        };
        place.write(&generated, None, name, invocation, printer)
    }
}
