//! A policy for moldable jobs: first come, first served, each on the number of processors its strategy chooses.

use std::collections::HashMap;

use super::chooser::{Chooser, Held, Occupant, Prediction, Prompt, Verdict};
use super::sizes::{Size, Sizes};
use super::strategy::Strategy;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Time};
use queuecast_sim::sim::{Change, Policy, Reason, Start, View, WaitingJob};
use queuecast_wait::LifetimeFit;

/// First come, first served over moldable jobs.
#[derive(Debug)]
pub struct Allotter {
    chooser: Chooser,
    /// What the job at the head waits for.
    held: Option<(JobIndex, Held)>,
    ledger: Ledger,
}

impl Allotter {
    /// Before the first job.
    pub fn new(strategy: Strategy) -> Allotter {
        Allotter { chooser: Chooser::new(strategy), held: None, ledger: Ledger::default() }
    }

    /// Every queue time that a decision used, with the actual one by the plans of the time: with exact run times, the truth.
    pub fn predictions(&self) -> &[Prediction] {
        self.chooser.predictions()
    }
}

impl Policy for Allotter {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        self.chooser.learn(view.now());
        let mut round = self.ledger.round(view);
        for waiting in view.waiting() {
            if round.free.0 == 0 {
                break;
            }
            let sizes = Sizes::of(waiting.job, self.chooser.strategy.least);
            let held = self.held.filter(|held| held.0 == waiting.index).map(|held| held.1);
            let verdict = self.chooser.ask(held, &sizes, round.prompt(), &self.ledger.fit);
            self.held = match verdict {
                Verdict::Hold(held) => Some((waiting.index, held)),
                Verdict::Start(_) | Verdict::Wait => None,
            };
            let Verdict::Start(size) = verdict else { break };
            starts.push(self.ledger.start(&mut round, &waiting, size));
        }
    }

    fn note(&mut self, change: Change) {
        self.ledger.note(change);
    }

    fn wake(&self) -> Option<Time> {
        self.held.map(|(_, held)| held.until)
    }
}

/// State that a policy for moldable jobs keeps from one plan to the next.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// How many jobs the last plan left waiting.
    left: usize,
    /// Start of each running job. Looked up, never iterated.
    started: HashMap<JobIndex, Time>,
    /// The fitted distribution of run times.
    pub(super) fit: LifetimeFit,
}

/// A plan in progress.
pub(super) struct Round {
    pub(super) now: Time,
    pub(super) free: Procs,
    queued: usize,
    running: Vec<Occupant>,
    arrival: bool,
}

impl Round {
    /// What the job at the head is told.
    pub(super) fn prompt(&self) -> Prompt<'_> {
        let &Round { now, free, queued, ref running, arrival } = self;
        Prompt { now, free, queued, running, arrival }
    }
}

impl Ledger {
    /// A plan begins.
    pub(super) fn round(&mut self, view: &View<'_>) -> Round {
        // Jobs leave the queue by a start or a withdrawal only; looking for the newest would scan the queue.
        let arrival = view.queue_length() > self.left;
        self.left = view.queue_length();
        let running = view.running().map(|job| Occupant {
            procs: job.procs,
            start: job.start,
            predicted: job.predicted,
            planned_end: job.planned_end,
        });
        Round {
            now: view.now(),
            free: view.free(),
            queued: view.queue_length(),
            running: running.collect(),
            arrival,
        }
    }

    /// The job at the head starts.
    pub(super) fn start(&mut self, round: &mut Round, waiting: &WaitingJob<'_>, size: Size) -> Start {
        let now = round.now;
        round.free = Procs(round.free.0 - size.procs.0);
        round.queued -= 1;
        self.left -= 1;
        self.started.insert(waiting.index, now);
        round.running.push(Occupant {
            procs: size.procs,
            start: now,
            predicted: size.run,
            planned_end: now + size.run,
        });
        let reason = if waiting.job.submit == now { Reason::Immediate } else { Reason::Reserved };
        Start { job: waiting.index, shape: size.shape, reason }
    }

    /// Learns from what changed.
    pub(super) fn note(&mut self, change: Change) {
        match change {
            Change::Ended { job, at, .. } => {
                if let Some(start) = self.started.remove(&job) {
                    self.fit.observe(at - start);
                }
            }
            Change::Withdrawn { .. } => self.left = self.left.saturating_sub(1),
            _ => {}
        }
    }
}
