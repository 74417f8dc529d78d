//! The best single answers under a distribution, each by the measure it is judged by.

use super::class::{CLASSES, NamedClasses, probabilities};
use super::predictor::{PointRule, WaitForecast};

/// Added to waits before their logarithm is taken, in seconds.
const UNIT: f64 = 60.0;

/// At so many equally likely waits a distribution is looked at.
const STEPS: usize = 100;

/// What a forecast answers to the questions it is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestAnswers {
    /// One, two and three classes.
    pub classes: NamedClasses,
    /// Least wrong as a share of the response time: wait and requested time.
    pub by_response: f64,
    /// Least wrong by the square of its logarithm.
    pub by_logarithm: f64,
}

impl BestAnswers {
    /// Of a job that requests so many seconds.
    ///
    /// # Formula
    /// By [`PointRule::ByMeasure`]: the most probable class, and the two and three neighbouring classes that are most probable
    /// together; the median of the wait `w` with weights `1 / (w + request)`; `exp(mean of ln(w + 60 s)) − 60 s`. Else the point,
    /// and the classes that [`NamedClasses::of`] names by it.
    pub fn of(forecast: &WaitForecast, request: f64) -> BestAnswers {
        let likely = probabilities(&forecast.wait);
        match forecast.rule {
            PointRule::Point => BestAnswers {
                classes: NamedClasses::of(forecast.point, &likely),
                by_response: forecast.point,
                by_logarithm: forecast.point,
            },
            PointRule::ByMeasure => {
                let waits: [f64; STEPS] =
                    std::array::from_fn(|step| forecast.wait.quantile((step as f64 + 0.5) / STEPS as f64));
                let logs = waits.iter().map(|wait| (wait + UNIT).ln()).sum::<f64>() / STEPS as f64;
                BestAnswers {
                    classes: likeliest(&likely),
                    by_response: weighted_median(&waits, request),
                    by_logarithm: (logs.exp() - UNIT).max(0.0),
                }
            }
        }
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
    use crate::distribution::Distribution;

    fn observed(waits: &[f64]) -> Distribution {
        Distribution::observed(waits.to_vec().into(), 1.0).unwrap()
    }

    #[test]
    fn each_answer_is_least_wrong_by_its_measure() {
        // Three in five start at once, one after 5 h, one after 20 h.
        let waits = [0.0, 0.0, 0.0, 18_000.0, 72_000.0];
        let answers = BestAnswers::of(&WaitForecast::by_measure(observed(&waits)), 600.0);
        assert_eq!(answers.classes.one, 0);
        assert_eq!(answers.by_response, 0.0);
        let expected = (waits.iter().map(|wait| (wait + 60.0_f64).ln()).sum::<f64>() / 5.0).exp() - 60.0;
        assert!((answers.by_logarithm - expected).abs() < 1e-6 * expected);
        let mistaken = |answer: f64, by: &dyn Fn(f64, f64) -> f64| -> f64 {
            waits.iter().map(|&wait| by(answer, wait)).sum()
        };
        let response = |answer: f64, wait: f64| (answer - wait).abs() / (wait + 600.0);
        let log = |answer: f64, wait: f64| ((answer + 60.0) / (wait + 60.0)).ln().powi(2);
        for other in [60.0, 600.0, 18_000.0, 72_000.0] {
            assert!(mistaken(answers.by_response, &response) < mistaken(other, &response));
            assert!(mistaken(answers.by_logarithm, &log) < mistaken(other, &log));
        }
        // Control: the point answers everything alike.
        let plain = BestAnswers::of(&WaitForecast::by_median(observed(&waits)), 600.0);
        assert_eq!((plain.by_response, plain.by_logarithm), (0.0, 0.0));
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
            |request| BestAnswers::of(&WaitForecast::by_measure(observed(&waits)), request).by_response;
        // Beside a short request a wait of an hour counts little.
        assert_eq!((answer(60.0), answer(1e6)), (0.0, 3600.0));
    }
}
