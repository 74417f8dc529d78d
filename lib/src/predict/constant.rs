//! The same answer for every job: what a scheduler does that knows nothing.

use super::{Forecast, Question, Revision, RuntimePredictor};
use crate::job::Event;
use crate::units::Seconds;

/// Predicts one length for every job (Talby et al. 2005, section 4: CONSTANT).
#[derive(Debug, Clone, Copy)]
pub struct Constant(pub Seconds);

impl RuntimePredictor for Constant {
    fn estimate(&self, _question: &Question<'_>) -> Forecast {
        Forecast::exactly(self.0)
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}
