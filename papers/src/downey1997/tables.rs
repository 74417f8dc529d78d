//! The cells of the tables.

use super::results::{SeedResults, SettingResults};
use super::setting::{
    AVERSE, AVG, BIAS, ENACTED, FITTED, HEUR, LEAST, LOCK_IN, OPT, PRED, READINGS, RECORDED, SOCIAL, SWEPT,
    VARIANTS,
};
use super::{Part, explained};
use crate::PublishedCell;
use crate::printed::PrintedTables;
use queuecast_forecast::allot::Trend;
use queuecast_study::Repeated;
use queuecast_study::molding::{Enacted, Recorded};

/// Every cell, table by table.
pub fn all(results: &SettingResults<'_>) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for found in results.of_part(Part::Paper) {
        cells.extend(workload(found));
        cells.extend(recorded(found));
        cells.extend(enacted(found));
        cells.extend(improved(found));
        cells.extend(predictions(found));
    }
    cells.extend(results.of_part(Part::Readings).flat_map(reading));
    cells.extend(results.of_part(Part::Caution).flat_map(cautious));
    cells.extend(results.of_part(Part::Literal).flat_map(literal));
    cells.extend(results.of_part(Part::Variants).flat_map(variants));
    for (part, table) in [(Part::Loads, "loads"), (Part::Machines, "machines"), (Part::Laws, "distributions")]
    {
        cells.extend(results.of_part(part).flat_map(|found| swept(table, found)));
    }
    cells
}

/// What the paper prints. The experiments `caution` and `literal` are compared with the tables they change.
fn printed(table: &str, row: &str, column: &str) -> Option<f64> {
    let page = PrintedTables(include_str!("../../../experiments/downey1997/printed.md"));
    match table {
        "caution" | "literal" => ["1", "2", "6.1", "workload", "predictions"]
            .iter()
            .find_map(|table| page.value(table, row, column)),
        table => page.value(table, row, column),
    }
}

/// A cell that is a mean over seeds; the paper's value may be two standard deviations away.
fn cell(table: &str, row: &str, column: &str, unit: &str, values: &[f64]) -> PublishedCell {
    let cell = PublishedCell::new(table, row, column, PublishedCell::AVERAGE).unit(unit);
    let cell = cell.paper(printed(table, row, column));
    let repeated = Repeated::of(values);
    if !repeated.mean.is_finite() {
        return cell;
    }
    cell.ours(repeated.mean).tolerance(2.0 * repeated.deviation).repeated(repeated)
}

fn percent(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|value| 100.0 * value).collect()
}

fn minutes(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|value| value / 60.0).collect()
}

fn workload(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let avg = |column: &str, unit: &str, values: &[f64]| cell("workload", AVG, column, unit, values);
    let opt = |column: &str, unit: &str, values: &[f64]| cell("workload", OPT, column, unit, values);
    let spoiled = found.outcomes.each(|outcome| outcome.spoiled);
    let docile = found.outcomes.each(|outcome| outcome.recorded[0].rebels / (1.0 - outcome.spoiled));
    vec![
        avg("spoiled jobs", "%", &percent(spoiled)),
        avg("duration, mean", "min", &minutes(found.outcomes.enacted(0, |avg| avg.duration))),
        avg("duration, median", "min", &minutes(found.outcomes.enacted(0, |avg| avg.median_duration))),
        opt("rebels of those not spoiled", "%", &percent(docile)),
        opt("a rebel saves, median", "min", &minutes(found.outcomes.recorded(0, |opt| opt.median_saved))),
        opt("a rebel saves, mean", "h", &found.outcomes.recorded(0, per_rebel)),
        opt("lifetime, rebels by docile", "", &found.outcomes.recorded(0, |opt| opt.lifetimes)),
    ]
    .into_iter()
    .chain(pred_rebels("workload", found, 1))
    .map(explained::cell)
    .collect()
}

/// What becomes of PRED's rebels (section 5.3), recorded at this place.
fn pred_rebels(table: &str, found: &SeedResults<'_>, place: usize) -> [PublishedCell; 3] {
    let of = |column: &str, unit: &str, values: &[f64]| cell(table, PRED, column, unit, values);
    let recorded = &found.outcomes;
    [
        of("a rebel saves, median", "min", &minutes(recorded.recorded(place, |pred| pred.median_saved))),
        of("a rebel saves, mean", "h", &recorded.recorded(place, per_rebel)),
        of("a loser loses, mean", "min", &minutes(recorded.recorded(place, |pred| pred.lost))),
    ]
}

/// Hours that a rebel saves on average.
fn per_rebel(recorded: &Recorded) -> f64 {
    recorded.saved / recorded.rebels / 3600.0
}

fn recorded(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let rows = RECORDED.iter().enumerate();
    rows.flat_map(|(place, &row)| {
        let mut cells = in_table_1("1", row, found, place);
        let clear = percent(found.outcomes.recorded(place, |one| one.clear_losers));
        cells.push(cell("1", row, "losers of more than a second", "%", &clear));
        cells
    })
    .map(explained::cell)
    .collect()
}

/// The three columns of Table 1 for the strategy recorded at this place.
fn in_table_1(table: &str, row: &str, found: &SeedResults<'_>, place: usize) -> Vec<PublishedCell> {
    let columns: [(&str, &str, Vec<f64>); 3] = [
        ("rebels of all jobs", "%", percent(found.outcomes.recorded(place, |one| one.rebels))),
        ("saved per job", "min", minutes(found.outcomes.recorded(place, |one| one.saved))),
        ("losers of the rebels", "%", percent(found.outcomes.recorded(place, |one| one.losers))),
    ];
    columns.iter().map(|(column, unit, values)| cell(table, row, column, unit, values)).collect()
}

fn enacted(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let turnaround = found.outcomes.enacted(0, |avg| avg.turnaround);
    let mut cells = vec![cell("2", AVG, "turnaround", "s", &turnaround)];
    for row in RECORDED {
        let Some(place) = ENACTED.iter().position(|name| *name == row) else { continue };
        let used = found.outcomes.change(place, |one| one.utilization);
        cells.push(cell("2", row, "utilization against AVG", "%", &used));
        cells.push(against("2", row, found, place));
    }
    cells.into_iter().map(explained::cell).collect()
}

/// The turnaround of the strategy carried out at this place, against AVG.
fn against(table: &str, row: &str, found: &SeedResults<'_>, place: usize) -> PublishedCell {
    cell(table, row, "turnaround against AVG", "%", &found.outcomes.change(place, |one| one.turnaround))
}

fn improved(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let rows = [LOCK_IN, AVERSE, LEAST].into_iter().filter_map(|row| {
        let place = ENACTED.iter().position(|name| *name == row)?;
        Some(explained::cell(against("6.1", row, found, place)))
    });
    rows.collect()
}

fn predictions(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let place = |row: &str| ENACTED.iter().position(|name| *name == row).unwrap_or_default();
    let cells = [PRED, BIAS].into_iter().flat_map(|row| {
        let of = |value: fn(&Trend) -> f64| {
            found.outcomes.enacted(place(row), |one| one.used.as_ref().map_or(f64::NAN, value))
        };
        [
            cell("predictions", row, "correlation", "", &of(|line| line.correlation)),
            cell("predictions", row, "slope", "", &of(|line| line.slope)),
            cell("predictions", row, "intercept", "", &of(|line| line.intercept)),
            cell(
                "predictions",
                row,
                "mean actual by mean predicted",
                "",
                &found.outcomes.enacted(place(row), |one| one.shortfall),
            ),
        ]
    });
    cells.map(explained::cell).collect()
}

/// A cell without a paper's value, in a table of our own that has a column for each of several things.
fn own(table: &str, row: &str, column: &str, of: &str, unit: &str, values: &[f64]) -> PublishedCell {
    let mut cell = cell(table, row, column, unit, values);
    cell.log = of.to_owned();
    cell.tolerance = None;
    cell
}

/// The paper's values stand in the headings.
fn reading(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let (row, with) = found.setting.name.split_once(", ").unwrap_or((&found.setting.name, ""));
    let change = |strategy: &str| {
        let place = READINGS.iter().position(|name| *name == strategy).unwrap_or_default();
        found.outcomes.change(place, |one: &Enacted| one.turnaround)
    };
    let of = |column: &str, unit: &str, values: &[f64]| own("readings", row, column, with, unit, values);
    vec![
        of("spoiled jobs, paper 63 %", "%", &percent(found.outcomes.each(|outcome| outcome.spoiled))),
        of(
            "AVG, mean duration, paper 78 min",
            "min",
            &minutes(found.outcomes.enacted(0, |avg| avg.duration)),
        ),
        of("AVG, turnaround, paper 4795 s", "s", &found.outcomes.enacted(0, |avg| avg.turnaround)),
        of("OPT, rebels, paper 14 %", "%", &percent(found.outcomes.recorded(0, |opt| opt.rebels))),
        of(
            "OPT, saved per job, paper 13.8 min",
            "min",
            &minutes(found.outcomes.recorded(0, |opt| opt.saved)),
        ),
        of("OPT, turnaround, paper +9 %", "%", &change(OPT)),
        of("HEUR, turnaround, paper +37 %", "%", &change(HEUR)),
    ]
}

fn cautious(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    changed("caution", &[PRED, BIAS, LOCK_IN, AVERSE], found)
}

fn literal(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let line = |column: &str, value: fn(&Trend) -> f64| {
        let values = found.outcomes.enacted(1, |one| one.raw.as_ref().map_or(f64::NAN, value));
        cell("literal", PRED, column, "", &values)
    };
    let mut cells = changed("literal", &[PRED, BIAS, FITTED, LOCK_IN, AVERSE], found);
    cells.push(line("correlation", |line| line.correlation));
    cells.push(line("slope", |line| line.slope));
    cells.push(line("intercept", |line| line.intercept));
    cells.into_iter().map(explained::cell).collect()
}

/// What the strategies that predict do in an experiment, in rows after AVG, beside the tables it changes.
fn changed(table: &str, rows: &[&str], found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let mut cells = Vec::new();
    for (place, &row) in rows.iter().enumerate() {
        if [PRED, BIAS, FITTED].contains(&row) {
            cells.extend(in_table_1(table, row, found, place));
            let used = found.outcomes.change(place + 1, |one| one.utilization);
            cells.push(cell(table, row, "utilization against AVG", "%", &used));
        }
        if row == PRED {
            cells.extend(pred_rebels(table, found, place));
        }
        cells.push(against(table, row, found, place + 1));
    }
    cells.into_iter().map(explained::cell).collect()
}

fn variants(found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let strategies = VARIANTS.iter().flat_map(|(row, _)| [(*row, PRED), (*row, BIAS)]);
    let cells = strategies.enumerate().flat_map(|(recorded, (row, strategy))| {
        // AVG comes first.
        let enacted = recorded + 1;
        let of =
            |column: &str, unit: &str, values: &[f64]| own("variants", row, column, strategy, unit, values);
        let line = |value: fn(&Trend) -> f64| {
            found.outcomes.enacted(enacted, |one| one.raw.as_ref().map_or(f64::NAN, value))
        };
        let too_long = |place: usize| found.outcomes.enacted(enacted, move |one| one.excess[place].exp());
        [
            of("rebels of all jobs", "%", &percent(found.outcomes.recorded(recorded, |one| one.rebels))),
            of("saved per job", "min", &minutes(found.outcomes.recorded(recorded, |one| one.saved))),
            of("losers of the rebels", "%", &percent(found.outcomes.recorded(recorded, |one| one.losers))),
            of("turnaround against AVG", "%", &found.outcomes.change(enacted, |one| one.turnaround)),
            of("predictions, correlation", "", &line(|line| line.correlation)),
            of("predictions, slope", "", &line(|line| line.slope)),
            of("predictions, intercept", "", &line(|line| line.intercept)),
            of("up to 10 min, times too long", "", &too_long(0)),
            of("over 10 min, times too long", "", &too_long(1)),
        ]
    });
    cells.collect()
}

fn swept(table: &str, found: &SeedResults<'_>) -> Vec<PublishedCell> {
    let row = match table {
        "loads" => format!("offered load {}", found.setting.name),
        "machines" => format!("{} processors", found.setting.name),
        _ => found.setting.name.clone(),
    };
    let of = |column: &str, strategy: &str, unit: &str, values: &[f64]| {
        // All of them are to fit on a page.
        let strategy = match strategy {
            AVERSE => "averse",
            SOCIAL => "social",
            other => other,
        };
        own(table, &row, column, strategy, unit, values)
    };
    let turnarounds = SWEPT.iter().enumerate();
    let mut cells: Vec<PublishedCell> = turnarounds
        .map(|(place, strategy)| {
            of("turnaround", strategy, "s", &found.outcomes.enacted(place, |one| one.turnaround))
        })
        .collect();
    let changes = SWEPT.iter().enumerate().skip(1);
    cells.extend(changes.map(|(place, strategy)| {
        of("against AVG", strategy, "%", &found.outcomes.change(place, |one| one.turnaround))
    }));
    cells.extend(RECORDED.iter().enumerate().map(|(place, strategy)| {
        of("saved per job", strategy, "min", &minutes(found.outcomes.recorded(place, |one| one.saved)))
    }));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_values_are_found_by_the_names_of_the_cells() {
        assert_eq!(printed("workload", AVG, "spoiled jobs"), Some(63.0));
        assert_eq!(printed("2", AVG, "turnaround"), Some(4795.0));
        assert_eq!(printed("6.1", LEAST, "turnaround against AVG"), Some(24.0));
        assert_eq!(printed("caution", LOCK_IN, "turnaround against AVG"), Some(4.5));
        assert_eq!(printed("caution", PRED, "a rebel saves, mean"), Some(2.7));
        assert_eq!(printed("predictions", BIAS, "intercept"), Some(-0.01));
        assert_eq!(printed("1", OPT, "losers of the rebels"), Some(0.0));
        assert_eq!(printed("loads", AVG, "turnaround"), None);
    }
}
