//! Many experiments on several workloads, on all cores, in an order that does not depend on how many there are.

use std::time::Instant;

use queuecast::eval::{EvalError, Evaluation, Experiment, Fairness, Summary, Window};
use queuecast::sim::{Schedule, SimError};
use queuecast::workload::Workload;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::printer::Printer;
use crate::progress::Progress;

/// What came of one experiment on one workload.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Every metric over the counted jobs.
    pub summary: Summary,
    /// Compared with first come, first served.
    pub fairness: Fairness,
    /// Whether any prediction was outlived, so that the correction matters.
    pub corrected: bool,
    /// The simulation and nothing else.
    pub seconds: f64,
}

/// Runs every experiment on every workload: for each workload, in order, one outcome per experiment, in order.
/// The reference for fairness is simulated once per workload and order of events. Experiments that differ in
/// nothing but the correction, one after the other, are simulated once if no prediction was ever outlived.
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
    let mut orders: Vec<&Experiment> = Vec::new();
    for experiment in experiments {
        if orders.iter().all(|one| one.options.event_order != experiment.options.event_order) {
            orders.push(experiment);
        }
    }
    let progress = Progress::new(printer, "simulating", workloads.len() * (experiments.len() + orders.len()));
    let places =
        |parts: usize| (0..workloads.len()).flat_map(move |at| (0..parts).map(move |part| (at, part)));
    let references: Vec<Result<Schedule, SimError>> = places(orders.len())
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(at, order)| {
            let schedule = orders[order].fcfs().run(workloads[at]);
            progress.advance();
            schedule
        })
        .collect();
    let references = references.into_iter().collect::<Result<Vec<Schedule>, SimError>>()?;
    let alike: Vec<&[Experiment]> = experiments.chunk_by(differ_in_correction_only).collect();
    let outcomes: Vec<Result<Vec<Outcome>, EvalError>> = places(alike.len())
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(at, group)| {
            let group = alike[group];
            let order = orders.iter().position(|one| one.options.event_order == group[0].options.event_order);
            let reference = &references[at * orders.len() + order.unwrap_or(0)];
            let outcomes = corrected(workloads[at], group, window, reference);
            progress.advance_by(group.len());
            outcomes
        })
        .collect();
    let mut outcomes = outcomes.into_iter();
    let rows = workloads.iter().map(|_| {
        let groups = outcomes.by_ref().take(alike.len()).collect::<Result<Vec<_>, _>>()?;
        Ok(groups.into_iter().flatten().collect())
    });
    Ok(rows.collect::<Result<_, EvalError>>()?)
}

fn differ_in_correction_only(one: &Experiment, other: &Experiment) -> bool {
    let mut same = other.clone();
    same.options.correction = one.options.correction;
    same == *one
}

/// One outcome per experiment of a group that differs in the correction only. Where the first needed none, the
/// others would come to the same schedule, so they are not simulated.
fn corrected(
    workload: &Workload,
    group: &[Experiment],
    window: &Window,
    reference: &Schedule,
) -> Result<Vec<Outcome>, EvalError> {
    let first = one(workload, &group[0], window, reference)?;
    if first.corrected {
        let others = group[1..].par_iter().map(|experiment| one(workload, experiment, window, reference));
        return std::iter::once(Ok(first)).chain(others.collect::<Vec<_>>()).collect();
    }
    Ok(vec![first; group.len()])
}

fn one(
    workload: &Workload,
    experiment: &Experiment,
    window: &Window,
    reference: &Schedule,
) -> Result<Outcome, EvalError> {
    let begun = Instant::now();
    let schedule = experiment.run(workload)?;
    let seconds = begun.elapsed().as_secs_f64();
    let corrected = schedule.placements.iter().any(|placement| placement.corrections > 0);
    let evaluation = Evaluation::of(workload, &schedule)?;
    let selection = evaluation.over(window)?;
    let fairness = selection.fairness(reference)?;
    Ok(Outcome { summary: selection.summary(), fairness, corrected, seconds })
}

/// Does something with this many threads, but not more than there are simulations to run; by default with as
/// many as there are cores.
pub fn on_threads<T: Send>(
    threads: Option<u16>,
    simulations: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    // Idle threads look for work, and thousands of them leave none of the time to those that have some.
    let threads = threads.map_or(0, |threads| usize::from(threads).min(simulations.max(1)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|cause| Failure::unexpected("cannot start threads").because(cause))?.install(work)
}
