//! A reproduction for people: each table with the paper's values beside ours, the same per log, then claims
//! and figures. Verdicts are words, so that they survive plain ASCII, a paste and a printer.

mod rows;

use queuecast_report::chart::{Axis, Bar, Bars, Curves, Join, Measure, Series};
use queuecast_report::words::number_of;
use queuecast_report::{Align, Answer, Cell, Chart, Column, Document, Page, Table, VERSION, cleaning};
use queuecast_study::Repeated;
use queuecast_trace::{CleaningReport, Log, WorkloadFacts};
use serde::Serialize;

use crate::{Claim, Figure, FigureAxis, FigureBar, PublishedCell, Reproduction};

/// A reproduction, and the logs it was computed from.
#[derive(Debug, Serialize)]
pub struct Reproduced {
    version: &'static str,
    /// What came out.
    #[serde(flatten)]
    pub reproduction: Reproduction,
    /// The logs.
    pub traces: Vec<UsedLog>,
}

/// A log that was used.
#[derive(Debug, Serialize)]
pub struct UsedLog {
    /// What the paper's reproduction calls it.
    name: String,
    #[serde(flatten)]
    facts: WorkloadFacts,
    cleaning: Option<CleaningReport>,
}

impl UsedLog {
    /// A log called `name`, read from `file`.
    pub fn new(name: &str, file: &str, log: &Log) -> UsedLog {
        UsedLog { name: name.to_owned(), facts: log.facts(file), cleaning: Some(log.report.clone()) }
    }
}

impl Reproduced {
    /// A reproduction from these logs.
    pub fn new(reproduction: Reproduction, traces: Vec<UsedLog>) -> Reproduced {
        Reproduced { version: VERSION, reproduction, traces }
    }
}

impl Answer for Reproduced {
    fn document(&self) -> Document {
        document(self)
    }

    /// One row per cell, averages and logs alike.
    fn table(&self) -> Table {
        rows::table(&self.reproduction.cells)
    }
}

/// The traces, tables, claims and figures, and how much agrees.
fn document(reproduced: &Reproduced) -> Document {
    let all = &reproduced.reproduction;
    let mut document = match (&reproduced.traces[..], &all.notes[..]) {
        ([], []) => Document::new().with_paragraph(title(reproduced)),
        ([], _) => Document::new().with_table("notes", notes(reproduced)),
        _ => Document::new().with_table("traces", traces(reproduced)),
    };
    for number in distinct(all.cells.iter().map(|cell| cell.table.as_str())) {
        let cells: Vec<&PublishedCell> = all.cells.iter().filter(|cell| cell.table == number).collect();
        let caption = all.captions.iter().find(|one| one.table == number);
        let caption = caption.map_or_else(String::new, |one| format!(": {}", one.caption));
        let printed = cells.iter().any(|cell| cell.paper.is_some());
        if printed {
            let table = compared(&cells).titled(format!("Table {number}{caption}"));
            document = document.with_table(format!("table_{number}"), table);
        }
        if let Some(table) = per_log(&cells) {
            // What the paper does not have is of our own making, and shown once.
            let title = if printed { ", ours, for each log".to_owned() } else { caption };
            let table = table.titled(format!("Table {number}{title}"));
            document = document.with_table(format!("table_{number}_logs"), table);
        }
    }
    if !all.claims.is_empty() {
        document = document.with_table("claims", claims(&all.claims));
    }
    for figure in &all.figures {
        document = document.with_chart(match &figure.over {
            Some(over) => curves(figure, over),
            None => bars(figure),
        });
    }
    let tally = all.tally();
    if tally.cells + tally.claims > 0 { document.with_paragraph(agreement(reproduced)) } else { document }
}

/// The last line: how much agrees.
fn agreement(reproduced: &Reproduced) -> String {
    let tally = reproduced.reproduction.tally();
    format!(
        "{} of {} within tolerance, {} of {} {}; {} explained",
        tally.within,
        number_of(tally.cells, "cell"),
        tally.holding,
        number_of(tally.claims, "claim"),
        if tally.claims == 1 { "holds" } else { "hold" },
        tally.explained()
    )
}

fn title(reproduced: &Reproduced) -> String {
    format!("{}: {}", reproduced.reproduction.paper, reproduced.reproduction.title)
}

/// What opens a paper without logs.
fn notes(reproduced: &Reproduced) -> Table {
    let mut table = Table::new([Column::text("what to know").naming()]).titled(title(reproduced));
    for note in &reproduced.reproduction.notes {
        table.row([Cell::text(&**note)]);
    }
    table
}

/// What opens a paper with logs.
fn traces(reproduced: &Reproduced) -> Table {
    let all = &reproduced.reproduction;
    let mut table = Table::new([
        Column::text("log").naming(),
        Column::integer("jobs"),
        Column::integer("processors"),
        Column::text("digest"),
    ])
    .titled(title(reproduced));
    for used in &reproduced.traces {
        let (jobs, procs) = (Cell::count(used.facts.jobs), Cell::count(used.facts.procs));
        table.row([Cell::text(&*used.name), jobs, procs, Cell::text(&*used.facts.digest)]);
    }
    for used in &reproduced.traces {
        let report = used.cleaning.as_ref().filter(|report| !report.rules.is_empty());
        table.notes.extend(report.map(|report| {
            format!("{}: {}", short(&used.name), cleaning::line(report, cleaning::Overrun::Kept))
        }));
    }
    table.notes.extend(all.notes.iter().cloned());
    table
}

/// Whether a cell stands beside the paper's; the others are there to see what an average is made of.
fn is_compared(cell: &PublishedCell) -> bool {
    cell.paper.is_some() || cell.is_average()
}

/// One table with the paper's values, ours, and the verdicts: a line for each row's name, then one per cell.
fn compared(cells: &[&PublishedCell]) -> Table {
    let to_the_right = |heading: &str| Column { align: Align::Right, ..Column::text(heading) };
    let repeated = cells.iter().any(|cell| cell.repeated.is_some());
    let mut columns = vec![
        Column::text("").naming(),
        Column::number("paper"),
        Column::number("ours"),
        to_the_right("difference"),
        // It is one number for a whole table mostly, and can be spared.
        Column::number("allowed").spare(u8::from(repeated)),
    ];
    columns.extend(repeated.then(|| to_the_right("repeated")));
    columns.push(Column::text("verdict").naming());
    let width = columns.len();
    let mut table = Table::new(columns);
    let mut footnotes = Footnotes::default();
    let cells: Vec<&PublishedCell> = cells.iter().copied().filter(|cell| is_compared(cell)).collect();
    for (row, log) in distinct(cells.iter().map(|cell| (cell.row.as_str(), cell.log.as_str()))) {
        let several = cells.iter().any(|cell| cell.row == row && cell.log != log);
        let name = if several { format!("{row}, {}", short(log)) } else { row.to_owned() };
        table.row(std::iter::once(Cell::text(name)).chain((1..width).map(|_| "".into())));
        for cell in cells.iter().filter(|cell| cell.row == row && cell.log == log) {
            let decimals = decimals(&cell.unit);
            let difference = cell.difference.map(|difference| signed(difference, decimals));
            let mut line = vec![
                Cell::text(format!("  {}", measured_in(&cell.column, &cell.unit))),
                cell.paper.map_or(Cell::Missing, as_printed),
                cell.ours.map_or(Cell::Missing, |ours| Cell::number(ours, decimals)),
                difference.into(),
                cell.tolerance.map_or(Cell::Missing, |tolerance| Cell::number(tolerance, decimals)),
            ];
            if repeated {
                line.push(cell.repeated.map(|repeated| spread(&repeated, decimals)).into());
            }
            line.push(Cell::text(footnotes.verdict(cell)));
            table.row(line);
        }
    }
    let repeated = cells.iter().filter_map(|cell| cell.repeated);
    table.notes = confidence(repeated).into_iter().chain(footnotes.notes()).collect();
    table
}

/// A mean with its deviation; where there is a confidence, with that, and the deviation in brackets.
fn spread(repeated: &Repeated, decimals: u8) -> String {
    let digits = usize::from(decimals);
    let Repeated { mean, deviation, confidence, .. } = repeated;
    match confidence {
        None => format!("{mean:.digits$} ± {deviation:.digits$}"),
        // Plain ASCII has no sign for it.
        Some(half) => format!("{mean:.digits$} +/- {half:.digits$} (sd {deviation:.digits$})"),
    }
}

/// What a column with confidences shows; nothing where there are none.
fn confidence(repeated: impl Iterator<Item = Repeated>) -> Option<String> {
    let mut times: Vec<usize> =
        repeated.filter(|one| one.confidence.is_some()).map(|one| one.times).collect();
    times.sort_unstable();
    let (fewest, most) = (times.first()?, times.last()?);
    let times = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    Some(format!(
        "repeated: the mean of {times} runs with half the width of its 95 % confidence interval, and their standard \
         deviation (sd)"
    ))
}

/// What an average is made of: a column for it and for each log. `None` where there is nothing to compare.
fn per_log(cells: &[&PublishedCell]) -> Option<Table> {
    let names = distinct(cells.iter().map(|cell| (cell.row.as_str(), cell.column.as_str())));
    let of = |row: &str, column: &str, log: &str| {
        cells.iter().find(|cell| cell.row == row && cell.column == column && cell.log == log).copied()
    };
    let logs_of = |row: &str, column: &str| {
        cells.iter().filter(|cell| cell.row == row && cell.column == column).count()
    };
    // A row that is about one log alone, as in a list of logs, has been shown already.
    let names: Vec<(&str, &str)> =
        names.into_iter().filter(|(row, column)| logs_of(row, column) > 1).collect();
    let about = |cell: &&&PublishedCell| names.contains(&(cell.row.as_str(), cell.column.as_str()));
    let mut logs = distinct(cells.iter().filter(about).map(|cell| cell.log.as_str()));
    logs.sort_by_key(|log| *log != PublishedCell::AVERAGE);
    if logs.len() < 2 {
        return None;
    }
    let mut columns = vec![Column::text("").naming()];
    let shortened = distinct(logs.iter().map(|log| short(log))).len() == logs.len();
    columns.extend(logs.iter().map(|log| Column::number(if shortened { short(log) } else { log })));
    let mut table = Table::new(columns);
    for row in distinct(names.iter().map(|(row, _)| *row)) {
        table.row(std::iter::once(Cell::text(row)).chain(logs.iter().map(|_| "".into())));
        for &(_, column) in names.iter().filter(|(of_row, _)| *of_row == row) {
            let found: Vec<Option<&PublishedCell>> = logs.iter().map(|log| of(row, column, log)).collect();
            let unit = found.iter().flatten().next().map_or("", |cell| &cell.unit);
            let ours = |cell: &Option<&PublishedCell>| {
                let ours = cell.and_then(|cell| cell.ours);
                ours.map_or(Cell::Missing, |ours| Cell::number(ours, decimals(unit)))
            };
            let label = Cell::text(format!("  {}", measured_in(column, unit)));
            table.row(std::iter::once(label).chain(found.iter().map(ours)));
        }
    }
    Some(table)
}

fn claims(claims: &[Claim]) -> Table {
    let columns = [Column::text("verdict"), Column::text("claim"), Column::text("measured")];
    let mut table = Table::new(columns.map(Column::naming)).titled("Claims");
    let mut footnotes = Footnotes::default();
    for claim in claims {
        let verdict = match (&claim.explained, claim.holds) {
            (_, true) => "holds".to_owned(),
            (Some(why), false) => format!("explained {}", footnotes.mark(why)),
            (None, false) => "FAILS".to_owned(),
        };
        table.row([verdict, claim.claim.clone(), claim.measured.clone()].map(Cell::text));
    }
    table.notes = footnotes.notes();
    table
}

/// A figure's groups below each other, on one scale.
fn bars(figure: &Figure) -> Chart {
    let mut bars = Vec::new();
    for group in &figure.groups {
        bars.push(Bar::new(&*group.name, Cell::text("")));
        bars.extend(group.bars.iter().map(|bar| {
            let value = bar.value.map_or(Cell::Missing, |value| Cell::number(value, decimals(&figure.unit)));
            Bar::new(format!("  {}", labelled(bar, decimals(&figure.unit))), value)
        }));
    }
    let title = format!("{}: {}", figure.name, measured_in(&figure.title, &figure.unit));
    Chart::Bars(Bars::new(title, bars).broken())
}

/// What a bar is, and how far single results are from it.
fn labelled(bar: &FigureBar, decimals: u8) -> String {
    let decimals = usize::from(decimals);
    let spread = bar.deviation.map(|deviation| format!(" +/- {deviation:.decimals$}"));
    format!("{}{}", bar.label, spread.unwrap_or_default())
}

/// Lines of a chart of curves.
const HEIGHT: usize = 12;

/// A figure's curves and dots in one frame.
fn curves(figure: &Figure, over: &FigureAxis) -> Chart {
    // Times say their units themselves.
    let of = |unit: &str| match unit {
        "s" => (String::new(), Measure::Duration),
        unit => (unit.to_owned(), Measure::Number),
    };
    let (unit, measure) = of(&over.unit);
    let across = Axis::new(measured_in(&over.name, &unit), measure);
    let (unit, measure) = of(&figure.unit);
    let up = Axis::new(unit, measure);
    Chart::Curves(Curves {
        title: format!("{}: {}", figure.name, figure.title),
        series: figure
            .curves
            .iter()
            .map(|curve| Series {
                dots: curve.dots,
                ..Series::new(&*curve.name, curve.points.iter().copied())
            })
            .collect(),
        x: if over.log { across.log() } else { across },
        y: if over.log_up { up.log() } else { up },
        join: if over.steps { Join::Step } else { Join::Line },
        height: HEIGHT,
    })
}

/// What is said below a table, each thing once.
#[derive(Default)]
struct Footnotes(Vec<String>);

impl Footnotes {
    /// The mark of a text.
    fn mark(&mut self, text: &str) -> String {
        let known = self.0.iter().position(|known| known == text);
        let place = known.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", place + 1)
    }

    /// A cell's verdict, with marks for why it is out and for what else to know.
    fn verdict(&mut self, cell: &PublishedCell) -> String {
        let explained = cell.explained.as_deref().filter(|_| cell.is_out());
        let word = match (cell.within, explained) {
            (None, _) => "",
            (Some(true), _) => "within",
            (Some(false), Some(_)) => "explained",
            (Some(false), None) => "OUT",
        };
        let note = Some(cell.note.as_str()).filter(|note| !note.is_empty());
        let marks: Vec<String> = explained.into_iter().chain(note).map(|text| self.mark(text)).collect();
        format!("{word} {}", marks.join("")).trim().to_owned()
    }

    fn notes(self) -> Vec<String> {
        (1..).zip(self.0).map(|(number, text): (usize, String)| format!("[{number}] {text}")).collect()
    }
}

/// Different values in the order they first occur.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A log's name up to its year: `KTH-SP2` of `KTH-SP2-1996-2.1-cln`.
fn short(log: &str) -> &str {
    let is_year = |rest: &str| rest.len() >= 4 && rest.bytes().take(4).all(|byte| byte.is_ascii_digit());
    log.match_indices('-').find(|(at, _)| is_year(&log[at + 1..])).map_or(log, |(at, _)| &log[..at])
}

/// A heading with its unit, unless it says it already.
fn measured_in(heading: &str, unit: &str) -> String {
    if unit.is_empty() || heading.to_lowercase().contains(&unit.to_lowercase()) {
        heading.to_owned()
    } else {
        format!("{heading} ({unit})")
    }
}

/// What can be counted has no decimals, ratios have two.
fn decimals(unit: &str) -> u8 {
    match unit {
        "jobs" | "processors" | "users" | "values" | "rank" | "queues" => 0,
        "" => 2,
        _ => 1,
    }
}

/// The paper's value with the decimals it has in print.
fn as_printed(value: f64) -> Cell {
    let exact = |decimals: &u8| (value - rounded(value, *decimals)).abs() < 1e-9;
    Cell::number(value, (0..6).find(exact).unwrap_or(6))
}

fn rounded(value: f64, decimals: u8) -> f64 {
    let scale = 10_f64.powi(i32::from(decimals));
    (value * scale).round() / scale
}

/// A difference with its sign; nothing is "+0" or "-0".
fn signed(difference: f64, decimals: u8) -> String {
    let sign = if rounded(difference, decimals) > 0.0 { "+" } else { "" };
    format!("{sign}{}", Cell::number(difference, decimals).shown(&Page::default()))
}

#[cfg(test)]
mod tests;
