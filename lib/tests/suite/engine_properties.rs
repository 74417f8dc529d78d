//! What must hold for every workload, on random ones: the indexed planner equals the plain loop, capacity is
//! never exceeded, first come is first served, promises are kept.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use queuecast_core::job::{Event, Job, JobIndex, Truth, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{Constant, DEFAULT_REQUEST, PredictorSpec, Requested};
use queuecast_sim::sim::{
    Backfill, Change, EventOrder, Observer, Options, Persistence, Placement, Policy, Reason, Schedule,
    Standing, Start, View, WaitingJob, simulate,
};

use crate::random_runs::{
    MACHINE, Sound, Who, any_predictor, backfill_orders, count_cases, crowded_workloads, options, policies,
    revisers, run, runs, workloads,
};
use crate::support;

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
