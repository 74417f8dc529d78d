//! Which jobs of a log are scored, and how the answer is given.

use std::path::{Path, PathBuf};
use std::time::Instant;

use queuecast_eval::{EvalError, WaitWindow, Watch};
use queuecast_process::failure::Failure;
use queuecast_process::output::PlannedFile;
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_report::words::number_of;
use queuecast_sim::predict::DEFAULT_REQUEST;

use crate::commands::source::Source;
use crate::commands::threads;
use crate::plot::{PlannedPlot, Plotting};
use crate::spec;

/// The options that all scores have.
#[derive(Debug, clap::Args)]
pub struct ScoreArguments {
    /// The first job that is scored, counted from 1 in order of submission; those before it are learned from
    #[arg(long, value_name = "N", default_value_t = WaitWindow::FROM as u32, value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub from: u32,
    /// How many jobs are scored at most; by default all that follow
    #[arg(long, value_name = "N", value_parser = spec::at_least_one::<u32>, allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    #[command(flatten)]
    pub source: Source,
    /// How many methods are scored at once; by default as many as there are cores
    #[arg(long, value_name = "N", help_heading = "Results")]
    #[arg(value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Add how long each method took, in JSON and CSV; without it, results are the same every time
    #[arg(long, help_heading = "Results")]
    pub timings: bool,
    /// Write what was said of each job beside what happened as CSV, one row for each method and job, to recompute every figure from; .gz and .zst compress it
    #[arg(long, value_name = "OUT.csv", help_heading = "Results")]
    pub predictions: Option<PathBuf>,
    #[command(flatten)]
    pub plotting: Plotting,
}

/// The files that a score leaves, planned and not yet there.
pub struct ScoreFiles {
    /// The rows.
    pub predictions: Option<PlannedFile>,
    /// The charts.
    pub plot: PlannedPlot,
}

impl ScoreArguments {
    /// The jobs that are scored.
    pub fn window(&self) -> WaitWindow {
        WaitWindow {
            from: self.from as usize,
            jobs: self.jobs.map_or(usize::MAX, |jobs| jobs as usize),
            default_request: DEFAULT_REQUEST,
        }
    }

    /// Plans every file that is asked for.
    pub fn plan(&self, inputs: &[&Path]) -> Result<ScoreFiles, Failure> {
        let predictions = PlannedFile::asked(self.predictions.as_deref(), inputs)?;
        Ok(ScoreFiles { predictions, plot: self.plotting.plan(inputs)? })
    }

    /// Scores this number of methods, with progress and, where asked for, a clock. `prepare` says how many jobs each method predicts.
    pub fn run<S, T: Send>(
        &self,
        methods: usize,
        printer: &Printer,
        prepare: impl FnOnce() -> Result<(usize, S), Failure> + Send,
        score: impl FnOnce(S, Watch<'_>) -> T + Send,
    ) -> Result<(usize, T), Failure> {
        threads::on_threads(self.threads, methods, || {
            let (jobs, scorer) = prepare()?;
            let progress = Progress::new(printer, "scoring", methods * jobs);
            let begun = Instant::now();
            let clock = || begun.elapsed().as_secs_f64();
            let clock: Option<&(dyn Fn() -> f64 + Sync)> = if self.timings { Some(&clock) } else { None };
            let done = |steps| progress.advance_by(steps);
            Ok((jobs, score(scorer, Watch { done: &done, clock })))
        })
    }
}

/// Why the log cannot be scored, with what helps. `lacks` says what a log without waits cannot be asked.
pub fn refused(name: &str, lacks: &str, error: EvalError) -> Failure {
    match error {
        EvalError::NoWaits => Failure::input(format!(
            "{name} does not record how long jobs waited, so {lacks}"
        ))
        .hint("simulate it (queuecast simulate LOG --schedule-swf OUT.swf) and score the simulated log"),
        EvalError::TooFewJobs { jobs, needed } => Failure::input(format!(
            "{name} has {}, and scoring begins with job {needed}",
            number_of(jobs, "job")
        ))
        .hint("begin earlier with --from; the jobs before it are those that methods learn from first"),
        other => other.into(),
    }
}
