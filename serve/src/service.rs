//! What all requests share.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use queuecast_trace::TimeZone;
use tokio::sync::{Semaphore, watch};

use crate::access::Access;
use crate::assets::Assets;
use crate::cluster::{ClusterState, ServedCluster};
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
        }
    }
}

/// Something that is told on standard error: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEvent {
    /// What happened, and its values by name.
    pub line: String,
    /// Whether something is wrong.
    pub is_warning: bool,
}

impl LogEvent {
    pub(crate) fn new(event: &str, values: &[(&str, &str)]) -> LogEvent {
        let mut line = format!("event={event}");
        for (name, value) in values {
            let is_plain = !value.is_empty()
                && value.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '=' && c != '\\');
            // Control characters of a client's making do not reach a terminal.
            let value = if is_plain { (*value).to_owned() } else { format!("{value:?}") };
            line += &format!(" {name}={value}");
        }
        LogEvent { line, is_warning: false }
    }

    pub(crate) fn warning(self) -> LogEvent {
        LogEvent { is_warning: true, ..self }
    }
}

/// Takes what is told.
pub(crate) type Tell = Arc<dyn Fn(LogEvent) + Send + Sync>;

/// How a service behaves.
pub struct ServiceSettings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What requests must bring.
    pub access: Access,
    /// What it may use.
    pub limits: ServiceLimits,
    /// Whether the names of other users are replaced.
    pub anonymous: bool,
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
    pub(crate) access: Access,
    pub(crate) limits: ServiceLimits,
    pub(crate) words: Option<Pseudonyms>,
    pub(crate) zone: TimeZone,
    pub(crate) assets: Assets,
    pub(crate) metrics: ServiceMetrics,
    /// Room for questions that are computed.
    pub(crate) room: Arc<Semaphore>,
    /// Room for viewers of events.
    pub(crate) viewers: Arc<Semaphore>,
    /// Whether it is to end.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) log_requests: bool,
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
        Service {
            clusters: clusters.iter().map(ClusterState::of).collect(),
            access: settings.access.clone(),
            limits: settings.limits,
            words: settings.anonymous.then(Pseudonyms::default),
            zone: settings.zone.clone(),
            assets: Assets::new(),
            metrics: ServiceMetrics::default(),
            room: Arc::new(Semaphore::new(settings.limits.computed)),
            viewers: Arc::new(Semaphore::new(settings.limits.viewers)),
            stop: watch::Sender::new(false),
            log_requests: settings.log_requests,
            tell: settings.tell.clone(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_one_line_whatever_a_client_sends() {
        let told = LogEvent::new("request", &[("path", "/x"), ("by", "a b"), ("agent", "x\n\u{1b}[2J\"")]);
        assert_eq!(told.line, "event=request path=/x by=\"a b\" agent=\"x\\n\\u{1b}[2J\\\"\"");
    }
}
