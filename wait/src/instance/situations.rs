//! Jobs at their submission, in columns, and which of them are near.

use std::ops::Range;

use crate::features::Feature;
use crate::predictor::Arrival;
use crate::svm::exp2_of_negative;
use queuecast_core::units::{Seconds, Time};

/// Attributes that are equal or not: user, group, executable, queue, partition.
pub(super) const NOMINAL: usize = 5;

/// Attributes that are numbers.
const NUMBERS: [Feature; 7] = [
    Feature::RequestSize,
    Feature::Ert,
    Feature::QueueLength,
    Feature::QueueDemand,
    Feature::RunningJobs,
    Feature::RunningRemaining,
    Feature::Occupied,
];

/// All attributes, the nominal ones first.
pub(super) const ATTRIBUTES: usize = NOMINAL + NUMBERS.len();

/// Every attribute counts as much as any other.
pub(super) const EQUAL: [f32; ATTRIBUTES] = [1.0; ATTRIBUTES];

/// Equal weights for all attributes but executables and partitions, which have none.
pub(super) const ALIKE: [f32; ATTRIBUTES] = [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// In parts that do not wait for each other; infinity of none.
fn least(values: &[f32]) -> f32 {
    let smaller = |one: f32, other: f32| if other < one { other } else { one };
    let mut parts = [f32::INFINITY; 16];
    let (chunks, rest) = values.as_chunks::<16>();
    for chunk in chunks {
        for (part, &value) in parts.iter_mut().zip(chunk) {
            *part = smaller(*part, value);
        }
    }
    parts.iter().chain(rest).copied().fold(f32::INFINITY, smaller)
}

/// The attributes of a job at its submission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Instance {
    /// One more than the number of each, 0 where it is unknown.
    names: [u32; NOMINAL],
    numbers: [f32; NUMBERS.len()],
}

impl Instance {
    pub fn of(arrival: &Arrival<'_>) -> Instance {
        let job = arrival.job;
        let names = [
            job.user.map(|name| name.number()),
            job.group.map(|name| name.number()),
            job.executable.map(|name| name.number()),
            job.queue.map(|name| name.number()),
            job.partition.map(|name| name.number()),
        ];
        Instance {
            names: names.map(|name| name.map_or(0, |number| number.saturating_add(1))),
            numbers: NUMBERS.map(|feature| arrival.features.0[feature as usize] as f32),
        }
    }
}

/// Jobs that have started, in the order of their starts.
#[derive(Debug, Clone, Default)]
pub(super) struct Instances {
    names: [Vec<u32>; NOMINAL],
    numbers: [Vec<f32>; NUMBERS.len()],
    submits: Vec<Time>,
    waits: Vec<f64>,
    /// One over the range of each number; 0 where all are alike.
    scales: [f32; NUMBERS.len()],
}

/// More jobs than are needed are kept, so that few are moved.
const SLACK: usize = 1000;

impl Instances {
    pub fn push(&mut self, situation: Instance, submit: Time, wait: Seconds) {
        self.names.iter_mut().zip(situation.names).for_each(|(column, name)| column.push(name));
        self.numbers.iter_mut().zip(situation.numbers).for_each(|(column, number)| column.push(number));
        self.submits.push(submit);
        self.waits.push(wait.0.max(0) as f64);
    }

    /// Forgets what is not among the last `window` jobs.
    pub fn trim(&mut self, window: usize) {
        if self.waits.len() < window.saturating_add(SLACK) {
            return;
        }
        let old = self.waits.len() - window;
        self.names.iter_mut().for_each(|column| drop(column.drain(..old)));
        self.numbers.iter_mut().for_each(|column| drop(column.drain(..old)));
        self.submits.drain(..old);
        self.waits.drain(..old);
    }

    /// The places of the last `window` jobs.
    pub fn last(&self, window: usize) -> Range<usize> {
        self.waits.len().saturating_sub(window)..self.waits.len()
    }

    /// Takes the ranges of numbers from these jobs.
    pub fn measure(&mut self, rows: Range<usize>) {
        for (scale, column) in self.scales.iter_mut().zip(&self.numbers) {
            let column = &column[rows.clone()];
            let ends = column.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |ends, &number| {
                (ends.0.min(number), ends.1.max(number))
            });
            let range = ends.1 - ends.0;
            *scale = if range > 0.0 && range.is_finite() { 1.0 / range } else { 0.0 };
        }
    }

    pub fn wait(&self, row: usize) -> f64 {
        self.waits[row]
    }

    pub fn situation(&self, row: usize) -> Instance {
        Instance {
            names: std::array::from_fn(|name| self.names[name][row]),
            numbers: std::array::from_fn(|number| self.numbers[number][row]),
        }
    }

    /// Of these jobs, the ones that had started when that of a row was submitted: a beginning, since jobs are in the order of
    /// their starts.
    pub fn started_before(&self, row: usize, rows: Range<usize>) -> Range<usize> {
        let submit = self.submits[row].0;
        let (mut low, mut high) = (rows.start, row.min(rows.end));
        while low < high {
            let middle = low + (high - low) / 2;
            let start = self.submits[middle].0.saturating_add(self.waits[middle] as i64);
            if start <= submit { low = middle + 1 } else { high = middle }
        }
        rows.start..low
    }

    /// The squares of the distances of these jobs, not divided by the sum of the weights.
    fn measure_all(
        &self,
        target: &Instance,
        rows: Range<usize>,
        weights: &[f32; ATTRIBUTES],
        distances: &mut Vec<f32>,
    ) {
        distances.clear();
        distances.resize(rows.len(), 0.0);
        for (name, &own) in target.names.iter().enumerate() {
            let weight = weights[name];
            if weight > 0.0 {
                let column = &self.names[name][rows.clone()];
                for (distance, &other) in distances.iter_mut().zip(column) {
                    *distance += if other == own { 0.0 } else { weight };
                }
            }
        }
        for number in 0..NUMBERS.len() {
            let (weight, own, scale) =
                (weights[NOMINAL + number], target.numbers[number], self.scales[number]);
            if weight > 0.0 && scale > 0.0 {
                let column = &self.numbers[number][rows.clone()];
                for (distance, &other) in distances.iter_mut().zip(column) {
                    let apart = ((other - own).abs() * scale).min(1.0);
                    *distance += weight * apart * apart;
                }
            }
        }
    }

    /// The weights of all of these jobs by a kernel of this width, in their order; that of the nearest is 1. Attributes count alike, but for
    /// executables and partitions, which do not count. They are left in `weights`.
    pub fn kernel_weights(&self, target: &Instance, rows: Range<usize>, width: f32, weights: &mut Vec<f32>) {
        self.measure_all(target, rows, &ALIKE, weights);
        let nearest = least(weights);
        let scale = std::f32::consts::LOG2_E / (ALIKE.iter().sum::<f32>() * width * width);
        // A loop of plain arithmetic: several at a time.
        for weight in weights.iter_mut() {
            *weight = exp2_of_negative((nearest - *weight) * scale);
        }
    }

    /// The waits of these jobs, in their order.
    pub fn waits(&self, rows: Range<usize>) -> &[f64] {
        &self.waits[rows]
    }

    /// The nearest of these jobs, with the squares of their distances, nearest first. `distances` is room to work in.
    pub fn nearest(
        &self,
        target: &Instance,
        rows: Range<usize>,
        weights: &[f32; ATTRIBUTES],
        neighbours: usize,
        distances: &mut Vec<f32>,
    ) -> Vec<(f32, usize)> {
        self.measure_all(target, rows.clone(), weights, distances);
        let all: f32 = weights.iter().sum();
        let mut near: Vec<(f32, usize)> = Vec::with_capacity(neighbours + 1);
        let mut farthest = f32::INFINITY;
        for (place, &distance) in distances.iter().enumerate().rev() {
            if distance < farthest {
                let after = near.partition_point(|one| one.0 <= distance);
                near.insert(after, (distance, rows.start + place));
                near.truncate(neighbours);
                if near.len() == neighbours {
                    farthest = near[near.len() - 1].0;
                }
            }
        }
        if all > 0.0 {
            near.iter_mut().for_each(|one| one.0 /= all);
        }
        near
    }
}
