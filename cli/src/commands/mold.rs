//! `queuecast mold`: strategies of allocation on generated moldable jobs, compared with AVG over seeds.

use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser as _;
use queuecast_core::spec::Spec;
use queuecast_eval::EvalError;
use queuecast_forecast::allot::{Hold, Strategy};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::molding::Molded;
use queuecast_study::molding::Molding;
use queuecast_synth::synth::generate::{DowneyChoices, check_settings};
use queuecast_synth::synth::{Downey, DowneyArrivals, Rounding};

use super::generate::downey::Choices;
use super::generate::errors::{self, Options};
use super::generate::model_options::{Extent, ModelOptions};
use super::{cleaning, threads};
use crate::plot::Plotting;
use crate::spec::{self, Several, SpecList, SpecParser};

const EXAMPLES: &str = "\
Examples:
  The strategies of Downey 1997 on a workload like the paper's, by lifetimes
  fitted to the runs so far (the paper's tables: +outlook=line:-0.2,0.1):
    queuecast mold

  A less busy machine:
    queuecast mold pred bias+lock-in+averse=0.2 --load 0.5

  Jobs with little parallelism, on a machine of 64 processors:
    queuecast mold --procs 64 --set downey.parallelism=uniform-log:1,16

  Jobs like those of a log:
    queuecast mold --like KTH-SP2.swf.gz --jobs 5000";

/// Jobs and processors by default.
const USUAL: (u32, u32) = (10_000, 128);

/// Help of the strategies.
const TRIED: &str = "When jobs hold out for more processors; avg is always tried, and first";

/// The model's parameters with an option of their own.
const OPTIONS: Options =
    &[("downey", "jobs", "--jobs"), ("downey", "procs", "--procs"), ("downey", "load", "--load")];

/// Compare strategies of processor allocation on generated moldable jobs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("jobs", |jobs| jobs.help("How many jobs each seed has, 1 to 10000000; by default 10000, or as many as the log has")))]
#[command(mut_arg("procs", |procs| procs.help("Processors of the machine, 1 to 4096; by default 128, or as many as the log's has")))]
#[command(mut_arg("set", |set| set.help("Give any parameter of the model another value, as in downey.lifetime=log-normal:600,8; may be repeated")))]
#[command(mut_arg("like", |like| like.help("Fit the model to this trace: sizes, run times and arrivals")))]
#[command(mut_arg("arrivals", |arrivals| arrivals.help("When jobs arrive; by default apart, or always with --like")))]
pub struct Arguments {
    #[arg(value_name = "STRATEGY", default_value = "avg,opt,pred,bias,heur,bias+lock-in+averse=0.2,pred+social", value_parser = SpecList(strategy()), hide_possible_values = true)]
    #[arg(help = strategy().help(TRIED), long_help = strategy_help())]
    pub strategies: Vec<Several<Strategy>>,
    #[command(flatten)]
    pub extent: Extent,
    /// Offered load in the hours of arrivals, 0.001 to 10: sequential work arriving per second, divided by
    /// processors; by default 0.75, or such that jobs arrive as often as in the log
    #[arg(long, value_name = "LOAD", value_parser = load, allow_negative_numbers = true)]
    pub load: Option<f64>,
    #[command(flatten)]
    pub choices: Choices,
    /// How average parallelism becomes the most processors a job is given; by default up, or down with --like
    #[arg(long, value_name = "HOW", value_parser = spec::choice::<Rounding>())]
    pub rounding: Option<Rounding>,
    // After what has no heading: its own would go on.
    #[command(flatten)]
    pub model: ModelOptions,
    /// How many seeds results are means over, from 2 to 1000
    #[arg(long, value_name = "N", default_value = "5", help_heading = "Results")]
    #[arg(value_parser = spec::seeds, allow_negative_numbers = true)]
    pub seeds: u64,
    /// How many seeds are simulated at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// Reads a number; the model knows its range.
fn load(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number between 0.001 and 10".to_owned())
}

fn strategy() -> SpecParser<Strategy> {
    spec::of()
}

fn strategy_help() -> String {
    let known = strategy();
    let names = known.possible_values().into_iter().flatten();
    let lines = names.map(|one| {
        format!("\n  {:<4}  {}", one.get_name(), one.get_help().map(ToString::to_string).unwrap_or_default())
    });
    format!(
        "{TRIED}:{}\nSettings of pred and bias: +by=..., +outlook=..., +stretch=...; of heur: +longer=..., +wider=..., \
         +fraction=..., +patience=...\n{}",
        lines.collect::<String>(),
        Strategy::NOTE
    )
}

impl Arguments {
    /// AVG, then the others in the order they were named.
    fn strategies(&self) -> Vec<Strategy> {
        let avg = Strategy::new(Hold::Never);
        let named = Several::together(&self.strategies);
        std::iter::once(avg).chain(named.into_iter().filter(|&one| one != avg)).collect()
    }

    /// The choices for the library; without a log, those of the paper.
    fn chosen(&self, fitted: bool) -> DowneyChoices {
        let chosen = self.choices.choices();
        DowneyChoices {
            arrivals: chosen.arrivals.or((!fitted).then_some(DowneyArrivals::Apart)),
            rounding: self.rounding.or((!fitted).then_some(Rounding::Up)),
            load: self.load,
            moldable: true,
            ..chosen
        }
    }
}

/// Fits or takes the model, compares the strategies over seeds, and shows the report.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let fitted = arguments.model.fitted();
    arguments.choices.check(fitted)?;
    check_settings(&arguments.model.set, &["downey"])
        .map_err(|error| errors::failure(error, OPTIONS, None))?;
    let inputs: Vec<&Path> = arguments.model.like.like.iter().map(PathBuf::as_path).collect();
    let plot = arguments.plotting.plan(&inputs)?;
    let log = arguments.model.log(&arguments.extent, printer)?;
    let fitting = Progress::uncounted(printer, "fitting the model");
    let model: Downey = arguments
        .model
        .settings(&arguments.extent, arguments.chosen(fitted))
        .model(USUAL, log.as_ref().map(|log| &log.log.workload))
        .map_err(|error| errors::failure(error, OPTIONS, log.as_ref().map(|log| log.name.as_str())))?;
    drop(fitting);
    if !model.moldable {
        let what = "--set downey.moldable=false: strategies need jobs of several sizes";
        return Err(Failure::usage(what));
    }
    let enacted = arguments.strategies();
    let molding = Molding { model, recorded: enacted[1..].to_vec(), enacted };
    let seeds = arguments.seeds;
    let report = threads::on_threads(arguments.threads, seeds as usize, || {
        let progress = Progress::new(printer, "simulating", seeds as usize * molding.simulations());
        molding.compare(seeds, &|| progress.advance()).map_err(|error| match error {
            EvalError::Synth(error) => errors::refusal("downey", error, OPTIONS, None),
            error => error.into(),
        })
    })?;
    if let Some(log) = log.as_ref().filter(|_| printer.shows_rows_only()) {
        cleaning::note(&log.name, &log.log.report, cleaning::Overrun::Kept, printer);
    }
    let like = log.as_ref().map(|log| (log.name.as_str(), &log.log));
    plot.answer(&Molded::new(report, like), printer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments_alone;

    fn parse(line: &str) -> Arguments {
        arguments_alone::parse(line).unwrap()
    }

    fn names(line: &str) -> Vec<String> {
        parse(line).strategies().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn avg_is_first_and_nothing_is_tried_twice() {
        assert_eq!(names("mold opt avg opt"), ["avg", "opt"]);
        assert_eq!(
            names("mold pred,bias+outlook=line:-0.2,0.1,opt"),
            ["avg", "pred", "bias+outlook=line:-0.2,0.1", "opt"]
        );
        assert_eq!(names("mold").len(), 7);
        // Control: a change makes another strategy.
        assert_eq!(names("mold avg+least=0.4"), ["avg", "avg+least=0.4"]);
    }

    #[test]
    fn the_usual_model_is_the_papers_and_moldable() {
        let model = |line: &str| -> Downey {
            let arguments = parse(line);
            arguments.model.settings(&arguments.extent, arguments.chosen(false)).model(USUAL, None).unwrap()
        };
        let published = Downey::new(USUAL.0, USUAL.1);
        let expected =
            Downey { moldable: true, rounding: Rounding::Up, arrivals: DowneyArrivals::Apart, ..published };
        assert_eq!(model("mold"), expected);
        let other = model("mold --rounding whole --arrivals always --load 0.5");
        let said = (other.rounding, other.arrivals, other.load);
        assert_eq!(said, (Rounding::Whole, DowneyArrivals::Always, 0.5));
    }
}
