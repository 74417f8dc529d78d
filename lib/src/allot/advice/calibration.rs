//! What predicted queue times are worth at a site, learned from its own past: the same question is asked at past moments,
//! and what became of those jobs corrects the answer.

use super::advisor::{Advisor, Drawn};
use crate::units::{Procs, Seconds, Time};

/// So many lessons most like a question answer it.
const ALIKE: usize = 20;

/// Waits differ by their logarithm, those well below this many seconds hardly.
const UNIT: f64 = 60.0;

/// A length of time on the scale of the comparison.
fn scale(length: Seconds) -> f64 {
    (length.0.max(0) as f64 / UNIT).ln_1p()
}

/// The length of time at this place of the scale; waits are never negative, and stay within the clock.
fn length(place: f64) -> Seconds {
    Seconds((UNIT * place.exp_m1()).round().clamp(0.0, 1e12) as i64)
}

/// What is asked, as far as questions are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Asked {
    /// The mean of all drawn queue times, each on the scale.
    predicted: f64,
    /// Logarithm of the processors.
    procs: f64,
    /// Logarithm of the requested time in seconds, at least the unit.
    request: f64,
}

impl Asked {
    fn of(queue: impl ExactSizeIterator<Item = Seconds>, procs: Procs, request: Seconds) -> Asked {
        let count = queue.len().max(1) as f64;
        Asked {
            predicted: queue.map(scale).sum::<f64>() / count,
            procs: f64::from(procs.0.max(1)).ln(),
            request: (request.0 as f64).max(UNIT).ln(),
        }
    }

    fn distance(&self, other: &Asked) -> f64 {
        (self.predicted - other.predicted).abs()
            + (self.procs - other.procs).abs()
            + (self.request - other.request).abs()
    }
}

/// A question of the past and what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lesson {
    asked: Asked,
    wait: Seconds,
    started: Time,
}

impl Lesson {
    /// Of what was drawn for a job of one size that then waited so long and started at this time. `None` if nothing was
    /// drawn.
    pub fn of(advisor: &Advisor, drawn: &[Drawn], wait: Seconds, started: Time) -> Option<Lesson> {
        let size = advisor.sizes().first().filter(|_| !drawn.is_empty())?;
        let queue: Vec<Seconds> = drawn.iter().filter_map(|one| one.each.first()).map(|one| one.0).collect();
        let asked = Asked::of(queue.into_iter(), size.procs, advisor.request(size));
        Some(Lesson { asked, wait, started })
    }

    /// How long the job waited.
    pub fn wait(&self) -> Seconds {
        self.wait
    }
}

/// What was learned from some lessons. Knows nothing of the machine but what they tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    lessons: Vec<Lesson>,
    slope: f64,
}

impl Calibration {
    /// Fewer lessons teach nothing.
    pub const FEWEST: usize = 30;

    /// From these lessons; `None` if they are fewer than 30.
    ///
    /// # Formula
    /// With `s(w) = ln(1 + w / 60 s)`: `x` is the mean of `s` over a question's drawn queue times, `y` is `s` of the actual
    /// one. The slope is that of the least-squares line of `y` on `x` over all lessons, kept within 0 and 1: near 1 where
    /// predictions come true, near 0 where they say nothing.
    pub fn of(lessons: Vec<Lesson>) -> Option<Calibration> {
        if lessons.len() < Calibration::FEWEST {
            return None;
        }
        let count = lessons.len() as f64;
        let mean = |of: &dyn Fn(&Lesson) -> f64| lessons.iter().map(of).sum::<f64>() / count;
        let predicted = mean(&|lesson| lesson.asked.predicted);
        let actual = mean(&|lesson| scale(lesson.wait));
        let square = mean(&|lesson| (lesson.asked.predicted - predicted).powi(2));
        let product = mean(&|lesson| (lesson.asked.predicted - predicted) * (scale(lesson.wait) - actual));
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

    /// How far a difference in predictions is followed, from 0 to 1.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Draws with their queue times put right, size by size; run times stay as they are.
    ///
    /// # Formula
    /// The 20 lessons nearest to the question answer it, by `|Δx| + |Δ ln processors| + |Δ ln requested|`; of those alike the
    /// earliest. Each says `s⁻¹(y + slope · (x_question − x_lesson))`, at least 0; a job that did not wait says 0. The draw
    /// that is `i`-th of `n` by its queue time, from 0, gets the `⌊20 (i + ½) / n⌋`-th of what they say. So a draw that is lucky
    /// in one size stays so in the others (ensemble copula coupling: Schefzik, Thorarinsdottir & Gneiting 2013).
    pub fn correct(&self, advisor: &Advisor, drawn: &[Drawn]) -> Vec<Drawn> {
        let mut corrected = drawn.to_vec();
        for (place, size) in advisor.sizes().iter().enumerate() {
            let mut order: Vec<(Seconds, usize)> = drawn
                .iter()
                .enumerate()
                .filter_map(|(number, one)| Some((one.each.get(place)?.0, number)))
                .collect();
            order.sort_unstable();
            let queue = order.iter().map(|one| one.0);
            let said = self.said(&Asked::of(queue, size.procs, advisor.request(size)));
            for (rank, &(_, number)) in order.iter().enumerate() {
                let at = said.len() * (2 * rank + 1) / (2 * order.len());
                corrected[number].each[place].0 = said[at];
            }
        }
        corrected
    }

    /// What the nearest lessons say, in order; never empty.
    fn said(&self, question: &Asked) -> Vec<Seconds> {
        let mut nearest: Vec<(f64, &Lesson)> =
            self.lessons.iter().map(|lesson| (lesson.asked.distance(question), lesson)).collect();
        // Stable: of those alike the earliest comes first.
        nearest.sort_by(|one, other| one.0.total_cmp(&other.0));
        let says = |lesson: &Lesson| match lesson.wait > Seconds::ZERO {
            true => length(scale(lesson.wait) + self.slope * (question.predicted - lesson.asked.predicted)),
            false => Seconds::ZERO,
        };
        let mut said: Vec<Seconds> = nearest.iter().take(ALIKE).map(|(_, lesson)| says(lesson)).collect();
        said.sort_unstable();
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allot::Sizes;
    use crate::allot::advice::State;
    use crate::sim::Backfill;

    fn lesson(predicted: i64, procs: u32, wait: i64) -> Lesson {
        let asked = Asked::of([Seconds(predicted)].into_iter(), Procs(procs), Seconds(3600));
        Lesson { asked, wait: Seconds(wait), started: Time(0) }
    }

    fn advisor(procs: u32) -> Advisor {
        let state = State::new(Procs(64), Vec::new(), Vec::new());
        Advisor::new(state, Sizes::one(Procs(procs), Seconds(3600)), Backfill::easy(), 1.0)
    }

    fn drawn(queue: impl IntoIterator<Item = i64>) -> Vec<Drawn> {
        queue.into_iter().map(|one| Drawn { each: vec![(Seconds(one), Seconds(3600))] }).collect()
    }

    fn queue(drawn: &[Drawn]) -> Vec<i64> {
        drawn.iter().map(|one| one.each[0].0.0).collect()
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
        assert_eq!(queue(&calibration.correct(&advisor(4), &drawn([5000; 10]))), [5000; 10]);
    }

    #[test]
    fn where_predictions_say_nothing_the_past_answers() {
        // Said to start at once, and waited 1 to 20 h; larger jobs 100 h.
        let small = (1..=20).map(|hours| lesson(0, 4, 3600 * hours));
        let lessons = small.chain((0..20).map(|_| lesson(0, 64, 360_000))).collect();
        let calibration = Calibration::of(lessons).unwrap();
        assert_eq!(calibration.slope(), 0.0);
        let put_right = queue(&calibration.correct(&advisor(4), &drawn([0; 20])));
        assert_eq!(put_right, (1..=20).map(|hours| 3600 * hours).collect::<Vec<i64>>());
        // The draw that was shortest stays so.
        let mixed = queue(&calibration.correct(&advisor(4), &drawn([9, 5, 7, 1])));
        assert_eq!(mixed, [18, 8, 13, 3].map(|hours| 3600 * hours));
        assert_eq!(queue(&calibration.correct(&advisor(64), &drawn([0; 3]))), [360_000; 3]);
    }
}
