//! Many experiments on several workloads, on all cores, in an order that does not depend on how many there are.

use std::time::Instant;

use queuecast::eval::{EvalError, Evaluation, Experiment, Fairness, Summary, Window};
use queuecast::sim::Schedule;
use queuecast::workload::Workload;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What came of one experiment on one workload.
#[derive(Debug)]
pub struct Outcome {
    /// Every metric over the counted jobs.
    pub summary: Summary,
    /// Compared with first come, first served.
    pub fairness: Fairness,
    /// The simulation and nothing else.
    pub seconds: f64,
}

/// Runs every experiment on every workload: for each workload, in order, one outcome per experiment, in order.
/// The reference for fairness is simulated once per workload.
pub fn run(
    workloads: &[&Workload],
    experiments: &[Experiment],
    window: &Window,
    printer: &Printer,
) -> Result<Vec<Vec<Outcome>>, Failure> {
    for workload in workloads {
        if window.select(workload)?.is_empty() {
            printer.warning(&format!("no job is counted: {}", window.describe()));
        }
    }
    let Some(any) = experiments.first() else { return Ok(workloads.iter().map(|_| Vec::new()).collect()) };
    let reference = any.fcfs();
    let progress = Progress::new(printer, "simulating", workloads.len() * (experiments.len() + 1));
    let references: Vec<Schedule> = workloads
        .par_iter()
        .map(|workload| {
            let schedule = reference.run(workload);
            progress.advance();
            schedule
        })
        .collect();
    let pairs: Vec<(usize, &Experiment)> = (0..workloads.len())
        .flat_map(|at| experiments.iter().map(move |experiment| (at, experiment)))
        .collect();
    let outcomes: Vec<Result<Outcome, EvalError>> = pairs
        .into_par_iter()
        .map(|(at, experiment)| {
            let outcome = one(workloads[at], experiment, window, &references[at]);
            progress.advance();
            outcome
        })
        .collect();
    let mut outcomes = outcomes.into_iter();
    let rows = workloads.iter().map(|_| outcomes.by_ref().take(experiments.len()).collect::<Result<_, _>>());
    Ok(rows.collect::<Result<_, _>>()?)
}

fn one(
    workload: &Workload,
    experiment: &Experiment,
    window: &Window,
    reference: &Schedule,
) -> Result<Outcome, EvalError> {
    let begun = Instant::now();
    let schedule = experiment.run(workload);
    let seconds = begun.elapsed().as_secs_f64();
    let evaluation = Evaluation::of(workload, &schedule)?;
    let selection = evaluation.over(window)?;
    Ok(Outcome { summary: selection.summary(), fairness: selection.fairness(reference)?, seconds })
}

/// Does something with this many threads; by default with as many as there are cores.
pub fn on_threads<T: Send>(
    threads: Option<u16>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build();
    pool.map_err(|cause| Failure::unexpected("cannot start threads").because(cause))?.install(work)
}
