//! Downey's predictor (1997), as section 4 of the paper describes it: run times of a queue are taken to be
//! distributed as β₀ + β₁ ln t.

use super::super::history::beyond;
use super::super::scatter::Lookup;
use super::super::settings::PredictorSettings;
use super::super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use super::predictor::Newcomers;
use queuecast_core::distribution::LogUniform;
use queuecast_core::job::{Event, Job, What};
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written, choices};
use queuecast_core::units::Seconds;

/// Which number of the distribution is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lifetime {
    /// The median of those that run for longer than the job has: √(a·tmax), with the age a at least tmin.
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

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(DowneyLifetimes::new(*self))
    }
}

/// ln tmin and ln tmax.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LogRange {
    shortest: f64,
    longest: f64,
}

/// Run times of one queue, and the line through their distribution.
#[derive(Debug, Clone, Default)]
struct QueueRunTimes {
    sorted: Vec<i64>,
    /// Not in the line yet.
    fresh: Vec<i64>,
    /// Where the line is 0 and where it is 1, in logarithms.
    support: Option<LogRange>,
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
            self.support = support(&self.sorted);
        }
    }
}

/// Least squares through (ln t, share of run times up to t), one point for each different run time, as a distribution
/// function is drawn. It is 0 at tmin and 1 at tmax, which is at most the longest run time so far. `None` if all run times
/// are the same.
fn support(sorted: &[i64]) -> Option<LogRange> {
    let (mut count, mut x, mut y) = (0.0, 0.0, 0.0);
    let points = || {
        let upto = sorted.chunk_by(|one, other| one == other).scan(0, |upto, alike| {
            *upto += alike.len();
            Some((alike[0], *upto))
        });
        upto.map(|(ran, upto)| ((ran as f64).ln(), upto as f64 / sorted.len() as f64))
    };
    for (log, share) in points() {
        (count, x, y) = (count + 1.0, x + log, y + share);
    }
    (x, y) = (x / count, y / count);
    let (mut spread, mut shared) = (0.0, 0.0);
    for (log, share) in points() {
        spread += (log - x) * (log - x);
        shared += (log - x) * (share - y);
    }
    let slope = shared / spread;
    let longest_run = (*sorted.last()? as f64).ln();
    (sorted.first() < sorted.last() && slope > 0.0)
        .then(|| LogRange { shortest: x - y / slope, longest: (x + (1.0 - y) / slope).min(longest_run) })
}

/// Predicts from the run times of the job's queue, given how long it has run: at least tmin, and at least a second.
#[derive(Debug, Clone)]
pub struct DowneyLifetimes {
    lifetime: Lifetime,
    queues: Lookup<u32, QueueRunTimes>,
    newcomers: Newcomers,
}

impl DowneyLifetimes {
    /// One that has seen nothing.
    pub fn new(lifetime: Lifetime) -> DowneyLifetimes {
        DowneyLifetimes { lifetime, queues: Lookup::default(), newcomers: Newcomers::default() }
    }
}

/// Jobs without a queue are in one of their own.
fn queue(job: &Job) -> u32 {
    job.queue.map_or(0, |queue| queue.number().saturating_add(1))
}

impl RuntimePredictor for DowneyLifetimes {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let distribution = self.queues.get(&queue(question.job));
        let Some(LogRange { shortest, longest }) = distribution.and_then(|distribution| distribution.support)
        else {
            let newcomer = self.newcomers.forecast(question.job).point();
            return Forecast::exactly(beyond(question, newcomer));
        };
        let age = question.elapsed.0.max(1) as f64;
        // No job is shorter than tmin, so a younger one says nothing. One older than tmax has outlived the distribution.
        let predicted =
            LogUniform::within_logs(age.ln().max(shortest), longest).map_or(age, |left| {
                match self.lifetime {
                    Lifetime::Median => left.quantile(0.5),
                    Lifetime::Mean => left.mean(),
                }
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

    fn stage(lifetime: Lifetime, runs: &[i64]) -> Stage<DowneyLifetimes> {
        let mut stage = Stage::new(DowneyLifetimes::new(lifetime));
        for (place, &run) in (0..).zip(runs) {
            stage.run(place * 1_000_000, asks(5000), run);
        }
        stage
    }

    #[test]
    fn a_line_is_worked_by_hand() {
        // ln t = 0, 1, 2, 3 (times ln 10) have shares 1/4 … 1: the line is 1/4 + ln t / (4 ln 10), 0 at 1/10 and 1 at 1000.
        let LogRange { shortest, longest } = support(&[1, 10, 100, 1000]).unwrap();
        assert!((longest - 1000_f64.ln()).abs() < 1e-12 && (shortest - 0.1_f64.ln()).abs() < 1e-12);
        assert_eq!(support(&[5, 5, 5]), None);
        assert_eq!(support(&[5]), None);
        // Run times that occur twice are one point: (1, 2/3) and (100, 1) lie on a line that is 0 at 1/10,000.
        let LogRange { shortest, longest } = support(&[1, 1, 100]).unwrap();
        assert!((longest - 100_f64.ln()).abs() < 1e-12 && (shortest - 1e-4_f64.ln()).abs() < 1e-12);
        // The line through (ln 1, 1/3), (ln 500, 2/3), (ln 1000, 1) reaches 1 at 5200, which no job did.
        assert!((support(&[1, 500, 1000]).unwrap().longest - 1000_f64.ln()).abs() < 1e-12);
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

    /// A job of age 1 s is not asked for less than what the shortest job of its queue needs.
    #[test]
    fn ages_below_the_distribution_do_not_count() {
        let mut stage = stage(Lifetime::Median, &[3500, 3600, 3800, 3900]);
        let predicted = stage.arrive(9_000_000, asks(5000));
        assert!((3400..=3900).contains(&predicted), "{predicted}");
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
