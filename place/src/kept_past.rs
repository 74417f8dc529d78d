//! What was learned of a live site, kept so that a question neither reads the site's accounting nor learns from it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::LiveSite;
use super::queue_history::history_of;
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::Time;
use queuecast_core::workload::{Names, Workload};
use queuecast_forecast::forecast::{
    CampaignForecaster, Forecaster, ForecasterKey, PastFacts, PendingForecaster, StoredError, WhenSettings,
    opened, sealed,
};
use queuecast_trace::{Log, MachineSize};

/// The last jobs of each history that are kept as they are: as many as a question looks at.
const LAST_JOBS: usize = 5_000;

/// The past of a live site without its jobs: the last of them, their names, and which model has learned from the jobs of each queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SitePast {
    /// Up to when it was learned.
    pub until: Time,
    /// Its last jobs, with the names and numbers of all.
    pub last: Workload,
    /// The machine, and where its size is known from.
    pub machine: MachineSize,
    /// By the partitions of a queue.
    queues: BTreeMap<String, KeptQueue>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptQueue {
    /// What its models are called.
    pub model: String,
    /// " of" whom they have learned.
    pub whose: String,
    /// The last jobs that they have learned from, without names; `None` for those of the whole site.
    pub own: Option<Workload>,
    /// Their jobs in numbers.
    pub facts: PastFacts,
}

/// A model and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// Its name.
    pub name: String,
    /// Its state.
    pub bytes: Vec<u8>,
}

/// The model of a name, as it is kept.
pub type RecallModel<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// The past of a site, and where its models are.
#[derive(Clone, Copy)]
pub struct LearnedModels<'a> {
    /// The past.
    pub past: &'a SitePast,
    /// The model of a name, as it is kept.
    pub recall: &'a RecallModel<'a>,
    /// The models as they were restored before, so that a question restores none.
    pub ready: Option<&'a ReadyModels>,
}

/// The models of a site, restored, by what those of each queue are called.
#[derive(Debug, Default)]
pub struct ReadyModels {
    pub(super) forecasters: BTreeMap<String, Forecaster>,
    pub(super) pending: BTreeMap<String, Arc<PendingForecaster>>,
    pub(super) campaigns: BTreeMap<String, Arc<CampaignForecaster>>,
}

impl fmt::Debug for LearnedModels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LearnedModels").field("until", &self.past.until).finish_non_exhaustive()
    }
}

/// The models of a queue: of a newcomer's start, of the starts of the jobs that wait, and of campaigns.
pub(super) const MODELS: [&str; 3] = ["newcomer", "waiting", "campaigns"];

impl SitePast {
    /// Learns from the accounting of a site as it was known when the site was looked at, for each of its queues. Returns the models
    /// beside it; `None` while no job has started.
    ///
    /// # Errors
    /// If no processor of the site is in use or ready.
    pub fn learned(
        site: &LiveSite,
        log: &Log,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<Option<(SitePast, Vec<NamedModel>)>, Refusal> {
        let (workload, until) = (&log.workload, site.asked);
        if !workload.starts.iter().any(|&start| start <= until) {
            return Ok(None);
        }
        let last = last_of(workload)?;
        let mut past = SitePast { until, last, machine: log.machine, queues: BTreeMap::new() };
        let mut models: Vec<NamedModel> = Vec::new();
        let done = |steps| messages.done(steps);
        for queue in site.whole_queues(None, None)? {
            let (own, whose) = history_of(workload, &queue);
            let model = if own.is_some() { queue.within.join(",") } else { "all".to_owned() };
            let history = own.as_ref().unwrap_or(workload);
            if !past.queues.values().any(|known| known.model == model) {
                let known = history.jobs().partition_point(|one| one.submit <= until);
                messages.begins("learning", settings.methods.len() * settings.trials.min(known));
                let names = MODELS.map(|kind| format!("{kind} {model}"));
                let keys = names.each_ref().map(|name| past.key(name, settings));
                let (forecaster, then) = Forecaster::of_log(history, until, settings, &done);
                let (pending, _) = PendingForecaster::of_log(history, until, settings, &done);
                let (campaigns, _) = CampaignForecaster::of_log(history, until, settings, &done);
                let bytes = [
                    forecaster.stored(&then, keys[0]),
                    pending.stored(&then, keys[1]),
                    campaigns.stored(&then, keys[2]),
                ];
                for (name, bytes) in names.into_iter().zip(bytes) {
                    let cannot = || Refusal::bug("a model of these settings cannot be stored");
                    models.push(NamedModel { name, bytes: bytes.ok_or_else(cannot)? });
                }
            }
            let facts = PastFacts::of(history, until);
            let own = own.as_ref().map(last_of).transpose()?.map(|mut own| {
                own.names = Names::default();
                own
            });
            past.queues.insert(queue.name, KeptQueue { model, whose, own, facts });
        }
        Ok(Some((past, models)))
    }

    pub(super) fn key(&self, name: &str, settings: &WhenSettings) -> ForecasterKey {
        ForecasterKey::named(&format!("{name} until {}", self.until), settings)
    }

    /// As it is kept, for questions by these settings.
    pub fn stored(&self, settings: &WhenSettings) -> Vec<u8> {
        // Nothing in it is of unknown length.
        sealed(self, ForecasterKey::named("past", settings)).unwrap_or_default()
    }

    /// As it was kept.
    ///
    /// # Errors
    /// If it is something else, damaged, or of another version or other settings.
    pub fn restored(bytes: &[u8], settings: &WhenSettings) -> Result<SitePast, StoredError> {
        opened(bytes, ForecasterKey::named("past", settings))
    }

    /// All its models, restored once for any number of questions.
    ///
    /// # Errors
    /// If one is gone, damaged, or of another version.
    pub fn restore(&self, recall: &RecallModel<'_>, settings: &WhenSettings) -> Result<ReadyModels, Refusal> {
        let mut ready = ReadyModels::default();
        for KeptQueue { model, .. } in self.queues.values() {
            if ready.forecasters.contains_key(model) {
                continue;
            }
            let [newcomer, waiting, campaigns] = MODELS.map(|kind| {
                let name = format!("{kind} {model}");
                let refused = |why: String| Refusal::input(format!("what was learned of {name}: {why}"));
                let key = self.key(&name, settings);
                recall(&name).map(|bytes| (bytes, key)).ok_or_else(|| refused("it is gone".to_owned()))
            });
            let refused =
                |error: StoredError| Refusal::input(format!("what was learned of {model}: {error}"));
            let (bytes, key) = newcomer?;
            let (forecaster, _) = Forecaster::restored(&bytes, key, settings).map_err(refused)?;
            ready.forecasters.insert(model.clone(), forecaster);
            let (bytes, key) = waiting?;
            let (pending, _) = PendingForecaster::restored(&bytes, key).map_err(refused)?;
            ready.pending.insert(model.clone(), Arc::new(pending));
            let (bytes, key) = campaigns?;
            let (forecaster, _) = CampaignForecaster::restored(&bytes, key).map_err(refused)?;
            ready.campaigns.insert(model.clone(), Arc::new(forecaster));
        }
        Ok(ready)
    }

    pub(super) fn queue(&self, name: &str) -> Option<&KeptQueue> {
        self.queues.get(name)
    }

    /// Whether there are models for every queue of a site.
    pub fn knows(&self, site: &LiveSite) -> bool {
        site.whole_queues(None, None)
            .is_ok_and(|queues| queues.iter().all(|queue| self.queues.contains_key(&queue.name)))
    }
}

/// The last jobs of a history.
fn last_of(workload: &Workload) -> Result<Workload, Refusal> {
    let first = workload.len().saturating_sub(LAST_JOBS);
    let last = workload.only(|job| job.index.at() >= first);
    last.map_err(|error| Refusal::bug(format!("the last jobs of a log: {error}")))
}
