//! The thread that follows a cluster, and publishes what it sees.

use std::io;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use queuecast_core::units::Seconds;
use queuecast_live::{FollowedSite, SiteNews};

use crate::cluster::{ClusterCourse, ClusterState, ServedCluster};
use crate::log_event::LogEvent;
use crate::played_past::QueueThen;
use crate::service::Service;
use crate::snapshot::ServedSnapshot;

/// Time between two looks at a played log, and at a store.
const PLAYED: Duration = Duration::from_secs(1);
const STORED: Duration = Duration::from_secs(5);

/// How often it is looked whether the service ends.
const MOMENT: Duration = Duration::from_millis(50);

/// Publishes what a cluster tells.
struct Publisher<'a> {
    service: &'a Service,
    cluster: &'a ClusterState,
    looks: u64,
    /// When the log went on last.
    since: Instant,
}

impl Publisher<'_> {
    fn heard(&mut self, news: SiteNews) -> Option<Seconds> {
        match news {
            SiteNews::Snapshot(site) => {
                self.looks += 1;
                let words = self.service.words.as_ref();
                let snapshot = ServedSnapshot::of(*site, &self.cluster.name, self.looks, words);
                self.publish(snapshot);
            }
            SiteNews::Failed(refusal) => {
                let mut failure = self.cluster.failure.lock().unwrap_or_else(PoisonError::into_inner);
                // A failure that repeats is told once.
                if failure.as_ref() != Some(&refusal) {
                    let values = [("cluster", self.cluster.name.as_str()), ("why", &refusal.what)];
                    (self.service.tell)(LogEvent::new("look-failed", &values).warning());
                    *failure = Some(refusal);
                }
            }
            SiteNews::Ended => {
                if self.cluster.goes(ClusterCourse::Ended) {
                    let values = [("cluster", self.cluster.name.as_str())];
                    (self.service.tell)(LogEvent::new("played-to-end", &values));
                }
            }
            // It can be looked at again, and has not changed.
            SiteNews::Nothing => {
                let failure = self.cluster.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
                if failure.is_some() {
                    let values = [("cluster", self.cluster.name.as_str())];
                    (self.service.tell)(LogEvent::new("look-works-again", &values));
                }
            }
        }
        self.wait()
    }

    fn publish(&mut self, snapshot: ServedSnapshot) {
        let then = QueueThen {
            now: snapshot.site.place.now(),
            pending: snapshot.site.place.pending.clone(),
            machine: snapshot.site.place.machine.clone(),
            bytes: snapshot.pending.len() + snapshot.machine.len(),
        };
        if self.cluster.store.is_none() {
            self.cluster.past.lock().unwrap_or_else(PoisonError::into_inner).add(then);
        }
        let failure = self.cluster.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.looks == 1 || failure.is_some() {
            let waiting = snapshot.site.place.pending.jobs.len().to_string();
            let values = [("cluster", self.cluster.name.as_str()), ("waiting", &waiting)];
            let event = if self.looks == 1 { "ready" } else { "look-works-again" };
            (self.service.tell)(LogEvent::new(event, &values));
            self.since = Instant::now();
        }
        self.cluster.last.send_replace(Some(Arc::new(snapshot)));
    }

    /// Waits until the next look; how far a log goes on then. `None` once the service ends.
    fn wait(&mut self) -> Option<Seconds> {
        let begun = Instant::now();
        let between = if self.cluster.speed.is_some() { PLAYED } else { STORED };
        while begun.elapsed() < between {
            if *self.service.stop.borrow() {
                return None;
            }
            std::thread::sleep(MOMENT);
        }
        let Some(speed) = self.cluster.speed else { return Some(Seconds::ZERO) };
        let ahead = (self.since.elapsed().as_secs_f64() * speed).floor();
        if ahead >= 1.0 {
            self.since = Instant::now();
        }
        Some(Seconds(ahead.clamp(0.0, 1e12) as i64))
    }
}

impl Service {
    /// Follows the clusters that it was made for, each in a thread of its own, until it ends.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn follow(self: &Arc<Service>, clusters: Vec<ServedCluster>) -> io::Result<()> {
        for (number, cluster) in clusters.into_iter().enumerate() {
            let (service, site) = (self.clone(), cluster.site);
            let thread = std::thread::Builder::new().name(format!("follow {}", cluster.name));
            // Threads that learn end with the process.
            thread.spawn(move || follow(&service, number, site))?;
        }
        Ok(())
    }

    /// Ends threads and streams.
    pub fn end(&self) {
        self.stop.send_replace(true);
    }
}

/// Follows the cluster of this number until the service ends.
fn follow(service: &Service, number: usize, mut site: Box<dyn FollowedSite>) {
    let cluster = &service.clusters[number];
    let mut publisher = Publisher { service, cluster, looks: 0, since: Instant::now() };
    if let Err(refusal) = site.follow(&mut |news| publisher.heard(news)) {
        let hint = refusal.hints.join("; ");
        let values = [("cluster", cluster.name.as_str()), ("why", &refusal.what), ("hint", &hint)];
        (service.tell)(LogEvent::new("not-followed", &values).warning());
        *cluster.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
        cluster.goes(ClusterCourse::Failed);
    }
}
