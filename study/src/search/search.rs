//! A whole search: greedy, genetic, or genetic seeded with what greedy found.

use serde::{Deserialize, Serialize};

use super::batch::ScoreBatch;
use super::genetic::{Evolution, Genetic};
use super::greedy::Greedy;
use super::space::Space;
use queuecast_core::spec::choices;
use queuecast_sim::predict::template::TemplateSet;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Template by template.
    Greedy,
    /// By crossing and mutating template sets.
    #[default]
    Genetic,
}

choices! { Method, "method":
    Greedy = "greedy", "template by template";
    Genetic = "genetic", "by crossing and mutating template sets";
}

/// A search between two steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Which is searched; the genetic search of this space.
    space: Space,
    method: Method,
    evolution: Evolution,
    /// Where it comes first.
    greedy: Option<Greedy>,
    /// Once begun.
    genetic: Option<Genetic>,
}

impl Search {
    /// A greedy search of the space.
    pub fn greedy(space: Space) -> Search {
        let greedy = Some(Greedy::new(space.clone()));
        Search { space, method: Method::Greedy, evolution: Evolution::default(), greedy, genetic: None }
    }

    /// A genetic search of the space, with the best of a greedy search of another, smaller space in its first
    /// generation, if there is one.
    pub fn genetic(space: Space, evolution: Evolution, seeded: Option<Space>) -> Search {
        let greedy = seeded.map(Greedy::new);
        Search { space, method: Method::Genetic, evolution, greedy, genetic: None }
    }

    /// What it searches.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How it searches.
    pub fn method(&self) -> Method {
        self.method
    }

    /// How large its genetic part is.
    pub fn evolution(&self) -> Evolution {
        self.evolution
    }

    /// Its greedy part, where it has one.
    pub fn greedy_part(&self) -> Option<&Greedy> {
        self.greedy.as_ref()
    }

    /// Its genetic part, once begun.
    pub fn genetic_part(&self) -> Option<&Genetic> {
        self.genetic.as_ref()
    }

    /// Whether the other searches the same in the same way, however far either has come.
    pub fn is_same_as(&self, other: &Search) -> bool {
        let seeded = |search: &Search| search.greedy.as_ref().map(|greedy| greedy.space().clone());
        let what = |search: &Search| (search.space.clone(), search.method, search.evolution, seeded(search));
        what(self) == what(other)
    }

    /// Everything that decides the search, by name.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let (space, evolution) = (&self.space, self.evolution);
        let histories = |space: &Space| {
            let words =
                space.histories.iter().map(|one| one.map_or("all".to_owned(), |jobs| jobs.to_string()));
            words.collect::<Vec<_>>().join(",")
        };
        let letters = space.characteristics.iter().map(|one| one.letter()).chain(space.nodes.then_some("n"));
        let estimators: Vec<&str> = space.estimators.iter().map(|one| one.word()).collect();
        let mut settings = vec![
            ("method", self.method.to_string()),
            ("characteristics", letters.collect::<Vec<_>>().join(",")),
            ("relative run times", if space.relative { "yes" } else { "no" }.to_owned()),
            ("estimators", estimators.join(",")),
            ("histories", histories(space)),
            ("max templates", space.most.to_string()),
        ];
        if self.method == Method::Genetic {
            let seeded = self.greedy.as_ref().map(Greedy::space);
            settings.extend([
                ("population", evolution.population.to_string()),
                ("generations", evolution.generations.to_string()),
                ("seed", evolution.seed.to_string()),
                ("seeded with histories", seeded.map_or("none".to_owned(), histories)),
            ]);
        }
        settings
    }

    /// Whether there is nothing left to do.
    pub fn is_done(&self) -> bool {
        let greedy = self.greedy.as_ref().is_none_or(Greedy::is_done);
        greedy && (self.method == Method::Greedy || self.genetic.as_ref().is_some_and(Genetic::is_done))
    }

    /// One template more of the greedy part, or one generation of the genetic part. `score` says the mean error
    /// of each set, in order; if it fails, nothing has changed.
    pub fn step<E>(&mut self, score: &mut ScoreBatch<'_, E>) -> Result<(), E> {
        if let Some(greedy) = self.greedy.as_mut().filter(|greedy| !greedy.is_done()) {
            return greedy.step(score);
        }
        if self.method == Method::Greedy {
            return Ok(());
        }
        let found = || self.greedy.as_ref().and_then(Greedy::best).map(|(_, step)| step.templates.clone());
        let mut genetic = match self.genetic.take() {
            Some(genetic) => genetic,
            None => Genetic::new(self.space.clone(), self.evolution, found()),
        };
        let stepped = if genetic.is_done() { Ok(()) } else { genetic.generation(score) };
        self.genetic = Some(genetic);
        stepped
    }

    /// The best template set so far, and its error.
    pub fn best(&self) -> Option<(TemplateSet, f64)> {
        let greedy = self.greedy.as_ref().and_then(Greedy::best);
        let greedy = greedy.map(|(_, step)| (step.templates.clone(), step.error));
        let genetic = self.genetic.as_ref().and_then(Genetic::best);
        [genetic, greedy].into_iter().flatten().reduce(|best, next| if next.1 < best.1 { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use queuecast_sim::predict::template::{Characteristics, Estimator, Nodes};

    fn space() -> Space {
        Space {
            characteristics: Characteristics::ALL,
            nodes: true,
            relative: true,
            estimators: vec![Estimator::Mean, Estimator::Linear],
            histories: vec![None, Some(4), Some(16)],
            most: 10,
        }
    }

    /// Something a search can get better at: odd characteristics, a range of 8, a short history, few templates.
    fn worth(set: &TemplateSet) -> f64 {
        let of = |one: &queuecast_sim::predict::template::Template| {
            let odd = f64::from((one.characteristics.bits() ^ 0b101_0101).count_ones());
            odd + f64::from(u8::from(one.nodes != Nodes::Ranges(8)))
                + f64::from(u8::from(one.history.is_none()))
        };
        set.0.iter().map(of).fold(f64::INFINITY, f64::min) + set.0.len() as f64 / 7.0
    }

    fn step(search: &mut Search) {
        let mut score = |sets: &[TemplateSet]| Ok::<_, Infallible>(sets.iter().map(worth).collect());
        let Ok(()) = search.step(&mut score);
    }

    fn narrow() -> Space {
        let characteristics = Characteristics::ALL.iter().take(3).collect();
        Space { characteristics, histories: vec![None], ..space() }
    }

    fn genetic(seeded: bool) -> Search {
        let evolution = Evolution { population: 10, generations: 6, seed: 3 };
        Search::genetic(space(), evolution, seeded.then(narrow))
    }

    #[test]
    fn a_seeded_genetic_search_is_never_worse_than_the_greedy_one() {
        let mut search = genetic(true);
        let mut steps = 0;
        while !search.is_done() {
            step(&mut search);
            steps += 1;
        }
        let greedy = search.greedy_part().unwrap();
        let taken: usize = greedy.series().iter().map(|series| series.steps.len()).sum();
        assert_eq!(steps, taken + 6);
        let (_, found) = greedy.best().unwrap();
        let genetic = search.genetic_part().unwrap();
        assert_eq!(genetic.seeded(), Some(&found.templates));
        assert!(genetic.history()[0].best <= found.error);
        assert_eq!(search.best(), genetic.best());
        // Done is done.
        let before = search.clone();
        step(&mut search);
        assert_eq!(search, before);
    }

    #[test]
    fn a_search_interrupted_after_any_step_ends_as_one_that_was_not() {
        for make in [genetic(true), genetic(false), Search::greedy(narrow())] {
            let mut whole = make.clone();
            let mut resumed = make.clone();
            while !whole.is_done() {
                step(&mut whole);
                step(&mut resumed);
                let text = serde_json::to_string(&resumed).unwrap();
                resumed = serde_json::from_str(&text).unwrap();
                assert_eq!(serde_json::to_string(&resumed).unwrap(), text);
            }
            assert!(resumed.is_done() && resumed.is_same_as(&make));
            assert_eq!(resumed, whole);
        }
    }

    #[test]
    fn a_failed_step_changes_nothing() {
        let mut search = genetic(false);
        step(&mut search);
        let before = search.clone();
        assert_eq!(search.step(&mut |_| Err("stop")), Err("stop"));
        assert_eq!(search, before);
    }

    #[test]
    fn other_settings_are_another_search() {
        let one = genetic(true);
        let other = |change: fn(&mut Search)| {
            let mut other = one.clone();
            change(&mut other);
            !one.is_same_as(&other)
        };
        assert!(one.is_same_as(&genetic(true)) && !one.is_same_as(&genetic(false)));
        assert!(other(|search| search.evolution.seed = 4));
        assert!(other(|search| search.evolution.population = 12));
        assert!(other(|search| search.space.most = 9));
        assert!(!one.is_same_as(&Search::greedy(space())));
    }
}
