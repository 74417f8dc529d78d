//! A progress bar for long work, on terminals only.

use std::sync::Once;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queuecast::eval::{EvalError, Sweep, SweepResults, Watch};
use queuecast::workload::Workload;

use crate::printer::Printer;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far some work has come. Shared between threads; disappears when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    wanted: bool,
    appear: Once,
}

impl Progress {
    /// Work of `total` steps, called `what` ("simulating").
    pub fn new(printer: &Printer, what: &str, total: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let template = "{msg} {bar:30} {pos}/{len} · {elapsed} · {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.set_message(what.to_owned());
        Progress { bar, began: Instant::now(), wanted: printer.shows_progress(), appear: Once::new() }
    }

    /// One step is done.
    pub fn advance(&self) {
        self.advance_by(1);
    }

    /// Several steps are done.
    pub fn advance_by(&self, steps: usize) {
        if self.wanted && self.began.elapsed() > PATIENCE {
            self.appear.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
        self.bar.inc(steps as u64);
    }
}

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

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let mut progress = Progress::new(&Printer::silent(), "simulating", 3);
        progress.began = Instant::now().checked_sub(2 * PATIENCE).unwrap();
        progress.advance();
        assert_eq!(progress.bar.position(), 1);
        assert!(progress.bar.is_hidden() && !progress.appear.is_completed());
    }
}
