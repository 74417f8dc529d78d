//! Figure 16: how EASY performs with the estimates of each model.

use super::model::Model;
use super::subject::{Material, Subject};
use super::trial::{EstimateTrial, Performance, TrialResult};
use crate::{Figure, FigureBar, PublishedCell};

/// One of the figure's two measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerformanceMeasure {
    Wait,
    Slowdown,
}

impl PerformanceMeasure {
    pub const ALL: [PerformanceMeasure; 2] = [PerformanceMeasure::Wait, PerformanceMeasure::Slowdown];

    pub fn heading(self) -> &'static str {
        match self {
            PerformanceMeasure::Wait => "Wait Time",
            PerformanceMeasure::Slowdown => "Bounded Slowdown",
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            PerformanceMeasure::Wait => "minutes",
            PerformanceMeasure::Slowdown => "",
        }
    }

    fn of(self, performance: &Performance) -> f64 {
        match self {
            PerformanceMeasure::Wait => performance.wait / 60.0,
            PerformanceMeasure::Slowdown => performance.slowdown,
        }
    }
}

/// A mean over seeds, and the mean of how far single results are from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Average {
    pub mean: f64,
    pub absolute_deviation: f64,
    pub times: usize,
}

impl Average {
    /// Without any values, not a number.
    pub fn of(values: &[f64]) -> Average {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let apart = values.iter().map(|value| (value - mean).abs()).sum::<f64>() / count;
        Average { mean, absolute_deviation: apart, times: values.len() }
    }
}

/// All trials with what came of them.
#[derive(Debug, Clone)]
pub struct ModelResults {
    /// Of each subject and model, in their orders.
    averages: Vec<[[Average; 2]; Model::ALL.len()]>,
    /// Of each subject and model, how many trials found no estimates, and why the first did not.
    impossible: Vec<[(usize, Option<String>); Model::ALL.len()]>,
}

impl ModelResults {
    /// From the outcomes in the order of the trials. One without the other is left out.
    pub fn of(subjects: usize, trials: &[EstimateTrial], outcomes: &[TrialResult]) -> ModelResults {
        let of = |subject: usize, model: Model| {
            let both = trials.iter().zip(outcomes);
            both.filter(move |(trial, _)| (trial.subject, trial.model) == (subject, model))
        };
        let average = |subject, model| {
            PerformanceMeasure::ALL.map(|measure| {
                let performed = of(subject, model).filter_map(|(_, outcome)| match outcome {
                    TrialResult::Performed(performance) => Some(measure.of(performance)),
                    TrialResult::Impossible(_) => None,
                });
                Average::of(&performed.collect::<Vec<f64>>())
            })
        };
        let impossible = |subject, model| {
            let why: Vec<&String> = of(subject, model)
                .filter_map(|(_, outcome)| match outcome {
                    TrialResult::Impossible(why) => Some(why),
                    TrialResult::Performed(_) => None,
                })
                .collect();
            (why.len(), why.first().map(|why| (*why).clone()))
        };
        ModelResults {
            averages: (0..subjects).map(|at| Model::ALL.map(|model| average(at, model))).collect(),
            impossible: (0..subjects).map(|at| Model::ALL.map(|model| impossible(at, model))).collect(),
        }
    }

    /// What a model comes to on a subject.
    pub fn average(&self, subject: usize, model: Model, measure: PerformanceMeasure) -> Average {
        let row = self.averages.get(subject).zip(Model::ALL.iter().position(|one| *one == model));
        let at = usize::from(measure == PerformanceMeasure::Slowdown);
        row.map_or(Average::of(&[]), |(row, model)| row[model][at])
    }

    /// Its mean.
    pub fn mean(&self, subject: usize, model: Model, measure: PerformanceMeasure) -> f64 {
        self.average(subject, model, measure).mean
    }

    /// How far two models are apart.
    pub fn apart(&self, subject: usize, models: [Model; 2], measure: PerformanceMeasure) -> f64 {
        let [one, other] = models.map(|model| self.mean(subject, model, measure));
        (one - other).abs()
    }

    /// The standard error of a mean. The original and what else has no seed is one draw: seconds would have made it
    /// another, and how far apart such draws are is known from shaken arrivals.
    pub fn error(&self, subject: usize, model: Model, measure: PerformanceMeasure) -> f64 {
        let of = |model| self.average(subject, model, measure);
        let Average { absolute_deviation, times, .. } =
            if model.is_random() { of(model) } else { Average { times: 1, ..of(Model::Shaken) } };
        // Of a normal distribution.
        let deviation = absolute_deviation * (std::f64::consts::PI / 2.0).sqrt();
        deviation / (times.max(1) as f64).sqrt()
    }

    /// The figure's numbers, which the paper does not print.
    pub fn cells(&self, material: &Material) -> Vec<PublishedCell> {
        let mut cells = Vec::new();
        for (place, model) in Model::ALL.into_iter().enumerate() {
            for measure in PerformanceMeasure::ALL {
                for (at, Subject { name, .. }) in material.subjects.iter().enumerate() {
                    let cell = |column: String| {
                        PublishedCell::new("performance", model.name(), column, *name).unit(measure.unit())
                    };
                    let average = self.average(at, model, measure);
                    let mut mean = cell(measure.heading().to_owned()).ours(average.mean);
                    if let (count, Some(why)) = &self.impossible[at][place] {
                        mean = mean.note(format!("without {count} seeds that give no estimates ({why})"));
                    }
                    cells.push(mean);
                    if model.is_random() {
                        let column = format!("{}, absolute deviation", measure.heading());
                        cells.push(cell(column).ours(average.absolute_deviation));
                    }
                }
            }
        }
        cells
    }

    /// The figure.
    pub fn figures(&self, material: &Material) -> Vec<Figure> {
        let one = |measure: PerformanceMeasure| {
            let title = format!("EASY with the estimates of each model, {}", measure.heading());
            let mut figure = Figure::new("Figure 16", title, measure.unit());
            for (at, subject) in material.subjects.iter().enumerate() {
                let bars = Model::ALL.map(|model| (model.name(), self.mean(at, model, measure)));
                figure = figure.group(subject.name, bars);
                let drawn = figure.groups.last_mut().map_or(&mut [][..], |group| &mut group.bars);
                for (bar, model) in drawn.iter_mut().zip(Model::ALL) {
                    let deviation = self.average(at, model, measure).absolute_deviation;
                    let deviation = Some(deviation).filter(|_| model.is_random());
                    *bar = FigureBar { deviation: deviation.filter(|one| one.is_finite()), ..bar.clone() };
                }
            }
            figure
        };
        PerformanceMeasure::ALL.map(one).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_absolute_and_what_is_impossible_does_not_count() {
        let average = Average::of(&[1.0, 2.0, 6.0]);
        assert_eq!((average.mean, average.absolute_deviation), (3.0, 2.0));
        let trials = EstimateTrial::all(1, 3);
        let mut slowdown = 0.0;
        let outcomes: Vec<TrialResult> = trials
            .iter()
            .map(|trial| match trial.seed {
                3 => TrialResult::Impossible("too short".into()),
                _ => {
                    slowdown += 1.0;
                    TrialResult::Performed(Performance { wait: 60.0 * slowdown, slowdown })
                }
            })
            .collect();
        let results = ModelResults::of(1, &trials, &outcomes);
        // The first two are original and X2, the next two shfl.
        assert_eq!(results.mean(0, Model::Original, PerformanceMeasure::Slowdown), 1.0);
        assert_eq!(results.mean(0, Model::Shuffled, PerformanceMeasure::Wait), 3.5);
        assert_eq!(results.apart(0, [Model::Shuffled, Model::Doubled], PerformanceMeasure::Wait), 1.5);
        assert_eq!(results.average(0, Model::Shuffled, PerformanceMeasure::Slowdown).absolute_deviation, 0.5);
        assert_eq!(results.impossible[0][2], (1, Some("too short".into())));
        assert!(results.mean(9, Model::Original, PerformanceMeasure::Wait).is_nan());
    }
}
