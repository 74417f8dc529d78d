//! How template sets are scored, as the searches see it.

use queuecast_sim::predict::template::TemplateSet;

/// Returns the mean error of each template set, in order, or an error that ends the step.
pub type ScoreBatch<'a, E> = dyn FnMut(&[TemplateSet]) -> Result<Vec<f64>, E> + 'a;

/// One finite error for each set: a missing or non-finite one counts as the greatest.
pub(super) fn scores<E>(score: &mut ScoreBatch<'_, E>, sets: &[TemplateSet]) -> Result<Vec<f64>, E> {
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let mut errors = score(sets)?;
    errors.resize(sets.len(), f64::MAX);
    errors.iter_mut().filter(|error| !error.is_finite()).for_each(|error| *error = f64::MAX);
    Ok(errors)
}
