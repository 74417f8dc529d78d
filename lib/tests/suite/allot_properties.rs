//! Strategies for moldable jobs on random workloads: what is recorded is what would have been.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast::allot::{self, Allotter, StrategyRecorder};
use queuecast::job::{Job, Runs, Shape, Truth};
use queuecast::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast::sim::{Options, Policy, Schedule, simulate};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};

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
    let job = (0i64..400, 1i64..20_000, 1u32..=PROCS, 0i64..60);
    prop::collection::vec(job, 1..60).prop_map(|jobs| {
        let mut at = 0;
        let jobs = (1..).zip(jobs).map(|(id, (gap, work, most, serial))| {
            at += gap;
            let run = |procs: u32| {
                Seconds((work * serial / 100 + work * (100 - serial) / 100 / i64::from(procs)).max(1))
            };
            let shape = |procs: u32| Shape { procs: Procs(procs), limit: Some(run(procs)) };
            let mut job = Job::rigid(id, Time(at), Procs(most), None);
            job.shape = shape(most);
            job.other_shapes = Some((1..most).map(shape).collect());
            let runs = job.shapes().map(|shape| run(shape.procs.0)).collect();
            (job, Truth { runs: Runs::Moldable(runs), ..Truth::rigid(Seconds::ZERO) })
        });
        Workload::new(Machine { procs: Procs(PROCS) }, jobs.collect()).unwrap()
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
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Until the first job that does not get all it wants, every strategy does the same. What a witness says of that job
    /// is then what becomes of it where the strategy is carried out.
    #[test]
    fn the_first_course_is_what_happens(workload in workloads()) {
        let mut witness = StrategyRecorder::new(&workload, &strategies());
        let recorded = simulated(&workload, &mut witness);
        prop_assert_eq!(&recorded.placements, &simulated(&workload, &mut Allotter::new("avg".parse().unwrap())).placements);
        prop_assert_eq!(witness.decisions().len(), workload.len());
        let Some(first) = witness.decisions().iter().find(|decision| !decision.is_spoiled()) else {
            return Ok(());
        };
        let place = first.job.0 as usize;
        for (number, strategy) in strategies().into_iter().enumerate() {
            let course = witness.courses(number)[0];
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
        let mut witness = StrategyRecorder::new(&workload, &strategies());
        simulated(&workload, &mut witness);
        for (number, strategy) in STRATEGIES.iter().enumerate() {
            prop_assert_eq!(witness.courses(number).len(), witness.courses(0).len());
            for (best, course) in witness.courses(0).iter().zip(witness.courses(number)) {
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
        let mut witness = StrategyRecorder::new(&workload, &strategies());
        simulated(&workload, &mut witness);
        for (number, total) in saved.iter_mut().enumerate() {
            *total += witness.courses(number).iter().map(|course| course.saved).sum::<f64>();
            losers += witness.courses(number).iter().filter(|course| course.saved < 0.0).count();
        }
    }
    assert!(losers > 50, "{losers}");
    assert!(saved[0] > saved[2] && saved[2] != saved[3] && saved[6] != saved[7], "{saved:?}");
}
