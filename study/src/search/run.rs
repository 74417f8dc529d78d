//! A search of one log, step by step or in one call.

use super::checkpoint::{Checkpoint, Identity, check_settings};
use super::error::{CheckpointError, SearchError};
use super::report::SearchReport;
use super::request::{PredictedAt, SearchRequest};
use super::scoring::{Scoring, Stopped};
use super::seal::{is_sealed, sealed};
use super::search::Search;
use queuecast_core::workload::Workload;

/// A search of one log. It can be stopped between any two scores and resumed from its last [`Checkpoint`].
#[derive(Debug)]
pub struct SearchRun<'a> {
    scoring: Scoring<'a>,
    search: Search,
    replay: PredictedAt,
    identity: Identity,
}

impl SearchRequest {
    /// Searches a log from beginning to end.
    pub fn run(&self, workload: &Workload) -> Result<SearchReport, SearchError> {
        let mut run = SearchRun::new(workload, self)?;
        while !run.is_done() {
            if let Err(Stopped) = run.step(&|| false) {
                break;
            }
        }
        Ok(run.report())
    }
}

impl<'a> SearchRun<'a> {
    /// The search before its first step.
    pub fn new(workload: &'a Workload, request: &SearchRequest) -> Result<SearchRun<'a>, SearchError> {
        let scoring = Scoring::new(workload, request.replay, request.holdout)?;
        let search = request.search(scoring.jobs())?;
        let identity = Identity::new(workload, request.replay, scoring.searched(), scoring.held_out());
        Ok(SearchRun { scoring, search, replay: request.replay, identity })
    }

    /// What a checkpoint has to belong to.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// How far the search is.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The state between two steps.
    pub fn checkpoint(&self) -> Checkpoint<&Search> {
        Checkpoint { identity: self.identity.clone(), search: &self.search }
    }

    /// The state between two steps as a text, sealed against alterations.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn checkpoint_text(&self) -> Result<String, serde_json::Error> {
        Ok(sealed(&serde_json::to_string_pretty(&self.checkpoint())?))
    }

    /// Goes on from the text of a checkpoint of the same search.
    ///
    /// # Errors
    /// If it is none, was altered since it was written, or is of another search.
    pub fn resume_text(&mut self, text: &str) -> Result<(), CheckpointError> {
        let broken = |cause: serde_json::Error| CheckpointError::NotOne(cause.to_string());
        // The version is checked before the rest: another version may write it in another form.
        let Checkpoint::<serde_json::Value> { identity, search } =
            serde_json::from_str(text).map_err(broken)?;
        self.identity.check_version(&identity)?;
        if !is_sealed(text) {
            return Err(CheckpointError::Altered);
        }
        self.identity.check(&identity)?;
        let search = serde_json::from_value(search).map_err(broken)?;
        self.resume(Checkpoint { identity, search })
    }

    /// Goes on from a checkpoint of the same search.
    pub fn resume(&mut self, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
        self.identity.check(&checkpoint.identity)?;
        check_settings(&checkpoint.search, &self.search)?;
        self.search = checkpoint.search;
        Ok(())
    }

    /// Whether there is no step left.
    pub fn is_done(&self) -> bool {
        self.search.is_done()
    }

    /// One template more of the greedy part, or one generation of the genetic part. `stop` is asked before each
    /// score, on any thread; if it says yes, nothing changes.
    pub fn step(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), Stopped> {
        let SearchRun { scoring, search, .. } = self;
        search.step(&mut |sets| scoring.errors(sets, stop))
    }

    /// The result so far, with the scores of baselines.
    pub fn report(&self) -> SearchReport {
        SearchReport::new(&self.search, &self.scoring, self.replay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Evolution, Method};
    use queuecast_core::job::{Job, Truth, UserId};
    use queuecast_core::units::{Procs, Seconds, Time};
    use queuecast_core::workload::Machine;

    fn workload(jobs: u64) -> Workload {
        let one = |id: u64| {
            let mut job = Job::rigid(id, Time(id as i64 * 60), Procs(1 + id as u32 % 4), Some(Seconds(7200)));
            job.user = UserId::new(id as u32 % 3);
            (job, Truth::rigid(Seconds(600 * (1 + id as i64 % 3) + id as i64 % 7)))
        };
        Workload::new(Machine { procs: Procs(8) }, (1..=jobs).map(one).collect()).unwrap()
    }

    fn request() -> SearchRequest {
        SearchRequest {
            replay: PredictedAt::Submit,
            evolution: Evolution { population: 6, generations: 2, seed: 3 },
            histories: Some(vec![None]),
            most: 2,
            ..SearchRequest::default()
        }
    }

    #[test]
    fn a_resumed_search_has_the_same_report() {
        let workload = workload(60);
        let whole = request().run(&workload).unwrap();
        let mut first = SearchRun::new(&workload, &request()).unwrap();
        first.step(&|| false).unwrap();
        let text = serde_json::to_string(&first.checkpoint()).unwrap();
        let mut second = SearchRun::new(&workload, &request()).unwrap();
        second.resume(serde_json::from_str(&text).unwrap()).unwrap();
        while !second.is_done() {
            second.step(&|| false).unwrap();
        }
        assert_eq!(second.report(), whole);
        assert_eq!(whole.results[0].what, "found");
        assert_eq!(whole.generations.len(), 2);
    }

    /// Every byte of a checkpoint altered, and lines removed, doubled and exchanged.
    #[test]
    fn an_altered_checkpoint_is_refused() {
        let workload = workload(60);
        let mut run = SearchRun::new(&workload, &request()).unwrap();
        while !run.is_done() {
            run.step(&|| false).unwrap();
        }
        let text = run.checkpoint_text().unwrap();
        let mut again = SearchRun::new(&workload, &request()).unwrap();
        again.resume_text(&text).unwrap();
        assert_eq!(again.report(), run.report(), "control: as it was written");
        let mut other = SearchRun::new(&workload, &request()).unwrap();
        let mut refused = |altered: &str| {
            assert!(altered == text || other.resume_text(altered).is_err(), "accepted: {altered}");
        };
        for at in 0..text.len() {
            for by in [1_u8, 4] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= by;
                refused(&String::from_utf8_lossy(&bytes));
            }
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for at in 0..lines.len() {
            refused(&[&lines[..at], &lines[at + 1..]].concat().concat());
            refused(&[&lines[..=at], &lines[at..]].concat().concat());
            if at > 0 {
                let mut swapped = lines.clone();
                swapped.swap(at - 1, at);
                refused(&swapped.concat());
            }
        }
        // Control: without the seal, a changed error is a state like any other.
        let digit = text.find("\"errors\"").or(text.find("\"error\"")).expect("a state has errors");
        let place = digit + text[digit..].find(|letter: char| ('1'..='8').contains(&letter)).unwrap();
        let mut bytes = text.into_bytes();
        bytes[place] ^= 1;
        let altered = String::from_utf8(bytes).unwrap();
        assert!(serde_json::from_str::<Checkpoint>(&altered).is_ok_and(|one| again.resume(one).is_ok()));
    }

    #[test]
    fn a_stopped_step_changes_nothing() {
        let workload = workload(60);
        let mut run = SearchRun::new(&workload, &request()).unwrap();
        let before = run.search().clone();
        assert_eq!(run.step(&|| true), Err(Stopped));
        assert_eq!(*run.search(), before);
    }

    #[test]
    fn a_checkpoint_of_another_search_is_refused() {
        let (one, other) = (workload(60), workload(61));
        let checkpoint = |workload: &Workload, request: &SearchRequest| {
            let run = SearchRun::new(workload, request).unwrap();
            let text = serde_json::to_string(&run.checkpoint()).unwrap();
            serde_json::from_str::<Checkpoint>(&text).unwrap()
        };
        let mut run = SearchRun::new(&one, &request()).unwrap();
        let refused = run.resume(checkpoint(&other, &request())).unwrap_err();
        assert!(matches!(refused, CheckpointError::Workload { .. }), "{refused}");
        let held = SearchRequest { holdout: Some(0.1), ..request() };
        let refused = run.resume(checkpoint(&one, &held)).unwrap_err();
        assert!(matches!(refused, CheckpointError::Jobs { .. }), "{refused}");
        let greedy = SearchRequest { method: Method::Greedy, ..request() };
        let refused = run.resume(checkpoint(&one, &greedy)).unwrap_err();
        assert!(refused.to_string().contains("method greedy, now genetic"), "{refused}");
    }

    #[test]
    fn short_logs_and_logs_without_waits_are_refused() {
        let refused = request().run(&workload(49)).unwrap_err();
        assert_eq!(refused, SearchError::TooFewJobs { searched: 49, jobs: 49, needed: 50 });
        let starts = SearchRequest { replay: PredictedAt::Start, ..request() };
        assert_eq!(starts.run(&workload(60)).unwrap_err(), SearchError::NoWaits);
    }
}
