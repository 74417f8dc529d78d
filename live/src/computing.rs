//! What is computed after a look: it is learned from accounting, waiting jobs are forecast, and tables for submissions are made.

use queuecast_core::asking::Messages;
use queuecast_core::number::number_of;
use queuecast_core::units::{Seconds, Time};
use queuecast_report::{Answer, Cell, Column, Document, Table};
use serde::{Deserialize, Serialize};

use crate::forecasts::JobForecast;
use crate::learning::{LearningError, LookForecasts, first_starts, forecast, is_learned, learn};
use crate::store::{ClusterNumber, Store, StoreError};
use crate::submission::{SiteDefaults, SubmissionTables, submission_tables};

/// What is to be computed besides forecasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputeSettings<'a> {
    /// Whether to learn from accounting first.
    pub learns: bool,
    /// Whether to forecast then; else it is for another process, while this one learns.
    pub forecasts: bool,
    /// Whether to make tables for submissions, with what a site gives to jobs that do not ask for it, and how long they hold.
    pub tables: Option<(&'a SiteDefaults, Seconds)>,
}

/// What was computed. What was learned is stored; forecasts are not yet, so that first ones can be told from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// The moment of the look, as a Unix time.
    pub at: Time,
    /// Up to when accounting has been learned from, if that was done now, as a Unix time.
    pub learned_until: Option<Time>,
    /// Whether what was learned can answer for the site as it is.
    pub is_learned: bool,
    /// Waiting jobs that were forecast.
    pub forecasts: usize,
    /// Comments that were written, if that is asked for.
    pub comments: usize,
    /// Times between two looks of which the decisions were compared with those of the simulated scheduler.
    pub compared: usize,
    /// What could not be done, and why.
    pub failures: Vec<String>,
    /// What is said of waiting jobs.
    #[serde(skip)]
    pub said: Vec<JobForecast>,
    /// The tables.
    #[serde(skip)]
    pub tables: Option<SubmissionTables>,
}

/// Learns if it is to, and stores that; then forecasts if it is to, and makes tables.
///
/// # Errors
/// If the store cannot be written to.
pub fn compute(
    store: &mut impl Store,
    cluster: ClusterNumber,
    at: Time,
    settings: ComputeSettings<'_>,
    messages: &dyn Messages,
) -> Result<Computed, StoreError> {
    let mut failures: Vec<LearningError> = Vec::new();
    let mut learned_until = None;
    // Loading a history and learning from it for the first time may take long: what questions need most comes before.
    if !is_learned(store, cluster, at).unwrap_or(true) {
        match first_starts(store, cluster, at, messages) {
            Ok(Some((look, starts))) => store.keep_starts(cluster, look, &starts)?,
            Ok(None) => {}
            Err(error) => failures.push(error),
        }
    }
    if settings.learns {
        match learn(store, cluster, at, messages) {
            Ok(Some(learned)) => {
                store.keep_learned(cluster, learned.until, &learned.parts)?;
                learned_until = Some(learned.until);
            }
            Ok(None) => {}
            Err(error) => failures.push(error),
        }
    }
    if !settings.forecasts {
        let is_learned = is_learned(store, cluster, at).unwrap_or(true);
        return Ok(Computed { learned_until, is_learned, ..Computed::nothing(at, &failures) });
    }
    let found = forecast(store, cluster, at, messages).unwrap_or_else(|error| {
        failures.push(error);
        LookForecasts::default()
    });
    if let Some((look, starts)) = &found.starts {
        store.keep_starts(cluster, *look, starts)?;
    }
    let said = found.due;
    let tables = settings.tables.and_then(|with| {
        submission_tables(store, cluster, at, with, messages).unwrap_or_else(|error| {
            failures.push(error);
            None
        })
    });
    Ok(Computed {
        learned_until,
        is_learned: is_learned(store, cluster, at).unwrap_or(true),
        forecasts: said.len(),
        said,
        tables,
        ..Computed::nothing(at, &failures)
    })
}

impl Computed {
    fn nothing(at: Time, failures: &[LearningError]) -> Computed {
        Computed {
            at,
            learned_until: None,
            is_learned: false,
            forecasts: 0,
            comments: 0,
            compared: 0,
            failures: failures.iter().map(ToString::to_string).collect(),
            said: Vec::new(),
            tables: None,
        }
    }

    /// In one line; empty if there is nothing.
    pub fn line(&self) -> String {
        let mut said = Vec::new();
        if self.learned_until.is_some() {
            said.push("learned from accounting".to_owned());
        }
        if self.forecasts > 0 {
            said.push(format!("{} forecast", number_of(self.forecasts, "waiting job")));
        }
        if self.comments > 0 {
            said.push(format!("{} written", number_of(self.comments, "comment")));
        }
        said.join("; ")
    }
}

impl Answer for Computed {
    fn document(&self) -> Document {
        let said = match self.line() {
            line if line.is_empty() => "Nothing to forecast.".to_owned(),
            line => format!("By the look at {}: {line}.", self.at),
        };
        let document = Document::new().with_paragraph(said);
        self.failures
            .iter()
            .fold(document, |document, why| document.with_paragraph(format!("Not computed: {why}")))
    }

    fn table(&self) -> Table {
        let columns = ["at", "learned_until", "forecasts", "comments"].map(Column::integer);
        let mut table = Table::new(columns.into_iter().chain([Column::text("failures")]));
        table.row([
            self.at.0.into(),
            self.learned_until.map(|until| until.0).into(),
            Cell::count(self.forecasts),
            Cell::count(self.comments),
            self.failures.join("; ").into(),
        ]);
        table
    }
}
