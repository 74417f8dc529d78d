//! A followed site at a moment, by what its store remembers.

use std::collections::HashSet;

use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::units::{Seconds, Time};
use queuecast_place::{LiveSite, RecallModel, SlurmPlace};
use queuecast_trace::PastSpan;

use crate::forecasts::{JobForecast, waiting_jobs};
use crate::learning::{KeptLearning, site_at};
use crate::own_scheduler::{known_scheduler, scheduler_at};
use crate::scorecard::Scorecard;
use crate::shadow_card::ShadowCard;
use crate::store::{ClusterNumber, SqlStore, Store, StoreError, StoreLocation, StoredLook};
use crate::store_checks::FRESH;

/// What was learned longer ago than this is said to be old.
const OLD: Seconds = Seconds(86_400);

/// A store that is read for one cluster.
pub struct OpenStore {
    location: StoreLocation,
    store: SqlStore,
    cluster: ClusterNumber,
    name: String,
}

/// What was learned of a followed site, and its models.
pub struct KeptModels {
    /// What to call it.
    pub name: String,
    /// What was learned.
    pub learning: KeptLearning,
    /// Has the models by their names.
    pub recall: Box<RecallModel<'static>>,
}

impl OpenStore {
    /// The store at this place, with the cluster that is named, or the only one in it; `None` if there is no such store, and no user has
    /// named it.
    ///
    /// # Errors
    /// If the store that is named cannot be read, or does not have the cluster, or has several and none is named.
    pub fn find(
        location: StoreLocation,
        is_named: bool,
        cluster: Option<&str>,
    ) -> Result<Option<OpenStore>, Refusal> {
        if !location.may_exist() {
            if is_named {
                return Err(Refusal::input(format!("{location}: there is no such store"))
                    .hint("queuecast collect makes one"));
            }
            return Ok(None);
        }
        let store = SqlStore::open_to_read(&location).map_err(|error| refused_store(&location, error))?;
        let clusters = store.clusters().map_err(|error| refused_store(&location, error))?;
        let names: Vec<&str> = clusters.iter().map(|one| one.0.as_str()).collect();
        if let Some(name) = cluster {
            return match clusters.iter().find(|one| one.0 == name) {
                Some((name, cluster)) => {
                    Ok(Some(OpenStore { cluster: *cluster, name: name.clone(), location, store }))
                }
                None if !is_named => Ok(None),
                None => Err(Refusal::question(format!("--cluster {name}: {location} does not have it"))
                    .hint(format!(
                        "it has {}",
                        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
                    ))),
            };
        }
        match &clusters[..] {
            [(name, cluster)] => {
                Ok(Some(OpenStore { cluster: *cluster, name: name.clone(), location, store }))
            }
            [] if !is_named => Ok(None),
            [] => Err(Refusal::input(format!("{location}: no cluster has been collected into it"))
                .hint("queuecast collect fills it")),
            _ => Err(Refusal::question(format!("{location} has several clusters: {}", names.join(", ")))
                .hint("name one with --cluster")),
        }
    }

    /// The name of the cluster.
    pub fn cluster_name(&self) -> &str {
        &self.name
    }

    /// When the last look was.
    pub fn last_look(&self) -> Result<Option<Time>, Refusal> {
        self.told(self.store.last_look(self.cluster))
    }

    /// What was said of a job at looks since a moment; of a job that was submitted again, since then.
    pub fn said_of(&self, job: &str, since: Time, at: Time) -> Result<Vec<JobForecast>, Refusal> {
        let judged = self.told(self.store.forecasts(self.cluster, since, at))?;
        let named = |one: &JobForecast| one.job.split(' ').next() == Some(job);
        let mut said: Vec<JobForecast> = judged.into_iter().map(|one| one.forecast).filter(named).collect();
        let last = said.iter().map(|one| one.submit).max();
        said.retain(|one| Some(one.submit) == last);
        Ok(said)
    }

    fn told<T>(&self, result: Result<T, StoreError>) -> Result<T, Refusal> {
        result.map_err(|error| refused_store(&self.location, error))
    }

    /// The last look, if it is fresh enough to stand for asking Slurm; else it is said how old it is.
    pub fn fresh_look(&self, now: Time, messages: &dyn Messages) -> Result<Option<LiveSite>, Refusal> {
        let Some(look) = self.told(self.store.look_at(self.cluster, now))? else { return Ok(None) };
        let age = now - look.look.at;
        if age <= FRESH {
            return Ok(Some(site_at(&self.answered(look, now)?.look)?));
        }
        let why = self.told(self.store.last_failure(self.cluster))?;
        let why = why.map_or(String::new(), |failure| format!(" (then: {})", failure.why));
        messages.note(&format!(
            "the last look at Slurm in {} was {} ago{why}; Slurm is asked itself",
            self.location,
            minutes(age)
        ));
        Ok(None)
    }

    /// The site of a fresh look by which a job is known that an earlier one, by which questions are answered, does not have; `None` if it
    /// is not in the last look either.
    pub fn look_with(&self, job: &str, now: Time) -> Result<Option<LiveSite>, Refusal> {
        let look = self.told(self.store.look_at(self.cluster, now))?;
        let Some(look) = look.filter(|look| now - look.look.at <= FRESH) else { return Ok(None) };
        Ok(Some(site_at(&look.look)?).filter(|site| site.has(job)))
    }

    /// How long it is until the next look, if looks go on as the last two did.
    pub fn until_next_look(&self, now: Time) -> Result<Option<Seconds>, Refusal> {
        let times = self.told(self.store.look_times(self.cluster, (now - FRESH - FRESH, now)))?;
        let [.., before, last] = times[..] else { return Ok(None) };
        Ok(Some((last + (last - before) - now).max(Seconds::ZERO)))
    }

    /// A fresh look, or an earlier fresh one if the collector has not yet found out when the jobs of the last one start.
    fn answered(&self, look: StoredLook, now: Time) -> Result<StoredLook, Refusal> {
        let found = self.told(self.store.starts_up_to(self.cluster, look.number))?;
        let Some((number, at, _)) = found.filter(|found| found.0 < look.number && now - found.1 <= FRESH)
        else {
            return Ok(look);
        };
        let before = self.told(self.store.look_at(self.cluster, at))?;
        Ok(before.filter(|before| before.number == number).unwrap_or(look))
    }

    /// The site as the last look by a moment saw it.
    pub fn site_at(&self, at: Time, messages: &dyn Messages) -> Result<LiveSite, Refusal> {
        let Some(look) = self.told(self.store.look_at(self.cluster, at))? else {
            return Err(Refusal::input(format!("{}: it has no look from so early a moment", self.location))
                .hint("looks are kept for 30 days, or as collect --keep says"));
        };
        let age = at - look.look.at;
        if age > FRESH {
            messages.note(&format!("the last look at Slurm by then was {} before", minutes(age)));
        }
        site_at(&look.look)
    }

    /// What was learned of it by the moment of a look, if there is something for every queue there was then.
    pub fn learned(
        self,
        site: &LiveSite,
        messages: &dyn Messages,
    ) -> Result<Result<KeptModels, OpenStore>, Refusal> {
        let found = self.told(KeptLearning::find(&self.store, self.cluster, site.asked))?;
        let Some(learning) = found.filter(|one| one.knows(site)) else { return Ok(Err(self)) };
        let age = site.asked - learning.until();
        if age > OLD {
            messages.note(&format!(
                "what was learned is of {} before; is queuecast collect running?",
                minutes(age)
            ));
        }
        let (name, until) = (self.location.to_string(), learning.until());
        let look = self.told(self.store.look_at(self.cluster, site.asked))?;
        let scheduler = match &look {
            Some(look) => known_scheduler(&self.store, self.cluster, (look, site), &name, messages),
            None => Ok(None),
        };
        let scheduler = self.told(scheduler)?.map(|place| place.for_questions(messages));
        let learning = learning.with_scheduler(scheduler);
        let recall = Box::new(move |name: &str| self.store.learned(self.cluster, until, name).ok().flatten());
        Ok(Ok(KeptModels { name, learning, recall }))
    }

    /// The site with its own scheduler while nothing was learned of it: by what a collector has found of the look, unless all is to be found
    /// anew; `None`, which is said, if it cannot be asked.
    pub fn scheduler(
        &self,
        site: &LiveSite,
        is_anew: bool,
        messages: &dyn Messages,
    ) -> Result<Option<SlurmPlace>, Refusal> {
        let name = self.location.to_string();
        let look = self.told(self.store.look_at(self.cluster, site.asked))?.filter(|_| !is_anew);
        let place = match &look {
            Some(look) => known_scheduler(&self.store, self.cluster, (look, site), &name, messages),
            None => scheduler_at(&self.store, self.cluster, site, &name, messages),
        };
        Ok(self.told(place)?.map(|place| place.for_questions(messages)))
    }

    /// How right the forecasts of a time were, by what is known at the last look; of this length before that look, if no other is named.
    pub fn scorecard(
        &self,
        (last, named): (Seconds, Option<PastSpan>),
        now: Time,
    ) -> Result<Scorecard, Refusal> {
        let look = self.told(self.store.look_at(self.cluster, now))?;
        let (at, waiting) = match &look {
            Some(look) => (look.look.at, waiting_jobs(&look.look)),
            None => (now, HashSet::new()),
        };
        let span = named.unwrap_or(PastSpan { from: at - last, until: at });
        let judged = self.told(self.store.forecasts(self.cluster, span.from, at))?;
        let of = (self.location.to_string(), self.name.clone());
        Ok(Scorecard::of(of, (span, at), &judged, &waiting))
    }

    /// How far the simulated scheduler decided as the real one within this time before the last look.
    pub fn shadow(&self, last: Seconds, now: Time) -> Result<ShadowCard, Refusal> {
        let at = self.last_look()?.unwrap_or(now);
        let between = (at - last, at);
        let record = self.told(self.store.shadow(self.cluster, between))?;
        Ok(ShadowCard::of((self.location.to_string(), self.name.clone()), between, record))
    }

    /// Its accounting, as far as it had been submitted by a moment: what to call it, and its text; `None` if there is none.
    pub fn history(&self, at: Time) -> Result<Option<(String, Vec<u8>)>, Refusal> {
        let mut text = Vec::new();
        let lines = self.told(self.store.write_history(self.cluster, at, &mut text))?;
        Ok((lines > 0).then(|| (self.location.to_string(), text)))
    }
}

/// What a store says is wrong with it.
pub fn refused_store(location: &StoreLocation, error: StoreError) -> Refusal {
    let refusal = Refusal::input(format!("{location}: {error}"));
    match error.hint() {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

fn minutes(age: Seconds) -> String {
    match age.0 {
        0..7200 => format!("{} minutes", age.0 / 60),
        7200..172_800 => format!("{} hours", age.0 / 3600),
        _ => format!("{} days", age.0 / 86_400),
    }
}
