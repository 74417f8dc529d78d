//! What the library says while it computes: notes, warnings, progress, and why it refuses.

use std::sync::{Mutex, PoisonError};

use queuecast_core::asking::{Kept, Messages, Refusal, RefusedPart};

use crate::cache::Cache;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::progress::Progress;

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let failure = match refusal.part {
            RefusedPart::Question => Failure::usage(refusal.what),
            RefusedPart::Input => Failure::input(refusal.what),
            RefusedPart::Computation => Failure::unexpected(refusal.what),
        };
        refusal.hints.into_iter().fold(failure, Failure::hint)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let part = match failure.kind() {
            Kind::Usage => RefusedPart::Question,
            Kind::Input => RefusedPart::Input,
            _ => RefusedPart::Computation,
        };
        Refusal { part, what: failure.to_string(), hints: failure.hints().to_vec() }
    }
}

/// Prints what it is told, with one progress bar at a time.
struct Told<'a> {
    printer: &'a Printer,
    cache: Option<Cache<'a>>,
    progress: Mutex<Option<Progress>>,
}

impl Messages for Told<'_> {
    fn note(&self, text: &str) {
        self.printer.note(text);
    }

    fn warning(&self, text: &str) {
        self.printer.warning(text);
    }

    fn begins(&self, what: &str, steps: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        // The last one is cleared before another is drawn.
        *progress = None;
        *progress = Some(match steps {
            0 => Progress::uncounted(self.printer, what),
            _ => Progress::new(self.printer, what, steps),
        });
    }

    fn done(&self, steps: usize) {
        if let Some(progress) = &*self.progress.lock().unwrap_or_else(PoisonError::into_inner) {
            progress.advance_by(steps);
        }
    }

    fn kept(&self) -> Option<&dyn Kept> {
        self.cache.as_ref().map(|cache| cache as &dyn Kept)
    }
}

/// Asks a question, and prints what is said on the way.
pub fn asked<T>(
    printer: &Printer,
    ask: impl FnOnce(&dyn Messages) -> Result<T, Refusal>,
) -> Result<T, Failure> {
    Ok(ask(&Told { printer, cache: None, progress: Mutex::new(None) })?)
}

/// Asks a question that learns from a log, and prints what is said on the way. Where `is_kept`, what was learned is kept for the next question.
pub fn learned<T>(
    is_kept: bool,
    printer: &Printer,
    ask: impl FnOnce(&dyn Messages) -> Result<T, Refusal>,
) -> Result<T, Failure> {
    let cache = if is_kept { Cache::of_user(printer) } else { None };
    Ok(ask(&Told { printer, cache, progress: Mutex::new(None) })?)
}
