//! Progress of long work: a bar or a spinner on standard error, on terminals only.

use std::fmt;
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::printer::Printer;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// Work that has taken less than this tells too little of what is left.
const MEASURED: Duration = Duration::from_secs(5);
/// How often the time is redrawn.
const TICK: Duration = Duration::from_millis(200);

/// How far some work has come. Shared between threads; appears after `PATIENCE`, and disappears when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    measured: Once,
    /// Dropped to end the thread that shows the bar.
    running: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Work of `total` steps, called `what` ("simulating").
    pub fn new(printer: &Printer, what: &str, total: usize) -> Progress {
        Progress::over(printer, what, Some(total as u64))
    }

    /// Work whose steps are not counted.
    pub fn uncounted(printer: &Printer, what: &str) -> Progress {
        Progress::over(printer, what, None)
    }

    fn over(printer: &Printer, what: &str, total: Option<u64>) -> Progress {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        style(&bar, "{spinner} {msg} · {elapsed}");
        bar.set_message(what.to_owned());
        let mut progress = Progress { bar, measured: Once::new(), running: None, thread: None };
        if printer.shows_progress() {
            progress.appear(ProgressDrawTarget::stderr);
        }
        progress
    }

    /// Starts the thread that shows the bar on `target` after a while, whether or not a step is done.
    fn appear(&mut self, target: impl FnOnce() -> ProgressDrawTarget + Send + 'static) {
        let (running, ended) = mpsc::channel();
        let bar = self.bar.clone();
        self.running = Some(running);
        self.thread = Some(thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(target());
                bar.enable_steady_tick(TICK);
            }
        }));
    }

    /// One step is done.
    pub fn advance(&self) {
        self.advance_by(1);
    }

    /// Several steps are done.
    pub fn advance_by(&self, steps: usize) {
        // Before the first step there is nothing to count.
        self.measured.call_once(|| style(&self.bar, "{msg} {bar:30} {pos}/{len} · {elapsed}{left}"));
        self.bar.inc(steps as u64);
    }
}

/// Draws a bar by a template, in which `{left}` is the time that is left, as soon as it can be told.
pub fn style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
            if let Some(left) = remaining(state.elapsed(), state.pos(), state.len().unwrap_or(0)) {
                // Writing to the line being drawn cannot fail.
                let _ = write!(out, " · {:#} left", HumanDuration(left));
            }
        };
        bar.set_style(style.with_key("left", left).progress_chars("━╸─"));
    }
}

/// How long the remaining steps take at the mean pace of the whole run: the last steps alone are a few short or long ones.
/// `None` before a tenth of the steps is done, and before [`MEASURED`].
fn remaining(elapsed: Duration, done: u64, all: u64) -> Option<Duration> {
    let is_measured = elapsed >= MEASURED && done > 0 && done.saturating_mul(10) >= all;
    is_measured.then(|| elapsed.mul_f64(all.saturating_sub(done) as f64 / done as f64))
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to draw.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    use indicatif::TermLike;

    use super::*;

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let progress = Progress::new(&Printer::silent(), "simulating", 3);
        progress.advance();
        assert_eq!(progress.bar.position(), 1);
        assert!(progress.bar.is_hidden() && progress.thread.is_none());
    }

    #[test]
    fn the_time_left_is_told_late_and_does_not_jump() {
        let seconds = Duration::from_secs;
        assert_eq!(remaining(seconds(4), 50, 100), None, "too short");
        assert_eq!(remaining(seconds(60), 9, 100), None, "too few steps");
        assert_eq!(remaining(seconds(10), 10, 100), Some(seconds(90)));
        assert_eq!(remaining(seconds(100), 100, 100), Some(seconds(0)));
        assert_eq!(remaining(seconds(9), 0, 0), None);
        // Steps of 1 s, every tenth of 11 s: the true time left is 2 s a step, and what is told stays near it.
        let mut elapsed = 0;
        for done in 1..100 {
            elapsed += if done % 10 == 0 { 11 } else { 1 };
            let told = remaining(seconds(elapsed), done, 100).map_or(0.0, |left| left.as_secs_f64());
            let is_told = told > 0.0;
            assert_eq!(is_told, done >= 10);
            let left = 2.0 * (100 - done) as f64;
            assert!(!is_told || (0.6..=1.1).contains(&(told / left)), "{done}: {told} of {left}");
        }
    }

    /// A terminal that keeps what is drawn.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn text(&self) -> String {
            self.0.lock().unwrap().clone()
        }

        fn target(&self) -> impl FnOnce() -> ProgressDrawTarget + Send + 'static {
            let screen = self.clone();
            || ProgressDrawTarget::term_like(Box::new(screen))
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_appears_after_a_while_without_any_step() {
        let screen = Screen::default();
        let mut progress = Progress::new(&Printer::silent(), "simulating", 3);
        let begun = Instant::now();
        progress.appear(screen.target());
        while screen.text().is_empty() && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(begun.elapsed() >= PATIENCE, "shown after {:?}", begun.elapsed());
        assert!(screen.text().contains("simulating"), "{:?}", screen.text());
        assert_eq!(progress.bar.position(), 0);
    }

    #[test]
    fn short_work_shows_nothing() {
        let screen = Screen::default();
        let mut short = Progress::uncounted(&Printer::silent(), "reading");
        short.appear(screen.target());
        thread::sleep(PATIENCE / 7);
        // Waits for the thread that would show the bar.
        drop(short);
        assert_eq!(screen.text(), "");
    }
}
