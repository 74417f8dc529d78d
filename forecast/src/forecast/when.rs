//! When will it start: one call from a log or a live site to the answer.

use super::answer::{PredictedWait, WhenAnswer, WhenAnswers, WhenError, WhenSettings};
use super::forecaster::Forecaster;
use super::stored::ForecasterKey;
use queuecast_core::asking::Learning;
use queuecast_core::job::Job;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_sim::site::Site;

/// Where the job would be submitted.
#[derive(Debug)]
pub enum WhenSource<'a> {
    /// To the machine of a log, at the end of this second. Nothing the log says of later is looked at.
    Log {
        /// The log.
        workload: &'a Workload,
        /// The moment.
        at: Time,
    },
    /// To a site as it is found now.
    Live {
        /// The site.
        site: Site,
        /// When it was found, on the clock of its history.
        now: Time,
        /// What has happened there before; may be empty.
        history: &'a Workload,
        /// What was learned from all that before, if that is kept; the history then is what questions need of it besides.
        learned: Option<&'a Forecaster>,
    },
}

/// When a job would start. Each job that a method was tried on is told as a step done.
///
/// Every method follows the history and is tried on its last jobs, the same for all; the first answers, unless another had better ranges
/// by their interval score, beyond chance.
pub fn when(
    job: &Job,
    source: &WhenSource<'_>,
    settings: &WhenSettings,
    learning: Learning<'_>,
) -> Result<WhenAnswer, WhenError> {
    let (forecaster, then) = source.forecaster(settings, learning)?;
    let (site, now) = source.asked_about(&then);
    let answers = forecaster.answer(std::slice::from_ref(job), site, now)?;
    let WhenAnswers { method, waits, state, record, regimes, tried, learned } = answers;
    let request = job.shape.limit.unwrap_or(settings.default_request);
    let wait = waits.first().map(|wait| PredictedWait::of(wait, request));
    let wait = wait.ok_or(WhenError::NothingStarted)?;
    let regime = regimes.first().copied().flatten();
    Ok(WhenAnswer { method, wait, state, record, regime, tried, learned })
}

/// When each of several jobs would start if it alone were submitted, as [`when`] says it of one.
///
/// # Errors
/// As of [`when`].
pub fn when_each(
    jobs: &[Job],
    source: &WhenSource<'_>,
    settings: &WhenSettings,
    learning: Learning<'_>,
) -> Result<Vec<PredictedWait>, WhenError> {
    let (forecaster, then) = source.forecaster(settings, learning)?;
    let (site, now) = source.asked_about(&then);
    let answers = forecaster.answer(jobs, site, now)?;
    let request = |job: &Job| job.shape.limit.unwrap_or(settings.default_request);
    Ok(jobs.iter().zip(&answers.waits).map(|(job, wait)| PredictedWait::of(wait, request(job))).collect())
}

impl WhenSource<'_> {
    /// What has happened there before.
    pub fn history(&self) -> &Workload {
        match self {
            WhenSource::Log { workload, .. } => workload,
            WhenSource::Live { history, .. } => history,
        }
    }

    /// The moment asked about.
    pub fn now(&self) -> Time {
        match self {
            WhenSource::Log { at, .. } => *at,
            WhenSource::Live { now, .. } => *now,
        }
    }

    /// The site and the moment asked about; `then` is what the history leads to.
    pub(crate) fn asked_about<'s>(&'s self, then: &'s Site) -> (&'s Site, Time) {
        match self {
            WhenSource::Log { at, .. } => (then, *at),
            WhenSource::Live { site, now, .. } => (site, *now),
        }
    }

    /// A forecaster that has learned what happened there before, and the site at the end of that: as it was kept, else it learns now
    /// and is kept. Each job that a method was tried on is told as a step done.
    pub(crate) fn forecaster(
        &self,
        settings: &WhenSettings,
        learning: Learning<'_>,
    ) -> Result<(Forecaster, Site), WhenError> {
        let (history, now) = (self.history(), self.now());
        if let WhenSource::Live { learned: Some(learned), site, .. } = self {
            return Ok(((*learned).clone(), site.clone()));
        }
        let is_live = matches!(self, WhenSource::Live { .. });
        if history.starts.is_empty() && !history.is_empty() {
            return Err(WhenError::NoWaits);
        }
        if !is_live && !history.starts.iter().any(|&start| start <= now) {
            return Err(WhenError::NothingStarted);
        }
        let Some(kept) = learning.kept else {
            return Ok(Forecaster::of_log(history, now, settings, learning.done));
        };
        let key = ForecasterKey::of(history, now, settings);
        Ok(key.recalled(
            kept,
            |bytes, key| Forecaster::restored(bytes, key, settings),
            || Forecaster::of_log(history, now, settings, learning.done),
            |(forecaster, site), key| forecaster.stored(site, key),
        ))
    }
}
