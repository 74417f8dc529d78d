//! Ranges of waits with probabilities: a point predictor corrected by a multi-class classification.

use queuecast_core::order;
use std::collections::VecDeque;

use super::class::{CLASSES, ClassWaits, NamedClasses, class_of, ends, probabilities};
use super::class_shape::{ClassShape, distribution, shape};
use super::features::Features;
use super::predictor::{Arrival, LearnedWaits, WaitForecast, WaitPredictor};
use super::quick::{QUICK, QuickStarters};
use super::svm::SvmClassifier;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Event;
use queuecast_core::units::Seconds;
use queuecast_sim::site::View;

/// The method of Kumar & Vadhiyar 2014, section 3.2: the point of another predictor (theirs is nearest neighbours), and the
/// probability of each class of waits by a support vector machine that is trained again at intervals, counted in starts, on the
/// last starts. [`NamedClasses`](super::NamedClasses) makes ranges of one, two and three classes of both.
///
/// The distribution has the probabilities of the classes; within a class it has the quantiles of the waits in the history.
/// Until the first training it is that of the point predictor.
#[derive(Clone)]
pub struct Ranges {
    point: Box<dyn LearnedWaits>,
    quick: Option<QuickStarters>,
    window: usize,
    every: usize,
    /// The last jobs that started, oldest first: features and wait.
    history: VecDeque<(Features, f64)>,
    /// The waits of the history.
    waits: ClassWaits,
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

#[derive(Clone)]
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
    pub fn new(point: Box<dyn LearnedWaits>, window: usize, every: usize) -> Ranges {
        Ranges {
            point,
            quick: None,
            window: window.max(1),
            every: every.max(1),
            history: VecDeque::new(),
            waits: ClassWaits::default(),
            learned: 0,
            due: None,
            trained: None,
        }
    }

    /// This predictor with the points of quick starters where a job is expected to be one.
    #[must_use]
    pub fn with_quick_starters(mut self) -> Ranges {
        self.quick = Some(QuickStarters::new(self.window));
        self
    }

    /// Whether a job that arrives at a site is expected to be a quick starter; never, without quick starters. It costs a fraction
    /// of a forecast, trains nothing, and is what [`Ranges::ranges`] says too.
    pub fn is_quick(&self, arrival: &Arrival<'_>, site: View<'_>) -> bool {
        self.quick.as_ref().is_some_and(|quick| quick.verdict(arrival, site).is_quick())
    }

    /// What a metascheduler compares sites by (Kumar & Vadhiyar 2014, section 4), in one call: two classes of waits, their
    /// probabilities, and the mean waits of similar jobs in them.
    pub fn ranges(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> RangeForecast {
        self.train();
        let similar = self.point.similar(arrival, site);
        let probabilities = match &self.trained {
            Some(trained) => trained.machine.probabilities(arrival.features),
            None => probabilities(&self.point.forecast(arrival, site).wait),
        };
        let verdict = self.quick.as_ref().map(|quick| (quick, quick.verdict(arrival, site)));
        let verdict = verdict.filter(|(_, verdict)| verdict.is_quick());
        let point = match &verdict {
            Some((quick, verdict)) if similar.point > QUICK => quick.point(verdict),
            _ => similar.point,
        };
        let classes = NamedClasses::of(point, &probabilities).two;
        let likely = classes.map(|class| probabilities[class]);
        let both = likely[0] + likely[1];
        RangeForecast {
            is_quick: verdict.is_some(),
            classes,
            probabilities: if both > 0.0 { likely.map(|own| own / both) } else { [0.5; 2] },
            mean_waits: classes.map(|class| self.mean_wait(class, &similar.by_class)),
        }
    }

    /// That of the similar jobs in a class; where none is in it, of all jobs of the history in it; or else the middle of the class.
    fn mean_wait(&self, class: usize, similar: &ClassWaits) -> f64 {
        similar.mean(class).or_else(|| self.waits.mean(class)).unwrap_or_else(|| {
            // The history has no wait in this class.
            let (from, to) = ends(class, 0.0);
            (from + to) / 2.0
        })
    }

    /// The training that is due, if one is.
    fn train(&mut self) {
        let Some(history) = self.due.take() else { return };
        let classed: Vec<(&Features, usize)> =
            history.iter().map(|(features, wait)| (features, class_of(*wait))).collect();
        if let Some(machine) = SvmClassifier::train(&classed) {
            self.trained = Some(Trained { machine, within: shapes(&history) });
        }
    }

    /// The point by quick starters, where a job is expected to be one and another point says that it is not.
    fn corrected(&self, point: f64, arrival: &Arrival<'_>, site: View<'_>) -> f64 {
        let Some(quick) = self.quick.as_ref().filter(|_| point > QUICK) else { return point };
        let verdict = quick.verdict(arrival, site);
        if verdict.is_quick() { quick.point(&verdict) } else { point }
    }

    /// The distribution by the probabilities of the support vector machine, once it is trained.
    fn by_class(&self, features: &Features) -> Option<Distribution> {
        let trained = self.trained.as_ref()?;
        distribution(&trained.machine.probabilities(features), &trained.within)
    }
}

/// Two classes of waits of a job at a site, as Kumar & Vadhiyar 2014 (section 4) compare sites by them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeForecast {
    /// Whether the job is expected to start within an hour, by quick starters.
    pub is_quick: bool,
    /// The two classes that [`NamedClasses`] names, the more probable first.
    pub classes: [usize; 2],
    /// Of either class if it is one of the two: they sum to one. Where neither has a probability, halves.
    pub probabilities: [f64; 2],
    /// The mean wait in seconds of the similar jobs of the history (those that nearest neighbours are) in either class; where none
    /// is in it, of all jobs of the history in it; or else the middle of the class.
    pub mean_waits: [f64; 2],
}

impl RangeForecast {
    /// The expected wait in seconds.
    ///
    /// # Formula
    /// `p₁·w₁ + p₂·w₂`, where p are the probabilities and w the mean waits of the two classes
    pub fn expected_wait(&self) -> f64 {
        self.probabilities[0] * self.mean_waits[0] + self.probabilities[1] * self.mean_waits[1]
    }
}

impl WaitPredictor for Ranges {
    fn refit(&mut self) {
        self.train();
        self.point.refit();
    }

    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        match self.by_class(arrival.features) {
            Some(wait) => {
                let point = self.point.similar(arrival, site).point;
                WaitForecast::new(self.corrected(point, arrival, site), wait)
            }
            None => {
                let WaitForecast { point, wait, .. } = self.point.forecast(arrival, site);
                WaitForecast::new(self.corrected(point, arrival, site), wait)
            }
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        self.point.learn(arrival, wait);
        if let Some(quick) = &mut self.quick {
            quick.learn(arrival, wait);
        }
        if self.history.len() == self.window
            && let Some((_, oldest)) = self.history.pop_front()
        {
            self.waits.remove(oldest);
        }
        let wait = wait.0.max(0) as f64;
        self.history.push_back((*arrival.features, wait));
        self.waits.add(wait);
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

fn shapes(history: &[(Features, f64)]) -> [ClassShape; CLASSES] {
    let longest = history.iter().fold(0.0_f64, |longest, one| longest.max(one.1));
    std::array::from_fn(|class| {
        let mut waits: Vec<f64> =
            history.iter().map(|one| one.1).filter(|&wait| class_of(wait) == class).collect();
        order::sort_floats(&mut waits);
        let (from, to) = ends(class, longest);
        shape(&waits, from, to)
    })
}

#[cfg(test)]
mod tests {
    use super::super::nearest::{FeatureDistance, Nearest};
    use super::super::predictor::test_support::{asked, features, job, taught};
    use super::*;
    use queuecast_core::units::{Procs, Time};
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    fn neighbours(window: usize) -> Nearest {
        Nearest::new(window, FeatureDistance::Sums)
    }

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
        let mut ranges = Ranges::new(Box::new(neighbours(500)), 500, 500);
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
        let mut young = Ranges::new(Box::new(neighbours(500)), 500, 500);
        taught(&mut young, 1, &values(0), 60);
        assert_eq!(
            asked(&mut young, 1, &values(0)),
            asked(&mut neighbours(500).with(&values(0), 60), 1, &values(0))
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

    fn ranges_of(ranges: &mut Ranges, values: &[f64]) -> RangeForecast {
        let (job, features) = (job(1), features(values));
        let site = Site::new(Machine { procs: Procs(8) });
        let arrival = Arrival { job: &job, at: Time(0), features: &features };
        let found = ranges.ranges(&arrival, site.view(Time(0)));
        assert_eq!(found.is_quick, ranges.is_quick(&arrival, site.view(Time(0))));
        found
    }

    #[test]
    fn mean_waits_are_those_of_the_similar_jobs_in_the_class() {
        let mut ranges = Ranges::new(Box::new(neighbours(500)), 500, 500);
        // Before anything is known: the middles of the first two classes.
        let nothing = ranges_of(&mut ranges, &[100.0]);
        assert_eq!((nothing.classes, nothing.mean_waits), ([0, 1], [1800.0, 7200.0]));
        assert_eq!((nothing.probabilities, nothing.expected_wait()), ([1.0, 0.0], 1800.0));
        // Neighbours of 100, equally far, are those of 99.9 and 100.1; 5000 is none.
        for (value, wait) in [(99.9, 5000), (100.1, 7000), (99.9, 13_000), (100.1, 15_000)] {
            taught(&mut ranges, 1, &[value], wait);
        }
        taught(&mut ranges, 1, &[5000.0], 600);
        taught(&mut ranges, 1, &[5000.0], 8000);
        // Their mean is 10,000 s, in class 1. Class 2 is the next likely: two of four are in either.
        let found = ranges_of(&mut ranges, &[100.0]);
        let by_neighbours = probabilities(&asked(&mut ranges, 1, &[100.0]).wait);
        let expected = found.classes.map(|class| by_neighbours[class]);
        assert!(expected[0] >= expected[1] && expected[1] > 0.2, "{expected:?}");
        for (own, its) in found.probabilities.iter().zip(expected) {
            assert!((own - its / (expected[0] + expected[1])).abs() < 1e-12, "{found:?}");
        }
        for (class, mean) in found.classes.into_iter().zip(found.mean_waits) {
            assert_eq!(mean, [0.0, 6000.0, 14_000.0, 0.0, 0.0, 0.0][class], "of neighbours only: {found:?}");
        }
        let by_hand =
            found.probabilities[0] * found.mean_waits[0] + found.probabilities[1] * found.mean_waits[1];
        assert_eq!(found.expected_wait(), by_hand);
        assert!(!found.is_quick, "without quick starters");
        // Control: far from them, no neighbour is in class 0 or 1 but the two jobs of 5000.
        let far = ranges_of(&mut ranges, &[5000.0]);
        assert_eq!(far.classes.map(|class| [600.0, 8000.0][class]), far.mean_waits);
    }

    #[test]
    fn a_class_without_similar_jobs_has_the_mean_of_the_history() {
        let mut ranges = Ranges::new(Box::new(neighbours(3)), 3, 500);
        for (value, wait) in [(100.0, 9999), (9000.0, 7000), (9000.0, 8000), (100.0, 60)] {
            taught(&mut ranges, 1, &[value], wait);
        }
        let found = ranges_of(&mut ranges, &[100.0]);
        // The neighbour is in class 0; of the history, the first job of which is forgotten, two are in class 1.
        assert_eq!((found.classes, found.mean_waits), ([0, 1], [60.0, 7500.0]));
        assert_eq!((found.probabilities, found.expected_wait()), ([1.0, 0.0], 60.0));
        // Control: a similar job in class 1 takes precedence over the history.
        taught(&mut ranges, 1, &[100.0], 4000);
        assert_eq!(
            ranges_of(&mut ranges, &[100.0]).mean_waits.into_iter().find(|&mean| mean > 3600.0),
            Some(4000.0)
        );
    }

    #[test]
    fn trained_ranges_are_those_of_the_prediction() {
        let mut ranges = Ranges::new(Box::new(neighbours(500)), 500, 300).with_quick_starters();
        for length in 0..300 {
            taught(&mut ranges, 1, &values(length), wait_of(length));
        }
        for length in 0..9 {
            let forecast = asked(&mut ranges, 1, &values(length));
            let all = probabilities(&forecast.wait);
            let named = NamedClasses::of(forecast.point, &all);
            let found = ranges_of(&mut ranges, &values(length));
            assert_eq!(found.classes, named.two);
            let both = all[named.two[0]] + all[named.two[1]];
            for (own, class) in found.probabilities.iter().zip(named.two) {
                assert!((own - all[class] / both).abs() < 1e-6, "{found:?} {all:?}");
            }
            assert_eq!(found.is_quick, length % 3 == 0, "{length}");
            // Control: the classes are not the same for all jobs.
            assert_eq!(found.classes.contains(&0), length % 3 == 0);
        }
    }
}
