//! The past of one queue of a live site: jobs to learn from, or what was learned before.

use std::sync::Arc;

use super::kept_past::{KeptQueue, MODELS, ReadyModels};
use super::lost_regime::{LostRegime, LostRegimes, RegimeJobs, find};
use super::queue_history::{history_of, without_jobs};
use super::{LabelledLog, LearnedModels, LiveQueue, LiveSite, SlurmPlace};
use queuecast_core::asking::{Learning, Messages, Refusal};
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{
    CampaignForecaster, Forecaster, ForecasterKey, PastFacts, PendingForecaster, StoredError, WhenSettings,
};
use queuecast_trace::MachineSize;

/// What is known of the past of a live site.
#[derive(Debug, Clone, Copy)]
pub struct LivePast<'a> {
    /// What to call it.
    pub name: &'a str,
    /// Its jobs.
    pub workload: &'a Workload,
    /// Its machine, and where that is known from.
    pub machine: MachineSize,
    /// What was learned from it before, if that is kept; the jobs then are its last ones.
    pub learned: Option<LearnedModels<'a>>,
    /// Where ranges have not held lately.
    pub regimes: LostRegimes<'a>,
    /// The site with its own scheduler, where enough is known of it: it then says when jobs start.
    pub scheduler: Option<&'a SlurmPlace>,
}

impl LivePast<'_> {
    /// Why ranges of a job are widened, if they are.
    pub(super) fn lost(&self, partition: &str, procs: Procs, is_first: bool) -> Option<&LostRegime> {
        find(self.regimes, &RegimeJobs::of(partition, procs, is_first))
    }
}

/// The scheduler that a live site is asked by, if it is: one that has another number of processors is not known.
pub(super) fn by_scheduler<'a>(
    history: Option<LivePast<'a>>,
    procs: Option<u32>,
) -> Option<(LivePast<'a>, &'a SlurmPlace)> {
    history.filter(|_| procs.is_none()).and_then(|past| Some((past, past.scheduler?)))
}

impl<'a> From<LabelledLog<'a>> for LivePast<'a> {
    fn from(LabelledLog { name, log, .. }: LabelledLog<'a>) -> LivePast<'a> {
        LivePast {
            name,
            workload: &log.workload,
            machine: log.machine,
            learned: None,
            regimes: LostRegimes::default(),
            scheduler: None,
        }
    }
}

/// The past of a queue of a live site, as a question uses it.
pub(super) struct QueuePast<'a> {
    workload: PastJobs<'a>,
    /// " of" whom it is.
    pub whose: String,
    kept: Option<(LearnedModels<'a>, &'a KeptQueue)>,
}

enum PastJobs<'a> {
    Whole(&'a Workload),
    Own(Box<Workload>),
}

impl<'a> QueuePast<'a> {
    /// Of a queue, by what is known of its site.
    pub fn of(
        history: Option<LivePast<'a>>,
        site: &LiveSite,
        queue: &LiveQueue,
    ) -> Result<QueuePast<'a>, Refusal> {
        let Some(LivePast { workload, learned, .. }) = history else {
            let nothing = PastJobs::Own(Box::new(without_jobs(site.procs())?));
            return Ok(QueuePast { workload: nothing, whose: String::new(), kept: None });
        };
        let kept = learned.and_then(|models| Some((models, models.past.queue(&queue.name)?)));
        let (own, whose) = match kept {
            Some((_, KeptQueue { whose, own, .. })) => {
                let named = |own: &Workload| {
                    let mut own = own.clone();
                    own.names = workload.names.clone();
                    own
                };
                (own.as_ref().map(named), whose.clone())
            }
            None => history_of(workload, queue),
        };
        let workload = own.map_or(PastJobs::Whole(workload), |own| PastJobs::Own(Box::new(own)));
        Ok(QueuePast { workload, whose, kept })
    }

    /// Its jobs; where models are kept, the last of them.
    pub fn workload(&self) -> &Workload {
        match &self.workload {
            PastJobs::Whole(workload) => workload,
            PastJobs::Own(workload) => workload,
        }
    }

    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.kept.is_none() && self.workload().is_empty()
    }

    /// Its past in numbers, where models are kept.
    pub fn facts(&self) -> Option<PastFacts> {
        self.kept.map(|(_, queue)| queue.facts)
    }

    /// The kept model of a newcomer's start.
    pub fn forecaster(&self, settings: &WhenSettings) -> Result<Option<Forecaster>, Refusal> {
        if let Some((ready, model)) = self.ready() {
            return Ok(ready.forecasters.get(model).cloned());
        }
        let restored = |bytes: &[u8], key| Ok(Forecaster::restored(bytes, key, settings)?.0);
        self.model(MODELS[0], settings, restored)
    }

    /// The model of the starts of waiting jobs: as it is kept, else as it is learned now.
    pub fn pending(
        &self,
        until: Time,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<Arc<PendingForecaster>, Refusal> {
        if let Some(ready) = self.ready().and_then(|(ready, model)| ready.pending.get(model)) {
            return Ok(ready.clone());
        }
        let restored = |bytes: &[u8], key| Ok(PendingForecaster::restored(bytes, key)?.0);
        if let Some(kept) = self.model(MODELS[1], settings, restored)? {
            return Ok(Arc::new(kept));
        }
        let known = self.workload().jobs().partition_point(|job| job.submit <= until);
        messages.begins("asking about past queues", PendingForecaster::steps(known));
        let learning = Learning { done: &|steps| messages.done(steps), kept: messages.kept() };
        Ok(Arc::new(PendingForecaster::recalled(self.workload(), until, settings, learning).0))
    }

    /// The model of campaigns: as it is kept, else as it is learned now.
    pub fn campaigns(
        &self,
        until: Time,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<Arc<CampaignForecaster>, Refusal> {
        if let Some(ready) = self.ready().and_then(|(ready, model)| ready.campaigns.get(model)) {
            return Ok(ready.clone());
        }
        let restored = |bytes: &[u8], key| Ok(CampaignForecaster::restored(bytes, key)?.0);
        if let Some(kept) = self.model(MODELS[2], settings, restored)? {
            return Ok(Arc::new(kept));
        }
        messages.begins("asking about past campaigns", CampaignForecaster::steps(self.workload(), until));
        let learning = Learning { done: &|steps| messages.done(steps), kept: messages.kept() };
        Ok(Arc::new(CampaignForecaster::recalled(self.workload(), until, settings, learning).0))
    }

    /// The restored models of the site, and what those of this queue are called.
    fn ready(&self) -> Option<(&'a ReadyModels, &'a str)> {
        let (models, queue) = self.kept?;
        Some((models.ready?, &queue.model))
    }

    fn model<T>(
        &self,
        kind: &str,
        settings: &WhenSettings,
        restored: impl Fn(&[u8], ForecasterKey) -> Result<T, StoredError>,
    ) -> Result<Option<T>, Refusal> {
        let Some((models, queue)) = self.kept else { return Ok(None) };
        let name = format!("{kind} {}", queue.model);
        let refused = |why: String| {
            Refusal::input(format!("what was learned of {name}: {why}"))
                .hint("--no-cache learns anew; queuecast collect does so at its next accounting")
        };
        let bytes = (models.recall)(&name).ok_or_else(|| refused("it is gone".to_owned()))?;
        let key = models.past.key(&name, settings);
        restored(&bytes, key).map(Some).map_err(|error| refused(error.to_string()))
    }
}
