//! The recorded schedule of a log, or a simulated one, as events of a site: no scheduler is assumed.

use super::state::Site;
use super::timeline::{Origin, Step, TimedStep, Timeline};
use queuecast_core::job::{End, Event, JobIndex, What};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::{Machine, Workload};

/// A site that follows a known schedule up to an instant that only moves forward. Nothing of what comes later is looked at.
///
/// Predicted run times at the site are the requested ones. Where the size of the machine is only that of the largest job of the
/// log, it is that of the largest job submitted so far.
#[derive(Debug, Clone)]
pub struct Replay<'a> {
    workload: &'a Workload,
    timeline: Timeline,
    /// The first step not taken yet.
    next: usize,
    site: Site,
    default_request: Seconds,
}

impl<'a> Replay<'a> {
    /// The schedule that a log records: jobs that were withdrawn are in the queue until they leave it. `default_request`
    /// stands in for a missing requested time.
    pub fn recorded(workload: &'a Workload, default_request: Seconds) -> Replay<'a> {
        Replay::of(workload, Timeline::recorded(workload), default_request)
    }

    /// Any schedule of a workload's jobs.
    pub fn of(workload: &'a Workload, timeline: Timeline, default_request: Seconds) -> Replay<'a> {
        // Of a machine whose size is that of the largest job, no more is known at first.
        let machine = match workload.is_machine_guessed {
            true => Machine { procs: Procs(0) },
            false => workload.machine(),
        };
        Replay { workload, timeline, next: 0, site: Site::new(machine), default_request }
    }

    /// The same schedule from its beginning.
    pub fn restarted(&self) -> Replay<'a> {
        Replay::of(self.workload, self.timeline.clone(), self.default_request)
    }

    /// The workload replayed.
    pub fn workload(&self) -> &'a Workload {
        self.workload
    }

    /// All steps of the schedule.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The steps taken so far.
    pub fn taken(&self) -> &[TimedStep] {
        &self.timeline.steps()[..self.next]
    }

    /// The next step, if there is one.
    pub fn peek(&self) -> Option<TimedStep> {
        self.timeline.steps().get(self.next).copied()
    }

    /// The site after the steps taken so far.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Takes the next step and tells what happened; `None` at the end of the schedule.
    pub fn step(&mut self) -> Option<Event<'_>> {
        let TimedStep { at, step, job } = self.peek()?;
        self.next += 1;
        let origin = self.timeline.origin(job);
        let done = match step {
            Step::Submitted => {
                let submitted = match origin {
                    Origin::Ran { index, .. } => &self.workload.jobs()[index.at()],
                    Origin::Withdrawn(place) => &self.workload.withdrawn[place].job,
                };
                let asked = submitted.shape.limit.unwrap_or(self.default_request).max(Seconds(1));
                self.site.grow_to(submitted.shape.procs);
                self.site.submit(submitted, asked, asked);
                Ok(())
            }
            Step::Started => self.site.start(job, recorded(origin, at), 0),
            Step::Ended | Step::EndedAtOnce => self.site.end(job),
            Step::Withdrawn | Step::WithdrawnAtOnce => self.site.withdraw(job),
        };
        debug_assert_eq!(done, Ok(()), "a timeline has each job submitted, then started, then ended");
        let rows = self.site.rows();
        let what = match (step, origin) {
            (Step::Submitted, _) => What::Arrived,
            (Step::Started, _) => What::Started(rows.job(job).shape),
            (Step::Ended | Step::EndedAtOnce, Origin::Ran { index, ran, .. }) => {
                What::Ended(End { ran, ending: self.workload.truths()[index.at()].ending })
            }
            _ => What::Withdrawn,
        };
        Some(Event { at, job: rows.job(job), what })
    }

    /// Takes all steps up to the end of this second, telling each.
    pub fn advance_to(&mut self, instant: Time, mut tell: impl FnMut(&Event<'_>)) {
        while self.peek().is_some_and(|moment| moment.at <= instant)
            && let Some(event) = self.step()
        {
            tell(&event);
        }
    }

    /// Takes all steps before the submission of a job of the workload: jobs submitted in the same second before it in the log
    /// are there already, and starts of that second are not. A machine of unknown size is no smaller than that job.
    pub fn advance_before(&mut self, index: JobIndex, mut tell: impl FnMut(&Event<'_>)) {
        let Some(job) = self.timeline.number(index) else { return };
        let submission =
            TimedStep { at: self.workload.jobs()[index.at()].submit, step: Step::Submitted, job };
        while self.peek().is_some_and(|moment| moment < submission)
            && let Some(event) = self.step()
        {
            tell(&event);
        }
        self.admit(self.workload.jobs()[index.at()].shape.procs);
    }

    /// A job of this size is about to be submitted: the machine is no smaller.
    pub fn admit(&mut self, procs: Procs) {
        self.site.grow_to(procs);
    }
}

/// When a job started, which a log may put before its submission.
fn recorded(origin: Origin, at: Time) -> Time {
    match origin {
        Origin::Ran { start, .. } => start,
        Origin::Withdrawn(_) => at,
    }
}
