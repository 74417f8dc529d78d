//! What a store has counted of decisions beside those of the simulated scheduler, and how it is shown.

use queuecast_core::number::number_of;
use queuecast_core::order;
use queuecast_core::units::Time;
use queuecast_place::{NO_KIND, ShadowCounts, ShadowMiss};
use queuecast_report::{Answer, Cell, Column, Document, Table};
use serde::Serialize;

/// What a store has counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShadowRecord {
    /// Counts by group.
    pub groups: Vec<ShadowGroup>,
    /// The last decisions that are not alike, the newest first.
    pub misses: Vec<ShadowMiss>,
}

/// Decisions about jobs of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShadowGroup {
    /// What jobs are grouped by: `all`, `partition`, `qos`, `size`, `kind`, `option` or `setting`.
    pub by: String,
    /// The group.
    pub group: String,
    /// Times between two looks in which there were such decisions.
    pub intervals: u64,
    /// What was decided.
    #[serde(flatten)]
    pub counts: ShadowCounts,
}

/// How far the simulated scheduler of a followed site decides as the real one does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShadowCard {
    /// The store.
    pub store: String,
    /// The cluster.
    pub cluster: String,
    /// The first moment that counts, as a Unix time; hours count whole.
    pub since: Time,
    /// The last one.
    pub at: Time,
    /// In one sentence.
    pub summary: String,
    /// All decisions, and then by group.
    pub rows: Vec<ShadowRow>,
    /// The last decisions that are not alike, the newest first.
    pub misses: Vec<ShadowMiss>,
}

/// Decisions about jobs of one group, and their shares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShadowRow {
    /// The group, and what was decided.
    #[serde(flatten)]
    pub group: ShadowGroup,
    /// All decisions: a job started, or waited until the next look though it could be started. The tasks of an array that waited are one.
    pub decisions: u64,
    /// The share of them that are alike.
    pub alike: f64,
    /// Jobs that the site started.
    pub starts: u64,
    /// The share of them that the simulation started too, at about the same time.
    pub starts_alike: f64,
    /// The share of all decisions that are not alike.
    pub of_differences: f64,
}

/// Groups in the order in which they are shown.
const ORDER: [&str; 7] = ["all", "kind", "option", "setting", "size", "partition", "qos"];

/// Fewer differences say nothing of their causes.
const FEW: u64 = 10;

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

impl ShadowCard {
    /// Of what a store has counted.
    pub fn of(
        (store, cluster): (String, String),
        (since, at): (Time, Time),
        record: ShadowRecord,
    ) -> ShadowCard {
        let ShadowRecord { mut groups, misses } = record;
        let all = groups.iter().find(|one| one.by == "all").map_or(0, |one| one.counts.differences());
        let place = |by: &str| ORDER.iter().position(|one| *one == by).unwrap_or(ORDER.len());
        order::sort_by(&mut groups, |one, other| {
            let differences = |group: &ShadowGroup| group.counts.differences();
            (place(&one.by), differences(other), &one.group).cmp(&(
                place(&other.by),
                differences(one),
                &other.group,
            ))
        });
        let rows: Vec<ShadowRow> = groups
            .into_iter()
            .filter(|one| one.counts.decisions() > 0)
            .map(|group| {
                let counts = group.counts;
                ShadowRow {
                    decisions: counts.decisions(),
                    alike: share(counts.decisions() - counts.differences(), counts.decisions()),
                    starts: counts.starts(),
                    starts_alike: share(counts.alike_starts(), counts.starts()),
                    of_differences: share(counts.differences(), all),
                    group,
                }
            })
            .collect();
        let summary = summary(&cluster, &rows);
        ShadowCard { store, cluster, since, at, summary, rows, misses }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn summary(cluster: &str, rows: &[ShadowRow]) -> String {
    let Some(all) = rows.first() else {
        return format!(
            "No decisions of {cluster} have been compared yet: queuecast collect compares them once accounting tells what happened between its looks."
        );
    };
    let mut said = format!(
        "{} of {} of {cluster} are reproduced by its simulated scheduler",
        percent(all.alike),
        number_of(all.decisions as usize, "decision")
    );
    if all.starts > 0 {
        said += &format!(
            ", and of the {} {} alone {}",
            all.starts,
            if all.starts == 1 { "start" } else { "starts" },
            percent(all.starts_alike)
        );
    }
    match rows.iter().filter(|row| excess(row, all) >= 0.1).max_by(|one, other| {
        excess(one, all).total_cmp(&excess(other, all)).then_with(|| other.group.group.cmp(&one.group.group))
    }) {
        Some(row) if all.group.counts.differences() >= FEW => {
            said += &format!(
                "; {} account for {} of the rest, with {} of the decisions",
                in_words(&row.group),
                percent(row.of_differences),
                percent(share(row.decisions, all.decisions))
            );
        }
        _ => {}
    }
    said + "."
}

/// By how much a group's share of the differences exceeds its share of the decisions.
fn excess(row: &ShadowRow, all: &ShadowRow) -> f64 {
    match row.group.by.as_str() {
        // What all jobs have explains nothing, and neither does what they have not.
        "all" | "setting" => 0.0,
        "kind" if row.group.group == NO_KIND => 0.0,
        _ => row.of_differences - share(row.decisions, all.decisions),
    }
}

fn in_words(group: &ShadowGroup) -> String {
    let ShadowGroup { by, group, .. } = group;
    match (by.as_str(), group.as_str()) {
        ("kind", "array") => "tasks of arrays".to_owned(),
        ("kind", "whole nodes") => "jobs of whole nodes".to_owned(),
        ("kind", "dependency" | "reservation") => format!("jobs with a {group}"),
        ("kind", "several partitions") => "jobs in several partitions".to_owned(),
        ("partition", name) => format!("jobs in partition {name}"),
        ("qos", name) => format!("jobs of QOS {name}"),
        ("size", size) => format!("jobs of {size}"),
        (_, other) => format!("jobs with {other}"),
    }
}

impl Answer for ShadowCard {
    fn document(&self) -> Document {
        let document = Document::new().with_paragraph(self.summary.clone());
        if self.rows.is_empty() {
            return document;
        }
        document.with_table("", self.table())
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            Column::text("by"),
            Column::text("decisions about").key("group").naming(),
            Column::integer("decisions"),
            Column::share("alike"),
            Column::share("of all differences").key("of_differences"),
            Column::integer("starts"),
            Column::share("starts alike").key("starts_alike"),
            Column::integer("same nodes").key("same_start").spare(3),
            Column::integer("other nodes").key("other_nodes").spare(4),
            Column::integer("sooner").spare(2),
            Column::integer("later").spare(2),
            Column::integer("waited").detail(),
            Column::integer("passed over").key("passed_over").spare(1),
            Column::integer("intervals").detail(),
        ]);
        let number = |count: u64| Cell::count(count as usize);
        for row in &self.rows {
            let ShadowCounts { same_start, other_nodes, sooner, later, waited, passed_over } =
                row.group.counts;
            table.row([
                row.group.by.as_str().into(),
                (&row.group.group).into(),
                number(row.decisions),
                Cell::share(row.alike),
                Cell::share(row.of_differences),
                number(row.starts),
                Cell::share(row.starts_alike),
                number(same_start),
                number(other_nodes),
                number(sooner),
                number(later),
                number(waited),
                number(passed_over),
                number(row.group.intervals),
            ]);
        }
        table
    }
}
