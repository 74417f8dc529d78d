//! Metrics in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::cluster::ClusterState;

/// The upper bounds of the classes that the times of requests are counted in, in seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 20.0];

/// Times of requests.
#[derive(Debug, Clone, Copy, Default)]
struct TimesTaken {
    within: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

/// Requests by route and status, and their times by route.
#[derive(Debug, Default)]
struct RequestCounts {
    requests: BTreeMap<(&'static str, u16), u64>,
    times: BTreeMap<&'static str, TimesTaken>,
}

/// What a service counts.
#[derive(Debug, Default)]
pub(crate) struct ServiceMetrics {
    counts: Mutex<RequestCounts>,
}

/// Writes metrics, each with what it is.
struct MetricsText(String);

impl MetricsText {
    fn metric(&mut self, name: &str, kind: &str, about: &str) {
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let _ = match labels.is_empty() {
            true => writeln!(self.0, "{name} {value}"),
            false => writeln!(self.0, "{name}{{{}}} {value}", labels.join(",")),
        };
    }
}

impl ServiceMetrics {
    /// A request was answered.
    pub fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.requests.entry((route, status)).or_default() += 1;
        let (times, seconds) = (counts.times.entry(route).or_default(), took.as_secs_f64());
        times.count += 1;
        times.seconds += seconds;
        for (bound, within) in BOUNDS.iter().zip(&mut times.within) {
            *within += u64::from(seconds <= *bound);
        }
    }

    /// All of it.
    pub fn text(&self, clusters: &[ClusterState]) -> String {
        let mut text = MetricsText(String::new());
        of_looks(&mut text, clusters);
        of_waits(&mut text, clusters);
        of_forecasts(&mut text, clusters);
        of_shadow(&mut text, clusters);
        self.of_requests(&mut text);
        text.0
    }

    fn of_requests(&self, text: &mut MetricsText) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        text.metric("queuecast_requests_total", "counter", "Requests that were answered");
        for (&(route, status), &count) in &counts.requests {
            let status = status.to_string();
            text.value("queuecast_requests_total", &[("route", route), ("status", &status)], count as f64);
        }
        let name = "queuecast_request_seconds";
        text.metric(name, "histogram", "How long requests took");
        for (&route, times) in &counts.times {
            for (bound, within) in BOUNDS.iter().zip(times.within) {
                let labels = [("route", route), ("le", &bound.to_string())];
                text.value(&format!("{name}_bucket"), &labels, within as f64);
            }
            text.value(&format!("{name}_bucket"), &[("route", route), ("le", "+Inf")], times.count as f64);
            text.value(&format!("{name}_sum"), &[("route", route)], times.seconds);
            text.value(&format!("{name}_count"), &[("route", route)], times.count as f64);
        }
    }
}

/// A number of each cluster that has been looked at.
fn each(
    text: &mut MetricsText,
    clusters: &[ClusterState],
    (name, about): (&str, &str),
    value: impl Fn(&ClusterState) -> Option<f64>,
) {
    text.metric(name, "gauge", about);
    for cluster in clusters {
        if let Some(value) = value(cluster) {
            text.value(name, &[("cluster", &cluster.name)], value);
        }
    }
}

fn of_looks(text: &mut MetricsText, clusters: &[ClusterState]) {
    let machine = |of: fn(&queuecast_place::MachineAnswer) -> u64| {
        move |cluster: &ClusterState| Some(of(&cluster.snapshot()?.site.place.machine) as f64)
    };
    each(text, clusters, ("queuecast_up", "Whether the cluster has been looked at"), |cluster| {
        Some(f64::from(u8::from(cluster.snapshot().is_some())))
    });
    each(text, clusters, ("queuecast_look_age_seconds", "Time since the last look"), |cluster| {
        cluster.age().map(|age| age as f64)
    });
    each(text, clusters, ("queuecast_looks", "Looks since the service started"), |cluster| {
        Some(cluster.snapshot().map_or(0.0, |one| one.look as f64))
    });
    each(text, clusters, ("queuecast_waiting_jobs", "Jobs that wait"), |cluster| {
        Some(cluster.snapshot()?.site.place.pending.jobs.len() as f64)
    });
    each(
        text,
        clusters,
        ("queuecast_running_jobs", "Jobs that run"),
        machine(|one| one.running.len() as u64),
    );
    each(text, clusters, ("queuecast_processors", "Processors"), machine(|one| one.processors));
    each(text, clusters, ("queuecast_processors_used", "Processors that jobs hold"), machine(|one| one.used));
}

fn of_waits(text: &mut MetricsText, clusters: &[ClusterState]) {
    let name = "queuecast_wait_seconds";
    text.metric(
        name,
        "gauge",
        "Quantiles of the waits of jobs submitted within 14 days, those that still wait included",
    );
    for cluster in clusters {
        let Some(snapshot) = cluster.snapshot() else { continue };
        for waits in &snapshot.history.queues {
            for (quantile, value) in [("0.1", waits.p10), ("0.5", waits.median), ("0.9", waits.p90)] {
                let queue = waits.queue.as_deref().unwrap_or_default();
                let labels = [("cluster", cluster.name.as_str()), ("queue", queue), ("quantile", quantile)];
                if let Some(value) = value {
                    text.value(name, &labels, value);
                }
            }
        }
    }
}

fn of_forecasts(text: &mut MetricsText, clusters: &[ClusterState]) {
    type Row = queuecast_live::ScoreRow;
    let mut of = |name: &str, about: &str, value: fn(&Row) -> Option<f64>| {
        text.metric(name, "gauge", about);
        for cluster in clusters {
            let Some(snapshot) = cluster.snapshot() else { continue };
            for row in &snapshot.site.scorecard.rows {
                let labels = [("cluster", cluster.name.as_str()), ("by", row.by), ("group", &row.group)];
                if let Some(value) = value(row) {
                    text.value(name, &labels, value);
                }
            }
        }
    };
    of("queuecast_forecasts_judged", "Forecasts of waiting jobs whose range is over", |row| {
        Some(row.forecasts as f64)
    });
    of("queuecast_forecast_coverage", "The share of them inside their 80 % range", |row| Some(row.inside));
    of("queuecast_forecast_error_seconds", "The median error of their median", |row| row.median_error);
    of("queuecast_forecast_interval_score_seconds", "The mean interval score of their 80 % range", |row| {
        row.interval_score
    });
    of("queuecast_past_interval_score_seconds", "The same of the quantiles of the last 200 waits", |row| {
        row.past_score
    });
    of("queuecast_slurm_error_seconds", "The median error of Slurm's own expected start", |row| {
        row.slurm_error
    });
}

fn of_shadow(text: &mut MetricsText, clusters: &[ClusterState]) {
    type Row = queuecast_live::ShadowRow;
    let mut of = |name: &str, about: &str, value: fn(&Row) -> f64| {
        text.metric(name, "gauge", about);
        for cluster in clusters {
            let Some(snapshot) = cluster.snapshot() else { continue };
            for row in &snapshot.site.shadow.rows {
                let (by, group) = (row.group.by.as_str(), row.group.group.as_str());
                let labels = [("cluster", cluster.name.as_str()), ("by", by), ("group", group)];
                text.value(name, &labels, value(row));
            }
        }
    };
    of("queuecast_shadow_decisions", "Decisions of the site that were compared with simulated ones", |row| {
        row.decisions as f64
    });
    of("queuecast_shadow_alike", "The share of them that are alike", |row| row.alike);
    of("queuecast_shadow_starts_alike", "The share of the starts that are alike", |row| row.starts_alike);
}
