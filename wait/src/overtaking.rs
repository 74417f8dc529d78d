//! Which waiting jobs go first, learned from which have: real queues are seldom first come, first served.
//!
//! When a job starts while others wait that would have fitted too, the site has preferred it. From many such choices a score for
//! each job is learned: by its queue, its user, its size and its requested time, and by how long it has waited.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::Lookup;

/// The most jobs that one start is compared with, of those that could have started instead.
const COMPARED: usize = 8;

/// How far one comparison moves a score at first.
const STEP: f64 = 0.3;

/// How much of a score is lost with each comparison that it takes part in: old preferences fade.
const FADING: f64 = 0.0005;

/// A wait counts by the logarithm of 1 plus the wait in this unit, in seconds.
const UNIT: f64 = 600.0;

/// A part of the score that jobs of one kind share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum ScorePart {
    Waited,
    Queue(u32),
    Partition(u32),
    User(u32),
    Group(u32),
    Size(u32),
    Request(u32),
}

/// How many kinds a job is of.
const KINDS: usize = 7;

/// A learned weight.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Weight {
    value: f64,
    /// Squares of all steps so far: the more was learned, the smaller the next step.
    squares: f64,
}

impl Weight {
    fn step(&mut self, slope: f64) {
        self.squares += slope * slope;
        self.value += STEP * slope / (1.0 + self.squares).sqrt() - FADING * slope.abs() * self.value;
    }
}

/// A job that waits.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct WaitingChoice {
    submit: Time,
    procs: i64,
    kinds: [ScorePart; KINDS],
}

/// Learns from the events of a site which waiting jobs it prefers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Overtaking {
    /// Looked up, never iterated.
    weights: Lookup<ScorePart, Weight>,
    waiting: BTreeMap<JobIndex, WaitingChoice>,
    /// Those that started in the second of the last start.
    started: Vec<WaitingChoice>,
    at: Time,
    /// Processors in use, before the starts of that second.
    before: i64,
    in_use: i64,
    /// The most that were ever in use.
    most: i64,
    holding: Lookup<JobIndex, i64>,
}

fn binary_log(number: i64) -> u32 {
    u64::try_from(number).unwrap_or(0).checked_ilog2().unwrap_or(0)
}

fn kinds(job: &Job) -> [ScorePart; KINDS] {
    // Unknown is a kind of its own.
    let known = |id: Option<u32>| id.map_or(0, |id| id.wrapping_add(1));
    [
        ScorePart::Waited,
        ScorePart::Queue(known(job.queue.map(|id| id.number()))),
        ScorePart::Partition(known(job.partition.map(|id| id.number()))),
        ScorePart::User(known(job.user.map(|id| id.number()))),
        ScorePart::Group(known(job.group.map(|id| id.number()))),
        ScorePart::Size(binary_log(i64::from(job.shape.procs.0))),
        ScorePart::Request(job.shape.limit.map_or(99, |limit| binary_log(limit.0))),
    ]
}

/// How long a job has waited, as it counts.
fn waited(wait: Seconds) -> f64 {
    (1.0 + wait.0.max(0) as f64 / UNIT).ln()
}

impl Overtaking {
    /// Before the first event.
    pub fn new() -> Overtaking {
        let mut learned = Overtaking::default();
        // Until something is learned, first come, first served.
        learned.weights.insert(ScorePart::Waited, Weight { value: 1.0, squares: 0.0 });
        learned
    }

    /// The score of a job after a wait: jobs with higher scores start first.
    pub fn score(&self, job: &Job, wait: Seconds) -> f64 {
        self.sum(&kinds(job), waited(wait))
    }

    fn sum(&self, kinds: &[ScorePart; KINDS], waited: f64) -> f64 {
        let value = |kind: &ScorePart| self.weights.get(kind).map_or(0.0, |weight| weight.value);
        let of_wait = value(&kinds[0]).max(0.0) * waited;
        kinds[1..].iter().map(value).sum::<f64>() + of_wait
    }

    /// Learns from an event.
    pub fn observe(&mut self, event: &Event<'_>) {
        if event.at > self.at {
            self.compare();
        }
        let index = event.job.index;
        match event.what {
            What::Arrived => {
                let procs = i64::from(event.job.shape.procs.0);
                let choice = WaitingChoice { submit: event.job.submit, procs, kinds: kinds(event.job) };
                self.waiting.insert(index, choice);
            }
            What::Started(shape) => {
                let procs = i64::from(shape.procs.0);
                if self.started.is_empty() {
                    (self.at, self.before) = (event.at, self.in_use);
                }
                self.started.extend(self.waiting.remove(&index));
                self.holding.insert(index, procs);
                self.in_use += procs;
            }
            What::Ended(_) => self.in_use -= self.holding.remove(&index).unwrap_or(0),
            What::Withdrawn => {
                self.waiting.remove(&index);
            }
            What::Overran { .. } => {}
        }
    }

    /// Compares the jobs that started last with those that could have, now that all starts of that second are known.
    fn compare(&mut self) {
        self.most = self.most.max(self.in_use);
        if self.started.is_empty() {
            return;
        }
        let started = std::mem::take(&mut self.started);
        let free = self.most - self.before;
        let fitting: Vec<WaitingChoice> =
            self.waiting.values().filter(|one| one.procs <= free).copied().collect();
        let compared = COMPARED.min(fitting.len());
        for winner in &started {
            for place in 0..compared {
                let loser = &fitting[(2 * place + 1) * fitting.len() / (2 * compared)];
                self.learn(winner, loser);
            }
        }
        self.started = started;
        self.started.clear();
    }

    /// The first was preferred: a step of a logistic regression on the difference.
    fn learn(&mut self, winner: &WaitingChoice, loser: &WaitingChoice) {
        let (won, lost) = (waited(self.at - winner.submit), waited(self.at - loser.submit));
        let margin = self.sum(&winner.kinds, won) - self.sum(&loser.kinds, lost);
        let surprise = 1.0 / (1.0 + margin.exp());
        if let Some(weight) = self.weights.get_mut(&ScorePart::Waited) {
            weight.step(surprise * (won - lost));
        }
        for (one, other) in winner.kinds[1..].iter().zip(&loser.kinds[1..]) {
            if one != other {
                self.weights.entry(*one).or_default().step(surprise);
                self.weights.entry(*other).or_default().step(-surprise);
            }
        }
    }
}
