//! Dynamic-k nearest neighbours.

mod elements;
mod sums;
mod threshold;

use serde::{Deserialize, Serialize};

use self::elements::ElementIndex;
use self::sums::SumIndex;
use super::features::Features;
use super::predictor::{Arrival, SimilarWaits, WaitForecast, WaitPredictor};
use super::weighted;
use queuecast_core::spec::choices;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// How far apart the features of two jobs are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FeatureDistance {
    /// `Σ|xᵢ − yᵢ| / Σ(xᵢ + yᵢ)`, as Kumar & Vadhiyar 2014 print it: processor times, which are the largest numbers, decide it.
    #[default]
    Sums,
    /// `(1/19)·Σ |xᵢ − yᵢ| / (xᵢ + yᵢ)`: every feature counts alike.
    Element,
}

choices! { FeatureDistance, "distance":
    Sums = "sums", "the sum of the differences over the sum of the features, as printed";
    Element = "element", "the mean of each feature's difference over its sum";
}

/// Dynamic-k nearest neighbours (Kumar & Vadhiyar 2014, section 3.2): the jobs of the history within a distance of 0.05, or
/// 0.10, 0.15 … until there is one, weighted by the inverse of their distance.
///
/// # Formula
/// Distance of two jobs with the features x and y: that of [`FeatureDistance`], from 0 to 1 where no feature is below 0; a fraction
/// whose denominator is 0 is 0. The point is the weighted mean of the neighbours' waits (equation 1), the distribution their
/// weighted quantiles. By the ratio of sums, distances below 10⁻⁶ count as that; by elements, jobs at a distance of exactly 0, if there are any, are the
/// only ones that count.
///
/// # Features below 0
/// By elements a denominator keeps its sign, so that a distance can be below 0, and with it a weight of equation 1. In the
/// distribution such a job has the same weight above 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Nearest {
    window: usize,
    /// Where the next job goes, once the history is full.
    next: usize,
    features: Vec<Features>,
    index: NeighbourIndex,
    waits: Vec<f64>,
    /// The places of the history in ascending order of waits.
    by_wait: Vec<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum NeighbourIndex {
    Sums(SumIndex),
    Elements(ElementIndex),
}

/// A job of the history that is near enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbour {
    /// Where it is in the history.
    pub place: u32,
    pub distance: f64,
    pub wait: f64,
}

/// Smaller ratios of sums count as this, so that weights are finite.
const CLOSEST: f64 = 1e-6;

impl Nearest {
    /// The history of the paper.
    pub const WINDOW: usize = 5000;

    /// Remembers the last `window` jobs that started, at least one.
    pub fn new(window: usize, distance: FeatureDistance) -> Nearest {
        Nearest {
            window: window.max(1),
            next: 0,
            features: Vec::new(),
            index: match distance {
                FeatureDistance::Sums => NeighbourIndex::Sums(SumIndex::default()),
                FeatureDistance::Element => NeighbourIndex::Elements(ElementIndex::default()),
            },
            waits: Vec::new(),
            by_wait: Vec::new(),
        }
    }

    /// Features and wait of a job of the history.
    pub(super) fn job(&self, place: u32) -> (&Features, f64) {
        (&self.features[place as usize], self.waits[place as usize])
    }

    /// Every job of the history within the smallest threshold that has one.
    pub(super) fn neighbours(&self, target: &Features) -> Vec<Neighbour> {
        let near = match &self.index {
            NeighbourIndex::Sums(index) => index.neighbours(target),
            NeighbourIndex::Elements(index) => index.neighbours(&self.features, target),
        };
        let of =
            |(place, distance): (u32, f64)| Neighbour { place, distance, wait: self.waits[place as usize] };
        near.into_iter().map(of).collect()
    }

    /// The neighbours that count, and the weight of each by its distance.
    fn weighed(&self, mut neighbours: Vec<Neighbour>) -> (Vec<Neighbour>, fn(f64) -> f64) {
        match self.index {
            NeighbourIndex::Sums(_) => (neighbours, |distance| 1.0 / distance.max(CLOSEST)),
            NeighbourIndex::Elements(_) if neighbours.iter().any(|one| one.distance == 0.0) => {
                neighbours.retain(|one| one.distance == 0.0);
                (neighbours, |_| 1.0)
            }
            NeighbourIndex::Elements(_) => (neighbours, |distance| 1.0 / distance),
        }
    }
}

/// Equation 1; `None` where weights cancel.
fn weighted_mean(neighbours: &[Neighbour], weight: fn(f64) -> f64) -> Option<f64> {
    let (mut all, mut sum) = (0.0, 0.0);
    for neighbour in neighbours {
        let weight = weight(neighbour.distance);
        all += weight;
        sum += weight * neighbour.wait;
    }
    Some(sum / all).filter(|point| point.is_finite())
}

impl Nearest {
    /// Where a wait is in the order of waits, or would be.
    fn rank(&self, wait: f64, place: u32) -> usize {
        self.by_wait.partition_point(|&other| {
            let its = self.waits[other as usize];
            its < wait || (its == wait && other < place)
        })
    }

    /// Weight and wait of each neighbour, in ascending order of waits.
    fn in_order_of_waits(&self, mut neighbours: Vec<Neighbour>, weight: fn(f64) -> f64) -> Vec<(f64, f64)> {
        let weight = |one: &Neighbour| weight(one.distance).abs();
        // The order of the whole history is known: many neighbours are taken from it, few are sorted.
        if neighbours.len() < self.by_wait.len() / 16 {
            neighbours.sort_unstable_by(|one, other| {
                one.wait.total_cmp(&other.wait).then(one.place.cmp(&other.place))
            });
            return neighbours.iter().map(|one| (weight(one), one.wait)).collect();
        }
        let mut weights = vec![0.0; self.waits.len()];
        neighbours.iter().for_each(|one| weights[one.place as usize] = weight(one));
        let mut ordered = Vec::with_capacity(neighbours.len());
        for &place in &self.by_wait {
            let weight = weights[place as usize];
            if weight > 0.0 {
                ordered.push((weight, self.waits[place as usize]));
            }
        }
        ordered
    }
}

impl WaitPredictor for Nearest {
    fn forecast(&self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let neighbours = self.neighbours(arrival.features);
        let (neighbours, weight) = self.weighed(neighbours);
        let is_signed = neighbours.iter().any(|one| one.distance < 0.0);
        let point = if is_signed { weighted_mean(&neighbours, weight) } else { None };
        let mut forecast = weighted::forecast(&self.in_order_of_waits(neighbours, weight));
        forecast.point = point.unwrap_or(forecast.point);
        forecast
    }

    fn similar(&self, arrival: &Arrival<'_>, _: View<'_>) -> SimilarWaits {
        let neighbours = self.neighbours(arrival.features);
        let mut similar = SimilarWaits::none();
        neighbours.iter().for_each(|neighbour| similar.by_class.add(neighbour.wait));
        let (neighbours, weight) = self.weighed(neighbours);
        similar.point = weighted_mean(&neighbours, weight).unwrap_or(0.0);
        similar
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let wait = wait.0.max(0) as f64;
        let place = if self.waits.len() < self.window {
            self.features.push(*arrival.features);
            self.waits.push(wait);
            self.waits.len() - 1
        } else {
            let next = self.next;
            self.next = (next + 1) % self.window;
            let oldest = self.rank(self.waits[next], next as u32);
            self.by_wait.remove(oldest);
            self.features[next] = *arrival.features;
            self.waits[next] = wait;
            next
        };
        let rank = self.rank(wait, place as u32);
        self.by_wait.insert(rank, place as u32);
        match &mut self.index {
            NeighbourIndex::Sums(index) => index.put(place, arrival.features),
            NeighbourIndex::Elements(index) => index.put(place, arrival.features),
        }
    }
}

#[cfg(test)]
mod tests;
