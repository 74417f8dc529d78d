//! EstimateAssignment of estimates by session, which Tsafrir, Etsion & Feitelson 2005 (section 11.4) leave open.
//!
//! Users submit several jobs of a session under one estimate, and reuse few values. The unit of assignment is the *batch*:
//! a user's jobs of one size in one session. A batch gets one estimate of at least its longest run time, by the first rule
//! that applies:
//!
//! 1. with probability `kept`, that of the user's last batch in the same session;
//! 2. with probability `recalled`, that of the user's previous session or, if it is too short or not assigned yet, of the
//!    next session;
//! 3. a random one of sufficient length, in proportion to the remaining numbers, as in the random shuffle.
//!
//! The distribution of estimates is kept exactly; only the assignment differs from the random shuffle. Batches choose
//! roughly in descending order of their run times. [`Remaining`] keeps an assignment possible, and splits a batch where too
//! few of a value remain.

use std::collections::{BTreeMap, HashMap};

use chacha20::ChaCha8Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::SynthError;
use super::remaining::Remaining;
use crate::characterization::{Modes, UserSessions};
use crate::synth::error::within;
use queuecast_core::job::Job;
use queuecast_core::seed::Seed;
use queuecast_core::units::Seconds;
use queuecast_core::workload::Workload;

/// How users repeat their estimates. The defaults are round numbers chosen by four logs (repetition, estimates per user,
/// accuracy).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Routine {
    /// The longest gap between two arrivals of one session, in seconds; 1 to 604,800.
    pub gap: Seconds,
    /// Probability that the last value of the session is kept, if it is long enough; 0 to 1.
    pub kept: f64,
    /// Probability that, otherwise, the value of the user's previous session is used, else of the next one, if it is long
    /// enough; 0 to 1.
    pub recalled: f64,
    /// Weight of a random rank, the same for all batches of a user, in the order in which batches choose; 0 to 1. At 0 the
    /// longest jobs choose first, as in the random shuffle; at 1 the order is random, and late batches get the shortest
    /// sufficient estimates.
    pub disorder: f64,
}

impl Default for Routine {
    fn default() -> Routine {
        Routine { gap: UserSessions::GAP, kept: 0.5, recalled: 0.8, disorder: 0.35 }
    }
}

/// Attempts by rules 1 and 2 before rule 3.
const TRIES: usize = 4;

impl Routine {
    /// An estimate for every job.
    pub fn pair(&self, modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        within("gap", self.gap, Seconds(1), Seconds(604_800))?;
        within("kept", self.kept, 0.0, 1.0)?;
        within("recalled", self.recalled, 0.0, 1.0)?;
        within("disorder", self.disorder, 0.0, 1.0)?;
        let remaining = Remaining::new(modes, workload)?;
        let sessions = UserSessions::of(workload, self.gap);
        let mut rng = seed.stream("estimates that stay put");
        let batches = Batches::of(workload, &sessions, &remaining.class, self.disorder, &mut rng);
        let mut assignment = EstimateAssignment {
            of_user: vec![BTreeMap::new(); batches.users],
            of_session: vec![None; sessions.count as usize],
            routine: *self,
            remaining,
            rng,
        };
        let mut estimates = vec![Seconds(0); workload.len()];
        let mut classes = Vec::new();
        for batch in &batches.batches {
            let jobs = &batches.jobs[batch.from as usize..batch.to as usize];
            classes.clear();
            classes.extend(jobs.iter().map(|&job| assignment.remaining.class[job as usize]));
            let mut waiting = jobs.len();
            let mut tries = 0;
            while waiting > 0 {
                let estimate = assignment.choose(batch, classes[waiting - 1] as usize, tries < TRIES);
                let given = assignment.give(batch, estimate, &classes[..waiting]);
                for &job in &jobs[waiting - given..waiting] {
                    estimates[job as usize] = assignment.remaining.time(estimate);
                }
                waiting -= given;
                tries += 1;
            }
        }
        Ok(estimates)
    }
}

/// A user's jobs of one size in one session: a range of [`Batches::jobs`], ascending by class.
struct JobBatch {
    from: u32,
    to: u32,
    session: u32,
    /// Among the known users, in order of their first jobs.
    user: Option<u32>,
}

/// All batches, in the order in which they choose.
struct Batches {
    jobs: Vec<u32>,
    batches: Vec<JobBatch>,
    users: usize,
}

impl Batches {
    fn of(
        workload: &Workload,
        sessions: &UserSessions,
        class: &[u32],
        disorder: f64,
        rng: &mut ChaCha8Rng,
    ) -> Batches {
        let alike = |job: &Job, session: u32| u64::from(session) << 32 | u64::from(job.shape.procs.0);
        let jobs = workload.jobs().iter().zip(&sessions.of_job).zip(class);
        let mut jobs: Vec<(u64, u32, u32)> = (0..)
            .zip(jobs)
            .map(|(index, ((job, &session), &class))| (alike(job, session), class, index))
            .collect();
        jobs.sort_unstable();
        let mut users = HashMap::new();
        let mut batches = Vec::new();
        let mut from = 0;
        for batch in jobs.chunk_by(|a, b| a.0 == b.0) {
            let to = from + batch.len() as u32;
            let next = users.len() as u32;
            let user =
                workload.jobs()[batch[0].2 as usize].user.map(|user| *users.entry(user).or_insert(next));
            batches.push(JobBatch { from, to, session: (batch[0].0 >> 32) as u32, user });
            from = to;
        }
        let class = |batch: &JobBatch| jobs[batch.to as usize - 1].1 as usize;
        in_turn(&mut batches, class, disorder, rng);
        Batches { jobs: jobs.into_iter().map(|(_, _, job)| job).collect(), batches, users: users.len() }
    }
}

/// Orders the batches: by class, descending, ties at random, weighted against their users' random ranks by `disorder`.
fn in_turn(
    batches: &mut Vec<JobBatch>,
    class: impl Fn(&JobBatch) -> usize,
    disorder: f64,
    rng: &mut ChaCha8Rng,
) {
    let highest = batches.iter().map(&class).max().unwrap_or_default();
    let mut alike = vec![0u32; highest + 1];
    batches.iter().for_each(|batch| alike[class(batch)] += 1);
    let mut before: Vec<u32> = vec![0; highest + 2];
    for class in (0..=highest).rev() {
        before[class] = before[class + 1] + alike[class];
    }
    let users = batches.iter().filter_map(|batch| batch.user).max().map_or(0, |user| user as usize + 1);
    let luck: Vec<f64> = (0..users).map(|_| rng.random::<f64>()).collect();
    let count = batches.len() as f64;
    let mut turn = |batch: &JobBatch| {
        let class = class(batch);
        let rank = f64::from(before[class + 1]) + f64::from(alike[class]) * rng.random::<f64>();
        let luck = batch.user.map_or_else(|| rng.random::<f64>(), |user| luck[user as usize]);
        (1.0 - disorder) * rank / count + disorder * luck
    };
    let mut turns: Vec<(f64, JobBatch)> = batches.drain(..).map(|batch| (turn(&batch), batch)).collect();
    turns.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.from.cmp(&b.1.from)));
    batches.extend(turns.into_iter().map(|(_, batch)| batch));
}

/// The estimates assigned so far, and the remaining ones.
struct EstimateAssignment {
    routine: Routine,
    remaining: Remaining,
    rng: ChaCha8Rng,
    /// Each user's last estimate in each session.
    of_user: Vec<BTreeMap<u32, usize>>,
    /// The last estimate in each session.
    of_session: Vec<Option<usize>>,
}

impl EstimateAssignment {
    /// Chooses a remaining estimate for jobs of at most this class.
    fn choose(&mut self, batch: &JobBatch, class: usize, by_routine: bool) -> usize {
        let chosen = if by_routine { self.by_routine(batch, class) } else { None };
        chosen.unwrap_or_else(|| self.remaining.any(class, &mut self.rng))
    }

    fn by_routine(&mut self, batch: &JobBatch, class: usize) -> Option<usize> {
        let Routine { kept, recalled, .. } = self.routine;
        let suffices =
            |remaining: &Remaining, estimate: usize| estimate >= class && remaining.left(estimate) > 0;
        let last =
            self.of_session[batch.session as usize].filter(|&estimate| suffices(&self.remaining, estimate));
        if last.is_some() && self.rng.random::<f64>() < kept {
            return last;
        }
        if self.rng.random::<f64>() >= recalled {
            return None;
        }
        let own = &self.of_user[batch.user? as usize];
        let before = own.range(..batch.session).next_back();
        let after = || own.range(batch.session + 1..).next();
        let neighbours = before.into_iter().chain(std::iter::once_with(after).flatten());
        neighbours.map(|(_, &estimate)| estimate).find(|&estimate| suffices(&self.remaining, estimate))
    }

    /// Assigns the estimate to as many of the jobs as possible, and records it.
    fn give(&mut self, batch: &JobBatch, estimate: usize, classes: &[u32]) -> usize {
        let given = self.remaining.give(estimate, classes);
        if given > 0 {
            self.of_session[batch.session as usize] = Some(estimate);
            if let Some(user) = batch.user {
                self.of_user[user as usize].insert(batch.session, estimate);
            }
        }
        given
    }
}
