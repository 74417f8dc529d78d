//! What must hold for every workload, on random ones: the indexed planner equals the plain loop, capacity is
//! never exceeded, first come is first served, promises are kept.
#![allow(clippy::unwrap_used)] // a test that cannot set up its case should fail

use proptest::prelude::*;
use queuecast::job::{Event, Job, JobIndex, Truth, UserId, What};
use queuecast::predict::{Correction, DEFAULT_REQUEST, PredictorSpec, Requested, Ruh, Statistic};
use queuecast::sim::{
    Backfill, Change, Depth, EventOrder, Fork, Form, LimitRule, Observer, Options, Order, Policy, Reason,
    Schedule, Start, View, WaitingJob, simulate,
};
use queuecast::units::{Procs, Seconds, Time};
use queuecast::workload::{Machine, Workload};

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

fn options() -> impl Strategy<Value = Options> {
    let orders = prop_oneof![Just(EventOrder::Textbook), Just(EventOrder::Pyss)];
    let limits = prop_oneof![3 => Just(LimitRule::Kill), 1 => Just(LimitRule::Ignore)];
    let corrections = prop_oneof![
        Just(Correction::REQUESTED),
        Just(Correction::INCREMENTS),
        Just("factor:2".parse().expect("a correction"))
    ];
    let factors = prop_oneof![4 => Just(1.0), 1 => Just(2.0), 1 => Just(0.5)];
    (orders, limits, corrections, factors).prop_map(|(event_order, limit, correction, factor)| Options {
        event_order,
        limit,
        correction,
        factor,
    })
}

fn predictors() -> impl Strategy<Value = PredictorSpec> {
    prop_oneof![
        Just(PredictorSpec::Requested),
        Just(PredictorSpec::Perfect),
        Just(PredictorSpec::Constant(Seconds(7))),
        Just(PredictorSpec::Recent(Ruh::capped(2, Statistic::Mean))),
        Just(PredictorSpec::Recent(Ruh::capped(3, Statistic::Median))),
    ]
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
        1 => Just(Backfill::conservative(Form::Keep)),
        5 => (depths, backfill_orders(), formulas).prop_map(|(reservations, order, formula)| Backfill {
            reservations,
            order,
            form: Form::Replan,
            priority: formula.map(|formula| formula.parse().unwrap()),
        }),
    ]
}

fn runs(workload: &Workload, options: &Options) -> Vec<Seconds> {
    workload.jobs().iter().zip(workload.truths()).map(|(job, truth)| options.limit.ran(job, truth)).collect()
}

fn run(
    workload: &Workload,
    policy: &Backfill,
    predictor: PredictorSpec,
    options: Options,
    plain: bool,
) -> Schedule {
    let mut predictor = predictor.build(|| runs(workload, &options), DEFAULT_REQUEST);
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

/// At the last arrival, predicts the start of everybody who waits.
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
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_indexed_planner_plans_exactly_as_the_plain_loop(
        workload in workloads(), order in backfill_orders(), predictor in predictors(), options in options(),
    ) {
        let policy = Backfill { order, ..Backfill::fcfs() };
        let fast = run(&workload, &policy, predictor, options, false);
        let slow = run(&workload, &policy, predictor, options, true);
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn every_schedule_is_feasible_and_repeats_itself(
        workload in workloads(), policy in policies(), predictor in predictors(), options in options(),
    ) {
        let schedule = run(&workload, &policy, predictor, options, false);
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
    fn first_come_is_first_served(workload in workloads(), predictor in predictors(), options in options()) {
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
        let keep = run(&workload, &Backfill::conservative(Form::Keep), PredictorSpec::Perfect, options, false);
        let replan = run(&workload, &Backfill::conservative(Form::Replan), PredictorSpec::Perfect, options, false);
        prop_assert_eq!(keep.placements, replan.placements);
    }

    #[test]
    fn a_fork_goes_on_exactly_as_the_simulation_when_nobody_else_arrives(
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
    // Queues of hundreds, many blocks of the index: fewer cases, each of them long.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_indexed_planner_plans_exactly_as_the_plain_loop_with_long_queues(
        rows in prop::collection::vec((0..8_i64, 1..=MACHINE, 1..5000_i64, 1..20_i64, 0..4_u32), 300..700),
        order in backfill_orders(), predictor in predictors(), options in options(),
    ) {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, slack, user))| {
            submit += gap / 7;
            let mut job = Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(run * slack / 2 + 1)));
            job.user = UserId::new(user);
            (job, Truth::rigid(Seconds(run)))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let policy = Backfill { order, ..Backfill::fcfs() };
        let fast = run(&workload, &policy, predictor, options, false);
        prop_assert!(fast.longest_queue > 200);
        prop_assert_eq!(fast, run(&workload, &policy, predictor, options, true));
    }
}

/// Kept reservations, second by second: every promise is a row of seconds on a calendar.
#[derive(Default)]
struct SlowKept {
    promises: Vec<(JobIndex, i64)>,
    ended: bool,
}

impl SlowKept {
    /// The first second from now on at which a job fits beside running jobs and the promises to others.
    fn earliest(&self, view: &View<'_>, wanted: &WaitingJob<'_>) -> i64 {
        let now = view.now().0;
        let mut free = vec![i64::from(view.machine().0); 3000];
        let mut take = |from: i64, until: i64, procs: Procs| {
            (from.max(now)..until).for_each(|second| free[(second - now) as usize] -= i64::from(procs.0));
        };
        view.running().for_each(|job| take(now, job.planned_end.0, job.job.shape.procs));
        for other in view.waiting().filter(|other| other.index != wanted.index) {
            for (_, at) in self.promises.iter().filter(|(job, _)| *job == other.index) {
                take(*at, at + other.planned.0, other.job.shape.procs);
            }
        }
        let fits = |at: &i64| {
            let seconds = &free[(at - now) as usize..(at - now + wanted.planned.0) as usize];
            seconds.iter().all(|&free| free >= i64::from(wanted.job.shape.procs.0))
        };
        (now..).find(fits).expect("an empty machine at the latest")
    }
}

impl Policy for SlowKept {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        for job in view.waiting() {
            match self.promises.iter().position(|(promised, _)| *promised == job.index) {
                Some(place) if self.ended => self.promises[place].1 = self.earliest(view, &job),
                Some(_) => {}
                None => self.promises.push((job.index, self.earliest(view, &job))),
            }
        }
        self.ended = false;
        for (job, _) in self.promises.extract_if(.., |(_, at)| *at <= view.now().0) {
            starts.push(Start { job, reason: Reason::Reserved });
        }
    }

    fn note(&mut self, change: Change) {
        self.ended |= matches!(change, Change::Ended { .. });
    }

    fn wake(&self) -> Option<Time> {
        self.promises.iter().map(|(_, at)| Time(*at)).min()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

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
        let fast = run(&workload, &Backfill::conservative(Form::Keep), PredictorSpec::Requested, options, false);
        let mut predictor = Requested { default: DEFAULT_REQUEST };
        let slow = simulate(&workload, options, &mut SlowKept::default(), &mut predictor, &mut []).expect("a sound predictor");
        let starts = |schedule: &Schedule| schedule.placements.iter().map(|placed| placed.start).collect::<Vec<_>>();
        prop_assert_eq!(starts(&fast), starts(&slow));
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
            starts.extend(view.waiting().map(|job| Start { job: job.index, reason: Reason::Immediate }));
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
    let mut predictor = PredictorSpec::Constant(Seconds(10)).build(Vec::new, DEFAULT_REQUEST);
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
