//! Which templates predict a log best: the greedy and the genetic search of Smith, Foster & Taylor 1998.
//!
//! A [`Space`] is what can be chosen from. [`Greedy`] and [`Genetic`] are searches that can be stopped after any
//! step, written down and gone on with; [`Search`] is one of them, or the second seeded with the first. None of
//! them knows how a template set is scored: whoever asks for a step says so, for many sets at once, and may use as
//! many threads as there are. Nothing depends on how many.

mod breeding;
mod chromosome;
mod exact;
mod genetic;
mod greedy;
#[expect(clippy::module_inception, reason = "a search is what the room is named after")]
mod search;
mod space;

pub use chromosome::Chromosome;
pub use genetic::{Evolution, Generation, Genetic, SMALLEST_POPULATION};
pub use greedy::{Greedy, Series, Step};
pub use search::{Method, Search};
pub use space::{HISTORIES, MOST_TEMPLATES, Space};

use crate::predict::template::TemplateSet;

/// Says the mean error of each of some template sets, in order; or why it cannot.
pub type Score<'a, E> = dyn FnMut(&[TemplateSet]) -> Result<Vec<f64>, E> + 'a;

/// One finite error for each set, whatever the scorer says: none or nonsense is the worst there is.
fn scores<E>(score: &mut Score<'_, E>, sets: &[TemplateSet]) -> Result<Vec<f64>, E> {
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let mut errors = score(sets)?;
    errors.resize(sets.len(), f64::MAX);
    errors.iter_mut().filter(|error| !error.is_finite()).for_each(|error| *error = f64::MAX);
    Ok(errors)
}
