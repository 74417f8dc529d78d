//! The cells of the tables.

use queuecast_wait::WAIT_CLASSES;

use super::explained;
use super::metascheduling::{
    self, ALTERNATIVES, DISTRIBUTION, GAINS, HOMES, LIMITED, Metascheduled, SYNTHETIC, WAITS,
};
use super::methods::ComparedMethod;
use super::outcome::LogScores;
use super::readings::{PaperReading, ReadingScore, SubsetAccuracy};
use super::scenarios::{ReadingResult, loads, readings as scenario_readings};
use super::setup::{LOADS, LOG_NAMES, NON_QUICK, OVERALL, PRINTED, READINGS, SCENARIOS};
use crate::PublishedCell;
use crate::printed::PrintedTables;

/// What each table shows.
pub const CAPTIONS: [(&str, &str); 16] = [
    ("3", "mean error of the predicted response time, in percent of the response time"),
    ("4", "jobs whose predicted class is right, (a) non-quick starters and (b) overall"),
    (
        "4a-expected",
        "Table 4(a) with non-quick starters read as jobs that are not expected to be quick starters (not judged)",
    ),
    ("two-class", "Figure 2: jobs with one of two predicted classes right"),
    ("three-class", "jobs with one of three predicted classes right"),
    (PRINTED, "Tables 3 and 4 with the text and its formula as they are printed (not judged)"),
    (
        READINGS,
        "Tables 3 and 4 under other readings of the paper, each of which changes one thing (not judged)",
    ),
    (
        WAITS,
        "Figure 3: average waits of the super experiments, and how far below or above those of other brokers",
    ),
    (
        DISTRIBUTION,
        "where the jobs of the super experiments ran, in percent of the jobs (not judged: one site is another)",
    ),
    (
        HOMES,
        "what the users of each site gain (below 0) or lose: change of the average wait of their jobs against static",
    ),
    (ALTERNATIVES, "alternatives that were tried, on the super experiment while all logs last"),
    (SYNTHETIC, "overall statistics of the 32 synthetic scenarios"),
    (LIMITED, "the same if queues take other queues' jobs within the limits of Table 6 only (not judged)"),
    (GAINS, "how far the average wait of each synthetic scenario is below static and least loaded"),
    (
        SCENARIOS,
        "Table 8, column Static, over all 32 synthetic scenarios, under readings of section 5.2 (not judged)",
    ),
    (LOADS, "offered load and average wait of each queue under the default reading, static scheduling"),
];

/// How far from the printed percentage ours may be, in points.
const TOLERANCE: f64 = 3.0;

/// The rows of a baseline.
const MAJORITY: &str = "Most frequent class";

/// The column of Table 3.
const ERROR: &str = "Prediction Error";

fn printed() -> PrintedTables {
    PrintedTables(include_str!("../../../experiments/kumar2014/printed.md"))
}

/// How often always naming the same `classes` neighbouring classes is right, with the best of these: among jobs that waited for more than an
/// hour, and of all. They are chosen with hindsight.
fn constant(waits: &[usize; WAIT_CLASSES], classes: usize) -> [Option<f64>; 2] {
    [1, 0].map(|from| {
        let all: usize = waits[from..].iter().sum();
        let best = waits[from..].windows(classes).map(|named| named.iter().sum::<usize>()).max()?;
        (all > 0).then(|| 100.0 * best as f64 / all as f64)
    })
}

/// All tables' cells.
pub fn cells(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    let mut cells = response_errors(outcomes);
    cells.extend(accuracies(outcomes, "4", 1));
    let mut cells: Vec<PublishedCell> =
        cells.into_iter().map(|cell| explained::cell(cell, &by_larger_window(outcomes))).collect();
    cells.extend(not_expected_quick(outcomes));
    for (table, classes) in [("two-class", 2), ("three-class", 3)] {
        cells.extend(accuracies(outcomes, table, classes));
    }
    cells.extend(numbers(outcomes, PRINTED, PaperReading::Printed).into_iter().map(unjudged));
    cells.extend(readings(outcomes));
    cells
}

/// What the paper prints of section 5.1 with what a reading has for it, judged: 31 numbers where all logs are there.
pub fn numbers(outcomes: &[LogScores], table: &str, reading: PaperReading) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
        let Some(score) = outcome.reading(reading) else { continue };
        for (row, accuracy) in [("QBETS", score.qbets), ("IBL", score.ibl), ("Avg_wt", score.neighbours)] {
            for (column, ours) in [(NON_QUICK, accuracy.long), (OVERALL, accuracy.overall)] {
                let paper = printed().value(part(column), log, row);
                let cell = PublishedCell::new(table, row, column, log).unit("%");
                cells.push(cell.paper(paper).ours(ours).tolerance(paper.map(|_| TOLERANCE)));
            }
        }
        let paper = printed().value("3", log, "Avg_wt");
        let cell = PublishedCell::new(table, "Avg_wt", ERROR, log).unit("%").paper(paper);
        cells.push(cell.ours(score.response_error).tolerance(paper.map(|_| TOLERANCE)));
    }
    // One row after the other, whatever the log.
    cells.sort_by_key(|cell| ["QBETS", "IBL", "Avg_wt"].iter().position(|row| *row == cell.row));
    cells
}

/// The same number, shown and not judged: each number of the paper is judged once, by the default reading.
fn unjudged(cell: PublishedCell) -> PublishedCell {
    cell.tolerance(None)
}

/// The printed numbers with jobs 10,001 to 60,000 predicted.
fn by_larger_window(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    numbers(outcomes, "", PaperReading::FiftyThousand)
}

/// The cells of the synthetic scenarios.
pub fn scenario_cells(results: &[ReadingResult]) -> Vec<PublishedCell> {
    let mut cells = scenario_readings(SCENARIOS, results, printed());
    cells.extend(loads(LOADS, results));
    cells
}

/// Table 3, a row for each technique.
fn response_errors(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for method in ComparedMethod::TECHNIQUES.into_iter().chain([ComparedMethod::Zero]) {
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let Some(error) = outcome.error(method) else { continue };
            let paper = printed().value("3", log, method.row());
            let cell = PublishedCell::new("3", method.row(), ERROR, log).unit("%");
            cells.push(cell.paper(paper).ours(error).tolerance(paper.map(|_| TOLERANCE)));
        }
    }
    cells
}

/// Table 4 and its like: a row for each method.
fn accuracies(outcomes: &[LogScores], table: &str, classes: usize) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for method in ComparedMethod::PREDICTORS.into_iter().chain([ComparedMethod::Zero]) {
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let Some(score) = outcome.of(method) else { continue };
            for (column, ours) in [NON_QUICK, OVERALL].into_iter().zip(score.0[classes - 1]) {
                let paper = method.printed().filter(|_| table == "4");
                let paper = paper.and_then(|heading| printed().value(part(column), log, heading));
                let cell = PublishedCell::new(table, method.row(), column, log).unit("%");
                cells.push(cell.paper(paper).ours(ours).tolerance(paper.map(|_| TOLERANCE)));
            }
        }
    }
    let row = if classes == 1 { MAJORITY.to_owned() } else { format!("{MAJORITY}, best {classes} in a row") };
    for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
        for (column, ours) in [NON_QUICK, OVERALL].into_iter().zip(constant(&outcome.waits, classes)) {
            cells.push(PublishedCell::new(table, &*row, column, log).unit("%").ours(ours));
        }
    }
    cells
}

/// The name of Table 4's part among the printed tables.
fn part(column: &str) -> &'static str {
    if column == OVERALL { "4b" } else { "4a" }
}

/// Table 4(a) again, not judged. With quick starters first and with neighbours alone the answers are the same for these jobs.
fn not_expected_quick(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    type Column = fn(&ReadingScore) -> SubsetAccuracy;
    let methods: [(&str, Column); 3] =
        [("QBETS", |score| score.qbets), ("IBL", |score| score.ibl), ("Avg_wt", |score| score.neighbours)];
    let mut cells = Vec::new();
    for (row, accuracy) in methods {
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let Some(score) = outcome.reading(PaperReading::Default) else { continue };
            let cell = PublishedCell::new("4a-expected", row, NON_QUICK, log).unit("%");
            cells.push(cell.paper(printed().value("4a", log, row)).ours(accuracy(score).not_expected_quick));
        }
    }
    cells
}

fn readings(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for reading in PaperReading::ALL {
        let judged = numbers(outcomes, READINGS, reading);
        if judged.is_empty() {
            continue;
        }
        let judged: Vec<&PublishedCell> = judged.iter().filter(|cell| cell.within.is_some()).collect();
        let within = judged.iter().filter(|cell| cell.within == Some(true)).count();
        let column = format!("of {} printed numbers, within {TOLERANCE} points", judged.len());
        let cell = PublishedCell::new(READINGS, reading.row(), column, PublishedCell::AVERAGE);
        cells.push(cell.unit("numbers").ours(within as f64));
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let Some(score) = outcome.reading(reading) else { continue };
            let columns = [
                ("waits up to 1 h", Some(score.first_class)),
                ("expected to be quick starters", Some(score.expected_quick)),
                ("QBETS: all jobs", score.qbets.overall),
                ("QBETS: waits above 1 h", score.qbets.long),
                ("IBL: all jobs", score.ibl.overall),
                ("IBL: waits above 1 h", score.ibl.long),
                ("Avg_wt: all jobs", score.neighbours.overall),
                ("Avg_wt: waits above 1 h", score.neighbours.long),
                ("quick starters first: all jobs", score.framework.overall),
                ("quick starters first: waits above 1 h", score.framework.long),
                ("Avg_wt: mean error of the response time", Some(score.response_error)),
                ("Avg_wt: median error of the response time", Some(score.median_error)),
            ];
            cells.extend(columns.map(|(column, ours)| {
                PublishedCell::new(READINGS, reading.row(), column, log).unit("%").ours(ours)
            }));
        }
    }
    cells
}

/// Those of section 5.2.
pub fn metascheduling_cells(results: &Metascheduled) -> Vec<PublishedCell> {
    metascheduling::cells(results, printed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_prints_these() {
        let value = |table: &str, log: &str, column: &str| printed().value(table, log, column);
        assert_eq!(value("3", "CTC", "Avg_wt"), Some(52.0));
        assert_eq!(value("3", "CTC", "Reg_lin"), None);
        for (log, a, b) in [
            ("CTC", [19.0, 28.0, 30.0], [4.0, 47.0, 59.0]),
            ("LANL", [10.0, 26.0, 28.0], [58.0, 61.0, 76.0]),
            ("SDSC SP2", [30.0, 33.0, 35.0], [8.0, 48.0, 64.0]),
        ] {
            for (place, column) in ["QBETS", "IBL", "Avg_wt"].into_iter().enumerate() {
                assert_eq!(value("4a", log, column), Some(a[place]), "{log} {column}");
                assert_eq!(value("4b", log, column), Some(b[place]), "{log} {column}");
            }
        }
        assert!(LOG_NAMES.iter().all(|log| value("4b", log, "Avg_wt").is_some()));
    }
}
