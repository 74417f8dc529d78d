//! Single answers that a forecast gives to questions for one.

use super::class::{CLASSES, NamedClasses, probabilities};
use super::predictor::{PointRule, WaitForecast};

/// The number of equally likely waits that stand for a distribution.
const STEPS: usize = 100;

/// What a forecast answers to the questions it is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestAnswers {
    /// One, two and three classes.
    pub classes: NamedClasses,
    /// The wait that is expected to be least wrong as a share of the response time: wait and requested time.
    pub response_point: f64,
}

impl BestAnswers {
    /// The answers for a job that requests `request` seconds.
    ///
    /// # Formula
    /// Classes by [`PointRule::ByMeasure`]: the most probable class, and the two and three neighbouring classes that are most
    /// probable together; else those that [`NamedClasses::of`] names by the point. The response point is the median of the wait `w`
    /// with weights `1 / (w + request)`, whatever the rule.
    pub fn of(forecast: &WaitForecast, request: f64) -> BestAnswers {
        let likely = probabilities(&forecast.wait);
        let classes = match forecast.rule {
            PointRule::Point => NamedClasses::of(forecast.point, &likely),
            PointRule::ByMeasure => likeliest(&likely),
        };
        let waits: [f64; STEPS] =
            std::array::from_fn(|step| forecast.wait.quantile((step as f64 + 0.5) / STEPS as f64));
        BestAnswers { classes, response_point: weighted_median(&waits, request) }
    }
}

/// The most probable class, and the most probable two and three in a row; of equal ones the shortest waits.
fn likeliest(likely: &[f64; CLASSES]) -> NamedClasses {
    let run = |length: usize| {
        let mut best = (0, f64::NEG_INFINITY);
        for from in 0..=CLASSES - length {
            let sum: f64 = likely[from..from + length].iter().sum();
            if sum > best.1 {
                best = (from, sum);
            }
        }
        best.0
    };
    let (two, three) = (run(2), run(3));
    NamedClasses { one: run(1), two: [two, two + 1], three: (three, three + 2) }
}

/// Of ascending waits: half of the weight `1 / (wait + request)` lies below it.
fn weighted_median(waits: &[f64], request: f64) -> f64 {
    let weight = |wait: f64| 1.0 / (wait + request.max(1.0));
    let half = waits.iter().map(|&wait| weight(wait)).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let middle = waits.iter().find(|&&wait| {
        below += weight(wait);
        below >= half
    });
    middle.copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::distribution::Distribution;

    fn observed(waits: &[f64]) -> Distribution {
        Distribution::observed(waits.to_vec().into(), 1.0).unwrap()
    }

    #[test]
    fn each_answer_is_least_wrong_by_its_measure() {
        // Three in five start at once, one after 5 h, one after 20 h.
        let waits = [0.0, 0.0, 0.0, 18_000.0, 72_000.0];
        let answers = BestAnswers::of(&WaitForecast::by_measure(observed(&waits)), 600.0);
        assert_eq!((answers.classes.one, answers.response_point), (0, 0.0));
        let waits = [600.0, 3_000.0, 18_000.0, 72_000.0];
        let of = |forecast| BestAnswers::of(&forecast, 600.0);
        let answers = of(WaitForecast::by_measure(observed(&waits)));
        let mistaken =
            |answer: f64| -> f64 { waits.iter().map(|&wait| (answer - wait).abs() / (wait + 600.0)).sum() };
        for other in [0.0, 60.0, 3_000.0, 9_000.0, 72_000.0] {
            assert!(mistaken(answers.response_point) < mistaken(other), "{other}: {answers:?}");
        }
        // The response point is that of the distribution; the classes are those of the method's own point.
        let point = of(WaitForecast::new(50_000.0, observed(&waits)));
        assert_eq!((point.response_point, point.classes.one), (answers.response_point, 4));
    }

    #[test]
    fn two_classes_are_the_most_probable_neighbours() {
        let named = likeliest(&[0.3, 0.1, 0.05, 0.25, 0.25, 0.05]);
        assert_eq!((named.one, named.two, named.three), (0, [3, 4], (2, 4)));
        assert_eq!(likeliest(&[0.0; 6]).two, [0, 1], "of equal ones the shortest");
    }

    #[test]
    fn long_requests_move_the_answer_to_longer_waits() {
        let waits = [0.0, 0.0, 0.0, 3600.0, 3600.0, 3600.0, 3600.0];
        let answer =
            |request| BestAnswers::of(&WaitForecast::by_measure(observed(&waits)), request).response_point;
        // Beside a short request a wait of an hour counts little.
        assert_eq!((answer(60.0), answer(1e6)), (0.0, 3600.0));
    }
}
