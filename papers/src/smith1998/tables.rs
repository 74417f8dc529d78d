//! The cells of the tables for one log.

use super::LogSearches;
use crate::PublishedCell;
use queuecast::eval::Score;

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
struct Printed {
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

const CTC: Printed = Printed {
    nodes: 512.0,
    requests: 79_302.0,
    mean_run: 182.18,
    greedy: [118.89, 65.25],
    greedy_nodes: [NAN, NAN],
    genetic: [106.73, 58.58],
    gibbons: 124.06,
    gibbons_relative: 107.41,
    downey: [179.46, 201.34],
};

const SDSC96: Printed = Printed {
    nodes: 400.0,
    requests: 22_337.0,
    mean_run: 166.48,
    greedy: [82.40, 49.50],
    greedy_nodes: [76.20, 45.77],
    genetic: [74.56, 44.79],
    gibbons: 122.55,
    gibbons_relative: NAN,
    downey: [102.04, 168.24],
};

const NOTHING: Printed = Printed {
    nodes: NAN,
    requests: NAN,
    mean_run: NAN,
    greedy: [NAN; 2],
    greedy_nodes: [NAN; 2],
    genetic: [NAN; 2],
    gibbons: NAN,
    gibbons_relative: NAN,
    downey: [NAN; 2],
};

const MINUTE: f64 = 60.0;

/// All tables' cells for one log.
pub fn cells(outcome: &LogSearches, log: &str) -> Vec<PublishedCell> {
    let printed = match log {
        "CTC" => &CTC,
        "SDSC96" => &SDSC96,
        _ => &NOTHING,
    };
    let cell = |table: &str, column: &str, unit: &str, paper: f64| {
        PublishedCell::new(table, log, column, log).unit(unit).paper(paper)
    };
    // Minutes go with the mean run time, which differs: percentages are comparable, minutes are shown.
    let both = |table: &str, what: &str, paper: [f64; 2], score: &Score| {
        [
            cell(table, &format!("{what}Mean Error"), "minutes", paper[0]).ours(score.mean_error / MINUTE),
            cell(table, &format!("{what}Percentage of Mean Run Time"), "%", paper[1])
                .ours(score.error_percent),
        ]
    };
    // An error in minutes as a percentage of the paper's own mean run time.
    let percent = |table: &str, what: &str, minutes: f64, score: &Score| {
        let paper = 100.0 * minutes / printed.mean_run;
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
        let share = share.tolerance(if reached { printed.genetic[1] } else { 0.0 });
        let shown = if reached { "at most the paper's is asked for" } else { "" };
        cells.extend([minutes.note(genetic.0.to_string()), share.note(shown)]);
        cells.extend(both("6", "Greedy, with history sizes: ", [NAN; 2], &greedy.1));
    }
    let inside = |score: &Score| 100.0 * score.inside_interval;
    let held = cell("7", "inside the 90 % interval", "%", NAN).ours(inside(&genetic.1));
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
    cells
}
