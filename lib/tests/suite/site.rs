//! The site: recorded schedules as events, and simulations in which jobs are submitted, withdrawn and processors lost.

use proptest::prelude::*;
use queuecast_core::job::{Job, JobIndex, Truth, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Withdrawn, Workload};
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec, Requested, RuntimePredictor};
use queuecast_sim::sim::{
    Backfill, Change, Components, Engine, Options, Order, Persistence, Policy, Reason, SimError, Start, View,
    simulate,
};
use queuecast_sim::site::{Replay, Site, SiteError};

const MACHINE: u32 = 8;

fn job(id: u64, submit: i64, procs: u32, limit: i64) -> Job {
    Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit)))
}

/// A recorded log: submission, wait, run time (none for a withdrawn job) and processors.
fn recorded(rows: &[(i64, i64, Option<i64>, u32)]) -> Workload {
    let (mut jobs, mut truths, mut starts, mut withdrawn) = (vec![], vec![], vec![], vec![]);
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.0);
    for (id, &(submit, wait, run, procs)) in (1..).zip(&rows) {
        let mut job = job(id, submit, procs, 50);
        match run {
            Some(run) => {
                jobs.push(job);
                truths.push(Truth::rigid(Seconds(run)));
                starts.push(Time(submit + wait));
            }
            None => {
                job.index = JobIndex(jobs.len() as u32);
                withdrawn.push(Withdrawn { job, left: Time(submit + wait) });
            }
        }
    }
    let mut log = Workload::recorded(Machine { procs: Procs(MACHINE) }, jobs, truths, starts).unwrap();
    log.set_withdrawn(withdrawn).unwrap();
    log
}

proptest! {
    #[test]
    fn a_replay_has_the_jobs_that_the_log_has_at_every_second(
        rows in prop::collection::vec((0..60_i64, 0..40_i64, prop::option::weighted(0.7, 0..30_i64), 1..6_u32), 1..40),
    ) {
        let log = recorded(&rows);
        let mut replay = Replay::recorded(&log, DEFAULT_REQUEST);
        for now in 0..140 {
            replay.advance_to(Time(now), |_| {});
            let view = replay.site().view(Time(now));
            let sorted = |mut ids: Vec<u64>| { ids.sort_unstable(); ids };
            let at = |from: i64, to: i64| from <= now && now < to;
            let started = log.jobs().iter().zip(&log.starts).zip(log.truths());
            let running: Vec<u64> = started.clone()
                .filter(|((_, start), truth)| at(start.0, start.0 + truth.run().0))
                .map(|((job, _), _)| job.id.0).collect();
            let waiting: Vec<u64> = started
                .filter(|((job, start), _)| at(job.submit.0, start.0))
                .map(|((job, _), _)| job.id.0)
                .chain(log.withdrawn.iter().filter(|one| at(one.job.submit.0, one.left.0)).map(|one| one.job.id.0))
                .collect();
            prop_assert_eq!(sorted(view.running().map(|one| one.job.id.0).collect()), sorted(running), "{}", now);
            let queue: Vec<u64> = view.waiting().map(|one| one.job.id.0).collect();
            prop_assert!(queue.is_sorted(), "in order of submission: {:?}", queue);
            prop_assert_eq!(queue, sorted(waiting), "{}", now);
            let held: u32 = view.running().map(|one| one.procs.0).sum();
            prop_assert_eq!(view.free().0, MACHINE.saturating_sub(held));
        }
        prop_assert!(replay.step().is_none());
    }
}

#[test]
fn events_that_do_not_fit_are_refused_and_change_nothing() {
    let mut site = Site::new(Machine { procs: Procs(MACHINE) });
    let first = site.submit(&job(7, 0, 3, 50), Seconds(50), Seconds(50));
    assert_eq!(site.end(first), Err(SiteError::NotRunning(first)));
    assert_eq!(site.start(first, Time(5), 0), Ok(()));
    assert_eq!(site.start(first, Time(6), 0), Err(SiteError::NotWaiting(first)));
    assert_eq!(site.withdraw(first), Err(SiteError::NotWaiting(first)));
    assert_eq!(site.withdraw(JobIndex(9)), Err(SiteError::NotWaiting(JobIndex(9))));
    assert_eq!(site.view(Time(6)).free(), Procs(5));
    site.lose(Procs(6));
    assert_eq!((site.in_service(), site.view(Time(6)).free()), (Procs(2), Procs(0)));
    site.restore(Procs(100));
    assert_eq!((site.in_service(), site.view(Time(6)).free()), (Procs(8), Procs(5)));
    assert_eq!(site.end(first), Ok(()));
    assert_eq!(site.end(first), Err(SiteError::NotRunning(first)));
    assert_eq!(site.view(Time(9)).free(), Procs(8));
}

/// What happens to a simulation besides its workload: at an instant, a waiting job is withdrawn or processors go and come.
#[derive(Debug, Clone, Copy)]
enum Incident {
    Withdraw(usize),
    Lose(u32),
    Restore,
    Submit(u32, i64),
}

fn incidents() -> impl Strategy<Value = Vec<(i64, Incident)>> {
    let incident = prop_oneof![
        3 => (0..20_usize).prop_map(Incident::Withdraw),
        1 => (1..3_u32).prop_map(Incident::Lose),
        1 => Just(Incident::Restore),
        2 => (1..=MACHINE, 1..30_i64).prop_map(|(procs, run)| Incident::Submit(procs, run)),
    ];
    prop::collection::vec((0..200_i64, incident), 0..25).prop_map(|mut all| {
        all.sort_by_key(|one| one.0);
        all
    })
}

/// Starts of all jobs, with the incidents happening after the instants up to theirs.
fn troubled(
    workload: &Workload,
    policy: &mut dyn Policy,
    predictor: &mut dyn RuntimePredictor,
    incidents: &[(i64, Incident)],
) -> Vec<Option<Time>> {
    let mut engine = Engine::new(workload, Options::default());
    let mut parts = Components { policy, predictor, observers: &mut [] };
    let mut incidents = incidents.iter().peekable();
    let mut lost = 0;
    loop {
        let next = engine.next();
        if let Some(&&(at, incident)) = incidents.peek()
            && next.is_none_or(|next| Time(at) < next)
        {
            incidents.next();
            match incident {
                Incident::Withdraw(place) => {
                    let job = engine.site().view(Time(at)).waiting().nth(place).map(|one| one.index);
                    if let Some(job) = job {
                        assert!(engine.withdraw(job, Time(at), &mut parts).unwrap());
                    }
                }
                Incident::Lose(procs) if lost == 0 => {
                    lost = procs;
                    engine.lose(Procs(procs), &mut parts);
                }
                Incident::Restore => {
                    engine.restore(Procs(lost), Time(at), &mut parts);
                    lost = 0;
                }
                Incident::Submit(procs, run) => {
                    engine.submit(job(1000, at + 1, procs, 2 * run), Truth::rigid(Seconds(run)));
                }
                Incident::Lose(_) => {}
            }
            continue;
        }
        if engine.step(&mut parts).unwrap().is_none() && incidents.peek().is_none() {
            break;
        }
    }
    (0..engine.site().submitted().0).map(|job| engine.start(JobIndex(job))).collect()
}

proptest! {
    #[test]
    fn planners_with_an_index_follow_withdrawals_and_lost_processors(
        rows in prop::collection::vec((0..100_i64, 1..=MACHINE, 1..40_i64, 1..60_i64), 1..40),
        incidents in incidents(),
        order in prop_oneof![Just(None), Just(Some(Order::Arrival)), Just(Some(Order::Shortest)), Just(Some(Order::Largest))],
        spec in prop::sample::select(vec!["requested", "recent:2", "ruh:propagate"]),
    ) {
        let jobs = (1..).zip(&rows).map(|(id, &(submit, procs, run, limit))| {
            (job(id, submit, procs, limit), Truth::rigid(Seconds(run)))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let policy = Backfill { order, ..Backfill::fcfs() };
        let predictor = || spec.parse::<PredictorSpec>().unwrap().build(Vec::new, DEFAULT_REQUEST);
        let fast = troubled(&workload, &mut *policy.build(), &mut *predictor(), &incidents);
        let slow = troubled(&workload, &mut *policy.build_plain(), &mut *predictor(), &incidents);
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn jobs_submitted_one_by_one_are_scheduled_as_a_workload(
        rows in prop::collection::vec((0..100_i64, 1..=MACHINE, 1..40_i64, 1..60_i64), 1..40),
        policy in prop::sample::select(vec!["fcfs", "easy", "sjbf", "conservative"]),
    ) {
        let mut jobs: Vec<(Job, Truth)> = (1..).zip(&rows).map(|(id, &(submit, procs, run, limit))| {
            (job(id, submit, procs, limit), Truth::rigid(Seconds(run)))
        }).collect();
        jobs.sort_by_key(|(job, _)| job.submit);
        let machine = Machine { procs: Procs(MACHINE) };
        let workload = Workload::new(machine, jobs.clone()).unwrap();
        let policy: Backfill = policy.parse().unwrap();
        let mut requested = Requested { default: DEFAULT_REQUEST };
        let whole =
            simulate(&workload, Options::default(), &mut *policy.build(), &mut requested, &mut []).unwrap();
        let mut engine = Engine::idle(machine, Options::default());
        let mut policy = policy.build();
        let mut parts = Components { policy: &mut *policy, predictor: &mut requested, observers: &mut [] };
        for (job, truth) in jobs {
            // Up to the instant before its submission.
            while engine.next().is_some_and(|next| next < job.submit) {
                engine.step(&mut parts).unwrap();
            }
            engine.submit(job, truth);
        }
        while engine.step(&mut parts).unwrap().is_some() {}
        prop_assert_eq!(engine.into_schedule(), whole);
    }

    #[test]
    fn kept_reservations_survive_withdrawals_and_lost_processors(
        rows in prop::collection::vec((0..100_i64, 1..=MACHINE, 1..40_i64, 1..60_i64), 1..40),
        incidents in incidents(),
    ) {
        let jobs = (1..).zip(&rows).map(|(id, &(submit, procs, run, limit))| {
            (job(id, submit, procs, limit), Truth::rigid(Seconds(run)))
        });
        let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs.collect()).unwrap();
        let mut predictor = Requested { default: DEFAULT_REQUEST };
        // At the end all processors are back, so that every job that was not withdrawn starts.
        let incidents: Vec<(i64, Incident)> =
            incidents.into_iter().chain([(10_000, Incident::Restore)]).collect();
        let withdrawn = incidents.iter().filter(|one| matches!(one.1, Incident::Withdraw(_))).count();
        let policy = Backfill::conservative(Persistence::Keep);
        let starts = troubled(&workload, &mut *policy.build(), &mut predictor, &incidents);
        prop_assert!(starts.iter().filter(|start| start.is_none()).count() <= withdrawn);
    }
}

/// A policy that starts what it is told, whether that makes sense or not.
struct Wrong(Vec<Start>);

impl Policy for Wrong {
    fn plan(&mut self, _view: &View<'_>, starts: &mut Vec<Start>) {
        starts.append(&mut self.0);
    }

    fn note(&mut self, _change: Change) {}

    fn name(&self) -> String {
        "the-wrong-one".into()
    }
}

#[test]
fn a_policy_that_starts_what_it_must_not_stops_the_simulation() {
    let jobs = vec![
        (job(41, 10, 5, 50), Truth::rigid(Seconds(20))),
        (job(42, 10, 4, 50), Truth::rigid(Seconds(20))),
        (job(43, 90, 1, 50), Truth::rigid(Seconds(20))),
    ];
    let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs).unwrap();
    let run = |starts: &[u32]| {
        let starts = starts.iter().map(|&job| Start::preferred(JobIndex(job), Reason::Reserved)).collect();
        let mut requested = Requested { default: DEFAULT_REQUEST };
        simulate(&workload, Options::default(), &mut Wrong(starts), &mut requested, &mut [])
    };
    let policy = || "the-wrong-one".to_owned();
    let at = Time(10);
    let too_many =
        SimError::TooFewFree { policy: policy(), job: queuecast_core::job::JobId(42), procs: 4, free: 3, at };
    assert_eq!(run(&[0, 1]).unwrap_err(), too_many);
    assert!(
        too_many.to_string().contains("job 42 on 4 processors at instant 10, when 3 were free"),
        "{too_many}"
    );
    let job = |id| Some(queuecast_core::job::JobId(id));
    let twice = SimError::NotWaiting { policy: policy(), job: job(41), index: 0, at };
    assert_eq!(run(&[0, 0]).unwrap_err(), twice);
    assert!(twice.to_string().contains("the-wrong-one started job 41 at instant 10"), "{twice}");
    let unknown = SimError::NotWaiting { policy: policy(), job: None, index: 2, at };
    assert_eq!(run(&[2]).unwrap_err(), unknown, "it has not been submitted yet");
    // Control: what fits is started.
    assert!(run(&[1]).is_ok());
}

#[test]
fn withdrawals_are_told_to_the_predictor_once() {
    struct Heard(Vec<(u64, &'static str)>);
    impl RuntimePredictor for Heard {
        fn estimate(&self, _: &queuecast_sim::predict::Question<'_>) -> queuecast_sim::predict::Forecast {
            queuecast_sim::predict::Forecast::exactly(Seconds(50))
        }
        fn observe(
            &mut self,
            event: &queuecast_core::job::Event<'_>,
            _: &mut Vec<queuecast_sim::predict::Revision>,
        ) {
            let what = match event.what {
                What::Arrived => "arrived",
                What::Started(_) => "started",
                What::Overran { .. } => "overran",
                What::Ended(_) => "ended",
                What::Withdrawn => "withdrawn",
            };
            self.0.push((event.job.id.0, what));
        }
    }
    let jobs =
        vec![(job(1, 0, 8, 50), Truth::rigid(Seconds(50))), (job(2, 5, 8, 50), Truth::rigid(Seconds(50)))];
    let workload = Workload::new(Machine { procs: Procs(MACHINE) }, jobs).unwrap();
    let mut heard = Heard(Vec::new());
    let starts =
        troubled(&workload, &mut *Backfill::easy().build(), &mut heard, &[(20, Incident::Withdraw(0))]);
    assert_eq!(starts, [Some(Time(0)), None]);
    assert_eq!(heard.0, [(1, "arrived"), (1, "started"), (2, "arrived"), (2, "withdrawn"), (1, "ended")]);
}
