//! A cluster that is served: how it is followed, and what was seen of it last.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queuecast_core::asking::Refusal;
use queuecast_live::{FollowedSite, StoredSite};
use serde::Serialize;
use tokio::sync::watch;

use crate::played_past::PlayedPast;
use crate::snapshot::ServedSnapshot;

/// What a cluster is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterKind {
    /// Made-up jobs.
    Demo,
    /// A log that is played.
    Log,
    /// A Slurm cluster that is collected.
    Slurm,
}

/// A cluster to serve.
pub struct ServedCluster {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: ClusterKind,
    /// Seconds of a log that pass in one second.
    pub speed: Option<f64>,
    /// Follows it.
    pub site: Box<dyn FollowedSite>,
    /// Where earlier moments of it are kept, if a store keeps them.
    pub store: Option<StoredSite>,
}

/// A look older than this is called stale: two looks of the collector's usual interval and a minute.
const FRESH: Duration = Duration::from_secs(300);

/// Whether a cluster is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClusterCourse {
    /// It is.
    Followed,
    /// A log has been played to its end.
    Ended,
    /// It cannot be followed any more.
    Failed,
}

/// A cluster as requests see it.
#[derive(Debug)]
pub(crate) struct ClusterState {
    pub name: String,
    pub kind: ClusterKind,
    pub speed: Option<f64>,
    pub store: Option<StoredSite>,
    /// The last look.
    pub last: watch::Sender<Option<Arc<ServedSnapshot>>>,
    /// Earlier looks of a played log.
    pub past: Mutex<PlayedPast>,
    /// Why the last look failed, if it did.
    pub failure: Mutex<Option<Refusal>>,
    /// Whether it is followed.
    pub course: Mutex<ClusterCourse>,
}

/// A cluster in the list.
#[derive(Debug, Serialize)]
pub(crate) struct ClusterRow<'a> {
    name: &'a str,
    kind: ClusterKind,
    /// On the clock of the site; `null` before the first look.
    now: Option<i64>,
    /// The Unix second that times of answers about this cluster count from; `null` for a log without dates.
    epoch: Option<i64>,
    /// The Unix second of the last look by the clock of this machine; at a Slurm site the moment of the look.
    last_look: Option<i64>,
    age_seconds: Option<i64>,
    state: &'static str,
    /// Why the last look failed.
    failure: Option<String>,
    speed: Option<f64>,
    processors: Option<u64>,
    nodes: Option<usize>,
    partitions: Vec<String>,
    /// The earliest moment that can be asked about, on the clock of the site.
    past_from: Option<i64>,
}

pub(crate) fn unix(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}

impl ClusterState {
    /// Before its first look.
    pub fn of(cluster: &ServedCluster) -> ClusterState {
        ClusterState {
            name: cluster.name.clone(),
            kind: cluster.kind,
            speed: cluster.speed,
            store: cluster.store.clone(),
            last: watch::Sender::new(None),
            past: Mutex::default(),
            failure: Mutex::default(),
            course: Mutex::new(ClusterCourse::Followed),
        }
    }

    /// The last look.
    pub fn snapshot(&self) -> Option<Arc<ServedSnapshot>> {
        self.last.borrow().clone()
    }

    /// When the last look was: of a Slurm site as the collector made it, of a log as it was played.
    fn looked(&self, snapshot: &ServedSnapshot) -> i64 {
        match self.kind {
            ClusterKind::Slurm => snapshot.site.place.now(),
            ClusterKind::Demo | ClusterKind::Log => unix(snapshot.made),
        }
    }

    /// Seconds since the last look.
    pub fn age(&self) -> Option<i64> {
        let snapshot = self.snapshot()?;
        Some((unix(SystemTime::now()) - self.looked(&snapshot)).max(0))
    }

    /// Whether it is followed.
    pub fn course(&self) -> ClusterCourse {
        *self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it is followed, or not; whether that is new.
    pub fn goes(&self, course: ClusterCourse) -> bool {
        let mut last = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *last, course) != course
    }

    /// Why the last look failed, if it did.
    pub fn why_failed(&self) -> Option<String> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(|refusal| refusal.what.clone())
    }

    /// In the list.
    pub fn row(&self) -> ClusterRow<'_> {
        let (snapshot, age, failure) = (self.snapshot(), self.age(), self.why_failed());
        let place = snapshot.as_ref().map(|one| &one.site.place);
        let past = self.past.lock().unwrap_or_else(PoisonError::into_inner).first();
        let is_old = age.is_some_and(|age| age > FRESH.as_secs() as i64);
        ClusterRow {
            name: &self.name,
            kind: self.kind,
            now: place.map(|place| place.now()),
            epoch: place.and_then(|place| place.pending.epoch),
            last_look: snapshot.as_ref().map(|one| self.looked(one)),
            age_seconds: age,
            state: match self.course() {
                ClusterCourse::Failed => "failed",
                ClusterCourse::Ended => "ended",
                _ if snapshot.is_none() => "starting",
                _ if is_old && self.kind == ClusterKind::Slurm => "stale",
                _ => "ok",
            },
            failure,
            speed: self.speed,
            processors: place.map(|place| place.machine.processors),
            nodes: snapshot.as_ref().and_then(|one| one.site.nodes),
            partitions: place.map(|place| place.partitions()).unwrap_or_default(),
            past_from: snapshot.as_ref().and_then(|one| one.site.past_from).map(|at| at.0).or(past),
        }
    }
}

impl ClusterRow<'_> {
    /// Why there is no look yet, after what is said of it.
    pub fn why_not(&self) -> String {
        self.failure.as_ref().map_or_else(String::new, |why| format!(" ({why})"))
    }
}
