//! The fast run of a site onwards against the engine: every start is the same.

use proptest::prelude::*;
use queuecast_core::job::{Job, JobIndex, Truth};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Machine;
use queuecast_sim::predict::Requested;
use queuecast_sim::sim::{
    Backfill, Fork, HeldProcs, LimitRule, Options, QueuedJob, RunOn, RunOnState, Unknown,
};
use queuecast_sim::site::Site;

const MACHINE: u32 = 16;
const NOW: Time = Time(1000);

/// Processors, requested time, share of it that is used in hundredths.
type Small = (u32, i64, i64);

fn small() -> impl Strategy<Value = Small> {
    (1..=MACHINE, 1_i64..400, 1_i64..=100)
}

fn run(&(_, limit, share): &Small) -> i64 {
    (limit * share / 100).max(1)
}

/// A site found with these jobs: running since 1 to 100 s, within the machine; waiting in this order; arriving by this much later.
#[derive(Debug, Clone)]
struct Found {
    running: Vec<(Small, i64)>,
    waiting: Vec<Small>,
    arrivals: Vec<(i64, Small)>,
}

fn found(waiting: std::ops::Range<usize>) -> impl Strategy<Value = Found> {
    let running = prop::collection::vec((small(), 1_i64..100), 0..8);
    let waiting = prop::collection::vec(small(), waiting);
    let arrivals = prop::collection::vec((1_i64..500, small()), 0..10);
    (running, waiting, arrivals).prop_map(|(running, waiting, mut arrivals)| {
        let mut free = MACHINE;
        let mut fits = Vec::new();
        for ((procs, limit, share), elapsed) in running {
            if procs <= free {
                free -= procs;
                fits.push(((procs, limit + elapsed, share), elapsed));
            }
        }
        arrivals.sort_by_key(|one| one.0);
        Found { running: fits, waiting, arrivals }
    })
}

impl Found {
    fn left(&self, place: usize) -> i64 {
        let ((_, limit, share), elapsed) = self.running[place];
        ((limit - elapsed) * share / 100).max(1)
    }

    fn by_engine(&self) -> Vec<Time> {
        let job = |id: usize, (procs, limit, _): Small| {
            Job::rigid(id as u64, Time(NOW.0 - 500), Procs(procs), Some(Seconds(limit)))
        };
        let running = self.running.iter().enumerate();
        let running = running.map(|(id, &(small, elapsed))| (job(id, small), Seconds(elapsed)));
        let first = self.running.len();
        let waiting = self.waiting.iter().enumerate().map(|(id, &small)| job(first + id, small));
        let machine = Machine { procs: Procs(MACHINE) };
        let site = Site::found(machine, NOW, running, waiting, Seconds(3600));
        let options = Options { limit: LimitRule::Ignore, ..Options::default() };
        let view = site.view(NOW);
        let mut fork = Fork::of(&view, options, |one: &Unknown<'_>| {
            let id = one.job.id.0 as usize;
            match one.elapsed {
                Some(elapsed) => elapsed + Seconds(self.left(id)),
                None => Seconds(run(&self.waiting[id - first])),
            }
        });
        fork.expect(self.arrivals.iter().map(|&(after, small)| {
            let mut job = job(999, small);
            job.submit = NOW + Seconds(after);
            (job, Truth::rigid(Seconds(run(&small))))
        }));
        let numbers: Vec<JobIndex> = view.waiting().map(|one| one.index).collect();
        let mut predictor = Requested { default: Seconds(3600) };
        let starts = numbers.into_iter().map(|number| {
            let start = fork.start_of(number, &mut *Backfill::easy().build(), &mut predictor);
            start.unwrap().unwrap_or(Time::NEVER)
        });
        starts.collect()
    }

    fn by_run_on(&self, run_on: &mut RunOn, target: Option<usize>) -> Vec<Time> {
        let running: Vec<HeldProcs> = (0..self.running.len())
            .map(|place| {
                let ((procs, limit, _), elapsed) = self.running[place];
                let planned_end = Time(NOW.0 - elapsed + limit);
                HeldProcs { procs, planned_end, end: Time(NOW.0 + self.left(place)) }
            })
            .collect();
        let queued =
            |small: &Small| QueuedJob { procs: small.0, planned: small.1, run: run(small), rank: 0.0 };
        let waiting: Vec<QueuedJob> = self.waiting.iter().map(queued).collect();
        let arrivals: Vec<(Time, QueuedJob)> =
            self.arrivals.iter().map(|(after, small)| (Time(*after), queued(small))).collect();
        let free = MACHINE - running.iter().map(|one| one.procs).sum::<u32>();
        let state = RunOnState {
            now: NOW,
            free,
            running: &running,
            waiting: &waiting,
            arrivals: &arrivals,
            shift: Seconds(NOW.0),
            last_joins: None,
            joining: None,
        };
        run_on.starts(&state, target, Time::NEVER).to_vec()
    }
}

proptest! {
    #![proptest_config(crate::support::cases(1000))]

    #[test]
    fn every_start_is_that_of_the_engine(all in prop::collection::vec(found(1..10), 2)) {
        // One after the other in the same buffers.
        let mut run_on = RunOn::default();
        for found in &all {
            let slow = found.by_engine();
            prop_assert_eq!(&found.by_run_on(&mut run_on, None), &slow);
            // Starts with a target, as far as they are needed.
            for target in [0, slow.len() - 1] {
                prop_assert_eq!(found.by_run_on(&mut run_on, Some(target))[target], slow[target]);
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::support::cases(60))]

    #[test]
    fn so_is_every_start_of_a_long_queue(found in found(100..250)) {
        let slow = found.by_engine();
        prop_assert_eq!(found.by_run_on(&mut RunOn::default(), None), slow);
    }
}

/// Control: with another machine, starts differ.
#[test]
fn a_smaller_queue_changes_starts() {
    let found = Found {
        running: vec![((16, 200, 50), 100)],
        waiting: vec![(16, 100, 100), (4, 50, 100)],
        arrivals: vec![],
    };
    let starts = found.by_run_on(&mut RunOn::default(), None);
    assert_eq!(starts, found.by_engine());
    assert_eq!(starts, [Time(1050), Time(1150)]);
    let fewer = Found { waiting: vec![(4, 50, 100)], ..found };
    assert_ne!(fewer.by_run_on(&mut RunOn::default(), None)[0], starts[1]);
}

/// Ranks decide the order, and arrivals of a higher rank pass.
#[test]
fn ranks_decide_who_goes_first() {
    let job = |rank: f64| QueuedJob { procs: 16, planned: 100, run: 100, rank };
    let held = [HeldProcs { procs: 16, planned_end: Time(1100), end: Time(1050) }];
    let starts = |waiting: &[QueuedJob], arrivals: &[(Time, QueuedJob)]| {
        let state = RunOnState {
            now: NOW,
            free: 0,
            running: &held,
            waiting,
            arrivals,
            shift: Seconds::ZERO,
            last_joins: None,
            joining: None,
        };
        RunOn::default().starts(&state, None, Time::NEVER).to_vec()
    };
    assert_eq!(starts(&[job(0.0), job(0.0)], &[]), [Time(1050), Time(1150)]);
    assert_eq!(starts(&[job(0.0), job(1.0)], &[]), [Time(1150), Time(1050)]);
    assert_eq!(starts(&[job(1.0)], &[(Time(1010), job(2.0))]), [Time(1150)]);
    assert_eq!(starts(&[job(1.0)], &[(Time(1010), job(1.0))]), [Time(1050)], "of equal ones the first");
}
