//! The result of a search: what JSON holds, and the rows for spreadsheets.

use queuecast::eval::Score;
use queuecast::eval::search::{Generation, Search, Series};
use queuecast::predict::template::TemplateSet;
use queuecast::report::{Cell, Column, Table};
use queuecast::trace::CleaningReport;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::arguments::Arguments;
use super::checkpoint;
use super::scoring::{Judged, Scoring};
use crate::commands::loaded::{Facts, Loaded};

/// Everything there is to say about one search. Nothing in it depends on how long it took.
#[derive(Debug, Serialize)]
pub struct Answered<'a> {
    /// Of queuecast.
    pub version: &'static str,
    /// What was found.
    pub templates: TemplateSet,
    /// How right it is, first, beside others.
    pub results: Vec<Judged>,
    /// Everything that decides the search.
    #[serde(serialize_with = "as_map")]
    pub settings: Vec<(&'static str, String)>,
    /// When jobs are predicted.
    pub replay: &'static str,
    /// How many jobs were searched on.
    pub searched: usize,
    /// How many were held out.
    pub held_out: usize,
    /// The greedy searches: mean error by number of templates.
    pub greedy: Vec<Climb>,
    /// The genetic search: errors by generation.
    pub generations: Vec<Errors>,
    /// What was searched on.
    pub workload: Facts,
    /// What became of the trace's records.
    pub cleaning: &'a CleaningReport,
    /// For people only.
    #[serde(skip)]
    pub trace: &'a Loaded,
    /// For people only: the file as it was given.
    #[serde(skip)]
    pub file: String,
    /// For people only.
    #[serde(skip)]
    pub plotted: bool,
    /// For people only.
    #[serde(skip)]
    pub written: Option<String>,
}

/// One greedy search.
#[derive(Debug, Serialize)]
pub struct Climb {
    /// Its predictor, its data, and whether it has ranges of processors.
    pub series: String,
    /// By number of templates.
    pub steps: Vec<Reached>,
}

/// One step of a greedy search.
#[derive(Debug, Serialize)]
pub struct Reached {
    /// So far.
    pub templates: TemplateSet,
    /// Theirs, in seconds.
    pub mean_error: f64,
    /// How many sets were tried for it.
    pub tried: usize,
}

/// One generation.
#[derive(Debug, Serialize)]
pub struct Errors {
    /// From 1.
    pub generation: usize,
    /// Mean error of its best template set, in seconds.
    pub best: f64,
    /// Mean over its template sets.
    pub mean: f64,
    /// Of its worst.
    pub worst: f64,
    /// How many were new.
    pub scored: usize,
}

fn as_map<S: Serializer>(settings: &[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(settings.len()))?;
    for (name, value) in settings {
        map.serialize_entry(&name.replace(' ', "_"), value)?;
    }
    map.end()
}

fn climb(series: &Series) -> Climb {
    let reached = series.steps.iter().map(|step| Reached {
        templates: step.templates.clone(),
        mean_error: step.error,
        tried: step.tried,
    });
    Climb { series: series.name(), steps: reached.collect() }
}

impl<'a> Answered<'a> {
    /// Of a search that is done.
    pub fn new(
        arguments: &Arguments,
        trace: &'a Loaded,
        scoring: &Scoring<'_>,
        search: &Search,
        results: Vec<Judged>,
    ) -> Answered<'a> {
        let history: &[Generation] = search.genetic_part().map_or(&[], |genetic| genetic.history());
        let errors = |(generation, one): (usize, &Generation)| {
            let Generation { best, mean, worst, scored } = *one;
            Errors { generation, best, mean, worst, scored }
        };
        Answered {
            version: env!("CARGO_PKG_VERSION"),
            templates: search.best().map(|(templates, _)| templates).unwrap_or_default(),
            results,
            settings: checkpoint::settings(search),
            replay: arguments.replay.word(),
            searched: scoring.searched(),
            held_out: scoring.held_out(),
            greedy: search
                .greedy_part()
                .map_or(Vec::new(), |greedy| greedy.series().iter().map(climb).collect()),
            generations: (1..).zip(history).map(errors).collect(),
            workload: trace.facts(),
            cleaning: &trace.log.report,
            trace,
            file: arguments.file.display().to_string(),
            plotted: !arguments.no_plot,
            written: arguments.output.as_ref().map(|path| path.display().to_string()),
        }
    }
}

impl Answered<'_> {
    /// One row for each predictor and part of the jobs.
    pub fn rows(&self) -> Table {
        let mut columns: Vec<Column> =
            ["source", "digest", "method", "seed", "replay", "what", "part"].map(Column::text).to_vec();
        columns.extend(["jobs", "predicted", "inside"].map(Column::integer));
        columns.extend(["mean_error", "mean_run", "error_percent", "inside_interval"].map(Column::number));
        columns.extend(["version", "predictor"].map(Column::text));
        let mut table = Table::new(columns);
        let setting = |wanted: &str| {
            let found = self.settings.iter().find(|(name, _)| *name == wanted);
            found.map_or(Cell::Missing, |(_, value)| Cell::text(&**value))
        };
        let mut row = |judged: &Judged, part: &str, score: &Score| {
            table.row([
                Cell::text(&*self.workload.source),
                Cell::text(&*self.workload.digest),
                setting("method"),
                setting("seed"),
                Cell::text(self.replay),
                Cell::text(judged.what),
                Cell::text(part),
                Cell::count(score.jobs),
                Cell::count(score.predicted),
                Cell::count(score.inside),
                Cell::number(score.mean_error, 3),
                Cell::number(score.mean_run, 3),
                Cell::number(score.error_percent, 3),
                Cell::number(score.inside_interval, 4),
                Cell::text(self.version),
                Cell::text(&*judged.predictor),
            ]);
        };
        for judged in &self.results {
            row(judged, "searched", &judged.searched);
            for (part, score) in [("held_out", &judged.held_out), ("all", &judged.all)] {
                score.iter().for_each(|score| row(judged, part, score));
            }
        }
        table
    }
}
