//! The templates that a search found.

use super::chart::{Axis, Curves, Join, Measure, Series};
use super::words::number_of;
use super::{Answer, Cell, Chart, Column, Document, Table, VERSION, cleaning, log};
use queuecast_eval::Score;
use queuecast_study::search::{GenerationErrors, GreedySeries, PredictorScore, Search, SearchReport};
use queuecast_trace::{CleaningReport, Log, WorkloadFacts};
use serde::Serialize;

/// The report of a search, with the log that was searched.
#[derive(Debug, Serialize)]
pub struct SearchAnswer<'a> {
    version: &'static str,
    #[serde(flatten)]
    report: SearchReport,
    workload: WorkloadFacts,
    cleaning: &'a CleaningReport,
    #[serde(skip)]
    log: &'a Log,
    /// A command line that uses the templates.
    #[serde(skip)]
    next: String,
}

impl<'a> SearchAnswer<'a> {
    /// What was found in the log of this name. `next` is a command line that uses the templates, given how they are written.
    pub fn new(
        (name, log): (&str, &'a Log),
        report: SearchReport,
        next: impl FnOnce(&str) -> String,
    ) -> SearchAnswer<'a> {
        let next = next(&report.templates.to_string().replace(' ', ""));
        SearchAnswer { version: VERSION, report, workload: log.facts(name), cleaning: &log.report, log, next }
    }

    /// The templates, one in a line, below where they come from: text that can be read and edited, and that `template:@FILE`
    /// loads.
    pub fn templates_file(&self) -> String {
        let SearchAnswer { report, workload, .. } = self;
        let mut lines = vec![
            format!("found by queuecast {} search; load it with --predictor template:@FILE", self.version),
            format!("trace: {}, digest {}", workload.source, workload.digest),
            format!(
                "predicted at: {}, on {} jobs, {} held out",
                report.replay, report.searched, report.held_out
            ),
        ];
        lines.extend(report.settings.iter().map(|(name, value)| format!("{name}: {value}")));
        if let Some(found) = report.results.first() {
            let parts = [("searched", Some(&found.searched)), ("held-out", found.held_out.as_ref())];
            for (part, score) in parts.into_iter().filter_map(|(part, score)| Some((part, score?))) {
                lines.push(format!(
                    "mean error on {part} jobs: {:.2} min, {:.2} % of their mean run time",
                    score.mean_error / 60.0,
                    score.error_percent
                ));
            }
        }
        let comments: String =
            lines.iter().map(|line| format!("# {}\n", line.replace(['\n', '\r'], " "))).collect();
        let templates: String = report.templates.0.iter().map(|template| format!("{template}\n")).collect();
        comments + &templates
    }

    /// What a row is about, for programs.
    fn row(&self, one: &PredictorScore, part: &str, score: &Score) -> Vec<(Column, Cell)> {
        let setting = |wanted: &str| {
            let found = self.report.settings.iter().find(|(name, _)| *name == wanted);
            found.map_or(Cell::Missing, |(_, value)| Cell::text(&**value))
        };
        vec![
            (Column::text("source"), Cell::text(&*self.workload.source)),
            (Column::text("digest"), Cell::text(&*self.workload.digest)),
            (Column::text("method"), setting("method")),
            (Column::text("seed"), setting("seed")),
            (Column::text("replay"), Cell::text(self.report.replay.name())),
            (Column::text("what"), Cell::text(one.what)),
            (Column::text("part"), Cell::text(part)),
            (Column::integer("jobs"), Cell::count(score.jobs)),
            (Column::integer("predicted"), Cell::count(score.predicted)),
            (Column::integer("inside"), Cell::count(score.inside)),
            (Column::number("mean_error"), Cell::number(score.mean_error, 3)),
            (Column::number("mean_run"), Cell::number(score.mean_run, 3)),
            (Column::number("error_percent"), Cell::number(score.error_percent, 3)),
            (Column::number("inside_interval"), Cell::number(score.inside_interval, 4)),
            (Column::text("version"), Cell::text(self.version)),
            (Column::text("predictor"), Cell::text(&*one.predictor)),
        ]
    }
}

/// What the numbers are.
const EXPLAINED: [&str; 2] = [
    "mean error: of predicted against actual run time, over all jobs",
    "inside 90%: how often a job that was predicted with an interval, nominally of 90 %, ran for a time within it",
];

impl Answer for SearchAnswer<'_> {
    fn document(&self) -> Document {
        document(self)
    }

    /// One row for each predictor and part of the jobs.
    fn table(&self) -> Table {
        let mut rows = Vec::new();
        for one in &self.report.results {
            let parts = [("searched", Some(&one.searched)), ("held_out", one.held_out.as_ref())];
            for (part, score) in parts.into_iter().chain([("all", one.all.as_ref())]) {
                rows.extend(score.map(|score| self.row(one, part, score)));
            }
        }
        Table::records(rows)
    }
}

/// How far an interrupted search was, and its best template set.
pub fn stopped(search: &Search) -> String {
    let generations = search.genetic_part().map_or(0, |genetic| genetic.history().len());
    let mut said = match search.greedy_part() {
        Some(greedy) if !greedy.is_done() => "interrupted during the greedy search".to_owned(),
        _ if generations == 0 => "interrupted during the first generation".to_owned(),
        _ => format!("interrupted after generation {generations} of {}", search.evolution().generations),
    };
    if let Some((templates, error)) = search.best() {
        said += &format!("; the best so far, with a mean error of {:.2} min: {templates}", error / 60.0);
    }
    said
}

/// The trace, the settings, the templates found, and their errors beside those of baselines.
fn document(answered: &SearchAnswer<'_>) -> Document {
    let trace = log::table(&answered.workload.source, answered.log);
    let document = Document::new().with_table("trace", trace);
    let mut document = cleaning::add(document, answered.cleaning, cleaning::Overrun::Kept)
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
    document.with_table("templates", templates(answered)).with_command("Use them:", &*answered.next)
}

fn settings(answered: &SearchAnswer<'_>) -> Table {
    let fact = |name: &str, value: String| (Column::text(name), Cell::text(value));
    let mut facts = vec![fact("jobs predicted at", answered.report.replay.to_string())];
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

#[cfg(test)]
mod tests {
    use queuecast_sim::predict::template::TemplateSet;
    use queuecast_study::search::{Evolution, Space, Stopped};

    use super::*;

    #[test]
    fn a_stopped_search_says_how_far_it_came() {
        let space = Space::of(&[]);
        let evolution = Evolution { generations: 3, ..Evolution::default() };
        let mut score = |sets: &[TemplateSet]| Ok::<_, Stopped>(vec![90.0; sets.len()]);
        let mut search = Search::genetic(space.clone(), evolution, Some(space));
        assert_eq!(stopped(&search), "interrupted during the greedy search");
        search.step(&mut score).unwrap();
        let best = "; the best so far, with a mean error of 1.50 min: ()";
        assert_eq!(stopped(&search), format!("interrupted during the greedy search{best}"));
        search.step(&mut score).unwrap();
        assert_eq!(stopped(&search), format!("interrupted during the first generation{best}"));
        search.step(&mut score).unwrap();
        assert!(stopped(&search).starts_with("interrupted after generation 1 of 3; the best so far"));
    }
}
