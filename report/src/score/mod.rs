//! Scores of forecasts: methods side by side, how they differ, and how well their ranges are calibrated.

mod campaigns;
mod run_times;
mod waits;

pub use campaigns::ScoredCampaigns;

use super::chart::{Axis, Curves, Join, Measure, Series};
use super::{Cell, Chart, Column, Document, Page, Table, VERSION, cleaning, log};
use queuecast_eval::{CalibrationPoint, MethodDifferences, MonthScore, ScoreIntervals};
use queuecast_trace::{CleaningReport, Log, WorkloadFacts};
use serde::Serialize;

/// The scores of several methods on one log.
#[derive(Serialize)]
pub struct Scored<'a, S> {
    version: &'static str,
    #[serde(rename = "log")]
    name: &'a str,
    /// The first job scored, from 1.
    from: u32,
    /// How many are.
    jobs: usize,
    methods: Vec<S>,
    workload: WorkloadFacts,
    cleaning: &'a CleaningReport,
    #[serde(skip)]
    log: &'a Log,
    /// What a method is called in text.
    #[serde(skip)]
    label: &'a dyn Fn(&str) -> String,
}

impl<'a, S> Scored<'a, S> {
    /// Methods scored on `jobs` jobs of a log, the first of them number `from`. `label` says what a method is called in text.
    pub fn new(
        (name, log): (&'a str, &'a Log),
        from: u32,
        jobs: usize,
        methods: Vec<S>,
        label: &'a dyn Fn(&str) -> String,
    ) -> Scored<'a, S> {
        let (workload, cleaning) = (log.facts(name), &log.report);
        Scored { version: VERSION, name, from, jobs, methods, workload, cleaning, log, label }
    }

    /// What was scored on.
    fn opening(&self) -> Document {
        let document = Document::new().with_table("trace", log::table(self.name, self.log));
        cleaning::add(document, self.cleaning, cleaning::Overrun::Kept)
    }

    /// A row for programs: the log and the method, then what is given, then the version.
    fn row(&self, method: &str, mut given: Vec<(Column, Cell)>) -> Vec<(Column, Cell)> {
        let mut row = vec![
            (Column::text("source"), Cell::text(&*self.workload.source)),
            (Column::text("digest"), Cell::text(&*self.workload.digest)),
            (Column::text("method"), Cell::text(method)),
        ];
        row.append(&mut given);
        row.push((Column::text("version"), Cell::text(self.version)));
        row
    }
}

/// As many methods as there are marks to tell curves apart, besides the diagonal.
const CURVES: usize = 5;

/// The fewest weeks that give an interval worth trusting.
const ENOUGH_WEEKS: usize = 10;

/// One column of scores.
struct ScoreColumn<S> {
    /// In CSV, and of its interval.
    name: &'static str,
    /// In text.
    heading: &'static str,
    /// Decimals in text.
    digits: u8,
    /// The value.
    of: fn(&S) -> Option<f64>,
}

const fn column<S>(
    name: &'static str,
    heading: &'static str,
    digits: u8,
    of: fn(&S) -> Option<f64>,
) -> ScoreColumn<S> {
    ScoreColumn { name, heading, digits, of }
}

/// A number that may be missing.
fn known(value: Option<f64>, digits: u8) -> Cell {
    value.map_or(Cell::Missing, |value| Cell::number(value, digits))
}

/// A table of these measures of each method, with the interval of the one called `main` beside it. Those named in `spare` are left
/// out of narrow text, the last first.
fn measured<'a, S: 'a>(
    measures: &[ScoreColumn<S>],
    main: &str,
    spare: &[&str],
    methods: impl Iterator<Item = (String, &'a S, &'a ScoreIntervals)>,
) -> Table {
    let mut columns = vec![Column::text("method").naming()];
    for measure in measures {
        let rank = spare.iter().position(|name| *name == measure.name);
        let rank = rank.map_or(0, |rank| rank as u8 + 1);
        columns.push(Column::number(measure.heading).key(measure.name).spare(rank));
        if measure.name == main {
            columns.push(Column::text("95 %").key(format!("{main}_interval")));
        }
    }
    let mut table = Table::new(columns);
    for (label, score, intervals) in methods {
        let mut row = vec![Cell::text(label)];
        for measure in measures {
            row.push(known((measure.of)(score), measure.digits));
            if measure.name == main {
                row.push(intervals.get(main).map(|&ends| span(ends, measure.digits)).into());
            }
        }
        table.row(row);
    }
    table
}

/// The same measures for programs, and the intervals of those that methods are compared by.
fn raw<'a, S: 'a>(
    measures: impl Iterator<Item = &'a ScoreColumn<S>>,
    compared: &[ComparedMeasure],
    score: &S,
    intervals: &ScoreIntervals,
) -> Vec<(Column, Cell)> {
    let named = |name: String, cell: Cell| (Column::number(&*name).key(&*name), cell);
    let mut row: Vec<(Column, Cell)> =
        measures.map(|measure| named(measure.name.to_owned(), known((measure.of)(score), 4))).collect();
    for (name, ..) in compared {
        for (end, place) in [("low", 0), ("high", 1)] {
            let end = (format!("{name}_{end}"), intervals.get(*name).map(|ends| ends[place]));
            row.push(named(end.0, known(end.1, 4)));
        }
    }
    row
}

fn span(ends: [f64; 2], digits: u8) -> String {
    let [low, high] = ends.map(|end| Cell::number(end, digits).shown(&Page::default()));
    format!("{low} to {high}")
}

/// What a difference is measured by: its name, its heading, its decimals and whether more is better.
type ComparedMeasure = (&'static str, &'static str, u8, bool);

/// How each method differs from the first one; `None` where no interval is known.
fn differences<'a>(
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
        "95 % intervals of a bootstrap over {weeks} weeks; where neither better nor worse is said, the interval holds zero: the two cannot be told apart"
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
fn months<'a>(
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
fn calibration<'a>(
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
