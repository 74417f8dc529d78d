//! What is found of a site before it is asked about: how right forecasts were, and when its waiting jobs start.

use std::sync::Arc;

use super::SlurmPlace;
use super::queue_starts::LookStarts;
use queuecast_core::asking::Messages;
use queuecast_forecast::forecast::{ClusterRecord, FollowedAnswers, FoundQueue};

impl SlurmPlace {
    /// Tries forecasts on its past; `None` if it has none.
    pub fn tried(&self, messages: &dyn Messages) -> Option<ClusterRecord> {
        let settings = self.settings();
        messages.begins("trying on past submissions", settings.trials);
        let done = |steps| messages.done(steps);
        self.has_past.then(|| ClusterRecord::learned(&self.queue(), settings, &done))
    }

    /// When its waiting jobs start by what was said before, and what has been said then.
    pub(super) fn starts_now(&self) -> (FoundQueue, FollowedAnswers) {
        let before = self.found.before.as_ref().map(|before| &before.answers);
        self.queue().pending_after(self.settings(), self.has_past, before)
    }

    /// Finds when its waiting jobs start.
    pub fn queue_starts(&self) -> LookStarts {
        LookStarts::new(&self.moment, self.starts_now())
    }

    /// The same site, with how right forecasts were, as it was found before.
    #[must_use]
    pub fn with_record(mut self, record: Option<Arc<ClusterRecord>>) -> SlurmPlace {
        self.found.record = record;
        self
    }

    /// The same site, with what was found at an earlier look.
    #[must_use]
    pub fn after(mut self, before: Option<Arc<LookStarts>>) -> SlurmPlace {
        self.found.before = before;
        self
    }

    /// The starts of its waiting jobs, if they were found before.
    pub fn starts(&self) -> Option<&Arc<LookStarts>> {
        self.found.starts.as_ref()
    }

    /// The same site, with the starts of its waiting jobs, as they were found at the same look.
    #[must_use]
    pub fn with_starts(mut self, starts: Option<Arc<LookStarts>>) -> SlurmPlace {
        self.found.starts = starts;
        self
    }
}
