//! The progress of a search on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use queuecast_process::printer::Printer;
use queuecast_process::progress::style;
use queuecast_study::search::{Greedy, Search};

/// A line that is redrawn after each step.
#[derive(Debug)]
pub struct StepProgress {
    bar: ProgressBar,
}

impl StepProgress {
    /// Nothing is drawn before the first step.
    pub fn new(printer: &Printer) -> StepProgress {
        let target = if printer.shows_progress() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        style(&bar, "{prefix} {bar:20} {pos}/{len} · {elapsed} · {msg}");
        bar.enable_steady_tick(Duration::from_millis(200));
        StepProgress { bar }
    }

    /// Shows where the search stands.
    pub fn show(&self, search: &Search) {
        let greedy = search.greedy_part().filter(|greedy| !greedy.is_done());
        let (what, done, all) = match greedy {
            Some(greedy) => ("greedy search, template sets", tried(greedy), greedy.work()),
            None => {
                let done = search.genetic_part().map_or(0, |genetic| genetic.history().len());
                ("generation", done, search.evolution().generations)
            }
        };
        self.bar.set_prefix(what);
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(errors(search));
    }

    /// Removes the line.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn tried(greedy: &Greedy) -> usize {
    greedy.series().iter().flat_map(|series| &series.steps).map(|step| step.tried).sum()
}

/// The best and the mean error so far.
fn errors(search: &Search) -> String {
    let best = search.best().map(|(_, error)| format!("best {:.2} min", error / 60.0));
    let last = search.genetic_part().and_then(|genetic| genetic.history().last());
    let mean = last.map(|last| format!("mean {:.2} min", last.mean / 60.0));
    best.into_iter().chain(mean).collect::<Vec<_>>().join(", ")
}
