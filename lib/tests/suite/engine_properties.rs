//! What must hold for every workload, on random ones: the indexed planner equals the plain loop, capacity is
//! never exceeded, first come is first served, promises are kept.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast::job::{Event, Job, JobId, JobIndex, Truth, UserId, What};
use queuecast::predict::{
    Constant, DEFAULT_REQUEST, Forecast, Learn, PredictorSpec, Question, RecentUserHistory, Requested,
    Revision, Ruh, RuntimePredictor, Sbh, SessionHistory, Statistic,
};
use queuecast::sim::{
    Backfill, Change, Depth, EventOrder, Fork, Likely, LimitRule, Observer, Options, Order, Persistence,
    Placement, Policy, Reason, Schedule, SimError, Standing, Start, View, WaitingJob, simulate,
};
use queuecast::study::Experiment;
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};

use crate::support;

const MACHINE: u32 = 16;

/// Small numbers, so that ties and same instants abound.
fn workloads() -> impl Strategy<Value = Workload> {
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
fn crowded_workloads() -> impl Strategy<Value = Workload> {
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

fn options() -> impl Strategy<Value = Options> {
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

fn predictors() -> impl Strategy<Value = PredictorSpec> {
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
enum Who {
    Spec(PredictorSpec),
    Fickle(u64),
}

impl Who {
    fn build(self, workload: &Workload, options: &Options) -> Box<dyn RuntimePredictor> {
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
fn revisers() -> impl Strategy<Value = Who> {
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

fn any_predictor() -> impl Strategy<Value = Who> {
    prop_oneof![predictors().prop_map(Who::Spec), revisers()]
}

fn backfill_orders() -> impl Strategy<Value = Option<Order>> {
    prop_oneof![
        Just(None),
        Just(Some(Order::Arrival)),
        Just(Some(Order::Shortest)),
        Just(Some(Order::Smallest)),
        Just(Some(Order::Largest)),
        Just(Some(Order::Area)),
    ]
}

fn policies() -> impl Strategy<Value = Backfill> {
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

fn runs(workload: &Workload, options: &Options) -> Vec<Seconds> {
    workload.jobs().iter().zip(workload.truths()).map(|(job, truth)| options.limit.ran(job, truth)).collect()
}

fn run(
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

/// Every job placed once, not before it came, never more processors than there are. `Err` says what is wrong.
fn check_feasible(workload: &Workload, schedule: &Schedule) -> Result<(), String> {
    if schedule.placements.len() != workload.len() {
        return Err(format!("{} of {} jobs placed", schedule.placements.len(), workload.len()));
    }
    let mut changes = Vec::new();
    for (job, placement) in workload.jobs().iter().zip(&schedule.placements) {
        if placement.start < job.submit {
            return Err(format!("job {} started before it came", job.id.0));
        }
        let procs = i64::from(job.shape.procs.0);
        if placement.ran > Seconds::ZERO {
            changes.push((placement.start, 1, procs));
            changes.push((placement.end(), 0, -procs));
        }
    }
    changes.sort_unstable();
    let mut busy = 0;
    for (at, _, procs) in changes {
        busy += procs;
        if busy > i64::from(workload.machine().procs.0) {
            return Err(format!("{busy} processors busy at {at}"));
        }
    }
    Ok(())
}

/// Remembers the head's first reservation as seen from outside: when enough processors will be free.
struct Promises {
    first: Vec<Option<Time>>,
}

impl Observer for Promises {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        // Right after an end or an arrival the plan is still to come; right after a start it is half done. The
        // promise to the head is what running jobs leave it once nothing more starts: an upper bound is the
        // instant at which enough of those running now have ended.
        if !matches!(event.what, What::Started(_)) {
            return;
        }
        let Some(head) = view.waiting().next() else { return };
        if head.job.shape.procs <= view.free() {
            return;
        }
        let mut free = view.free().0;
        for running in view.running() {
            free += running.job.shape.procs.0;
            if free >= head.job.shape.procs.0 {
                let promise = &mut self.first[head.job.index.at()];
                *promise = promise.or(Some(running.planned_end));
                return;
            }
        }
    }
}

/// No running job's predicted end is in the past, and free and busy processors add up to the machine.
struct Sound {
    order: EventOrder,
    wrong: Option<String>,
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

/// Predicts every start at arrival by running a fork forward with exact run times.
struct ByFork<'a> {
    policy: &'a Backfill,
    options: Options,
    runs: &'a [Seconds],
    predicted: Vec<Option<Time>>,
}

impl Observer for ByFork<'_> {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        if event.what == What::Arrived {
            let fork = Fork::of(view, self.options, |unknown| self.runs[unknown.job.index.at()]);
            let mut predictor = Requested { default: DEFAULT_REQUEST };
            let start =
                fork.start_of(event.job.index, self.policy.build().as_mut(), &mut predictor).expect("sound");
            self.predicted[event.job.index.at()] = start;
        }
    }
}

/// Learns from all it sees, and at each arrival asks a fork with a copy of what it has learned.
struct Learned<'a, P> {
    by_fork: ByFork<'a>,
    predictor: P,
    /// From this job on it predicts all waiting jobs, not only the one that arrives.
    last: JobIndex,
    waiting: Vec<(JobIndex, Option<Time>)>,
}

impl<P: RuntimePredictor + Clone> Observer for Learned<'_, P> {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        self.predictor.observe(event, &mut Vec::new());
        if event.what != What::Arrived {
            return;
        }
        let ByFork { policy, options, runs, predicted } = &mut self.by_fork;
        let fork = Fork::of(view, *options, |unknown| runs[unknown.job.index.at()]);
        let start_of =
            |job| fork.start_of(job, policy.build().as_mut(), &mut self.predictor.clone()).unwrap();
        predicted[event.job.index.at()] = start_of(event.job.index);
        if event.job.index == self.last {
            self.waiting.extend(view.waiting().map(|job| (job.job.index, start_of(job.job.index))));
        }
    }
}

/// The schedule, and starts predicted by forks: at each arrival that of the arriving job, at the last those of all
/// waiting jobs.
struct Foreseen {
    schedule: Schedule,
    arrivals: Vec<Option<Time>>,
    waiting: Vec<(JobIndex, Option<Time>)>,
}

fn foreseen<P: RuntimePredictor + Clone>(
    workload: &Workload,
    policy: &Backfill,
    options: Options,
    predictor: P,
) -> Foreseen {
    let runs = runs(workload, &options);
    let by_fork = ByFork { policy, options, runs: &runs, predicted: vec![None; workload.len()] };
    let last = JobIndex(workload.len() as u32 - 1);
    let mut learned = Learned { by_fork, predictor: predictor.clone(), last, waiting: Vec::new() };
    let mut predictor = predictor;
    let mut observers: [&mut dyn Observer; 1] = [&mut learned];
    let schedule =
        simulate(workload, options, policy.build().as_mut(), &mut predictor, &mut observers).unwrap();
    Foreseen { schedule, arrivals: learned.by_fork.predicted, waiting: learned.waiting }
}

fn learn() -> impl Strategy<Value = Learn> {
    prop::sample::select(vec![Learn::Ended, Learn::Overran, Learn::Running])
}

/// At the last arrival, predicts the starts of all waiting jobs.
struct AtLast<'a> {
    last: JobIndex,
    by_fork: ByFork<'a>,
}

impl Observer for AtLast<'_> {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        if event.what != What::Arrived || event.job.index != self.last {
            return;
        }
        let fork = Fork::of(view, self.by_fork.options, |unknown| self.by_fork.runs[unknown.job.index.at()]);
        for waiting in view.waiting() {
            let mut predictor = Requested { default: DEFAULT_REQUEST };
            let mut policy = self.by_fork.policy.build();
            let start = fork.start_of(waiting.job.index, policy.as_mut(), &mut predictor).expect("sound");
            self.by_fork.predicted[waiting.job.index.at()] = start;
        }
    }
}

proptest! {
    #![proptest_config(support::cases(2000))]

    #[test]
    fn the_indexed_planner_plans_exactly_as_the_plain_loop(
        workload in workloads(), order in backfill_orders(), predictor in any_predictor(), options in options(),
    ) {
        let policy = Backfill { order, ..Backfill::fcfs() };
        let fast = run(&workload, &policy, predictor.clone(), options, false);
        let slow = run(&workload, &policy, predictor, options, true);
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn conservative_backfilling_equals_visiting_every_reservation(
        workload in prop_oneof![workloads(), crowded_workloads()], predictor in any_predictor(), options in options(),
    ) {
        // With more than 64 waiting jobs an index takes over, with fewer than 32 the plain loop again.
        let policy = Backfill::conservative(Persistence::Keep);
        let fast = run(&workload, &policy, predictor.clone(), options, false);
        let slow = run(&workload, &policy, predictor, options, true);
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn every_schedule_is_feasible_and_repeats_itself(
        workload in workloads(), policy in policies(), predictor in any_predictor(), options in options(),
    ) {
        let schedule = run(&workload, &policy, predictor.clone(), options, false);
        prop_assert_eq!(check_feasible(&workload, &schedule), Ok(()));
        prop_assert_eq!(&schedule, &run(&workload, &policy, predictor, options, false));
        for (placement, (job, truth)) in
            schedule.placements.iter().zip(workload.jobs().iter().zip(workload.truths()))
        {
            prop_assert_eq!(placement.ran, options.limit.ran(job, truth));
            prop_assert_eq!(placement.killed, placement.ran < truth.run());
        }
    }

    #[test]
    fn what_is_predicted_of_running_jobs_is_always_ahead_of_them(
        workload in workloads(), policy in policies(), predictor in any_predictor(), options in options(),
    ) {
        let mut sound = Sound { order: options.event_order, wrong: None };
        let mut predictor = predictor.build(&workload, &options);
        let schedule =
            simulate(&workload, options, policy.build().as_mut(), predictor.as_mut(), &mut [&mut sound]).unwrap();
        prop_assert_eq!(sound.wrong, None);
        for placed in &schedule.placements {
            let Standing { inaccuracy, accuracy } = placed.standing;
            prop_assert!(inaccuracy >= 0.0 && (0.0..=1.0 + 1e-9).contains(&accuracy), "{:?}", placed);
        }
    }

    #[test]
    fn first_come_is_first_served(workload in workloads(), predictor in any_predictor(), options in options()) {
        let schedule = run(&workload, &Backfill::fcfs(), predictor, options, false);
        prop_assert!(schedule.placements.is_sorted_by_key(|placement| placement.start));
        prop_assert!(schedule.placements.iter().all(|placement| !matches!(placement.reason, Reason::Backfilled(_))));
    }

    #[test]
    fn with_exact_run_times_the_first_promise_to_the_head_is_kept(
        workload in workloads(), order in backfill_orders(),
    ) {
        let options = Options::default();
        let policy = Backfill { order, ..Backfill::fcfs() };
        let mut predictor = PredictorSpec::Perfect.build(|| runs(&workload, &options), DEFAULT_REQUEST);
        let mut promises = Promises { first: vec![None; workload.len()] };
        let schedule =
            simulate(&workload, options, policy.build().as_mut(), predictor.as_mut(), &mut [&mut promises]).expect("a sound predictor");
        for (placement, promise) in schedule.placements.iter().zip(&promises.first) {
            prop_assert!(promise.is_none_or(|promise| placement.start <= promise));
        }
    }

    #[test]
    fn without_early_ends_kept_reservations_equal_planning_anew(workload in workloads(), options in options()) {
        // Exact run times of at least a second: what was promised at arrival never improves nor breaks.
        let whole = workload.jobs().iter().cloned().zip(workload.truths().iter().cloned());
        let whole = whole.map(|(job, truth)| (job, Truth::rigid(truth.run().max(Seconds(1))))).collect();
        let workload = Workload::new(workload.machine(), whole).unwrap();
        let options = Options { factor: 1.0, ..options };
        let keep = run(&workload, &Backfill::conservative(Persistence::Keep), PredictorSpec::Perfect, options, false);
        let replan = run(&workload, &Backfill::conservative(Persistence::Replan), PredictorSpec::Perfect, options, false);
        prop_assert_eq!(keep.placements, replan.placements);
    }

    #[test]
    fn a_fork_goes_on_exactly_as_the_simulation_when_no_other_job_arrives(
        workload in workloads(), order in backfill_orders(), predictor in predictors(), options in options(),
    ) {
        // Corrections included: a fork knows what was predicted first, and how far it was outlived.
        let policy = Backfill { order, ..Backfill::fcfs() };
        let runs = runs(&workload, &options);
        let predicted = vec![None; workload.len()];
        let by_fork = ByFork { policy: &policy, options, runs: &runs, predicted };
        let mut at_last = AtLast { last: JobIndex(workload.len() as u32 - 1), by_fork };
        let mut predictor = predictor.build(|| runs.clone(), DEFAULT_REQUEST);
        let schedule =
            simulate(&workload, options, policy.build().as_mut(), predictor.as_mut(), &mut [&mut at_last]).expect("a sound predictor");
        for (placement, predicted) in schedule.placements.iter().zip(at_last.by_fork.predicted) {
            prop_assert!(predicted.is_none_or(|predicted| predicted == placement.start));
        }
    }

    #[test]
    fn a_wait_predicted_by_simulation_is_exact_under_fcfs_with_exact_run_times(
        workload in workloads(), options in options(),
    ) {
        let policy = Backfill::fcfs();
        let runs = runs(&workload, &options);
        let mut by_fork = ByFork { policy: &policy, options, runs: &runs, predicted: vec![None; workload.len()] };
        let mut predictor = PredictorSpec::Perfect.build(|| runs.clone(), DEFAULT_REQUEST);
        let schedule =
            simulate(&workload, options, policy.build().as_mut(), predictor.as_mut(), &mut [&mut by_fork]).expect("a sound predictor");
        for (placement, predicted) in schedule.placements.iter().zip(by_fork.predicted) {
            prop_assert_eq!(Some(placement.start), predicted);
        }
    }
}

proptest! {
    #![proptest_config(support::cases(400))]

    #[test]
    fn a_fork_may_have_a_predictor_that_revises_and_fcfs_stays_exact(
        workload in workloads(), options in options(), learn in learn(), sbh in any::<bool>(), fresh in any::<bool>(),
    ) {
        // Whether it has learned from earlier jobs or knows no user.
        let requested = Requested { default: DEFAULT_REQUEST };
        let session = SessionHistory::new(Sbh { learn, propagate: true, think: Seconds(5), ..Sbh::default() }, requested);
        let recent = RecentUserHistory::new(Ruh { learn, propagate: true, ..Ruh::default() }, requested);
        let policy = Backfill::fcfs();
        let Foreseen { schedule, arrivals, .. } = match (sbh, fresh) {
            (true, false) => foreseen(&workload, &policy, options, session),
            (false, false) => foreseen(&workload, &policy, options, recent),
            (true, true) => foreseen(&workload, &policy, options, Fresh::new(session)),
            (false, true) => foreseen(&workload, &policy, options, Fresh::new(recent)),
        };
        for (placement, predicted) in schedule.placements.iter().zip(arrivals) {
            prop_assert_eq!(Some(placement.start), predicted);
        }
    }

    #[test]
    fn a_fork_with_what_was_learned_goes_on_exactly_as_the_simulation(
        workload in workloads(), order in backfill_orders(), options in options(), sbh in any::<bool>(),
    ) {
        let options = Options { event_order: EventOrder::Textbook, ..options };
        let policy = Backfill { order, ..Backfill::fcfs() };
        let requested = Requested { default: DEFAULT_REQUEST };
        let Foreseen { schedule, waiting, .. } = if sbh {
            let settings = Sbh { propagate: true, think: Seconds(5), ..Sbh::default() };
            foreseen(&workload, &policy, options, SessionHistory::new(settings, requested))
        } else {
            let settings = Ruh { propagate: true, ..Ruh::default() };
            foreseen(&workload, &policy, options, RecentUserHistory::new(settings, requested))
        };
        for (job, predicted) in waiting {
            prop_assert_eq!(Some(schedule.placements[job.at()].start), predicted);
        }
    }

    #[test]
    fn no_predictor_of_an_experiment_breaks_its_contract(
        workload in workloads(), policy in policies(), predictor in revisers(), options in options(),
    ) {
        if let Who::Spec(predictor) = predictor {
            let experiment = Experiment { options, ..Experiment::new(policy, predictor) };
            prop_assert!(experiment.run(&workload).is_ok());
        }
    }
}

/// A predictor whose copies have learned nothing.
struct Fresh<P> {
    learning: P,
    untaught: P,
}

impl<P: Clone> Fresh<P> {
    fn new(untaught: P) -> Fresh<P> {
        Fresh { learning: untaught.clone(), untaught }
    }
}

impl<P: Clone> Clone for Fresh<P> {
    fn clone(&self) -> Fresh<P> {
        Fresh::new(self.untaught.clone())
    }
}

impl<P: RuntimePredictor> RuntimePredictor for Fresh<P> {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        self.learning.estimate(question)
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        self.learning.observe(event, revisions);
    }
}

proptest! {
    // Queues of hundreds, many blocks of the index: fewer cases, each of them long.
    #![proptest_config(support::cases(60))]

    #[test]
    fn the_indexed_planner_plans_exactly_as_the_plain_loop_with_long_queues(
        rows in prop::collection::vec((0..8_i64, 1..=MACHINE, 1..5000_i64, 1..20_i64, 0..4_u32), 300..700),
        order in backfill_orders(), conservative in prop::bool::weighted(0.25), predictor in any_predictor(), options in options(),
    ) {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, slack, user))| {
            submit += gap / 7;
            let mut job = Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(run * slack / 2 + 1)));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(run)))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let policy =
            if conservative { Backfill::conservative(Persistence::Keep) } else { Backfill { order, ..Backfill::fcfs() } };
        let fast = run(&workload, &policy, predictor.clone(), options, false);
        prop_assert!(fast.longest_queue > 200);
        prop_assert_eq!(fast, run(&workload, &policy, predictor, options, true));
    }
}

/// Kept reservations, second by second: every promise is a row of seconds on a calendar.
#[derive(Default)]
struct SlowKept {
    /// In arrival order between plans.
    promises: Vec<(JobIndex, i64)>,
    /// Whether a plan has changed, so that promises may no longer hold.
    changed: bool,
    /// Whether a job ended or a plan became shorter, so that promises may improve.
    eased: bool,
}

impl SlowKept {
    /// The first second from now on at which a job fits beside running jobs and the promises to others.
    fn earliest(&self, view: &View<'_>, wanted: &WaitingJob<'_>) -> i64 {
        let now = view.now().0;
        (now..).find(|&at| self.fits(view, wanted, at)).expect("an empty machine at the latest")
    }

    fn fits(&self, view: &View<'_>, wanted: &WaitingJob<'_>, from: i64) -> bool {
        let until = from + wanted.planned.0;
        let mut free = vec![i64::from(view.machine().0); wanted.planned.0 as usize];
        let mut take = |start: i64, end: i64, procs: Procs| {
            let seconds = start.max(from)..end.min(until);
            seconds.for_each(|second| free[(second - from) as usize] -= i64::from(procs.0));
        };
        view.running().for_each(|job| take(view.now().0, job.planned_end.0, job.job.shape.procs));
        for other in view.waiting().filter(|other| other.index != wanted.index) {
            for (_, at) in self.promises.iter().filter(|(job, _)| *job == other.index) {
                take(*at, at + other.planned.0, other.job.shape.procs);
            }
        }
        free.iter().all(|&free| free >= i64::from(wanted.job.shape.procs.0))
    }

    /// Promises that still hold stay, those that come due first before others; the rest are made anew in
    /// arrival order.
    fn mend(&mut self, view: &View<'_>) {
        let mut old = std::mem::take(&mut self.promises);
        old.sort_by_key(|(_, at)| *at);
        let job = |index| view.waiting().find(|job| job.index == index).unwrap();
        let mut broken = Vec::new();
        for (index, at) in old {
            let at = at.max(view.now().0);
            if self.fits(view, &job(index), at) {
                self.promises.push((index, at))
            } else {
                broken.push(index)
            }
        }
        broken.sort();
        for index in broken {
            self.promises.push((index, self.earliest(view, &job(index))));
        }
        self.promises.sort();
    }
}

impl Policy for SlowKept {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        if self.changed {
            self.mend(view);
        }
        for job in view.waiting() {
            match self.promises.iter().position(|(promised, _)| *promised == job.index) {
                Some(place) if self.eased => self.promises[place].1 = self.earliest(view, &job),
                Some(_) => {}
                None => self.promises.push((job.index, self.earliest(view, &job))),
            }
        }
        (self.changed, self.eased) = (false, false);
        for (job, _) in self.promises.extract_if(.., |(_, at)| *at <= view.now().0) {
            starts.push(Start::preferred(job, Reason::Reserved));
        }
    }

    fn note(&mut self, change: Change) {
        match change {
            Change::Ended { .. } => self.eased = true,
            Change::Moved { from, to, .. } => (self.changed, self.eased) = (true, self.eased || to < from),
            Change::Revised { from, to, .. } => (self.changed, self.eased) = (true, self.eased || to < from),
            Change::Withdrawn { job, .. } => {
                self.promises.retain(|(promised, _)| *promised != job);
                (self.changed, self.eased) = (true, true);
            }
            Change::Resized => (self.changed, self.eased) = (true, true),
        }
    }

    fn wake(&self) -> Option<Time> {
        self.promises.iter().map(|(_, at)| Time(*at)).min()
    }
}

/// Placements without the reason, which the calendar does not know.
fn placed(schedule: &Schedule) -> Vec<Placement> {
    schedule.placements.iter().map(|&placed| Placement { reason: Reason::Reserved, ..placed }).collect()
}

proptest! {
    #![proptest_config(support::cases(400))]

    #[test]
    fn kept_reservations_equal_a_calendar_of_seconds(
        rows in prop::collection::vec((0..6_i64, 1..=MACHINE, 1..25_i64, 0..25_i64), 1..25),
        pyss in any::<bool>(),
    ) {
        // Jobs end early or in time, never late: promises improve and are never broken.
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, limit, early))| {
            submit += gap;
            let job = Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit)));
            (job, Truth::rigid(Seconds((limit - early).max(1))))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let event_order = if pyss { EventOrder::Pyss } else { EventOrder::Textbook };
        let options = Options { event_order, ..Options::default() };
        let fast = run(&workload, &Backfill::conservative(Persistence::Keep), PredictorSpec::Requested, options, false);
        let mut predictor = Requested { default: DEFAULT_REQUEST };
        let slow = simulate(&workload, options, &mut SlowKept::default(), &mut predictor, &mut []).expect("a sound predictor");
        prop_assert_eq!(placed(&fast), placed(&slow));
    }

    #[test]
    fn kept_reservations_equal_a_calendar_of_seconds_under_any_revisions(
        rows in prop::collection::vec((0..6_i64, 1..=MACHINE, 1..25_i64, 0..40_i64, 0..3_u32), 1..25),
        predictor in revisers(), options in options(),
    ) {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, limit, run, user))| {
            submit += gap;
            let mut job = Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit)));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(run)))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let fast = run(&workload, &Backfill::conservative(Persistence::Keep), predictor.clone(), options, false);
        let mut predictor = predictor.build(&workload, &options);
        let slow = simulate(&workload, options, &mut SlowKept::default(), predictor.as_mut(), &mut []).unwrap();
        prop_assert_eq!(placed(&fast), placed(&slow));
    }
}

#[test]
fn control_an_overfull_schedule_is_noticed() {
    let job = |id| (Job::rigid(id, Time(5), Procs(1), Some(Seconds(10))), Truth::rigid(Seconds(10)));
    let workload = Workload::new(Machine { procs: Procs(1) }, vec![job(1), job(2)]).unwrap();
    let mut schedule = run(&workload, &Backfill::easy(), PredictorSpec::Requested, Options::default(), false);
    assert_eq!(check_feasible(&workload, &schedule), Ok(()));
    schedule.placements[1].start = Time(14);
    assert!(check_feasible(&workload, &schedule).unwrap_err().contains("2 processors busy"));
    schedule.placements[1].start = Time(4);
    assert!(check_feasible(&workload, &schedule).unwrap_err().contains("before it came"));
    schedule.placements.pop();
    assert!(check_feasible(&workload, &schedule).is_err());
}

#[test]
fn control_a_different_order_gives_a_different_schedule() {
    // Otherwise "indexed equals plain" could hold because nothing ever leaps.
    let mut jobs = vec![(Job::rigid(0, Time(0), Procs(10), Some(Seconds(100))), Truth::rigid(Seconds(100)))];
    for id in 1..40 {
        let limit = Seconds(100 - id as i64);
        let job = Job::rigid(id, Time(id as i64), Procs(1 + (id * 7 % 12) as u32), Some(limit));
        jobs.push((job, Truth::rigid(Seconds(limit.0 - 3))));
    }
    let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs).unwrap();
    let easy = run(&workload, &Backfill::easy(), PredictorSpec::Requested, Options::default(), false);
    let sjbf = run(&workload, &Backfill::sjbf(), PredictorSpec::Requested, Options::default(), false);
    assert_ne!(easy, sjbf);
    assert!(easy.placements.iter().any(|placement| matches!(placement.reason, Reason::Backfilled(_))));
}

#[test]
fn a_policy_that_wants_to_be_woken_for_ever_does_not_stop_the_clock() {
    struct Sleepless;
    impl Policy for Sleepless {
        fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
            starts.extend(view.waiting().map(|job| Start::preferred(job.index, Reason::Immediate)));
        }
        fn wake(&self) -> Option<Time> {
            Some(Time(100))
        }
    }
    let job = |id, submit| (Job::rigid(id, Time(submit), Procs(1), None), Truth::rigid(Seconds(10)));
    let workload = Workload::new(Machine { procs: Procs(4) }, vec![job(1, 0), job(2, 300)]).unwrap();
    let mut predictor = Requested { default: DEFAULT_REQUEST };
    let schedule = simulate(&workload, Options::default(), &mut Sleepless, &mut predictor, &mut [])
        .expect("a sound predictor");
    assert_eq!(schedule.placements.len(), 2);
}

#[test]
fn a_view_in_the_middle_of_an_instant_accounts_for_every_processor() {
    struct Count;
    impl Observer for Count {
        fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
            let running: u32 = view.running().map(|running| running.job.shape.procs.0).sum();
            assert_eq!(running + view.free().0, view.machine().0, "{event:?}");
        }
    }
    // Two jobs planned to end at 10; one does, the other overruns.
    let job = |id, run| (Job::rigid(id, Time(0), Procs(5), None), Truth::rigid(Seconds(run)));
    let workload =
        Workload::new(Machine { procs: Procs(10) }, vec![job(1, 10), job(2, 100), job(3, 10)]).unwrap();
    let mut predictor = PredictorSpec::Constant(Constant(Seconds(10))).build(Vec::new, DEFAULT_REQUEST);
    for event_order in [EventOrder::Textbook, EventOrder::Pyss] {
        let options = Options { event_order, ..Options::default() };
        let mut policy = Backfill::easy().build();
        simulate(&workload, options, policy.as_mut(), predictor.as_mut(), &mut [&mut Count])
            .expect("a sound predictor");
    }
}

#[test]
fn a_fork_can_expect_arrivals() {
    // One processor, one job running until 10, one waiting. Under the order shortest first an expected short
    // job does not pass the head, under a priority by size of request it does.
    struct Ask(Vec<Option<Time>>);
    impl Observer for Ask {
        fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
            if event.what != What::Arrived || event.job.index != JobIndex(1) {
                return;
            }
            for policy in ["sjbf", "fcfs:priority=-requested"] {
                let mut fork = Fork::of(view, Options::default(), |unknown| unknown.predicted);
                let short =
                    |at| (Job::rigid(3, Time(at), Procs(1), Some(Seconds(7))), Truth::rigid(Seconds(7)));
                // Told in two goes, the later one first; the later one is too late to matter.
                fork.expect([short(18)]);
                fork.expect([short(5)]);
                let mut predictor = Requested { default: DEFAULT_REQUEST };
                let policy: Backfill = policy.parse().unwrap();
                self.0.push(
                    fork.start_of(JobIndex(1), policy.build().as_mut(), &mut predictor).expect("sound"),
                );
                self.0.push(
                    fork.start_of(JobIndex(0), policy.build().as_mut(), &mut predictor).expect("sound"),
                );
            }
        }
    }
    let job = |id, limit| (Job::rigid(id, Time(0), Procs(1), Some(Seconds(limit))), Truth::rigid(Seconds(1)));
    let workload = Workload::new(Machine { procs: Procs(1) }, vec![job(1, 10), job(2, 20)]).unwrap();
    let mut ask = Ask(Vec::new());
    let mut predictor = Requested { default: DEFAULT_REQUEST };
    let mut policy = Backfill::fcfs().build();
    let pyss = Options { event_order: EventOrder::Pyss, ..Options::default() };
    simulate(&workload, pyss, policy.as_mut(), &mut predictor, &mut [&mut ask]).expect("a sound predictor");
    assert_eq!(ask.0, [Some(Time(10)), None, Some(Time(17)), None]);
}

/// How many of some random cases satisfy a condition.
fn count_cases(condition: impl Fn(&Workload, &Options, u64) -> bool) -> usize {
    let mut runner = TestRunner::deterministic();
    let strategy = (workloads(), options(), any::<u64>());
    let drawn = (0..200).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    drawn.filter(|(workload, options, seed)| condition(workload, options, *seed)).count()
}

#[test]
fn control_what_a_fickle_predictor_thinks_decides_who_starts() {
    // Otherwise every property about revisions could hold because they change nothing.
    for policy in [Backfill::easy(), Backfill::sjbf(), Backfill::conservative(Persistence::Keep)] {
        let differing = count_cases(|workload, options, seed| {
            let run = |seed| run(workload, &policy, Who::Fickle(seed), *options, false);
            let (one, other) = (run(seed), run(seed ^ 0xffff));
            assert!(workload.len() < 5 || one.placements.iter().any(|placed| placed.revisions > 0));
            let starts = |schedule: &Schedule| -> Vec<Time> {
                schedule.placements.iter().map(|placed| placed.start).collect()
            };
            starts(&one) != starts(&other)
        });
        assert!(differing > 50, "{policy}: {differing}");
    }
}

#[test]
fn control_reservations_move_in_most_random_workloads() {
    // Otherwise conservative backfilling could equal the plain loop because nothing is ever compressed.
    let moved = count_cases(|workload, options, seed| {
        let keep = Backfill::conservative(Persistence::Keep);
        let run =
            |policy: &Backfill| run(workload, policy, PredictorSpec::Requested, *options, seed % 2 == 0);
        run(&keep).placements != run(&Backfill::conservative(Persistence::Replan)).placements
    });
    assert!(moved > 20, "{moved}");
}

#[test]
fn control_most_crowded_workloads_have_long_queues() {
    // Otherwise the index of conservative backfilling would go untested.
    let mut runner = TestRunner::deterministic();
    let long = (0..50).filter(|_| {
        let workload = crowded_workloads().new_tree(&mut runner).unwrap().current();
        let policy = Backfill::conservative(Persistence::Keep);
        run(&workload, &policy, PredictorSpec::Requested, Options::default(), true).longest_queue > 64
    });
    assert!(long.count() > 30);
}

#[test]
fn control_an_unsound_view_is_noticed() {
    // Told of the wrong order, the observer finds what that permits.
    let noticed = |order: Option<EventOrder>| {
        count_cases(|workload, options, seed| {
            let mut sound = Sound { order: order.unwrap_or(options.event_order), wrong: None };
            let mut predictor = Who::Fickle(seed).build(workload, options);
            let mut policy = Backfill::easy().build();
            simulate(workload, *options, policy.as_mut(), predictor.as_mut(), &mut [&mut sound]).unwrap();
            sound.wrong.is_some()
        })
    };
    assert_eq!(noticed(None), 0);
    assert!(noticed(Some(EventOrder::Pyss)) > 5);
}

/// Says one thing at one event, and the requested time otherwise.
struct Liar {
    /// Number of the event, counted from 0.
    when: usize,
    says: Revision,
    heard: usize,
}

impl Liar {
    fn new(when: usize, job: u32, length: i64) -> Liar {
        let forecast = Forecast::exactly(Seconds(length));
        Liar { when, says: Revision { job: JobIndex(job), forecast }, heard: 0 }
    }
}

impl RuntimePredictor for Liar {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(question.job.shape.limit.unwrap())
    }

    fn observe(&mut self, _event: &Event<'_>, revisions: &mut Vec<Revision>) {
        if self.heard == self.when {
            revisions.push(self.says.clone());
        }
        self.heard += 1;
    }

    fn name(&self) -> String {
        "the-liar".into()
    }
}

#[test]
fn a_predictor_that_breaks_its_contract_is_named_with_the_job() {
    // Events: 0 job 0 arrives, 1 it starts (at 0); 2 job 1 arrives, 3 it starts (at 10); 4 job 1 ends (at 15);
    // 5 job 2 arrives, 6 it starts (at 30); 7 it ends (at 40); 8 job 0 ends (at 100).
    let job = |id, submit, run| {
        (Job::rigid(id, Time(submit), Procs(1), Some(Seconds(200))), Truth::rigid(Seconds(run)))
    };
    let jobs = vec![job(501, 0, 100), job(502, 10, 5), job(503, 30, 10)];
    let workload = Workload::new(Machine { procs: Procs(4) }, jobs).unwrap();
    let run = |event_order, mut liar: Liar| {
        let options = Options { event_order, ..Options::default() };
        simulate(&workload, options, Backfill::sjbf().build().as_mut(), &mut liar, &mut [])
    };
    let outlived = |length, elapsed, at| SimError::OutlivedPrediction {
        predictor: "the-liar".into(),
        job: JobId(501),
        predicted: Seconds(length),
        elapsed: Seconds(elapsed),
        at: Time(at),
    };
    let absent = |index, at| SimError::AbsentJob { predictor: "the-liar".into(), index, at: Time(at) };
    for order in [EventOrder::Textbook, EventOrder::Pyss] {
        // Exactly as long as it has run is too short; a second more will do.
        assert_eq!(run(order, Liar::new(5, 0, 30)), Err(outlived(30, 30, 30)));
        assert_eq!(run(order, Liar::new(6, 0, 7)), Err(outlived(7, 30, 30)));
        assert_eq!(run(order, Liar::new(7, 0, 40)), Err(outlived(40, 40, 40)));
        let fine = run(order, Liar::new(5, 0, 31)).unwrap();
        let [first, ..] = fine.placements[..] else { panic!("three jobs") };
        assert_eq!((first.revisions, first.corrections > 0), (1, true));
        // Ended: while an older job still runs, at its own end, and at the very end.
        assert_eq!(run(order, Liar::new(5, 1, 99)), Err(absent(1, 30)));
        assert_eq!(run(order, Liar::new(4, 1, 99)), Err(absent(1, 15)));
        assert_eq!(run(order, Liar::new(8, 0, 999)), Err(absent(0, 100)));
        // Not there yet, and never there.
        assert_eq!(run(order, Liar::new(0, 1, 99)), Err(absent(1, 0)));
        assert_eq!(run(order, Liar::new(3, u32::MAX, 99)), Err(absent(u32::MAX, 10)));
        // Of a job that arrives, the revision comes after the prediction and counts.
        let own = run(order, Liar::new(0, 0, 150)).unwrap();
        assert_eq!((own.placements[0].predicted, own.placements[0].revisions), (Seconds(200), 1));
    }
    let said = [outlived(30, 30, 30).to_string(), absent(1, 15).to_string()];
    assert!(said[0].contains("the-liar") && said[0].contains("job 501"), "{}", said[0]);
    assert!(said[1].contains("the-liar") && said[1].contains("number 1"), "{}", said[1]);
}

#[test]
fn a_fork_fails_too_if_its_predictor_breaks_its_contract() {
    // One processor, requests of 100: job 0 runs since 0, job 1 waits. Job 7 does not exist.
    struct Ask(Vec<Result<Option<Time>, SimError>>);
    impl Observer for Ask {
        fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
            if event.job.index == JobIndex(2) && event.what == What::Arrived {
                let fork = Fork::of(view, Options::default(), |unknown| unknown.predicted);
                // In the fork, job 0 ends at 100 (event 0) and job 1 starts (event 1).
                for liar in [(0, 1, 5), (0, 0, 5), (1, 1, 5), (1, 7, 5)] {
                    let mut liar = Liar::new(liar.0, liar.1, liar.2);
                    self.0.push(fork.start_of(JobIndex(2), Backfill::fcfs().build().as_mut(), &mut liar));
                }
            }
        }
    }
    let job =
        |id, submit| (Job::rigid(id, Time(submit), Procs(1), Some(Seconds(100))), Truth::rigid(Seconds(100)));
    let workload =
        Workload::new(Machine { procs: Procs(1) }, vec![job(1, 0), job(2, 10), job(3, 20)]).unwrap();
    let mut ask = Ask(Vec::new());
    let mut predictor = Requested { default: DEFAULT_REQUEST };
    let mut policy = Backfill::fcfs().build();
    simulate(&workload, Options::default(), policy.as_mut(), &mut predictor, &mut [&mut ask]).unwrap();
    let start = Ok(Some(Time(200)));
    let absent = Err(SimError::AbsentJob { predictor: "the-liar".into(), index: 0, at: Time(100) });
    assert_eq!(ask.0, [start.clone(), absent, start.clone(), start]);
}

#[test]
fn a_job_that_counts_as_gone_is_not_brought_back() {
    // Four processors in the order of pyss. Jobs 0 (three processors) and 1 (one) are planned to end at 10, and
    // do. Job 2 (four) arrives then, and starts on their processors before they have ended; told so, the
    // predictor thinks job 0 will run for 50. It does not: an observer sees four processors busy.
    let job = |id, submit, procs, run| {
        (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(run))), Truth::rigid(Seconds(run)))
    };
    let jobs = vec![job(1, 0, 3, 10), job(2, 0, 1, 10), job(3, 10, 4, 10), job(4, 10, 1, 10)];
    let workload = Workload::new(Machine { procs: Procs(4) }, jobs).unwrap();
    let options = Options { event_order: EventOrder::Pyss, ..Options::default() };
    for policy in [Backfill::easy(), Backfill::conservative(Persistence::Keep)] {
        // Events: 0 to 3 two arrive and start; 4 job 2 arrives, 5 starts; 6 job 3 arrives.
        for when in [4, 5, 6] {
            let mut sound = Sound { order: options.event_order, wrong: None };
            let mut liar = Liar::new(when, 0, 50);
            let schedule =
                simulate(&workload, options, policy.build().as_mut(), &mut liar, &mut [&mut sound]).unwrap();
            assert_eq!(sound.wrong, None);
            assert_eq!(schedule.placements[0].revisions, 0);
            let starts: Vec<i64> = schedule.placements.iter().map(|placed| placed.start.0).collect();
            assert_eq!(starts, [0, 0, 10, 20]);
        }
    }
}

/// When each overrun came, of which job, and what replaced its prediction.
#[derive(Default)]
struct Overruns(Vec<(i64, u32, i64)>);

impl Observer for Overruns {
    fn saw(&mut self, event: &Event<'_>, _view: &View<'_>) {
        if let What::Overran { corrected, .. } = event.what {
            self.0.push((event.at.0, event.job.index.0, corrected.0));
        }
    }
}

#[test]
fn corrections_build_on_what_the_predictor_said_last() {
    // Job 0 asks for 20 and runs for 400, past its limit. At 10, when job 1 arrives, it is thought to run for 50.
    // Outlived at 50, and with increments of 60 and 300 over 50 at 110 and 350; with a factor, of what was outlived.
    let job = |id, submit, limit, run| {
        (Job::rigid(id, Time(submit), Procs(1), Some(Seconds(limit))), Truth::rigid(Seconds(run)))
    };
    let workload =
        Workload::new(Machine { procs: Procs(2) }, vec![job(1, 0, 20, 400), job(2, 10, 5, 5)]).unwrap();
    let overruns = |correction: &str, event_order, factor, says| {
        let options = Options {
            event_order,
            limit: LimitRule::Ignore,
            correction: correction.parse().unwrap(),
            factor,
        };
        let (mut overruns, mut liar) = (Overruns::default(), Liar::new(2, 0, says));
        simulate(&workload, options, Backfill::easy().build().as_mut(), &mut liar, &mut [&mut overruns])
            .unwrap();
        overruns.0
    };
    for order in [EventOrder::Textbook, EventOrder::Pyss] {
        let expected = [(50, 0, 110), (110, 0, 350), (350, 0, 950)];
        assert_eq!(overruns("increments", order, 1.0, 50), expected);
        assert_eq!(overruns("factor:3", order, 1.0, 50), [(50, 0, 150), (150, 0, 450)]);
        // The requested 20 s are outlived already: by increments over those.
        assert_eq!(overruns("requested", order, 1.0, 50), [(50, 0, 80), (80, 0, 320), (320, 0, 920)]);
        // Revised downwards, it overruns sooner, and the request of 20 is heeded while it is ahead.
        assert_eq!(overruns("factor:100", order, 1.0, 12), [(12, 0, 20), (20, 0, 2000)]);
        // Planned with half of what is predicted, plans end at 10 (of the request), at 25, and at 250, and the
        // prediction stands; so does that of job 1, planned until 13. Planned with twice, the prediction is
        // outlived at 50 all the same.
        let expected = [(10, 0, 20), (13, 1, 5), (25, 0, 50), (50, 0, 500), (250, 0, 500)];
        assert_eq!(overruns("factor:10", order, 0.5, 50), expected);
        assert_eq!(overruns("factor:10", order, 2.0, 50), [(50, 0, 500)]);
        // Revised to what will be, it never overruns: the one noted for 20 is forgotten.
        assert_eq!(overruns("increments", order, 1.0, 400), []);
    }
}

#[test]
fn at_one_instant_an_end_may_forestall_an_overrun_in_the_textbook() {
    // Two jobs of one user on two processors; the end of the first is passed on to the second, which runs.
    let job = |id, submit, limit, run| {
        let mut job = Job::rigid(id, Time(submit), Procs(1), Some(Seconds(limit)));
        job.user = UserId::new(1);
        (job, Truth::rigid(Seconds(run)))
    };
    let seen = |event_order, first, second| {
        let jobs = vec![first, second];
        let workload = Workload::new(Machine { procs: Procs(2) }, jobs).unwrap();
        let options = Options { event_order, limit: LimitRule::Ignore, ..Options::default() };
        let spec: PredictorSpec = "ruh:1,propagate".parse().unwrap();
        let mut predictor = spec.build(Vec::new, DEFAULT_REQUEST);
        let mut overruns = Overruns::default();
        let mut policy = Backfill::easy().build();
        simulate(&workload, options, policy.as_mut(), predictor.as_mut(), &mut [&mut overruns]).unwrap();
        overruns.0
    };
    use EventOrder::{Pyss, Textbook};
    // Both from 0: when job 0 ends after 10 s, job 1 has run for 10 as well, and overruns.
    assert_eq!(seen(Textbook, job(1, 0, 60, 10), job(2, 0, 10, 40)), [(10, 1, 70)]);
    // Job 1 from 5, thought to run for 5. At 10 job 0 ends after 10 s: job 1 is now thought to run until 15. In the
    // textbook ends come first, and it overruns at 15 only; in pyss overruns do, and it overruns at 10 as well.
    let (first, second) = (job(1, 0, 60, 10), job(2, 5, 5, 40));
    assert_eq!(seen(Textbook, first.clone(), second.clone()), [(15, 1, 70)]);
    assert_eq!(seen(Pyss, first, second), [(10, 1, 65), (15, 1, 70)]);
}
