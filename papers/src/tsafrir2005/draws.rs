//! What the model draws, seed by seed, and how far that is from the logs (section 11.1).

use super::model::Model;
use super::setup::HEAD;
use super::subject::Material;
use crate::PublishedCell;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_synth::characterization::Modes;
use queuecast_synth::synth::EstimateModel;

/// The two settings of the model.
pub const SETTINGS: [Model; 2] = [Model::Vanilla, Model::Improved];

/// How many seeds are drawn as curves in Figures 14 and 15.
const SHOWN: usize = 4;

/// What one setting of the model draws for one log.
#[derive(Debug, Clone)]
pub struct Draws {
    /// Which setting.
    pub setting: Model,
    /// Which log, as a place among the subjects.
    pub log: usize,
    /// Of each seed, the distance from the log.
    pub distances: Vec<f64>,
    /// Of each seed, the distance over times from five minutes on.
    pub later: Vec<f64>,
    /// Of each seed, the share of the jobs that the 20 most popular estimates cover.
    pub heads: Vec<f64>,
    /// Of each seed, how many different estimates.
    pub values: Vec<usize>,
    /// The first few.
    pub shown: Vec<Modes>,
}

impl Draws {
    /// Draws for each log in each setting, once per seed. What cannot be drawn is left out.
    pub fn of(material: &Material, seeds: u64) -> Vec<Draws> {
        let mut all = Vec::new();
        for setting in SETTINGS {
            for (log, subject) in material.papers().iter().enumerate() {
                let model: &EstimateModel =
                    if setting == Model::Vanilla { &subject.vanilla } else { &subject.improved };
                let (distances, later, heads) = (Vec::new(), Vec::new(), Vec::new());
                let (values, shown) = (Vec::new(), Vec::new());
                let mut draws = Draws { setting, log, distances, later, heads, values, shown };
                for modes in (1..=seeds).filter_map(|seed| model.modes(Seed(seed)).ok()) {
                    draws.distances.push(modes.distance(&subject.modes));
                    draws.later.push(distance_from(SHORT, &modes, &subject.modes));
                    draws.heads.push(modes.head_share(HEAD));
                    draws.values.push(modes.len());
                    if draws.shown.len() < SHOWN {
                        draws.shown.push(modes);
                    }
                }
                all.push(draws);
            }
        }
        all
    }

    /// The mean distance.
    pub fn distance(&self) -> f64 {
        mean(&self.distances)
    }

    /// The mean distance over times from five minutes on.
    pub fn later(&self) -> f64 {
        mean(&self.later)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Up to which the paper adds KTH4H's short modes up to one: its pair (5 min, 25 %) says nothing of what is below.
const SHORT: Seconds = Seconds(5 * 60);

/// The distance of two distributions of estimates over times from `from` on.
fn distance_from(from: Seconds, one: &Modes, other: &Modes) -> f64 {
    let times = one.by_time().iter().chain(other.by_time()).map(|mode| mode.time);
    let apart = |time| (one.cumulative(time) - other.cumulative(time)).abs();
    times.filter(|time| *time >= from).map(apart).fold(0.0, f64::max)
}

/// The table of distances, which the paper does not have: it shows curves.
pub fn distances(material: &Material, draws: &[Draws]) -> Vec<PublishedCell> {
    let cell = |row: &str, column: &str, unit: &str, log: &str| {
        PublishedCell::new("distance", row, column, log).unit(unit)
    };
    let mut cells = Vec::new();
    for (log, subject) in material.logs().iter().zip(material.papers()) {
        let ours = 100.0 * log.modes.head_share(HEAD);
        cells.push(cell("original", "head coverage", "%", subject.name).ours(ours));
        cells.push(
            cell("original", "different estimates", "values", subject.name).ours(subject.modes.len() as f64),
        );
    }
    for draws in draws {
        let (row, log) = (draws.setting.name(), material.papers()[draws.log].name);
        let percent = |share: f64| 100.0 * share;
        let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let values = draws.values.iter().sum::<usize>() as f64 / draws.values.len() as f64;
        cells.extend([
            cell(&row, "Kolmogorov-Smirnov distance", "%", log).ours(percent(draws.distance())),
            cell(&row, "distance from 5 minutes on", "%", log).ours(percent(draws.later())),
            cell(&row, "the largest distance", "%", log).ours(percent(most(&draws.distances))),
            cell(&row, "the least head coverage", "%", log).ours(percent(least(&draws.heads))),
            cell(&row, "the largest head coverage", "%", log).ours(percent(most(&draws.heads))),
            cell(&row, "different estimates", "values", log).ours(values),
        ]);
    }
    cells
}
