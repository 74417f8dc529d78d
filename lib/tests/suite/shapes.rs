//! Jobs that run in another shape than the one they prefer: what a policy chooses is what the machine, the events, the
//! schedule and its measures have.

use proptest::prelude::*;
use queuecast_core::job::{Event, Shape, What};
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::Workload;
use queuecast_eval::Evaluation;
use queuecast_report::swf;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_sim::sim::{LimitRule, Observer, Options, Policy, Reason, Schedule, Start, View, simulate};

use crate::support;
use crate::support::jobs::{self, moldable};

/// First come, first served; each job in the shape at this place, or the last it has.
struct InShape(u16);

impl Policy for InShape {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let mut free = view.free().0;
        for waiting in view.waiting() {
            let shapes = waiting.job.shapes().count() as u16;
            let shape = self.0.min(shapes - 1);
            let procs = waiting.job.shape_at(shape).procs.0;
            if procs > free {
                return;
            }
            free -= procs;
            starts.push(Start { job: waiting.index, shape, reason: Reason::Immediate });
        }
    }
}

/// What was told, and whether the machine was ever more than full.
#[derive(Default)]
struct Told {
    started: Vec<Shape>,
    ran: Vec<Seconds>,
    most_busy: u32,
}

impl Observer for Told {
    fn saw(&mut self, event: &Event<'_>, view: &View<'_>) {
        match event.what {
            What::Started(shape) => self.started.push(shape),
            What::Ended(outcome) => self.ran.push(outcome.ran),
            _ => {}
        }
        let busy: u32 = view.running().map(|job| job.procs.0).sum();
        assert_eq!(busy + view.free().0, view.machine().0);
        self.most_busy = self.most_busy.max(busy);
    }
}

/// (arrival, shapes as processors, limit, run), all of one machine.
type Moldable = (i64, Vec<(u32, Option<i64>, i64)>);

fn workload(procs: u32, jobs: &[Moldable]) -> Workload {
    jobs::workload(procs, jobs.iter().map(|(at, shapes)| moldable(shapes).at(*at)))
}

fn run(workload: &Workload, shape: u16, limit: LimitRule) -> (Schedule, Told) {
    let mut told = Told::default();
    let mut predictor = PredictorSpec::Requested.build(Vec::new, DEFAULT_REQUEST);
    let options = Options { limit, ..Options::default() };
    let schedule =
        simulate(workload, options, &mut InShape(shape), &mut *predictor, &mut [&mut told]).unwrap();
    (schedule, told)
}

#[test]
fn a_job_in_its_second_shape_has_its_processors_and_its_run_time() {
    // Alone on 4 processors for 100 s, or on 2 for 180 s; two of the latter fit side by side.
    let shapes = vec![(4, Some(120), 100), (2, Some(240), 180)];
    let jobs = workload(4, &[(0, shapes.clone()), (0, shapes)]);
    let (wide, _) = run(&jobs, 0, LimitRule::Kill);
    assert_eq!(
        wide.placements.iter().map(|job| (job.start.0, job.ran.0)).collect::<Vec<_>>(),
        [(0, 100), (100, 100)]
    );
    let (narrow, told) = run(&jobs, 1, LimitRule::Kill);
    assert_eq!(
        narrow.placements.iter().map(|job| (job.start.0, job.ran.0)).collect::<Vec<_>>(),
        [(0, 180), (0, 180)]
    );
    assert_eq!(told.started, [Shape { procs: Procs(2), limit: Some(Seconds(240)) }; 2]);
    assert_eq!((told.ran, told.most_busy), (vec![Seconds(180); 2], 4));
    // What was asked for 4 processors is asked for twice as long on 2: so is the prediction.
    assert_eq!(narrow.placements[0].predicted, Seconds(240));
    for (placement, job) in narrow.placements.iter().zip(jobs.jobs()) {
        assert_eq!((placement.shape, placement.procs(job)), (1, Procs(2)));
    }
}

#[test]
fn a_shape_has_its_own_limit() {
    let jobs = workload(4, &[(0, vec![(4, Some(120), 100), (2, Some(150), 180)])]);
    let killed = run(&jobs, 1, LimitRule::Kill).0.placements[0];
    assert_eq!((killed.ran, killed.killed), (Seconds(150), true));
    let ran = run(&jobs, 1, LimitRule::Ignore).0.placements[0];
    assert_eq!((ran.ran, ran.killed), (Seconds(180), false));
    // One minute more than was predicted is a correction, as in any shape.
    assert!(ran.corrections > 0 && killed.corrections == 0);
}

#[test]
fn measures_and_files_have_the_processors_that_were_held() {
    let jobs = workload(4, &[(0, vec![(4, None, 100), (1, None, 400)])]);
    let (schedule, _) = run(&jobs, 1, LimitRule::Kill);
    let evaluation = Evaluation::of(&jobs, &schedule).unwrap();
    assert_eq!(evaluation.all().summary().utilization, Some(0.25));
    let heading = swf::Heading { header: None, notes: &[] };
    let written = swf::write(Vec::new(), heading, &jobs, Some(&schedule)).unwrap();
    let record = String::from_utf8(written).unwrap();
    let record: Vec<&str> = record.lines().last().unwrap().split_whitespace().collect();
    assert_eq!((record[3], record[4], record[7]), ("400", "1", "4"));
}

proptest! {
    #![proptest_config(support::cases(300))]

    #[test]
    fn the_machine_is_never_overfull_and_every_job_runs_as_chosen(
        jobs in prop::collection::vec(
            (0i64..200, prop::collection::vec((1u32..=8, prop::option::of(1i64..90), 0i64..90), 1..4)), 1..40),
        shape in 0u16..4,
        kill in any::<bool>(),
    ) {
        let jobs = workload(8, &jobs);
        let limit = if kill { LimitRule::Kill } else { LimitRule::Ignore };
        let (schedule, told) = run(&jobs, shape, limit);
        prop_assert!(told.most_busy <= 8);
        prop_assert_eq!(told.ran.len(), jobs.len());
        for ((placement, job), truth) in schedule.placements.iter().zip(jobs.jobs()).zip(jobs.truths()) {
            let chosen = shape.min(job.shapes().count() as u16 - 1);
            let limit = job.shape_at(chosen).limit.filter(|_| kill).unwrap_or(Seconds(i64::MAX));
            prop_assert_eq!(placement.shape, chosen);
            prop_assert_eq!(placement.ran, truth.run_in(chosen).min(limit));
            prop_assert!(placement.start >= job.submit);
        }
    }
}
