//! The result of a search. Nothing in it depends on how long the search took or on how many threads it ran.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::genetic::Generation;
use super::greedy::TemplateSeries;
use super::request::PredictedAt;
use super::scoring::{PredictorScore, Scoring};
use super::search::Search;
use queuecast_sim::predict::template::TemplateSet;

/// The templates found, their errors beside those of baselines, and how the search went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchReport {
    /// The best template set.
    pub templates: TemplateSet,
    /// Its errors first, then those of baselines.
    pub results: Vec<PredictorScore>,
    /// Everything that decides the search, by name.
    #[serde(serialize_with = "as_map")]
    pub settings: Vec<(&'static str, String)>,
    /// When jobs are predicted.
    pub replay: PredictedAt,
    /// How many jobs were searched on.
    pub searched: usize,
    /// How many were held out.
    pub held_out: usize,
    /// The greedy searches: mean error by number of templates.
    pub greedy: Vec<GreedySeries>,
    /// The genetic search: errors by generation.
    pub generations: Vec<GenerationErrors>,
}

/// One greedy search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GreedySeries {
    /// Its estimator, its data, and whether it has ranges of processors.
    pub series: String,
    /// By number of templates.
    pub steps: Vec<GreedyStep>,
}

/// One step of a greedy search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GreedyStep {
    /// So far.
    pub templates: TemplateSet,
    /// Theirs, in seconds.
    pub mean_error: f64,
    /// How many sets were tried for it.
    pub tried: usize,
}

/// The errors of one generation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GenerationErrors {
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

impl SearchReport {
    pub(super) fn new(search: &Search, scoring: &Scoring<'_>, replay: PredictedAt) -> SearchReport {
        let history: &[Generation] = search.genetic_part().map_or(&[], |genetic| genetic.history());
        let errors = |(generation, one): (usize, &Generation)| {
            let Generation { best, mean, worst, scored } = *one;
            GenerationErrors { generation, best, mean, worst, scored }
        };
        SearchReport {
            templates: search.best().map(|(templates, _)| templates).unwrap_or_default(),
            results: scoring.results(search),
            settings: search.settings(),
            replay,
            searched: scoring.searched(),
            held_out: scoring.held_out(),
            greedy: search
                .greedy_part()
                .map_or(Vec::new(), |greedy| greedy.series().iter().map(greedy_series).collect()),
            generations: (1..).zip(history).map(errors).collect(),
        }
    }
}

fn greedy_series(series: &TemplateSeries) -> GreedySeries {
    let steps = series.steps.iter().map(|step| GreedyStep {
        templates: step.templates.clone(),
        mean_error: step.error,
        tried: step.tried,
    });
    GreedySeries { series: series.name(), steps: steps.collect() }
}

fn as_map<S: Serializer>(settings: &[(&'static str, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(settings.len()))?;
    for (name, value) in settings {
        map.serialize_entry(&name.replace(' ', "_"), value)?;
    }
    map.end()
}
