//! Ranges of waits with probabilities: a point predictor corrected by a multi-class classification.

use std::collections::VecDeque;

use super::class::{CLASS_ENDS, CLASSES, class_of};
use super::class_shape::{ClassShape, distribution, shape};
use super::features::Features;
use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use super::quick::{QUICK, QuickStarters};
use super::svm::SvmClassifier;
use crate::job::Event;
use crate::site::View;
use crate::units::Seconds;

/// The method of Kumar & Vadhiyar 2014, section 3.2: the point of another predictor (theirs is nearest neighbours), and the
/// probability of each class of waits by a support vector machine that is trained again every so many starts on the last
/// starts. [`NamedClasses`](super::NamedClasses) makes ranges of one, two and three classes of both.
///
/// The distribution has the probabilities of the classes; within a class it has the quantiles of the waits in the history.
/// Until the first training it is that of the point predictor.
pub struct Ranges {
    point: Box<dyn WaitPredictor>,
    quick: Option<QuickStarters>,
    window: usize,
    every: usize,
    /// The last jobs that started, oldest first: features and wait.
    history: VecDeque<(Features, f64)>,
    learned: usize,
    /// The history of a training that is due. It is done when a forecast is asked for, and not otherwise.
    due: Option<Vec<(Features, f64)>>,
    trained: Option<Trained>,
}

impl std::fmt::Debug for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ranges").field("learned", &self.learned).finish_non_exhaustive()
    }
}

struct Trained {
    machine: SvmClassifier,
    within: [ClassShape; CLASSES],
}

/// Until as many starts as a training takes are known, it is also done at these shares of them.
const EARLY: [usize; 4] = [16, 8, 4, 2];

impl Ranges {
    /// How many jobs a training takes, and after how many it is done again, in the paper.
    pub const WINDOW: usize = 5000;

    /// By the points of this predictor; trained on the last `window` starts after every `every` of them, each at least one.
    pub fn new(point: Box<dyn WaitPredictor>, window: usize, every: usize) -> Ranges {
        Ranges {
            point,
            quick: None,
            window: window.max(1),
            every: every.max(1),
            history: VecDeque::new(),
            learned: 0,
            due: None,
            trained: None,
        }
    }

    /// The same, with the points of quick starters where a job is expected to be one.
    #[must_use]
    pub fn with_quick_starters(mut self) -> Ranges {
        self.quick = Some(QuickStarters::new(self.window));
        self
    }

    /// The probability of each class by the support vector machine, once it is trained.
    fn probabilities(&mut self, features: &Features) -> Option<[f64; CLASSES]> {
        if let Some(history) = self.due.take() {
            let classed: Vec<(&Features, usize)> =
                history.iter().map(|(features, wait)| (features, class_of(*wait))).collect();
            if let Some(machine) = SvmClassifier::train(&classed) {
                self.trained = Some(Trained { machine, within: shapes(&history) });
            }
        }
        self.trained.as_ref().map(|trained| trained.machine.probabilities(features))
    }
}

impl WaitPredictor for Ranges {
    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let mut forecast = self.point.predict(arrival, site);
        if let Some(quick) = &mut self.quick
            && quick.verdict(arrival, site).is_quick()
            && forecast.point > QUICK
        {
            forecast.point = quick.predict(arrival, site).point;
        }
        let probabilities = self.probabilities(arrival.features);
        let by_class = probabilities.zip(self.trained.as_ref());
        match by_class.and_then(|(probabilities, trained)| distribution(&probabilities, &trained.within)) {
            Some(wait) => WaitForecast { point: forecast.point, wait },
            None => forecast,
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.point.learn(arrival, wait);
        if let Some(quick) = &mut self.quick {
            quick.learn(arrival, wait);
        }
        if self.history.len() == self.window {
            self.history.pop_front();
        }
        self.history.push_back((*arrival.features, wait.0.max(0) as f64));
        self.learned += 1;
        let early = EARLY.iter().any(|part| self.learned == self.every / part);
        if self.learned.is_multiple_of(self.every) || early {
            self.due = Some(self.history.iter().copied().collect());
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        self.point.observe(event);
    }
}

/// Where a class begins and ends; the last ends with the longest wait of the history.
fn ends(class: usize, longest: f64) -> (f64, f64) {
    let from = if class == 0 { 0.0 } else { CLASS_ENDS[class - 1] };
    let to = CLASS_ENDS.get(class).copied().unwrap_or_else(|| longest.max(2.0 * from));
    (from, to)
}

fn shapes(history: &[(Features, f64)]) -> [ClassShape; CLASSES] {
    let longest = history.iter().fold(0.0_f64, |longest, one| longest.max(one.1));
    std::array::from_fn(|class| {
        let mut waits: Vec<f64> =
            history.iter().map(|one| one.1).filter(|&wait| class_of(wait) == class).collect();
        waits.sort_by(f64::total_cmp);
        let (from, to) = ends(class, longest);
        shape(&waits, from, to)
    })
}

#[cfg(test)]
mod tests {
    use super::super::class::probabilities;
    use super::super::nearest::Nearest;
    use super::super::predictor::test_support::{asked, taught};
    use super::*;

    /// Short jobs start at once, long ones wait for about five hours, and the longest for two days.
    fn wait_of(length: i64) -> i64 {
        match length % 3 {
            0 => 60 + length,
            1 => 18_000 + 10 * length,
            _ => 172_800 + 10 * length,
        }
    }

    fn values(length: i64) -> [f64; 2] {
        [4.0_f64.powi((length % 3) as i32 * 3), 50.0 + (length % 7) as f64]
    }

    #[test]
    fn classes_that_features_tell_apart_are_probable() {
        let mut ranges = Ranges::new(Box::new(Nearest::new(500)), 500, 500);
        for length in 0..300 {
            taught(&mut ranges, 1, &values(length), wait_of(length));
        }
        for (length, class) in [(0, 0), (1, 2), (2, 5)] {
            let forecast = asked(&mut ranges, 1, &values(length));
            let found = probabilities(&forecast.wait);
            assert!(found[class] > 0.9, "{length}: {found:?}");
            assert_eq!(class_of(forecast.point), class, "by the neighbours");
        }
        // Control: before the first training the distribution is that of the neighbours.
        let mut young = Ranges::new(Box::new(Nearest::new(500)), 500, 500);
        taught(&mut young, 1, &values(0), 60);
        assert_eq!(
            asked(&mut young, 1, &values(0)),
            asked(&mut Nearest::new(500).with(&values(0), 60), 1, &values(0))
        );
    }

    #[test]
    fn the_distribution_has_the_probabilities_of_the_classes() {
        let history: Vec<(Features, f64)> =
            [0.0, 10.0, 3000.0, 5000.0, 30_000.0, 200_000.0].map(|wait| (Features::default(), wait)).to_vec();
        let within = shapes(&history);
        for expected in [
            [0.5, 0.2, 0.1, 0.1, 0.05, 0.05],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.3, 0.0, 0.0, 0.7],
            [0.25, 0.0, 0.0, 0.75, 0.0, 0.0],
        ] {
            let found = probabilities(&distribution(&expected, &within).unwrap());
            for (one, other) in found.iter().zip(expected) {
                assert!((one - other).abs() < 1e-6, "{found:?} {expected:?}");
            }
        }
    }
}
