//! What a collector computes between two looks: it learns from accounting, and forecasts the jobs that wait. Looks do not wait for it.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use queuecast::asking::Messages;
use queuecast::units::Time;
use queuecast_live::{
    ClusterNumber, JobForecast, LearnedParts, LearningError, SqliteStore, Store, StoreError, forecast,
    is_learned, learn,
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
    /// What could not be done.
    pub failures: Vec<LearningError>,
    /// How long learning took, if it was tried.
    took: Option<Duration>,
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
        if let Some(took) = self.took.filter(|_| self.learned.is_some()) {
            said.push(format!("learned from accounting in {:.1} s", took.as_secs_f64()));
        }
        match self.forecasts.len() {
            0 => {}
            1 => said.push("1 waiting job forecast".to_owned()),
            jobs => said.push(format!("{jobs} waiting jobs forecast")),
        }
        said.join("; ")
    }

    /// Learns, if it is to.
    fn learn(&mut self, store: &impl Store, cluster: ClusterNumber, at: Time, messages: &dyn Messages) {
        let begun = Instant::now();
        match learn(store, cluster, at, messages) {
            Ok(learned) => self.learned = learned,
            Err(error) => self.failures.push(error),
        }
        self.took = Some(begun.elapsed());
    }

    /// Forecasts by what the store has learned.
    fn forecast(&mut self, store: &impl Store, cluster: ClusterNumber, at: Time, messages: &dyn Messages) {
        match forecast(store, cluster, at, messages) {
            Ok(forecasts) => self.forecasts = forecasts,
            Err(error) => self.failures.push(error),
        }
    }
}

/// Computes in a thread of its own.
pub struct BetweenLooks {
    file: PathBuf,
    cluster: ClusterNumber,
    running: Option<JoinHandle<Computed>>,
    /// When learning was tried last, and how long that took.
    tried: Option<(Instant, Duration)>,
    /// Whether there is accounting that was not learned from.
    is_due: bool,
    /// Whether the history is complete, so that there is something to learn from.
    is_complete: bool,
}

impl BetweenLooks {
    /// For a cluster of a store.
    pub fn of(file: &Path, cluster: ClusterNumber) -> BetweenLooks {
        let file = file.to_owned();
        BetweenLooks { file, cluster, running: None, tried: None, is_due: false, is_complete: false }
    }

    /// Accounting was loaded; `is_complete` tells whether up to now.
    pub fn loaded(&mut self, is_complete: bool) {
        self.is_due |= is_complete;
        self.is_complete = is_complete;
    }

    /// Begins after a look, unless the last time is still running. It is learned if accounting is new or the site has changed, and not
    /// all the time.
    pub fn begin(&mut self, at: Time) {
        if self.running.is_some() {
            return;
        }
        let has_time = self.tried.is_none_or(|(when, took)| when.elapsed() >= took * SHARE_OF_TIME);
        let (may_learn, is_due) = (has_time && self.is_complete, self.is_due);
        let (file, cluster) = (self.file.clone(), self.cluster);
        let compute = move || {
            let mut computed = Computed::default();
            match SqliteStore::open_to_read(&file) {
                Ok(store) => {
                    let is_known = is_learned(&store, cluster, at).unwrap_or(true);
                    if may_learn && (is_due || !is_known) {
                        computed.learn(&store, cluster, at, &Silent);
                    }
                    computed.forecast(&store, cluster, at, &Silent);
                }
                Err(error) => computed.failures.push(error.into()),
            }
            computed
        };
        let spawned = std::thread::Builder::new().name("between looks".to_owned()).spawn(compute);
        // Without a thread there is no forecast at this look.
        self.running = spawned.ok();
    }

    /// What was computed, once it is.
    pub fn done(&mut self) -> Option<Computed> {
        let computed = self.running.take_if(|running| running.is_finished())?.join().ok()?;
        if let Some(took) = computed.took {
            self.tried = Some((Instant::now(), took));
            self.is_due &= computed.learned.is_none();
        }
        Some(computed)
    }
}

/// Learns if it is to, forecasts by that, and stores both.
pub fn compute_now(
    store: &mut impl Store,
    cluster: ClusterNumber,
    at: Time,
    learns: bool,
    messages: &dyn Messages,
) -> Result<Computed, StoreError> {
    let mut computed = Computed::default();
    if learns {
        computed.learn(store, cluster, at, messages);
    }
    computed.store(store, cluster)?;
    computed.forecast(store, cluster, at, messages);
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
