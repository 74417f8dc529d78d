//! Learning from what a store remembers, so that questions need not.

use std::sync::Arc;

use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::Time;
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{LearnedModels, LivePast, LiveSite, ReadyModels, RecallModel, SitePast, SlurmPlace};
use queuecast_trace::{RawLog, ReadOptions};

use crate::confidence::Confidence;
use crate::forecasts::{DueForecasts, JobForecast};
use crate::look::Look;
use crate::own_scheduler::{known_scheduler, learned_record};
use crate::store::{ClusterNumber, LearnedPart, Store, StoreError};

/// The part that has the past itself; the others are models.
const PAST: &str = "past";

/// Why nothing could be learned.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// The store cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// What it has cannot be learned from.
    #[error("{0}")]
    Refused(Refusal),
}

impl From<Refusal> for LearningError {
    fn from(refusal: Refusal) -> LearningError {
        LearningError::Refused(refusal)
    }
}

/// The site as a look saw it.
///
/// # Errors
/// If Slurm printed something else than it was asked for.
pub fn site_at(look: &Look) -> Result<LiveSite, Refusal> {
    // Jobs that have ended, or are about to, are in neither queue.
    let is_there = |line: &&str| {
        let state = line.split('|').nth(1).unwrap_or_default();
        ["PENDING", "RUNNING", "CONFIGURING"].contains(&state)
    };
    let mut queue = String::new();
    look.queue.lines().filter(is_there).for_each(|line| queue.extend([line, "\n"]));
    LiveSite::read(&look.nodes, &queue, look.at)
}

/// What was learned, to be kept.
#[derive(Debug, Clone)]
pub struct LearnedParts {
    /// Up to when.
    pub until: Time,
    /// Its parts.
    pub parts: Vec<LearnedPart>,
}

/// Learns from the accounting of a cluster that was known at its last look; `None` while there is nothing to learn from.
///
/// # Errors
/// If the store cannot be read, or has something else than Slurm prints.
pub fn learn(
    store: &impl Store,
    cluster: ClusterNumber,
    at: Time,
    messages: &dyn Messages,
) -> Result<Option<LearnedParts>, LearningError> {
    let Some(look) = store.look_at(cluster, at)? else { return Ok(None) };
    let site = site_at(&look.look)?;
    let mut text = Vec::new();
    if store.write_history(cluster, site.asked, &mut text)? == 0 {
        return Ok(None);
    }
    let unreadable = |why: String| Refusal::input(format!("accounting: {why}"));
    let raw =
        RawLog::read(&text[..], &ReadOptions::default()).map_err(|error| unreadable(error.to_string()))?;
    drop(text);
    let mut log = raw.known_at(site.asked).map_err(|error| unreadable(error.to_string()))?;
    drop(raw);
    site.take_history(&mut log).map_err(|error| unreadable(error.to_string()))?;
    let settings = WhenSettings::default();
    let Some((past, models)) = SitePast::learned(&site, &log, &settings, messages)? else { return Ok(None) };
    let mut parts = vec![LearnedPart { name: PAST.to_owned(), bytes: past.stored(&settings) }];
    parts.extend(models.into_iter().map(|one| LearnedPart { name: one.name, bytes: one.bytes }));
    parts.extend(learned_record(store, cluster, &site, messages)?);
    Ok(Some(LearnedParts { until: past.until, parts }))
}

/// Whether what was learned of a cluster can answer for the site as it was last seen by a moment.
///
/// # Errors
/// As of [`learn`].
pub fn is_learned(store: &impl Store, cluster: ClusterNumber, at: Time) -> Result<bool, LearningError> {
    let Some(look) = store.look_at(cluster, at)? else { return Ok(true) };
    let site = site_at(&look.look)?;
    Ok(KeptLearning::find(store, cluster, site.asked)?.is_some_and(|kept| kept.knows(&site)))
}

/// What is found of the waiting jobs of a look.
#[derive(Debug, Default)]
pub struct LookForecasts {
    /// What is said of those of which a forecast is due.
    pub due: Vec<JobForecast>,
    /// The number of the look, and when all of them start by the site's own scheduler, to be kept for questions; `None` if it cannot be
    /// asked.
    pub starts: Option<(i64, Vec<u8>)>,
}

/// Finds when the waiting jobs of a look start by the site's own scheduler while nothing was learned yet, to be kept with the number of the look;
/// `None` if it was found before, or cannot be asked.
///
/// # Errors
/// As of [`learn`].
pub fn first_starts(
    store: &impl Store,
    cluster: ClusterNumber,
    at: Time,
    messages: &dyn Messages,
) -> Result<Option<(i64, Vec<u8>)>, LearningError> {
    let Some(look) = store.look_at(cluster, at)? else { return Ok(None) };
    let site = site_at(&look.look)?;
    let place = known_scheduler(store, cluster, (&look, &site), "accounting", messages)?;
    let place = place.filter(|place| place.starts().is_none());
    Ok(place.and_then(|place| Some((look.number, place.queue_starts().stored()?))))
}

/// Says when the waiting jobs of a look start, by what was learned before; nothing while nothing was.
///
/// # Errors
/// As of [`learn`].
pub fn forecast(
    store: &impl Store,
    cluster: ClusterNumber,
    at: Time,
    messages: &dyn Messages,
) -> Result<LookForecasts, LearningError> {
    let Some(look) = store.look_at(cluster, at)? else { return Ok(LookForecasts::default()) };
    let site = site_at(&look.look)?;
    let Some(mut kept) = KeptLearning::find(store, cluster, site.asked)?.filter(|kept| kept.knows(&site))
    else {
        return Ok(LookForecasts::default());
    };
    const NAME: &str = "accounting";
    let mut found = LookForecasts::default();
    if let Some(place) = known_scheduler(store, cluster, (&look, &site), NAME, messages)? {
        kept.scheduler = Some(if place.starts().is_some() {
            place
        } else {
            let starts = place.queue_starts();
            found.starts = starts.stored().map(|bytes| (look.number, bytes));
            place.with_starts(Some(Arc::new(starts)))
        });
    }
    let due = DueForecasts::after(store.open_forecasts(cluster)?);
    let recall = |name: &str| kept.model(store, cluster, name);
    found.due = due.made(&look.look, &site, kept.past(NAME, &recall), messages)?;
    Ok(found)
}

/// What was learned of a cluster, as it is kept.
#[derive(Debug)]
pub struct KeptLearning {
    past: SitePast,
    /// Where its answers have held lately, and where not.
    confidence: Confidence,
    /// The site of a look with its own scheduler, where enough is known of it.
    scheduler: Option<SlurmPlace>,
}

impl KeptLearning {
    /// The last that was learned by a moment, if this version of the program can use it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find(
        store: &impl Store,
        cluster: ClusterNumber,
        at: Time,
    ) -> Result<Option<KeptLearning>, StoreError> {
        let Some(until) = store.learned_until(cluster, at)? else { return Ok(None) };
        let Some(bytes) = store.learned(cluster, until, PAST)? else { return Ok(None) };
        let Ok(past) = SitePast::restored(&bytes, &WhenSettings::default()) else { return Ok(None) };
        let look = store.look_at(cluster, at)?;
        let confidence = look.map(|look| Confidence::at(store, cluster, &look)).transpose()?;
        Ok(Some(KeptLearning { past, confidence: confidence.unwrap_or_default(), scheduler: None }))
    }

    /// Up to when it was learned.
    pub fn until(&self) -> Time {
        self.past.until
    }

    /// Whether it can answer for every queue of a site.
    pub fn knows(&self, site: &LiveSite) -> bool {
        self.past.knows(site)
    }

    /// The past of the site; `recall` has its models, as of [`KeptLearning::model`].
    pub fn past<'a>(&'a self, name: &'a str, recall: &'a RecallModel<'a>) -> LivePast<'a> {
        let learned = Some(LearnedModels { past: &self.past, recall, ready: None });
        LivePast {
            name,
            workload: &self.past.last,
            machine: self.past.machine,
            learned,
            regimes: self.confidence.regimes(),
            scheduler: self.scheduler.as_ref(),
        }
    }

    /// What was learned, for questions about a look, with the site's own scheduler.
    #[must_use]
    pub fn with_scheduler(mut self, scheduler: Option<SlurmPlace>) -> KeptLearning {
        self.scheduler = scheduler;
        self
    }

    /// All its models, restored.
    ///
    /// # Errors
    /// If one is gone, damaged, or of another version.
    pub fn restored(&self, recall: &RecallModel<'_>) -> Result<ReadyModels, Refusal> {
        self.past.restore(recall, &WhenSettings::default())
    }

    /// The past itself.
    pub fn into_past(self) -> SitePast {
        self.past
    }

    /// A model of it; `None` if it is gone.
    pub fn model(&self, store: &impl Store, cluster: ClusterNumber, name: &str) -> Option<Vec<u8>> {
        store.learned(cluster, self.past.until, name).ok().flatten()
    }
}
