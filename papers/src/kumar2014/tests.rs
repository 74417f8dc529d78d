//! A made-up log: what is planned, and the walk of the readings beside the library's scorer.

use super::*;
use crate::Tables;
use crate::kumar2014::walk::{Known, walk};
use queuecast::job::{Job, Truth};
use queuecast::units::{Procs, Seconds};
use queuecast::workload::Machine;

/// Jobs that wait for longer the more processors they want, and now and then for a day, on a machine that is never full.
fn workload(jobs: i64) -> Workload {
    let job = |number: i64| {
        let submit = Time(number * 600);
        let procs = 1 << (number * 7 % 5);
        let limit = 600 * (1 + number * 13 % 11);
        (Job::rigid(number as u64 + 1, submit, Procs(procs), Some(Seconds(limit))), Seconds(limit / 2))
    };
    let (jobs, runs): (Vec<Job>, Vec<Seconds>) = (0..jobs).map(job).unzip();
    let wait = |job: &Job| {
        let often = i64::from(job.shape.procs.0 - 1) * 1_500;
        Seconds(if job.id.0.is_multiple_of(17) { 90_000 } else { often })
    };
    let starts = jobs.iter().map(|job| job.submit + wait(job)).collect();
    let truths = runs.into_iter().map(Truth::rigid).collect();
    Workload::recorded(Machine { procs: Procs(100_000) }, jobs, truths, starts).unwrap()
}

fn scored(workload: &Workload, spec: &str, jobs: usize) -> WaitScore {
    let scorer = WaitScorer::new(workload, WaitWindow { jobs, ..window() }).unwrap();
    scorer.score(&[spec.parse().unwrap()], Watch::default()).remove(0)
}

#[test]
fn the_walk_predicts_as_the_scorer_does_and_peeking_differs() {
    let workload = workload(10_200);
    let jobs = 150;
    let honest = walk(&workload, jobs, Known::Started, &|_| ()).unwrap();
    assert_eq!(honest.len(), jobs);
    let neighbours = scored(&workload, "knn", jobs);
    let mut confusion = [[0; 6]; 6];
    for job in &honest {
        confusion[job.actual][job.neighbours] += 1;
    }
    assert_eq!(confusion, neighbours.confusion);
    let right = |class: fn(&walk::PredictedClass) -> usize| {
        honest.iter().filter(|job| class(job) == job.actual).count() as f64 * 100.0 / jobs as f64
    };
    for (spec, ours) in [("qbets", right(|job| job.qbets)), ("ibl", right(|job| job.ibl))] {
        assert!((ours - scored(&workload, spec, jobs).one_class).abs() < 1e-9, "{spec}: {ours}");
    }
    let error = queuecast::stats::mean(honest.iter().filter_map(|job| job.response_error));
    assert!((100.0 * error - neighbours.response_error).abs() < 1e-9);
    // Quick starters are those that the library's predictor of them puts into the first class.
    let quick = scored(&workload, "quick", jobs);
    let first: usize = quick.confusion.iter().map(|row| row[0]).sum();
    assert_eq!(honest.iter().filter(|job| job.is_quick).count(), first);
    // Control: with waits that are not known yet, predictions differ.
    assert_ne!(walk(&workload, jobs, Known::Submitted, &|_| ()).unwrap(), honest);
}

#[test]
fn only_what_the_wanted_tables_need_is_predicted() {
    let plan = |table: &str| {
        let request = Request { tables: Tables::of([table]), ..Request::default() };
        let plan = Kumar2014::plan(&[], &request).unwrap();
        (plan.methods.len(), plan.readings.len(), plan.scenario_readings.len())
    };
    let plans = ["3", "4", "4a-expected", "two-class", "readings", "scenarios", "scenario-loads"].map(plan);
    let all = ComparedReading::all().len();
    let expected = [(6, 0, 0), (6, 0, 0), (0, 1, 0), (6, 0, 0), (0, 5, 0), (0, 0, all), (0, 0, 1)];
    assert_eq!(plans, expected);
    let whole = Kumar2014::plan(&[], &Request::all(&PAPER)).unwrap();
    assert_eq!((whole.methods.len(), whole.readings.len(), whole.scenario_readings.len()), (11, 5, all));
}

#[test]
fn a_log_with_too_few_jobs_or_without_waits_is_refused() {
    let short = workload(50);
    assert!(matches!(walk(&short, 10, Known::Started, &|_| ()), Err(EvalError::TooFewJobs { .. })));
    let mut without = workload(50);
    without.starts.clear();
    assert!(matches!(walk(&without, 10, Known::Started, &|_| ()), Err(EvalError::NoWaits)));
}
