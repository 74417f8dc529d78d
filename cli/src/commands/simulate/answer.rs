//! The answer of one simulation: the JSON object and the rows of CSV.

use queuecast::eval::{Breakdown, Fairness, METRICS, QueueSeries, QueueSummary, Summary, Window};
use queuecast::report::{Cell, Column, Table, metric};
use queuecast::study::Experiment;
use queuecast::trace::CleaningReport;
use serde::Serialize;

use crate::commands::identity;
use crate::commands::loaded::{Facts, Loaded};

/// How long a simulation took.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Timings {
    /// Reading, decompressing and cleaning the trace.
    pub read_seconds: f64,
    /// The simulation and nothing else.
    pub simulate_seconds: f64,
}

/// One simulation, with its metrics at the top level of the JSON object.
#[derive(Debug, Serialize)]
pub struct Simulated<'a> {
    /// Every metric over the counted jobs.
    #[serde(flatten)]
    pub summary: Summary,
    /// How long it took, where asked for.
    #[serde(flatten)]
    pub timings: Option<Timings>,
    /// Of queuecast.
    pub version: &'static str,
    /// What was simulated.
    pub experiment: &'a Experiment,
    /// Which jobs are counted.
    pub window: Window,
    /// What it was simulated with.
    pub workload: Facts,
    /// What became of the trace's records.
    pub cleaning: &'a CleaningReport,
    /// Compared with first come, first served.
    pub fairness: Fairness,
    /// Over the span of the counted jobs.
    pub queue: QueueSummary,
    /// How often the policy was asked to plan.
    pub plans: u64,
    /// By user, queue and so on, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Breakdown>,
    /// For text only: what the predictor is called.
    #[serde(skip)]
    pub predictor: String,
    /// For text only: how long it took.
    #[serde(skip)]
    pub took: Timings,
    /// For text only.
    #[serde(skip)]
    pub trace: &'a Loaded,
    /// For the chart only: the queue over time.
    #[serde(skip)]
    pub series: &'a QueueSeries,
}

impl Simulated<'_> {
    /// One row; with `--group-by`, one more for each group, below the row of all jobs, whose `group` is empty.
    pub fn rows(&self) -> Table {
        let mut columns: Vec<Column> =
            ["source", "digest", "policy", "predictor", "correction", "event_order", "limit"]
                .map(Column::text)
                .to_vec();
        columns.extend([Column::number("factor"), Column::text("by"), Column::text("group")]);
        columns.extend(METRICS.iter().map(|one| metric::column(one, one.name)));
        let timed = self.timings.map(|_| ["read_seconds", "simulate_seconds"].map(Column::number));
        columns.extend(timed.into_iter().flatten());
        columns.extend(identity::columns());
        let mut table = Table::new(columns);
        let mut row = |by: Cell, group: Cell, summary: &Summary| {
            let options = &self.experiment.options;
            let mut cells = vec![
                Cell::text(&*self.workload.source),
                Cell::text(&*self.workload.digest),
                Cell::text(self.experiment.policy.to_string()),
                Cell::text(self.experiment.predictor.to_string()),
                Cell::text(options.correction.to_string()),
                Cell::text(options.event_order.to_string()),
                Cell::text(options.limit.to_string()),
                Cell::number(options.factor, 2),
                by,
                group,
            ];
            cells.extend(METRICS.iter().map(|one| metric::cell(one, summary)));
            let timings = self.timings.map(|one| [one.read_seconds, one.simulate_seconds]);
            cells.extend(timings.into_iter().flatten().map(|seconds| Cell::number(seconds, 3)));
            let clean = Some(self.cleaning.ruleset.to_string());
            cells.extend(identity::cells(&self.window, self.workload.procs, clean, self.experiment, summary));
            table.row(cells);
        };
        row(Cell::Missing, Cell::Missing, &self.summary);
        if let Some(breakdown) = &self.groups {
            for group in &breakdown.groups {
                row(Cell::text(breakdown.by.word()), Cell::text(&*group.name), &group.summary);
            }
        }
        table
    }
}
