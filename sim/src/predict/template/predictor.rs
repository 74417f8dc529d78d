//! Predicts by the most confident of several templates, as section 2.2 of the paper has it.

use super::super::history::beyond;
use super::super::scatter::Lookup;
use super::super::settings::{Needs, PredictorSettings};
use super::super::{Forecast, LearnedRuns, Question, Revision, RuntimePredictor};
use super::category::Category;
use super::moments::Estimate;
use super::student::LEVEL;
use super::{Characteristic, Characteristics, Template, TemplateSet};
use queuecast_core::job::{Event, Job, What};
use queuecast_core::spec::{Alone, Form, SettingKey, Settings, Spec, SpecError, Written};
use queuecast_core::units::Seconds;

impl PredictorSettings for TemplateSet {
    const FORMS: &'static [Form] = &[Form::new(
        "template",
        "run times of similar jobs, by templates as in (u,e),(q,u,n=4,lr), or @FILE",
    )
    .with(
        ":SET",
        &[SettingKey::new("set", "(u,e),(q,u,n=4,lr)").alone(Alone::All)],
        "template:(u,e),(q,u,n=4,lr)",
    )];

    fn read(settings: &Settings<'_>) -> Result<TemplateSet, SpecError> {
        TemplateSet::parse(settings.rest()?)
    }

    /// Without blanks, so that a shell needs no quotes for them.
    fn write(&self) -> String {
        Written::new("template").value(self.to_string().replace(' ', "")).to_string()
    }

    fn needs(&self) -> Needs {
        let compared = self.characteristics();
        Needs {
            user: compared.contains(Characteristic::User),
            executable: compared.contains(Characteristic::Executable),
        }
    }

    fn check(&self, jobs: &[Job]) -> Result<(), SpecError> {
        TemplateSet::check(self, Characteristics::present(jobs))
    }

    fn build(&self, _: impl FnOnce() -> Vec<Seconds>, _: Seconds) -> Box<dyn LearnedRuns> {
        Box::new(TemplatePredictor::new(self))
    }
}

/// What a job is in the eyes of one template: its range of sizes, and a number per characteristic.
type CategoryKey = [u32; 8];

fn key(template: &Template, job: &Job) -> CategoryKey {
    let mut key = CategoryKey::default();
    key[0] = template.nodes.range(job.shape.procs.0);
    for (place, one) in key[1..].iter_mut().zip(template.characteristics.iter()) {
        // A known value is never 0: that is for what is unknown.
        *place = one.of(job).map_or(0, |value| value.saturating_add(1));
    }
    key
}

/// What is said of a job that no category can speak for: its requested time; without one, the mean run time of
/// all that have ended, rounded to seconds; before anything has ended, one second.
#[derive(Debug, Clone, Copy, Default)]
pub struct Newcomers {
    ended: i128,
    ran: i128,
}

impl Newcomers {
    /// Takes in a run time.
    pub fn learn(&mut self, ran: Seconds) {
        self.ended += 1;
        self.ran += i128::from(ran.0);
    }

    /// What is said of a job of which nothing is known.
    pub fn forecast(&self, job: &Job) -> Forecast {
        let mean = || (2 * self.ran + self.ended) / (2 * self.ended).max(1);
        Forecast::exactly(job.shape.limit.unwrap_or_else(|| Seconds(mean() as i64)))
    }
}

/// Keeps a category for every combination of values each template has met, asks all that a job falls into, and
/// believes the one with the smallest interval; of equal ones, the earlier template's.
#[derive(Debug, Clone)]
pub struct TemplatePredictor {
    templates: Vec<(Template, Lookup<CategoryKey, Category>)>,
    newcomers: Newcomers,
}

impl TemplatePredictor {
    /// One that has seen nothing.
    pub fn new(set: &TemplateSet) -> TemplatePredictor {
        let templates = set.0.iter().map(|&template| (template, Lookup::default())).collect();
        TemplatePredictor { templates, newcomers: Newcomers::default() }
    }

    /// What each template says of the job, in order.
    pub fn estimates(&self, question: &Question<'_>) -> impl Iterator<Item = Option<Estimate>> {
        self.templates.iter().map(|(template, categories)| {
            let category = categories.get(&key(template, question.job))?;
            category.estimate(template, question.job, question.elapsed)
        })
    }
}

impl RuntimePredictor for TemplatePredictor {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let mut best: Option<Estimate> = None;
        for estimate in self.estimates(question).flatten() {
            if best.is_none_or(|best| estimate.half_width < best.half_width) {
                best = Some(estimate);
            }
        }
        let forecast = best.map_or_else(
            || self.newcomers.forecast(question.job),
            |best| Forecast::around(best.point, best.half_width, LEVEL),
        );
        match best {
            _ if forecast.point() > question.elapsed => forecast,
            None => Forecast::exactly(beyond(question, forecast.point())),
            Some(best) => {
                Forecast::around(beyond(question, forecast.point()).0 as f64, best.half_width, LEVEL)
            }
        }
    }

    fn observe(&mut self, event: &Event<'_>, _revisions: &mut Vec<Revision>) {
        let What::Ended(outcome) = event.what else { return };
        self.newcomers.learn(outcome.ran);
        for (template, categories) in &mut self.templates {
            let category = categories.entry(key(template, event.job)).or_default();
            category.insert(template, event.job, outcome.ran);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::history::stage::{Stage, Submission, asks};
    use super::*;
    use proptest::prelude::*;

    fn stage(set: &str) -> Stage<TemplatePredictor> {
        Stage::new(TemplatePredictor::new(&set.parse().unwrap()))
    }

    #[test]
    fn the_smallest_interval_wins() {
        let mut stage = stage("(), (u)");
        let other = Submission { user: Some(2), ..asks(1000) };
        assert_eq!(stage.run(0, asks(1000), 100), 1000);
        assert_eq!(stage.run(1000, asks(1000), 102), 1000, "one point makes no prediction");
        assert_eq!(stage.run(2000, asks(1000), 104), 101, "both say the same");
        assert_eq!(stage.run(3000, other, 900), 102, "of the other user nothing is known");
        assert_eq!(stage.arrive(4000, asks(1000)), 102, "the user's jobs are more alike than all");
        assert_eq!(stage.arrive(4000, other), 302, "one point makes no prediction");
    }

    #[test]
    fn relative_templates_scale_by_the_request() {
        let mut stage = stage("(u,rel)");
        stage.run(0, asks(100), 50);
        stage.run(1000, asks(200), 100);
        assert_eq!(stage.arrive(2000, asks(3000)), 1500);
        let without = Submission { limit: None, ..asks(1) };
        assert_eq!(stage.arrive(2000, without), 75, "the mean of all that have ended");
    }

    #[test]
    fn newcomers_are_predicted_by_request_then_mean_then_a_second() {
        let mut stage = stage("(u)");
        let without = |user| Submission { user: Some(user), limit: None, ..asks(1) };
        assert_eq!(stage.run(0, without(1), 11), 1);
        assert_eq!(stage.run(20, without(2), 14), 11);
        assert_eq!(stage.arrive(40, without(3)), 13, "12.5, rounded");
        assert_eq!(stage.arrive(40, asks(77)), 77);
    }

    #[test]
    fn forecasts_carry_their_interval_and_exceed_what_has_run() {
        let mut stage = stage("()");
        stage.run(0, asks(100), 40);
        stage.run(100, asks(100), 60);
        stage.arrive(200, asks(100));
        assert_eq!([0, 49, 50, 500].map(|elapsed| stage.asked(2, elapsed)), [50, 50, 51, 501]);
        let job = Job::rigid(1, queuecast_core::units::Time(0), queuecast_core::units::Procs(1), None);
        let forecast = stage.predictor.estimate(&Question { job: &job, elapsed: Seconds(0) });
        // The deviation of 40 and 60 is √200; k = √10: 50 ± 44.7.
        let interval = forecast.interval().unwrap();
        assert_eq!((interval.low, interval.high, interval.level), (Seconds(5), Seconds(95), 0.9));
    }

    proptest! {
        /// The choice among templates equals the obvious loop: filter all past jobs, sort what they say.
        #[test]
        fn selection_equals_the_obvious_loop(
            jobs in prop::collection::vec((0_u32..3, 1_u32..9, 1_i64..4, 1_i64..500), 1..40),
        ) {
            let set: TemplateSet = "(), (u,rel), (u,n=4,lr), (n=exp,h=3), (u,e)".parse().unwrap();
            let mut predictor = TemplatePredictor::new(&set);
            let mut past: Vec<(Job, Seconds)> = Vec::new();
            for &(user, procs, limit, ran) in &jobs {
                let mut job = Job::rigid(
                    1,
                    queuecast_core::units::Time(0),
                    queuecast_core::units::Procs(procs),
                    Some(Seconds(limit * 300)),
                );
                job.user = queuecast_core::job::UserId::new(user);
                let said = predictor.estimate(&Question { job: &job, elapsed: Seconds(0) });
                let mut all: Vec<(f64, usize, f64)> = Vec::new();
                for (place, template) in set.0.iter().enumerate() {
                    let mut category = Category::default();
                    for (other, ran) in &past {
                        let alike = template.characteristics.iter().all(|one| one.of(other) == one.of(&job));
                        let range = |job: &Job| template.nodes.range(job.shape.procs.0);
                        if alike && range(other) == range(&job) {
                            category.insert(template, other, *ran);
                        }
                    }
                    if let Some(found) = category.estimate(template, &job, Seconds(0)) {
                        all.push((found.half_width, place, found.point));
                    }
                }
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let expected = all.first().map(|&(half, _, point)| Forecast::around(point, half, LEVEL));
                prop_assert_eq!(said, expected.unwrap_or(Forecast::exactly(Seconds(limit * 300))));
                let outcome = queuecast_core::job::End { ran: Seconds(ran), ending: queuecast_core::job::Ending::Completed };
                let event = Event { at: queuecast_core::units::Time(0), job: &job, what: What::Ended(outcome) };
                predictor.observe(&event, &mut Vec::new());
                past.push((job, Seconds(ran)));
            }
        }
    }
}
