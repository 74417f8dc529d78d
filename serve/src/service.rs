//! What all requests share.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use queuecast_trace::TimeZone;
use tokio::sync::{Semaphore, watch};

use crate::access::Access;
use crate::assets::Assets;
use crate::cluster::{ClusterCourse, ClusterState, ServedCluster};
use crate::computing::ComputingRoom;
use crate::log_event::LogEvent;
use crate::metrics::ServiceMetrics;
use crate::pseudonyms::Pseudonyms;
use crate::question::ServedQuestion;
use crate::refused::Refused;

/// What a service may use at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Bytes of the body of a request.
    pub body: usize,
    /// How long a client may take to send the head of a request, and its body, and to take some of an answer.
    pub reading: Duration,
    /// How long a request may take in all.
    pub request: Duration,
    /// Connections at once.
    pub connections: usize,
    /// Viewers of events at once.
    pub viewers: usize,
    /// Questions that are computed at once.
    pub computed: usize,
    /// Questions about several jobs together that are computed at once, beside the others.
    pub campaigns: usize,
}

impl Default for ServiceLimits {
    fn default() -> ServiceLimits {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        ServiceLimits {
            body: 64 << 10,
            reading: Duration::from_secs(10),
            request: Duration::from_secs(20),
            connections: 4_096,
            viewers: 3_000,
            computed: cores,
            campaigns: ServiceLimits::campaigns_beside(cores),
        }
    }
}

impl ServiceLimits {
    /// Questions about several jobs together, unless their number is given: half as many as others at once.
    pub fn campaigns_beside(computed: usize) -> usize {
        (computed / 2).max(1)
    }
}

/// Questions about settings that wait while one is computed, at most.
const WAITING_SETTINGS: usize = 4;

/// Questions about several jobs together that wait for their turn, at most. Each takes seconds.
const WAITING_CAMPAIGNS: usize = 8;

/// Takes what is told.
pub(crate) type Tell = Arc<dyn Fn(LogEvent) + Send + Sync>;

/// What can be changed while a service runs.
#[derive(Debug, Clone)]
pub struct ServiceRules {
    /// What requests must bring.
    pub access: Access,
    /// What a request may use. How many there may be at once of anything is decided when the service begins.
    pub limits: ServiceLimits,
    /// Where a proxy names users, those that may ask what a setting would change.
    pub administrators: Vec<String>,
    /// Whether each request is told.
    pub log_requests: bool,
}

/// How a service behaves.
pub struct ServiceSettings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where `/metrics` is answered besides, without a token; nowhere if `None`.
    pub metrics_listen: Option<SocketAddr>,
    /// What requests must bring.
    pub access: Access,
    /// What it may use.
    pub limits: ServiceLimits,
    /// Whether the names of other users are replaced.
    pub anonymous: bool,
    /// Where a proxy names users, those that may ask what a setting would change.
    pub administrators: Vec<String>,
    /// Whether each request is told.
    pub log_requests: bool,
    /// The zone of dates.
    pub zone: TimeZone,
    /// Takes what is told.
    pub tell: Arc<dyn Fn(LogEvent) + Send + Sync>,
}

/// What all requests share.
pub struct Service {
    pub(crate) clusters: Vec<ClusterState>,
    rules: RwLock<Arc<ServiceRules>>,
    pub(crate) words: Option<Pseudonyms>,
    pub(crate) zone: TimeZone,
    pub(crate) assets: Assets,
    pub(crate) metrics: ServiceMetrics,
    /// Room for questions that are computed; looks have other threads.
    pub(crate) computed: ComputingRoom,
    /// Room for questions about several jobs together, which take far longer.
    pub(crate) campaigns: ComputingRoom,
    /// Room for one question about settings that is computed, and for those that wait for it.
    pub(crate) settings_turn: Arc<Semaphore>,
    pub(crate) settings_waiting: Arc<Semaphore>,
    /// Room for viewers of events.
    pub(crate) viewers: Arc<Semaphore>,
    /// Whether it is to end.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) tell: Tell,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("clusters", &self.clusters).finish_non_exhaustive()
    }
}

impl Service {
    /// Before the first look at any cluster.
    pub fn new(clusters: &[ServedCluster], settings: &ServiceSettings) -> Service {
        let limits = settings.limits;
        Service {
            clusters: clusters.iter().map(ClusterState::of).collect(),
            rules: RwLock::new(Arc::new(ServiceRules {
                access: settings.access.clone(),
                limits,
                administrators: settings.administrators.clone(),
                log_requests: settings.log_requests,
            })),
            words: settings.anonymous.then(Pseudonyms::default),
            zone: settings.zone.clone(),
            assets: Assets::new(),
            metrics: ServiceMetrics::default(),
            computed: ComputingRoom::new(limits.computed, None, ("answer", limits.computed)),
            // One alone may use as many threads as all other questions.
            campaigns: ComputingRoom::new(
                limits.campaigns,
                Some(WAITING_CAMPAIGNS),
                ("campaign", limits.computed),
            ),
            settings_turn: Arc::new(Semaphore::new(1)),
            settings_waiting: Arc::new(Semaphore::new(WAITING_SETTINGS)),
            viewers: Arc::new(Semaphore::new(limits.viewers)),
            stop: watch::Sender::new(false),
            tell: settings.tell.clone(),
        }
    }

    /// Whether the user of a request may ask what is for administrators: where a proxy names users, those that are named as such.
    pub(crate) fn administers(&self, question: &ServedQuestion) -> bool {
        let rules = self.rules();
        rules.access.user_header.is_none()
            || question.user.as_ref().is_some_and(|user| rules.administrators.contains(user))
    }

    /// Why no cluster can be followed any more, if that is so: there is nothing left to serve but what was seen last.
    pub(crate) fn failure(&self) -> Option<String> {
        let why = |one: &ClusterState| {
            let failed = one.course() == ClusterCourse::Failed;
            failed.then(|| format!("{}: {}", one.name, one.why_failed().unwrap_or_default()))
        };
        let all: Option<Vec<String>> = self.clusters.iter().map(why).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.join("; "))
    }

    /// What holds for a request that begins now.
    pub(crate) fn rules(&self) -> Arc<ServiceRules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests that begin from now on are answered by other rules.
    pub fn change(&self, rules: ServiceRules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// The cluster that is asked about.
    pub(crate) fn cluster(&self, question: &ServedQuestion) -> Result<&ClusterState, Refused> {
        let names = || self.clusters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = match question.text("cluster") {
            Some(name) => self.clusters.iter().find(|one| one.name == name),
            None => self.clusters.first(),
        };
        found.ok_or_else(|| {
            let asked = question.text("cluster").unwrap_or_default();
            Refused::question(format!("cluster={asked}: it is not served"), format!("there is {}", names()))
        })
    }
}
