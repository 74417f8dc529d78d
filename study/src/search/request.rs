//! What to search for, as data.

use serde::{Deserialize, Serialize};

use super::error::{SearchError, Similarity};
use super::genetic::Evolution;
use super::search::{Method, Search};
use super::space::{HISTORIES, MOST_TEMPLATES, Space};
use queuecast_core::job::Job;
use queuecast_core::spec::{SpecError, choices};
use queuecast_sim::predict::template::{Characteristic, Characteristics, Estimator};

/// When the jobs of a log are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PredictedAt {
    /// At their starts, which the log has to record.
    #[default]
    Start,
    /// At their submissions.
    Submit,
}

choices! { PredictedAt, "moment":
    Start = "start", "as they start, which needs a log that says how long they waited";
    Submit = "submit", "as they are submitted";
}

/// A search of one log for the templates that predict its run times best.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// How to search.
    pub method: Method,
    /// When jobs are predicted.
    pub replay: PredictedAt,
    /// The share of the jobs, the last ones, that is kept out of the search and scored apart.
    pub holdout: Option<f64>,
    /// The size of a genetic search, and its seed.
    pub evolution: Evolution,
    /// Whether the first generation of a genetic search has the result of a greedy search in it.
    pub seeded: bool,
    /// What may make jobs similar; by default all in which the jobs differ.
    pub similarity: Option<Similarity>,
    /// How predictions may be made.
    pub estimators: Vec<Estimator>,
    /// How many jobs a category may remember, `None` for all; by default [`HISTORIES`] for a genetic search and all
    /// for a greedy one.
    pub histories: Option<Vec<Option<u32>>>,
    /// The most templates of one set.
    pub most: usize,
}

impl Default for SearchRequest {
    fn default() -> SearchRequest {
        SearchRequest {
            method: Method::Genetic,
            replay: PredictedAt::Start,
            holdout: None,
            evolution: Evolution::default(),
            seeded: true,
            similarity: None,
            estimators: vec![Estimator::Mean, Estimator::Linear],
            histories: None,
            most: MOST_TEMPLATES,
        }
    }
}

impl SearchRequest {
    /// The search before its first step, among what these jobs differ in.
    pub fn search(&self, jobs: &[Job]) -> Result<Search, SearchError> {
        let space = self.space(jobs)?;
        // A greedy search over all histories would take as many times longer.
        let histories = if self.histories.is_none() { vec![None] } else { space.histories.clone() };
        let greedy = Space { histories, ..space.clone() };
        Ok(match self.method {
            Method::Greedy => Search::greedy(greedy),
            Method::Genetic => Search::genetic(space, self.evolution, self.seeded.then_some(greedy)),
        })
    }

    fn space(&self, jobs: &[Job]) -> Result<Space, SearchError> {
        let offered = Space::of(jobs);
        let mut space = Space { most: self.most, ..offered.clone() };
        if let Some(Similarity { characteristics, nodes }) = self.similarity {
            (space.characteristics, space.nodes) = (characteristics, nodes);
        }
        let missing = Similarity {
            characteristics: space.characteristics.beyond(offered.characteristics),
            nodes: space.nodes && !offered.nodes,
        };
        if !missing.characteristics.is_empty() || missing.nodes {
            let present = Similarity { characteristics: offered.characteristics, nodes: offered.nodes };
            return Err(SearchError::Absent { missing, present });
        }
        space.estimators = once(&self.estimators);
        space.histories = match (&self.histories, self.method) {
            (Some(histories), _) => once(histories),
            (None, Method::Genetic) => HISTORIES.to_vec(),
            (None, Method::Greedy) => vec![None],
        };
        Ok(space)
    }
}

impl Similarity {
    /// Reads one letter: that of a characteristic, or `n` for ranges of processors. The error says which there are.
    pub fn read(letter: &str) -> Result<Similarity, String> {
        let text = letter.trim();
        match Characteristic::read(text) {
            Some(one) => Ok(Similarity { characteristics: Characteristics::NONE.with(one), nodes: false }),
            None if text == "n" => Ok(Similarity { nodes: true, ..Similarity::default() }),
            None => {
                let known: Vec<&str> =
                    Characteristic::ALL.iter().map(|one| one.letter()).chain(["n"]).collect();
                Err(SpecError::unknown("characteristic", text, &known).why)
            }
        }
    }

    /// What any of several makes similar; `None` of none.
    pub fn any(several: &[Similarity]) -> Option<Similarity> {
        several.iter().copied().reduce(|all, one| Similarity {
            characteristics: all.characteristics.iter().chain(one.characteristics.iter()).collect(),
            nodes: all.nodes || one.nodes,
        })
    }
}

/// Reads how many jobs a category may remember: a number, or `all`.
pub fn read_history(text: &str) -> Result<Option<u32>, String> {
    match text.trim() {
        "all" => Ok(None),
        number => match number.parse() {
            Ok(jobs) if jobs >= 1 => Ok(Some(jobs)),
            _ => Err("expected a number of jobs from 1 on, or all".to_owned()),
        },
    }
}

/// Reads the share of the jobs that is held out.
pub fn read_holdout(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "expected a share of the jobs between 0 and 1, as in 0.5".to_owned())
}

/// Each once, in the order given.
fn once<T: Copy + PartialEq>(given: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for &one in given {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Time};

    fn jobs() -> Vec<Job> {
        [1, 2, 4].map(|procs| Job::rigid(u64::from(procs), Time(0), Procs(procs), None)).to_vec()
    }

    #[test]
    fn histories_are_searched_by_default_only_genetically() {
        let genetic = SearchRequest::default().search(&jobs()).unwrap();
        assert_eq!(genetic.space().histories, HISTORIES);
        assert_eq!(genetic.greedy_part().unwrap().space().histories, [None]);
        let given =
            SearchRequest { histories: Some(vec![Some(4), None, Some(4)]), ..SearchRequest::default() };
        let genetic = given.search(&jobs()).unwrap();
        assert_eq!(genetic.space().histories, [Some(4), None]);
        assert_eq!(genetic.greedy_part().unwrap().space().histories, [Some(4), None]);
        let greedy = SearchRequest { method: Method::Greedy, ..SearchRequest::default() };
        assert_eq!(greedy.search(&jobs()).unwrap().space().histories, [None]);
    }

    #[test]
    fn characteristics_in_which_jobs_do_not_differ_are_refused() {
        let all = Similarity { characteristics: Characteristics::ALL, nodes: true };
        let asked = SearchRequest { similarity: Some(all), ..SearchRequest::default() };
        let refused = asked.search(&jobs()).unwrap_err();
        assert!(refused.to_string().ends_with("they do in n (processors)"), "{refused}");
        let nodes = Similarity { nodes: true, ..Similarity::default() };
        let nodes = SearchRequest { similarity: Some(nodes), ..SearchRequest::default() };
        assert!(nodes.search(&jobs()).is_ok());
    }
}
