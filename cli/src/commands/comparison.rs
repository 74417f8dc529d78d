//! Simulations side by side: one table, and a chart for each trace.

use std::path::Path;

use queuecast::eval::{Fairness, METRICS, Summary, Window};
use queuecast::report::{Answer, Cell, Column, Document, Table, comparison, metric};
use queuecast::study::{Experiment, SimulationResult, SweepResults};
use queuecast::trace::CleaningReport;
use serde::{Serialize, Serializer};

use super::loaded::{Facts, number_of};
use super::{cleaning, identity, killed};
use crate::printer::Printer;
use crate::spec::PredictorLabels;

/// Every experiment on every trace.
#[derive(Debug)]
pub struct Comparison {
    window: Window,
    traces: Vec<Compared>,
    results: SweepResults,
    timings: bool,
    labels: PredictorLabels,
}

/// One of the workloads.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Where it comes from.
    #[serde(flatten)]
    pub facts: Facts,
    /// What became of the trace's records; `None` for a generated workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaning: Option<CleaningReport>,
    /// Notes below its table.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A result as programs read it.
#[derive(Debug, Serialize)]
struct ComparisonRow<'a> {
    trace: &'a str,
    #[serde(skip)]
    result: &'a SimulationResult,
    experiment: &'a Experiment,
    #[serde(flatten)]
    summary: &'a Summary,
    fairness: Option<&'a Fairness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulate_seconds: Option<f64>,
}

impl Comparison {
    /// The results of a grid of simulations. `traces` are its workloads, in order.
    pub fn new(traces: Vec<Compared>, window: Window, results: SweepResults) -> Comparison {
        Comparison { window, traces, results, timings: true, labels: PredictorLabels::default() }
    }

    /// Leaves out how long simulations took, so that the same arguments give the same bytes.
    #[must_use]
    pub fn without_timings(self) -> Comparison {
        Comparison { timings: false, ..self }
    }

    /// Calls predictors by these labels in text.
    #[must_use]
    pub fn labelled(self, labels: PredictorLabels) -> Comparison {
        Comparison { labels, ..self }
    }

    fn rows(&self) -> Vec<ComparisonRow<'_>> {
        let rows = self.results.asked().map(|result| ComparisonRow {
            trace: &self.traces[result.simulation.workload].facts.source,
            experiment: &result.simulation.experiment,
            summary: &result.summary,
            fairness: result.fairness.as_ref(),
            simulate_seconds: result.simulate_seconds.filter(|_| self.timings),
            result,
        });
        rows.collect()
    }

    fn results_of(&self, at: usize) -> Vec<&SimulationResult> {
        self.results.asked().filter(|result| result.simulation.workload == at).collect()
    }

    /// One table of all traces.
    fn text(&self) -> Table {
        let names = self.names();
        let workloads = names.iter().enumerate().map(|(at, name)| comparison::WorkloadResults {
            name: name.clone(),
            results: self.results_of(at),
        });
        let workloads: Vec<_> = workloads.collect();
        let titles: Vec<String> =
            self.traces.iter().zip(&names).map(|(trace, name)| described(trace, name)).collect();
        let mut table =
            comparison::table(&workloads, &|written| self.labels.label(written)).titled(titles.join("; "));
        for ((trace, name), workload) in self.traces.iter().zip(&names).zip(&workloads) {
            let mut notes: Vec<String> = workload
                .results
                .first()
                .and_then(|first| killed::killed(&first.summary))
                .into_iter()
                .collect();
            let cleaning = trace.cleaning.as_ref();
            notes.extend(cleaning.map(|report| cleaning::line(report, cleaning::Overrun::Decided)));
            notes.extend(trace.notes.iter().cloned());
            let of = if self.traces.len() > 1 { format!("{name}: ") } else { String::new() };
            table.notes.extend(notes.into_iter().map(|note| format!("{of}{note}")));
        }
        table
    }

    /// What traces are called: by the names of their files, or by their paths where those are alike.
    fn names(&self) -> Vec<String> {
        let sources: Vec<&str> = self.traces.iter().map(|trace| trace.facts.source.as_str()).collect();
        if sources.len() == 1 {
            return vec![sources[0].to_owned()];
        }
        let file = |source: &str| {
            let name = Path::new(source).file_name().map(|name| name.to_string_lossy().into_owned());
            name.unwrap_or_else(|| source.to_owned())
        };
        let files: Vec<String> = sources.iter().map(|source| file(source)).collect();
        let alike = |name: &String| files.iter().filter(|other| *other == name).count() > 1;
        if files.iter().any(alike) { sources.into_iter().map(str::to_owned).collect() } else { files }
    }

    /// Notes the jobs of each trace that were ended at their requested time: the same for every experiment.
    pub fn tell_killed(&self, printer: &Printer) {
        for (at, trace) in self.traces.iter().enumerate() {
            if let Some(first) = self.results_of(at).first() {
                killed::tell(&first.summary, &trace.facts.source, printer);
            }
        }
    }

    /// The document with a table of all traces, and a chart for each.
    pub fn added_to(&self, document: Document) -> Document {
        let mut document = document.with_table("comparison", self.text());
        for (at, (trace, name)) in self.traces.iter().zip(self.names()).enumerate() {
            let label = |written: &str| self.labels.label(written);
            let bars = comparison::bars(&self.results_of(at), &described(trace, &name), &label);
            document = document.with_chart(bars);
        }
        document
    }
}

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WrittenComparison<'a> {
            version: &'static str,
            window: Window,
            traces: &'a [Compared],
            results: Vec<ComparisonRow<'a>>,
        }
        let version = env!("CARGO_PKG_VERSION");
        WrittenComparison { version, window: self.window, traces: &self.traces, results: self.rows() }
            .serialize(serializer)
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
        let rows = self.rows();
        let timed = rows.iter().any(|row| row.simulate_seconds.is_some());
        columns.extend(timed.then(|| Column::number("simulate_seconds")));
        columns.extend(identity::columns());
        let mut table = Table::new(columns);
        for row in &rows {
            let trace = &self.traces[row.result.simulation.workload];
            let experiment = &row.result.simulation.experiment;
            let options = &experiment.options;
            let mut cells = vec![Cell::text(row.trace), Cell::text(&*trace.facts.digest)];
            cells.extend(comparison::names(row.result));
            cells.push(Cell::text(options.limit.to_string()));
            cells.push(Cell::number(options.factor, 2));
            cells.extend(METRICS.iter().map(|one| metric::cell(one, row.summary)));
            cells.extend(row.fairness.map_or([const { Cell::Missing }; 8], fairness));
            cells.extend(row.simulate_seconds.map(|seconds| Cell::number(seconds, 3)));
            let clean = trace.cleaning.as_ref().map(|report| report.ruleset.to_string());
            cells.extend(identity::cells(&self.window, trace.facts.procs, clean, experiment, row.summary));
            table.row(cells);
        }
        table
    }
}

/// The workload in one line.
fn described(trace: &Compared, name: &str) -> String {
    let Facts { jobs, procs, .. } = &trace.facts;
    format!("{name}: {} on {}", number_of(*jobs, "job"), number_of(*procs as usize, "processor"))
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
