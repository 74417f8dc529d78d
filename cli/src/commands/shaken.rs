//! Experiments on traces with shaken arrivals, side by side: means over the seeds with their 95 % confidence intervals.

use queuecast::eval::{METRICS, Metric, Window};
use queuecast::report::chart::{Bar, Bars};
use queuecast::report::{Answer, Best, Cell, Chart, Column, Document, Table, metric};
use queuecast::study::{Repeated, ShakenResult, Shaking};
use serde::Serialize;

use super::comparison::Compared;
use super::loaded::number_of;
use crate::spec::{self, PredictorLabels};

/// `--shake` and `--seeds`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Shaken arrivals")]
pub struct ShakeOptions {
    /// Move every arrival at random by up to so much, once for each seed, and give means over the seeds: 1m
    #[arg(long, value_name = "DURATION", value_parser = spec::positive_duration, allow_hyphen_values = true)]
    shake: Option<queuecast::units::Seconds>,
    /// How many seeds [default: 20]
    #[arg(long, value_name = "N", requires = "shake", value_parser = spec::at_least_one::<u16>, allow_negative_numbers = true)]
    seeds: Option<u16>,
}

impl ShakeOptions {
    /// How arrivals are shaken, if they are.
    pub fn shaking(self) -> Option<Shaking> {
        self.shake.map(|by| Shaking { by, seeds: self.seeds.unwrap_or(20) })
    }
}

/// The metrics of the table: heading, name in the catalogue.
const SHOWN: [(&str, &str); 4] = [
    ("mean wait", "mean_wait"),
    ("bounded slowdown", "mean_bounded_slowdown"),
    ("99% bounded slowdown", "p99_bounded_slowdown"),
    ("longest wait", "max_wait"),
];

/// Every experiment on every trace, over all seeds.
#[derive(Debug, Serialize)]
pub struct ShakenTraces {
    version: &'static str,
    window: Window,
    shaking: Shaking,
    traces: Vec<Compared>,
    results: Vec<ShakenResult>,
    #[serde(skip)]
    labels: PredictorLabels,
}

impl ShakenTraces {
    /// The results of [`Shaking::results`]. `traces` are the workloads, in order.
    pub fn new(
        traces: Vec<Compared>,
        window: Window,
        shaking: Shaking,
        results: Vec<ShakenResult>,
        labels: PredictorLabels,
    ) -> ShakenTraces {
        ShakenTraces { version: env!("CARGO_PKG_VERSION"), window, shaking, traces, results, labels }
    }

    fn results_of(&self, trace: usize) -> impl Iterator<Item = &ShakenResult> {
        self.results.iter().filter(move |result| result.workload == trace)
    }

    /// What tells an experiment apart: policy, predictor, correction, event order.
    fn names(&self, result: &ShakenResult) -> [String; 4] {
        let experiment = &result.experiment;
        let predictor = self.labels.label(&experiment.predictor.to_string());
        let options = &experiment.options;
        [
            experiment.policy.to_string(),
            predictor,
            options.correction.to_string(),
            options.event_order.to_string(),
        ]
    }

    /// Which of the names are shown: policy and predictor, and what differs.
    fn shown_names(&self) -> [bool; 4] {
        let all: Vec<[String; 4]> = self.results.iter().map(|result| self.names(result)).collect();
        let differs = |place: usize| all.iter().any(|names| names[place] != all[0][place]);
        [true, true, differs(2), differs(3)]
    }

    fn text(&self) -> Table {
        let shown = self.shown_names();
        let mut columns = vec![Column::text("trace")];
        let named = ["policy", "predictor", "correction", "event order"].into_iter().zip(shown);
        columns.extend(named.filter(|(_, shown)| *shown).map(|(name, _)| Column::text(name)));
        let mut columns: Vec<Column> = columns.into_iter().map(Column::naming).collect();
        let first_metric = columns.len();
        let metrics: Vec<(&str, &Metric)> = SHOWN
            .into_iter()
            .filter_map(|(heading, name)| Some((heading, Metric::named(name).ok()?)))
            .collect();
        for (heading, one) in &metrics {
            columns.extend([metric::column(one, heading), metric::column(one, "+/-")]);
        }
        let (seeds, by) = (number_of(usize::from(self.shaking.seeds), "seed"), self.shaking.by);
        let title = format!("Arrivals moved by up to {} s, {seeds}", by.0);
        let mut table = Table::new(columns).titled(title);
        for (place, trace) in self.traces.iter().enumerate() {
            if !table.rows().is_empty() {
                table.rule();
            }
            let first = table.rows().len();
            for result in self.results_of(place) {
                let mut cells = vec![Cell::text(&*trace.facts.source)];
                let names = self.names(result).into_iter().zip(shown);
                cells.extend(names.filter(|(_, shown)| *shown).map(|(name, _)| Cell::text(name)));
                for (_, one) in &metrics {
                    let repeated = result.metrics.get(one.name);
                    cells.extend([mean(one, repeated), half(one, repeated)]);
                }
                table.row(cells);
            }
            for (at, (_, one)) in metrics.iter().enumerate() {
                table.mark_best(first_metric + 2 * at, first..table.rows().len(), metric::best(one));
            }
        }
        table.note("+/- is half the width of the 95 % confidence interval of the mean over the seeds");
        for trace in &self.traces {
            let notes = trace.notes.iter().map(|note| format!("{}: {note}", trace.facts.source));
            table.notes.extend(notes);
        }
        table
    }

    fn bars(&self, place: usize) -> Chart {
        let shown = self.shown_names();
        let bar = |result: &ShakenResult| {
            let names = self.names(result).into_iter().zip(shown);
            let label: Vec<String> = names.filter(|(_, shown)| *shown).map(|(name, _)| name).collect();
            let slowdown = result.metrics.get("mean_bounded_slowdown");
            Bar::new(label.join(", "), slowdown.map_or(Cell::Missing, |one| Cell::number(one.mean, 2)))
        };
        let bars = Bars::new("Mean bounded slowdown", self.results_of(place).map(bar));
        Chart::Bars(bars.on(&self.traces[place].facts.source).best(Best::Lowest).broken())
    }
}

fn mean(one: &Metric, repeated: Option<&Repeated>) -> Cell {
    repeated.map_or(Cell::Missing, |repeated| metric::cell_of(one, repeated.mean))
}

fn half(one: &Metric, repeated: Option<&Repeated>) -> Cell {
    let half = repeated.and_then(|repeated| repeated.confidence);
    half.map_or(Cell::Missing, |half| metric::cell_of(one, half))
}

impl Answer for ShakenTraces {
    fn document(&self) -> Document {
        let document = Document::new().with_table("comparison", self.text());
        (0..self.traces.len()).fold(document, |document, place| document.with_chart(self.bars(place)))
    }

    /// One row per trace, experiment and metric.
    fn table(&self) -> Table {
        let names = ["source", "digest", "policy", "predictor", "correction", "event_order", "metric"];
        let mut columns: Vec<Column> = names.map(Column::text).to_vec();
        columns.extend(["mean", "deviation", "confidence"].map(Column::number));
        columns.push(Column::integer("seeds"));
        let mut table = Table::new(columns);
        for result in &self.results {
            let facts = &self.traces[result.workload].facts;
            for one in METRICS {
                let Some(repeated) = result.metrics.get(one.name) else { continue };
                let mut cells = vec![Cell::text(&*facts.source), Cell::text(&*facts.digest)];
                cells.extend(self.names(result).map(Cell::text));
                cells.push(Cell::text(one.name));
                cells.extend([repeated.mean, repeated.deviation].map(|value| Cell::number(value, 4)));
                cells.push(repeated.confidence.map_or(Cell::Missing, |half| Cell::number(half, 4)));
                cells.push(Cell::count(repeated.times));
                table.row(cells);
            }
        }
        table
    }
}
