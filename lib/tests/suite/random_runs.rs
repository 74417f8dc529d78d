//! Random workloads, options, policies and predictors, and simulations of them: what tests of the engine and of
//! predictors share.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast_core::job::{Event, Job, JobIndex, Truth, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{
    Constant, DEFAULT_REQUEST, Forecast, PredictorSpec, Question, Revision, Ruh, RuntimePredictor, Statistic,
};
use queuecast_sim::sim::{
    Backfill, Depth, EventOrder, Likely, LimitRule, Observer, Options, Order, Persistence, Schedule, View,
    simulate,
};

pub const MACHINE: u32 = 16;

/// Small numbers, so that ties and same instants abound.
pub fn workloads() -> impl Strategy<Value = Workload> {
    let job = (0..6_i64, 1..=MACHINE, 0..40_i64, prop::option::weighted(0.9, 1..60_i64), 0..4_u32);
    prop::collection::vec(job, 1..80).prop_map(|rows| {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, limit, user))| {
            submit += gap;
            // Mostly narrow jobs, some as wide as the machine.
            let procs = if procs > 10 { procs } else { 1 + procs / 3 };
            let mut job = Job::rigid(id, Time(submit), Procs(procs), limit.map(Seconds));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap()
    })
}

/// The same jobs in quick succession, so that most of them wait at once.
pub fn crowded_workloads() -> impl Strategy<Value = Workload> {
    let job = (0..8_i64, 1..=MACHINE, 1..200_i64, 1..600_i64, 0..4_u32);
    prop::collection::vec(job, 80..200).prop_map(|rows| {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, limit, user))| {
            submit += gap / 4;
            let procs = if procs > 13 { procs } else { 1 + procs / 3 };
            let mut job = Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit)));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap()
    })
}

pub fn options() -> impl Strategy<Value = Options> {
    let orders = prop_oneof![Just(EventOrder::Textbook), Just(EventOrder::Pyss)];
    let limits = prop_oneof![3 => Just(LimitRule::Kill), 1 => Just(LimitRule::Ignore)];
    let corrections = prop::sample::select(vec![
        "requested",
        "increments",
        "increments:free",
        "factor:2",
        "factor:1.1:free",
        "factor:3:until=20",
        "requested/factor:2",
    ]);
    let factors = prop_oneof![4 => Just(1.0), 1 => Just(2.0), 1 => Just(0.5), 1 => Just(0.07)];
    (orders, limits, corrections, factors).prop_map(|(event_order, limit, correction, factor)| Options {
        event_order,
        limit,
        correction: correction.parse().unwrap(),
        factor,
    })
}

pub fn predictors() -> impl Strategy<Value = PredictorSpec> {
    prop_oneof![
        Just(PredictorSpec::Requested),
        Just(PredictorSpec::Perfect),
        Just(PredictorSpec::Constant(Constant(Seconds(7)))),
        Just(PredictorSpec::Recent(Ruh::capped(2, Statistic::Mean))),
        Just(PredictorSpec::Recent(Ruh::capped(3, Statistic::Median))),
    ]
}

/// Who predicts.
#[derive(Debug, Clone)]
pub enum Who {
    Spec(PredictorSpec),
    Fickle(u64),
}

impl Who {
    pub fn build(self, workload: &Workload, options: &Options) -> Box<dyn RuntimePredictor> {
        match self {
            Who::Spec(spec) => spec.build(|| runs(workload, options), DEFAULT_REQUEST),
            Who::Fickle(seed) => Box::new(Fickle { seed, present: Vec::new() }),
        }
    }
}

impl From<PredictorSpec> for Who {
    fn from(spec: PredictorSpec) -> Who {
        Who::Spec(spec)
    }
}

/// Whatever happens, it thinks again about some of those in the system, and keeps to its contract in nothing else.
struct Fickle {
    seed: u64,
    present: Vec<(JobIndex, Option<Time>)>,
}

impl Fickle {
    fn below(&mut self, bound: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % bound
    }
}

impl RuntimePredictor for Fickle {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(Seconds(1 + i64::from(question.job.index.0) * 7 % 50))
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let index = event.job.index;
        match event.what {
            What::Arrived => self.present.push((index, None)),
            What::Started(_) => {
                let started = self.present.iter_mut().find(|(job, _)| *job == index).unwrap();
                started.1 = Some(event.at);
            }
            What::Overran { .. } => {}
            What::Ended(_) | What::Withdrawn => self.present.retain(|(job, _)| *job != index),
        }
        for _ in 0..self.below(4) {
            if !self.present.is_empty() {
                let place = self.below(self.present.len());
                let (job, start) = self.present[place];
                let elapsed = start.map_or(Seconds::ZERO, |start| event.at - start);
                let more = Seconds(1 + self.below(60) as i64);
                revisions.push(Revision { job, forecast: Forecast::exactly(elapsed + more) });
            }
        }
    }
}

/// Predictors that change their mind.
pub fn revisers() -> impl Strategy<Value = Who> {
    let specs = vec![
        "ruh:propagate",
        "ruh:2,mean,need=1,cap,propagate",
        "ruh:2,max,need=1,learn=overran,new=5,propagate",
        "ruh:3,last,need=1,learn=running,propagate",
        "sbh:propagate",
        "sbh:[E,P],think=5,learn=overran,propagate",
        "sbh:[P,*],bfs,depth=2,think=3,mean,learn=running,new=1,propagate",
    ];
    prop_oneof![
        prop::sample::select(specs).prop_map(|spec| Who::Spec(spec.parse().unwrap())),
        any::<u64>().prop_map(Who::Fickle),
    ]
}

pub fn any_predictor() -> impl Strategy<Value = Who> {
    prop_oneof![predictors().prop_map(Who::Spec), revisers()]
}

pub fn backfill_orders() -> impl Strategy<Value = Option<Order>> {
    prop_oneof![
        Just(None),
        Just(Some(Order::Arrival)),
        Just(Some(Order::Shortest)),
        Just(Some(Order::Smallest)),
        Just(Some(Order::Largest)),
        Just(Some(Order::Area)),
    ]
}

pub fn policies() -> impl Strategy<Value = Backfill> {
    let depths = prop_oneof![Just(Depth::First(1)), Just(Depth::First(3)), Just(Depth::All)];
    let formulas =
        prop_oneof![3 => Just(None), 1 => Just(Some("wait / requested")), 1 => Just(Some("-procs"))];
    prop_oneof![
        1 => Just(Backfill::conservative(Persistence::Keep)),
        1 => (1..100_i64, 1..100_i64).prop_map(|(ageing, patience)| Backfill::likely(Likely {
            confidence: 0.5,
            ageing: Seconds(ageing),
            patience: Seconds(patience),
        })),
        5 => (depths, backfill_orders(), formulas).prop_map(|(reservations, order, formula)| Backfill {
            reservations,
            order,
            form: Persistence::Replan,
            priority: formula.map(|formula| formula.parse().unwrap()),
            likely: None,
        }),
    ]
}

pub fn runs(workload: &Workload, options: &Options) -> Vec<Seconds> {
    workload.jobs().iter().zip(workload.truths()).map(|(job, truth)| options.limit.ran(job, truth)).collect()
}

pub fn run(
    workload: &Workload,
    policy: &Backfill,
    predictor: impl Into<Who>,
    options: Options,
    plain: bool,
) -> Schedule {
    let mut predictor = predictor.into().build(workload, &options);
    let mut policy = if plain { policy.build_plain() } else { policy.build() };
    simulate(workload, options, policy.as_mut(), predictor.as_mut(), &mut []).expect("a sound predictor")
}

/// No running job's predicted end is in the past, and free and busy processors add up to the machine.
pub struct Sound {
    pub order: EventOrder,
    pub wrong: Option<String>,
}

impl Observer for Sound {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        // Ends come before overruns in the textbook: until those are done, a plan may end at this very instant.
        let due =
            self.order == EventOrder::Textbook && matches!(event.what, What::Ended(_) | What::Overran { .. });
        let mut busy = 0;
        for running in view.running() {
            busy += running.job.shape.procs.0;
            let elapsed = view.now() - running.start;
            let plan_is_ahead = running.planned_end > view.now() || due && running.planned_end == view.now();
            // Ends come last in pyss: a job that ends as predicted, its plan doubled, is still there.
            let ends = due || self.order == EventOrder::Pyss;
            let longer = running.predicted > elapsed || ends && running.predicted == elapsed;
            if !(plan_is_ahead && longer) {
                self.wrong.get_or_insert(format!("{running:?} after {event:?}"));
            }
        }
        if busy + view.free().0 != view.machine().0 {
            self.wrong.get_or_insert(format!("{busy} busy and {} free after {event:?}", view.free()));
        }
    }
}

/// How many of some random cases satisfy a condition.
pub fn count_cases(condition: impl Fn(&Workload, &Options, u64) -> bool) -> usize {
    let mut runner = TestRunner::deterministic();
    let strategy = (workloads(), options(), any::<u64>());
    let drawn = (0..200).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    drawn.filter(|(workload, options, seed)| condition(workload, options, *seed)).count()
}
