//! What happened when in a schedule that is known: submissions, starts, ends, withdrawals, in order.

use std::borrow::Cow;

use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;

/// What happens to a job, in the order in which things happen at one instant; ends of one instant come in order of start. A job that runs for no time ends after it
/// started, and a job that is withdrawn in the second of its submission leaves after it was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It ends.
    Ended,
    /// It leaves the queue without having started.
    Withdrawn,
    /// It is submitted.
    Submitted,
    /// It starts.
    Started,
    /// It ends in the second in which it started.
    EndedAtOnce,
    /// It leaves the queue in the second in which it was submitted.
    WithdrawnAtOnce,
}

/// One step of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimedStep {
    /// When.
    pub at: Time,
    /// What.
    pub step: Step,
    /// The job's number in order of submission, among all jobs of the timeline.
    pub job: JobIndex,
}

/// Where a job of a timeline comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A job of the workload, by its index there, when it started and for how long it ran.
    Ran { index: JobIndex, start: Time, ran: Seconds },
    /// A job that was withdrawn: its place in [`Workload::withdrawn`].
    Withdrawn(usize),
}

/// The steps of all jobs of a schedule, in order.
#[derive(Debug, Clone)]
pub struct Timeline {
    moments: Vec<TimedStep>,
    /// By number in order of submission.
    origins: Vec<Origin>,
    /// The number of each job of the workload.
    numbers: Vec<JobIndex>,
}

impl Timeline {
    /// The schedule that a log records, with the jobs that were withdrawn. A job whose start is unknown is taken to have
    /// started when it was submitted.
    pub fn recorded(workload: &Workload) -> Timeline {
        Timeline::build(workload, true, recorded_start(workload))
    }

    /// The schedule that a log records, of the jobs that started only.
    pub fn of_started(workload: &Workload) -> Timeline {
        Timeline::build(workload, false, recorded_start(workload))
    }

    /// A simulated schedule of the first jobs of a workload, as many as `placed` has: when each started and how long it ran.
    pub fn simulated(workload: &Workload, placed: &[(Time, Seconds)]) -> Timeline {
        Timeline::build(workload, false, |index| placed.get(index.at()).copied())
    }

    fn build(
        workload: &Workload,
        with_withdrawn: bool,
        placed: impl Fn(JobIndex) -> Option<(Time, Seconds)>,
    ) -> Timeline {
        let withdrawn = if with_withdrawn { workload.withdrawn.as_slice() } else { &[] };
        let (mut origins, mut numbers) = (Vec::with_capacity(workload.len() + withdrawn.len()), Vec::new());
        let mut moments = Vec::with_capacity(3 * workload.len() + 2 * withdrawn.len());
        let mut leavers = withdrawn.iter().enumerate().peekable();
        let mut leave = |origins: &mut Vec<Origin>, moments: &mut Vec<TimedStep>, before: Option<&Job>| {
            while let Some((place, leaver)) = leavers.next_if(|(_, leaver)| {
                before.is_none_or(|job| (leaver.job.submit, leaver.job.index) <= (job.submit, job.index))
            }) {
                let job = JobIndex(origins.len() as u32);
                let (submit, left) = (leaver.job.submit, leaver.left.max(leaver.job.submit));
                let step = if left > submit { Step::Withdrawn } else { Step::WithdrawnAtOnce };
                moments.push(TimedStep { at: submit, step: Step::Submitted, job });
                moments.push(TimedStep { at: left, step, job });
                origins.push(Origin::Withdrawn(place));
            }
        };
        for submitted in workload.jobs() {
            leave(&mut origins, &mut moments, Some(submitted));
            let Some((start, ran)) = placed(submitted.index) else { break };
            let job = JobIndex(origins.len() as u32);
            // Some logs have a job start, or even end, before it was submitted, by a clock that was put right.
            let started = start.max(submitted.submit);
            let step = if start + ran > started { Step::Ended } else { Step::EndedAtOnce };
            moments.push(TimedStep { at: submitted.submit, step: Step::Submitted, job });
            moments.push(TimedStep { at: started, step: Step::Started, job });
            moments.push(TimedStep { at: (start + ran).max(started), step, job });
            numbers.push(job);
            origins.push(Origin::Ran { index: submitted.index, start, ran });
        }
        leave(&mut origins, &mut moments, None);
        // Ends of one instant come in order of start, as in a simulation.
        let started = |job: JobIndex| match origins[job.at()] {
            Origin::Ran { start, .. } => start,
            Origin::Withdrawn(_) => Time(0),
        };
        moments.sort_unstable_by_key(|&TimedStep { at, step, job }| {
            let start = if step == Step::Ended { started(job) } else { Time(0) };
            (at, step, start, job)
        });
        Timeline { moments, origins, numbers }
    }

    /// Every step, in order.
    pub fn steps(&self) -> &[TimedStep] {
        &self.moments
    }

    /// The index in the workload of the job with this number; `None` for one that was withdrawn.
    pub fn index(&self, number: JobIndex) -> Option<JobIndex> {
        match self.origins.get(number.at())? {
            Origin::Ran { index, .. } => Some(*index),
            Origin::Withdrawn(_) => None,
        }
    }

    /// The number of a job of the workload; `None` if the timeline ends before it.
    pub fn number(&self, index: JobIndex) -> Option<JobIndex> {
        self.numbers.get(index.at()).copied()
    }

    /// How many jobs there are, withdrawn ones included.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// Every job of the timeline in order of submission, withdrawn ones included, with its number as index. `workload` is the
    /// one that the timeline was made of.
    pub fn jobs<'w>(&self, workload: &'w Workload) -> Cow<'w, [Job]> {
        let ran = |origin: &Origin| matches!(origin, Origin::Ran { .. });
        if self.origins.iter().all(ran) {
            return Cow::Borrowed(&workload.jobs()[..self.origins.len()]);
        }
        let numbered = self.origins.iter().zip(0..).map(|(origin, number)| {
            let job = match *origin {
                Origin::Ran { index, .. } => &workload.jobs()[index.at()],
                Origin::Withdrawn(place) => &workload.withdrawn[place].job,
            };
            Job { index: JobIndex(number), ..job.clone() }
        });
        Cow::Owned(numbered.collect())
    }

    /// When the job with this number left the queue without having started; when it started, of one that did.
    pub fn left(&self, number: JobIndex, workload: &Workload) -> Time {
        match self.origins[number.at()] {
            Origin::Ran { start, .. } => start,
            Origin::Withdrawn(place) => workload.withdrawn[place].left,
        }
    }

    pub(super) fn origin(&self, number: JobIndex) -> Origin {
        self.origins[number.at()]
    }
}

fn recorded_start(workload: &Workload) -> impl Fn(JobIndex) -> Option<(Time, Seconds)> + '_ {
    |index| {
        let job = workload.jobs().get(index.at())?;
        let start = workload.starts.get(index.at()).copied().filter(|&start| start != Time::NEVER);
        Some((start.unwrap_or(job.submit), workload.truths()[index.at()].run()))
    }
}
