//! A made-up log: what is planned, and the walk of the readings beside the library's scorer.

use super::walk::PointFollower;
use super::*;
use crate::Tables;
use queuecast_core::job::{Job, Truth};
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::Machine;
use queuecast_eval::{WaitScore, WaitScorer, Watch};
use queuecast_sim::predict::DEFAULT_REQUEST;
use queuecast_wait::class_of;

/// Jobs that wait for longer the more processors they want, and now and then for a day, on a machine that is never full.
fn workload(jobs: i64) -> Workload {
    let job = |number: i64| {
        let submit = Time(number * 600);
        let procs = 1 << (number * 7 % 5);
        let limit = 600 * (1 + number * 13 % 11);
        // One in three overruns.
        let run = if number % 3 == 0 { 2 * limit } else { limit / 2 };
        (Job::rigid(number as u64 + 1, submit, Procs(procs), Some(Seconds(limit))), Seconds(run))
    };
    let (jobs, runs): (Vec<Job>, Vec<Seconds>) = (0..jobs).map(job).unzip();
    let wait = |job: &Job| {
        let often = i64::from(job.shape.procs.0 - 1) * 1_500;
        Seconds(if job.id.0.is_multiple_of(17) { 90_000 } else { often })
    };
    let starts = jobs.iter().map(|job| job.submit + wait(job)).collect();
    // One in fifty fails.
    let truth = |(place, run): (usize, Seconds)| {
        let ending = if place % 50 == 49 { Ending::Failed } else { Ending::Completed };
        Truth { ending, ..Truth::rigid(run) }
    };
    let truths = runs.into_iter().enumerate().map(truth).collect();
    Workload::recorded(Machine { procs: Procs(100_000) }, jobs, truths, starts).unwrap()
}

fn scored(workload: &Workload, spec: &str, jobs: usize) -> WaitScore {
    let window = WaitWindow { from: WaitWindow::FROM, jobs, default_request: DEFAULT_REQUEST };
    let scorer = WaitScorer::new(workload, window).unwrap();
    scorer.score(&[spec.parse().unwrap()], Watch::default()).remove(0)
}

const FEW: usize = 150;

fn walked(workload: &Workload, settings: ReadingSettings) -> Vec<PredictedJob> {
    let settings = ReadingSettings { jobs: FEW, ..settings };
    let own = settings.workload(workload).unwrap();
    walk(&own, &settings, &mut PointFollower::new(&settings), &|_| ()).unwrap()
}

/// The default reading is what the library's predictors say by their specs, on a log of completed jobs.
#[test]
fn the_walk_predicts_as_the_scorer_does() {
    let log = workload(10_400);
    let settings = ReadingSettings { jobs: FEW, ..ReadingSettings::DEFAULT };
    let completed = settings.workload(&log).unwrap();
    assert!(completed.len() < log.len(), "some failed");
    let jobs = walked(&log, settings);
    assert_eq!(jobs.len(), FEW);
    let machine = walk(&completed, &settings, &mut ClassFollower::default(), &|_| ()).unwrap();
    let mut scores = LogScores::default();
    scores.add_default(&jobs, Some(&machine));
    for method in ComparedMethod::PREDICTORS.into_iter().chain([ComparedMethod::Zero]) {
        let expected = scored(&completed, method.spec(), FEW);
        let classes = [
            [expected.one_class_long, Some(expected.one_class)],
            [expected.two_class_long, Some(expected.two_class)],
            [expected.three_class_long, Some(expected.three_class)],
        ];
        assert_eq!(scores.of(method).unwrap().0, classes, "{}", method.spec());
    }
    for method in [ComparedMethod::Average, ComparedMethod::Zero] {
        let expected = scored(&completed, method.spec(), FEW).own_point_error;
        assert!((scores.error(method).unwrap() - expected).abs() < 1e-9, "{}", method.spec());
    }
    let mut linear = RegressionFollower::new(&settings, Regression::Linear);
    let waits = walk(&completed, &settings, &mut linear, &|_| ()).unwrap();
    scores.add_errors(ComparedMethod::Linear, &jobs, &waits);
    let expected = scored(&completed, ComparedMethod::Linear.spec(), FEW).own_point_error;
    assert!((scores.error(ComparedMethod::Linear).unwrap() - expected).abs() < 1e-9);
    // Quick starters are those that the library's predictor of them puts into the first class.
    let quick = scored(&completed, "quick", FEW);
    let first: usize = quick.confusion.iter().map(|row| row[0]).sum();
    assert_eq!(jobs.iter().filter(|job| job.is_quick).count(), first);
}

#[test]
fn every_setting_of_a_reading_counts() {
    let log = workload(10_400);
    let default = walked(&log, ReadingSettings::DEFAULT);
    for reading in PaperReading::ALL {
        let own = walked(&log, reading.settings());
        // Of the others, one has more jobs.
        let same = [PaperReading::Default, PaperReading::FiftyThousand].contains(&reading);
        assert_eq!(own == default, same, "{}", reading.row());
    }
    // As printed: by the specs without settings.
    let printed = walked(&log, ReadingSettings::PRINTED);
    let right = |class: fn(&PredictedJob) -> usize| {
        printed.iter().filter(|job| class(job) == job.actual).count() as f64 * 100.0 / FEW as f64
    };
    for (spec, ours) in [
        ("qbets", right(|job| job.qbets.one)),
        ("ibl", right(|job| class_of(job.ibl))),
        ("knn", right(|job| class_of(job.neighbours))),
    ] {
        assert!((ours - scored(&log, spec, FEW).one_class).abs() < 1e-9, "{spec}: {ours}");
    }
}

#[test]
fn only_what_the_wanted_tables_need_is_predicted() {
    let plan = |table: &str| {
        let request = Request { tables: Tables::of([table]), ..Request::default() };
        let plan = Kumar2014::plan(&[], &request).unwrap();
        (plan.readings.len(), plan.machine, plan.techniques, plan.scenario_readings.len())
    };
    let all = ComparedReading::all().len();
    for (table, expected) in [
        ("3", (2, false, true, 0)),
        ("4", (2, false, false, 0)),
        ("4a-expected", (1, false, false, 0)),
        ("two-class", (1, true, false, 0)),
        ("three-class", (1, false, false, 0)),
        ("printed", (1, false, false, 0)),
        ("readings", (9, false, false, 0)),
        ("scenarios", (0, false, false, all)),
        ("scenario-loads", (0, false, false, 1)),
    ] {
        assert_eq!(plan(table), expected, "{table}");
    }
    let whole = Kumar2014::plan(&[], &Request::all(&PAPER)).unwrap();
    assert_eq!(
        (whole.readings.len(), whole.machine, whole.techniques, whole.scenario_readings.len()),
        (9, true, true, all)
    );
}

#[test]
fn a_log_with_too_few_jobs_or_without_waits_is_refused() {
    let refused = |log: &Workload| PaperReading::Printed.predict(log, &|_| ()).unwrap_err();
    let short = workload(50);
    assert!(matches!(refused(&short), EvalError::TooFewJobs { .. }));
    let mut without = workload(50);
    without.starts.clear();
    assert!(matches!(refused(&without), EvalError::NoWaits));
}
