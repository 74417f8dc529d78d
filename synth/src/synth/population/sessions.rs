//! Assigns each arrival to a session: a pending session continues, or a planned one begins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use statrs::distribution::{ContinuousCDF, Normal};

use super::users::Users;
use super::{Lanes, Population};
use crate::characterization::UserSessions;
use queuecast_core::seed::Seed;
use queuecast_core::workload::Workload;

/// The session and the application that an arrival belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignedJob {
    pub session: u32,
    pub application: u32,
}

/// A session that has not ended.
struct OpenSession {
    user: u32,
    /// The session's main application, and that of the next job.
    subject: u32,
    application: u32,
    /// Jobs still to be submitted.
    left: u32,
    /// When the last job was submitted.
    last: i64,
    /// The latest time of the next job.
    until: i64,
}

/// The sessions whose next job belongs in one lane.
#[derive(Default)]
struct Lane {
    /// Sessions whose next job is not due yet, by due time.
    thinking: BinaryHeap<Reverse<(i64, u32)>>,
    /// Sessions whose next job is due. The last to become due continues first, so that most continue in time.
    due: Vec<u32>,
}

/// The state of the assignment.
struct SessionAssignment<'a> {
    population: &'a Population,
    users: &'a Users,
    sessions: Vec<OpenSession>,
    /// For each lane, the sessions whose next job belongs there.
    lanes: Vec<Lane>,
    /// Planned sessions that have not begun.
    waiting: Vec<u32>,
    /// The current period.
    period: u32,
    /// Each user's last main application, and last submission.
    ran: Vec<Option<u32>>,
    seen: Vec<i64>,
    /// Jobs of sessions that a pause ended early; later sessions get them.
    owed: u32,
    lengths: Lengths,
    rng: ChaCha8Rng,
}

/// Probability that, if no session is due, a pending one continues early instead of another one beginning: a burst of
/// arrivals is mostly of one user.
const HASTE: f64 = 0.5;

/// Number of sessions whose jobs may be owed before sessions may continue late.
const OWED: f64 = 20.0;

/// Number of users considered for a session.
const CONSIDERED: usize = 12;

/// One submission for each arrival.
pub(super) fn assign(
    population: &Population,
    workload: &Workload,
    lanes: &Lanes,
    users: &Users,
    seed: Seed,
) -> Vec<AssignedJob> {
    let mut assignment = SessionAssignment {
        population,
        users,
        sessions: Vec::new(),
        lanes: (0..lanes.sizes.len()).map(|_| Lane::default()).collect(),
        waiting: Vec::new(),
        period: 0,
        ran: vec![None; users.count()],
        seen: vec![i64::MIN; users.count()],
        owed: 0,
        lengths: Lengths::of(population),
        rng: seed.stream("population/walk"),
    };
    let slots = workload.jobs().iter().zip(&lanes.of_slot).enumerate();
    slots
        .map(|(slot, (job, &lane))| {
            if slot % users.period == 0 {
                assignment.period = (slot / users.period) as u32;
                assignment.waiting.extend(&users.planned[slot / users.period]);
            }
            assignment.step(job.submit.0, lane)
        })
        .collect()
}

impl SessionAssignment<'_> {
    fn step(&mut self, at: i64, lane: u32) -> AssignedJob {
        let session = self.continuing(at, lane).unwrap_or_else(|| self.begin(at, lane));
        let state = &mut self.sessions[session as usize];
        let application = state.application;
        state.last = at;
        state.left -= 1;
        self.ran[state.user as usize] = Some(state.subject);
        self.seen[state.user as usize] = at;
        if state.left > 0 {
            let switch = self.rng.random_bool(self.population.switching);
            let lane = self.users.applications[application as usize].lane;
            let other = if switch {
                self.users.pick(state.user, lane, Some(application), &mut self.rng)
            } else {
                None
            };
            state.application = other.unwrap_or(application);
            // A long think time may be exceeded by more.
            let due = self.think();
            let late = 60 + 2 * due;
            let state = &mut self.sessions[session as usize];
            state.until = at.saturating_add((due + late).min(UserSessions::GAP.0));
            let due = at.saturating_add(due);
            self.lanes[lane as usize].thinking.push(Reverse((due, session)));
        }
        AssignedJob { session, application }
    }

    /// A session of this lane that continues: one that is due, or a pending one that continues early.
    fn continuing(&mut self, at: i64, lane: u32) -> Option<u32> {
        let Lane { thinking, due } = &mut self.lanes[lane as usize];
        while let Some(&Reverse((_, session))) = thinking.peek().filter(|soonest| soonest.0.0 <= at) {
            thinking.pop();
            due.push(session);
        }
        // Where arrivals are too sparse for the think times, sessions continue late instead of ending.
        let patient = f64::from(self.owed) > OWED * self.population.jobs_per_session;
        while let Some(session) = due.pop() {
            let state = &self.sessions[session as usize];
            if at <= if patient { state.last.saturating_add(UserSessions::GAP.0) } else { state.until } {
                return Some(session);
            }
            // Too late: the session has ended.
            self.owed = self.owed.saturating_add(state.left);
        }
        // Every pending session had a job within the last gap.
        if thinking.is_empty() || !self.rng.random_bool(HASTE) {
            return None;
        }
        thinking.pop().map(|Reverse((_, session))| session)
    }

    /// Begins a session.
    fn begin(&mut self, at: i64, lane: u32) -> u32 {
        let (user, application) = self.newcomer(at, lane);
        let drawn = self.lengths.draw(&mut self.rng);
        // Sessions of more than one job also get jobs that are owed.
        let more = if drawn > 1 { self.owed.min(4 * drawn) } else { 0 };
        self.owed -= more;
        self.sessions.push(OpenSession {
            user,
            subject: application,
            application,
            left: drawn.saturating_add(more),
            last: at,
            until: at,
        });
        self.sessions.len() as u32 - 1
    }

    /// The user and the application of a new session: a user with a planned session who works at this time and is not in a
    /// session, if possible.
    fn newcomer(&mut self, at: i64, lane: u32) -> (u32, u32) {
        let mut second = None;
        for _ in 0..CONSIDERED.min(self.waiting.len()) {
            let place = self.rng.random_range(0..self.waiting.len());
            let user = self.waiting[place];
            let rested = self.seen[user as usize] < at.saturating_sub(UserSessions::GAP.0);
            if rested && self.users.is_about(user, at, &mut self.rng) {
                if let Some(application) = self.opening(user, lane) {
                    self.waiting.swap_remove(place);
                    return (user, application);
                }
            } else if second.is_none() || rested {
                second = Some((place, user));
            }
        }
        if let Some((place, user)) = second
            && let Some(application) = self.opening(user, lane)
        {
            self.waiting.swap_remove(place);
            return (user, application);
        }
        let user = self.unplanned(at, lane);
        (user, self.opening(user, lane).unwrap_or_default())
    }

    /// A user of this lane, if possible present and not in a session.
    fn unplanned(&mut self, at: i64, lane: u32) -> u32 {
        let mut user = 0;
        for _ in 0..CONSIDERED {
            user = self.users.draw(lane, &mut self.rng);
            let rested = self.seen[user as usize] < at.saturating_sub(UserSessions::GAP.0);
            if rested && self.users.is_present(user, self.period) {
                break;
            }
        }
        user
    }

    /// The application with which a user begins a session in this lane.
    fn opening(&mut self, user: u32, lane: u32) -> Option<u32> {
        let last =
            self.ran[user as usize].filter(|&last| self.users.applications[last as usize].lane == lane);
        if last.is_some() && self.rng.random_bool(self.population.resuming) {
            return last;
        }
        self.users.pick(user, lane, None, &mut self.rng)
    }

    /// Draws the seconds until a session's next job.
    fn think(&mut self) -> i64 {
        let normal: f64 = StandardNormal.sample(&mut self.rng);
        let think = self.population.think.0 as f64 * (self.population.think_spread * normal).exp();
        think.round().clamp(0.0, UserSessions::GAP.0 as f64) as i64
    }
}

/// The distribution of the number of jobs in a session: log-normal, at least one, rounded at random so that the mean is
/// kept.
struct Lengths {
    middle: f64,
    spread: f64,
}

/// The most jobs in a session.
const MOST: f64 = 10_000.0;

impl Lengths {
    /// The distribution with the population's mean.
    ///
    /// # Formula
    /// `E max(1, X) = Φ(−m/s) + exp(m + s²/2) · Φ(m/s + s)` for `ln X` normal with mean m and deviation s
    fn of(population: &Population) -> Lengths {
        let spread = population.session_spread.max(1e-3);
        let normal = Normal::standard();
        let mean = |middle: f64| {
            let above = normal.cdf(middle / spread + spread);
            normal.cdf(-middle / spread) + (middle + spread * spread / 2.0).exp() * above
        };
        let (mut low, mut high) = (-20.0, MOST.ln());
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if mean(middle) < population.jobs_per_session {
                low = middle;
            } else {
                high = middle;
            }
        }
        Lengths { middle: low, spread }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> u32 {
        let normal: f64 = StandardNormal.sample(rng);
        let jobs = (self.middle + self.spread * normal).exp() + rng.random_range(0.0..1.0);
        jobs.floor().clamp(1.0, MOST) as u32
    }
}
