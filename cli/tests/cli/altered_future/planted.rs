//! The comparison is not blind: methods that peek are caught by it.

use std::collections::BTreeMap;

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, JobIndex};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_eval::{RuntimeScorer, WaitScorer, WaitWindow};
use queuecast_report::predictions::{write_run_times, write_waits};
use queuecast_sim::predict::{Forecast, Question, Revision, RuntimePredictor};
use queuecast_sim::site::View;
use queuecast_trace as trace;
use queuecast_trace::ReadOptions;
use queuecast_wait::{Arrival, WaitForecast, WaitPredictor};

use super::alterations::{ALTERATIONS, Numbers};
use super::compared::{differences, first_difference};
use super::logs::Recording;
use super::{ORACLE, folder_of, score};

const WINDOW: WaitWindow = WaitWindow { from: 1, jobs: usize::MAX, default_request: Seconds(86_400) };

fn log() -> (Recording, i64) {
    let log = Recording::simulated("planted", 220, 3);
    let at = log.moments(3)[1];
    (log, at)
}

fn workload(log: &Recording) -> Workload {
    trace::read(log.text().as_bytes(), &ReadOptions::default()).unwrap().workload
}

/// Knows how long each job will wait, and says so of a few.
struct Peeking(BTreeMap<u64, i64>);

impl Peeking {
    fn at(log: &Workload) -> Peeking {
        let known = log.jobs().iter().zip(&log.starts).filter(|(_, start)| **start != Time::NEVER);
        Peeking(known.map(|(job, &start)| (job.id.0, (start - job.submit).0)).collect())
    }
}

impl WaitPredictor for Peeking {
    fn forecast(&self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let wait = self.0.get(&arrival.job.id.0).copied().filter(|_| arrival.job.id.0.is_multiple_of(5));
        WaitForecast::by_median(Distribution::point(wait.unwrap_or(60) as f64))
    }

    fn learn(&mut self, _: &Arrival<'_>, _: Seconds) {}
}

/// Knows how long each job will run, by its number.
struct PeekingRuns(Vec<Seconds>);

impl RuntimePredictor for PeekingRuns {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let JobIndex(number) = question.job.index;
        Forecast::exactly(self.0.get(number as usize).copied().unwrap_or(Seconds(60)))
    }

    fn observe(&mut self, _: &Event<'_>, _: &mut Vec<Revision>) {}
}

fn altered(log: &Recording, at: i64, name: &str) -> Recording {
    let (_, alter) = ALTERATIONS.iter().find(|(one, _)| *one == name).unwrap();
    let mut changed = log.clone();
    alter(&mut changed, at, &mut Numbers::new(7));
    changed
}

/// Two predictors over a log, as `--predictions` writes them.
fn waits_said(log: &Recording) -> String {
    let workload = workload(log);
    let scorer = WaitScorer::new(&workload, WINDOW).unwrap();
    let honest = "past:50".parse::<queuecast_forecast::forecast::WaitMethod>().unwrap();
    let honest = scorer.predictions(&mut *honest.build(WINDOW.default_request));
    let peeking = scorer.predictions(&mut Peeking::at(&workload));
    let (mut text, methods) = (Vec::new(), [("honest".to_owned(), honest), ("peeking".to_owned(), peeking)]);
    write_waits(&mut text, &workload.names, &methods).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_wait_predictor_that_peeks_is_caught() {
    let (log, at) = log();
    let before = waits_said(&log);
    for name in ["starts of waiting jobs", "cancellations of waiting jobs", "everything"] {
        let (found, methods, rows) = differences(&before, &waits_said(&altered(&log, at, name)), at);
        assert!(methods == 2 && rows > 50, "{methods} {rows}");
        assert!(found.len() == 1 && found[0].starts_with("peeking"), "{name}: {found:?}");
    }
    // What it peeks at, the waits of jobs in the queue, is not altered here.
    let (found, ..) =
        differences(&before, &waits_said(&altered(&log, at, "missing fields of later jobs")), at);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_run_time_predictor_that_peeks_is_caught() {
    let (log, at) = log();
    let said = |log: &Recording| {
        let workload = workload(log);
        let scorer = RuntimeScorer::new(&workload, WINDOW).unwrap();
        // By place among the jobs that started: enough of a leak.
        let runs = workload.truths().iter().map(|truth| truth.run()).collect();
        let (mut text, rows) = (Vec::new(), scorer.predictions(&mut PeekingRuns(runs)));
        write_run_times(&mut text, &workload.names, &[("peeking".to_owned(), rows)]).unwrap();
        String::from_utf8(text).unwrap()
    };
    let (found, ..) = differences(&said(&log), &said(&altered(&log, at, "ends of running jobs")), at);
    assert_eq!(found.len(), 1, "{found:?}");
}

/// The command's own method that knows the future.
#[test]
fn the_oracle_of_the_command_is_caught() {
    let (log, at) = log();
    let changed = altered(&log, at, "ends of running jobs");
    let said = |log: &Recording| score(&folder_of(log), "runtime", log.file(), &[ORACLE, "recent:2"]);
    let (found, methods, _) = differences(&said(&log), &said(&changed), at);
    assert_eq!(methods, 4, "with the baselines");
    assert!(found.len() == 1 && found[0].starts_with(ORACLE), "{found:?}");
}

/// What a command says of a moment after the alteration differs: the answers are not all the same.
#[test]
fn answers_at_a_later_moment_differ() {
    let (log, at) = log();
    let asked = |log: &Recording, at: i64| {
        let line = format!("when log.swf --at {at} -n 16 -t 2h --method past:50 --quiet --format json");
        crate::stdout(&mut folder_of(log).queuecast(&line))
    };
    let changed = altered(&log, at, "starts of waiting jobs");
    assert_eq!(first_difference(&asked(&log, at), &asked(&changed, at)), None);
    assert!(first_difference(&asked(&log, at + 7_000), &asked(&changed, at + 7_000)).is_some());
}
