//! The metrics of a Slurm site: those of processors where they mean the same, over the jobs that started, and its own.

use crate::ClusterReport;
use queuecast_eval::{Better, Metric, Unit};

/// Mean wait.
pub const MEAN_WAIT: Metric<ClusterReport> =
    Metric::mean_wait().read_from(|report| report.waits.first()?.mean_wait);
/// Median wait.
pub const P50_WAIT: Metric<ClusterReport> =
    Metric::p50_wait().read_from(|report| report.waits.first()?.p50_wait.map(|wait| wait.0 as f64));
/// 90th percentile of the waits.
pub const P90_WAIT: Metric<ClusterReport> =
    Metric::p90_wait().read_from(|report| report.waits.first()?.p90_wait.map(|wait| wait.0 as f64));
/// Mean bounded slowdown, over the jobs that ended.
pub const MEAN_BOUNDED_SLOWDOWN: Metric<ClusterReport> =
    Metric::mean_bounded_slowdown().read_from(|report| report.waits.first()?.mean_bounded_slowdown);
/// Jobs that never started.
pub const NOT_STARTED: Metric<ClusterReport> = Metric {
    name: "not_started",
    unit: Unit::Jobs,
    better: Better::Lower,
    about: "Jobs that never started: refused, cancelled or still waiting at the end.",
    formula: "count of jobs without a start",
    of: |report| report.waits.first().map(|all| all.not_started as f64),
};
/// The busy part of the processors in service.
pub const UTILIZATION: Metric<ClusterReport> = Metric::utilization()
    .read_from(|report| report.resources.iter().find(|one| one.name == "cpu")?.utilization);
/// The idle part of the processors while a job waits.
pub const IDLE_WHILE_WAITING: Metric<ClusterReport> = Metric {
    name: "idle_while_waiting",
    unit: Unit::Share,
    better: Better::Lower,
    about: "The idle part of the processors while at least one job that could have started waited.",
    formula: "Σ idle · seconds / (processors · seconds), over the seconds in which an eligible job waits",
    of: |report| report.idle.while_waiting,
};
/// From the first submission to the last end.
pub const MAKESPAN: Metric<ClusterReport> =
    Metric::makespan().read_from(|report| Some(report.makespan.0 as f64));

/// All of them.
pub const SITE_METRICS: &[Metric<ClusterReport>] = &[
    MEAN_WAIT,
    P50_WAIT,
    P90_WAIT,
    MEAN_BOUNDED_SLOWDOWN,
    NOT_STARTED,
    UTILIZATION,
    IDLE_WHILE_WAITING,
    MAKESPAN,
];
