//! Estimates that stay put: the session-aware assignment that Tsafrir, Etsion & Feitelson 2005 (section 11.4) leave open.
//!
//! People do not think up a time for every job. They submit the same thing several times in a sitting under one estimate,
//! and have a few values they come back to. So the unit here is not the job but the *batch*: a user's jobs of one size in
//! one sitting. A batch needs an estimate that its longest job fits into, and all of it gets the same one, by the first of
//! these that applies:
//!
//! 1. with chance `kept`, what the user's last batch in the same sitting got;
//! 2. with chance `recalled`, what the user asked for in the sitting before, or, if that is too short or not known yet, in
//!    the one after;
//! 3. any that suffices, in proportion to how many are left of it, as in the random shuffle.
//!
//! Every estimate is used exactly as often as the distribution has it, so what differs from the random shuffle is who has
//! it, and nothing else. Batches choose roughly in the order of their needs, the longest first, as jobs do there; a
//! [`Ledger`] sees to it that nobody goes without in the end, and splits a batch where there is not enough of a value.

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::SynthError;
use super::ledger::Ledger;
use crate::job::Job;
use crate::portrait::{Modes, Sittings};
use crate::seed::Seed;
use crate::synth::error::within;
use crate::units::Seconds;
use crate::workload::Workload;

/// How attached people are to their estimates. The defaults are round numbers, set once beside four logs (how often an
/// estimate is repeated, how many a user has, how accurate they are) and not fitted to any one of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Routine {
    /// The longest gap between two arrivals of one sitting, in seconds; 1 to 604,800.
    pub gap: Seconds,
    /// The chance that the last value of the sitting is kept, if it suffices; 0 to 1.
    pub kept: f64,
    /// The chance that, otherwise, the value of the user's sitting before is taken again, else of the one after, if it
    /// suffices; 0 to 1.
    pub recalled: f64,
    /// How far the order in which batches choose is a matter of luck, which is the same for all batches of a user; 0 to 1.
    /// At 0 who needs most chooses first, and long estimates go to long jobs as often as in the random shuffle; at 1
    /// everybody takes what is popular, and who comes late gets what just suffices.
    pub disorder: f64,
}

impl Default for Routine {
    fn default() -> Routine {
        Routine { gap: Sittings::GAP, kept: 0.5, recalled: 0.8, disorder: 0.35 }
    }
}

/// Values tried before the rules of the routine give way to what is left.
const TRIES: usize = 4;

impl Routine {
    /// An estimate for every job.
    pub fn pair(&self, modes: &Modes, workload: &Workload, seed: Seed) -> Result<Vec<Seconds>, SynthError> {
        within("gap", self.gap, Seconds(1), Seconds(604_800))?;
        within("kept", self.kept, 0.0, 1.0)?;
        within("recalled", self.recalled, 0.0, 1.0)?;
        within("disorder", self.disorder, 0.0, 1.0)?;
        let ledger = Ledger::open(modes, workload)?;
        let sittings = Sittings::of(workload, self.gap);
        let mut rng = seed.stream("estimates that stay put");
        let batches = Batches::of(workload, &sittings, &ledger.class, self.disorder, &mut rng);
        let mut people = People {
            of_user: vec![BTreeMap::new(); batches.users],
            of_sitting: vec![None; sittings.count as usize],
            routine: *self,
            ledger,
            rng,
        };
        let mut estimates = vec![Seconds(0); workload.len()];
        let mut classes = Vec::new();
        for batch in &batches.batches {
            let jobs = &batches.jobs[batch.from as usize..batch.to as usize];
            classes.clear();
            classes.extend(jobs.iter().map(|&job| people.ledger.class[job as usize]));
            let mut waiting = jobs.len();
            let mut tries = 0;
            while waiting > 0 {
                let estimate = people.choose(batch, classes[waiting - 1] as usize, tries < TRIES);
                let given = people.give(batch, estimate, &classes[..waiting]);
                for &job in &jobs[waiting - given..waiting] {
                    estimates[job as usize] = people.ledger.time(estimate);
                }
                waiting -= given;
                tries += 1;
            }
        }
        Ok(estimates)
    }
}

/// A user's jobs of one size in one sitting: a stretch of [`Batches::jobs`], ascending by class.
struct JobBatch {
    from: u32,
    to: u32,
    sitting: u32,
    /// Among the known users, in order of their first jobs.
    user: Option<u32>,
}

/// All jobs in batches, in the order in which they choose.
struct Batches {
    jobs: Vec<u32>,
    batches: Vec<JobBatch>,
    users: usize,
}

impl Batches {
    fn of(
        workload: &Workload,
        sittings: &Sittings,
        class: &[u32],
        disorder: f64,
        rng: &mut ChaCha8Rng,
    ) -> Batches {
        let alike = |job: &Job, sitting: u32| u64::from(sitting) << 32 | u64::from(job.shape.procs.0);
        let jobs = workload.jobs().iter().zip(&sittings.of_job).zip(class);
        let mut jobs: Vec<(u64, u32, u32)> = (0..)
            .zip(jobs)
            .map(|(index, ((job, &sitting), &class))| (alike(job, sitting), class, index))
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
            batches.push(JobBatch { from, to, sitting: (batch[0].0 >> 32) as u32, user });
            from = to;
        }
        let class = |batch: &JobBatch| jobs[batch.to as usize - 1].1 as usize;
        in_turn(&mut batches, class, disorder, rng);
        Batches { jobs: jobs.into_iter().map(|(_, _, job)| job).collect(), batches, users: users.len() }
    }
}

/// Puts batches into the order in which they choose: by class from the highest, those alike at random, weighed against the
/// luck of their users by the `disorder`.
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

/// What people have asked for so far, and what is left to ask for.
struct People {
    routine: Routine,
    ledger: Ledger,
    rng: ChaCha8Rng,
    /// What each user has asked for last in which sitting.
    of_user: Vec<BTreeMap<u32, usize>>,
    /// What was asked for last in each sitting.
    of_sitting: Vec<Option<usize>>,
}

impl People {
    /// An estimate for jobs of at most this class, of which some are left.
    fn choose(&mut self, batch: &JobBatch, class: usize, by_routine: bool) -> usize {
        let chosen = if by_routine { self.by_routine(batch, class) } else { None };
        chosen.unwrap_or_else(|| self.ledger.any(class, &mut self.rng))
    }

    fn by_routine(&mut self, batch: &JobBatch, class: usize) -> Option<usize> {
        let Routine { kept, recalled, .. } = self.routine;
        let suffices = |ledger: &Ledger, estimate: usize| estimate >= class && ledger.left(estimate) > 0;
        let last =
            self.of_sitting[batch.sitting as usize].filter(|&estimate| suffices(&self.ledger, estimate));
        if last.is_some() && self.rng.random::<f64>() < kept {
            return last;
        }
        if self.rng.random::<f64>() >= recalled {
            return None;
        }
        let own = &self.of_user[batch.user? as usize];
        let before = own.range(..batch.sitting).next_back();
        let after = || own.range(batch.sitting + 1..).next();
        let neighbours = before.into_iter().chain(std::iter::once_with(after).flatten());
        neighbours.map(|(_, &estimate)| estimate).find(|&estimate| suffices(&self.ledger, estimate))
    }

    /// Gives it to as many of the jobs as may have it, and remembers it.
    fn give(&mut self, batch: &JobBatch, estimate: usize, classes: &[u32]) -> usize {
        let given = self.ledger.give(estimate, classes);
        if given > 0 {
            self.of_sitting[batch.sitting as usize] = Some(estimate);
            if let Some(user) = batch.user {
                self.of_user[user as usize].insert(batch.sitting, estimate);
            }
        }
        given
    }
}
