//! Variants of a Slurm site under the same submissions.

use super::variants_chart;
use crate::{Answer, Cell, Column, Document, Table, metric};
use queuecast_eval::{Metric, Unit};
use queuecast_study::site_metrics::{
    IDLE_WHILE_WAITING, MAKESPAN, MEAN_BOUNDED_SLOWDOWN, MEAN_WAIT, NOT_STARTED, P50_WAIT, P90_WAIT,
    UTILIZATION,
};
use queuecast_study::{ClusterReport, ComparedVariants, VariantMetric};

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

/// What is shown of the metrics, and what gives way where the page is narrow: the higher, the earlier.
const SHOWN: [(Metric<ClusterReport>, &str, u8); 8] = [
    (MEAN_WAIT, "mean wait", 0),
    (P50_WAIT, "median", 3),
    (P90_WAIT, "90%", 1),
    (MEAN_BOUNDED_SLOWDOWN, "bounded slowdown", 0),
    (NOT_STARTED, "not started", 0),
    (UTILIZATION, "CPUs in use", 4),
    (IDLE_WHILE_WAITING, "idle while jobs wait", 2),
    (MAKESPAN, "until the last end", 5),
];

/// One row for each variant; every difference for programs, that of mean waits for readers.
fn rows(of: &ComparedVariants, with_all: bool) -> Table {
    let mut columns = vec![Column::text("variant").naming()];
    for (one, heading, spare) in &SHOWN {
        let name = one.name;
        let key = if one.unit == Unit::Seconds { format!("{name}_seconds") } else { name.to_owned() };
        columns.push(metric::column(one, heading).key(key).spare(*spare));
        if with_all || name == MEAN_WAIT.name {
            columns.push(metric::column(one, "difference").key(format!("{name}_difference")));
        }
        if of.shaking.is_some() && (with_all || name == MEAN_WAIT.name) {
            columns.push(metric::column(one, "shaken").key(format!("{name}_shaken_difference")));
            columns.push(metric::column(one, "±").key(format!("{name}_shaken_confidence")));
            columns.push(Column::text("beyond scatter").key(format!("{name}_beyond_scatter")));
        }
    }
    let mut table = Table::new(columns).titled(format!("Variants under {}", of.source));
    for variant in &of.variants {
        let mut row = vec![Cell::text(&*variant.name)];
        for (one, ..) in &SHOWN {
            let found = variant.metrics.iter().find(|found| found.name == one.name);
            row.push(metric::cell_of(one, found.and_then(|found| found.value)));
            if with_all || one.name == MEAN_WAIT.name {
                row.push(metric::cell_of(one, found.and_then(|found| found.difference)));
            }
            if of.shaking.is_some() && (with_all || one.name == MEAN_WAIT.name) {
                row.extend(scatter(one, found));
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

fn scatter(one: &Metric<ClusterReport>, found: Option<&VariantMetric>) -> [Cell; 3] {
    let Some(shaken) = found.and_then(|found| found.shaken) else {
        return [Cell::Missing, Cell::Missing, Cell::Missing];
    };
    let beyond =
        shaken.beyond_scatter.map_or(Cell::Missing, |beyond| Cell::text(if beyond { "yes" } else { "no" }));
    let difference = shaken.difference;
    [metric::cell_of(one, Some(difference.mean)), metric::cell_of(one, difference.confidence), beyond]
}
