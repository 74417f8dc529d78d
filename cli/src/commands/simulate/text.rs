//! The result of one simulation as text.

use queuecast::eval::{Breakdown, Fairness, Metric, QueueSeries, QueueSummary, Span, Summary};
use queuecast::report::chart::{Area, Axis, Measure, Series};
use queuecast::report::{Answer, Cell, Chart, Column, Document, Table, metric};

use super::answer::Simulated;
use crate::commands::cleaning;
use crate::commands::killed::killed;
use queuecast::report::log::unknowns;
use queuecast::report::words::{number_of, took};

impl Answer for Simulated<'_> {
    fn document(&self) -> Document {
        document(self)
    }

    fn table(&self) -> Table {
        self.rows()
    }
}

/// The trace, its cleaning, the settings, and the metrics.
fn document(result: &Simulated<'_>) -> Document {
    let mut document = cleaning::add(
        Document::new().with_table("trace", result.trace.table()),
        result.cleaning,
        cleaning::Overrun::Decided,
    );
    document = document
        .with_table("settings", settings(result))
        .with_table("times", times(&result.summary))
        .with_table("other", other(&result.summary, &result.queue))
        .with_table("fairness", fairness(&result.fairness));
    if let Some(breakdown) = &result.groups {
        document = document.with_table("groups", groups(breakdown));
    }
    document.with_chart(plot(result.series, result.queue.span))
}

fn settings(result: &Simulated<'_>) -> Table {
    let experiment = result.experiment;
    let options = &experiment.options;
    let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
    let mut table = Table::facts([
        fact("policy", experiment.policy.to_string()),
        fact("predictor", result.predictor.clone()),
        fact("correction", options.correction.to_string()),
        fact("event order", options.event_order.to_string()),
        fact("at the limit", options.limit.to_string()),
        fact("factor", options.factor.to_string()),
        fact("counted", counted(&result.summary)),
        fact(
            "took",
            format!(
                "{} reading, {} simulating",
                took(result.took.read_seconds),
                took(result.took.simulate_seconds)
            ),
        ),
    ])
    .titled("Simulation");
    table.notes.extend(killed(&result.summary));
    table.notes.extend(unknowns(&result.trace.log.workload, std::slice::from_ref(experiment)));
    table
}

fn counted(summary: &Summary) -> String {
    let excluded = &summary.excluded;
    let jobs = number_of(summary.jobs, "job");
    if excluded.jobs == 0 {
        return format!("{jobs}, all");
    }
    let [left_out, early, late] = [excluded.jobs, excluded.early, excluded.late]
        .map(|count| Cell::count(count).shown(&Default::default()));
    format!("{jobs}; {left_out} left out ({early} early, {late} late): {}", excluded.why)
}

/// Waits, response times and slowdowns side by side.
fn times(summary: &Summary) -> Table {
    let statistics = ["mean", "p50", "p90", "p95", "p99", "max"];
    let headings = ["mean", "median", "90%", "95%", "99%", "max"];
    let mut columns = vec![Column::text("").naming()];
    columns.extend(headings.map(|heading| {
        let spare = ["99%", "90%"].iter().position(|name| *name == heading);
        Column::number(heading).spare(spare.map_or(0, |place| place as u8 + 1))
    }));
    let mut table = Table::new(columns);
    for (name, what) in
        [("wait", "wait"), ("response", "response time"), ("bounded_slowdown", "bounded slowdown")]
    {
        let mut row = vec![Cell::text(what)];
        row.extend(statistics.map(|statistic| value(&format!("{statistic}_{name}"), summary)));
        table.row(row);
    }
    table
}

fn other(summary: &Summary, queue: &QueueSummary) -> Table {
    let fact = |heading: &str, name: &str| (Column::text(heading), value(name, summary));
    let part = |heading: &str, name: &str, share: &str| {
        let words = format!("{} ({})", shown(name, summary), shown(share, summary));
        (Column::text(heading), Cell::text(words))
    };
    let length = |mean: Option<f64>, most: u64| {
        let mean = mean.map_or(Cell::Missing, |mean| Cell::number(mean, 1)).shown(&Default::default());
        let most = Cell::count(usize::try_from(most).unwrap_or(usize::MAX)).shown(&Default::default());
        Cell::text(format!("{mean} jobs on average, {most} at most"))
    };
    Table::facts([
        fact("utilization", "utilization"),
        fact("makespan", "makespan"),
        fact("response time by area", "awrt"),
        (Column::text("queue length"), length(queue.mean_jobs_waiting, queue.max_jobs_waiting)),
        part("started at once", "immediate", "immediate_share"),
        part("started in turn", "reserved", "reserved_share"),
        part("backfilled in time", "backfilled_in_time", "backfilled_in_time_share"),
        part("backfilled in space", "backfilled_in_space", "backfilled_in_space_share"),
        part("killed at the limit", "killed", "killed_share"),
        fact("prediction accuracy", "mean_accuracy"),
        fact("accuracy over time", "relative_accuracy"),
        fact("inaccuracy over time", "absolute_inaccuracy"),
        part("predicted too short", "underpredicted", "underprediction_rate"),
        fact("predictions corrected", "corrections"),
        fact("predictions revised", "revisions"),
    ])
}

fn fairness(fairness: &Fairness) -> Table {
    let mut table = Table::new([
        Column::text("against FCFS"),
        Column::integer("jobs"),
        Column::share("share"),
        Column::duration("mean"),
        Column::duration("most"),
    ]);
    let share = |share: Option<f64>| share.map_or(Cell::Missing, Cell::share);
    let mean = |mean: Option<f64>| mean.map_or(Cell::Missing, Cell::duration);
    table.row([
        Cell::text("start later"),
        Cell::count(fairness.delayed),
        share(fairness.delayed_share),
        mean(fairness.mean_delay),
        fairness.max_delay.into(),
    ]);
    table.row([
        Cell::text("start earlier"),
        Cell::count(fairness.advanced),
        share(fairness.advanced_share),
        mean(fairness.mean_advance),
        fairness.max_advance.into(),
    ]);
    table
}

fn groups(breakdown: &Breakdown) -> Table {
    let metrics = [
        ("jobs", "jobs"),
        ("mean wait", "mean_wait"),
        ("90% wait", "p90_wait"),
        ("mean bounded slowdown", "mean_bounded_slowdown"),
        ("utilization", "utilization"),
        ("backfilled", "backfilled_share"),
    ];
    let mut columns = vec![Column::text(breakdown.by.word().replace('_', " ")).naming()];
    columns.extend(metrics.iter().filter_map(|(heading, name)| {
        let spare = ["90% wait", "utilization", "backfilled"].iter().position(|one| one == heading);
        Some(metric::column(named(name)?, heading).spare(spare.map_or(0, |place| place as u8 + 1)))
    }));
    let mut table = Table::new(columns).titled(format!("By {}", breakdown.by.word().replace('_', " ")));
    for group in &breakdown.groups {
        let mut row = vec![Cell::text(&*group.name)];
        row.extend(metrics.iter().map(|(_, name)| value(name, &group.summary)));
        table.row(row);
    }
    table
}

/// The queue over the span of the counted jobs.
fn plot(queue: &QueueSeries, span: Option<Span>) -> Chart {
    Chart::Area(Area {
        title: "The queue over time (the longest within each column)".to_owned(),
        series: vec![Series::new("jobs waiting", queue.jobs_waiting(span))],
        x: Axis::new("since the first counted submission", Measure::Duration),
        y: Axis::new("jobs waiting", Measure::Number),
        height: 8,
    })
}

fn named(name: &str) -> Option<&'static Metric> {
    Metric::named(name).ok()
}

/// A metric's value by name; missing for an unknown name.
fn value(name: &str, summary: &Summary) -> Cell {
    named(name).map_or(Cell::Missing, |metric| metric::cell(metric, summary))
}

fn shown(name: &str, summary: &Summary) -> String {
    value(name, summary).shown(&Default::default())
}
