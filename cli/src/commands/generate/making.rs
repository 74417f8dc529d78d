//! A workload from a model of jobs: the model, its load, its users, what they ask for.

use std::path::{Path, PathBuf};

use queuecast::job::{Ending, Truth};
use queuecast::portrait::Modes;
use queuecast::seed::Seed;
use queuecast::synth::{Downey, Lublin, Rescale, SynthError, Target};
use queuecast::trace::Ruleset;
use queuecast::units::Seconds;
use queuecast::workload::Workload;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::asking::{self, Asking, Kind};
use super::dealing::Known;
use super::parameters::{self, Setting};
use super::people::{self, People};
use super::product::{Product, Target as Into};
use super::refused::Refused;
use crate::commands::loaded::{Loaded, digest, number_of};
use crate::commands::source::{Reading, Source};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::spec;

/// What every model of jobs is told.
#[derive(Debug, Clone, clap::Args)]
pub struct Making {
    /// How many jobs to make, 1 to 10000000; by default 20000, or as many as the log has
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Processors of the machine, 1 to 16777216; by default 256, or as many as the log's has
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub procs: Option<u32>,
    /// Stretch or shrink the time between arrivals to this offered load, 0.001 to 100; by default that of the log, else
    /// as the model has it
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Another seed is another workload; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Give any parameter another value, by the name it has in the header of a generated trace; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameters::setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    pub like: Like,
    #[command(flatten)]
    pub people: People,
    #[arg(long, value_name = "WHAT", default_value = "tsafrir", value_parser = asking::made(), hide_possible_values = true, help_heading = "Requested times")]
    #[arg(help = asking::made().help("What jobs ask for"), long_help = asking::made().long_help("What jobs ask for"))]
    pub estimates: Kind,
    #[command(flatten)]
    pub asking: Asking,
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
}

/// Jobs and processors where nobody says.
const JOBS: u32 = 20_000;
const PROCS: u32 = 256;

/// As many of the log's most used times are taken over where nobody says.
const MODES_OF_LOG: u8 = 19;

impl Making {
    /// Makes the workload of a model, changed by `choose`, and writes it.
    pub fn run<M: Model>(
        &self,
        into: &Into,
        choose: impl FnOnce(M) -> M,
        printer: &Printer,
    ) -> Result<(), Failure> {
        self.run_with(into, |model, _| Ok(choose(model)), printer)
    }

    /// The same with a `choose` that looks at the log as well, if there is one.
    pub fn run_with<M: Model>(
        &self,
        into: &Into,
        choose: impl FnOnce(M, Option<&Workload>) -> Result<M, SynthError>,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let seed = Seed(self.seed);
        let refused = Refused { model: M::NAME, options: &[("jobs", "--jobs"), ("procs", "--procs")] };
        self.asking.check(self.estimates)?;
        let inputs: Vec<&Path> = self.like.like.as_deref().into_iter().collect();
        let place = into.plan(&inputs, printer)?;
        let log = self.log(printer)?;
        let progress = Progress::new(printer, "generating", 4);

        let model = match &log {
            Some(log) => {
                M::like(&log.log.workload).map_err(|error| refused.because(error, Some(&log.name)))?
            }
            None => M::new(self.jobs.unwrap_or(JOBS), self.procs.unwrap_or(PROCS)),
        };
        let model = match self.jobs {
            Some(jobs) => model.with_jobs(jobs),
            None => model,
        };
        let model = choose(model, log.as_ref().map(|log| &log.log.workload))
            .map_err(|error| refused.because(error, log.as_ref().map(|log| log.name.as_str())))?;
        let model = parameters::set(M::NAME, model, &self.set)?;
        let population = self.people.population(log.as_ref())?;
        let population =
            population.map(|people| parameters::set("population", people, &self.set)).transpose()?;
        self.check_settings::<M>(population.is_some())?;

        let mut workload = model.generate(seed).map_err(|error| refused.because(error, None))?;
        progress.advance();
        let mut how = vec![format!("jobs by the model of {}; nobody ran them", M::PAPER)];
        how.extend(
            log.as_ref().map(|log| {
                format!("fitted to {} (digest {})", file_name(&log.name), digest(&log.log.workload))
            }),
        );
        if let Some(longest) = self.permitted(log.as_ref()) {
            let (kept, cut) = stopped(&workload, longest)?;
            workload = kept;
            how.extend((cut > 0).then(|| {
                format!(
                    "{} stopped after {longest} s, the longest that is asked for there",
                    number_of(cut, "job")
                )
            }));
        }
        let mut parameters = parameters::listed(M::NAME, &model)?;
        // A fit of sizes, run times and arrivals each by itself need not have the load of all three together.
        let of_log = || log.as_ref().map(|log| log.log.workload.offered_load());
        let load = self.load.or_else(|| of_log().filter(|load| (0.001..=100.0).contains(load)));
        if let Some(load) = load {
            workload = rescaled(load, &workload)?;
            parameters.push(("load".to_owned(), load.to_string()));
        }
        progress.advance();
        if let Some(people) = &population {
            workload =
                people.settle(&workload, seed).map_err(|error| people::REFUSED.because(error, None))?;
            how.push("rearranged among users and their sittings".to_owned());
            parameters.extend(parameters::listed("population", people)?);
        }
        progress.advance();
        let modes_of_log = self.asking.modes_of_log.unwrap_or(MODES_OF_LOG);
        let known = log.as_ref().map(|log| Known { log, modes: modes_of_log });
        let asked = self.asking.deal(self.estimates, &mut workload, known, &self.set, seed)?;
        asked.warnings.iter().for_each(|warning| printer.warning(warning));
        how.push(asked.how);
        parameters.extend(asked.parameters);
        progress.advance();
        drop(progress);
        Product { workload, header: None, how, parameters, seed: Some(self.seed) }.deliver(place, printer)
    }

    /// The longest that jobs can run because nobody at the log's site can ask for more; `None` where that is not known, or
    /// another is said.
    fn permitted(&self, log: Option<&Loaded>) -> Option<Seconds> {
        let heeded = self.estimates == Kind::Tsafrir && self.asking.max_estimate.is_none();
        log.filter(|_| heeded).and_then(|log| Modes::of(&log.log.workload).permitted())
    }

    fn log(&self, printer: &Printer) -> Result<Option<Loaded>, Failure> {
        let Like { like, reading, clean } = &self.like;
        let source = Source { reading: reading.clone(), procs: self.procs, clean: clean.clone() };
        like.as_deref().map(|path| Loaded::read(path, &source, printer)).transpose()
    }

    /// Refuses settings that nothing would heed.
    fn check_settings<M: Model>(&self, people: bool) -> Result<(), Failure> {
        let mut models = vec![M::NAME];
        models.extend(people.then_some("population"));
        models.extend(self.asking.models(self.estimates));
        parameters::check(&self.set, &models)
    }
}

/// The workload with jobs stopped that run longer, and how many are.
fn stopped(workload: &Workload, longest: Seconds) -> Result<(Workload, usize), Failure> {
    let cut = workload.truths().iter().filter(|truth| truth.run() > longest).count();
    let stop = |truth: &Truth| match truth.run() > longest {
        true => Truth { ending: Ending::Killed, ..Truth::rigid(longest) },
        false => truth.clone(),
    };
    let truths = workload.truths().iter().map(stop).collect();
    let refused = Refused { model: "estimates", options: &[] };
    let mut kept = Workload::from_columns(workload.machine(), workload.jobs().to_vec(), truths)
        .map_err(|error| refused.because(error.into(), None))?;
    kept.names.clone_from(&workload.names);
    kept.epoch = workload.epoch;
    Ok((kept, cut))
}

fn rescaled(load: f64, workload: &Workload) -> Result<Workload, Failure> {
    let refused = Refused { model: "rescale", options: &[("load", "--load")] };
    let rescale = Rescale { to: Target::Load(load), by: Default::default() };
    rescale.of(workload).map_err(|error| refused.because(error, None))
}

/// A file's name without the directories it lies in.
pub fn file_name(name: &str) -> String {
    Path::new(name).file_name().map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
}
