//! Variants of a Slurm site under the same submissions.

use super::over_seeds;
use super::variants_chart;
use crate::words::number_of;
use crate::{Answer, Cell, Column, Document, Table, duration, metric};
use queuecast_eval::{Metric, Unit};
use queuecast_study::site_metrics::{
    IDLE_WHILE_WAITING, MAKESPAN, MEAN_BOUNDED_SLOWDOWN, MEAN_WAIT, NOT_STARTED, P50_WAIT, P90_WAIT,
    UTILIZATION,
};
use queuecast_study::{ClusterReport, ComparedVariants, VariantAnswer, VariantMetric};

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
        for variant in self.variants.iter().filter(|one| one.groups.len() > 1) {
            document = document.with_table(format!("groups {}", variant.name), gains(self, variant));
        }
        for sentence in self.variants.iter().filter_map(|one| unmatched(self, one)) {
            document = document.with_paragraph(sentence);
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
    (P50_WAIT, "median", 7),
    (P90_WAIT, "90%", 5),
    (MEAN_BOUNDED_SLOWDOWN, "bounded slowdown", 4),
    (NOT_STARTED, "not started", 3),
    (UTILIZATION, "CPUs in use", 8),
    (IDLE_WHILE_WAITING, "idle while jobs wait", 6),
    (MAKESPAN, "until the last end", 9),
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
            columns.push(metric::column(one, "shaken").key(format!("{name}_shaken_difference")).spare(1));
            columns.push(metric::column(one, "±").key(format!("{name}_shaken_confidence")).spare(2));
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
    table.note("differences are from the first variant; waits from the first submission to the last start");
    table.note(format!(
        "waits and slowdowns are over the {} that start in every variant",
        number_of(of.common_jobs, "job")
    ));
    if let Some(shaking) = of.shaking {
        table.note(format!("shaken: the difference, {}", over_seeds(shaking)));
    }
    table
}

/// Groups that a table has at most; JSON has all.
const SHOWN_GROUPS: usize = 12;

/// Who gains and who loses.
fn gains(of: &ComparedVariants, variant: &VariantAnswer) -> Table {
    let mut columns = vec![
        Column::text("by").naming(),
        Column::text("group").naming(),
        Column::integer("jobs").spare(1),
        Column::duration("mean wait"),
        Column::duration("difference"),
    ];
    if of.shaking.is_some() {
        columns.extend([Column::duration("shaken").spare(2), Column::duration("±").spare(3)]);
        columns.push(Column::text("beyond scatter"));
    }
    let mut table = Table::new(columns).titled(format!("Who gains and who loses: {}", variant.name));
    for one in variant.groups.iter().take(SHOWN_GROUPS) {
        let mut row = vec![
            Cell::text(one.by.replace('_', " ")),
            (&one.group).into(),
            one.jobs.into(),
            Cell::duration(one.mean_wait),
            Cell::duration(one.difference),
        ];
        if of.shaking.is_some() {
            row.push(one.shaken.map(|shaken| Cell::duration(shaken.mean)).into());
            row.push(one.shaken.and_then(|shaken| shaken.confidence).map(Cell::duration).into());
            let beyond = one.beyond_scatter;
            row.push(beyond.map_or(Cell::Missing, |beyond| Cell::text(if beyond { "yes" } else { "no" })));
        }
        table.row(row);
    }
    table.note("the largest changes first, by jobs times difference; groups are those of the first variant");
    if variant.groups.len() > SHOWN_GROUPS {
        table.note(format!("{SHOWN_GROUPS} of {}; JSON has all", number_of(variant.groups.len(), "group")));
    }
    table
}

/// That other jobs start in a variant than in others, and what that would have done to its mean wait.
fn unmatched(of: &ComparedVariants, variant: &VariantAnswer) -> Option<String> {
    if variant.only_here + variant.only_elsewhere == 0 {
        return None;
    }
    let mut parts = Vec::new();
    if variant.only_elsewhere > 0 {
        let count = variant.only_elsewhere;
        let (starts, does) = if count == 1 { ("starts", "does") } else { ("start", "do") };
        parts.push(format!(
            "{} that {starts} in another variant {does} not start here",
            number_of(count, "job")
        ));
    }
    if variant.only_here > 0 {
        let count = variant.only_here;
        let (start, does) = if count == 1 { ("starts", "does") } else { ("start", "do") };
        parts.push(format!("{} {start} here that {does} not in another variant", number_of(count, "job")));
    }
    let matched = variant.metrics.iter().find(|one| one.name == MEAN_WAIT.name)?.difference;
    let is_first = of.variants.first().is_some_and(|first| first.name == variant.name);
    let changed = match (matched, variant.unmatched_difference) {
        // They matter where the sign would be another, or the difference another by more than a tenth.
        (Some(matched), Some(all)) if !is_first && matters(matched, all) => format!(
            " They matter: with them the mean wait would seem to differ by {}, and not by {}.",
            signed(all),
            signed(matched)
        ),
        _ => String::new(),
    };
    Some(format!("In {}, {}; they are left out of waits.{changed}", variant.name, parts.join(", and ")))
}

fn matters(matched: f64, all: f64) -> bool {
    matched.signum() != all.signum() || (all - matched).abs() > 0.1 * matched.abs()
}

fn signed(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "+" };
    format!("{sign}{}", duration::about(seconds.abs()))
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
