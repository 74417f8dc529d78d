//! A cluster of a store, followed as the collector fills it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use queuecast_core::asking::Refusal;
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{PlaceSnapshot, ReadyPast, queue_and_machine};
use queuecast_trace::TimeZone;

use crate::confidence::Confidence;
use crate::forecasts::{JobForecast, JudgedForecast, waiting_jobs};
use crate::learning::{KeptLearning, site_at};
use crate::played_site::Unheard;
use crate::scorecard::Scorecard;
use crate::site_snapshot::{FollowedSite, SaidByJob, SaidTimes, SiteNews, SiteSnapshot};
use crate::store::{ClusterNumber, SqliteStore, Store, StoreError, StoredLook};

/// A cluster of a store.
#[derive(Debug, Clone)]
pub struct StoredSite {
    file: PathBuf,
    cluster: ClusterNumber,
    name: String,
    zone: TimeZone,
    /// What was learned, as it was restored last, with up to when.
    past: Option<(Time, Arc<ReadyPast>)>,
    /// The last look that was told.
    told: Option<(i64, Time)>,
}

/// Forecasts of so long ago count.
const COUNTED: Seconds = Seconds(30 * 86_400);

impl StoredSite {
    /// The clusters of a store, by name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn all(file: PathBuf, zone: &TimeZone) -> Result<Vec<StoredSite>, StoreError> {
        let clusters = SqliteStore::open_to_read(&file)?.clusters()?;
        let site = |(name, cluster): (String, ClusterNumber)| StoredSite {
            file: file.clone(),
            cluster,
            name,
            zone: zone.clone(),
            past: None,
            told: None,
        };
        Ok(clusters.into_iter().map(site).collect())
    }

    /// What the cluster is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn refused(&self, error: StoreError) -> Refusal {
        let refusal = Refusal::input(format!("{}: {error}", self.file.display()));
        match error.hint() {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    }

    fn open(&self) -> Result<SqliteStore, Refusal> {
        if !self.file.exists() {
            return Err(Refusal::input(format!("{}: there is no such store", self.file.display()))
                .hint("queuecast collect makes one"));
        }
        SqliteStore::open_to_read(&self.file).map_err(|error| self.refused(error))
    }

    /// What was learned by a moment; `None` if that is nothing, or does not know every queue of the site.
    fn learned(
        &mut self,
        store: &SqliteStore,
        site: &queuecast_place::LiveSite,
    ) -> Result<Option<Arc<ReadyPast>>, Refusal> {
        let told = |error| self.refused(error);
        let Some(until) = store.learned_until(self.cluster, site.asked).map_err(told)? else {
            return Ok(None);
        };
        if let Some((_, past)) = self.past.as_ref().filter(|one| one.0 == until) {
            return Ok(past.past.knows(site).then(|| past.clone()));
        }
        let Some(kept) = KeptLearning::find(store, self.cluster, site.asked).map_err(told)? else {
            return Ok(None);
        };
        let recall = |name: &str| kept.model(store, self.cluster, name);
        let models = kept.restored(&recall)?;
        let name = self.file.display().to_string();
        let past = Arc::new(ReadyPast { name, past: kept.into_past(), models });
        self.past = Some((until, past.clone()));
        Ok(past.past.knows(site).then_some(past))
    }

    fn place(&mut self, store: &SqliteStore, look: &StoredLook) -> Result<(PlaceSnapshot, usize), Refusal> {
        let site = site_at(&look.look)?;
        let past = self.learned(store, &site)?;
        let confidence = Confidence::at(store, self.cluster, look).map_err(|error| self.refused(error))?;
        let regimes = confidence.into_regimes();
        let history = past.as_ref().map(|past| past.named(&regimes));
        let shown = queue_and_machine(&site, history, &WhenSettings::default(), &self.zone, &Unheard)?;
        let nodes = site.nodes();
        Ok((PlaceSnapshot::of_live(site, (past, regimes), shown, &self.zone), nodes))
    }

    /// The cluster as the last look by a moment saw it.
    ///
    /// # Errors
    /// If the store cannot be read, or has no look of so early a moment.
    pub fn at(&self, moment: Time) -> Result<PlaceSnapshot, Refusal> {
        let mut then = self.clone();
        let store = self.open()?;
        let look = store.look_at(self.cluster, moment).map_err(|error| self.refused(error))?;
        let look = look.ok_or_else(|| {
            Refusal::question(format!("{}: it has no look from so early a moment", self.file.display()))
                .hint("looks are kept for 30 days, or as collect --keep says")
        })?;
        Ok(then.place(&store, &look)?.0)
    }

    /// What is new since the last time.
    fn look(&mut self) -> Result<Option<SiteSnapshot>, Refusal> {
        let store = self.open()?;
        let told = |error| self.refused(error);
        let Some(look) = store.look_at(self.cluster, Time::NEVER).map_err(told)? else {
            return Err(Refusal::input(format!("{}: no look at {} yet", self.file.display(), self.name))
                .hint("is queuecast collect running?"));
        };
        let this = (look.number, look.look.at);
        if self.told == Some(this) {
            return Ok(None);
        }
        let (place, nodes) = self.place(&store, &look)?;
        let at = look.look.at;
        let judged = store.forecasts(self.cluster, at - COUNTED, at).map_err(|error| self.refused(error))?;
        let waiting = waiting_jobs(&look.look);
        let of = (self.file.display().to_string(), self.name.clone());
        let scorecard = Scorecard::of(of, (at - COUNTED, at), &judged, &waiting);
        let past_from = store.first_look(self.cluster).map_err(|error| self.refused(error))?;
        self.told = Some(this);
        let said = said_of(&judged, &place);
        Ok(Some(SiteSnapshot { place, scorecard, said, past_from, nodes: Some(nodes) }))
    }
}

/// What was said of the jobs that wait; of a job that was submitted again, since then.
fn said_of(judged: &[JudgedForecast], place: &PlaceSnapshot) -> SaidByJob {
    let mut said: BTreeMap<String, Vec<&JobForecast>> = BTreeMap::new();
    for JudgedForecast { forecast, .. } in judged {
        let name = forecast.job.split(' ').next().unwrap_or_default();
        said.entry(name.to_owned()).or_default().push(forecast);
    }
    let waiting = place.pending.jobs.iter().filter_map(|job| {
        let all = said.get(&job.job)?;
        let last = all.iter().map(|one| one.submit).max();
        let times = all.iter().filter(|one| Some(one.submit) == last).map(|one| {
            let later = |seconds: f64| one.at.0.saturating_add(seconds.round() as i64);
            let (low, median, high) = (later(one.said.low), later(one.said.median), later(one.said.high));
            SaidTimes { at: one.at.0, low, median, high }
        });
        Some((job.job.clone(), Arc::new(times.collect())))
    });
    waiting.collect()
}

impl FollowedSite for StoredSite {
    fn follow(&mut self, heard: &mut dyn FnMut(SiteNews) -> Option<Seconds>) -> Result<(), Refusal> {
        loop {
            let news = match self.look() {
                Ok(Some(snapshot)) => SiteNews::Snapshot(Box::new(snapshot)),
                Ok(None) => SiteNews::Nothing,
                Err(refusal) => SiteNews::Failed(refusal),
            };
            if heard(news).is_none() {
                return Ok(());
            }
        }
    }
}
