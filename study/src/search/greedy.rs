//! The greedy search of section 2.4: begin with `()`, and for i = 1, 2, … add the template with i characteristics
//! that lowers the mean error most.

use serde::{Deserialize, Serialize};

use super::batch::{ScoreBatch, scores};
use super::exact;
use super::space::Space;
use queuecast_sim::predict::template::{Characteristics, Data, Estimator, Nodes, Template, TemplateSet};

/// One step: the templates so far and their mean error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateStep {
    /// The templates, in the order they were added.
    pub templates: TemplateSet,
    /// Mean error of predictions with them, in seconds.
    #[serde(with = "exact")]
    pub error: f64,
    /// How many sets were tried to find them.
    pub tried: usize,
}

/// One greedy search, over templates of one predictor and one kind of data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateSeries {
    /// Of all its templates.
    #[serde(with = "words")]
    pub predictor: Estimator,
    /// Whether its templates are relative to requested times.
    pub relative: bool,
    /// Whether the number of processors is one more characteristic, with all sizes of ranges (Table 5).
    pub nodes: bool,
    /// One for each number of templates, from one on.
    pub steps: Vec<TemplateStep>,
}

impl TemplateSeries {
    /// In words: `mean rel`, `lr act, nodes`.
    pub fn name(&self) -> String {
        let data = if self.relative { "rel" } else { "act" };
        format!("{} {data}{}", self.predictor.word(), if self.nodes { ", nodes" } else { "" })
    }

    /// How many characteristics its templates may have.
    fn characteristics(&self, space: &Space) -> usize {
        space.characteristics.len() + usize::from(self.nodes)
    }

    fn is_done(&self, space: &Space) -> bool {
        self.steps.len() > self.characteristics(space) || self.steps.len() >= space.most
    }

    /// Every template with `count` characteristics.
    fn candidates(&self, space: &Space, count: usize) -> Vec<Template> {
        let data = if self.relative { Data::Relative } else { Data::Actual };
        let sets = subsets(space.characteristics);
        let mut found = Vec::new();
        for characteristics in sets {
            let ignored = (characteristics.len() == count).then_some(Nodes::Ignored);
            let ranges = space.ranges().filter(|_| self.nodes && characteristics.len() + 1 == count);
            for nodes in ignored.into_iter().chain(ranges) {
                for &history in &space.histories {
                    let predictor = self.predictor;
                    found.push(Template { characteristics, nodes, age: false, data, predictor, history });
                }
            }
        }
        found
    }
}

/// Every set of these characteristics.
fn subsets(of: Characteristics) -> Vec<Characteristics> {
    let mut sets = vec![Characteristics::NONE];
    for one in of.iter() {
        let with: Vec<Characteristics> = sets.iter().map(|set| set.with(one)).collect();
        sets.extend(with);
    }
    sets
}

/// Greedy searches over each predictor and kind of data: Figures 1 and 2, and Table 5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Greedy {
    space: Space,
    series: Vec<TemplateSeries>,
}

impl Greedy {
    /// Nothing searched yet. For each predictor and kind of data of the space one series by characteristics,
    /// then, where the space has ranges of processors, one with those.
    pub fn new(space: Space) -> Greedy {
        let mut series = Vec::new();
        for nodes in [false, true].into_iter().filter(|&nodes| !nodes || space.nodes) {
            for &predictor in &space.estimators {
                for &data in space.data() {
                    let relative = data == Data::Relative;
                    series.push(TemplateSeries { predictor, relative, nodes, steps: Vec::new() });
                }
            }
        }
        Greedy { space, series }
    }

    /// What it searches.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The series, those not begun yet without steps.
    pub fn series(&self) -> &[TemplateSeries] {
        &self.series
    }

    /// Whether nothing is left to search.
    pub fn is_done(&self) -> bool {
        self.series.iter().all(|series| series.is_done(&self.space))
    }

    /// How many sets have to be tried in all.
    pub fn work(&self) -> usize {
        let steps = |series: &TemplateSeries| series.characteristics(&self.space).min(self.space.most - 1);
        let tried = |series: &TemplateSeries| {
            (0..=steps(series)).map(|count| series.candidates(&self.space, count).len()).sum::<usize>()
        };
        self.series.iter().map(tried).sum()
    }

    /// Takes the next step of the first series that is not done. `score` says the mean error of each set, in
    /// order; if it fails, nothing has changed.
    pub fn step<E>(&mut self, score: &mut ScoreBatch<'_, E>) -> Result<(), E> {
        let space = &self.space;
        let Some(series) = self.series.iter_mut().find(|series| !series.is_done(space)) else {
            return Ok(());
        };
        let before = series.steps.last().map(|step| step.templates.0.clone()).unwrap_or_default();
        let with = |template: Template| TemplateSet(before.iter().copied().chain([template]).collect());
        let sets: Vec<TemplateSet> =
            series.candidates(space, series.steps.len()).into_iter().map(with).collect();
        let errors = scores(score, &sets)?;
        let tried = sets.len();
        // Of equals, the first.
        let best =
            errors.into_iter().zip(sets).reduce(|best, next| if next.0 < best.0 { next } else { best });
        series.steps.extend(best.map(|(error, templates)| TemplateStep { templates, error, tried }));
        Ok(())
    }

    /// The step with the lowest error of all so far, and its series; of equals, the first.
    pub fn best(&self) -> Option<(&TemplateSeries, &TemplateStep)> {
        let steps = self.series.iter().flat_map(|series| series.steps.iter().map(move |step| (series, step)));
        steps.reduce(|best, next| if next.1.error < best.1.error { next } else { best })
    }
}

/// An estimator by its word.
mod words {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use queuecast_sim::predict::template::Estimator;

    pub(super) fn serialize<S: Serializer>(one: &Estimator, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(one.word())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Estimator, D::Error> {
        let word = String::deserialize(deserializer)?;
        Estimator::read(&word).map_err(|_| D::Error::custom(format!("{word:?} is no estimator")))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use queuecast_sim::predict::template::Characteristic;

    fn space() -> Space {
        Space {
            characteristics: [Characteristic::User, Characteristic::Queue].into_iter().collect(),
            nodes: true,
            relative: true,
            estimators: vec![Estimator::Mean, Estimator::Linear],
            histories: vec![None],
            most: 10,
        }
    }

    fn finish(mut greedy: Greedy, worth: impl Fn(&TemplateSet) -> f64) -> Greedy {
        let mut score = |sets: &[TemplateSet]| Ok::<_, Infallible>(sets.iter().map(&worth).collect());
        while !greedy.is_done() {
            let Ok(()) = greedy.step(&mut score);
        }
        greedy
    }

    /// Each template found lowers the error by what it is worth; nothing else does.
    fn worth(set: &TemplateSet) -> f64 {
        let values = [("(u)", 10.0), ("(q)", 9.0), ("(q,u)", 1.0), ("(u,n=4)", 5.0), ("(q,u,n=16)", 2.0)];
        let found = |text: &str| set.0.contains(&text.parse().unwrap());
        100.0 - values.iter().filter(|(text, _)| found(text)).map(|(_, value)| value).sum::<f64>()
    }

    #[test]
    fn each_step_adds_the_best_template_with_one_more_characteristic() {
        let greedy = finish(Greedy::new(space()), worth);
        let names: Vec<String> = greedy.series().iter().map(TemplateSeries::name).collect();
        assert_eq!(names[..4], ["mean act", "mean rel", "lr act", "lr rel"]);
        assert_eq!(names[4..], ["mean act, nodes", "mean rel, nodes", "lr act, nodes", "lr rel, nodes"]);
        let steps = |series: usize| {
            let steps = greedy.series()[series].steps.iter();
            steps.map(|step| format!("{} {}", step.error, step.templates)).collect::<Vec<_>>()
        };
        assert_eq!(steps(0), ["100 ()", "90 (), (u)", "89 (), (u), (q,u)"]);
        let nodes = ["100 ()", "90 (), (u)", "85 (), (u), (u,n=4)", "83 (), (u), (u,n=4), (q,u,n=16)"];
        assert_eq!(steps(4), nodes);
        // Of equals, the first: nothing relative is worth anything.
        assert_eq!(steps(1)[1], "100 (rel), (q,rel)");
        let tried: Vec<usize> = greedy.series()[4].steps.iter().map(|step| step.tried).collect();
        // (); q, u and ten ranges; q u and ten ranges of each; ten of both.
        assert_eq!(tried, [1, 12, 21, 10]);
        assert_eq!(greedy.work(), 4 * (1 + 2 + 1) + 4 * 44);
        let (series, step) = greedy.best().unwrap();
        assert_eq!((series.name().as_str(), step.error), ("mean act, nodes", 83.0));
    }

    #[test]
    fn a_worse_template_is_added_all_the_same_but_never_the_best() {
        let longer_is_worse = |set: &TemplateSet| set.0.len() as f64;
        let greedy = finish(Greedy::new(Space { nodes: false, relative: false, ..space() }), longer_is_worse);
        assert_eq!(greedy.series()[0].steps.len(), 3);
        assert_eq!(greedy.best().unwrap().1.templates.to_string(), "()");
    }

    #[test]
    fn histories_and_the_most_templates_are_heeded() {
        let space = Space { nodes: false, histories: vec![None, Some(4)], most: 2, ..space() };
        let short = |set: &TemplateSet| -(set.0.iter().filter(|one| one.history == Some(4)).count() as f64);
        let greedy = finish(Greedy::new(space), short);
        let steps = &greedy.series()[0].steps;
        assert_eq!(steps[1].templates.to_string(), "(h=4), (q,h=4)");
        assert_eq!((steps.len(), steps[1].tried, greedy.work()), (2, 4, 4 * 6));
    }

    #[test]
    fn a_failed_step_changes_nothing() {
        let mut greedy = Greedy::new(space());
        let before = greedy.clone();
        assert_eq!(greedy.step(&mut |_| Err("stop")), Err("stop"));
        assert_eq!(greedy, before);
    }

    #[test]
    fn a_series_survives_being_written() {
        let greedy = finish(Greedy::new(space()), |set| worth(set) / 3.0);
        let text = serde_json::to_string(&greedy).unwrap();
        assert_eq!(serde_json::from_str::<Greedy>(&text).unwrap(), greedy);
    }
}
