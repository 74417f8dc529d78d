//! Gibbons's historical profiler (1997), as section 4 of the paper describes it: six fixed templates, in order.

use std::collections::BTreeMap;

use super::super::history::beyond;
use super::super::scatter::Lookup;
use super::super::settings::{Needs, PredictorSettings};
use super::super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use super::moments::{Estimate, Moments};
use super::predictor::Newcomers;
use super::{Data, Nodes};
use queuecast_core::job::{Event, Job, What};
use queuecast_core::spec::{Form, SettingKey, Settings, SpecError, Written};
use queuecast_core::units::Seconds;

/// The settings of [`Gibbons`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GibbonsSettings {
    /// Whether run times are divided by requested times.
    pub relative: bool,
}

impl PredictorSettings for GibbonsSettings {
    const FORMS: &'static [Form] = &[Form::new("gibbons", "six templates over user, executable and size")
        .with("[:rel]", &[SettingKey::flag("rel")], "gibbons:rel")];

    fn read(settings: &Settings<'_>) -> Result<GibbonsSettings, SpecError> {
        let mut read = GibbonsSettings::default();
        settings.set("rel", &mut read.relative, |value| value.flag())?;
        Ok(read)
    }

    fn write(&self) -> String {
        Written::new("gibbons").optional(self.relative.then_some("rel")).to_string()
    }

    fn needs(&self) -> Needs {
        Needs { user: true, executable: true }
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(Gibbons::new(self.relative))
    }
}

/// What similar jobs have in common: templates 1 and 2 go by the first, 3 and 4 by the second, 5 and 6 by the last.
/// Unknown is a value like any other.
fn keys(job: &Job) -> [(u32, u32, u32); 3] {
    let user = job.user.map_or(0, |user| user.number().saturating_add(1));
    let executable = job.executable.map_or(0, |executable| executable.number().saturating_add(1));
    [(1, user, executable), (2, 0, executable), (3, 0, 0)]
}

/// The jobs of one category in one range of sizes.
#[derive(Debug, Clone, Default)]
struct Subcategory {
    moments: Moments,
    procs: i64,
    /// Run time and data point of each, for questions about running jobs.
    points: Vec<(Seconds, i64)>,
}

impl Subcategory {
    fn insert(&mut self, procs: u32, ran: Seconds, y: i64) {
        self.moments.add(y);
        self.procs += i64::from(procs);
        self.points.push((ran, y));
    }

    /// Over those that ran for longer than this job has.
    fn older(&self, elapsed: Seconds) -> Moments {
        if elapsed <= Seconds::ZERO {
            return self.moments;
        }
        let mut moments = Moments::default();
        self.points.iter().filter(|(ran, _)| *ran > elapsed).for_each(|&(_, y)| moments.add(y));
        moments
    }
}

/// Subcategories by range of sizes: 1, 2–3, 4–7 and so on.
type Category = BTreeMap<u32, Subcategory>;

/// Asks (user, executable), then (executable), then all jobs; of each first the jobs of similar size and greater
/// age, then a line through the sizes. The first valid answer counts.
///
/// The line is fitted to the mean number of processors and the mean of the points of each subcategory with at
/// least two points, weighted by the inverse of their variance. Points that are all equal would weigh infinitely:
/// their deviation is taken to be a second, or with relative run times a thousandth of the request. A line needs
/// two different sizes, and is valid between the smallest and the largest of them, where it is above zero: further
/// out, on CTC-SP2, it is worse than the next template.
#[derive(Debug, Clone)]
pub struct Gibbons {
    data: Data,
    categories: Lookup<(u32, u32, u32), Category>,
    newcomers: Newcomers,
}

impl Gibbons {
    /// One that has seen nothing. With `relative`, run times are divided by requested times (table 9); jobs
    /// without one are then neither learned from nor predicted by history.
    pub fn new(relative: bool) -> Gibbons {
        let data = if relative { Data::Relative } else { Data::Actual };
        Gibbons { data, categories: Lookup::default(), newcomers: Newcomers::default() }
    }

    /// What the first template that can says, in the unit of the points.
    fn answer(&self, question: &Question<'_>) -> Option<f64> {
        let procs = question.job.shape.procs.0;
        let range = Nodes::Exponential.range(procs);
        keys(question.job).iter().find_map(|key| {
            let category = self.categories.get(key)?;
            let alike = category.get(&range).and_then(|own| own.older(question.elapsed).mean());
            alike.or_else(|| line(category, self.least_variance(), f64::from(procs)))
        })
    }

    fn least_variance(&self) -> f64 {
        let deviation = match self.data {
            Data::Actual => 1.0,
            Data::Relative => (1_u64 << 32) as f64 / 1000.0,
        };
        deviation * deviation
    }
}

/// The weighted regression over subcategories, at this number of processors.
fn line(category: &Category, least_variance: f64, procs: f64) -> Option<f64> {
    let points: Vec<(f64, f64, f64)> = category
        .values()
        .filter_map(|sub| {
            let mean = sub.moments.mean()?;
            let weight = 1.0 / sub.moments.variance()?.max(least_variance);
            Some((sub.procs as f64 / sub.moments.count() as f64, mean, weight))
        })
        .collect();
    let weighted = |value: fn(&(f64, f64, f64)) -> f64| -> f64 {
        points.iter().map(|point| point.2 * value(point)).sum()
    };
    let total = weighted(|_| 1.0);
    let (x, y) = (weighted(|point| point.0) / total, weighted(|point| point.1) / total);
    let spread: f64 = points.iter().map(|point| point.2 * (point.0 - x).powi(2)).sum();
    // Ranges come in ascending order, and so do the mean sizes in them.
    let within = points.first()?.0..=points.last()?.0;
    if spread <= 0.0 || !within.contains(&procs) {
        return None;
    }
    let shared: f64 = points.iter().map(|point| point.2 * (point.0 - x) * (point.1 - y)).sum();
    Some(y + shared / spread * (procs - x)).filter(|predicted| *predicted > 0.0)
}

impl RuntimePredictor for Gibbons {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let said = self.answer(question).and_then(|point| {
            let estimate = Estimate { point, half_width: 0.0 };
            self.data.in_seconds(estimate, question.job.shape.limit)
        });
        let newcomer = || self.newcomers.forecast(question.job).point();
        let point = said.map_or_else(newcomer, |said| Seconds(said.point.round() as i64));
        Forecast::exactly(beyond(question, point))
    }

    fn observe(&mut self, event: &Event<'_>, _revisions: &mut Vec<Revision>) {
        let What::Ended(outcome) = event.what else { return };
        self.newcomers.learn(outcome.ran);
        let Some(y) = self.data.of(event.job, outcome.ran) else { return };
        let procs = event.job.shape.procs.0;
        for key in keys(event.job) {
            let category = self.categories.entry(key).or_default();
            category.entry(Nodes::Exponential.range(procs)).or_default().insert(procs, outcome.ran, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::history::stage::{Stage, Submission, asks};
    use super::*;

    fn job(user: u32, executable: u32, procs: u32) -> Submission {
        Submission { user: Some(user), executable: Some(executable), procs, ..asks(1000) }
    }

    #[test]
    fn templates_are_asked_in_order() {
        let mut stage = Stage::new(Gibbons::new(false));
        assert_eq!(stage.run(0, job(1, 1, 2), 100), 1000, "nothing is known: the request");
        assert_eq!(stage.run(1000, job(2, 1, 3), 140), 100, "3: the executable, 2 to 3 processors");
        assert_eq!(stage.run(2000, job(1, 1, 2), 110), 100, "1: the user's own");
        assert_eq!(stage.arrive(4000, job(1, 1, 3)), 105, "1: the user's own");
        assert_eq!(stage.arrive(4000, job(9, 9, 2)), 117, "5: all of 2 to 3 processors, 350 / 3");
        assert_eq!(stage.arrive(4000, job(9, 9, 8)), 1000, "one size makes no line");
    }

    #[test]
    fn a_weighted_line_is_worked_by_hand() {
        let mut stage = Stage::new(Gibbons::new(false));
        // On 1: 90, 110, mean 100, variance 200. On 2: 190, 210, mean 200, variance 200. On 8: 500, 540, mean 520,
        // variance 800. In weights of 1/800: 4, 4, 1. One job on 32 has no variance and takes no part.
        let runs = [(1, 90), (1, 110), (2, 190), (2, 210), (8, 500), (8, 540), (32, 9)];
        for (place, (procs, run)) in (0..).zip(runs) {
            stage.run(place * 1000, job(1, 1, procs), run);
        }
        // x̄ = (4 + 8 + 8) / 9 = 20/9, ȳ = (400 + 800 + 520) / 9 = 1720/9,
        // Sxx = (4 + 16 + 64) − 9 (20/9)² = 356/9, Sxy = (400 + 1600 + 4160) − 9 (20/9)(1720/9) = 21040/9.
        // The slope is 21040/356 = 59.101; on 4: 191.11 + 59.101 · 1.7778 = 296.18.
        assert_eq!(stage.arrive(9000, job(1, 1, 4)), 296);
        assert_eq!(stage.arrive(9000, job(1, 1, 8)), 520, "a size of its own needs no line");
        assert_eq!(stage.arrive(9000, job(1, 1, 16)), 1000, "lines end where their sizes end");
    }

    #[test]
    fn equal_run_times_do_not_weigh_infinitely() {
        let mut stage = Stage::new(Gibbons::new(false));
        for (place, (procs, run)) in (0..).zip([(1, 100), (1, 100), (4, 40), (4, 40)]) {
            stage.run(place * 1000, job(1, 1, procs), run);
        }
        assert_eq!(stage.arrive(9000, job(1, 1, 2)), 80, "20 s less for each processor");
        assert_eq!(stage.arrive(9000, job(1, 1, 64)), 1000);
    }

    #[test]
    fn the_age_of_a_job_selects_those_that_ran_for_longer() {
        let mut stage = Stage::new(Gibbons::new(false));
        for (place, run) in (0..).zip([10, 20, 300, 500]) {
            stage.run(place * 1000, job(1, 1, 1), run);
        }
        stage.arrive(9000, job(1, 1, 1));
        assert_eq!([0, 15, 100, 400].map(|elapsed| stage.asked(4, elapsed)), [208, 273, 400, 500]);
    }

    #[test]
    fn relative_run_times_are_scaled_by_the_request() {
        let mut stage = Stage::new(Gibbons::new(true));
        let asking = |limit| Submission { limit, ..job(1, 1, 1) };
        stage.run(0, asking(Some(100)), 50);
        stage.run(1000, asking(Some(1000)), 250);
        assert_eq!(stage.arrive(2000, asking(Some(800))), 300, "three eighths");
        assert_eq!(stage.arrive(2000, asking(None)), 150, "the mean of all that have ended");
    }
}
