//! What is found of a site before it is asked about: how right forecasts were, and when its waiting jobs start.

use std::sync::Arc;

use super::SlurmPlace;
use super::queue_starts::LookStarts;
use queuecast_core::asking::Messages;
use queuecast_core::number::number_of;
use queuecast_forecast::forecast::{
    ClusterRecord, ClusterWhenSettings, FollowedAnswers, FoundQueue, SimulationWork,
};
use queuecast_slurm_sim::cluster::StandingState;

/// What a question may simulate of a followed site of which a collector has not: all of it while 50 jobs wait, and with 1,000 of them as
/// little as there can be.
const OF_A_QUESTION: SimulationWork = SimulationWork(2_000_000);

/// What a collector simulates of each look.
const OF_A_LOOK: SimulationWork = SimulationWork(100_000_000);

/// What a collector tries on the past, less often.
const OF_LEARNING: SimulationWork = SimulationWork(400_000_000);

impl SlurmPlace {
    /// Tries forecasts on its past; `None` if it has none.
    pub fn tried(&self, messages: &dyn Messages) -> Option<ClusterRecord> {
        self.tried_within(OF_LEARNING, messages)
    }

    fn tried_within(&self, work: SimulationWork, messages: &dyn Messages) -> Option<ClusterRecord> {
        let settings = self.within(work);
        messages.begins("trying on past submissions", settings.trials);
        let done = |steps| messages.done(steps);
        self.has_past.then(|| ClusterRecord::learned(&self.queue(), settings, &done))
    }

    /// How it is simulated within some work, if it is followed; else as usual.
    fn within(&self, work: SimulationWork) -> ClusterWhenSettings {
        let usual = self.settings();
        if self.is_followed { usual.within(work, self.waiting_jobs()) } else { usual }
    }

    pub(super) fn waiting_jobs(&self) -> usize {
        let waits =
            |state: &StandingState| matches!(state, StandingState::Waiting { .. } | StandingState::Held);
        self.moment.standings.iter().filter(|one| waits(&one.state)).count()
    }

    /// When its waiting jobs start by what was said before, and what has been said then.
    pub(super) fn starts_now(&self) -> (FoundQueue, FollowedAnswers) {
        self.starts_within(self.settings())
    }

    fn starts_within(&self, settings: ClusterWhenSettings) -> (FoundQueue, FollowedAnswers) {
        let before = self.found.before.as_ref().map(|before| &before.answers);
        self.queue().pending_after(settings, self.has_past, before)
    }

    /// Finds when its waiting jobs start, for any number of questions about the look.
    pub fn queue_starts(&self) -> LookStarts {
        LookStarts::new(&self.moment, self.starts_within(self.within(OF_A_LOOK)))
    }

    /// The same site, with what a collector has not found of it yet: by fewer simulations than a collector would do if many jobs wait, which is
    /// said.
    #[must_use]
    pub fn for_questions(mut self, messages: &dyn Messages) -> SlurmPlace {
        let (settings, usual) = (self.within(OF_A_QUESTION), self.settings());
        let (lacks_starts, lacks_record) = (self.found.starts.is_none(), self.found.record.is_none());
        let mut fewer = Vec::new();
        if lacks_starts && settings.draws != usual.draws {
            fewer.push(format!("by {} simulations instead of {}", settings.draws.draws, usual.draws.draws));
        }
        if lacks_record && self.has_past && settings.past_queues != usual.past_queues {
            fewer.push(format!(
                "corrected by {} past queues instead of {}",
                settings.past_queues, usual.past_queues
            ));
        }
        if !fewer.is_empty() {
            messages.note(&format!(
                "{} wait, and what queuecast collect computes of them is not all there: ranges are {}, and wider than they will be",
                number_of(self.waiting_jobs(), "job"),
                fewer.join(", ")
            ));
        }
        if lacks_record {
            self.found.record = self.tried_within(OF_A_QUESTION, messages).map(Arc::new);
        }
        if lacks_starts {
            self.found.starts = Some(Arc::new(LookStarts::new(&self.moment, self.starts_within(settings))));
        }
        self
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
