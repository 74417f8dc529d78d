//! The cells of the tables for one log.

use super::LogSearches;
use super::claims::text;
use crate::PublishedCell;
use crate::printed::PrintedTables;
use queuecast_eval::Score;

/// What each table shows.
pub const CAPTIONS: [(&str, &str); 9] = [
    ("1", "the workloads"),
    ("4", "the best of the first greedy search"),
    ("5", "the best of the greedy search with ranges of nodes"),
    ("6", "genetic search against greedy search"),
    ("7", "the best template sets of the genetic search"),
    ("8", "Gibbons against ours"),
    ("9", "Gibbons with relative run times against ours"),
    ("10", "Downey against ours"),
    ("holdout", "searched on the first half, scored on the second"),
];

/// What the paper prints of one workload; what is not a number, it does not.
struct PrintedWorkload {
    nodes: f64,
    requests: f64,
    mean_run: f64,
    /// Errors in minutes and in percent of the mean run time.
    greedy: [f64; 2],
    greedy_nodes: [f64; 2],
    genetic: [f64; 2],
    gibbons: f64,
    gibbons_relative: f64,
    downey: [f64; 2],
}

const NAN: f64 = f64::NAN;

impl PrintedWorkload {
    /// Of one workload; nothing where the paper does not have it.
    fn of(log: &str) -> PrintedWorkload {
        let tables = PrintedTables(include_str!("../../../experiments/smith1998/printed.md"));
        let value = |column: &str| tables.value("workloads", log, column).unwrap_or(NAN);
        let both = |what: &str| ["minutes", "percent"].map(|unit| value(&format!("{what}, {unit}")));
        PrintedWorkload {
            nodes: value("nodes"),
            requests: value("requests"),
            mean_run: value("mean run time"),
            greedy: both("greedy"),
            greedy_nodes: both("greedy with nodes"),
            genetic: both("genetic"),
            gibbons: value("Gibbons"),
            gibbons_relative: value("Gibbons with relative run times"),
            downey: ["Downey, conditional median", "Downey, conditional average"].map(value),
        }
    }
}

const MINUTE: f64 = 60.0;

/// How far from the printed number ours may be, as a share of it: the logs were cleaned since, the searches are random, and
/// the paper does not give all parameters of its search.
const TOLERANCE: f64 = 0.1;

/// All tables' cells for one log.
pub fn cells(outcome: &LogSearches, log: &str) -> Vec<PublishedCell> {
    let printed = PrintedWorkload::of(log);
    let cell = |table: &str, column: &str, unit: &str, paper: f64| {
        let cell = PublishedCell::new(table, log, column, log).unit(unit).paper(paper);
        // Table 1 describes the logs; of the others, every printed number is judged.
        let judged = table != "1" && paper.is_finite();
        cell.tolerance(judged.then_some(TOLERANCE * paper))
    };
    let both = |table: &str, what: &str, paper: [f64; 2], score: &Score| {
        [
            cell(table, &format!("{what}Mean Error"), "minutes", paper[0]).ours(score.mean_error / MINUTE),
            cell(table, &format!("{what}Percentage of Mean Run Time"), "%", paper[1])
                .ours(score.error_percent),
        ]
    };
    // An error in minutes as a percentage of the paper's own mean run time.
    let percent = |table: &str, what: &str, minutes: f64, score: &Score| {
        let paper = (10_000.0 * minutes / printed.mean_run).round() / 100.0;
        cell(table, what, "%", paper).ours(score.error_percent)
    };
    let (greedy, genetic) = (&outcome.best_greedy, &outcome.best_genetic);
    let mut cells = vec![
        cell("1", "Nodes", "processors", printed.nodes).ours(f64::from(outcome.procs)),
        cell("1", "Requests", "jobs", printed.requests).ours(genetic.1.jobs as f64),
        cell("1", "Mean Run Time", "minutes", printed.mean_run).ours(genetic.1.mean_run / MINUTE),
    ];
    let greedy_set = |place: usize| greedy[place].0.to_string();
    cells.extend(both("4", "", printed.greedy, &greedy[0].1).map(|cell| cell.note(greedy_set(0))));
    cells.extend(both("5", "", printed.greedy_nodes, &greedy[1].1).map(|cell| cell.note(greedy_set(1))));
    cells.extend(both("6", "Genetic: ", printed.genetic, &genetic.1));
    let best = if printed.greedy_nodes[0].is_finite() { printed.greedy_nodes } else { printed.greedy };
    cells.extend(both("6", "Greedy: ", best, &greedy[1].1));
    if let Some([greedy, genetic]) = &outcome.with_history {
        // The paper's genetic result is to be reached: better is no fault.
        let [minutes, share] = both("6", "Genetic, with history sizes: ", printed.genetic, &genetic.1);
        let reached = genetic.1.error_percent <= printed.genetic[1];
        let tolerance = |paper: f64| if reached { paper } else { 0.0 };
        let minutes = minutes.tolerance(tolerance(printed.genetic[0]));
        let share = share.tolerance(tolerance(printed.genetic[1]));
        let shown = if reached { "at most the paper's is asked for" } else { "" };
        cells.extend([minutes.note(genetic.0.to_string()), share.note(shown)]);
        cells.extend(both("6", "Greedy, with history sizes: ", [NAN; 2], &greedy.1));
    }
    let inside = |score: &Score| 100.0 * score.inside_interval;
    let held = cell("7", "inside the nominal 90 % interval", "%", NAN).ours(inside(&genetic.1));
    cells.push(held.note(genetic.0.to_string()));
    if let Some([_, genetic]) = &outcome.with_history {
        let held = cell("7", "the same, with history sizes", "%", NAN).ours(inside(&genetic.1));
        cells.push(held.note(genetic.0.to_string()));
    }
    for (table, paper, gibbons) in
        [("8", printed.gibbons, outcome.gibbons[0]), ("9", printed.gibbons_relative, outcome.gibbons[1])]
    {
        let Some(gibbons) = gibbons else { continue };
        cells.push(percent(table, "Gibbons", paper, &gibbons));
        cells.push(percent(table, "Greedy Search", best[0], &greedy[1].1));
        cells.push(percent(table, "Genetic Algorithm", printed.genetic[0], &genetic.1));
    }
    for (what, paper, downey) in [
        ("Downey, Conditional Median", printed.downey[0], &outcome.downey[0]),
        ("Downey, Conditional Average", printed.downey[1], &outcome.downey[1]),
        ("Greedy Search", best[0], &greedy[1].1),
        ("Genetic Algorithm", printed.genetic[0], &genetic.1),
    ] {
        cells.push(percent("10", what, paper, downey));
    }
    cells.push(cell("10", "the mean of all jobs", "%", NAN).ours(outcome.everything.error_percent));
    if let Some(requested) = outcome.requested {
        cells.push(cell("10", "the requested time", "%", NAN).ours(requested.error_percent));
    }
    if let Some(holdout) = &outcome.holdout {
        cells.extend([
            cell("holdout", "first half, searched", "%", NAN)
                .ours(holdout.seen.error_percent)
                .note(holdout.found.to_string()),
            cell("holdout", "second half, unseen", "%", NAN).ours(holdout.unseen.error_percent),
            cell("holdout", "second half, with hindsight", "%", NAN).ours(holdout.hindsight.error_percent),
        ]);
    }
    cells.into_iter().map(explained).collect()
}

/// Says what explains a cell that is out.
fn explained(cell: PublishedCell) -> PublishedCell {
    let better = cell.difference.is_some_and(|difference| difference < 0.0);
    let searched = !cell.column.starts_with("Gibbons") && !cell.column.starts_with("Downey");
    let why = match cell.table.as_str() {
        _ if !cell.is_out() => return cell,
        _ if searched && better => "better",
        "8" | "9" if !searched => "gibbons",
        "10" if !searched => "downey",
        _ if cell.log == "SDSC96" => "log",
        _ => return cell,
    };
    cell.explained(text(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_workloads_have_their_values() {
        let [ctc, sdsc] = ["CTC", "SDSC96"].map(PrintedWorkload::of);
        assert_eq!((ctc.nodes, ctc.genetic, ctc.gibbons_relative), (512.0, [106.73, 58.58], 107.41));
        assert!(ctc.greedy_nodes[0].is_nan() && sdsc.gibbons_relative.is_nan());
        assert_eq!((sdsc.greedy_nodes, sdsc.downey), ([76.2, 45.77], [102.04, 168.24]));
        assert!(PrintedWorkload::of("KTH").mean_run.is_nan());
    }
}
