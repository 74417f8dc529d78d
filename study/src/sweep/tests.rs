//! Sweeps: what is done once, what own policies and predictors come to, and that threads change nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::{CustomPolicy, CustomPredictor};
use queuecast_core::job::{Event, Job, Truth};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Machine;
use queuecast_sim::predict::{Correction, Forecast, PredictorSpec, Question, Revision, RuntimePredictor};
use queuecast_sim::sim::{Backfill, Policy, Reason, Start, View};
use queuecast_synth::synth::Shaken;

fn workload() -> Workload {
    let job = |number: i64| {
        let run = 40 + 61 * number % 97;
        let job = Job::rigid(
            number as u64,
            Time(9 * number),
            Procs(1 + (number % 4) as u32),
            Some(Seconds(150 + run % 3)),
        );
        (job, Truth::rigid(Seconds(run)))
    };
    Workload::new(Machine { procs: Procs(4) }, (0..60).map(job).collect()).unwrap()
}

fn experiment(policy: Backfill) -> Experiment {
    Experiment::new(policy, PredictorSpec::Requested)
}

/// EASY's first phase alone: starts jobs in arrival order while they fit.
struct InOrder;

impl Policy for InOrder {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let mut free = view.free();
        for waiting in view.waiting() {
            if waiting.job.shape.procs > free {
                break;
            }
            free = Procs(free.0 - waiting.job.shape.procs.0);
            starts.push(Start::preferred(waiting.index, Reason::Immediate));
        }
    }
}

/// The requested time, from a type of its own.
struct AsRequested;

impl RuntimePredictor for AsRequested {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(question.job.shape.limit.unwrap_or(Seconds(1)))
    }

    fn observe(&mut self, _: &Event<'_>, _: &mut Vec<Revision>) {}
}

#[test]
fn an_equal_simulation_is_done_once() {
    let mut sweep = Sweep::new();
    let first = sweep.want(0, Variant::default(), experiment(Backfill::easy()));
    let other = sweep.want(1, Variant::default(), experiment(Backfill::easy()));
    assert_eq!(sweep.want(0, Variant::default(), experiment(Backfill::easy())), first);
    assert_ne!(first, other);
    assert_eq!(sweep.simulations().len(), 2);
    let custom = |name: &str| Experiment::of(CustomPolicy::new(name, || InOrder), PredictorSpec::Requested);
    let one = sweep.want(0, Variant::default(), custom("in order"));
    assert_eq!(sweep.want(0, Variant::default(), custom("in order")), one);
    assert_ne!(sweep.want(0, Variant::default(), custom("another name")), one);
    let log = workload();
    let results = sweep.run(&[&log, &log], Watch::default()).unwrap();
    assert_eq!((results.results().len(), results.asked().count()), (4, 6));
    assert_eq!(results[first].summary, results[other].summary);
}

#[test]
fn custom_policies_and_predictors_enter_as_built_in_ones_do() {
    let log = workload();
    let policy = CustomPolicy::new("in order", || InOrder);
    let predictor = CustomPredictor::new("as requested", || AsRequested);
    let experiments = [
        experiment(Backfill::fcfs()),
        Experiment::of(policy.clone(), predictor.clone()),
        experiment(Backfill::sjbf()),
        Experiment::of(Backfill::sjbf(), predictor),
        // Control: without backfilling it is another schedule.
        Experiment::of(policy, PredictorSpec::Perfect),
    ];
    let results = Sweep::grid(1, &experiments).with_fairness().run(&[&log], Watch::default()).unwrap();
    let [fcfs, in_order, sjbf, same, perfect] = results.results() else { panic!("five results") };
    assert_eq!(fcfs.summary.mean_wait, in_order.summary.mean_wait);
    assert_eq!(in_order.fairness.as_ref().map(|fairness| fairness.delayed), Some(0));
    assert_eq!((&sjbf.summary, &sjbf.fairness), (&same.summary, &same.fairness));
    assert_ne!(sjbf.summary.mean_wait, perfect.summary.mean_wait);
    let json = serde_json::to_value(&results).unwrap();
    assert_eq!(json[1]["experiment"]["policy"], "in order");
    assert_eq!(json[1]["experiment"]["predictor"], "as requested");
    assert_eq!(json[1]["mean_wait"], json[0]["mean_wait"]);
    assert!(json[1]["fairness"].is_object() && json[1].get("variant").is_none());
}

#[test]
fn steps_add_up_and_corrections_that_do_not_matter_are_not_simulated() {
    let log = workload();
    let made = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&made);
    let policy = CustomPolicy::new("counted", move || {
        counted.fetch_add(1, Ordering::Relaxed);
        InOrder
    });
    let with = |predictor: PredictorSpec, correction: &str| {
        let mut one = Experiment::of(policy.clone(), predictor);
        one.options.correction = correction.parse::<Correction>().unwrap();
        one
    };
    let short: PredictorSpec = "constant:1".parse().unwrap();
    let experiments = [
        with(PredictorSpec::Requested, "increments"),
        with(PredictorSpec::Requested, "requested"),
        with(short.clone(), "increments"),
        with(short, "requested"),
    ];
    let sweep = Sweep::grid(1, &experiments).with_fairness();
    let steps = AtomicUsize::new(0);
    let done = |more: usize| {
        steps.fetch_add(more, Ordering::Relaxed);
    };
    let results = sweep.run(&[&log], Watch { done: &done, clock: Some(&|| 1.0) }).unwrap();
    assert_eq!((steps.into_inner(), sweep.steps()), (5, 5));
    assert_eq!(made.load(Ordering::Relaxed), 3);
    let outlived: Vec<bool> = results.results().iter().map(|result| result.outlived).collect();
    assert_eq!(outlived, [false, false, true, true]);
    for (result, experiment) in results.results().iter().zip(&experiments) {
        assert_eq!((&result.simulation.experiment, result.simulate_seconds), (experiment, Some(0.0)));
    }
}

#[test]
fn variants_and_windows_are_those_of_the_simulation() {
    let log = workload();
    let shaken = Variant { shaken: Some(Shaken { by: Seconds(50), seed: 1 }), ..Variant::default() };
    let mut sweep = Sweep::new().over(Window::Share { warm_up: 0.5, cool_down: 0.0 });
    let plain = sweep.want(0, Variant::default(), experiment(Backfill::easy()));
    let moved = sweep.want(0, shaken, experiment(Backfill::easy()));
    let results = sweep.run(&[&log], Watch::default()).unwrap();
    assert_eq!(results[plain].summary.jobs, 30);
    assert_ne!(results[plain].summary.mean_wait, results[moved].summary.mean_wait);
    let changed = shaken.of(&log).unwrap();
    let alone =
        Sweep::grid(1, &[experiment(Backfill::easy())]).over(Window::Share { warm_up: 0.5, cool_down: 0.0 });
    let alone = alone.run(&[&changed], Watch::default()).unwrap();
    assert_eq!(alone.results()[0].summary, results[moved].summary);
    let missing = sweep.run(&[], Watch::default()).unwrap_err();
    assert_eq!(missing.to_string(), "the sweep has a simulation of workload 0, but there are 0 workloads");
}

#[cfg(feature = "parallel")]
#[test]
fn threads_change_nothing() {
    let log = workload();
    let experiments =
        ["fcfs", "easy", "sjbf", "conservative"].map(|policy| experiment(policy.parse().unwrap()));
    let sweep = Sweep::grid(1, &experiments).with_fairness();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let results = pool.install(|| sweep.run(&[&log], Watch::default())).unwrap();
        serde_json::to_string(&results).unwrap()
    };
    assert_eq!(on(1), on(4));
}
