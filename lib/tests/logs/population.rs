//! Simulated users against the users of real logs: when they submit, and how much their histories tell a predictor.

use libtest_mimic::{Failed, Trial};
use queuecast_core::job::{Job, UserId};
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;
use queuecast_eval::WalkForward;
use queuecast_sim::predict::{DEFAULT_REQUEST, PredictorSpec};
use queuecast_synth::synth::{Habits, Lublin, Population, Resample, UserStatistics};
use rand::seq::SliceRandom;

use crate::{fails, if_thorough, on_log};

/// The workload with other jobs of the same truths.
fn with(workload: &Workload, change: impl FnOnce(&mut [Job])) -> Workload {
    let mut jobs = workload.jobs().to_vec();
    change(&mut jobs);
    let mut changed = Workload::from_columns(workload.machine(), jobs, workload.truths().to_vec()).unwrap();
    changed.epoch = workload.epoch;
    changed
}

/// The users permuted among the jobs.
fn shuffled(workload: &Workload) -> Workload {
    with(workload, |jobs| {
        let mut users: Vec<Option<UserId>> = jobs.iter().map(|job| job.user).collect();
        users.shuffle(&mut Seed(1).stream("shuffled users"));
        jobs.iter_mut().zip(users).for_each(|(job, user)| job.user = user);
    })
}

/// The mean error of a predictor divided by that with the users permuted, without queueing.
fn error_ratio(workload: &Workload, predictor: &str) -> f64 {
    let spec: PredictorSpec = predictor.parse().unwrap();
    let error = |workload: &Workload| {
        let replay = WalkForward::at_submission(workload).unwrap();
        replay.score(spec.build(Vec::new, DEFAULT_REQUEST).as_mut(), 0..replay.len()).mean_error
    };
    error(workload) / error(&shuffled(workload))
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

/// Jobs only: no users, no queues, no requested times, nothing but arrivals, sizes and run times.
fn bare(workload: &Workload) -> Workload {
    with(workload, |jobs| {
        for job in jobs {
            *job = Job::rigid(job.id.0, job.submit, job.shape.procs, None);
        }
    })
}

/// The log's jobs, given to users simulated after its own, are submitted in sessions like the log's.
fn calibrated(log: &Workload) -> Result<(), Failed> {
    let population = Population::like(log).unwrap();
    let settled = population.assign_users(&bare(log), Seed(11)).unwrap();
    let (real, made) = (UserStatistics::of(log), UserStatistics::of(&settled));
    let both = || format!("{population:?}\nlog     {real:?}\nsettled {made:?}");
    let near = |real: f64, made: f64, factor: f64| made <= real * factor && made >= real / factor;
    ensure(made.users.abs_diff(real.users) * 50 <= real.users, both)?;
    ensure(near(real.jobs_per_session, made.jobs_per_session, 1.1), both)?;
    ensure((real.single - made.single).abs() < 0.05, both)?;
    ensure(near(real.think, made.think, 2.0), both)?;
    ensure(near(real.think_spread, made.think_spread, 1.25), both)?;
    ensure(near(real.sizes_per_user, made.sizes_per_user, 1.6), both)?;
    ensure((real.same_size - made.same_size).abs() < 0.05, both)?;
    ensure((real.same_size_again - made.same_size_again).abs() < 0.12, both)?;
    ensure(near(real.user_run_spread, made.user_run_spread, 1.3), both)?;
    ensure(near(real.session_run_spread, made.session_run_spread, 1.25), both)?;
    ensure((real.busiest_tenth - made.busiest_tenth).abs() < 0.08, both)?;
    ensure(near(real.presence, made.presence, 1.3), both)?;
    ensure((real.repetition - made.repetition).abs() < 0.15, both)?;
    ensure((real.history - made.history).abs() < 0.1, both)
}

/// History tells as much about the settled jobs as about the log's, more or less.
fn learnable(log: &Workload) -> Result<(), Failed> {
    let log_without = with(log, |jobs| jobs.iter_mut().for_each(|job| job.shape.limit = None));
    let settled = Population::like(log).unwrap().assign_users(&bare(log), Seed(11)).unwrap();
    for predictor in ["recent:2", "sbh"] {
        let (real, made) = (error_ratio(&log_without, predictor), error_ratio(&settled, predictor));
        let both = || format!("{predictor}: {real:.3} in the log, {made:.3} settled");
        ensure((real - made).abs() < 0.15 && made < 0.75, both)?;
    }
    Ok(())
}

/// Twenty resampled years have the load and the jobs of the log, and differ.
fn resampled(log: &Workload) -> Result<(), Failed> {
    let resample = Resample { weeks: 52, load: None };
    let (mut loads, mut sessions) = (Vec::new(), 0.0);
    for seed in 0..20 {
        let one = resample.of(log, Seed(seed)).unwrap();
        sessions += UserStatistics::of(&one).jobs_per_session / 20.0;
        loads.push(one.offered_load());
    }
    let mean = loads.iter().sum::<f64>() / 20.0;
    let real = log.offered_load();
    ensure((mean / real - 1.0).abs() < 0.12, || format!("load {mean} instead of {real}"))?;
    ensure(loads.iter().any(|load| (load / mean - 1.0).abs() > 0.005), || format!("{loads:?}"))?;
    let real = UserStatistics::of(log).jobs_per_session;
    ensure((sessions / real - 1.0).abs() < 0.08, || format!("{sessions} jobs a session instead of {real}"))
}

/// The default users on the independent jobs of a model.
fn by_default(independent: &Workload) -> Result<(), Failed> {
    let settled = Population::default().assign_users(independent, Seed(1)).unwrap();
    for (predictor, most) in [("recent:2", 0.72), ("sbh", 0.65)] {
        let ratio = error_ratio(&settled, predictor);
        ensure((0.2..most).contains(&ratio), || format!("{predictor}: {ratio:.3}"))?;
    }
    let manners = UserStatistics::of(&settled);
    let asked = Population::default().jobs_per_session;
    ensure((manners.jobs_per_session / asked - 1.0).abs() < 0.2, || format!("{manners:?}"))?;
    ensure(manners.same_size > 0.65 && manners.users == 300, || format!("{manners:?}"))?;
    // Shuffled once, shuffling again changes nothing: the control of the yardstick.
    let ratio = error_ratio(&shuffled(&settled), "recent:2");
    ensure((0.95..1.05).contains(&ratio), || format!("shuffled: {ratio:.3}"))
}

fn on_habits() -> Result<(), Failed> {
    by_default(&bare(&Habits { jobs: 30_000, ..Habits::default() }.generate(Seed(1)).unwrap()))
}

fn on_lublin() -> Result<(), Failed> {
    by_default(&Lublin::new(50_000, 256).generate(Seed(1)).unwrap())
}

const LARGEST: &str = "SDSC-BLUE-2000-4.2-cln.swf.gz";

pub fn trials() -> Vec<Trial> {
    type Check = fn(&Workload) -> Result<(), Failed>;
    let logs = [
        "KTH-SP2-1996-2.1-cln.swf.gz",
        "CTC-SP2-1996-3.1-cln.swf.gz",
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        LARGEST,
    ];
    let checks: [(&str, Check); 3] =
        [("calibrated", calibrated), ("learnable", learnable), ("resampled", resampled)];
    let mut trials: Vec<Trial> = Vec::new();
    for name in logs {
        for (what, check) in checks {
            let trial = on_log(format!("population::{what}/{name}"), name, check);
            // It has more jobs than the other three together, which hold the same.
            trials.push(if name == LARGEST { if_thorough(trial) } else { trial });
        }
    }
    trials.push(Trial::test("population::default/history_tells_something_on_habits", on_habits));
    trials.push(Trial::test("population::default/history_tells_something_on_lublin", on_lublin));
    trials.push(Trial::test("population::control/a_strange_population_is_found", || {
        let habits = Habits { jobs: 5000, ..Habits::default() }.generate(Seed(1)).unwrap();
        fails(learnable(&shuffled(&habits)))
    }));
    trials
}
