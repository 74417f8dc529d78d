//! Downey's predictor (1997), as section 4 of the paper describes it: run times of a queue are taken to be
//! distributed as β₀ + β₁ ln t.

use super::super::history::beyond;
use super::super::scatter::Lookup;
use super::super::settings::PredictorSettings;
use super::super::{Forecast, Question, Revision, RuntimePredictor};
use super::predictor::Newcomers;
use crate::distribution::LogUniform;
use crate::job::{Event, Job, What};
use crate::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written, choices};
use crate::units::Seconds;

/// Which number of the distribution is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lifetime {
    /// The median of those that run for longer than the job has: √(a·tmax).
    #[default]
    Median,
    /// Their mean: (tmax − a) / (ln tmax − ln a).
    Mean,
}

choices! { Lifetime, "lifetime":
    Median = "median", "the median of the distribution";
    Mean = "mean", "the mean of the distribution";
}

impl PredictorSettings for Lifetime {
    const FORMS: &'static [Form] = &[Form::new("downey", "the distribution of run times in the job's queue")
        .with(
            "[:median|mean]",
            &[SettingKey::spec("lifetime", Lifetime::forms)
                .alone(Alone::If(|text| Lifetime::parse(text).is_ok()))],
            "downey:mean",
        )];

    fn read(settings: &Settings<'_>) -> Result<Lifetime, SpecError> {
        let mut lifetime = Lifetime::default();
        settings.set("lifetime", &mut lifetime, |value| value.spec())?;
        Ok(lifetime)
    }

    fn write(&self) -> String {
        let other = Some(self).filter(|&lifetime| *lifetime != Lifetime::default());
        Written::new("downey").optional(other).to_string()
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn RuntimePredictor> {
        Box::new(Downey::new(*self))
    }
}

/// Run times of one queue, and the line through their distribution.
#[derive(Debug, Clone, Default)]
struct QueueRunTimes {
    sorted: Vec<i64>,
    /// Not in the line yet.
    fresh: Vec<i64>,
    /// ln tmax: where the line reaches 1.
    longest: Option<f64>,
}

impl QueueRunTimes {
    /// Takes in a run time. The line is drawn anew once a hundredth of the run times is not in it, so that all
    /// drawing together costs no more than a hundred looks at each.
    fn insert(&mut self, ran: Seconds) {
        self.fresh.push(ran.0.max(1));
        if self.fresh.len() * 100 >= self.sorted.len() {
            self.sorted.append(&mut self.fresh);
            // Two sorted runs; the sort sees that and merges them.
            self.sorted.sort();
            self.longest = longest(&self.sorted);
        }
    }
}

/// Least squares through (ln t, share of run times up to t), one point for each run time; the natural logarithm of
/// the time at which the line reaches 1. `None` if all run times are the same.
fn longest(sorted: &[i64]) -> Option<f64> {
    let count = sorted.len() as f64;
    let logs = || sorted.iter().map(|&ran| (ran as f64).ln());
    let x = logs().sum::<f64>() / count;
    let y = (count + 1.0) / (2.0 * count);
    let (mut spread, mut shared) = (0.0, 0.0);
    for (log, rank) in logs().zip(1..) {
        spread += (log - x) * (log - x);
        shared += (log - x) * (f64::from(rank) / count - y);
    }
    let slope = shared / spread;
    (sorted.first() < sorted.last() && slope > 0.0).then(|| x + (1.0 - y) / slope)
}

/// Predicts from the run times of the job's queue, given how long it has run, and at least a second.
#[derive(Debug, Clone)]
pub struct Downey {
    lifetime: Lifetime,
    queues: Lookup<u32, QueueRunTimes>,
    newcomers: Newcomers,
}

impl Downey {
    /// One that has seen nothing.
    pub fn new(lifetime: Lifetime) -> Downey {
        Downey { lifetime, queues: Lookup::default(), newcomers: Newcomers::default() }
    }
}

/// Jobs without a queue are in one of their own.
fn queue(job: &Job) -> u32 {
    job.queue.map_or(0, |queue| queue.number().saturating_add(1))
}

impl RuntimePredictor for Downey {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let distribution = self.queues.get(&queue(question.job));
        let Some(longest) = distribution.and_then(|distribution| distribution.longest) else {
            let newcomer = self.newcomers.forecast(question.job).point();
            return Forecast::exactly(beyond(question, newcomer));
        };
        let age = question.elapsed.0.max(1) as f64;
        // A job older than any should be has outlived the distribution.
        let predicted = LogUniform::within_logs(age.ln(), longest).map_or(age, |left| match self.lifetime {
            Lifetime::Median => left.quantile(0.5),
            Lifetime::Mean => left.mean(),
        });
        let predicted = Seconds(predicted.clamp(0.0, 1e15).round() as i64);
        Forecast::exactly(beyond(question, predicted))
    }

    fn observe(&mut self, event: &Event<'_>, _revisions: &mut Vec<Revision>) {
        let What::Ended(outcome) = event.what else { return };
        self.newcomers.learn(outcome.ran);
        self.queues.entry(queue(event.job)).or_default().insert(outcome.ran);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::history::stage::{Stage, asks};
    use super::*;

    fn stage(lifetime: Lifetime, runs: &[i64]) -> Stage<Downey> {
        let mut stage = Stage::new(Downey::new(lifetime));
        for (place, &run) in (0..).zip(runs) {
            stage.run(place * 1_000_000, asks(5000), run);
        }
        stage
    }

    #[test]
    fn a_line_is_worked_by_hand() {
        // ln t = 0, 1, 2, 3 would have shares 1/4 … 1: the line is 1/4 + ln t / 4, which reaches 1 at ln t = 3.
        let sorted = [1, 10, 100, 1000];
        let longest = longest(&sorted).unwrap();
        assert!((longest - 1000_f64.ln()).abs() < 1e-12, "{longest}");
        assert_eq!(super::longest(&[5, 5, 5]), None);
        assert_eq!(super::longest(&[5]), None);
        // With 1, 1, 100: x̄ = ln 100 / 3, the slope is (2/3 · 1/3 − 1/3 · 1/3) / (2/3) / ln 100 · … = 1 / (2 ln 100).
        let skewed = super::longest(&[1, 1, 100]).unwrap();
        assert!((skewed - 100_f64.ln()).abs() < 1e-12, "{skewed}");
    }

    #[test]
    fn median_and_mean_lifetimes_are_the_papers() {
        let runs = [1, 10, 100, 1000];
        let mut median = stage(Lifetime::Median, &runs);
        assert_eq!(median.arrive(9_000_000, asks(5000)), 32, "√1000");
        assert_eq!([40, 1000, 2000].map(|age| median.asked(4, age)), [200, 1001, 2001], "√(40 · 1000)");
        let mut mean = stage(Lifetime::Mean, &runs);
        assert_eq!(mean.arrive(9_000_000, asks(5000)), 145, "999 / ln 1000");
        assert_eq!([100, 1000, 2000].map(|age| mean.asked(4, age)), [391, 1001, 2001], "900 / ln 10");
    }

    #[test]
    fn queues_without_a_distribution_have_newcomers() {
        let mut stage = stage(Lifetime::Median, &[60, 60, 60]);
        assert_eq!(stage.arrive(9_000_000, asks(5000)), 5000);
    }

    #[test]
    fn the_line_is_drawn_anew_as_run_times_come_in() {
        let mut distribution = QueueRunTimes::default();
        for run in 1..=500 {
            distribution.insert(Seconds(run * run % 991));
            let all = distribution.sorted.len() + distribution.fresh.len();
            assert_eq!(all, run as usize);
            assert!(distribution.fresh.len() * 100 < distribution.sorted.len().max(1));
            assert!(distribution.sorted.is_sorted());
        }
    }
}
