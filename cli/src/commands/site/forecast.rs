//! `queuecast site forecast`: start times forecast at every submission of recorded runs.

use std::path::PathBuf;

use queuecast_core::seed::Seed;
use queuecast_forecast::forecast::{ClusterDraws, ExpectedArrivals};
use queuecast_process::failure::Failure;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_slurm_texts::read_expected_starts;
use queuecast_study::{ForecastRun, ForecastRuns, forecast_starts};
use queuecast_trace::TimeZone;

use super::recorded::{read_run, short};
use crate::spec;

/// Forecast the start of every job of recorded runs when it was submitted, and say how far off that was
///
/// Each job is forecast with what was known at its submission: what waits and runs, what has been used, and how long the jobs that had ended ran. The site's own scheduler is simulated onwards many times, with run times drawn from what was learned. Where a run has snapshots of squeue, what Slurm itself expected stands beside it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders of recorded runs, as for site compare
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Simulations for each forecast
    #[arg(long, value_name = "N", default_value_t = ClusterDraws::default().draws, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub draws: u32,
    /// What is expected to be submitted later
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = ExpectedLater::Past)]
    pub expect: ExpectedLater,
    /// Seed of all draws
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Time zone of local times in the files
    #[arg(long, value_name = "ZONE", default_value = "UTC", value_parser = spec::time_zone, help_heading = "Reading")]
    pub time_zone: TimeZone,
}

/// What is expected to be submitted later.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum ExpectedLater {
    /// Nothing
    None,
    /// What followed a past instant of the same time of day; nothing with less than a day of history
    Past,
    /// What was submitted in truth: shows how much of the error comes from not knowing it
    Recorded,
}

impl From<ExpectedLater> for ExpectedArrivals {
    fn from(arrivals: ExpectedLater) -> ExpectedArrivals {
        match arrivals {
            ExpectedLater::None => ExpectedArrivals::None,
            ExpectedLater::Past => ExpectedArrivals::LikePast,
            ExpectedLater::Recorded => ExpectedArrivals::Recorded,
        }
    }
}

/// Reads, forecasts and judges.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let draws = ClusterDraws { draws: arguments.draws, arrivals: arguments.expect.into() };
    let mut runs = Vec::new();
    for folder in &arguments.runs {
        let (texts, site) = read_run(folder, &arguments.time_zone, printer)?;
        let recording = &site.recording;
        if recording.outcomes.is_empty() {
            return Err(Failure::input(format!("{}: no starts are recorded there", folder.display()))
                .hint("expected jobs.csv with the columns start and end"));
        }
        let (expected, misread) = read_expected_starts(&texts, &recording.clock);
        for one in misread {
            printer.warning(&format!("{}: {one}", folder.display()));
        }
        let progress = Progress::new(printer, "forecasting", recording.submissions.len());
        let done = |steps| progress.advance_by(steps);
        let jobs = forecast_starts(&site.cluster, recording, &expected, draws, Seed(arguments.seed), &done);
        drop(progress);
        runs.push(ForecastRun::of(short(folder), jobs));
    }
    printer.answer(&ForecastRuns::of(runs))
}
