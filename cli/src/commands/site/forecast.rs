//! `queuecast site forecast`: start times forecast at every submission of recorded runs.

use std::path::PathBuf;

use queuecast::forecast::{ClusterDraws, ExpectedArrivals};
use queuecast::report::{Answer, Cell, Column, Document, Table};
use queuecast::seed::Seed;
use queuecast::slurm::read_expected_starts;
use queuecast::study::{ForecastStart, StartForecastScore, forecast_starts};
use queuecast::trace::TimeZone;
use serde::Serialize;

use super::recorded::{ReadRun, read_run, short};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;
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

/// Forecasts of several runs.
#[derive(Debug, Serialize)]
struct ForecastRuns {
    version: &'static str,
    runs: Vec<ForecastRun>,
}

/// Forecasts of one run.
#[derive(Debug, Serialize)]
struct ForecastRun {
    run: String,
    score: StartForecastScore,
    jobs: Vec<ForecastStart>,
}

/// Reads, forecasts and judges.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<(), Failure> {
    let draws = ClusterDraws { draws: arguments.draws, arrivals: arguments.expect.into() };
    let mut runs = Vec::new();
    for folder in &arguments.runs {
        let ReadRun { texts, cluster, recording, .. } = read_run(folder, &arguments.time_zone, printer)?;
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
        let jobs = forecast_starts(&cluster, &recording, &expected, draws, Seed(arguments.seed), &done);
        drop(progress);
        runs.push(ForecastRun { run: short(folder), score: StartForecastScore::of(&jobs), jobs });
    }
    printer.answer(&ForecastRuns { version: env!("CARGO_PKG_VERSION"), runs })
}

impl Answer for ForecastRuns {
    fn document(&self) -> Document {
        Document::new().with_table("runs", self.table())
    }

    fn table(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("run").naming(),
            Column::integer("jobs"),
            Column::integer("answered"),
            Column::integer("compared"),
            Column::integer("median error (s)").key("median_error"),
            Column::integer("no wait (s)").key("zero_error"),
            Column::integer("past waits (s)").key("past_error"),
            Column::number("inside 80 % (%)").key("inside"),
            Column::integer("answered by both").key("expected"),
            Column::integer("median error there (s)").key("expected_median_error"),
            Column::integer("squeue (s)").key("site_error"),
        ])
        .titled("Starts forecast at submission");
        let whole = |value: Option<i64>| value.map_or(Cell::Missing, Cell::Integer);
        for one in &self.runs {
            let score = &one.score;
            table.row([
                Cell::text(&*one.run),
                Cell::count(score.jobs),
                Cell::count(score.answered),
                Cell::count(score.compared),
                whole(score.median_error),
                whole(score.zero_error),
                whole(score.past_error),
                score.inside.map_or(Cell::Missing, |share| Cell::number(share, 1)),
                Cell::count(score.expected),
                whole(score.expected_median_error),
                whole(score.site_error),
            ]);
        }
        table.note("median error: half of the forecasts are off by no more; the four columns after compared are over the jobs before which another had started. squeue: the first start that Slurm itself showed for a job that waited; the last two columns are over the jobs answered by both");
        table
    }
}
