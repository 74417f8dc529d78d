//! The answer of a search: the JSON object and the rows of CSV.

use queuecast::eval::Score;
use queuecast::report::{Cell, Column, Table};
use queuecast::study::search::{PredictorScore, SearchReport};
use queuecast::trace::CleaningReport;
use serde::Serialize;

use crate::commands::loaded::{Facts, Loaded};

/// The report of a search, with the trace it was run on.
#[derive(Debug, Serialize)]
pub struct SearchAnswer<'a> {
    /// Of queuecast.
    pub version: &'static str,
    /// What the library found.
    #[serde(flatten)]
    pub report: SearchReport,
    /// What was searched on.
    pub workload: Facts,
    /// What became of the trace's records.
    pub cleaning: &'a CleaningReport,
    /// For text only.
    #[serde(skip)]
    pub trace: &'a Loaded,
    /// For text only: the command as it was started.
    #[serde(skip)]
    pub program: String,
    /// For text only: the file as it was given.
    #[serde(skip)]
    pub file: String,
    /// For text only: the file of templates.
    #[serde(skip)]
    pub written: Option<String>,
}

impl SearchAnswer<'_> {
    /// One row for each predictor and part of the jobs.
    pub fn rows(&self) -> Table {
        let mut columns: Vec<Column> =
            ["source", "digest", "method", "seed", "replay", "what", "part"].map(Column::text).to_vec();
        columns.extend(["jobs", "predicted", "inside"].map(Column::integer));
        columns.extend(["mean_error", "mean_run", "error_percent", "inside_interval"].map(Column::number));
        columns.extend(["version", "predictor"].map(Column::text));
        let mut table = Table::new(columns);
        let setting = |wanted: &str| {
            let found = self.report.settings.iter().find(|(name, _)| *name == wanted);
            found.map_or(Cell::Missing, |(_, value)| Cell::text(&**value))
        };
        let mut row = |one: &PredictorScore, part: &str, score: &Score| {
            table.row([
                Cell::text(&*self.workload.source),
                Cell::text(&*self.workload.digest),
                setting("method"),
                setting("seed"),
                Cell::text(self.report.replay.word()),
                Cell::text(one.what),
                Cell::text(part),
                Cell::count(score.jobs),
                Cell::count(score.predicted),
                Cell::count(score.inside),
                Cell::number(score.mean_error, 3),
                Cell::number(score.mean_run, 3),
                Cell::number(score.error_percent, 3),
                Cell::number(score.inside_interval, 4),
                Cell::text(self.version),
                Cell::text(&*one.predictor),
            ]);
        };
        for one in &self.report.results {
            row(one, "searched", &one.searched);
            for (part, score) in [("held_out", &one.held_out), ("all", &one.all)] {
                score.iter().for_each(|score| row(one, part, score));
            }
        }
        table
    }
}
