//! Simulations of one workload side by side: a table with the best of each column marked, and bars.

use super::chart::{Bar, Bars};
use super::{Best, Cell, Chart, Column, Page, Table, metric};
use crate::eval::{Metric, SimulationResult};
use crate::sim::Options;

/// The metrics of the table: heading, name in the catalogue.
const SHOWN: &[(&str, &str)] = &[
    ("mean wait", "mean_wait"),
    ("95% wait", "p95_wait"),
    ("bounded slowdown", "mean_bounded_slowdown"),
    ("utilization", "utilization"),
    ("accuracy", "mean_accuracy"),
    ("backfilled", "backfilled_share"),
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

/// One row for each simulation. Corrections and event orders are columns where they differ.
pub fn table(results: &[&SimulationResult]) -> Table {
    let metrics: Vec<(&str, &Metric)> =
        SHOWN.iter().filter_map(|&(heading, name)| Some((heading, Metric::named(name).ok()?))).collect();
    let differing = Differing::among(results);
    let mut columns = vec![Column::text("policy"), Column::text("predictor")];
    columns.extend(differing.correction.then(|| Column::text("correction")));
    columns.extend(differing.event_order.then(|| Column::text("event order")));
    let mut columns: Vec<Column> = columns.into_iter().map(Column::naming).collect();
    let named = columns.len();
    columns.extend(metrics.iter().map(|(heading, one)| {
        // What decides between two schedulers stays when the page is narrow.
        let spare = ["backfilled", "accuracy", "utilization"].iter().position(|name| name == heading);
        metric::column(one, heading).spare(spare.map_or(0, |place| 9 - place as u8))
    }));
    columns.push(Column::share("later than FCFS").spare(1));
    let mut table = Table::new(columns);
    for result in results {
        let [policy, predictor, correction, order] = names(result);
        let mut cells = vec![policy, predictor];
        cells.extend(differing.correction.then_some(correction));
        cells.extend(differing.event_order.then_some(order));
        cells.extend(metrics.iter().map(|(_, one)| metric::cell(one, &result.summary)));
        let delayed = result.fairness.as_ref().and_then(|fairness| fairness.delayed_share);
        cells.push(delayed.map_or(Cell::Missing, Cell::share));
        table.row(cells);
    }
    for (place, (_, one)) in metrics.iter().enumerate() {
        table.mark_best(named + place, 0..results.len(), metric::best(one));
    }
    if table.has_marks() {
        table.note("* the best of its column; bounded slowdown is the mean");
    }
    if let Some(excluded) = results.first().map(|first| &first.summary.excluded).filter(|one| one.jobs > 0) {
        let jobs = Cell::count(excluded.jobs).shown(&Page::default());
        let counted = if excluded.jobs == 1 { "job is" } else { "jobs are" };
        table.note(format!("{jobs} {counted} not counted: {}", excluded.why));
    }
    if differing.correction && results.iter().any(|result| !result.outlived) {
        table.note(
            "where no prediction is outlived, the correction makes no difference; \
             such combinations are simulated once",
        );
    }
    table
}

/// The mean bounded slowdown of each simulation.
pub fn bars(results: &[&SimulationResult]) -> Chart {
    let differing = Differing::among(results);
    let bar = |result: &&SimulationResult| {
        let experiment = &result.simulation.experiment;
        let mut label = format!("{}, {}", experiment.policy, experiment.predictor);
        if differing.correction {
            label += &format!(", {}", experiment.options.correction);
        }
        if differing.event_order {
            label += &format!(", {}", experiment.options.event_order);
        }
        let slowdown = result.summary.mean_bounded_slowdown;
        Bar::new(label, slowdown.map_or(Cell::Missing, |slowdown| Cell::number(slowdown, 2)))
    };
    Chart::Bars(Bars::new("Mean bounded slowdown", results.iter().map(bar)).best(Best::Lowest))
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
