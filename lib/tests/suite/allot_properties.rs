//! Strategies for moldable jobs on random workloads: what is recorded is what would have been.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast_core::workload::Workload;
use queuecast_forecast::allot::{self, Allotter, StrategyRecorder};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{Options, Policy, Schedule, simulate};

use crate::support;
use crate::support::jobs::{moldable, workload};

const PROCS: u32 = 16;

const STRATEGIES: [&str; 9] = [
    "opt",
    "opt+lock-in",
    "pred+outlook=between:1,5000",
    "pred+outlook=between:1,5000+by=exact+departures",
    "pred",
    "bias+averse=0.2+stretch=2",
    "heur",
    "avg+least=0.4",
    "opt+social",
];

/// Jobs as (gap to the one before, work, most processors, how much of its work is serial in percent).
fn workloads() -> impl Strategy<Value = Workload> {
    let row = (0i64..400, 1i64..20_000, 1u32..=PROCS, 0i64..60);
    prop::collection::vec(row, 1..60).prop_map(|jobs| {
        let mut at = 0;
        let jobs = jobs.into_iter().map(|(gap, work, most, serial)| {
            at += gap;
            let run =
                |procs: u32| (work * serial / 100 + work * (100 - serial) / 100 / i64::from(procs)).max(1);
            let sizes = std::iter::once(most).chain(1..most);
            let shapes: Vec<_> = sizes.map(|procs| (procs, Some(run(procs)), run(procs))).collect();
            moldable(&shapes).at(at)
        });
        workload(PROCS, jobs)
    })
}

fn simulated(workload: &Workload, policy: &mut dyn Policy) -> Schedule {
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    simulate(workload, Options::default(), policy, &mut *predictor, &mut []).unwrap()
}

fn strategies() -> Vec<allot::Strategy> {
    STRATEGIES.iter().map(|text| text.parse().unwrap()).collect()
}

proptest! {
    #![proptest_config(support::cases(128))]

    /// Until the first job that does not get all it wants, every strategy does the same. What the recorder says of that job
    /// is then what becomes of it where the strategy is carried out.
    #[test]
    fn the_first_course_is_what_happens(workload in workloads()) {
        let mut recorder = StrategyRecorder::new(&workload, &strategies());
        let recorded = simulated(&workload, &mut recorder);
        prop_assert_eq!(&recorded.placements, &simulated(&workload, &mut Allotter::new("avg".parse().unwrap())).placements);
        prop_assert_eq!(recorder.decisions().len(), workload.len());
        let Some(first) = recorder.decisions().iter().find(|decision| !decision.is_spoiled()) else {
            return Ok(());
        };
        let place = first.job.0 as usize;
        for (number, strategy) in strategies().into_iter().enumerate() {
            let course = recorder.courses(number)[0];
            let enacted = simulated(&workload, &mut Allotter::new(strategy)).placements[place];
            let saved = (recorded.placements[place].end() - enacted.end()).0 as f64;
            prop_assert_eq!(course.saved, saved, "{}", strategy);
            prop_assert_eq!(course.procs, enacted.procs(&workload.jobs()[place]));
            prop_assert_eq!(course.rebels, enacted.start > recorded.placements[place].start);
        }
    }

    /// No strategy saves more than OPT, which knows the future, and OPT never loses.
    #[test]
    fn nothing_is_better_for_one_job_than_to_know(workload in workloads()) {
        let mut recorder = StrategyRecorder::new(&workload, &strategies());
        simulated(&workload, &mut recorder);
        for (number, strategy) in STRATEGIES.iter().enumerate() {
            prop_assert_eq!(recorder.courses(number).len(), recorder.courses(0).len());
            for (best, course) in recorder.courses(0).iter().zip(recorder.courses(number)) {
                prop_assert!(best.saved >= course.saved && best.saved >= 0.0, "{}", strategy);
                prop_assert!(!best.rebels || best.saved > 0.0);
            }
        }
    }
}

/// Control: the strategies do differ on such workloads, and some lose.
#[test]
fn strategies_differ() {
    let mut runner = TestRunner::deterministic();
    let (mut saved, mut losers) = ([0.0; STRATEGIES.len()], 0);
    for _ in 0..50 {
        let workload = workloads().new_tree(&mut runner).unwrap().current();
        let mut recorder = StrategyRecorder::new(&workload, &strategies());
        simulated(&workload, &mut recorder);
        for (number, total) in saved.iter_mut().enumerate() {
            *total += recorder.courses(number).iter().map(|course| course.saved).sum::<f64>();
            losers += recorder.courses(number).iter().filter(|course| course.saved < 0.0).count();
        }
    }
    assert!(losers > 50, "{losers}");
    assert!(saved[0] > saved[2] && saved[2] != saved[3] && saved[6] != saved[7], "{saved:?}");
}
