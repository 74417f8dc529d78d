//! What forks foresee, and what predictors owe the engine: a fork goes on as the simulation does, a predictor that
//! breaks its contract is named, corrections build on what was predicted last.

use proptest::prelude::*;
use queuecast_core::job::{Event, Job, JobId, JobIndex, Truth, UserId, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_sim::predict::{
    DEFAULT_REQUEST, Forecast, Learn, PredictorSpec, Question, RecentUserHistory, Requested, Revision, Ruh,
    RuntimePredictor, Sbh, SessionHistory,
};
use queuecast_sim::sim::{
    Backfill, EventOrder, Fork, LimitRule, Observer, Options, Persistence, Schedule, SimError, View, simulate,
};
use queuecast_study::Experiment;

use crate::random_runs::{
    Sound, Who, backfill_orders, options, policies, predictors, revisers, runs, workloads,
};
use crate::support;

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
