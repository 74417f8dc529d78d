//! The cells of the tables about scenarios. None is judged: the reading is chosen by them.

use super::reading::ComparedReading;
use super::scenario::QUEUE_NAMES;
use super::static_scheduling::{QueueResult, ReadingResult, WaitCounts};
use crate::PublishedCell;
use crate::printed::PrintedTables;

/// What the paper's Table 8 counts: its rows, what they are measured in, and the count.
type Count = (&'static str, &'static str, fn(&WaitCounts) -> f64);
const COUNTS: [Count; 3] = [
    ("average wait", "min", WaitCounts::mean_minutes),
    ("waits up to 1 h", "%", WaitCounts::percent_up_to_hour),
    ("waits of 1 day or more", "%", WaitCounts::percent_day_or_more),
];

/// Above this a queue grows for as long as jobs are submitted.
const OVERLOADED: f64 = 1.0;

const ALL_QUEUES: [usize; 4] = [0, 1, 2, 3];

/// A row for each reading: the counts of Table 8 over all jobs beside the paper's, the same for each queue, and the loads of its 32
/// queues.
pub fn readings(table: &str, results: &[ReadingResult], printed: PrintedTables) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for result in results {
        let row = result.compared.row();
        let cell = |column: &str, log: &str| PublishedCell::new(table, &*row, column, log);
        for (column, unit, count) in COUNTS {
            let paper = printed.value("8", column, "Static");
            let all = cell(column, PublishedCell::AVERAGE).unit(unit);
            cells.push(all.paper(paper).ours(count(&result.waits(&ALL_QUEUES))));
            cells
                .extend(ALL_QUEUES.map(|place| {
                    cell(column, &queue(place)).unit(unit).ours(count(&result.waits(&[place])))
                }));
        }
        for place in ALL_QUEUES {
            let queues = || result.scenarios.iter().map(|scenario| scenario.queues[place]);
            let loads = || queues().map(|queue| queue.offered_load);
            let mean =
                |of: fn(&QueueResult) -> f64| queuecast_core::stats::mean(queues().map(|queue| of(&queue)));
            let overloaded = loads().filter(|&load| load > OVERLOADED).count();
            cells.extend([
                cell("offered load, mean", &queue(place)).ours(mean(|queue| queue.offered_load)),
                cell("offered load, largest", &queue(place)).ours(loads().fold(0.0, f64::max)),
                cell("utilization, mean", &queue(place)).ours(mean(|queue| queue.utilization)),
                cell("offered load above 1", &queue(place)).unit("queues").ours(overloaded as f64),
            ]);
        }
    }
    cells
}

/// A row for each scenario under the default reading: load and average wait of its queues.
pub fn loads(table: &str, results: &[ReadingResult]) -> Vec<PublishedCell> {
    let Some(result) = results.iter().find(|result| result.compared == ComparedReading::default()) else {
        return Vec::new();
    };
    let mut cells = Vec::new();
    for scenario in &result.scenarios {
        let row = scenario.scenario.to_string();
        let cell = |column: &str, place: usize| PublishedCell::new(table, &*row, column, queue(place));
        for (place, result) in scenario.queues.iter().enumerate() {
            cells.push(cell("offered load", place).ours(result.offered_load));
        }
        for (place, result) in scenario.queues.iter().enumerate() {
            cells.push(cell("average wait", place).unit("min").ours(result.waits.mean_minutes()));
        }
    }
    cells
}

/// The heading of a queue's column.
fn queue(place: usize) -> String {
    format!("queue {}", QUEUE_NAMES[place])
}
