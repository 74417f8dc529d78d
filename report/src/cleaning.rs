//! The cleaning report of a trace: every rule that fired, with counts.

use crate::words::{percent, whole};
use crate::{Cell, Column, Document, Table};
use queuecast_trace::clean::{Effect, RuleReport, Withdrawals};
use queuecast_trace::{CleaningReport, Rule};

/// Every rule that fired, with its count, what it did and where it fired first, for programs.
pub fn table(report: &CleaningReport) -> Table {
    with_effects(report, |rule| rule.effect.to_string())
}

/// Whether the command has --limit, which decides about jobs that ran longer than requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overrun {
    /// It has: --limit decides.
    Decided,
    /// It has not: such jobs are kept.
    Kept,
}

/// The effect of a rule in text: where there is --limit, it decides about the kept jobs that ran too long.
fn told(rule: &RuleReport, overrun: Overrun) -> String {
    match (rule.rule, rule.effect, overrun) {
        (Rule::RunAboveRequest, Effect::Kept, Overrun::Decided) => "kept; --limit decides".to_owned(),
        (_, effect, _) => effect.to_string(),
    }
}

fn with_effects(report: &CleaningReport, effect: impl Fn(&RuleReport) -> String) -> Table {
    let columns = [
        Column::text("rule").naming(),
        Column::integer("records"),
        Column::text("effect").naming(),
        Column::text("action").detail(),
        Column::text("what it found").key("description").naming(),
        Column::text("first").spare(1),
    ];
    let mut table = Table::new(columns).titled(title(report));
    for rule in &report.rules {
        table.row([
            Cell::text(rule.rule.name()),
            Cell::count(rule.count),
            Cell::text(effect(rule)),
            Cell::text(rule.action.name()),
            Cell::text(rule.description),
            rule.example.as_ref().map(ToString::to_string).into(),
        ]);
    }
    table
}

fn title(report: &CleaningReport) -> String {
    let [lines, jobs, removed] = [report.lines, report.jobs, report.removed].map(whole);
    let mut title =
        format!("Cleaning by ruleset {}: {lines} records, {jobs} kept, {removed} removed", report.ruleset);
    if let Some(Withdrawals { jobs: jobs @ 1.., queue_time_share, .. }) = report.withdrawn {
        title += &format!(", of which {} never started", whole(jobs));
        if let Some(share) = queue_time_share {
            title += &format!(" ({} of all queue time)", percent(share));
        }
    }
    title
}

/// Adds the report to a document.
pub fn add(document: Document, report: &CleaningReport, overrun: Overrun) -> Document {
    if report.rules.is_empty() {
        return document.with_paragraph(line(report, overrun));
    }
    document.with_table("cleaning", with_effects(report, |rule| told(rule, overrun)))
}

/// The report on one line.
pub fn line(report: &CleaningReport, overrun: Overrun) -> String {
    format!("{}; {}", title(report), fired(report, overrun))
}

/// The report of reading alone, on one line: lines that are not records, and rules that fired.
pub fn reading(report: &CleaningReport) -> String {
    let [lines, removed] = [report.lines, report.removed].map(whole);
    format!("{lines} data lines, {removed} of them not records; {}", fired(report, Overrun::Kept))
}

fn fired(report: &CleaningReport, overrun: Overrun) -> String {
    let rule = |rule: &RuleReport| format!("{} {} {}", rule.rule, whole(rule.count), told(rule, overrun));
    let rules: Vec<String> = report.rules.iter().map(rule).collect();
    if rules.is_empty() { "no rule fired".to_owned() } else { rules.join(", ") }
}

/// Says how many lines could not be read, if they are more than one in a hundred.
pub fn unreadable(name: &str, report: &CleaningReport) -> Option<String> {
    let rule = report.rule(Rule::Malformed).filter(|rule| rule.count * 100 > report.lines)?;
    let share = percent(rule.count as f64 / report.lines.max(1) as f64);
    let [count, lines] = [rule.count, report.lines].map(whole);
    let first = first(rule);
    Some(format!("{name}: {count} of {lines} data lines ({share}) cannot be read and are left out{first}"))
}

/// Where a rule fired first, in brackets.
pub(crate) fn first(rule: &RuleReport) -> String {
    rule.example.as_ref().map_or_else(String::new, |example| format!(" (first: {example})"))
}
