//! Jobs that are asked about together: every start is that of an obvious simulation second by second, and scenarios to check by hand.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use queuecast_core::job::Job;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::wanted::while_wanted;
use queuecast_forecast::forecast::{
    Campaign, CampaignEnd, CampaignForecast, CampaignForecaster, CampaignJob, CampaignMember, QueueOrder,
    WhenError, WhenSettings,
};
use queuecast_sim::predict::PredictorSpec;
use queuecast_sim::sim::{AwaitedEnd, HeldProcs, Joiner, Joining, QueuedJob, RunOn, RunOnState};
use queuecast_sim::site::Site;

use crate::support::jobs::{machine, workload};

const MACHINE: u32 = 8;
const NOW: i64 = 100;

/// A queue, and jobs in it that are asked about.
#[derive(Debug, Clone)]
struct Asked {
    running: Vec<HeldProcs>,
    waiting: Vec<QueuedJob>,
    arrivals: Vec<(Time, QueuedJob)>,
    joiners: Vec<Joiner>,
    at_once: Vec<u32>,
    held: Vec<(u32, u32)>,
}

fn queued() -> impl Strategy<Value = QueuedJob> {
    (1..=MACHINE, 1_i64..40, 1_i64..40, 0_u8..3).prop_map(|(procs, planned, run, rank)| QueuedJob {
        procs,
        planned,
        run: run.min(planned),
        rank: f64::from(rank),
    })
}

/// Jobs of one array ask for the same, as tasks do.
fn asked() -> impl Strategy<Value = Asked> {
    let running = prop::collection::vec((1..=4_u32, 1_i64..40, 1_i64..40, any::<bool>()), 0..3);
    let others = prop::collection::vec(queued(), 0..4);
    let arrivals = prop::collection::vec((1_i64..80, queued()), 0..6);
    let rule = (0_i64..60, any::<bool>(), prop::collection::vec(0_usize..9, 0..3), any::<bool>());
    let own = prop::collection::vec((queued(), rule), 1..7);
    (running, others, arrivals, own, queued(), 1_u32..3).prop_map(
        |(running, mut waiting, mut arrivals, own, task, most)| {
            let (mut free, mut held, mut runs) = (MACHINE, Vec::new(), Vec::new());
            for (procs, planned, end, of_array) in running {
                if procs <= free {
                    free -= procs;
                    held.extend(of_array.then_some((runs.len() as u32, 0)));
                    let [planned_end, end] = [planned, end].map(|left| Time(NOW + left));
                    runs.push(HeldProcs { procs, planned_end, end });
                }
            }
            let first = waiting.len();
            let mut joiners = Vec::new();
            for (number, (job, (later, is_later, after, of_array))) in own.into_iter().enumerate() {
                waiting.push(if of_array { task } else { job });
                // Only jobs before it are waited for, and running ones: no circle.
                let ends: BTreeSet<AwaitedEnd> = after
                    .into_iter()
                    .filter_map(|one| match one {
                        one if one < runs.len() => Some(AwaitedEnd::Running(one as u32)),
                        one if one - runs.len() < first + number => {
                            Some(AwaitedEnd::Waiting((one - runs.len()) as u32))
                        }
                        _ => None,
                    })
                    .collect();
                joiners.push(Joiner {
                    place: (first + number) as u32,
                    at: Time(if is_later { NOW + later } else { NOW }),
                    // A task of an array waits for its turn alone.
                    after: if of_array { Vec::new() } else { ends.into_iter().collect() },
                    array: of_array.then_some(0),
                });
            }
            arrivals.sort_by_key(|one| one.0);
            let arrivals = arrivals.into_iter().map(|(later, job)| (Time(NOW + later), job)).collect();
            Asked { running: runs, waiting, arrivals, joiners, at_once: vec![most], held }
        },
    )
}

impl Asked {
    fn by_run_on(&self, run_on: &mut RunOn) -> Vec<Time> {
        let joining = Joining::new(self.joiners.clone(), self.at_once.clone(), &self.held);
        let held: u32 = self.running.iter().map(|one| one.procs).sum();
        let state = RunOnState {
            now: Time(NOW),
            free: MACHINE - held,
            running: &self.running,
            waiting: &self.waiting,
            arrivals: &self.arrivals,
            shift: Seconds::ZERO,
            last_joins: None,
            joining: Some(&joining),
        };
        let starts = run_on.starts(&state, None, Time::NEVER);
        self.joiners.iter().map(|one| starts[one.place as usize]).collect()
    }

    /// Second by second, everything looked up anew.
    fn slowly(&self) -> Vec<Time> {
        let jobs: Vec<QueuedJob> =
            self.waiting.iter().copied().chain(self.arrivals.iter().map(|one| one.1)).collect();
        let joiner = |number: usize| self.joiners.iter().find(|one| one.place as usize == number);
        let mut start: Vec<Option<i64>> = vec![None; jobs.len()];
        let mut eligible: Vec<Option<i64>> = vec![None; jobs.len()];
        let mut queue: Vec<usize> = Vec::new();
        let mut admitted = vec![false; jobs.len()];
        for at in NOW..NOW + 2000 {
            let runs = |number: usize, start: &[Option<i64>]| {
                start[number].is_some_and(|begun| at < begun + jobs[number].run)
            };
            let has_ended = |number: usize| start[number].is_some_and(|begun| begun + jobs[number].run <= at);
            let still_held = |place: usize| self.running[place].end.0.max(NOW + 1) > at;
            // Who is eligible.
            for (number, since) in eligible.iter_mut().enumerate().filter(|one| one.1.is_none()) {
                let may = match (joiner(number), number.checked_sub(self.waiting.len())) {
                    (Some(rule), _) => {
                        rule.at.0 <= at
                            && rule.after.iter().all(|end| match *end {
                                AwaitedEnd::Running(place) => !still_held(place as usize),
                                AwaitedEnd::Waiting(place) => has_ended(place as usize),
                            })
                    }
                    (None, Some(arrival)) => self.arrivals[arrival].0.0 <= at,
                    (None, None) => true,
                };
                *since = may.then_some(at);
            }
            // Who joins: tasks as far as their array has room.
            let mut next: Vec<usize> =
                (0..jobs.len()).filter(|&number| eligible[number].is_some() && !admitted[number]).collect();
            next.sort_by_key(|&number| (eligible[number], number));
            for number in next {
                let is_task = joiner(number).is_some_and(|rule| rule.array.is_some());
                let tasks = (0..jobs.len()).filter(|&other| {
                    admitted[other]
                        && !has_ended(other)
                        && joiner(other).is_some_and(|rule| rule.array.is_some())
                });
                let held = self.held.iter().filter(|one| still_held(one.0 as usize)).count();
                if !is_task || tasks.count() + held < self.at_once[0] as usize {
                    admitted[number] = true;
                    queue.push(number);
                }
            }
            queue.sort_by(|&one, &other| {
                let rank = jobs[other].rank.total_cmp(&jobs[one].rank);
                rank.then((eligible[one], one).cmp(&(eligible[other], other)))
            });
            // EASY.
            let mut free = i64::from(MACHINE);
            let mut ends: Vec<(i64, i64)> = Vec::new();
            for (place, one) in self.running.iter().enumerate().filter(|one| still_held(one.0)) {
                free -= i64::from(one.procs);
                let planned = if one.planned_end.0 <= NOW { NOW + 60 } else { one.planned_end.0 };
                ends.push((planned, i64::from(self.running[place].procs)));
            }
            for number in (0..jobs.len()).filter(|&number| runs(number, &start)) {
                free -= i64::from(jobs[number].procs);
                ends.push((start[number].unwrap() + jobs[number].planned, i64::from(jobs[number].procs)));
            }
            while let Some(&head) = queue.first().filter(|&&head| i64::from(jobs[head].procs) <= free) {
                free -= i64::from(jobs[head].procs);
                ends.push((at + jobs[head].planned, i64::from(jobs[head].procs)));
                start[head] = Some(at);
                queue.remove(0);
            }
            let Some(&head) = queue.first() else { continue };
            ends.sort_unstable();
            let wanted = i64::from(jobs[head].procs);
            let reached = ends.iter().find(|one| {
                free + ends.iter().filter(|other| other.0 <= one.0).map(|other| other.1).sum::<i64>()
                    >= wanted
            });
            let Some(&(end, _)) = reached else { continue };
            let by_then: i64 = ends.iter().filter(|one| one.0 <= end).map(|one| one.1).sum();
            let (shadow, mut extra) = (end.max(at), free + by_then - wanted);
            queue.retain(|&number| {
                let procs = i64::from(jobs[number].procs);
                let in_time = at + jobs[number].planned <= shadow;
                if number == head || procs > free || !(in_time || procs <= extra) {
                    return true;
                }
                free -= procs;
                extra -= if in_time { 0 } else { procs };
                start[number] = Some(at);
                false
            });
        }
        let time = |one: &Joiner| start[one.place as usize].map_or(Time::NEVER, Time);
        self.joiners.iter().map(time).collect()
    }
}

proptest! {
    #![proptest_config(crate::support::cases(1000))]

    #[test]
    fn every_start_is_that_of_the_slow_version(all in prop::collection::vec(asked(), 2)) {
        // One after the other in the same buffers.
        let mut run_on = RunOn::default();
        for asked in &all {
            prop_assert_eq!(asked.by_run_on(&mut run_on), asked.slowly());
        }
    }
}

/// Exactly as long as they ask for, without a past.
fn settings() -> WhenSettings {
    WhenSettings { predictor: PredictorSpec::Requested, ..WhenSettings::default() }
}

fn new(procs: u32, after: &[usize], array: Option<u32>) -> CampaignJob {
    let job = Job::rigid(1, Time(0), Procs(procs), Some(Seconds(3600)));
    let after = after.iter().map(|&place| CampaignEnd::Member(place)).collect();
    CampaignJob { member: CampaignMember::New(job), after, array }
}

/// On an empty machine of 8 processors.
fn forecast(jobs: Vec<CampaignJob>, at_once: Vec<u32>) -> Result<CampaignForecast, WhenError> {
    let (forecaster, _) = CampaignForecaster::of_log(&workload(8, []), Time(0), &settings(), &|_| {});
    let site = Site::found(machine(8), Time(0), [], [], Seconds(3600));
    let campaign = Campaign { jobs, at_once, running: Vec::new() };
    forecaster.forecast(&site, Time(0), QueueOrder::Learned, &campaign, None)
}

fn ends(forecast: &CampaignForecast) -> Vec<i64> {
    forecast.jobs.iter().map(|one| one.end.unwrap().median as i64).collect()
}

/// Four jobs of four processors for an hour on eight: two at once, the last ends after two hours.
#[test]
fn two_fit_at_once() {
    let found = forecast(vec![new(4, &[], None); 4], vec![]).unwrap();
    assert_eq!(ends(&found), [3600, 3600, 7200, 7200]);
    assert_eq!((found.at_once, found.never, found.record), ([2, 2, 2], 0.0, None));
    let (first, last) = (found.first_start.unwrap(), found.last_end.unwrap());
    assert!(first.median < 60.0, "{first:?}");
    // Of errors nothing is known, so the range is as wide as is assumed, around what was simulated.
    assert!((6500.0..8000.0).contains(&last.median), "{last:?}");
    assert!(last.low < 5000.0 && last.high > 10_000.0, "{last:?}");
    let half = found.half_ended.unwrap();
    assert!((3200.0..4000.0).contains(&half.median), "{half:?}");
}

#[test]
fn an_array_keeps_its_limit_and_a_chain_its_order() {
    let array = forecast(vec![new(1, &[], Some(0)); 5], vec![2]).unwrap();
    assert_eq!((ends(&array), array.at_once), (vec![3600, 3600, 7200, 7200, 10_800], [2, 2, 2]));
    // Control: without the limit all fit.
    assert_eq!(ends(&forecast(vec![new(1, &[], None); 5], vec![]).unwrap()), [3600; 5]);
    let chain = vec![new(4, &[], None), new(4, &[0], None), new(4, &[1], None)];
    assert_eq!(ends(&forecast(chain, vec![]).unwrap()), [3600, 7200, 10_800]);
    // Two branches and what waits for both.
    let joined = vec![new(4, &[], None), new(4, &[0], None), new(4, &[0], None), new(8, &[1, 2], None)];
    assert_eq!(ends(&forecast(joined, vec![]).unwrap()), [3600, 7200, 7200, 10_800]);
}

#[test]
fn a_job_larger_than_the_machine_is_refused() {
    let refused = forecast(vec![new(4, &[], None), new(9, &[], None)], vec![]).unwrap_err();
    assert_eq!(refused, WhenError::TooLarge { procs: Procs(9), machine: Procs(8) });
}

/// What is not wanted any more is given up between two simulations, of which each is asked about.
#[test]
fn a_campaign_can_be_given_up_between_simulations() {
    let asked = Arc::new(AtomicUsize::new(0));
    let campaign = || forecast(vec![new(4, &[], None), new(4, &[0], None)], vec![]).unwrap();
    let wanted = |times: usize| {
        let asked = asked.clone();
        asked.store(0, Ordering::Relaxed);
        move || asked.fetch_add(1, Ordering::Relaxed) < times
    };
    let found = while_wanted(wanted(usize::MAX), campaign).unwrap();
    let draws = found.draws as usize;
    assert!(draws > 100 && asked.load(Ordering::Relaxed) >= draws, "{draws}");
    assert_eq!(ends(&found), ends(&campaign()));
    // Whenever it is given up, nothing of it is handed out.
    for times in [0, 1, draws / 2, draws] {
        assert!(while_wanted(wanted(times), campaign).is_none(), "{times}");
        // Some threads may ask at the same instant.
        assert!((times + 1..times + 64).contains(&asked.load(Ordering::Relaxed)), "{times}");
    }
}
