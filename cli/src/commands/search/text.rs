//! The result of a search as text.

use queuecast::eval::Score;
use queuecast::report::chart::{Axis, Curves, Join, Measure, Series};
use queuecast::report::{Answer, Cell, Chart, Column, Document, Table};
use queuecast::study::search::{GenerationErrors, GreedySeries, PredictorScore};

use super::answer::SearchAnswer;
use crate::commands::cleaning;
use crate::commands::loaded::number_of;
use crate::invocation::quoted;

/// What the numbers are.
const EXPLAINED: [&str; 2] = [
    "mean error: of predicted against actual run time, over all jobs",
    "inside 90%: how often a job that was predicted with an interval, nominally of 90 %, ran for a time within it",
];

impl Answer for SearchAnswer<'_> {
    fn document(&self) -> Document {
        document(self)
    }

    fn table(&self) -> Table {
        self.rows()
    }
}

/// The trace, the settings, the templates found, and their errors beside those of baselines.
fn document(answered: &SearchAnswer<'_>) -> Document {
    let mut document = cleaning::add(
        Document::new().with_table("trace", answered.trace.table()),
        answered.cleaning,
        cleaning::Overrun::Kept,
    )
    .with_table("settings", settings(answered));
    let divided = answered.report.results.iter().any(|judged| judged.held_out.is_some());
    let mut searched =
        results(answered, "Prediction error on the jobs searched", |judged| Some(&judged.searched));
    searched.notes.extend(EXPLAINED.map(str::to_owned));
    if !divided {
        searched
            .note("searched and scored on the same jobs: on others the error may be larger (--holdout 0.5)");
    }
    // What the search has not seen comes first: it says what the templates are worth.
    if divided {
        let held_out =
            results(answered, "Prediction error on the jobs held out", |judged| judged.held_out.as_ref());
        document = document.with_table("held_out", held_out);
    }
    document = document.with_table("results", searched);
    if !answered.report.greedy.is_empty() {
        document = document.with_table("greedy", climbs(&answered.report.greedy));
    }
    if answered.report.generations.len() > 1 {
        document = document.with_chart(plot(&answered.report.generations));
    }
    document.with_table("templates", templates(answered)).with_command("Use them:", next(answered))
}

fn settings(answered: &SearchAnswer<'_>) -> Table {
    let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
    let mut facts = vec![fact("jobs predicted at", answered.report.replay.word().to_owned())];
    let held = answered.report.held_out;
    let of = if held > 0 { format!("; {} held out", number_of(held, "later job")) } else { String::new() };
    facts.push(fact("searched on", format!("{}{of}", number_of(answered.report.searched, "job"))));
    facts.extend(answered.report.settings.iter().map(|(name, value)| fact(name, value.clone())));
    let mut table = Table::facts(facts).titled("Search");
    if !answered.report.generations.is_empty() {
        let seeded = !answered.report.greedy.is_empty();
        table.note(if seeded {
            "the best of the greedy search is one of the first generation, so the result is never worse (--unseeded)"
        } else {
            "the first generation is random throughout (--unseeded)"
        });
    }
    table
}

/// The found templates beside simpler predictors, on one part of the jobs.
fn results(answered: &SearchAnswer<'_>, title: &str, part: fn(&PredictorScore) -> Option<&Score>) -> Table {
    let mut table = Table::new([
        Column::text("predictor").naming(),
        Column::number("mean error (min)"),
        Column::share("of mean run time"),
        Column::share("inside 90%").spare(1),
    ])
    .titled(title);
    for judged in &answered.report.results {
        let name = match judged.what {
            "found" => "the templates found".to_owned(),
            "greedy" => "the greedy search's".to_owned(),
            "mean" => "(): the mean of all".to_owned(),
            _ => judged.predictor.clone(),
        };
        if let Some(score) = part(judged) {
            table.row([Cell::text(name)].into_iter().chain(cells(score)));
        }
    }
    table
}

fn cells(score: &Score) -> [Cell; 3] {
    let inside = if score.predicted > 0 { Cell::share(score.inside_interval) } else { Cell::Missing };
    [Cell::number(score.mean_error / 60.0, 2), Cell::share(score.error_percent / 100.0), inside]
}

/// Figures 1 and 2: mean error by number of templates.
fn climbs(climbs: &[GreedySeries]) -> Table {
    let most = climbs.iter().map(|climb| climb.steps.len()).max().unwrap_or(0);
    let mut columns = vec![Column::text("templates").naming()];
    columns.extend((1..=most).map(|count| Column::number(count.to_string())));
    let mut table = Table::new(columns).titled("Greedy search: mean error (min) by number of templates");
    for climb in climbs {
        let mut row = vec![Cell::text(&*climb.series)];
        row.extend((0..most).map(|step| {
            climb.steps.get(step).map_or(Cell::Missing, |step| Cell::number(step.mean_error / 60.0, 2))
        }));
        table.row(row);
    }
    table
}

/// Figure 3: errors by generation.
fn plot(generations: &[GenerationErrors]) -> Chart {
    let series = |name: &str, of: fn(&GenerationErrors) -> f64| {
        Series::new(name, generations.iter().map(|one| (one.generation as f64, of(one) / 60.0)))
    };
    Chart::Curves(Curves {
        title: "Mean error of the template sets of each generation".to_owned(),
        series: vec![
            series("worst", |one| one.worst),
            series("mean", |one| one.mean),
            series("best", |one| one.best),
        ],
        x: Axis::new("generation", Measure::Number),
        y: Axis::new("minutes", Measure::Number),
        join: Join::Line,
        height: 12,
    })
}

fn templates(answered: &SearchAnswer<'_>) -> Table {
    let mut table = Table::new([Column::text("template").naming()]).titled("The templates found");
    answered.report.templates.0.iter().for_each(|template| table.row([Cell::text(template.to_string())]));
    table
}

/// What to do with it.
fn next(answered: &SearchAnswer<'_>) -> String {
    let templates = match &answered.written {
        Some(file) => format!("template:@{file}"),
        None => format!("template:{}", answered.report.templates.to_string().replace(' ', "")),
    };
    let [file, templates] = [&answered.file, &templates].map(|word| quoted(word));
    format!("{} simulate {file} --policy sjbf --predictor {templates}", answered.program)
}
