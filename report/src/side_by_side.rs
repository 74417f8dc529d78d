//! Simulations side by side: a table with the best of each column and workload marked, and bars for each workload.

use super::chart::{Bar, Bars};
use super::{Best, Cell, Chart, Column, Page, Table, duration, metric};
use queuecast_core::spec::{Spec, name_in};
use queuecast_eval::Metric;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::Options;
use queuecast_study::SimulationResult;

/// The metrics of the table with their headings.
const SHOWN: &[(&str, &Metric)] = &[
    ("mean wait", Metric::mean_wait()),
    ("95% wait", Metric::p95_wait()),
    ("longest wait", Metric::max_wait()),
    ("bounded slowdown", Metric::mean_bounded_slowdown()),
    ("utilization", Metric::utilization()),
    ("accuracy", Metric::mean_accuracy()),
    ("backfilled", Metric::backfilled_share()),
];

/// Which options tell the simulations apart.
struct Differing {
    correction: bool,
    event_order: bool,
}

impl Differing {
    fn among(results: &[&SimulationResult]) -> Differing {
        Differing {
            correction: differ(results, |options| options.correction),
            event_order: differ(results, |options| options.event_order),
        }
    }
}

fn differ<T: PartialEq>(results: &[&SimulationResult], of: impl Fn(&Options) -> T) -> bool {
    let mut all = results.iter().map(|result| of(&result.simulation.experiment.options));
    let first = all.next();
    all.any(|one| Some(one) != first)
}

/// The simulations of one workload, in the order of their rows.
#[derive(Debug, Clone)]
pub struct WorkloadResults<'a> {
    /// What the workload is called.
    pub name: String,
    /// Its simulations.
    pub results: Vec<&'a SimulationResult>,
}

/// One row for each workload and simulation, with the best of each workload's rows marked. Workloads are a column where there
/// are several, corrections and event orders where they differ. `name` is what a predictor is called in its column.
pub fn table(workloads: &[WorkloadResults<'_>], name: &dyn Fn(&str) -> String) -> Table {
    let all: Vec<&SimulationResult> = workloads.iter().flat_map(|one| one.results.iter().copied()).collect();
    let differing = Differing::among(&all);
    let several = workloads.len() > 1;
    let mut columns: Vec<Column> = several.then(|| Column::text("trace")).into_iter().collect();
    columns.extend([Column::text("policy"), Column::text("predictor")]);
    columns.extend(differing.correction.then(|| Column::text("correction")));
    columns.extend(differing.event_order.then(|| Column::text("event order")));
    let mut columns: Vec<Column> = columns.into_iter().map(Column::naming).collect();
    let named = columns.len();
    columns.extend(SHOWN.iter().map(|(heading, one)| {
        // What decides between two schedulers stays when the page is narrow.
        let spare = ["backfilled", "accuracy", "utilization", "longest wait"];
        let spare = spare.iter().position(|name| name == heading);
        metric::column(one, heading).spare(spare.map_or(0, |place| 9 - place as u8))
    }));
    columns.push(Column::share("later than FCFS").spare(1));
    let mut table = Table::new(columns);
    for workload in workloads {
        if !table.rows().is_empty() {
            table.rule();
        }
        let first = table.rows().len();
        for result in &workload.results {
            let [policy, predictor, correction, order] = names(result);
            let predictor = Cell::text(name(&predictor.raw()));
            let mut cells: Vec<Cell> = several.then(|| Cell::text(&*workload.name)).into_iter().collect();
            cells.extend([policy, predictor]);
            cells.extend(differing.correction.then_some(correction));
            cells.extend(differing.event_order.then_some(order));
            cells.extend(SHOWN.iter().map(|(_, one)| metric::cell(one, &result.summary)));
            let delayed = result.fairness.as_ref().and_then(|fairness| fairness.delayed_share);
            cells.push(delayed.map_or(Cell::Missing, Cell::share));
            table.row(cells);
        }
        for (place, (_, one)) in SHOWN.iter().enumerate() {
            table.mark_best(named + place, first..table.rows().len(), metric::best(one));
        }
    }
    if table.has_marks() {
        let of = if several { "its column and trace" } else { "its column" };
        table.note(format!("* the best of {of}; bounded slowdown is the mean"));
    }
    for workload in workloads {
        let excluded = workload.results.first().map(|first| &first.summary.excluded);
        if let Some(excluded) = excluded.filter(|one| one.jobs > 0) {
            let jobs = Cell::count(excluded.jobs).shown(&Page::default());
            let counted = if excluded.jobs == 1 { "job is" } else { "jobs are" };
            let of = if several { format!("{}: ", workload.name) } else { String::new() };
            table.note(format!("{of}{jobs} {counted} not counted: {}", excluded.why));
        }
    }
    if differing.correction && all.iter().any(|result| !result.outlived) {
        table.note(
            "where no prediction is outlived, the correction makes no difference; \
             such combinations are simulated once",
        );
    }
    table
}

/// The mean bounded slowdown of each simulation of a workload, which `on` describes. Predictors have a colour each; `name` is
/// what a predictor is called.
pub fn bars(results: &[&SimulationResult], on: &str, name: &dyn Fn(&str) -> String) -> Chart {
    let differing = Differing::among(results);
    let bar = |result: &&SimulationResult| {
        let experiment = &result.simulation.experiment;
        let predictor = name(&experiment.predictor.to_string());
        let mut label = format!("{}, {predictor}", experiment.policy);
        if differing.correction {
            label += &format!(", {}", experiment.options.correction);
        }
        if differing.event_order {
            label += &format!(", {}", experiment.options.event_order);
        }
        let slowdown = result.summary.mean_bounded_slowdown;
        let slowdown = slowdown.map_or(Cell::Missing, |slowdown| Cell::number(slowdown, 2));
        let bar = Bar::new(label, slowdown).of(explained(&predictor));
        match result.summary.max_wait {
            Some(longest) => bar.beside(format!("longest wait {}", duration::human(longest))),
            None => bar,
        }
    };
    let bars = Bars::new("Mean bounded slowdown", results.iter().map(bar)).on(on);
    Chart::Bars(bars.best(Best::Lowest).broken())
}

/// A predictor's name with what it predicts.
fn explained(written: &str) -> String {
    let form = PredictorSpec::forms().into_iter().find(|form| form.name == name_in(written));
    form.map_or_else(|| written.to_owned(), |form| format!("{written} – {}", form.meaning))
}

/// Policy, predictor, correction and event order of a simulation.
pub fn names(result: &SimulationResult) -> [Cell; 4] {
    let experiment = &result.simulation.experiment;
    let Options { correction, event_order, .. } = &experiment.options;
    [
        experiment.policy.to_string(),
        experiment.predictor.to_string(),
        correction.to_string(),
        event_order.to_string(),
    ]
    .map(Cell::text)
}
