//! A log as it happened, up to a moment: nothing of what came later is looked at.

use std::collections::BTreeSet;

use super::advisor::Advisor;
use super::belief::Belief;
use super::error::AdviceError;
use super::history::History;
use super::state::{Resident, State};
use crate::allot::Sizes;
use crate::job::{Event, Job, JobIndex, Outcome, What};
use crate::predict::{Question, RuntimePredictor};
use crate::sim::{Backfill, Options, Policy, simulate};
use crate::units::{Procs, Seconds, Time};
use crate::wait::LifetimeFit;
use crate::workload::Workload;

/// What happens to a job, in the order of things that happen at one instant. A job that ran for no time at all, or ended
/// before it came, ends after it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Ended,
    Arrived,
    Started,
    EndedAtOnce,
}

/// So many times the moments a calibration uses are spread over the log: it uses the last of them.
const SPREAD: usize = 5;

/// A job that has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// Which.
    pub job: JobIndex,
    /// How long it had waited.
    pub wait: Seconds,
    /// When it started.
    pub started: Time,
}

/// What is known of a log at a moment that only goes forward.
pub struct Walk<'a> {
    workload: &'a Workload,
    steps: Vec<(Time, Kind, JobIndex)>,
    /// The first step not taken yet.
    next: usize,
    /// When each job started and how long it ran. Looked at only at or after the step that tells it.
    placed: Vec<(Time, Seconds)>,
    predictor: Box<dyn RuntimePredictor>,
    belief: Belief,
    default_request: Seconds,
    fit: LifetimeFit,
    history: History,
    running: BTreeSet<(Time, JobIndex)>,
    waiting: BTreeSet<JobIndex>,
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("next", &self.next).field("belief", &self.belief).finish_non_exhaustive()
    }
}

impl<'a> Walk<'a> {
    /// Through a log with its recorded starts. A job of which none is known is taken to have started when it was
    /// submitted. `default_request` stands in for a missing requested time.
    pub fn recorded(
        workload: &'a Workload,
        belief: Belief,
        predictor: Box<dyn RuntimePredictor>,
        default_request: Seconds,
    ) -> Walk<'a> {
        let placed = workload.jobs().iter().zip(workload.truths()).map(|(job, truth)| {
            let start = workload.starts.get(job.index.at()).copied();
            (start.filter(|&start| start != Time::NEVER).unwrap_or(job.submit), truth.run())
        });
        let placed = placed.collect();
        Walk::new(workload, placed, belief, predictor, default_request)
    }

    /// Through a log without starts, as this policy would have started the jobs submitted up to a moment, planning with
    /// what `planner` predicts. Go no further than that moment.
    pub fn simulated(
        workload: &'a Workload,
        until: Time,
        policy: &mut dyn Policy,
        planner: &mut dyn RuntimePredictor,
        belief: Belief,
        predictor: Box<dyn RuntimePredictor>,
        default_request: Seconds,
    ) -> Result<Walk<'a>, AdviceError> {
        let known = workload.jobs().partition_point(|job| job.submit <= until);
        let jobs = workload.jobs()[..known].to_vec();
        let truths = workload.truths()[..known].to_vec();
        let known = Workload::from_columns(workload.machine(), jobs, truths)?;
        let schedule = simulate(&known, Options::default(), policy, planner, &mut [])?;
        let placed = schedule.placements.iter().map(|placement| (placement.start, placement.ran)).collect();
        Ok(Walk::new(workload, placed, belief, predictor, default_request))
    }

    fn new(
        workload: &'a Workload,
        placed: Vec<(Time, Seconds)>,
        belief: Belief,
        predictor: Box<dyn RuntimePredictor>,
        default_request: Seconds,
    ) -> Walk<'a> {
        let mut steps = Vec::with_capacity(3 * placed.len());
        for (job, &(start, ran)) in workload.jobs().iter().zip(&placed) {
            // Some logs have a job start before it was submitted, or even end, by a clock that was put right.
            let started = start.max(job.submit);
            let ended = if start + ran > started { Kind::Ended } else { Kind::EndedAtOnce };
            steps.extend([
                (job.submit, Kind::Arrived, job.index),
                (started, Kind::Started, job.index),
                ((start + ran).max(started), ended, job.index),
            ]);
        }
        steps.sort_unstable();
        Walk {
            workload,
            steps,
            next: 0,
            placed,
            predictor,
            belief,
            default_request,
            fit: LifetimeFit::new(),
            history: History::default(),
            running: BTreeSet::new(),
            waiting: BTreeSet::new(),
        }
    }

    /// Goes on to the end of this second; stays where it is if that is past.
    pub fn to(&mut self, moment: Time) {
        while let Some(&(at, kind, job)) = self.steps.get(self.next).filter(|step| step.0 <= moment) {
            self.step(at, kind, job);
        }
        self.history.settle();
    }

    /// Goes on to just before a job arrives: those submitted in the same second that the log has first are there already.
    pub fn before(&mut self, job: JobIndex) {
        let arrival = (self.workload.jobs()[job.at()].submit, Kind::Arrived, job);
        while let Some(&(at, kind, job)) = self.steps.get(self.next).filter(|&&step| step < arrival) {
            self.step(at, kind, job);
        }
        self.history.settle();
    }

    /// The same log from its beginning, with another predictor that has learned nothing yet.
    pub fn again(&self, predictor: Box<dyn RuntimePredictor>) -> Walk<'a> {
        Walk {
            workload: self.workload,
            steps: self.steps.clone(),
            next: 0,
            placed: self.placed.clone(),
            predictor,
            belief: self.belief,
            default_request: self.default_request,
            fit: LifetimeFit::new(),
            history: History::default(),
            running: BTreeSet::new(),
            waiting: BTreeSet::new(),
        }
    }

    /// Goes on to just before a job arrives, and asks about it: its own size, and what it asked for, which is all that was
    /// known of how long it would run.
    pub fn ask(&mut self, job: JobIndex, policy: Backfill) -> Advisor {
        self.before(job);
        let job = &self.workload.jobs()[job.at()];
        let asked = job.shape.limit.unwrap_or(self.default_request).max(Seconds(1));
        Advisor::new(self.state(job.submit), Sizes::one(job.shape.procs, asked), policy, 1.0)
    }

    fn step(&mut self, at: Time, kind: Kind, index: JobIndex) {
        self.next += 1;
        let job = &self.workload.jobs()[index.at()];
        let (start, ran) = self.placed[index.at()];
        let what = match kind {
            Kind::Arrived => {
                self.waiting.insert(index);
                What::Arrived
            }
            Kind::Started => {
                self.waiting.remove(&index);
                self.running.insert((start, index));
                What::Started(job.shape)
            }
            Kind::Ended | Kind::EndedAtOnce => {
                self.waiting.remove(&index);
                self.running.remove(&(start, index));
                self.fit.observe(ran);
                self.history.observe(job, ran);
                What::Ended(Outcome { ran, ending: self.workload.truths()[index.at()].ending })
            }
        };
        self.predictor.observe(&Event { at, job, what }, &mut Vec::new());
    }

    /// How many jobs have ended so far: what is learned from.
    pub fn ended(&self) -> usize {
        self.fit.count()
    }

    /// Jobs that have started so far, at most so many, spread evenly over them in arrival order. The first twentieth is left
    /// out: little was known then.
    pub fn past(&self, most: usize) -> Vec<Past> {
        let started = self.started();
        let count = most.min(started.len());
        (0..count).map(|place| self.became(started[place * started.len() / count])).collect()
    }

    /// Jobs that have started so far, to learn from with the last `most` of them: in arrival order, at most about five times
    /// as many, evenly. So those last are of the last fifth of a long log, and of a short one all. The first twentieth is
    /// left out.
    pub fn lessons(&self, most: usize) -> Vec<Past> {
        let started = self.started();
        let every = started.len().div_ceil(SPREAD.saturating_mul(most).max(1)).max(1);
        // Counted from the end, so that the newest is among them.
        let mut lessons: Vec<Past> =
            started.iter().rev().step_by(every).map(|&job| self.became(job)).collect();
        lessons.reverse();
        lessons
    }

    /// In arrival order, without the first twentieth.
    fn started(&self) -> Vec<JobIndex> {
        let taken = self.steps[..self.next].iter().filter(|(_, kind, _)| *kind == Kind::Started);
        let mut started: Vec<JobIndex> = taken.map(|&(_, _, job)| job).collect();
        started.sort_unstable();
        started.drain(..started.len() / 20);
        started
    }

    fn became(&self, job: JobIndex) -> Past {
        let submit = self.workload.jobs()[job.at()].submit;
        let started = self.placed[job.at()].0.max(submit);
        Past { job, wait: started - submit, started }
    }

    /// The machine and its queue, at this moment, which is at or after the last one gone to.
    pub fn state(&self, now: Time) -> State {
        let job = |index: JobIndex| &self.workload.jobs()[index.at()];
        let running = self.running.iter().map(|&(start, index)| (job(index), now - start));
        self.believed(self.workload.machine().procs, running, self.waiting.iter().map(|&index| job(index)))
    }

    /// Another machine and its queue, as what was learned here has it: running jobs with their age, in order of start, and
    /// waiting ones in the order of the queue. For a live site whose history this is.
    pub fn believed<'j>(
        &self,
        machine: Procs,
        running: impl Iterator<Item = (&'j Job, Seconds)>,
        waiting: impl Iterator<Item = &'j Job>,
    ) -> State {
        let history = (self.belief == Belief::Shares).then(|| self.history.sorted());
        let outlook = self.belief.outlook();
        let resident = |job: &Job, age: Seconds| {
            let forecast = self.predictor.estimate(&Question { job, elapsed: age });
            let left = outlook.holder(job.shape.procs, age, &forecast, &self.fit);
            let like = history.as_ref().and_then(|history| history.like(job, age));
            Resident { like, ..Resident::new(job, age, left, self.default_request) }
        };
        let running = running.map(|(job, age)| resident(job, age)).collect();
        State::new(machine, running, waiting.map(|job| resident(job, Seconds::ZERO)).collect())
    }
}
