//! What the population promises, measured on what it makes.

use std::collections::BTreeMap;

use super::*;
use crate::synth::{Habits, Stripped, Variant};
use queuecast_core::job::Ending;
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Machine;

/// Independent jobs without users.
fn without_users(jobs: u32) -> Workload {
    let stripped = Some(Stripped { percent: 100, estimates: true, identity: true, seed: 1 });
    let habits = Habits { jobs, ..Habits::default() }.generate(Seed(1)).unwrap();
    Variant { stripped, ..Variant::default() }.of(&habits).unwrap()
}

/// Jobs without users, in no queue.
fn unqueued(jobs: u32) -> Workload {
    let queued = without_users(jobs);
    let mut jobs = queued.jobs().to_vec();
    jobs.iter_mut().for_each(|job| job.queue = None);
    Workload::from_columns(queued.machine(), jobs, queued.truths().to_vec()).unwrap()
}

/// Every arrival of every queue, in order.
fn arrivals(workload: &Workload) -> Vec<(Option<QueueId>, Time)> {
    workload.jobs().iter().map(|job| (job.queue, job.submit)).collect()
}

/// Queue, processors, requested time, run time and ending of a job.
type Content = (Option<QueueId>, Procs, Option<Seconds>, Seconds, String);

/// Every job of every queue, sorted.
fn contents(workload: &Workload) -> Vec<Content> {
    let pairs = workload.jobs().iter().zip(workload.truths());
    let mut contents: Vec<_> = pairs
        .map(|(job, truth)| {
            (job.queue, job.shape.procs, job.shape.limit, truth.run(), format!("{:?}", truth.ending))
        })
        .collect();
    contents.sort();
    contents
}

#[test]
fn arrivals_and_jobs_stay_what_they_were() {
    let before = without_users(20_000);
    let after = Population::default().assign_users(&before, Seed(3)).unwrap();
    assert_eq!(arrivals(&after), arrivals(&before));
    assert_eq!(contents(&after), contents(&before));
    assert_ne!(after.truths(), before.truths(), "nothing was rearranged");
    assert_eq!((after.machine(), after.epoch), (before.machine(), before.epoch));
    assert!(after.truths().iter().any(|truth| truth.ending == Ending::Killed));
}

#[test]
fn every_job_has_a_named_user() {
    let settled = Population::default().assign_users(&without_users(20_000), Seed(3)).unwrap();
    for job in settled.jobs() {
        let (user, group) = (job.user.unwrap().number(), job.group.unwrap().number());
        let (executable, queue) = (job.executable.unwrap().number(), job.queue.unwrap().number());
        assert!(settled.names.users.contains_key(&user) && settled.names.groups.contains_key(&group));
        assert!(
            settled.names.executables.contains_key(&executable) && settled.names.queues.contains_key(&queue)
        );
    }
    let manners = UserStatistics::of(&settled);
    assert!((295..=300).contains(&manners.users), "{}", manners.users);
    // An executable is one user's.
    let mut owners = BTreeMap::new();
    for job in settled.jobs() {
        assert_eq!(*owners.entry(job.executable).or_insert(job.user), job.user);
    }
}

#[test]
fn without_queues_an_application_has_the_queue_of_its_usual_run_time() {
    let bare = unqueued(5000);
    let settled = Population::default().assign_users(&bare, Seed(3)).unwrap();
    let mut queues = BTreeMap::new();
    for job in settled.jobs() {
        assert_eq!(*queues.entry(job.executable).or_insert(job.queue), job.queue);
    }
    let names: Vec<&str> = settled.names.queues.values().map(String::as_str).collect();
    assert_eq!(names, ["short", "medium", "long"]);
}

#[test]
fn the_same_seed_settles_the_same_for_ever() {
    let before = without_users(20_000);
    let settle = |seed| Population::default().assign_users(&before, Seed(seed)).unwrap();
    assert_eq!(settle(1).digest(), DIGEST, "{:#018x}", settle(1).digest());
    assert_eq!(settle(1), settle(1));
    assert_ne!(settle(2).digest(), DIGEST);
}

/// Change it only on purpose.
const DIGEST: u64 = 0x398c_af15_0657_1305;

#[test]
fn users_work_as_the_parameters_say() {
    let (before, unqueued) = (without_users(30_000), unqueued(30_000));
    for jobs_per_session in [1.5, 3.0, 6.0] {
        let population = Population { jobs_per_session, users: 200, ..Population::default() };
        let manners = UserStatistics::of(&population.assign_users(&before, Seed(2)).unwrap());
        let met = manners.jobs_per_session / jobs_per_session;
        // Long sessions do not always find arrivals in their queue within an hour.
        assert!((0.7..1.2).contains(&met), "{jobs_per_session}: {manners:?}");
        assert_eq!(manners.users, 200);
    }
    let manners =
        |population: Population| UserStatistics::of(&population.assign_users(&before, Seed(2)).unwrap());
    let usual = manners(Population::default());
    // Each way of working shows in its own measure.
    assert!(manners(Population { activity: 0.0, ..Population::default() }).busiest_tenth < 0.15);
    assert!(usual.busiest_tenth > 0.3, "{usual:?}");
    let presence = |presence| {
        let population = Population { presence, ..Population::default() };
        UserStatistics::of(&population.assign_users(&unqueued, Seed(2)).unwrap()).presence
    };
    assert!(presence(0.1) < presence(1.0) - 0.05, "{} {}", presence(0.1), presence(1.0));
    assert!(manners(Population { resizing: 0.4, ..Population::default() }).same_size < usual.same_size - 0.1);
    assert!(
        manners(Population { switching: 0.8, ..Population::default() }).repetition > 1.2 * usual.repetition
    );
    assert!(
        manners(Population { session_run_spread: 2.0, ..Population::default() }).run_change
            > 2.0 * usual.run_change
    );
    assert!(
        manners(Population { failures: 0.4, ..Population::default() }).session_run_spread
            > usual.session_run_spread
    );
    assert!(manners(Population { session_spread: 0.1, ..Population::default() }).single < usual.single);
}

#[test]
fn users_tell_nothing_once_they_are_shuffled() {
    let settled = Population::default().assign_users(&without_users(30_000), Seed(2)).unwrap();
    let manners = UserStatistics::of(&settled);
    let mut jobs = settled.jobs().to_vec();
    // The user of the job 7919 places further on.
    let users: Vec<Option<UserId>> = jobs.iter().map(|job| job.user).collect();
    for (place, job) in jobs.iter_mut().enumerate() {
        job.user = users[(place * 7919) % users.len()];
    }
    let shuffled = Workload::from_columns(settled.machine(), jobs, settled.truths().to_vec()).unwrap();
    let shuffled = UserStatistics::of(&shuffled);
    assert!(manners.repetition < 0.6 && manners.history < 0.7, "{manners:?}");
    assert!(shuffled.repetition > 0.9 && shuffled.history > 0.85, "{shuffled:?}");
}

#[test]
fn users_have_hours_and_are_present_for_a_time() {
    let population = Population { users: 40, ..Population::default() };
    let settled = population.assign_users(&without_users(60_000), Seed(2)).unwrap();
    // Over the users: how far the busiest eight hours exceed a third of their jobs, and when they are seen.
    let mut by_user: BTreeMap<Option<UserId>, (Vec<f64>, usize, usize)> = BTreeMap::new();
    let mut all_users = vec![0.0; 24];
    for (place, job) in settled.jobs().iter().enumerate() {
        let hour = (job.submit.0 / 3600 % 24) as usize;
        let (hours, _, last) = by_user.entry(job.user).or_insert((vec![0.0; 24], place, place));
        hours[hour] += 1.0;
        all_users[hour] += 1.0;
        *last = place;
    }
    let busiest = |hours: &[f64]| {
        let window = |from: usize| (0..8).map(|hour| hours[(from + hour) % 24]).sum::<f64>();
        (0..24).map(window).fold(0.0, f64::max) / hours.iter().sum::<f64>()
    };
    let mean = by_user.values().map(|(hours, _, _)| busiest(hours)).sum::<f64>() / by_user.len() as f64;
    assert!(mean > busiest(&all_users) + 0.02, "{mean} {}", busiest(&all_users));
    let away = by_user.values().filter(|(_, first, last)| last - first < 45_000).count();
    assert!(away >= 5, "{away} of {} come or go", by_user.len());
}

#[test]
fn the_smallest_and_the_oddest_work() {
    let machine = Machine { procs: Procs(8) };
    let job = |submit: i64, procs, run| {
        (Job::rigid(1, Time(submit), Procs(procs), None), Truth::rigid(Seconds(run)))
    };
    let odd: Vec<Vec<(Job, Truth)>> = vec![
        vec![],
        vec![job(0, 1, 0)],
        vec![job(-5, 1, 0), job(900_000_000_000_000, 8, 900_000_000_000_000)],
        (0..300).map(|_| job(7, 2, 60)).collect(),
        (0..300).map(|place| job(place * 10_000_000_000, 1 + (place % 8) as u32, place)).collect(),
    ];
    for jobs in odd {
        let before = Workload::new(machine, jobs).unwrap();
        for population in [
            Population::default(),
            Population { users: 1, applications: 1.0, groups: 1, ..Population::default() },
            Population {
                users: 1_000_000,
                jobs_per_session: 1.0,
                session_spread: 0.0,
                ..Population::default()
            },
            Population {
                jobs_per_session: 1000.0,
                session_spread: 3.0,
                think_spread: 4.0,
                ..Population::default()
            },
            Population {
                failures: 1.0,
                resizing: 1.0,
                switching: 1.0,
                kinship: 0.0,
                ..Population::default()
            },
            Population {
                spread: 5.0,
                session_run_spread: 5.0,
                wandering: 1.0,
                activity: 5.0,
                ..Population::default()
            },
        ] {
            let after = population.assign_users(&before, Seed(1)).unwrap();
            let times =
                |workload: &Workload| workload.jobs().iter().map(|job| job.submit).collect::<Vec<_>>();
            assert_eq!(times(&after), times(&before));
            assert!(after.jobs().iter().all(|job| job.user.is_some() && job.queue.is_some()));
        }
    }
}

#[test]
fn impossible_parameters_are_named() {
    let before = without_users(100);
    let complain =
        |population: Population| population.assign_users(&before, Seed(1)).unwrap_err().to_string();
    let usual = Population::default();
    assert_eq!(complain(Population { users: 0, ..usual }), "users = 0: must be between 1 and 1000000");
    assert_eq!(
        complain(Population { jobs_per_session: 0.5, ..usual }),
        "jobs_per_session = 0.5: must be between 1 and 1000"
    );
    assert_eq!(complain(Population { think: Seconds(0), ..usual }), "think = 0: must be between 1 and 3600");
    assert!(complain(Population { activity: f64::NAN, ..usual }).starts_with("activity = NaN"));
    assert!(complain(Population { plateau: -1.0, ..usual }).starts_with("plateau = -1"));
    assert!(complain(Population { presence: 0.0, ..usual }).starts_with("presence = 0"));
    assert!(complain(Population { session_spread: 3.1, ..usual }).starts_with("session_spread = 3.1"));
    assert!(complain(Population { think_spread: 5.0, ..usual }).starts_with("think_spread = 5"));
    assert!(complain(Population { applications: 0.0, ..usual }).starts_with("applications = 0"));
    assert!(complain(Population { kinship: 2.0, ..usual }).starts_with("kinship = 2"));
    assert!(complain(Population { switching: 1.5, ..usual }).starts_with("switching = 1.5"));
    assert!(complain(Population { resuming: -0.5, ..usual }).starts_with("resuming = -0.5"));
    assert!(complain(Population { spread: 6.0, ..usual }).starts_with("spread = 6"));
    assert!(complain(Population { session_run_spread: 6.0, ..usual }).starts_with("session_run_spread = 6"));
    assert!(complain(Population { wandering: 1.1, ..usual }).starts_with("wandering = 1.1"));
    assert!(complain(Population { resizing: 1.1, ..usual }).starts_with("resizing = 1.1"));
    assert!(complain(Population { failures: f64::INFINITY, ..usual }).starts_with("failures = inf"));
    assert!(complain(Population { groups: 0, ..usual }).starts_with("groups = 0"));
}

#[test]
fn a_log_without_users_cannot_be_imitated() {
    let error = Population::like(&without_users(100)).unwrap_err().to_string();
    assert_eq!(error, "the log does not say who submitted its jobs: there are no users to fit to");
    let nothing = Workload::new(Machine { procs: Procs(1) }, vec![]).unwrap();
    assert!(Population::like(&nothing).is_err());
}

#[test]
fn a_calibrated_population_is_one_that_settles() {
    let one = {
        let mut job = Job::rigid(1, Time(5), Procs(1), None);
        job.user = UserId::new(3);
        Workload::new(Machine { procs: Procs(1) }, vec![(job, Truth::rigid(Seconds(5)))]).unwrap()
    };
    let habits = Habits { jobs: 3000, ..Habits::default() }.generate(Seed(1)).unwrap();
    for log in [one, habits] {
        let population = Population::like(&log).unwrap();
        assert_eq!(population.check(), Ok(()));
        assert_eq!(population, Population::like(&log).unwrap());
        assert_eq!(UserStatistics::of(&population.assign_users(&log, Seed(9)).unwrap()).jobs, log.len());
    }
}

#[test]
fn parameters_are_data() {
    let population: Population = serde_json::from_str(r#"{"users": 30, "think": 60}"#).unwrap();
    assert_eq!(population, Population { users: 30, think: Seconds(60), ..Population::default() });
    assert!(serde_json::from_str::<Population>(r#"{"user": 300}"#).is_err());
}
