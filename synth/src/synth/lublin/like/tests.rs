//! Fits find what was put in, and say so where there is nothing to find.

use super::*;
use crate::synth::lublin::{LublinArrivals, LublinRuns, LublinSizes};
use queuecast_core::job::{Job, QueueId, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Machine;

fn near(what: &str, found: f64, put_in: f64, by: f64) {
    assert!((found - put_in).abs() <= by, "{what}: {found} instead of {put_in} ± {by}");
}

fn same(found: &LublinClass, put_in: &LublinClass) {
    let LublinSizes { serial, power_of_two, low, medium, lower, .. } = put_in.sizes;
    near("serial", found.sizes.serial, serial, 0.01);
    near("power of two", found.sizes.power_of_two, power_of_two, 0.02);
    near("low", found.sizes.low, low, 0.1);
    near("medium", found.sizes.medium, medium, 0.2);
    near("lower", found.sizes.lower, lower, 0.02);
    let LublinRuns { short, long, slope, intercept, .. } = put_in.runs;
    near("mean of the short", found.runs.short.mean() / short.mean(), 1.0, 0.03);
    near("mean of the long", found.runs.long.mean() / long.mean(), 1.0, 0.01);
    near("slope", found.runs.slope, slope, 0.0005);
    near("intercept", found.runs.intercept, intercept, 0.02);
    let LublinArrivals { gap, rush, day, ahead, .. } = put_in.arrivals;
    near("mean of log gaps", found.arrivals.gap.mean() / (gap.mean() * rush), 1.0, 0.02);
    near("scale of log gaps", found.arrivals.gap.scale / gap.scale, 1.0, 0.1);
    assert_eq!(found.arrivals.ahead, ahead);
    near("mean of the day", found.arrivals.day.mean(), day.mean(), 1.0);
    near("shape of the day", found.arrivals.day.shape / day.shape, 1.0, 0.1);
}

#[test]
fn what_was_put_in_is_found() {
    let put_in = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(50_000, 128) };
    let found = Lublin::like(&put_in.generate(Seed(11)).unwrap()).unwrap();
    assert_eq!((found.jobs, found.procs, found.kinds), (50_000, 128, LublinKinds::Untyped));
    same(&found.untyped, &put_in.untyped);
    // Control: it is not found where something else was put in.
    let other = Lublin { untyped: LublinClass::batch(128), ..put_in };
    let other = Lublin::like(&other.generate(Seed(11)).unwrap()).unwrap();
    assert!(std::panic::catch_unwind(|| same(&other.untyped, &put_in.untyped)).is_err());
}

#[test]
fn batch_and_interactive_jobs_are_told_apart() {
    let put_in = Lublin::new(80_000, 128);
    let found = Lublin::like(&put_in.generate(Seed(12)).unwrap()).unwrap();
    assert_eq!(found.kinds, LublinKinds::Both);
    for (found, put_in) in [(&found.batch, &put_in.batch), (&found.interactive, &put_in.interactive)] {
        near("serial", found.sizes.serial, put_in.sizes.serial, 0.01);
        near("intercept", found.runs.intercept, put_in.runs.intercept, 0.1);
        near("mean of the day", found.arrivals.day.mean(), put_in.arrivals.day.mean(), 1.0);
    }
}

#[test]
fn a_clock_of_another_zone_is_found() {
    let put_in = Lublin { kinds: LublinKinds::Untyped, ..Lublin::new(50_000, 128) };
    let mut workload = put_in.generate(Seed(13)).unwrap();
    workload.epoch = workload.epoch.map(|epoch| epoch + 8 * 3600);
    let found = Lublin::like(&workload).unwrap().untyped.arrivals;
    near("ahead", f64::from(found.ahead), f64::from(2 + 48 - 16), 1.0);
}

/// Jobs a given time apart, all of one size and run time unless changed.
fn regular(jobs: u32, gap: i64, change: impl Fn(u32, &mut Job, &mut i64)) -> Workload {
    let jobs = (0..jobs).map(|number| {
        let mut job = Job::rigid(number.into(), Time(i64::from(number) * gap), Procs(4), None);
        let mut run = 100;
        change(number, &mut job, &mut run);
        (job, Truth::rigid(Seconds(run)))
    });
    let mut workload = Workload::new(Machine { procs: Procs(64) }, jobs.collect()).unwrap();
    workload.epoch = Some(0);
    workload
}

#[test]
fn the_oddest_workloads_are_fitted_or_refused() {
    let usual = |_: u32, _: &mut Job, _: &mut i64| ();
    let odd = [
        regular(1000, 600, usual),
        regular(1000, 600, |_, job, _| job.shape.procs = Procs(1)),
        regular(1000, 600, |_, job, _| job.shape.procs = Procs(64)),
        regular(1000, 600, |_, job, _| job.shape.procs = Procs(3)),
        regular(1000, 600, |number, _, run| *run = i64::from(number % 3 == 0)),
        regular(1000, 600, |number, _, run| *run = if number == 5 { 1_000_000_000 } else { 1 }),
        regular(1000, 600, |number, job, _| job.submit = Time(if number == 0 { 0 } else { 1_000_000 })),
        regular(1000, 86_400, usual),
        regular(1000, 600, |number, job, _| job.queue = QueueId::new(number % 2)),
    ];
    for workload in odd {
        let model = Lublin::like(&workload).unwrap();
        let made = model.generate(Seed(1)).unwrap_or_else(|error| panic!("{model:?}: {error}"));
        assert_eq!(made.len(), 1000);
        let sizes: Vec<u32> = made.jobs().iter().map(|job| job.shape.procs.0).collect();
        // All jobs of each are of one size.
        let size = workload.jobs()[0].shape.procs.0;
        assert!(sizes.iter().all(|&made| made == size), "{size}: {model:?}");
    }
    let refused = |workload: &Workload| match Lublin::like(workload) {
        Err(SynthError::Unsuitable(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(&regular(2, 86_400, usual)).starts_with("only 2 jobs"));
    assert!(refused(&regular(0, 1, usual)).starts_with("only 0 jobs"));
    assert!(refused(&regular(1000, 600, |_, _, run| *run = 0)).starts_with("only 0 jobs ran"));
    assert!(refused(&regular(1000, 0, usual)).contains("less than two days"));
    let mut distant = regular(1000, 600, usual);
    distant.epoch = Some(i64::MAX);
    assert!(Lublin::like(&distant).is_ok());
    let mut timeless = regular(1000, 600, usual);
    timeless.epoch = None;
    assert!(refused(&timeless).contains("UnixStartTime"));
}
