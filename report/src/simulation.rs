//! One simulation, as text and rows; and what every row of simulations begins and ends with.

use crate::chart::{Area, Axis, Measure, Series};
use crate::words::{number_of, took, whole};
use crate::{Answer, Cell, Chart, Column, Document, Table, cleaning, log, metric};
use queuecast_eval::{
    Breakdown, Fairness, METRICS, Metric, QueueSeries, QueueSummary, Span, Summary, Window,
};
use queuecast_study::{Experiment, Simulated};
use queuecast_trace::WorkloadFacts;

impl Answer for Simulated<'_> {
    fn document(&self) -> Document {
        document(self)
    }

    /// One row; with groups, one more for each, below the row of all jobs, whose `group` is empty.
    fn table(&self) -> Table {
        let mut columns = settings_columns();
        columns.extend(["by", "group"].map(Column::text));
        columns.extend(METRICS.iter().map(|one| metric::column(one, one.name)));
        let timed = self.timings.map(|_| ["read_seconds", "simulate_seconds"].map(Column::number));
        columns.extend(timed.into_iter().flatten());
        columns.extend(identity_columns());
        let mut table = Table::new(columns);
        let mut row = |by: Cell, group: Cell, summary: &Summary| {
            let mut cells = settings_cells(&self.workload, self.experiment);
            cells.extend([by, group]);
            cells.extend(METRICS.iter().map(|one| metric::cell(one, summary)));
            let timings = self.timings.map(|one| [one.read_seconds, one.simulate_seconds]);
            cells.extend(timings.into_iter().flatten().map(|seconds| Cell::number(seconds, 3)));
            let clean = Some(self.cleaning.ruleset.to_string());
            cells.extend(identity_cells(&self.window, self.workload.procs, clean, self.experiment, summary));
            table.row(cells);
        };
        row(Cell::Missing, Cell::Missing, &self.summary);
        for (group, breakdown) in
            self.groups.iter().flat_map(|all| all.groups.iter().map(move |one| (one, all)))
        {
            row(breakdown.by.word().into(), Cell::text(&*group.name), &group.summary);
        }
        table
    }
}

/// The first columns of rows for programs: the workload and what was simulated.
pub(crate) fn settings_columns() -> Vec<Column> {
    let texts = ["source", "digest", "policy", "predictor", "correction", "event_order", "limit"];
    texts.into_iter().map(Column::text).chain([Column::number("factor")]).collect()
}

/// Their values.
pub(crate) fn settings_cells(workload: &WorkloadFacts, experiment: &Experiment) -> Vec<Cell> {
    let options = &experiment.options;
    vec![
        Cell::text(&*workload.source),
        Cell::text(&*workload.digest),
        Cell::text(experiment.policy.to_string()),
        Cell::text(experiment.predictor.to_string()),
        Cell::text(options.correction.to_string()),
        Cell::text(options.event_order.to_string()),
        Cell::text(options.limit.to_string()),
        Cell::number(options.factor, 2),
    ]
}

/// The last columns of rows for programs: what a row depends on besides the settings before the metrics.
pub(crate) fn identity_columns() -> [Column; 6] {
    [
        Column::text("window"),
        Column::integer("procs"),
        Column::text("clean"),
        Column::integer("default_request"),
        Column::text("version"),
        Column::integer("excluded"),
    ]
}

/// Their values; `clean` is missing for a workload that was made up.
pub(crate) fn identity_cells(
    window: &Window,
    procs: u32,
    clean: Option<String>,
    experiment: &Experiment,
    summary: &Summary,
) -> [Cell; 6] {
    [
        Cell::text(window.to_string()),
        Cell::Integer(i64::from(procs)),
        clean.into(),
        Cell::Integer(experiment.default_request.0),
        Cell::text(env!("CARGO_PKG_VERSION")),
        Cell::count(summary.excluded.jobs),
    ]
}

/// More than this share of the jobs is worth a warning.
const MANY_KILLED: f64 = 0.05;

/// The note below a result on jobs that ran longer than requested and were killed at their limit, and whether there are enough
/// of them for a warning; none where no job was killed.
pub fn killed(summary: &Summary) -> Option<(String, bool)> {
    (summary.killed > 0).then(|| {
        let share = summary.killed_share.map_or(Cell::Missing, Cell::share).shown(&Default::default());
        let (ended, them) =
            if summary.killed == 1 { ("is ended at its", "it") } else { ("are ended at their", "them") };
        let jobs = number_of(summary.killed, "job");
        let said = format!(
            "{jobs} ({share}) ran longer than requested and {ended} request (--limit ignore lets {them} run)"
        );
        (said, summary.killed_share.is_some_and(|share| share > MANY_KILLED))
    })
}

/// What a reader of a simulated trace must know.
pub fn trace_notes(experiment: &Experiment) -> Vec<String> {
    let options = &experiment.options;
    vec![
        format!(
            "simulated by queuecast {}: waits and run times are those of the simulation, not recorded ones",
            env!("CARGO_PKG_VERSION")
        ),
        format!(
            "policy {}, predictor {}, correction {}, event order {}, limit {}, factor {}",
            experiment.policy,
            experiment.predictor,
            options.correction,
            options.event_order,
            options.limit,
            options.factor
        ),
    ]
}

/// The trace, its cleaning, the settings, and the metrics.
fn document(result: &Simulated<'_>) -> Document {
    let mut document = cleaning::add(
        Document::new().with_table("trace", log::table(&result.workload.source, result.log)),
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
    document.with_chart(plot(&result.series, result.queue.span))
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
    table.notes.extend(killed(&result.summary).map(|(said, _)| said));
    table.notes.extend(log::unknowns(&result.log.workload, std::slice::from_ref(experiment)));
    table
}

fn counted(summary: &Summary) -> String {
    let excluded = &summary.excluded;
    let jobs = number_of(summary.jobs, "job");
    if excluded.jobs == 0 {
        return format!("{jobs}, all");
    }
    let [left_out, early, late] = [excluded.jobs, excluded.early, excluded.late].map(whole);
    format!("{jobs}; {left_out} left out ({early} early, {late} late): {}", excluded.why)
}

/// Waits, response times and slowdowns side by side.
fn times(summary: &Summary) -> Table {
    let rows = [
        (
            "wait",
            [
                Metric::mean_wait(),
                Metric::p50_wait(),
                Metric::p90_wait(),
                Metric::p95_wait(),
                Metric::p99_wait(),
                Metric::max_wait(),
            ],
        ),
        (
            "response time",
            [
                Metric::mean_response(),
                Metric::p50_response(),
                Metric::p90_response(),
                Metric::p95_response(),
                Metric::p99_response(),
                Metric::max_response(),
            ],
        ),
        (
            "bounded slowdown",
            [
                Metric::mean_bounded_slowdown(),
                Metric::p50_bounded_slowdown(),
                Metric::p90_bounded_slowdown(),
                Metric::p95_bounded_slowdown(),
                Metric::p99_bounded_slowdown(),
                Metric::max_bounded_slowdown(),
            ],
        ),
    ];
    let headings = ["mean", "median", "90%", "95%", "99%", "max"];
    let mut columns = vec![Column::text("").naming()];
    columns.extend(headings.map(|heading| {
        let spare = ["99%", "90%"].iter().position(|name| *name == heading);
        Column::number(heading).spare(spare.map_or(0, |place| place as u8 + 1))
    }));
    let mut table = Table::new(columns);
    for (what, metrics) in rows {
        let mut row = vec![Cell::text(what)];
        row.extend(metrics.map(|one| metric::cell(one, summary)));
        table.row(row);
    }
    table
}

fn other(summary: &Summary, queue: &QueueSummary) -> Table {
    let fact = |heading: &str, one: &Metric| (Column::text(heading), metric::cell(one, summary));
    let part = |heading: &str, jobs: &Metric, share: &Metric| {
        let words = format!("{} ({})", shown(jobs, summary), shown(share, summary));
        (Column::text(heading), Cell::text(words))
    };
    let length = |mean: Option<f64>, most: u64| {
        let mean = mean.map_or(Cell::Missing, |mean| Cell::number(mean, 1)).shown(&Default::default());
        Cell::text(format!("{mean} jobs on average, {} at most", whole(most)))
    };
    Table::facts([
        fact("utilization", Metric::utilization()),
        fact("makespan", Metric::makespan()),
        fact("response time by area", Metric::awrt()),
        (Column::text("queue length"), length(queue.mean_jobs_waiting, queue.max_jobs_waiting)),
        part("started at once", Metric::immediate(), Metric::immediate_share()),
        part("started in turn", Metric::reserved(), Metric::reserved_share()),
        part("backfilled in time", Metric::backfilled_in_time(), Metric::backfilled_in_time_share()),
        part("backfilled in space", Metric::backfilled_in_space(), Metric::backfilled_in_space_share()),
        part("killed at the limit", Metric::killed(), Metric::killed_share()),
        fact("prediction accuracy", Metric::mean_accuracy()),
        fact("accuracy over time", Metric::relative_accuracy()),
        fact("inaccuracy over time", Metric::absolute_inaccuracy()),
        part("predicted too short", Metric::underpredicted(), Metric::underprediction_rate()),
        fact("predictions corrected", Metric::corrections()),
        fact("predictions revised", Metric::revisions()),
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
        ("jobs", Metric::jobs()),
        ("mean wait", Metric::mean_wait()),
        ("90% wait", Metric::p90_wait()),
        ("mean bounded slowdown", Metric::mean_bounded_slowdown()),
        ("utilization", Metric::utilization()),
        ("backfilled", Metric::backfilled_share()),
    ];
    let mut columns = vec![Column::text(breakdown.by.word().replace('_', " ")).naming()];
    columns.extend(metrics.iter().map(|(heading, one)| {
        let spare = ["90% wait", "utilization", "backfilled"].iter().position(|name| name == heading);
        metric::column(one, heading).spare(spare.map_or(0, |place| place as u8 + 1))
    }));
    let mut table = Table::new(columns).titled(format!("By {}", breakdown.by.word().replace('_', " ")));
    for group in &breakdown.groups {
        let mut row = vec![Cell::text(&*group.name)];
        row.extend(metrics.iter().map(|(_, one)| metric::cell(one, &group.summary)));
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

fn shown(one: &Metric, summary: &Summary) -> String {
    metric::cell(one, summary).shown(&Default::default())
}
