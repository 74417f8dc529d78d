//! Backfilling on distributions: the fast planner equals the plain loop, jobs pass with the probability that was asked for, and
//! no job waits for ever.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, JobIndex, Truth, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{
    DEFAULT_REQUEST, Forecast, PredictorSpec, Question, Revision, RuntimePredictor,
};
use queuecast_sim::sim::{Backfill, EventOrder, Likely, LimitRule, Options, Schedule, simulate};

use crate::support;

const MACHINE: u32 = 16;

/// Ranges of any width, which it changes now and then while jobs wait and run.
struct Wavering {
    seed: u64,
    present: Vec<(JobIndex, Option<Time>)>,
}

impl Wavering {
    fn new(seed: u64) -> Wavering {
        Wavering { seed, present: Vec::new() }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % bound
    }
}

/// A distribution up to `longest` after its point: most of it before the point, some of it long after.
fn spread(point: u64, longest: u64) -> Forecast {
    let (point, longest) = (point as f64, (point + longest) as f64);
    let knots = [(0.0, 1.0), (0.6, point.max(1.0)), (1.0, longest.max(1.0))];
    Forecast::new(Seconds(point as i64), Distribution::quantiles(&knots).unwrap())
}

impl RuntimePredictor for Wavering {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let mixed = (u64::from(question.job.index.0) + 1).wrapping_mul(self.seed | 1) >> 20;
        spread(1 + mixed % 40, mixed % 70)
    }

    fn observe(&mut self, event: &Event<'_>, revisions: &mut Vec<Revision>) {
        let index = event.job.index;
        match event.what {
            What::Arrived => self.present.push((index, None)),
            What::Started(_) => {
                self.present
                    .iter_mut()
                    .filter(|(job, _)| *job == index)
                    .for_each(|job| job.1 = Some(event.at));
            }
            What::Overran { .. } => {}
            What::Ended(_) | What::Withdrawn => self.present.retain(|(job, _)| *job != index),
        }
        if !self.present.is_empty() && self.below(3) == 0 {
            let place = self.below(self.present.len() as u64) as usize;
            let (job, start) = self.present[place];
            let elapsed = start.map_or(0, |start| (event.at - start).0 as u64);
            let forecast = spread(elapsed + 1 + self.below(40), self.below(70));
            revisions.push(Revision { job, forecast });
        }
    }
}

fn run(workload: &Workload, likely: Likely, seed: u64, options: Options, plain: bool) -> Schedule {
    let policy = Backfill::likely(likely);
    let mut policy = if plain { policy.build_plain() } else { policy.build() };
    simulate(workload, options, policy.as_mut(), &mut Wavering::new(seed), &mut [])
        .expect("a sound predictor")
}

fn workloads(jobs: std::ops::Range<usize>, gaps: i64) -> impl Strategy<Value = Workload> {
    let job = (0..gaps, 1..=MACHINE, 0..60_i64, prop::option::weighted(0.9, 1..90_i64));
    prop::collection::vec(job, jobs).prop_map(|rows| {
        let mut submit = 0;
        let jobs = (1..).zip(rows).map(|(id, (gap, procs, run, limit))| {
            submit += gap;
            let procs = if procs > 10 { procs } else { 1 + procs / 3 };
            (Job::rigid(id, Time(submit), Procs(procs), limit.map(Seconds)), Truth::rigid(Seconds(run)))
        });
        Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap()
    })
}

fn settings() -> impl Strategy<Value = Likely> {
    let confidence = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0];
    let length = || prop_oneof![1..30_i64, 30..400_i64, Just(100_000_i64)].prop_map(Seconds);
    (confidence, length(), length()).prop_map(|(confidence, ageing, patience)| Likely {
        confidence,
        ageing,
        patience,
    })
}

fn options() -> impl Strategy<Value = Options> {
    let orders = prop_oneof![Just(EventOrder::Textbook), Just(EventOrder::Pyss)];
    let limits = prop_oneof![3 => Just(LimitRule::Kill), 1 => Just(LimitRule::Ignore)];
    let corrections = prop::sample::select(vec!["requested", "increments", "factor:1.1:free"]);
    let factors = prop_oneof![4 => Just(1.0), 1 => Just(2.0), 1 => Just(0.3)];
    (orders, limits, corrections, factors).prop_map(|(event_order, limit, correction, factor)| Options {
        event_order,
        limit,
        correction: correction.parse().unwrap(),
        factor,
    })
}

proptest! {
    #![proptest_config(support::cases(2000))]

    #[test]
    fn the_fast_planner_plans_exactly_as_the_plain_loop(
        workload in workloads(1..80, 6), likely in settings(), seed in any::<u64>(), options in options(),
    ) {
        let fast = run(&workload, likely, seed, options, false);
        prop_assert_eq!(fast, run(&workload, likely, seed, options, true));
    }

    /// Once a job is due it waits only for those that came before it and for what runs: each has ended, at the latest, when its
    /// requested time has.
    #[test]
    fn no_job_waits_behind_later_ones_for_longer_than_its_patience(
        workload in workloads(1..120, 6), likely in settings(), seed in any::<u64>(),
    ) {
        prop_assert_eq!(overdue(&workload, &run(&with_limits(&workload), likely, seed, Options::default(), false), likely.patience), None);
    }
}

proptest! {
    #![proptest_config(support::cases(40))]

    #[test]
    fn the_fast_planner_plans_exactly_as_the_plain_loop_with_long_queues(
        workload in workloads(200..500, 2), likely in settings(), seed in any::<u64>(), options in options(),
    ) {
        let fast = run(&workload, likely, seed, options, false);
        prop_assert!(fast.longest_queue > 100);
        prop_assert_eq!(fast, run(&workload, likely, seed, options, true));
    }
}

/// The longest requested time in [`workloads`].
const LONGEST: Seconds = Seconds(90);

/// The same jobs, all with a requested time.
fn with_limits(workload: &Workload) -> Workload {
    let jobs =
        workload.jobs().iter().cloned().zip(workload.truths().iter().cloned()).map(|(mut job, truth)| {
            job.shape.limit = job.shape.limit.or(Some(LONGEST));
            (job, truth)
        });
    Workload::new(workload.machine(), jobs.collect()).unwrap()
}

/// The first job that waits for longer than its patience, and then for longer than the jobs submitted before it that still
/// waited take one after another, and one more for those that ran.
fn overdue(workload: &Workload, schedule: &Schedule, patience: Seconds) -> Option<u64> {
    let jobs = workload.jobs();
    (0..jobs.len()).find_map(|place| {
        let due = jobs[place].submit + patience;
        let ahead = schedule.placements[..place].iter().filter(|other| other.start >= due).count();
        let latest = due + Seconds(LONGEST.0 * (ahead as i64 + 1));
        (schedule.placements[place].start > latest).then_some(jobs[place].id.0)
    })
}

/// A wide job behind a stream of short ones that always leaves one of two processors busy.
fn stream() -> Workload {
    let job = |id, submit, procs, limit, run| {
        (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit))), Truth::rigid(Seconds(run)))
    };
    let mut jobs = vec![job(1, 0, 1, 12, 12), job(2, 1, 2, 80, 80)];
    jobs.extend((0..1_000).map(|number| job(3 + number, 2 + 5 * number as i64, 1, 10, 10)));
    Workload::new(Machine { procs: Procs(2) }, jobs).unwrap()
}

fn streamed(patience: i64) -> (Schedule, Option<u64>) {
    let likely = Likely { confidence: 0.5, ageing: Seconds(1_000_000), patience: Seconds(patience) };
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let mut policy = Backfill::likely(likely).build();
    let schedule =
        simulate(&stream(), Options::default(), policy.as_mut(), predictor.as_mut(), &mut []).unwrap();
    // Judged by a patience of 100 s, whatever the policy's is.
    let overdue = overdue(&stream(), &schedule, Seconds(100));
    (schedule, overdue)
}

#[test]
fn a_wide_job_behind_a_stream_of_short_ones_starts_once_it_is_due() {
    let (schedule, overdue) = streamed(100);
    let wide = schedule.placements[1].start;
    assert!(wide > Time(100) && wide <= Time(101 + 10), "{wide:?}");
    assert_eq!(overdue, None);
}

#[test]
fn control_without_patience_the_wide_job_starves() {
    let (schedule, overdue) = streamed(1_000_000);
    assert!(schedule.placements[1].start >= Time(5_000), "{:?}", schedule.placements[1]);
    assert_eq!(overdue, Some(2));
}

/// Says the same of each job every time: a range by its number.
struct Ranges;

impl RuntimePredictor for Ranges {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        match question.job.id.0 {
            // Shorter than 90 s with a probability of 0.6.
            3 => {
                let knots = [(0.0, 30.0), (0.6, 90.0), (1.0, 400.0)];
                Forecast::new(Seconds(80), Distribution::quantiles(&knots).unwrap())
            }
            _ => Forecast::exactly(Seconds(50)),
        }
    }

    fn observe(&mut self, _event: &Event<'_>, _revisions: &mut Vec<Revision>) {}
}

#[test]
fn a_job_passes_if_it_ends_in_time_with_the_probability_asked_for() {
    let job = |id, submit, procs, limit, run| {
        (Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit))), Truth::rigid(Seconds(run)))
    };
    // At t = 10 the second job is promised t = 100: 90 s are left for the third.
    let jobs = vec![job(1, 0, 6, 100, 100), job(2, 1, 10, 100, 50), job(3, 10, 2, 500, 60)];
    let workload = Workload::new(Machine { procs: Procs(10) }, jobs).unwrap();
    let third = |confidence: f64, plain: bool| {
        let policy = Backfill::likely(Likely { confidence, ..Likely::default() });
        let mut policy = if plain { policy.build_plain() } else { policy.build() };
        let schedule =
            simulate(&workload, Options::default(), policy.as_mut(), &mut Ranges, &mut []).unwrap();
        schedule.placements[2].start
    };
    for plain in [false, true] {
        let starts = [0.0, 0.3, 0.59, 0.61, 0.9, 1.0].map(|confidence| third(confidence, plain));
        assert_eq!(starts, [10, 10, 10, 150, 150, 150].map(Time), "{plain}");
    }
}

#[test]
fn control_a_planner_with_another_confidence_is_noticed() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let differs = (0..50).any(|seed| {
        let workload = workloads(40..80, 4).new_tree(&mut runner).unwrap().current();
        let with = |confidence| {
            let likely = Likely { confidence, ..Likely::default() };
            run(&workload, likely, seed, Options::default(), confidence > 0.5)
        };
        with(0.1) != with(0.9)
    });
    assert!(differs);
}
