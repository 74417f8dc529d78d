//! A learned start-time model: boosted trees over facts of the arrival and simulated starts.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::bins::{BINS, WaitBins, bin_of};
use super::corrected::{CorrectedWaits, queue_and_size};
use super::example_window::ExampleWindow;
use super::learned_site::LearnedSite;
use super::rows::RowTracker;
use queuecast_core::job::{Event, JobIndex, What};
use queuecast_core::trees::{Boosting, ClassTrees};
use queuecast_core::units::Seconds;
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::RunOn;
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, PastWaits, WaitForecast, WaitPredictor};

/// Feature rows kept of jobs that have not started; the lowest job numbers are dropped beyond this.
const MOST_OPEN: usize = 100_000;

/// Rounds of boosting that look at all of the about 70 features of an arrival. Later rounds look only at those whose splits have gained
/// most: the others cost as much and gain next to nothing.
const SCREENING: usize = 8;

/// Number of features that later rounds look at.
const FEATURES: usize = 32;

/// Starts whose bin is foreseen this well are sampled: looking at all of them costs as much again and gains nothing.
const SLIGHT: f64 = 0.2;

/// How it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSettings {
    /// How many starts back it learns from: from all of the last 7,500, and from every second or so of those before.
    pub window: usize,
    /// Number of starts after which the trees are fitted again.
    pub refit: usize,
    /// Whether simulated starts are among what it knows.
    pub simulates: bool,
    /// How many draws the simulated quantiles among what it knows come from.
    pub draws: u32,
}

impl Default for TreeSettings {
    fn default() -> TreeSettings {
        TreeSettings { window: 30_000, refit: 1500, simulates: true, draws: 4 }
    }
}

/// Trees that are fitted again as jobs start, for a site that is followed with them.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::forecast) struct TreeModel {
    settings: TreeSettings,
    boosting: Boosting,
    tracker: RowTracker,
    #[serde(skip)]
    run_on: RunOn,
    /// Of jobs that have not started, by their numbers.
    open: BTreeMap<JobIndex, Vec<f32>>,
    examples: ExampleWindow,
    /// Starts since the last fit.
    since: usize,
    fitted: Option<(ClassTrees, WaitBins)>,
    corrected: CorrectedWaits,
    /// What answers before the first fit.
    past: PastWaits,
}

impl TreeModel {
    /// Before the first event.
    pub fn new(settings: TreeSettings) -> TreeModel {
        TreeModel {
            settings,
            boosting: Boosting {
                screening: SCREENING,
                features: FEATURES,
                slight: SLIGHT,
                ..Boosting::default()
            },
            tracker: RowTracker::new(settings.simulates, settings.draws),
            run_on: RunOn::default(),
            open: BTreeMap::new(),
            examples: ExampleWindow::new(settings.window),
            since: 0,
            fitted: None,
            corrected: CorrectedWaits::new(),
            past: PastWaits::new(PastWaits::WINDOW),
        }
    }

    /// As [`WaitPredictor::forecast`].
    pub fn forecast(&self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let Some((trees, bins)) = &self.fitted else { return self.past.forecast(arrival, site) };
        let row = match self.open.get(&arrival.job.index) {
            Some(noted) => noted.clone(),
            None => self.tracker.row(learned, arrival, site, &mut RunOn::default()),
        };
        let raw = bins.distribution(&trees.probabilities(&row));
        WaitForecast::by_measure(self.corrected.corrected(queue_and_size(arrival.job), raw).0)
    }

    /// As [`WaitPredictor::predict`], but nothing is fitted: an arrival at a live site must not wait for that.
    pub fn predict(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.note(learned, arrival, site);
        let (Some((trees, bins)), Some(row)) = (&self.fitted, self.open.get(&arrival.job.index)) else {
            return self.past.forecast(arrival, site);
        };
        let raw = bins.distribution(&trees.probabilities(row));
        let group = queue_and_size(arrival.job);
        WaitForecast::by_measure(self.corrected.correct(arrival.job, group, raw))
    }

    /// Fits the trees anew if they are due. Not while jobs are learned from, so that replaying a long history costs no fits.
    pub fn refit(&mut self) {
        self.refit_unless(&|| false);
    }

    /// As [`TreeModel::refit`], given up once `stop` says so: then the trees stay as they are, and are still due.
    pub fn refit_unless(&mut self, stop: &(dyn Fn() -> bool + Sync)) {
        // Early on, trees are fitted again after fewer starts.
        let due = self.since >= self.settings.refit.min(self.examples.len() / 4).max(50);
        if due {
            let labels: Vec<u8> = self.examples.waits().map(|wait| bin_of(wait) as u8).collect();
            if let Some(trees) = self.boosting.classes_unless(&self.examples.rows(), &labels, BINS, stop) {
                self.since = 0;
                self.fitted = Some((trees, WaitBins::of(self.examples.waits())));
            }
        }
    }

    /// Notes the row of an arrival, made once, unless this many later submissions will have made it too old to be learned from.
    pub fn arrives(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>, ahead: usize) {
        if self.examples.may_learn(arrival.job.index, ahead) {
            self.note(learned, arrival, site);
        }
    }

    /// Notes the row of an arrival, made once.
    fn note(&mut self, learned: &LearnedSite, arrival: &Arrival<'_>, site: View<'_>) {
        let index = arrival.job.index;
        if !self.open.contains_key(&index) {
            if self.open.len() >= MOST_OPEN {
                self.open.pop_first();
            }
            let row = self.tracker.row(learned, arrival, site, &mut self.run_on);
            self.open.insert(index, row);
        }
    }

    /// As [`WaitPredictor::learn`].
    pub fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.past.learn(arrival, wait);
        self.corrected.learn(arrival.job, wait.0.max(0) as f64);
        let Some(row) = self.open.remove(&arrival.job.index) else { return };
        self.examples.push(arrival.job.index, &row, wait.0.max(0) as f64);
        self.since += 1;
    }

    /// As [`WaitPredictor::observe`], after the site has learned from the event.
    pub fn observe(&mut self, event: &Event<'_>) {
        self.tracker.observe(event);
        if let What::Withdrawn = event.what {
            self.open.remove(&event.job.index);
            self.corrected.forget(event.job);
        }
    }
}

/// Predicts waits by trees that are fitted again as jobs start.
#[derive(Clone)]
pub struct ModelledWaits {
    learned: LearnedSite,
    model: TreeModel,
}

impl fmt::Debug for ModelledWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelledWaits").field("settings", &self.model.settings).finish_non_exhaustive()
    }
}

impl ModelledWaits {
    /// Before the first event.
    pub fn new(settings: TreeSettings, predictor: &PredictorSpec, default_request: Seconds) -> ModelledWaits {
        let learned = LearnedSite::new(predictor, default_request);
        ModelledWaits { learned, model: TreeModel::new(settings) }
    }
}

impl WaitPredictor for ModelledWaits {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.model.forecast(&self.learned, arrival, site)
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        self.model.refit();
        self.model.predict(&self.learned, arrival, site)
    }

    fn refit(&mut self) {
        self.model.refit();
    }

    fn arrives(&mut self, arrival: &Arrival<'_>, site: View<'_>) {
        self.model.arrives(&self.learned, arrival, site, 0);
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.model.learn(arrival, wait);
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.learned.observe(event);
        self.model.observe(event);
    }
}
