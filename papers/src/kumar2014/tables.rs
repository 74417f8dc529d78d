//! The cells of the tables.

use queuecast::eval::WaitScore;

use super::explained;
use super::metascheduling::{
    self, ALTERNATIVES, DISTRIBUTION, GAINS, HOMES, LIMITED, Metascheduled, SYNTHETIC, WAITS,
};
use super::methods::ComparedMethod;
use super::outcome::LogScores;
use super::readings::{PaperReading, ReadingScore, SubsetAccuracy};
use super::scenarios::{ReadingResult, loads, readings as scenario_readings};
use super::setup::{LOADS, LOG_NAMES, NON_QUICK, OVERALL, SCENARIOS};
use crate::PublishedCell;
use crate::printed::PrintedTables;

/// What each table shows.
pub const CAPTIONS: [(&str, &str); 15] = [
    ("3", "mean error of the predicted response time, in percent of the response time"),
    ("4", "jobs whose predicted class is right, (a) non-quick starters and (b) overall"),
    (
        "4a-expected",
        "Table 4(a) with non-quick starters read as jobs that are not expected to be quick starters",
    ),
    ("two-class", "Figure 2: jobs with one of two predicted classes right"),
    ("three-class", "jobs with one of three predicted classes right"),
    ("readings", "single-class accuracy under other readings of the paper"),
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

fn printed() -> PrintedTables {
    PrintedTables(include_str!("../../../experiments/kumar2014/printed.md"))
}

/// An accuracy with so many classes named: among jobs that waited for more than an hour, and of all.
pub fn accuracy(score: &WaitScore, classes: usize) -> [Option<f64>; 2] {
    match classes {
        1 => [score.one_class_long, Some(score.one_class)],
        2 => [score.two_class_long, Some(score.two_class)],
        _ => [score.three_class_long, Some(score.three_class)],
    }
}

/// What always naming the same neighbouring classes comes to, the best so many of them: among jobs that waited for more than an
/// hour, and of all. They are chosen with hindsight.
fn constant(score: &WaitScore, classes: usize) -> [Option<f64>; 2] {
    let waits: Vec<usize> = score.confusion.iter().map(|row| row.iter().sum()).collect();
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
    cells.extend(not_expected_quick(outcomes));
    for (table, classes) in [("two-class", 2), ("three-class", 3)] {
        cells.extend(accuracies(outcomes, table, classes));
    }
    cells.extend(readings(outcomes));
    cells.into_iter().map(explained::cell).collect()
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
            let Some(score) = outcome.of(method) else { continue };
            let paper = printed().value("3", log, method.row());
            let cell = PublishedCell::new("3", method.row(), "Prediction Error", log).unit("%");
            cells.push(cell.paper(paper).ours(score.response_error).tolerance(paper.map(|_| TOLERANCE)));
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
            for (column, ours) in [NON_QUICK, OVERALL].into_iter().zip(accuracy(score, classes)) {
                let paper = method.printed().filter(|_| table == "4");
                let paper = paper.and_then(|heading| printed().value(&part(column), log, heading));
                let cell = PublishedCell::new(table, method.row(), column, log).unit("%");
                cells.push(cell.paper(paper).ours(ours).tolerance(paper.map(|_| TOLERANCE)));
            }
        }
    }
    let row = if classes == 1 { MAJORITY.to_owned() } else { format!("{MAJORITY}, best {classes} in a row") };
    for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
        let Some(score) = outcome.of(ComparedMethod::Zero) else { continue };
        for (column, ours) in [NON_QUICK, OVERALL].into_iter().zip(constant(score, classes)) {
            cells.push(PublishedCell::new(table, &*row, column, log).unit("%").ours(ours));
        }
    }
    cells
}

/// The name of Table 4's part among the printed tables.
fn part(column: &str) -> String {
    if column == OVERALL { "4b".to_owned() } else { "4a".to_owned() }
}

/// Table 4(a) again. With quick starters first and with neighbours alone the answers are the same for these jobs.
fn not_expected_quick(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    type Column = fn(&ReadingScore) -> SubsetAccuracy;
    let methods: [(&str, Column); 3] =
        [("QBETS", |score| score.qbets), ("IBL", |score| score.ibl), ("Avg_wt", |score| score.neighbours)];
    let mut cells = Vec::new();
    for (row, accuracy) in methods {
        for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
            let score = outcome.readings.iter().find(|(reading, _)| *reading == PaperReading::AsRead);
            let Some((_, score)) = score else { continue };
            let cell = PublishedCell::new("4a-expected", row, NON_QUICK, log).unit("%");
            let paper = printed().value("4a", log, row);
            cells.push(cell.paper(paper).ours(accuracy(score).not_expected_quick).tolerance(TOLERANCE));
        }
    }
    cells
}

fn readings(outcomes: &[LogScores]) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (outcome, log) in outcomes.iter().zip(LOG_NAMES) {
        for (reading, score) in &outcome.readings {
            let framework = |what: &str| format!("{}: {what}", ComparedMethod::Framework.row());
            let neighbours = |what: &str| format!("{}: {what}", ComparedMethod::Neighbours.row());
            let columns = [
                ("waits up to 1 h".to_owned(), Some(score.first_class)),
                ("expected to be quick starters".to_owned(), Some(score.expected_quick)),
                (framework("all jobs"), score.framework.overall),
                (framework("waits above 1 h"), score.framework.long),
                (framework("waits above 0 s"), score.framework.waited),
                (neighbours("all jobs"), score.neighbours.overall),
                (neighbours("waits above 1 h"), score.neighbours.long),
                (neighbours("waits above 0 s"), score.neighbours.waited),
                ("QBETS: not expected quick".to_owned(), score.qbets.not_expected_quick),
                ("IBL: not expected quick".to_owned(), score.ibl.not_expected_quick),
                ("Avg_wt: not expected quick".to_owned(), score.neighbours.not_expected_quick),
                ("Avg_wt: mean error of the response time".to_owned(), Some(score.response_error)),
                ("Avg_wt: median error of the response time".to_owned(), Some(score.median_error)),
            ];
            cells.extend(columns.map(|(column, ours)| {
                PublishedCell::new("readings", reading.row(), column, log).unit("%").ours(ours)
            }));
        }
    }
    // One row after the other, whatever the log.
    cells.sort_by_key(|cell| PaperReading::ALL.iter().position(|reading| reading.row() == cell.row));
    cells
}

/// Those of section 5.2.
pub fn metascheduling_cells(results: &Metascheduled) -> Vec<PublishedCell> {
    metascheduling::cells(results, printed()).into_iter().map(explained::cell).collect()
}

/// Which reading of Avg_wt is nearer to what Table 4 prints.
pub fn readings_compared(cells: &[PublishedCell]) -> Option<String> {
    let told = |method: ComparedMethod| {
        let judged: Vec<&PublishedCell> =
            cells.iter().filter(|cell| cell.table == "4" && cell.row == method.row()).collect();
        let differences: Vec<f64> = judged.iter().filter_map(|cell| cell.difference).collect();
        let mean = differences.iter().map(|one| one.abs()).sum::<f64>() / differences.len() as f64;
        let within = judged.iter().filter(|cell| cell.within == Some(true)).count();
        (!differences.is_empty())
            .then(|| format!("{within} of {} cells within, {mean:.1} points away on average", judged.len()))
    };
    let (framework, neighbours) = (told(ComparedMethod::Framework)?, told(ComparedMethod::Neighbours)?);
    Some(format!(
        "the paper does not say whether Avg_wt in Table 4 has quick starters looked for first. With them: {framework}. \
         Neighbours alone: {neighbours}"
    ))
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
