//! What the tables and charts of all scores share.

use queuecast::eval::{CalibrationPoint, MethodDifferences, MonthScore, ScoreIntervals};
use queuecast::report::chart::{Axis, Curves, Join, Measure, Series};
use queuecast::report::{Cell, Chart, Column, Page, Table};

/// As many methods as there are marks to tell curves apart, besides the diagonal.
const CURVES: usize = 5;

/// The fewest weeks that give an interval worth trusting.
const ENOUGH_WEEKS: usize = 10;

/// One column of scores.
pub struct ScoreColumn<S> {
    /// In CSV, and of its interval.
    pub name: &'static str,
    /// In text.
    pub heading: &'static str,
    /// Decimals in text.
    pub digits: u8,
    /// The value.
    pub of: fn(&S) -> Option<f64>,
}

/// A column of scores.
pub const fn column<S>(
    name: &'static str,
    heading: &'static str,
    digits: u8,
    of: fn(&S) -> Option<f64>,
) -> ScoreColumn<S> {
    ScoreColumn { name, heading, digits, of }
}

/// A number that may be missing.
pub fn number(value: Option<f64>, digits: u8) -> Cell {
    value.map_or(Cell::Missing, |value| Cell::number(value, digits))
}

/// A confidence interval.
pub fn interval(intervals: &ScoreIntervals, name: &str, digits: u8) -> Cell {
    intervals.get(name).map_or(Cell::Missing, |&ends| Cell::text(span(ends, digits)))
}

fn span(ends: [f64; 2], digits: u8) -> String {
    let [low, high] = ends.map(|end| Cell::number(end, digits).shown(&Page::default()));
    format!("{low} to {high}")
}

/// What a difference is measured by: its name, its heading, its decimals and whether more is better.
pub type ComparedMeasure = (&'static str, &'static str, u8, bool);

/// How each method differs from the first one; `None` where no interval is known.
pub fn differences<'a>(
    measures: &[ComparedMeasure],
    methods: impl Iterator<Item = (String, &'a MethodDifferences)>,
    first: &str,
    weeks: usize,
) -> Option<Table> {
    let methods: Vec<_> = methods.filter(|(_, differences)| !differences.measures.is_empty()).collect();
    let known = |name: &str| methods.iter().any(|(_, differences)| differences.measures.contains_key(name));
    let measures: Vec<ComparedMeasure> = measures.iter().copied().filter(|(name, ..)| known(name)).collect();
    let mut columns = vec![Column::text("method").naming()];
    for (place, (name, heading, ..)) in measures.iter().enumerate() {
        // A narrow page has the first and the last.
        let spare = if place + 1 < measures.len() { place as u8 } else { 0 };
        columns.push(Column::text(*heading).key(*name).spare(spare));
    }
    let mut table = Table::new(columns).titled(format!("Difference from {first}"));
    for (method, differences) in methods {
        let cells = measures.iter().map(|&(name, _, digits, more_is_better)| {
            let Some(&ends) = differences.measures.get(name) else { return Cell::Missing };
            let better = if more_is_better { ends[0] > 0.0 } else { ends[1] < 0.0 };
            let worse = if more_is_better { ends[1] < 0.0 } else { ends[0] > 0.0 };
            let verdict = if better {
                " better"
            } else if worse {
                " worse"
            } else {
                ""
            };
            Cell::text(format!("{}{verdict}", span(ends, digits)))
        });
        table.row([Cell::text(method)].into_iter().chain(cells));
    }
    table.note(format!(
        "95 % intervals of a bootstrap over {weeks} weeks; without a word the interval holds zero: the two cannot be told apart"
    ));
    if weeks < ENOUGH_WEEKS {
        table.note("so few weeks say little of how much scores vary: trust differences that are clear only");
    }
    (!table.rows().is_empty()).then_some(table)
}

/// Coverage of a month that is near enough to 80 %.
const FAIR: std::ops::RangeInclusive<f64> = 70.0..=90.0;

/// In how many months the 80 % ranges held about as often as they should, the worst months, and the share of times in each
/// tenth of the predicted distributions; `None` where no method gives ranges.
pub fn months<'a>(
    what: &str,
    methods: impl Iterator<Item = (String, &'a [MonthScore], &'a [f64])>,
) -> Option<Table> {
    let mut columns = vec![Column::text("method").naming(), Column::integer("months")];
    columns.push(Column::integer("70 to 90 %").key("fair_months"));
    columns.push(Column::text("lowest").key("lowest_month"));
    columns.push(Column::text("highest").key("highest_month"));
    columns.push(Column::text("tenths (%)").key("tenths").spare(1));
    let mut table = Table::new(columns).titled("Coverage of the 80 % range month by month");
    for (method, months, tenths) in methods {
        let covered = months.iter().filter_map(|month| Some((month.coverage_80?, month)));
        let covered: Vec<(f64, &MonthScore)> = covered.collect();
        let order = |one: &&(f64, &MonthScore), other: &&(f64, &MonthScore)| one.0.total_cmp(&other.0);
        let (Some(lowest), Some(highest)) =
            (covered.iter().min_by(order), covered.iter().rev().max_by(order))
        else {
            continue;
        };
        let named =
            |(share, month): &(f64, &MonthScore)| Cell::text(format!("{share:.1} in {}", month.month));
        let shares: Vec<String> = tenths.iter().map(|share| format!("{share:.0}")).collect();
        table.row([
            Cell::text(method),
            Cell::count(covered.len()),
            Cell::count(covered.iter().filter(|(share, _)| FAIR.contains(share)).count()),
            named(lowest),
            named(highest),
            Cell::text(shares.join(" ")),
        ]);
    }
    table.note(format!(
        "70 to 90 %: months in which so many {what} were inside; the lowest and the highest month"
    ));
    table.note(format!("tenths: {what} in each tenth of their predicted distribution; all near 10 if it is right, more at both ends if it is too narrow"));
    (!table.rows().is_empty()).then_some(table)
}

/// How often times were not above their predicted quantiles, beside the diagonal.
pub fn calibration<'a>(
    what: &str,
    methods: impl Iterator<Item = (String, &'a [CalibrationPoint])>,
) -> Option<Chart> {
    let points = |(name, points): (String, &[CalibrationPoint])| {
        Series::new(name, points.iter().map(|point| (point.level, point.observed)))
    };
    let methods: Vec<Series> =
        methods.filter(|(_, points)| !points.is_empty()).take(CURVES).map(points).collect();
    let levels = || methods.first().into_iter().flat_map(|series| series.points.iter().map(|point| point.0));
    let diagonal = Series::new("as it should be", levels().map(|level| (level, level)));
    (!methods.is_empty()).then(|| {
        Chart::Curves(Curves {
            title: format!("Calibration: {what} at or below their predicted quantile"),
            series: [diagonal].into_iter().chain(methods).collect(),
            x: Axis::new("level of the quantile", Measure::Share),
            y: Axis::new("observed", Measure::Share),
            join: Join::Line,
            height: 14,
        })
    })
}
