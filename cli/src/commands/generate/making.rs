//! A workload from a model of jobs: the model, its load, its users, what they ask for.

use std::path::Path;

use queuecast::job::{Ending, Truth};
use queuecast::portrait::Modes;
use queuecast::seed::Seed;
use queuecast::synth::{Rescale, SynthError, Target};
use queuecast::units::Seconds;
use queuecast::workload::Workload;

use super::asking::{self, Asking, Kind};
use super::dealing::Known;
use super::modelled::{Extent, Model, Modelled};
use super::parameters;
use super::people::{self, People};
use super::product::{Product, Target as Into};
use super::refused::Refused;
use crate::commands::loaded::{Loaded, digest, number_of};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::printer::Printer;
use crate::progress::Progress;

/// What every model of jobs is told.
#[derive(Debug, Clone, clap::Args)]
pub struct Making {
    #[command(flatten)]
    pub extent: Extent,
    /// Stretch or shrink the time between arrivals to this offered load, 0.001 to 100; by default that of the log, else
    /// as the model has it
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub load: Option<f64>,
    /// Another seed is another workload; the same seed is always the same one
    #[arg(long, value_name = "SEED", default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    // After what has no heading: its own would go on.
    #[command(flatten)]
    pub modelled: Modelled,
    #[command(flatten)]
    pub people: People,
    #[arg(long, value_name = "WHAT", default_value = "tsafrir", value_parser = asking::made(), hide_possible_values = true, help_heading = "Requested times")]
    #[arg(help = asking::made().help("What jobs ask for"), long_help = asking::made().long_help("What jobs ask for"))]
    pub estimates: Kind,
    #[command(flatten)]
    pub asking: Asking,
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
        invocation: &Invocation,
        printer: &Printer,
    ) -> Result<(), Failure> {
        self.run_with(into, |model, _| Ok(choose(model)), invocation, printer)
    }

    /// The same with a `choose` that looks at the log as well, if there is one.
    pub fn run_with<M: Model>(
        &self,
        into: &Into,
        choose: impl FnOnce(M, Option<&Workload>) -> Result<M, SynthError>,
        invocation: &Invocation,
        printer: &Printer,
    ) -> Result<(), Failure> {
        let seed = Seed(self.seed);
        let refused = Refused { model: M::NAME, options: &[("jobs", "--jobs"), ("procs", "--procs")] };
        self.asking.check(self.estimates)?;
        let inputs: Vec<&Path> = self.modelled.like.like.as_deref().into_iter().collect();
        let place = into.plan(&inputs, printer)?;
        let log = self.modelled.log(&self.extent, printer)?;
        let progress = Progress::new(printer, "generating", 4);

        let model = self.modelled.model(&self.extent, (JOBS, PROCS), log.as_ref(), refused, choose)?;
        let population = self.people.population(log.as_ref())?;
        let population =
            population.map(|people| parameters::set("population", people, &self.modelled.set)).transpose()?;
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
        let load = match (self.load, model.own_load()) {
            (Some(load), Some(own)) => {
                return Err(Failure::usage(format!(
                    "--load {load}: it stretches time, and days would no longer be as the model has them"
                ))
                .hint(format!("say --set {own}={load} for the load while jobs arrive")));
            }
            (None, Some(_)) => None,
            (given, None) => given.or_else(|| of_log().filter(|load| (0.001..=100.0).contains(load))),
        };
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
        let asked = self.asking.deal(self.estimates, &mut workload, known, &self.modelled.set, seed)?;
        asked.warnings.iter().for_each(|warning| printer.warning(warning));
        how.push(asked.how);
        parameters.extend(asked.parameters);
        progress.advance();
        drop(progress);
        Product { workload, header: None, how, parameters, seed: Some(self.seed) }
            .deliver(place, invocation, printer)
    }

    /// The longest that jobs can run because nobody at the log's site can ask for more; `None` where that is not known, or
    /// another is said.
    fn permitted(&self, log: Option<&Loaded>) -> Option<Seconds> {
        let heeded = self.estimates == Kind::Tsafrir && self.asking.max_estimate.is_none();
        log.filter(|_| heeded).and_then(|log| Modes::of(&log.log.workload).permitted())
    }

    /// Refuses settings that nothing would heed.
    fn check_settings<M: Model>(&self, people: bool) -> Result<(), Failure> {
        let mut models = vec![M::NAME];
        models.extend(people.then_some("population"));
        models.extend(self.asking.models(self.estimates));
        parameters::check(&self.modelled.set, &models)
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
