//! Outcomes side by side: a table per trace with the best of each column marked, and bars.

use queuecast::eval::{Experiment, Fairness, METRICS, Metric, Summary, Window};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Best, Cell, Chart, Column, Document, Table, metric};
use queuecast::sim::Options;
use queuecast::trace::CleaningReport;
use serde::Serialize;

use super::grid::Outcome;
use super::loaded::{Facts, number_of};
use super::{cleaning, identity, killed};
use crate::answer::Answer;
use crate::printer::Printer;

/// Experiments on traces.
#[derive(Debug, Serialize)]
pub struct Comparison {
    version: &'static str,
    window: Window,
    traces: Vec<Compared>,
    results: Vec<Row>,
    #[serde(skip)]
    plot: bool,
}

/// One of the workloads.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Where it comes from.
    #[serde(flatten)]
    pub facts: Facts,
    /// What became of the trace's records; `None` for a workload that was made up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaning: Option<CleaningReport>,
    /// Said below its table.
    #[serde(skip)]
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    trace: String,
    #[serde(skip)]
    at: usize,
    #[serde(skip)]
    corrected: bool,
    experiment: Experiment,
    #[serde(flatten)]
    summary: Summary,
    fairness: Fairness,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulate_seconds: Option<f64>,
}

impl Comparison {
    /// Puts outcomes (per trace, per experiment) beside what they came from.
    pub fn new(
        traces: Vec<Compared>,
        window: Window,
        experiments: &[Experiment],
        outcomes: Vec<Vec<Outcome>>,
    ) -> Comparison {
        let mut results = Vec::new();
        for (at, outcomes) in outcomes.into_iter().enumerate() {
            for (experiment, outcome) in experiments.iter().zip(outcomes) {
                results.push(Row {
                    trace: traces[at].facts.source.clone(),
                    at,
                    corrected: outcome.corrected,
                    experiment: experiment.clone(),
                    summary: outcome.summary,
                    fairness: outcome.fairness,
                    simulate_seconds: Some(outcome.seconds),
                });
            }
        }
        Comparison { version: env!("CARGO_PKG_VERSION"), window, traces, results, plot: true }
    }

    /// The same every time it is computed.
    #[must_use]
    pub fn without_timings(mut self) -> Comparison {
        self.results.iter_mut().for_each(|row| row.simulate_seconds = None);
        self
    }

    /// Tables only.
    #[must_use]
    pub fn without_plot(mut self) -> Comparison {
        self.plot = false;
        self
    }

    fn rows_of(&self, at: usize) -> Vec<&Row> {
        self.results.iter().filter(|row| row.at == at).collect()
    }

    /// Whether the experiments differ in this.
    fn differ<T: PartialEq>(&self, what: impl Fn(&Options) -> T) -> bool {
        let mut all = self.results.iter().map(|row| what(&row.experiment.options));
        let first = all.next();
        all.any(|one| Some(one) != first)
    }

    fn has_several_corrections(&self) -> bool {
        self.differ(|options| options.correction)
    }

    fn has_several_event_orders(&self) -> bool {
        self.differ(|options| options.event_order)
    }

    /// For people: one trace.
    fn people(&self, at: usize) -> Table {
        let trace = &self.traces[at];
        let metrics: Vec<(&str, &Metric)> =
            SHOWN.iter().filter_map(|&(heading, name)| Some((heading, Metric::named(name).ok()?))).collect();
        let mut columns = vec![Column::text("policy"), Column::text("predictor")];
        let (corrections, orders) = (self.has_several_corrections(), self.has_several_event_orders());
        columns.extend(corrections.then(|| Column::text("correction")));
        columns.extend(orders.then(|| Column::text("event order")));
        let mut columns: Vec<Column> = columns.into_iter().map(Column::naming).collect();
        let named = columns.len();
        columns.extend(metrics.iter().map(|(heading, one)| {
            // What decides between two schedulers stays when the page is narrow.
            let spare = ["backfilled", "accuracy", "utilization"].iter().position(|name| name == heading);
            metric::column(one, heading).spare(spare.map_or(0, |place| 9 - place as u8))
        }));
        columns.push(Column::share("later than FCFS").spare(1));
        let mut table = Table::new(columns).titled(format!(
            "{}: {} on {}",
            trace.facts.source,
            number_of(trace.facts.jobs, "job"),
            number_of(trace.facts.procs as usize, "processor")
        ));
        let rows = self.rows_of(at);
        for row in &rows {
            let [policy, predictor, correction, order] = row.names();
            let mut cells = vec![policy, predictor];
            cells.extend(corrections.then_some(correction));
            cells.extend(orders.then_some(order));
            cells.extend(metrics.iter().map(|(_, one)| metric::cell(one, &row.summary)));
            cells.push(row.fairness.delayed_share.map_or(Cell::Missing, Cell::share));
            table.row(cells);
        }
        for (place, (_, one)) in metrics.iter().enumerate() {
            table.mark_best(named + place, 0..rows.len(), metric::best(one));
        }
        if table.has_marks() {
            table.note("* the best of its column; bounded slowdown is the mean");
        }
        if let Some(row) = rows.first().filter(|row| row.summary.excluded.jobs > 0) {
            let excluded = &row.summary.excluded;
            let are = if excluded.jobs == 1 { "is" } else { "are" };
            table.note(format!("{} {are} not counted: {}", number_of(excluded.jobs, "job"), excluded.why));
        }
        if corrections && rows.iter().any(|row| !row.corrected) {
            table.note(
                "where no prediction is outlived, the correction makes no difference; \
                 such combinations are simulated once",
            );
        }
        table.notes.extend(rows.first().and_then(|row| killed::killed(&row.summary)));
        table
            .notes
            .extend(trace.cleaning.as_ref().map(|report| cleaning::line(report, cleaning::Overrun::Decided)));
        table.notes.extend(trace.notes.iter().cloned());
        table
    }

    /// Tells of the jobs of each trace that were ended at their requested time: the same for every experiment.
    pub fn tell_killed(&self, printer: &Printer) {
        for at in 0..self.traces.len() {
            if let Some(row) = self.results.iter().find(|row| row.at == at) {
                killed::tell(&row.summary, &row.trace, printer);
            }
        }
    }

    fn bars(&self, at: usize) -> Chart {
        let (corrections, orders) = (self.has_several_corrections(), self.has_several_event_orders());
        let bar = |row: &Row| {
            let Experiment { policy, predictor, options, .. } = &row.experiment;
            let mut correction =
                if corrections { format!(", {}", options.correction) } else { String::new() };
            if orders {
                correction += &format!(", {}", options.event_order);
            }
            let slowdown = row.summary.mean_bounded_slowdown;
            let value = slowdown.map_or(Cell::Missing, |slowdown| Cell::number(slowdown, 2));
            Bar::new(format!("{policy}, {predictor}{correction}"), value)
        };
        let bars = self.rows_of(at).into_iter().map(bar);
        Chart::Bars(Bars::new("Mean bounded slowdown", bars).best(Best::Lowest))
    }

    /// The part that is the same whatever else a document says.
    pub fn added_to(&self, mut document: Document) -> Document {
        for at in 0..self.traces.len() {
            document = document.with_table(&*self.traces[at].facts.source, self.people(at));
            if self.plot {
                document = document.with_chart(self.bars(at));
            }
        }
        document
    }
}

/// What people see of the catalogue.
const SHOWN: &[(&str, &str)] = &[
    ("mean wait", "mean_wait"),
    ("95% wait", "p95_wait"),
    ("bounded slowdown", "mean_bounded_slowdown"),
    ("utilization", "utilization"),
    ("accuracy", "mean_accuracy"),
    ("backfilled", "backfilled_share"),
];

impl Row {
    /// What tells it from others: policy, predictor, correction, order of events.
    fn names(&self) -> [Cell; 4] {
        let Experiment { policy, predictor, options, .. } = &self.experiment;
        let Options { correction, event_order, .. } = options;
        [policy.to_string(), predictor.to_string(), correction.to_string(), event_order.to_string()]
            .map(Cell::text)
    }
}

impl Answer for Comparison {
    fn document(&self) -> Document {
        self.added_to(Document::new())
    }

    /// One row per trace and experiment.
    fn table(&self) -> Table {
        let mut columns: Vec<Column> =
            ["source", "digest", "policy", "predictor", "correction", "event_order", "limit"]
                .map(Column::text)
                .to_vec();
        columns.push(Column::number("factor"));
        columns.extend(METRICS.iter().map(|one| metric::column(one, one.name)));
        columns.extend([Column::integer("delayed"), Column::share("delayed_share")]);
        columns.extend(["mean_delay", "max_delay"].map(|name| Column::duration(name).key(name)));
        columns.extend([Column::integer("advanced"), Column::share("advanced_share")]);
        columns.extend(["mean_advance", "max_advance"].map(|name| Column::duration(name).key(name)));
        let timed = self.results.iter().any(|row| row.simulate_seconds.is_some());
        columns.extend(timed.then(|| Column::number("simulate_seconds")));
        columns.extend(identity::columns());
        let mut table = Table::new(columns);
        for row in &self.results {
            let options = &row.experiment.options;
            let mut cells = vec![Cell::text(&*row.trace), Cell::text(&*self.traces[row.at].facts.digest)];
            cells.extend(row.names());
            cells.push(Cell::text(options.limit.to_string()));
            cells.push(Cell::number(options.factor, 2));
            cells.extend(METRICS.iter().map(|one| metric::cell(one, &row.summary)));
            cells.extend(fairness(&row.fairness));
            cells.extend(row.simulate_seconds.map(|seconds| Cell::number(seconds, 3)));
            let trace = &self.traces[row.at];
            let clean = trace.cleaning.as_ref().map(|report| report.ruleset.to_string());
            cells.extend(identity::cells(
                &self.window,
                trace.facts.procs,
                clean,
                &row.experiment,
                &row.summary,
            ));
            table.row(cells);
        }
        table
    }
}

fn fairness(fairness: &Fairness) -> [Cell; 8] {
    let share = |share: Option<f64>| share.map_or(Cell::Missing, Cell::share);
    let mean = |mean: Option<f64>| mean.map_or(Cell::Missing, Cell::duration);
    [
        Cell::count(fairness.delayed),
        share(fairness.delayed_share),
        mean(fairness.mean_delay),
        fairness.max_delay.into(),
        Cell::count(fairness.advanced),
        share(fairness.advanced_share),
        mean(fairness.mean_advance),
        fairness.max_advance.into(),
    ]
}
