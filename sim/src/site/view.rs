//! What is known at a site at one instant: everything but how long jobs will run.

use std::borrow::Cow;

use super::capacity::{Capacity, Processors};
use super::nodes::Nodes;
use super::profile::Profile;
use super::queue::Queue;
use super::rows::Row;
use super::running::{PlannedEnd, Shadow};
use super::state::Site;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Procs, Seconds, Time};

/// The state of a machine and its queue at one instant.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(crate) now: i64,
    /// Running jobs planned to end by then count as gone.
    pub(super) gone_by: i64,
    pub(crate) free: i64,
    pub(super) site: &'a Site,
    /// Where the machine is more than a number of processors.
    nodes: Option<&'a dyn Nodes>,
}

impl Site {
    /// The site at an instant, which is not before the last event.
    #[inline]
    pub fn view(&self, now: Time) -> View<'_> {
        View { now: now.0, gone_by: i64::MIN, free: self.free(), site: self, nodes: None }
    }

    /// The view in which jobs planned to end by `now` count as gone and their processors as free.
    pub fn view_after_planned_ends(&self, now: Time) -> View<'_> {
        let free = self.free() + self.running().leaving(now.0);
        View { now: now.0, gone_by: now.0, free, site: self, nodes: None }
    }
}

/// A job in the queue.
#[derive(Debug, Clone, Copy)]
pub struct WaitingJob<'a> {
    /// Its number at the site.
    pub index: JobIndex,
    /// The job.
    pub job: &'a Job,
    /// Its predicted run time.
    pub predicted: Seconds,
    /// The run time to plan with: the prediction times the factor of the simulation.
    pub planned: Seconds,
    /// The run time not exceeded with the probability that the policy asks for; as planned where it asks for none.
    pub bound: Seconds,
}

/// A job on the machine.
#[derive(Debug, Clone, Copy)]
pub struct RunningJob<'a> {
    /// Its number at the site.
    pub index: JobIndex,
    /// The job.
    pub job: &'a Job,
    /// Processors it holds.
    pub procs: Procs,
    /// When it started.
    pub start: Time,
    /// Its predicted run time, corrected if it was outlived.
    pub predicted: Seconds,
    /// When it is planned to end.
    pub planned_end: Time,
}

impl<'a> View<'a> {
    /// The instant.
    pub fn now(&self) -> Time {
        Time(self.now)
    }

    /// The same site, whose machine is these nodes.
    #[must_use]
    pub fn on(self, nodes: &'a dyn Nodes) -> View<'a> {
        View { free: i64::from(nodes.free().0), nodes: Some(nodes), ..self }
    }

    /// What is free over time if running jobs end as planned, without any start held. Plans made with it work on processors and on nodes
    /// alike.
    pub fn capacity(&self) -> Box<dyn Capacity + 'a> {
        match self.nodes {
            Some(nodes) => nodes.capacity(),
            None => Box::new(Processors::of(self.now(), self.site.rows(), self.profile())),
        }
    }

    /// The free processors over time if running jobs end as planned.
    pub(crate) fn profile(&self) -> Profile {
        let mut free = Profile::new(self.now(), self.machine());
        let mut busy = i64::from(self.machine().0) - self.free;
        for running in self.running() {
            free.take(self.now(), running.procs, running.planned_end - self.now());
            busy -= i64::from(running.procs.0);
        }
        debug_assert_eq!(busy, 0, "busy processors are held by running jobs");
        free
    }

    /// All processors in service.
    pub fn machine(&self) -> Procs {
        self.nodes.map_or_else(|| self.site.in_service(), Nodes::in_service)
    }

    /// Processors a job could start on now. Where jobs due to end at this instant count as gone already
    /// (see [`Site::view_after_planned_ends`]), theirs are among them.
    pub fn free(&self) -> Procs {
        Procs(u32::try_from(self.free).unwrap_or(0))
    }

    /// How many jobs wait.
    pub fn queue_length(&self) -> usize {
        self.site.queue_length()
    }

    /// The waiting jobs in order of submission.
    pub fn waiting(&self) -> impl Iterator<Item = WaitingJob<'a>> + use<'a> {
        let site = self.site;
        let at_nodes = self.nodes.map(Nodes::waiting);
        let queue = at_nodes.is_none().then(|| site.queue().iter(site.rows()));
        at_nodes.into_iter().flatten().chain(queue.into_iter().flatten()).map(move |job| {
            let row = &site.rows()[job];
            WaitingJob {
                index: job,
                job: site.rows().job(job),
                predicted: Seconds(row.predicted),
                planned: Seconds(row.planned),
                bound: Seconds(row.bound),
            }
        })
    }

    /// The running jobs in order of planned end, without those that count as gone.
    pub fn running(&self) -> impl Iterator<Item = RunningJob<'a>> + use<'a> {
        let (site, gone_by) = (self.site, self.gone_by);
        site.running().iter().filter(move |entry| entry.end > gone_by).map(move |entry| {
            let row = &site.rows()[entry.job];
            RunningJob {
                index: entry.job,
                job: site.rows().job(entry.job),
                procs: Procs(row.procs),
                start: Time(row.start),
                predicted: Seconds(row.predicted),
                planned_end: Time(entry.end),
            }
        })
    }

    /// The site without the jobs that count as gone: copied only if there are such jobs.
    pub fn as_site(self) -> Cow<'a, Site> {
        match self.site.running().leaving(self.gone_by) {
            0 => Cow::Borrowed(self.site),
            _ => Cow::Owned(self.to_site()),
        }
    }

    /// A copy of the site without the jobs that count as gone.
    pub fn to_site(self) -> Site {
        let mut site = self.site.clone();
        let gone: Vec<JobIndex> = site
            .running()
            .iter()
            .take_while(|entry| entry.end <= self.gone_by)
            .map(|entry| entry.job)
            .collect();
        for job in gone {
            // It runs, by the list it was taken from.
            let _ = site.end(job);
        }
        site
    }

    #[inline]
    pub(crate) fn row(&self, job: JobIndex) -> &'a Row {
        &self.site.rows()[job]
    }

    /// The job at the head of the queue.
    #[inline]
    pub(crate) fn head(&self) -> Option<JobIndex> {
        self.site.queue().first()
    }

    /// The job behind a waiting one.
    #[inline]
    pub(crate) fn after(&self, job: JobIndex) -> Option<JobIndex> {
        Queue::after(job, self.site.rows())
    }

    /// How many jobs have been submitted so far.
    #[inline]
    pub(crate) fn submitted(&self) -> JobIndex {
        self.site.submitted()
    }

    /// When `wanted` processors will be free, with `started` on the machine too.
    pub(crate) fn shadow(&self, free: i64, wanted: u32, started: &[PlannedEnd]) -> Option<Shadow> {
        self.site.running().shadow(self.gone_by, free, i64::from(wanted), started)
    }
}
