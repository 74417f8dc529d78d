//! Correction of predicted waits by a site's own past: the same question is asked at past moments, and what became of those
//! jobs corrects the answer.

use serde::{Deserialize, Serialize};

use queuecast_core::stats;
use queuecast_core::units::{Procs, Seconds, Time};

/// Lessons that answer a question: those most like it.
const ALIKE: usize = 20;

/// Waits are compared by their logarithm; those well below this many seconds hardly differ.
const UNIT: f64 = 60.0;

/// A length of time on the scale of the comparison.
fn scale(length: Seconds) -> f64 {
    (length.0.max(0) as f64 / UNIT).ln_1p()
}

/// The length of time at this place of the scale; waits are never negative, and stay within the clock.
fn length(place: f64) -> Seconds {
    Seconds((UNIT * place.exp_m1()).round().clamp(0.0, 1e12) as i64)
}

/// A job whose wait is predicted, as far as questions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WaitQuestion {
    /// The mean of all predicted waits, each on the scale.
    predicted: f64,
    /// Logarithm of the processors.
    procs: f64,
    /// Logarithm of the requested time in seconds, at least the unit.
    request: f64,
}

impl WaitQuestion {
    /// A job of this size and requested time, for which these waits were drawn.
    pub fn new(
        waits: impl ExactSizeIterator<Item = Seconds>,
        procs: Procs,
        request: Seconds,
    ) -> WaitQuestion {
        let count = waits.len().max(1) as f64;
        WaitQuestion {
            predicted: waits.map(scale).sum::<f64>() / count,
            procs: f64::from(procs.0.max(1)).ln(),
            request: (request.0 as f64).max(UNIT).ln(),
        }
    }

    fn distance(&self, other: &WaitQuestion) -> f64 {
        (self.predicted - other.predicted).abs()
            + (self.procs - other.procs).abs()
            + (self.request - other.request).abs()
    }
}

/// A question of the past and what became of the job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// What was asked.
    pub question: WaitQuestion,
    /// How long the job waited.
    pub wait: Seconds,
    /// When it started: not known before.
    pub started: Time,
}

/// What was learned from lessons. Knows nothing of the machine but what they tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    lessons: Vec<Lesson>,
    slope: f64,
}

impl Calibration {
    /// The fewest lessons from which something is learned.
    pub const FEWEST: usize = 30;

    /// How many lessons an answer comes from.
    pub const ALIKE: usize = ALIKE;

    /// From these lessons; `None` if they are fewer than 30.
    ///
    /// # Formula
    /// With `s(w) = ln(1 + w / 60 s)`: `x` is the mean of `s` over a question's predicted waits, `y` is `s` of the actual
    /// one. The slope is that of the least-squares line of `y` on `x` over all lessons, kept within 0 and 1: near 1 where
    /// predictions come true, near 0 where they say nothing.
    pub fn of(lessons: Vec<Lesson>) -> Option<Calibration> {
        if lessons.len() < Calibration::FEWEST {
            return None;
        }
        let mean = |of: &dyn Fn(&Lesson) -> f64| stats::mean(lessons.iter().map(of));
        let predicted = mean(&|lesson| lesson.question.predicted);
        let actual = mean(&|lesson| scale(lesson.wait));
        let square = mean(&|lesson| (lesson.question.predicted - predicted).powi(2));
        let product = mean(&|lesson| (lesson.question.predicted - predicted) * (scale(lesson.wait) - actual));
        let slope = if square > 0.0 { (product / square).clamp(0.0, 1.0) } else { 0.0 };
        Some(Calibration { lessons, slope })
    }

    /// From the last `most` of these lessons, in their order, whose jobs had started before this moment.
    pub fn before(lessons: &[Lesson], moment: Time, most: usize) -> Option<Calibration> {
        let known = lessons.iter().rev().filter(|lesson| lesson.started < moment).take(most);
        let mut known: Vec<Lesson> = known.copied().collect();
        known.reverse();
        Calibration::of(known)
    }

    /// What it was learned from.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// Weight of the predicted waits, from 0 to 1.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Replaces predicted waits by corrected ones, keeping their order.
    ///
    /// # Formula
    /// The wait that is `i`-th of `n` in ascending order, from 0, becomes the `⌊m (i + ½) / n⌋`-th of the `m` values of
    /// [`Calibration::answer`]. So what is shorter for one of several questions stays so for the others (ensemble copula
    /// coupling: Schefzik, Thorarinsdottir & Gneiting 2013).
    pub fn correct(&self, waits: &mut [Seconds], procs: Procs, request: Seconds) {
        let mut order: Vec<(Seconds, usize)> = waits.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let question = WaitQuestion::new(order.iter().map(|one| one.0), procs, request);
        replace(waits, &order, &self.answer(&question));
    }

    /// Replaces predicted waits by those of all lessons, keeping their order, as [`Calibration::correct`] does.
    pub fn replace_by_past(&self, waits: &mut [Seconds]) {
        let mut order: Vec<(Seconds, usize)> = waits.iter().copied().zip(0..).collect();
        order.sort_unstable();
        replace(waits, &order, &self.past_waits());
    }

    /// The waits of the nearest lessons, corrected, in ascending order; never empty.
    ///
    /// # Formula
    /// The 20 lessons nearest to the question, by `|Δx| + |Δ ln processors| + |Δ ln requested|`; of those alike the
    /// earliest. Each contributes `s⁻¹(y + slope · (x_question − x_lesson))`, at least 0; a job that did not wait, 0.
    pub fn answer(&self, question: &WaitQuestion) -> Vec<Seconds> {
        let mut nearest: Vec<(f64, &Lesson)> =
            self.lessons.iter().map(|lesson| (lesson.question.distance(question), lesson)).collect();
        // Stable: of those alike the earliest comes first.
        nearest.sort_by(|one, other| one.0.total_cmp(&other.0));
        let corrected = |lesson: &Lesson| match lesson.wait > Seconds::ZERO {
            true => {
                length(scale(lesson.wait) + self.slope * (question.predicted - lesson.question.predicted))
            }
            false => Seconds::ZERO,
        };
        let mut waits: Vec<Seconds> =
            nearest.iter().take(ALIKE).map(|(_, lesson)| corrected(lesson)).collect();
        waits.sort_unstable();
        waits
    }
}

/// Replaces waits, of which this is the order, by ascending values, which are not none.
fn replace(waits: &mut [Seconds], order: &[(Seconds, usize)], values: &[Seconds]) {
    for (rank, &(_, place)) in order.iter().enumerate() {
        waits[place] = values[values.len() * (2 * rank + 1) / (2 * order.len())];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: Seconds = Seconds(3600);

    fn lesson(predicted: i64, procs: u32, wait: i64) -> Lesson {
        let question = WaitQuestion::new([Seconds(predicted)].into_iter(), Procs(procs), REQUEST);
        Lesson { question, wait: Seconds(wait), started: Time(0) }
    }

    fn corrected(calibration: &Calibration, procs: u32, waits: &[i64]) -> Vec<i64> {
        let mut waits: Vec<Seconds> = waits.iter().copied().map(Seconds).collect();
        calibration.correct(&mut waits, Procs(procs), REQUEST);
        waits.into_iter().map(|wait| wait.0).collect()
    }

    #[test]
    fn few_lessons_teach_nothing_and_later_ones_are_not_known() {
        let mut lessons = vec![lesson(0, 1, 0); 29];
        assert_eq!(Calibration::of(lessons.clone()), None);
        lessons.push(Lesson { started: Time(5), ..lesson(0, 1, 0) });
        assert!(Calibration::of(lessons.clone()).is_some());
        assert_eq!(Calibration::before(&lessons, Time(5), 200), None, "it starts in that very second");
        assert_eq!(Calibration::before(&lessons, Time(6), 200).unwrap().lessons().len(), 30);
        assert_eq!(Calibration::before(&lessons, Time(6), 29), None);
    }

    #[test]
    fn where_predictions_come_true_they_stay() {
        let lessons = (0..40).map(|number| lesson(100 * number, 4, 100 * number)).collect();
        let calibration = Calibration::of(lessons).unwrap();
        assert!((calibration.slope() - 1.0).abs() < 1e-9);
        assert_eq!(corrected(&calibration, 4, &[5000; 10]), [5000; 10]);
    }

    #[test]
    fn where_predictions_are_uninformative_the_past_answers() {
        // Predicted to start at once, and waited 1 to 20 h; larger jobs 100 h.
        let small = (1..=20).map(|hours| lesson(0, 4, 3600 * hours));
        let lessons = small.chain((0..20).map(|_| lesson(0, 64, 360_000))).collect();
        let calibration = Calibration::of(lessons).unwrap();
        assert_eq!(calibration.slope(), 0.0);
        assert_eq!(
            corrected(&calibration, 4, &[0; 20]),
            (1..=20).map(|hours| 3600 * hours).collect::<Vec<i64>>()
        );
        // The shortest wait stays the shortest.
        assert_eq!(corrected(&calibration, 4, &[9, 5, 7, 1]), [18, 8, 13, 3].map(|hours| 3600 * hours));
        assert_eq!(corrected(&calibration, 64, &[0; 3]), [360_000; 3]);
    }
}
