//! Sweeps of simulations, run with a progress bar.

use std::time::Instant;

use queuecast_core::workload::Workload;
use queuecast_eval::{EvalError, Watch};
use queuecast_process::printer::Printer;
use queuecast_process::progress::Progress;
use queuecast_study::{Sweep, SweepResults};

/// Runs a sweep with a progress bar, and times its simulations.
pub fn simulated(
    sweep: &Sweep,
    workloads: &[&Workload],
    printer: &Printer,
) -> Result<SweepResults, EvalError> {
    let progress = Progress::new(printer, "simulating", sweep.steps());
    let begun = Instant::now();
    let done = |steps| progress.advance_by(steps);
    sweep.run(workloads, Watch { done: &done, clock: Some(&|| begun.elapsed().as_secs_f64()) })
}
