//! A cluster of a store, followed as the collector fills it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use queuecast_core::asking::{Refusal, Unheard};
use queuecast_core::units::{Seconds, Time};
use queuecast_forecast::forecast::WhenSettings;
use queuecast_place::{HeldJob, PlaceSnapshot, ReadyPast, WaitsAnswer, queue_and_machine};
use queuecast_slurm_texts::SiteOptions;
use queuecast_trace::{PastSpan, TimeZone};

use crate::confidence::Confidence;
use crate::declared::USAGE_FILE;
use crate::forecasts::{JobForecast, JudgedForecast, waiting_jobs};
use crate::learning::{KeptLearning, site_at};
use crate::own_scheduler::known_scheduler;
use crate::rows::AccountingRows;
use crate::scorecard::Scorecard;
use crate::shadow_card::ShadowCard;
use crate::site_snapshot::{FollowedSite, SaidByJob, SaidTimes, SiteNews, SiteSnapshot};
use crate::store::{ClusterNumber, SqlStore, Store, StoreError, StoreLocation, StoredLook};

/// A cluster of a store.
#[derive(Debug, Clone)]
pub struct StoredSite {
    location: StoreLocation,
    cluster: ClusterNumber,
    name: String,
    zone: TimeZone,
    /// What was learned, as it was restored last, with up to when.
    past: Option<(Time, Arc<ReadyPast>)>,
    /// The last look that was told.
    told: Option<(i64, Time)>,
    /// A look that is not told yet, and how often it was asked for.
    waited: (i64, u32),
}

/// A site as texts describe it, with what was submitted to it.
#[derive(Debug, Clone)]
pub struct DescribedSite {
    /// What describes the site, by file.
    pub site: BTreeMap<String, String>,
    /// Accounting, by file.
    pub accounting: BTreeMap<String, String>,
    /// How both are read.
    pub options: SiteOptions,
}

/// How long ago a decision may have been made to be counted.
const COUNTED: Seconds = Seconds(30 * 86_400);

/// How often it is asked whether a collector has found out when the jobs of a look start, before that is done without it.
const PATIENCE: u32 = 20;

impl StoredSite {
    /// The clusters of a store, by name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn all(location: StoreLocation, zone: &TimeZone) -> Result<Vec<StoredSite>, StoreError> {
        let clusters = SqlStore::open_to_read(&location)?.clusters()?;
        let site = |(name, cluster): (String, ClusterNumber)| StoredSite {
            location: location.clone(),
            cluster,
            name,
            zone: zone.clone(),
            past: None,
            told: None,
            waited: (0, 0),
        };
        Ok(clusters.into_iter().map(site).collect())
    }

    /// What the cluster is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn refused(&self, error: StoreError) -> Refusal {
        let refusal = Refusal::input(format!("{}: {error}", self.location));
        match error.hint() {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    }

    fn open(&self) -> Result<SqlStore, Refusal> {
        if !self.location.may_exist() {
            return Err(Refusal::input(format!("{}: there is no such store", self.location))
                .hint("queuecast collect makes one"));
        }
        SqlStore::open_to_read(&self.location).map_err(|error| self.refused(error))
    }

    /// What was learned by a moment; `None` if that is nothing, or does not know every queue of the site.
    fn learned(
        &mut self,
        store: &SqlStore,
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
        let name = self.location.to_string();
        let past = Arc::new(ReadyPast { name, past: kept.into_past(), models });
        self.past = Some((until, past.clone()));
        Ok(past.past.knows(site).then_some(past))
    }

    fn place(&mut self, store: &SqlStore, look: &StoredLook) -> Result<(PlaceSnapshot, usize), Refusal> {
        let site = site_at(&look.look)?;
        let past = self.learned(store, &site)?;
        let confidence = Confidence::at(store, self.cluster, look).map_err(|error| self.refused(error))?;
        let regimes = confidence.into_regimes();
        let scheduler = match &past {
            Some(past) => known_scheduler(store, self.cluster, (look, &site), &past.name, &Unheard)
                .map_err(|error| self.refused(error))?
                .map(|place| place.for_questions(&Unheard)),
            None => None,
        };
        let history = past.as_ref().map(|past| past.named(&regimes, scheduler.as_ref()));
        let shown = queue_and_machine(&site, history, &WhenSettings::default(), &self.zone, &Unheard)?;
        let nodes = site.nodes();
        Ok((PlaceSnapshot::of_live(site, (past, regimes, scheduler), shown, &self.zone), nodes))
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
            Refusal::question(format!("{}: it has no look from so early a moment", self.location))
                .hint("looks are kept for 30 days, or as collect --keep says")
        })?;
        Ok(then.place(&store, &look)?.0)
    }

    /// What a store tells of the site and of what was submitted to it: the last jobs that accounting has.
    ///
    /// # Errors
    /// If the store cannot be read, or has no description of the site or no accounting.
    pub fn described(&self, jobs: usize) -> Result<DescribedSite, Refusal> {
        let (store, told) = (self.open()?, |error| self.refused(error));
        let lacks = |what: &str| {
            Refusal::input(format!("{}: {} has no {what} yet", self.location, self.name))
                .hint("queuecast collect asks scontrol and sacctmgr every hour, and sacct for accounting")
        };
        let look = store.look_at(self.cluster, Time::NEVER).map_err(told)?;
        let at = look.ok_or_else(|| lacks("look"))?.look.at;
        let mut site = store.texts_at(self.cluster, at).map_err(told)?;
        site.remove(USAGE_FILE);
        if site.is_empty() {
            return Err(lacks("description of its nodes and partitions"));
        }
        let since = store.submission_before(self.cluster, at, jobs).map_err(told)?.unwrap_or(Time(0));
        let mut accounting = Vec::new();
        if store.write_recent(self.cluster, (since, at), &[], &mut accounting).map_err(told)? == 0 {
            return Err(lacks("accounting"));
        }
        let accounting = String::from_utf8_lossy(&accounting).into_owned();
        let options = SiteOptions { time_zone: self.zone.clone(), known_until: Some(at) };
        Ok(DescribedSite { site, accounting: [("sacct.psv".to_owned(), accounting)].into(), options })
    }

    /// How right that was which was forecast in a time, by what is known at the last look.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn scorecard(&self, span: PastSpan) -> Result<Scorecard, Refusal> {
        let (store, told) = (self.open()?, |error| self.refused(error));
        let look = store.look_at(self.cluster, Time::NEVER).map_err(told)?;
        let (at, waiting) = match &look {
            Some(look) => (look.look.at, waiting_jobs(&look.look)),
            None => (span.until, HashSet::new()),
        };
        let judged = store.forecasts(self.cluster, span.from, at).map_err(told)?;
        let of = (self.location.to_string(), self.name.clone());
        Ok(Scorecard::of(of, (span, at), &judged, &waiting))
    }

    /// How long jobs of the last days were held before they were eligible, as accounting tells it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn holds(&self, days: u32) -> Result<WaitsAnswer, Refusal> {
        let (store, told) = (self.open()?, |error| self.refused(error));
        let look = store.look_at(self.cluster, Time::NEVER).map_err(told)?;
        let now = look.map_or(Time(0), |look| look.look.at);
        let (since, mut text) = (now - Seconds(i64::from(days) * 86_400), Vec::new());
        store.write_recent(self.cluster, (since, now), &[], &mut text).map_err(told)?;
        let text = String::from_utf8_lossy(&text);
        let rows = AccountingRows::of(&text);
        let jobs = rows.iter().flat_map(AccountingRows::rows).filter_map(Result::ok).map(|row| HeldJob {
            queue: row.partition.split(',').next().filter(|name| !name.is_empty()).map(str::to_owned),
            submit: row.submit,
            eligible: row.eligible,
            left: row.end,
        });
        Ok(WaitsAnswer::of_holds(jobs, now, days, &self.zone))
    }

    /// Whether the collector is still finding out when the jobs of a look start: then the look before is told a while longer.
    fn is_computed_soon(&mut self, store: &SqlStore, look: &StoredLook) -> Result<bool, Refusal> {
        let told = |error| self.refused(error);
        if store.texts_kept(self.cluster).map_err(told)?.is_none() {
            return Ok(false);
        }
        // A site whose scheduler was never asked is shown at once.
        if store.starts_up_to(self.cluster, look.number).map_err(told)?.is_none() {
            return Ok(false);
        }
        let is_found = store.starts_of(self.cluster, look.number).map_err(told)?.is_some();
        let waited = if self.waited.0 == look.number { self.waited.1 } else { 0 };
        self.waited = (look.number, waited + 1);
        Ok(!is_found && waited < PATIENCE)
    }

    /// What is new since the last time.
    fn look(&mut self) -> Result<Option<SiteSnapshot>, Refusal> {
        let store = self.open()?;
        let Some(mut look) = store.look_at(self.cluster, Time::NEVER).map_err(|error| self.refused(error))?
        else {
            return Err(Refusal::input(format!("{}: no look at {} yet", self.location, self.name))
                .hint("is queuecast collect running?"));
        };
        if self.told.is_some() && self.is_computed_soon(&store, &look)? {
            // Meanwhile an earlier one may have been computed.
            let found = store.starts_up_to(self.cluster, look.number).map_err(|error| self.refused(error))?;
            let Some((number, at, _)) = found.filter(|found| self.told.is_none_or(|told| told.0 < found.0))
            else {
                return Ok(None);
            };
            match store
                .look_at(self.cluster, at)
                .map_err(|error| self.refused(error))?
                .filter(|one| one.number == number)
            {
                Some(one) => look = one,
                None => return Ok(None),
            }
        }
        let this = (look.number, look.look.at);
        if self.told == Some(this) {
            return Ok(None);
        }
        let (place, nodes) = self.place(&store, &look)?;
        let at = look.look.at;
        let judged =
            store.forecasts(self.cluster, at - Scorecard::USUAL, at).map_err(|error| self.refused(error))?;
        let waiting = waiting_jobs(&look.look);
        let of = (self.location.to_string(), self.name.clone());
        let span = PastSpan { from: at - Scorecard::USUAL, until: at };
        let scorecard = Scorecard::of(of, (span, at), &judged, &waiting);
        let record = store.shadow(self.cluster, (at - COUNTED, at)).map_err(|error| self.refused(error))?;
        let of = (self.location.to_string(), self.name.clone());
        let shadow = ShadowCard::of(of, (at - COUNTED, at), record);
        let past_from = store.first_look(self.cluster).map_err(|error| self.refused(error))?;
        self.told = Some(this);
        let said = said_of(&judged, &place);
        Ok(Some(SiteSnapshot {
            place,
            scorecard,
            forecasts: None,
            shadow,
            said,
            past_from,
            nodes: Some(nodes),
        }))
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
