//! What a collector computes between two looks: it learns from accounting, and forecasts the jobs that wait. Looks do not wait for it.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use queuecast::asking::Messages;
use queuecast::units::Time;
use queuecast_live::{
    ClusterNumber, JobForecast, LearnedParts, LearningError, SqliteStore, Store, StoreError, forecast, learn,
};

/// Learning takes at most one part in this many of the time.
const SHARE_OF_TIME: u32 = 10;

/// What was computed.
#[derive(Debug, Default)]
pub struct Computed {
    /// What was learned, if it was its turn and there is something to learn from.
    pub learned: Option<LearnedParts>,
    /// What is said of waiting jobs.
    pub forecasts: Vec<JobForecast>,
    /// How long learning took.
    took: Duration,
}

impl Computed {
    /// Stores it.
    pub fn store(&self, store: &mut impl Store, cluster: ClusterNumber) -> Result<(), StoreError> {
        if let Some(learned) = &self.learned {
            store.keep_learned(cluster, learned.until, &learned.parts)?;
        }
        if self.forecasts.is_empty() { Ok(()) } else { store.add_forecasts(cluster, &self.forecasts) }
    }

    /// In words; empty if there is nothing.
    pub fn line(&self) -> String {
        let mut said = Vec::new();
        if self.learned.is_some() {
            said.push(format!("learned from accounting in {:.1} s", self.took.as_secs_f64()));
        }
        match self.forecasts.len() {
            0 => {}
            1 => said.push("1 waiting job forecast".to_owned()),
            jobs => said.push(format!("{jobs} waiting jobs forecast")),
        }
        said.join("; ")
    }
}

/// Computes in a thread of its own.
pub struct BetweenLooks {
    file: PathBuf,
    cluster: ClusterNumber,
    running: Option<JoinHandle<Result<Computed, LearningError>>>,
    learned: Option<(Instant, Duration)>,
}

impl BetweenLooks {
    /// For a cluster of a store.
    pub fn of(file: &Path, cluster: ClusterNumber) -> BetweenLooks {
        BetweenLooks { file: file.to_owned(), cluster, running: None, learned: None }
    }

    /// Begins after a look, unless the last time is still running. Accounting is learned from if it is `fresh`, and not all the time.
    pub fn begin(&mut self, at: Time, fresh: bool) {
        if self.running.is_some() {
            return;
        }
        let learns = fresh && self.learned.is_none_or(|(when, took)| when.elapsed() >= took * SHARE_OF_TIME);
        let (file, cluster) = (self.file.clone(), self.cluster);
        let spawned = std::thread::Builder::new()
            .name("between looks".to_owned())
            .spawn(move || compute(&SqliteStore::open_to_read(&file)?, cluster, at, learns));
        // Without a thread there is no forecast at this look.
        self.running = spawned.ok();
    }

    /// What was computed, once it is.
    pub fn done(&mut self) -> Option<Result<Computed, LearningError>> {
        let computed = self.running.take_if(|running| running.is_finished())?.join().ok()?;
        if let Ok(Computed { learned: Some(_), took, .. }) = &computed {
            self.learned = Some((Instant::now(), *took));
        }
        Some(computed)
    }
}

/// Learns, if it is to, and forecasts by what was learned before.
fn compute(
    store: &impl Store,
    cluster: ClusterNumber,
    at: Time,
    learns: bool,
) -> Result<Computed, LearningError> {
    let begun = Instant::now();
    let learned = if learns { learn(store, cluster, at, &Silent)? } else { None };
    let took = begun.elapsed();
    Ok(Computed { learned, forecasts: forecast(store, cluster, at, &Silent)?, took })
}

/// Learns if it is to, forecasts by that, and stores both.
pub fn compute_now(
    store: &mut impl Store,
    cluster: ClusterNumber,
    at: Time,
    learns: bool,
    messages: &dyn Messages,
) -> Result<Computed, LearningError> {
    let begun = Instant::now();
    let learned = if learns { learn(store, cluster, at, messages)? } else { None };
    let mut computed = Computed { learned, took: begun.elapsed(), ..Computed::default() };
    computed.store(store, cluster)?;
    computed.forecasts = forecast(store, cluster, at, messages)?;
    if !computed.forecasts.is_empty() {
        store.add_forecasts(cluster, &computed.forecasts)?;
    }
    Ok(computed)
}

/// What happens between looks is told when it is done.
struct Silent;

impl Messages for Silent {
    fn note(&self, _: &str) {}

    fn warning(&self, _: &str) {}

    fn begins(&self, _: &str, _: usize) {}

    fn done(&self, _: usize) {}
}
