//! Records what each job would have gained by a strategy while all jobs are scheduled by AVG (Downey 1997, section 5).

use std::borrow::Cow;

use super::allotter::{Ledger, Round};
use super::chooser::{Chooser, LookAhead, Occupant, Prediction, Prompt, Verdict};
use super::sizes::{Size, Sizes};
use super::strategy::Strategy;
use queuecast_core::job::JobIndex;
use queuecast_core::units::{Procs, Time};
use queuecast_core::workload::Workload;
use queuecast_sim::sim::{Change, Policy, Start, View};
use queuecast_wait::LifetimeFit;

/// Schedules by the paper's AVG: first come, first served, each job on what is free and no more than it prefers. At every
/// start each strategy is asked what it would have done, and that job alone is followed to its start: running jobs end as
/// planned, later arrivals make it decide again, and no job passes it.
///
/// With exact run times the plans are the truth, and so is what is recorded. It uses future arrivals, so it is for studies
/// only.
#[derive(Debug)]
pub struct StrategyRecorder {
    choosers: Vec<Chooser>,
    arrivals: Vec<Time>,
    ledger: Ledger,
    decisions: Vec<Decision>,
    courses: Vec<Vec<Course>>,
}

/// The processors AVG gave to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Which job.
    pub job: JobIndex,
    /// The processors it was given.
    pub given: Procs,
    /// Those it prefers.
    pub preferred: Procs,
}

impl Decision {
    /// Whether it got all it prefers: the paper's spoiled jobs.
    pub fn is_spoiled(&self) -> bool {
        self.given >= self.preferred
    }
}

/// What a strategy would have done for one job that was not spoiled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// Its place in [`StrategyRecorder::decisions`].
    pub decision: usize,
    /// Whether it would have waited for more: the paper's rebels. The others are docile.
    pub rebels: bool,
    /// The processors it would have started on.
    pub procs: Procs,
    /// The seconds by which it would have ended earlier; below zero if it loses.
    pub saved: f64,
}

impl StrategyRecorder {
    /// Before the first job of this workload, whose arrivals make rebels decide again.
    pub fn new(workload: &Workload, strategies: &[Strategy]) -> StrategyRecorder {
        StrategyRecorder {
            choosers: strategies.iter().copied().map(Chooser::new).collect(),
            arrivals: workload.jobs().iter().map(|job| job.submit).collect(),
            ledger: Ledger::default(),
            decisions: Vec::new(),
            courses: vec![Vec::new(); strategies.len()],
        }
    }

    /// What every job was given, in the order of their starts.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The recorded courses of the strategy at this place, in order of start.
    pub fn courses(&self, strategy: usize) -> &[Course] {
        self.courses.get(strategy).map_or(&[], Vec::as_slice)
    }

    /// The queue times that the strategy at this place predicted.
    pub fn predictions(&self, strategy: usize) -> &[Prediction] {
        self.choosers.get(strategy).map_or(&[], Chooser::predictions)
    }
}

impl Policy for StrategyRecorder {
    fn plan(&mut self, view: &View<'_>, starts: &mut Vec<Start>) {
        let StrategyRecorder { choosers, arrivals, ledger, decisions, courses } = self;
        choosers.iter_mut().for_each(|chooser| chooser.learn(view.now()));
        let mut round = ledger.round(view);
        for waiting in view.waiting() {
            let sizes = Sizes::of(waiting.job, 0.0);
            let (Some(size), Some(most)) = (sizes.within(round.free), sizes.most()) else { break };
            let decision = Decision { job: waiting.index, given: size.procs, preferred: most.procs };
            if !decision.is_spoiled() {
                for (chooser, courses) in choosers.iter_mut().zip(&mut *courses) {
                    let sizes = Sizes::of(waiting.job, chooser.strategy.least);
                    let Some((started, by_then)) = follow(chooser, &sizes, &round, arrivals, &ledger.fit)
                    else {
                        continue;
                    };
                    let waited = started - round.now;
                    courses.push(Course {
                        decision: decisions.len(),
                        rebels: waited.0 > 0,
                        procs: by_then.procs,
                        saved: (size.run - by_then.run - waited).0 as f64,
                    });
                }
            }
            decisions.push(decision);
            starts.push(ledger.start(&mut round, &waiting, size));
        }
    }

    fn note(&mut self, change: Change) {
        self.ledger.note(change);
    }
}

/// When the job at the head would start, and in which size; `None` if never.
fn follow(
    chooser: &mut Chooser,
    sizes: &Sizes,
    round: &Round,
    arrivals: &[Time],
    fit: &LifetimeFit,
) -> Option<(Time, Size)> {
    let mut ahead = chooser.look_ahead();
    let start = follow_learning(chooser, &mut ahead, sizes, round, arrivals, Cow::Borrowed(fit));
    ahead.end(chooser);
    start
}

/// As [`follow`]: the strategy learns from what ends while the job waits.
fn follow_learning(
    chooser: &mut Chooser,
    ahead: &mut LookAhead,
    sizes: &Sizes,
    round: &Round,
    arrivals: &[Time],
    mut fit: Cow<'_, LifetimeFit>,
) -> Option<(Time, Size)> {
    let Prompt { mut now, mut free, mut queued, running, mut arrival } = round.prompt();
    let mut running: Vec<Occupant> = running.to_vec();
    let mut later = &arrivals[arrivals.partition_point(|&at| at <= now)..];
    let mut held = None;
    loop {
        let prompt = Prompt { now, free, queued, running: &running, arrival };
        held = match chooser.ask(held, sizes, prompt, &fit) {
            Verdict::Start(size) => return Some((now, size)),
            Verdict::Hold(held) => Some(held),
            Verdict::Wait => None,
        };
        let ends = running.iter().map(|job| job.planned_end).min();
        now = ends.into_iter().chain(held.map(|held| held.until)).chain(later.first().copied()).min()?;
        ahead.learn(chooser, now);
        running.retain(|job| {
            let runs = job.planned_end > now;
            if !runs {
                free.0 += job.procs.0;
                if chooser.strategy.fits_lifetimes() {
                    fit.to_mut().observe(job.planned_end - job.start);
                }
            }
            runs
        });
        let arrived = later.partition_point(|&at| at <= now);
        (arrival, queued, later) = (arrived > 0, queued + arrived, &later[arrived..]);
    }
}
