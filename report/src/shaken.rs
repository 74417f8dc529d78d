//! Experiments on traces with shaken arrivals, side by side: means over the seeds with their 95 % confidence intervals.

use crate::chart::{Bar, Bars};
use crate::words::number_of;
use crate::{Answer, Best, Cell, Chart, Column, Document, Table, metric};
use queuecast_eval::{METRICS, Metric};
use queuecast_study::{Repeated, ShakenResult, ShakenTraces};

/// The metrics of the table with their headings.
const SHOWN: [(&str, &Metric); 4] = [
    ("mean wait", Metric::mean_wait()),
    ("bounded slowdown", Metric::mean_bounded_slowdown()),
    ("99% bounded slowdown", Metric::p99_bounded_slowdown()),
    ("longest wait", Metric::max_wait()),
];

fn results_of(of: &ShakenTraces, trace: usize) -> impl Iterator<Item = &ShakenResult> {
    of.results.iter().filter(move |result| result.workload == trace)
}

/// What tells an experiment apart: policy, predictor, correction, event order.
fn names(of: &ShakenTraces, result: &ShakenResult) -> [String; 4] {
    let experiment = &result.experiment;
    let predictor = of.labels.label(&experiment.predictor.to_string());
    let options = &experiment.options;
    [
        experiment.policy.to_string(),
        predictor,
        options.correction.to_string(),
        options.event_order.to_string(),
    ]
}

/// Which of the names are shown: policy and predictor, and what differs.
fn shown_names(of: &ShakenTraces) -> [bool; 4] {
    let all: Vec<[String; 4]> = of.results.iter().map(|result| names(of, result)).collect();
    let differs = |place: usize| all.iter().any(|names| names[place] != all[0][place]);
    [true, true, differs(2), differs(3)]
}

fn text(of: &ShakenTraces) -> Table {
    let shown = shown_names(of);
    let mut columns = vec![Column::text("trace")];
    let named = ["policy", "predictor", "correction", "event order"].into_iter().zip(shown);
    columns.extend(named.filter(|(_, shown)| *shown).map(|(name, _)| Column::text(name)));
    let mut columns: Vec<Column> = columns.into_iter().map(Column::naming).collect();
    let first_metric = columns.len();
    for (heading, one) in SHOWN {
        columns.extend([metric::column(one, heading), metric::column(one, "+/-")]);
    }
    let (seeds, by) = (number_of(usize::from(of.shaking.seeds), "seed"), of.shaking.by);
    let title = format!("Arrivals moved by up to {} s, {seeds}", by.0);
    let mut table = Table::new(columns).titled(title);
    for (place, trace) in of.traces.iter().enumerate() {
        if !table.rows().is_empty() {
            table.rule();
        }
        let first = table.rows().len();
        for result in results_of(of, place) {
            let mut cells = vec![Cell::text(&*trace.facts.source)];
            let names = names(of, result).into_iter().zip(shown);
            cells.extend(names.filter(|(_, shown)| *shown).map(|(name, _)| Cell::text(name)));
            for (_, one) in SHOWN {
                let repeated = result.metrics.get(one.name);
                cells.extend([mean(one, repeated), half(one, repeated)]);
            }
            table.row(cells);
        }
        for (at, (_, one)) in SHOWN.iter().enumerate() {
            table.mark_best(first_metric + 2 * at, first..table.rows().len(), metric::best(one));
        }
    }
    table.note("+/- is half the width of the 95 % confidence interval of the mean over the seeds");
    for trace in &of.traces {
        let notes = trace.notes.iter().map(|note| format!("{}: {note}", trace.facts.source));
        table.notes.extend(notes);
    }
    table
}

fn bars(of: &ShakenTraces, place: usize) -> Chart {
    let shown = shown_names(of);
    let bar = |result: &ShakenResult| {
        let names = names(of, result).into_iter().zip(shown);
        let label: Vec<String> = names.filter(|(_, shown)| *shown).map(|(name, _)| name).collect();
        let slowdown = result.metrics.get(Metric::mean_bounded_slowdown().name);
        Bar::new(label.join(", "), slowdown.map_or(Cell::Missing, |one| Cell::number(one.mean, 2)))
    };
    let bars = Bars::new("Mean bounded slowdown", results_of(of, place).map(bar));
    Chart::Bars(bars.on(&of.traces[place].facts.source).best(Best::Lowest).broken())
}

fn mean(one: &Metric, repeated: Option<&Repeated>) -> Cell {
    metric::cell_of(one, repeated.map(|repeated| repeated.mean))
}

fn half(one: &Metric, repeated: Option<&Repeated>) -> Cell {
    metric::cell_of(one, repeated.and_then(|repeated| repeated.confidence))
}

impl Answer for ShakenTraces {
    fn document(&self) -> Document {
        let document = Document::new().with_table("comparison", text(self));
        (0..self.traces.len()).fold(document, |document, place| document.with_chart(bars(self, place)))
    }

    /// One row per trace, experiment and metric.
    fn table(&self) -> Table {
        let texts = ["source", "digest", "policy", "predictor", "correction", "event_order", "metric"];
        let mut columns: Vec<Column> = texts.map(Column::text).to_vec();
        columns.extend(["mean", "deviation", "confidence"].map(Column::number));
        columns.push(Column::integer("seeds"));
        let mut table = Table::new(columns);
        for result in &self.results {
            let facts = &self.traces[result.workload].facts;
            for one in METRICS {
                let Some(repeated) = result.metrics.get(one.name) else { continue };
                let mut cells = vec![Cell::text(&*facts.source), Cell::text(&*facts.digest)];
                cells.extend(names(self, result).map(Cell::text));
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
