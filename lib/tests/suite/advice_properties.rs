//! Advice: exact with certain run times, equal to the formulas where there are any, and independent of the future.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use queuecast_core::distribution::{Distribution, LogUniform};
use queuecast_core::job::{Event, Job, Truth, UserId, What};
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};
use queuecast_eval::WalkForward;
use queuecast_forecast::advice::{
    Advice, AdviceError, Advisor, Past, Preference, RunTimeModel, RunTimeOutlook, Situation, SizeDraw, Target,
};
use queuecast_forecast::allot::{Sizes, SizesError};
use queuecast_sim::predict::{
    DEFAULT_REQUEST, Forecast, PredictorSpec, Question, Revision, RuntimePredictor,
};
use queuecast_sim::sim::{Backfill, Options, simulate};
use queuecast_sim::site::{Replay, Site, Timeline};
use queuecast_study::Experiment;
use queuecast_synth::synth::{Speedup, Viable};
use queuecast_wait::{Holder, QueueTime, quantile};

const MACHINE: Procs = Procs(32);

/// All sizes, with the run time of a job that does not get faster.
fn every_size(run: i64) -> Sizes {
    let runs: Vec<(Procs, Seconds)> = (1..=MACHINE.0).map(|procs| (Procs(procs), Seconds(run))).collect();
    Sizes::measured(&runs, Viable::ANY, MACHINE).unwrap()
}

/// A job at the site: processors, requested time, how long it has run if it runs, and its whole run time given that.
type Resident = (u32, Option<i64>, i64, Distribution);

const NOW: Time = Time(1_000_000);

/// A site with these jobs running, in order of start, and these waiting.
fn situation(machine: Procs, running: &[Resident], waiting: &[Resident]) -> Situation {
    let job = |one: &Resident| Job::rigid(1, Time(0), Procs(one.0), one.1.map(Seconds));
    let site = Site::found(
        Machine { procs: machine },
        NOW,
        running.iter().map(|one| (job(one), Seconds(one.2))),
        waiting.iter().map(job),
        DEFAULT_REQUEST,
    );
    let all: Vec<Distribution> = running.iter().chain(waiting).map(|one| one.3.clone()).collect();
    Situation::new(site, NOW, |job, _| all[job.index.at()].clone())
}

/// A job that runs or waits and ends for certain after `left` seconds.
fn ending(procs: u32, left: i64) -> Resident {
    (procs, None, 0, Distribution::point(left as f64))
}

fn aged(procs: u32, limit: Option<i64>, age: i64) -> Resident {
    let lifetimes = LogUniform::between(10.0, 50_000.0).unwrap();
    let run = Distribution::log_uniform(lifetimes).given(age as f64);
    let run = limit.map_or(run.clone(), |limit| run.capped(limit as f64));
    (procs, limit, age, run)
}

fn drawn(advisor: &Advisor, count: u32) -> Vec<SizeDraw> {
    (0..count).map(|number| advisor.draw(Seed(7), number).unwrap()).collect()
}

/// Jobs for certain: processors and how much longer, no more of them at once than the machine has.
fn certain() -> impl Strategy<Value = Vec<(u32, i64)>> {
    prop::collection::vec((1..8_u32, 1..5000_i64), 0..12).prop_map(|jobs| {
        let mut held = 0;
        jobs.into_iter()
            .take_while(|(procs, _)| {
                held += procs;
                held <= MACHINE.0
            })
            .collect()
    })
}

/// First come, first served by hand: when the last of these starts.
fn served(running: &[(u32, i64)], queue: &[(u32, i64)]) -> i64 {
    let mut ends: Vec<(i64, u32)> = running.iter().map(|&(procs, left)| (left, procs)).collect();
    let mut now = 0;
    for &(procs, run) in queue {
        while ends.iter().filter(|(end, _)| *end > now).map(|(_, held)| held).sum::<u32>() + procs > MACHINE.0
        {
            now = ends.iter().map(|(end, _)| *end).filter(|&end| end > now).min().unwrap();
        }
        ends.push((now + run, procs));
    }
    now
}

proptest! {
    #[test]
    fn certain_run_times_are_planned_exactly(running in certain(), waiting in prop::collection::vec((1..20_u32, 1..3000_i64), 0..6)) {
        let ends = |jobs: &[(u32, i64)]| -> Vec<Resident> {
            jobs.iter().map(|&(procs, left)| ending(procs, left)).collect()
        };
        let advisor = Advisor::new(situation(MACHINE, &ends(&running), &ends(&waiting)), every_size(50), Backfill::fcfs(), 1.0);
        let draws = drawn(&advisor, 2);
        prop_assert_eq!(&draws[0], &draws[1]);
        for (size, &(queue, run)) in advisor.sizes().iter().zip(&draws[0].each) {
            let mut all = waiting.clone();
            all.push((size.procs.0, 50));
            prop_assert_eq!((queue.0, run.0), (served(&running, &all), 50));
        }
    }

    #[test]
    fn more_processors_never_start_sooner_with_the_same_run_times(
        ages in prop::collection::vec((1..9_u32, 0..20_000_i64), 1..12),
        waiting in prop::collection::vec(1..20_u32, 0..5),
    ) {
        let running: Vec<Resident> = ages.iter().map(|&(procs, age)| aged(procs, Some(40_000), age)).collect();
        let waiting: Vec<Resident> = waiting.iter().map(|&procs| aged(procs, Some(40_000), 0)).collect();
        let state = situation(MACHINE, &running, &waiting);
        let advisor = Advisor::new(state, every_size(50), Backfill::fcfs(), 1.0);
        for one in drawn(&advisor, 5) {
            prop_assert!(one.each.is_sorted_by_key(|(queue, _)| *queue), "{one:?}");
        }
    }
}

/// 24 of 32 processors are held.
fn busy() -> Vec<Resident> {
    [(8, 100), (4, 900), (4, 20), (6, 5000), (2, 40)].map(|(procs, age)| aged(procs, None, age)).to_vec()
}

#[test]
fn with_an_empty_queue_draws_have_the_exact_distribution() {
    let state = situation(MACHINE, &busy(), &[]);
    let holders: Vec<Holder> = state.holders();
    let advisor = Advisor::new(state, every_size(50), Backfill::easy(), 1.0);
    let advice = advisor.conclude(&drawn(&advisor, 600), Preference::default()).unwrap();
    for prospect in advice.prospects() {
        let more = Procs(prospect.procs.0.saturating_sub(8));
        let queue = prospect.queue;
        // Chance moves the share of 600 draws by more than 0.08 in one of 10,000 cases; draws are rounded up to seconds.
        for (found, share) in [(queue.low.unwrap(), 0.1), (queue.median, 0.5), (queue.high.unwrap(), 0.9)] {
            let [low, high] =
                [share - 0.08, share + 0.08].map(|share| quantile(&holders, more, share).unwrap());
            assert!((low..=high + 1.0).contains(&found), "{more:?} {share}: {found} not in {low} to {high}");
        }
        assert_eq!(prospect.at_once == Some(1.0), more == Procs(0));
    }
    // Control: the distributions differ between sizes by more than that.
    let median = |more: u32| quantile(&holders, Procs(more), 0.5).unwrap();
    assert!(median(1) < quantile(&holders, Procs(20), 0.42).unwrap());
    assert!((advice.prospects().iter().filter_map(|one| one.best).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn predictors_answer_for_the_head_of_the_queue_only() {
    let advisor = |waiting: &[Resident]| {
        Advisor::new(situation(MACHINE, &busy(), waiting), every_size(50), Backfill::fcfs(), 1.0)
    };
    let holders: Vec<Holder> = situation(MACHINE, &busy(), &[]).holders();
    for by in ["exact", "mean", "combined", "median"] {
        let by: QueueTime = by.parse().unwrap();
        let advice = advisor(&[]).by(by, Preference::default()).unwrap();
        for prospect in advice.prospects() {
            let more = Procs(prospect.procs.0.saturating_sub(8));
            assert_eq!(Some(prospect.queue.median), by.predict(&holders, more));
            assert_eq!(prospect.turnaround.median, prospect.queue.median + 50.0);
        }
        // No job holds more than 8, so of more than 16 the median says nothing.
        assert_eq!(advice.prospects().len(), if by == QueueTime::Median { 16 } else { 32 });
        let refused = advisor(&[busy()[0].clone()]).by(by, Preference::default()).unwrap_err();
        assert_eq!(refused, AdviceError::JobsAhead { by, ahead: 1 });
        assert!(refused.to_string().contains("1 job waits ahead"), "{refused}");
    }
}

#[test]
fn a_run_time_give_or_take_a_factor_is_so_in_all_sizes_alike() {
    let runs = [(Procs(4), Seconds(4000)), (Procs(8), Seconds(2000))];
    let advisor = Advisor::new(
        situation(MACHINE, &[], &[]),
        Sizes::measured(&runs, Viable::ANY, MACHINE).unwrap(),
        Backfill::easy(),
        2.0,
    );
    let draws = drawn(&advisor, 500);
    for one in &draws {
        assert!((one.each[0].1.0 - 2 * one.each[1].1.0).abs() <= 2, "{one:?}");
        assert!((1000..=4000).contains(&one.each[1].1.0));
    }
    let advice = advisor.conclude(&draws, Preference::default()).unwrap();
    let run = advice.recommended().run;
    assert_eq!(advice.recommended().procs, Procs(8));
    assert!((run.median - 2000.0).abs() < 150.0 && (run.high.unwrap() - 3482.0).abs() < 150.0, "{run:?}");
}

#[test]
fn more_is_held_than_there_is() {
    let held = |procs: u32| ending(procs, 100);
    let state = situation(MACHINE, &[held(5), held(20), held(15)], &[]);
    assert_eq!((state.excess(), state.free()), (Procs(8), Procs(0)));
    let left: Vec<u32> = state.running().iter().map(|one| one.procs.0).collect();
    assert_eq!(left, [17, 15], "jobs that started first hold less");
    assert_eq!(situation(MACHINE, &[held(5)], &[]).excess(), Procs(0));
}

/// Users of their own habits on a small machine, at times a queue.
fn workload(seed: u64, jobs: u64) -> Workload {
    let mut number = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |most: u64| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        number % most
    };
    let mut at = 0;
    let jobs = (0..jobs).map(|id| {
        at += next(900) as i64;
        let user = next(6) as u32;
        let limit = 600 * (1 + next(20) as i64);
        let run = 1 + (limit as f64 * next(1000) as f64 / 1000.0) as i64;
        let mut job = Job::rigid(id, Time(at), Procs(1 + next(20) as u32), Some(Seconds(limit)));
        job.user = UserId::new(user);
        (job, Truth::rigid(Seconds(run)))
    });
    Workload::new(Machine { procs: MACHINE }, jobs.collect()).unwrap()
}

/// With the starts it would have had.
fn happened(workload: &Workload, policy: &str) -> Workload {
    let schedule = Experiment::new(policy.parse().unwrap(), PredictorSpec::Requested).run(workload).unwrap();
    let mut recorded = workload.clone();
    recorded.starts = schedule.placements.iter().map(|placement| placement.start).collect();
    recorded
}

fn predictor(spec: &str, workload: &Workload) -> Box<dyn RuntimePredictor> {
    let runs = || workload.truths().iter().map(Truth::run).collect();
    spec.parse::<PredictorSpec>().unwrap().build(runs, DEFAULT_REQUEST)
}

fn past<'a>(log: &'a Workload, outlook: &str, spec: &str) -> Past<'a> {
    let run_times = RunTimeModel::new(outlook.parse().unwrap(), predictor(spec, log));
    Past::new(Replay::recorded(log, DEFAULT_REQUEST), run_times, DEFAULT_REQUEST)
}

/// All that a situation holds: free processors, running and waiting jobs.
fn seen(
    situation: &Situation,
) -> (Vec<queuecast_forecast::advice::JobAtSite>, Vec<queuecast_forecast::advice::JobAtSite>) {
    (situation.running().to_vec(), situation.waiting().to_vec())
}

#[test]
fn who_knows_all_run_times_is_right_about_first_come_first_served() {
    let log = happened(&workload(3, 300), "fcfs");
    let errors = |spec: &str| -> Vec<i64> {
        let mut past = past(&log, "forecast", spec);
        let jobs = log.jobs().iter().step_by(7);
        jobs.map(|job| {
            past.before(job.index);
            let sizes = Sizes::measured(&[(job.shape.procs, Seconds(10))], Viable::ANY, MACHINE).unwrap();
            let advisor = Advisor::new(past.situation(job.submit), sizes, Backfill::fcfs(), 1.0);
            let actual = log.starts[job.index.at()] - job.submit;
            (advisor.draw(Seed(1), 0).unwrap().each[0].0 - actual).0
        })
        .collect()
    };
    assert!(
        log.jobs().iter().any(|job| (log.starts[job.index.at()] - job.submit).0 > 3600),
        "there is a queue"
    );
    assert!(errors("perfect").iter().all(|&error| error == 0));
    // Control: with requested times they are not.
    assert!(errors("requested").iter().any(|&error| error != 0));
}

/// A log with everything after a moment changed: other jobs come, and those that run go on for another time.
fn another_future(log: &Workload, moment: Time) -> Workload {
    let mut jobs = Vec::new();
    let mut starts = Vec::new();
    for (job, truth) in log.jobs().iter().zip(log.truths()).filter(|(job, _)| job.submit <= moment) {
        let start = log.starts[job.index.at()];
        let ended = start + truth.run() <= moment;
        let truth = if ended { truth.clone() } else { Truth::rigid(Seconds(3 * truth.run().0 + 7777)) };
        jobs.push((job.clone(), truth));
        starts.push(if start <= moment { start } else { start + Seconds(123_456) });
    }
    let last = jobs.len() as u64;
    jobs.push((Job::rigid(last, moment + Seconds(1), MACHINE, None), Truth::rigid(Seconds(5))));
    starts.push(moment + Seconds(1));
    let (jobs, truths) = jobs.into_iter().unzip();
    Workload::recorded(log.machine(), jobs, truths, starts).unwrap()
}

#[test]
fn nothing_of_the_future_is_known() {
    let log = happened(&workload(5, 400), "easy");
    let (mut queued, mut changed) = (0, false);
    for moment in [20_000, 60_000, 100_000, 150_000].map(Time) {
        let other = another_future(&log, moment);
        for (belief, spec) in [
            ("shares", "requested"),
            ("fitted", "requested"),
            ("forecast", "sbh"),
            ("forecast:3", "ruh"),
            ("forecast", "template:(u),()"),
        ] {
            let state = |log: &Workload, at: Time| {
                let mut past = past(log, belief, spec);
                past.to(at);
                let known = (past.ended(), past.sample(50), past.for_calibration(9));
                (known, seen(&past.situation(at)))
            };
            let (here, there) = (state(&log, moment), state(&other, moment));
            assert_eq!(here, there, "{belief} {spec}");
            queued += here.1.1.len();
            let later = moment + Seconds(20_000);
            changed |= state(&log, later).1 != state(&other, later).1;
        }
    }
    assert!(queued > 0 && changed, "control: there is a queue, and later the two differ");
}

/// Requested times; remembers in which order jobs ended.
#[derive(Debug, Clone, Default)]
struct EndOrder(Arc<Mutex<Vec<u64>>>);

impl RuntimePredictor for EndOrder {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        Forecast::exactly(question.job.shape.limit.unwrap_or(DEFAULT_REQUEST))
    }

    fn observe(&mut self, event: &Event<'_>, _: &mut Vec<Revision>) {
        if let What::Ended(_) = event.what {
            self.0.lock().unwrap().push(event.job.id.0);
        }
    }
}

#[test]
fn simultaneous_ends_have_one_order_in_simulations_and_replays() {
    // Whole minutes, so that many jobs end at once, and the order of submission is not that of the start.
    let coarse = workload(3, 400);
    let pairs = coarse.jobs().iter().zip(coarse.truths()).map(|(job, truth)| {
        let minutes = |time: i64| 1800 * (1 + time / 1800);
        let mut job = job.clone();
        (job.submit, job.shape.limit) = (Time(minutes(job.submit.0)), Some(Seconds(14_400)));
        (job, Truth::rigid(Seconds(minutes(truth.run().0))))
    });
    let coarse = Workload::new(Machine { procs: MACHINE }, pairs.collect()).unwrap();
    let simulated = EndOrder::default();
    let schedule = simulate(
        &coarse,
        Options::default(),
        &mut *Backfill::easy().build(),
        &mut simulated.clone(),
        &mut [],
    )
    .unwrap();
    let starts = schedule.placements.iter().map(|placement| placement.start).collect();
    let recorded =
        Workload::recorded(coarse.machine(), coarse.jobs().to_vec(), coarse.truths().to_vec(), starts)
            .unwrap();
    let replayed = EndOrder::default();
    let replay = WalkForward::of(&recorded).unwrap();
    // One prediction beyond the last, so that all ends are seen.
    replay.each(&mut replayed.clone(), 0..recorded.len() + 1, |_, _, _| {});
    let (simulated, replayed) = (simulated.0.lock().unwrap().clone(), replayed.0.lock().unwrap().clone());
    assert_eq!(simulated, replayed);
    let end = |id: &u64| recorded.starts[*id as usize] + recorded.truths()[*id as usize].run();
    let turned = simulated.windows(2).filter(|two| end(&two[0]) == end(&two[1]) && two[0] > two[1]).count();
    assert!(turned > 5, "control: {turned} ends at once are not in order of submission");
}

#[test]
fn what_a_log_without_starts_would_have_come_to_is_as_if_it_had_them() {
    let bare = workload(9, 300);
    let full = happened(&bare, "easy");
    let moment = Time(90_000);
    let schedule = Experiment::new(Backfill::easy(), PredictorSpec::Requested).run(&bare).unwrap();
    let placed: Vec<(Time, Seconds)> =
        schedule.placements.iter().map(|placement| (placement.start, placement.ran)).collect();
    let run_times = || RunTimeModel::new(RunTimeOutlook::default(), predictor("requested", &bare));
    let replay = Replay::of(&bare, Timeline::simulated(&bare, &placed), DEFAULT_REQUEST);
    let mut simulated = Past::new(replay, run_times(), DEFAULT_REQUEST);
    let mut recorded = past(&full, "shares", "requested");
    simulated.to(moment);
    recorded.to(moment);
    assert_eq!(seen(&simulated.situation(moment)), seen(&recorded.situation(moment)));
    assert!(!recorded.situation(moment).running().is_empty());
}

#[test]
fn a_later_start_has_to_be_worth_it() {
    // Eight are free now and take 1000 s; sixteen are free in 300 s and take 500 s.
    let held = ending(24, 300);
    let runs = [(Procs(8), Seconds(1000)), (Procs(16), Seconds(500)), (Procs(17), Seconds(500))];
    let sizes = Sizes::measured(&runs, Viable::ANY, MACHINE).unwrap();
    let advisor = Advisor::new(situation(MACHINE, &[held], &[]), sizes, Backfill::easy(), 1.0);
    let draws = drawn(&advisor, 3);
    let advice = |averse: f64| -> Advice {
        advisor.conclude(&draws, Preference { target: Target::P90, averse }).unwrap()
    };
    assert_eq!(advice(0.0).recommended().procs, Procs(16), "the smaller of two alike");
    assert_eq!(advice(0.19).recommended().procs, Procs(16), "it gains 200 of 1000");
    assert_eq!(advice(0.2).recommended().procs, Procs(8));
    assert_eq!(advice(0.0).soonest().procs, Procs(8));
    assert_eq!(advice(0.0).recommended().best, Some(1.0));
    assert_eq!(advisor.conclude(&[], Preference::default()), Err(AdviceError::Nothing));
}

#[test]
fn sizes_that_cannot_be_are_refused_with_what_can() {
    let measured = |runs: &[(u32, i64)], fewest: Option<u32>, most: Option<u32>| {
        let runs: Vec<(Procs, Seconds)> =
            runs.iter().map(|&(procs, run)| (Procs(procs), Seconds(run))).collect();
        let viable = Viable {
            fewest: fewest.map_or(Viable::ANY.fewest, Procs),
            most: most.map_or(Viable::ANY.most, Procs),
        };
        Sizes::measured(&runs, viable, MACHINE)
    };
    let kept = measured(&[(32, 10), (4, 60), (1, 99)], Some(2), Some(32)).unwrap();
    assert_eq!(kept.all().iter().map(|size| size.procs.0).collect::<Vec<_>>(), [4, 32]);
    for (refused, said) in [
        (measured(&[(33, 10)], None, None), "33 processors: sizes are from 1 to 32"),
        (measured(&[(0, 10)], None, None), "0 processors: sizes are from 1 to 32"),
        (measured(&[(8, 10), (8, 11)], None, None), "8 processors are given twice"),
        (measured(&[(8, 0)], None, None), "above 0"),
        (measured(&[(8, i64::MAX)], None, None), "at most 10^12"),
        (measured(&[(8, 10)], Some(9), None), "there are only 8"),
        (measured(&[(8, 10)], Some(9), Some(4)), "from 9 to 4"),
        (measured(&[(8, 10)], Some(33), None), "up to 32 on this machine"),
        (measured(&[(8, 10)], None, Some(33)), "up to 32 on this machine"),
        (measured(&[], None, None), "no viable size"),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(said) && !error.contains('\n'), "{error}");
    }
    let modelled = |alone: i64, parallelism: f64, variance: f64| {
        Sizes::modelled(
            Seconds(alone),
            Speedup { parallelism, variance },
            [1, 2, 4, 4].map(Procs),
            Viable::ANY,
            MACHINE,
        )
    };
    let runs: Vec<i64> = modelled(4000, 64.0, 0.0).unwrap().all().iter().map(|size| size.run.0).collect();
    assert_eq!(runs, [4000, 2000, 1000]);
    assert_eq!(modelled(1, 64.0, 0.0).unwrap().all()[2].run, Seconds(1));
    assert_eq!(modelled(0, 2.0, 1.0), Err(SizesError::Run(0)));
    for bad in [0.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(modelled(100, bad, 1.0), Err(SizesError::Parallelism(_))), "{bad}");
    }
    for bad in [-0.1, f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(modelled(100, 2.0, bad), Err(SizesError::Variance(_))), "{bad}");
    }
}
