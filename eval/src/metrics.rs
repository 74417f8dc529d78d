//! The catalogue: every metric with its meaning, unit, formula and value, written once and used for the result's
//! fields, for naming a metric, and for the reference page.

use serde::Serialize;

use super::{EvalError, Excluded};
use queuecast_core::units::{Seconds, Time};

/// What a metric counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A number of jobs.
    Jobs,
    /// A number of things that happened.
    Count,
    /// An instant on the workload's clock, in seconds.
    Instant,
    /// A length of time in seconds.
    Seconds,
    /// Processors times seconds.
    ProcessorSeconds,
    /// A part of a whole, 0 to 1.
    Share,
    /// A percentage, which may exceed 100.
    Percent,
    /// A multiple of something.
    Ratio,
}

impl Unit {
    /// How it is written beside a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Jobs => "jobs",
            Unit::Count => "count",
            Unit::Instant | Unit::Seconds => "s",
            Unit::ProcessorSeconds => "proc·s",
            Unit::Share => "share",
            Unit::Percent => "%",
            Unit::Ratio => "ratio",
        }
    }
}

/// Which values of a metric are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The lower ones.
    Lower,
    /// The higher ones.
    Higher,
    /// Neither.
    Neither,
}

/// One metric of an `Of`: of a schedule of processors, or of what another world came to.
#[derive(Debug)]
pub struct Metric<Of = Summary> {
    /// Its name in every table and in JSON.
    pub name: &'static str,
    /// What it counts in.
    pub unit: Unit,
    /// Which values are better.
    pub better: Better,
    /// What it says.
    pub about: &'static str,
    /// How it is computed from the counted jobs.
    pub formula: &'static str,
    /// What [`Metric::value`] reads.
    pub of: fn(&Of) -> Option<f64>,
}

impl<Of> Metric<Of> {
    /// Its value; `None` where it means nothing (a mean over no jobs).
    pub fn value(&self, of: &Of) -> Option<f64> {
        (self.of)(of)
    }
}

impl Metric {
    /// The metric of a schedule of processors of this name.
    pub fn named(name: &str) -> Result<&'static Metric, EvalError> {
        let known = METRICS.iter().find(|metric| metric.name == name);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
            EvalError::UnknownMetric { name: name.into(), known: names.join(", ") }
        })
    }

    /// The metric of the same name, unit and meaning of another world.
    pub const fn read_from<Of>(&self, of: fn(&Of) -> Option<f64>) -> Metric<Of> {
        let Metric { name, unit, better, about, formula, .. } = *self;
        Metric { name, unit, better, about, formula, of }
    }
}

/// What a field of a summary can hold, as a number for tables and charts.
trait Number {
    fn number(&self) -> Option<f64>;
}

impl Number for u64 {
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Number for usize {
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Number for Option<f64> {
    fn number(&self) -> Option<f64> {
        *self
    }
}

impl Number for Option<Seconds> {
    fn number(&self) -> Option<f64> {
        self.map(|length| length.0 as f64)
    }
}

impl Number for Option<Time> {
    fn number(&self) -> Option<f64> {
        self.map(|time| time.0 as f64)
    }
}

macro_rules! catalogue {
    ($($(#[doc = $about:literal])+ $name:ident: $type:ty, $unit:ident, $better:ident, $formula:literal;)+) => {
        /// Every metric over the counted jobs of a window. With no jobs, counts are 0 and everything that
        /// would divide by their number is `None`; nothing is ever infinite or not a number.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct Summary {
            $(
                $(#[doc = $about])+
                #[doc = concat!("\n\n# Formula\n`", $formula, "`")]
                pub $name: $type,
            )+
            /// The jobs left out, and why.
            pub excluded: Excluded,
        }

        impl Metric {
            $(
                $(#[doc = $about])+
                pub const fn $name() -> &'static Metric {
                    const METRIC: Metric = Metric {
                        name: stringify!($name),
                        unit: Unit::$unit,
                        better: Better::$better,
                        about: concat!($($about),+).trim_ascii(),
                        formula: $formula,
                        of: |summary| summary.$name.number(),
                    };
                    &METRIC
                }
            )+
        }

        /// Every metric, in the order of [`Summary`]'s fields.
        pub const METRICS: &[&Metric] = &[$(Metric::$name()),+];
    };
}

catalogue! {
    /// Jobs counted.
    jobs: usize, Jobs, Neither, "n";
    /// The first submission of a counted job.
    first_submit: Option<Time>, Instant, Neither, "min submit";
    /// The last end of a counted job.
    last_end: Option<Time>, Instant, Neither, "max end";
    /// From the first submission to the last end of the counted jobs.
    makespan: Option<Seconds>, Seconds, Neither, "max end − min submit";
    /// The busy part of the machine while the counted jobs were in the system. Jobs outside the window that
    /// run inside its span are included; of a group, only its own jobs, over the whole window's span.
    utilization: Option<f64>, Share, Higher, "Σ over all jobs procs · length([start, end) ∩ span) / (machine · length(span)), span = [min submit, max end) of the window";
    /// Processor-seconds used by the counted jobs.
    area: u64, ProcessorSeconds, Neither, "Σ procs · ran";
    /// Mean run time.
    mean_run: Option<f64>, Seconds, Neither, "Σ ran / n";

    /// Mean wait in the queue.
    mean_wait: Option<f64>, Seconds, Lower, "Σ (start − submit) / n";
    /// Median wait (nearest rank).
    p50_wait: Option<Seconds>, Seconds, Lower, "wait at rank ⌈0.50 n⌉";
    /// 90th percentile of the waits (nearest rank).
    p90_wait: Option<Seconds>, Seconds, Lower, "wait at rank ⌈0.90 n⌉";
    /// 95th percentile of the waits (nearest rank).
    p95_wait: Option<Seconds>, Seconds, Lower, "wait at rank ⌈0.95 n⌉";
    /// 99th percentile of the waits (nearest rank).
    p99_wait: Option<Seconds>, Seconds, Lower, "wait at rank ⌈0.99 n⌉";
    /// The longest wait.
    max_wait: Option<Seconds>, Seconds, Lower, "max (start − submit)";

    /// Mean response time.
    mean_response: Option<f64>, Seconds, Lower, "Σ (end − submit) / n";
    /// Median response time (nearest rank).
    p50_response: Option<Seconds>, Seconds, Lower, "response at rank ⌈0.50 n⌉";
    /// 90th percentile of the response times (nearest rank).
    p90_response: Option<Seconds>, Seconds, Lower, "response at rank ⌈0.90 n⌉";
    /// 95th percentile of the response times (nearest rank).
    p95_response: Option<Seconds>, Seconds, Lower, "response at rank ⌈0.95 n⌉";
    /// 99th percentile of the response times (nearest rank).
    p99_response: Option<Seconds>, Seconds, Lower, "response at rank ⌈0.99 n⌉";
    /// The longest response time.
    max_response: Option<Seconds>, Seconds, Lower, "max (end − submit)";

    /// Mean bounded slowdown (Feitelson & Rudolph 1998).
    mean_bounded_slowdown: Option<f64>, Ratio, Lower, "Σ max(1, (wait + ran) / max(ran, 10 s)) / n";
    /// Median bounded slowdown (nearest rank).
    p50_bounded_slowdown: Option<f64>, Ratio, Lower, "bounded slowdown at rank ⌈0.50 n⌉";
    /// 90th percentile of the bounded slowdowns (nearest rank).
    p90_bounded_slowdown: Option<f64>, Ratio, Lower, "bounded slowdown at rank ⌈0.90 n⌉";
    /// 95th percentile of the bounded slowdowns (nearest rank).
    p95_bounded_slowdown: Option<f64>, Ratio, Lower, "bounded slowdown at rank ⌈0.95 n⌉";
    /// 99th percentile of the bounded slowdowns (nearest rank).
    p99_bounded_slowdown: Option<f64>, Ratio, Lower, "bounded slowdown at rank ⌈0.99 n⌉";
    /// The largest bounded slowdown.
    max_bounded_slowdown: Option<f64>, Ratio, Lower, "max max(1, (wait + ran) / max(ran, 10 s))";

    /// Average weighted response time: each job counts by the processor-seconds it used (Grimme et al.
    /// 2008; Goponenko et al. 2022).
    awrt: Option<f64>, Seconds, Lower, "Σ procs · ran · response / Σ procs · ran";
    /// Priority-weighted specific response time: response per second of run time, each job counting by its
    /// priority π times the processor-seconds it used; π = 1 unless given (our reading of Goponenko et al.
    /// 2022).
    pwsrt: Option<f64>, Ratio, Lower, "Σ π · procs · ran · (response / ran) / Σ π · procs · ran";

    /// Jobs that started at the instant they arrived, with no job waiting before them.
    immediate: usize, Jobs, Neither, "count of reason = immediate";
    /// Share of jobs that started at the instant they arrived.
    immediate_share: Option<f64>, Share, Neither, "immediate / n";
    /// Jobs that started in their turn, after waiting.
    reserved: usize, Jobs, Neither, "count of reason = reserved";
    /// Share of jobs that started in their turn.
    reserved_share: Option<f64>, Share, Neither, "reserved / n";
    /// Jobs that started before one that stood ahead of them.
    backfilled: usize, Jobs, Neither, "count of reason = backfilled";
    /// Share of jobs that were backfilled.
    backfilled_share: Option<f64>, Share, Neither, "backfilled / n";
    /// Backfilled jobs that were predicted to end before the reservation they jumped over.
    backfilled_in_time: usize, Jobs, Neither, "count of reason = backfilled in time";
    /// Share of jobs that were backfilled in time.
    backfilled_in_time_share: Option<f64>, Share, Neither, "backfilled_in_time / n";
    /// Backfilled jobs that took only processors which the reservation left over.
    backfilled_in_space: usize, Jobs, Neither, "count of reason = backfilled in space";
    /// Share of jobs that were backfilled in space.
    backfilled_in_space_share: Option<f64>, Share, Neither, "backfilled_in_space / n";

    /// Jobs killed at their limit.
    killed: usize, Jobs, Neither, "count of killed";
    /// Share of jobs killed at their limit.
    killed_share: Option<f64>, Share, Neither, "killed / n";
    /// How often a prediction was corrected because its job outlived it.
    corrections: u64, Count, Neither, "Σ corrections";
    /// Jobs whose prediction was corrected at least once.
    corrected: usize, Jobs, Neither, "count of corrections > 0";

    /// Jobs that ran longer than first predicted.
    underpredicted: usize, Jobs, Neither, "count of predicted < ran";
    /// Share of jobs that ran longer than first predicted.
    underprediction_rate: Option<f64>, Share, Neither, "underpredicted / n";
    /// Mean absolute error of the first prediction.
    mean_absolute_error: Option<f64>, Seconds, Lower, "Σ abs(predicted − ran) / n";
    /// Mean absolute error of the first prediction, in percent of the mean run time (Smith, Foster & Taylor
    /// 1998).
    mean_absolute_error_percent: Option<f64>, Percent, Lower, "100 · Σ abs(predicted − ran) / Σ ran";
    /// Mean accuracy of the first prediction (Tsafrir, Etsion & Feitelson 2007).
    mean_accuracy: Option<f64>, Share, Higher, "Σ min(predicted, ran) / max(predicted, ran) / n, both at least 1 s";
    /// Mean absolute inaccuracy: how far predictions were off, each weighted by how long it stood between
    /// submission and end (Talby et al. 2005, equations 1 and 2).
    absolute_inaccuracy: Option<f64>, Seconds, Lower, "Σ (Σᵢ abs(predictedᵢ − ran) · stoodᵢ / response) / n";
    /// Mean relative accuracy: the smaller of prediction and run time in parts of the larger, each prediction
    /// weighted by how long it stood between submission and end (Talby et al. 2005, equations 1 and 2).
    relative_accuracy: Option<f64>, Share, Higher, "Σ (Σᵢ min(predictedᵢ, ran) / max(predictedᵢ, ran) · stoodᵢ / response) / n";
    /// How often a predictor changed its mind about a job that waited or ran.
    revisions: u64, Count, Neither, "Σ revisions";
    /// Share of jobs whose first prediction is at least half and at most twice their run time.
    within_factor_two_share: Option<f64>, Share, Higher, "count of ran / 2 ≤ predicted ≤ 2 · ran / n, both at least 1 s";
}
