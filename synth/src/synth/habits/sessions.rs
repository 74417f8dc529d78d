//! Sessions: a user submits similar jobs, often after looking at the last result.

use chacha20::ChaCha8Rng;
use queuecast_core::order;
use rand::RngExt;
use rand_distr::{Distribution, Geometric};

use super::Habits;
use super::users::{HabitApplication, HabitUser, around};
use crate::synth::{Calendar, round_up};
use queuecast_core::job::{Ending, Runs, Truth};
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;

/// One job as its user submits it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Submission {
    /// Seconds after the first submission.
    pub at: i64,
    pub user: u32,
    /// Which of the user's applications.
    pub application: usize,
    pub procs: u32,
    pub limit: Seconds,
    run: Seconds,
    ending: Ending,
}

impl Submission {
    pub(super) fn truth(&self) -> Truth {
        Truth { runs: Runs::Rigid(self.run), ending: self.ending }
    }
}

/// A session: its start as a share of all submissions, its user, and its number of jobs.
struct HabitSession {
    share: f64,
    user: u32,
    jobs: usize,
}

/// Every job, in arrival order.
pub(super) fn submissions(habits: &Habits, users: &[HabitUser], seed: Seed) -> Vec<Submission> {
    let sessions = sessions(habits, users, seed);
    let mut rng = seed.stream("habits/jobs");
    // The present application of each user, which changes in the order of time.
    let mut present = vec![0; users.len()];
    let mut submissions = Vec::with_capacity(habits.jobs as usize);
    for session in &sessions {
        let applications = &users[session.user as usize].applications;
        let present = &mut present[session.user as usize];
        if rng.random_bool(0.3) {
            *present = rng.random_range(0..applications.len());
        }
        submit(habits, session, applications, *present, &mut rng, &mut submissions);
    }
    arrange(habits, &sessions, &mut submissions);
    submissions
}

fn sessions(habits: &Habits, users: &[HabitUser], seed: Seed) -> Vec<HabitSession> {
    let mut rng = seed.stream("habits/sessions");
    let mut activity = Vec::with_capacity(users.len());
    let mut total = 0.0;
    for user in users {
        total += user.activity;
        activity.push(total);
    }
    // Jobs beyond the first. Fails only outside 0 to 1, and a mean of at least one job keeps it inside.
    let more = Geometric::new(1.0 / habits.jobs_per_session).expect("a probability");
    let mut left = habits.jobs as usize;
    let mut sessions = Vec::new();
    while left > 0 {
        let drawn = rng.random_range(0.0..total);
        let user = activity.partition_point(|&before| before <= drawn).min(users.len() - 1);
        let jobs =
            usize::try_from(more.sample(&mut rng)).map_or(left, |more| more.saturating_add(1)).min(left);
        sessions.push(HabitSession { share: rng.random_range(0.0..1.0), user: user as u32, jobs });
        left -= jobs;
    }
    order::sort_by(&mut sessions, |one, other| one.share.total_cmp(&other.share));
    sessions
}

/// Adds the jobs of a session; their times are relative to its beginning until [`arrange`].
fn submit(
    habits: &Habits,
    session: &HabitSession,
    applications: &[HabitApplication],
    present: usize,
    rng: &mut ChaCha8Rng,
    submissions: &mut Vec<Submission>,
) {
    // A script submits all jobs at once, or the user waits for each result that comes soon enough.
    let script = rng.random_bool(0.35);
    // Some sessions have another requested time than usual.
    let caution = if rng.random_bool(0.15) { rng.random_range(0.3..3.0) } else { 1.0 };
    let quota = i64::from(habits.procs) * QUOTA.0;
    let (mut at, mut used) = (0, 0);
    for _ in 0..session.jobs {
        // Most jobs are of the present application.
        let application =
            if rng.random_bool(0.12) { rng.random_range(0..applications.len()) } else { present };
        let job = submission(habits, &applications[application], caution, rng);
        submissions.push(Submission { at, user: session.user, application, ..job });
        at += if script {
            rng.random_range(1..30)
        } else {
            let watched = if job.run <= PATIENCE { job.run.0 } else { 0 };
            watched + (around(300.0, 1.0).sample(rng) as i64).clamp(10, 14_400)
        };
        used += i64::from(job.procs) * job.run.0;
        if used > quota {
            (at, used) = (at + DAY, 0);
        }
    }
}

/// The work of a session per day, as time on the whole machine; the rest is submitted the next day. Without it a few
/// sessions fill the machine for weeks.
const QUOTA: Seconds = Seconds(3600);

const DAY: i64 = 86_400;

/// The longest run time whose result a user waits for.
const PATIENCE: Seconds = Seconds(1200);

/// Draws a job of an application, without user and time.
fn submission(
    habits: &Habits,
    application: &HabitApplication,
    caution: f64,
    rng: &mut ChaCha8Rng,
) -> Submission {
    let limit = round_up(application.request.scaled(caution), habits.longest);
    // Some use twice or half as many processors, with a speedup of 2^0.8.
    let (procs, pace) = match rng.random_range(0..100) {
        0..8 => ((application.procs * 2).min(habits.procs), 0.574),
        8..16 => (application.procs.div_ceil(2), 1.741),
        _ => (application.procs, 1.0),
    };
    let pace = if procs == application.procs { 1.0 } else { pace };
    let meant = pace * around(application.typical.0 as f64, application.spread).sample(rng);
    let meant = Seconds(meant.round().clamp(1.0, limit.0 as f64) as i64);
    let (run, ending) = if rng.random_bool(habits.failures) {
        let failed = around(20.0, 1.2).sample(rng).round().clamp(1.0, 600.0) as i64;
        (Seconds(failed).min(meant), Ending::Failed)
    } else if application.endless || meant == limit {
        (limit, Ending::Killed)
    } else {
        (meant, Ending::Completed)
    };
    Submission { at: 0, user: 0, application: 0, procs, limit, run, ending }
}

/// Places the sessions by the calendar, over the span that gives the load.
///
/// # Formula
/// `span = Σ procs·run / (machine · load)`
fn arrange(habits: &Habits, sessions: &[HabitSession], submissions: &mut [Submission]) {
    let area: i128 = submissions.iter().map(|job| i128::from(job.procs) * i128::from(job.run.0)).sum();
    let span = (area as f64 / (f64::from(habits.procs) * habits.load)).round().max(1.0);
    let calendar = Calendar::office();
    let mut rest = &mut *submissions;
    for session in sessions {
        let (jobs, others) = rest.split_at_mut(session.jobs);
        rest = others;
        let last = jobs.last().map_or(0, |job| job.at);
        // A session that would end after the span begins earlier; a longer one is cut.
        let begins = (calendar.moment(session.share, span) as i64).min(span as i64 - last).max(0);
        for job in jobs {
            job.at = (begins + job.at).min(span as i64);
        }
    }
    order::sort_by_key(submissions, |job| job.at);
    // The span needs a submission at each end.
    if let [first, .., last] = submissions {
        first.at = 0;
        last.at = span as i64;
    }
}
