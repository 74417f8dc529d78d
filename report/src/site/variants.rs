//! Variants of a Slurm site under the same submissions.

use super::variants_chart;
use crate::{Answer, Cell, Column, Document, Table};
use queuecast_eval::{Metric, Unit};
use queuecast_study::{ComparedVariants, VariantMetric};

impl Answer for ComparedVariants {
    fn document(&self) -> Document {
        let mut document = Document::new().with_table("variants", rows(self, false));
        let changed = changed(self);
        if !changed.rows().is_empty() {
            document = document.with_table("changes", changed);
        }
        if let Some(chart) = variants_chart::chart(self) {
            document = document.with_chart(chart);
        }
        let mut all: Vec<&str> = Vec::new();
        for name in self.variants.iter().flat_map(|one| &one.answer.not_modelled) {
            if !all.contains(&name.as_str()) {
                all.push(name);
            }
        }
        if !all.is_empty() {
            document = document.with_paragraph(format!("Not modelled: {}.", all.join(", ")));
        }
        document
    }

    fn table(&self) -> Table {
        rows(self, true)
    }
}

/// What is shown of the metrics: name in the catalogue, and heading.
const SHOWN: [(&str, &str); 8] = [
    ("mean_wait", "mean wait"),
    ("p50_wait", "median"),
    ("p90_wait", "90%"),
    ("mean_bounded_slowdown", "bounded slowdown"),
    ("not_started", "not started"),
    ("utilization", "CPUs in use"),
    ("idle_while_waiting", "idle while jobs wait"),
    ("makespan", "until the last end"),
];

/// How a number is shown.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Duration,
    Share,
    Number,
}

impl Shown {
    /// By the unit of a metric.
    fn of(name: &str) -> Shown {
        match Metric::of_sites(name).map(|metric| metric.unit) {
            Ok(Unit::Seconds) => Shown::Duration,
            Ok(Unit::Share) => Shown::Share,
            _ => Shown::Number,
        }
    }

    fn cell(self, value: Option<f64>) -> Cell {
        match (self, value) {
            (_, None) => Cell::Missing,
            (Shown::Duration, Some(value)) => Cell::duration(value),
            (Shown::Share, Some(value)) => Cell::share(value),
            (Shown::Number, Some(value)) => Cell::number(value, if value.fract() == 0.0 { 0 } else { 2 }),
        }
    }

    fn column(self, name: &str) -> Column {
        match self {
            Shown::Duration => Column::duration(name),
            Shown::Share => Column::share(name),
            Shown::Number => Column::number(name),
        }
    }
}

/// One row for each variant; every difference for programs, that of mean waits for readers.
fn rows(of: &ComparedVariants, with_all: bool) -> Table {
    let mut columns = vec![Column::text("variant").naming()];
    for (name, heading) in SHOWN {
        let shown = Shown::of(name);
        let spare = ["makespan", "utilization", "p50_wait", "idle_while_waiting", "p90_wait"];
        let spare = spare.iter().position(|one| *one == name);
        let key = if shown == Shown::Duration { format!("{name}_seconds") } else { name.to_owned() };
        columns.push(shown.column(heading).key(key).spare(spare.map_or(0, |place| 5 - place as u8)));
        if with_all || name == "mean_wait" {
            columns.push(shown.column("difference").key(format!("{name}_difference")));
        }
        if of.shaking.is_some() && (with_all || name == "mean_wait") {
            columns.push(shown.column("shaken").key(format!("{name}_shaken_difference")));
            columns.push(shown.column("±").key(format!("{name}_shaken_confidence")));
            columns.push(Column::text("beyond scatter").key(format!("{name}_beyond_scatter")));
        }
    }
    let mut table = Table::new(columns).titled(format!("Variants under {}", of.source));
    for variant in &of.variants {
        let mut row = vec![Cell::text(&*variant.name)];
        for (name, _) in SHOWN {
            let shown = Shown::of(name);
            let metric = variant.metrics.iter().find(|one| one.name == name);
            row.push(shown.cell(metric.and_then(|one| one.value)));
            if with_all || name == "mean_wait" {
                row.push(shown.cell(metric.and_then(|one| one.difference)));
            }
            if of.shaking.is_some() && (with_all || name == "mean_wait") {
                row.extend(scatter(metric, shown));
            }
        }
        table.row(row);
    }
    table.note("differences are from the first variant; waits from submission to start");
    if let Some(shaking) = of.shaking {
        table.note(format!(
            "shaken: mean difference over {} seeds that move every submission by up to {} s, with its 95% confidence interval",
            shaking.seeds, shaking.by.0
        ));
    }
    table
}

fn changed(of: &ComparedVariants) -> Table {
    let columns = ["variant", "value", "from", "to"].map(Column::text);
    let mut table = Table::new(columns).titled("Changed");
    for variant in &of.variants {
        for value in variant.answer.changes.iter().flat_map(|one| &one.values) {
            let cells = [&variant.name, &value.name, &value.from, &value.to];
            table.row(cells.map(|text| Cell::text(&**text)));
        }
    }
    table
}

fn scatter(metric: Option<&VariantMetric>, shown: Shown) -> [Cell; 3] {
    let Some(shaken) = metric.and_then(|one| one.shaken) else {
        return [Cell::Missing, Cell::Missing, Cell::Missing];
    };
    let beyond =
        shaken.beyond_scatter.map_or(Cell::Missing, |beyond| Cell::text(if beyond { "yes" } else { "no" }));
    [shown.cell(Some(shaken.difference.mean)), shown.cell(shaken.difference.confidence), beyond]
}
