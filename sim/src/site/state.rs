//! The state of a site, and the events that change it.

use serde::{Deserialize, Serialize};

use super::error::SiteError;
use super::queue::Queue;
use super::rows::{Row, Rows};
use super::running::{PlannedEnd, Running};
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::units::{Procs, Seconds, Time};
use queuecast_core::workload::Machine;

/// No prediction is longer, so that sums stay within the clock.
const LONGEST: i128 = (i64::MAX / 4) as i128;

/// A machine and the jobs that wait for it or run on it. Each method is one event.
///
/// Jobs are numbered in order of submission; [`Job::index`] of a job at the site is that number.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Site {
    machine: Procs,
    out_of_service: Procs,
    rows: Rows,
    queue: Queue,
    running: Running,
    free: i64,
    started: u32,
}

impl Site {
    /// An idle machine with an empty queue.
    pub fn new(machine: Machine) -> Site {
        Site {
            machine: machine.procs,
            out_of_service: Procs(0),
            rows: Rows::new(),
            queue: Queue::new(),
            running: Running::new(),
            free: i64::from(machine.procs.0),
            started: 0,
        }
    }

    /// A copy of a job joins the end of the queue. `predicted` is its predicted run time, `planned` the run time that plans are made
    /// with. Returns its number, which becomes its index.
    #[inline]
    pub fn submit(&mut self, job: &Job, predicted: Seconds, planned: Seconds) -> JobIndex {
        let index = self.rows.submitted();
        self.rows.push(Row::waiting(job.submit, job.shape.procs, predicted, planned), job);
        self.queue.push(index, &mut self.rows);
        index
    }

    /// What is known of a job in the system: the run time not exceeded with the probability that the policy asks for. It is as
    /// planned when the job is submitted or revised.
    pub fn bound(&mut self, job: JobIndex, bound: Seconds) -> Result<(), SiteError> {
        self.rows.present(job).ok_or(SiteError::NotWaiting(job))?;
        self.rows[job].bound = bound.0;
        Ok(())
    }

    /// A waiting job starts, in the shape at this place of [`Job::shapes`].
    ///
    /// In another shape than it prefers, its prediction changes in proportion to the requested times of the two shapes, where
    /// there are both. More processors than are free may be taken: recorded schedules do.
    #[inline]
    pub fn start(&mut self, job: JobIndex, at: Time, shape: u16) -> Result<(), SiteError> {
        self.start_row(job, at, shape).map(|_| ())
    }

    /// [`Site::start`], and the line of the job that started.
    #[inline]
    pub(crate) fn start_row(&mut self, job: JobIndex, at: Time, shape: u16) -> Result<&Row, SiteError> {
        self.check_waiting(job)?;
        if shape > 0 {
            self.mold(job, shape);
        }
        self.queue.remove(job, &mut self.rows);
        let row = &mut self.rows[job];
        (row.start, row.turn) = (at.0, self.started);
        let entry = PlannedEnd { end: row.planned_end(), job, procs: row.procs };
        self.started = self.started.wrapping_add(1);
        self.free -= i64::from(entry.procs);
        self.running.insert(entry);
        Ok(&self.rows[job])
    }

    /// A running job ends and frees its processors.
    pub fn end(&mut self, job: JobIndex) -> Result<(), SiteError> {
        self.end_row(job).map(|_| ())
    }

    /// [`Site::end`], and the last line of the job that ended.
    #[inline]
    pub(crate) fn end_row(&mut self, job: JobIndex) -> Result<Row, SiteError> {
        let row = self.running_row(job)?;
        self.running.remove(row.planned_end(), job);
        self.free += i64::from(row.procs);
        self.rows.retire(job);
        Ok(row)
    }

    /// A waiting job leaves the queue without having started.
    pub fn withdraw(&mut self, job: JobIndex) -> Result<(), SiteError> {
        self.check_waiting(job)?;
        self.queue.remove(job, &mut self.rows);
        self.rows.retire(job);
        Ok(())
    }

    /// The prediction of a job in the system is replaced. Corrections of the new prediction build on `first`.
    pub fn revise(
        &mut self,
        job: JobIndex,
        first: Seconds,
        predicted: Seconds,
        planned: Seconds,
    ) -> Result<(), SiteError> {
        let row = *self.rows.present(job).ok_or(SiteError::NotWaiting(job))?;
        let (first, predicted, planned) = (first.0, predicted.0, planned.0);
        let revised = Row { first, predicted, planned, bound: planned, ..row };
        self.rows[job] = revised;
        if !row.is_waiting() && row.planned_end() != revised.planned_end() {
            self.running.remove(row.planned_end(), job);
            self.running.insert(PlannedEnd { end: revised.planned_end(), job, procs: row.procs });
        }
        Ok(())
    }

    /// Processors go out of service, at most those in service. Jobs that ran on them end by events of their own.
    pub fn lose(&mut self, procs: Procs) {
        let lost = procs.min(self.in_service());
        self.out_of_service.0 += lost.0;
        self.free -= i64::from(lost.0);
    }

    /// Processors come back into service, at most those that are out of it.
    pub fn restore(&mut self, procs: Procs) {
        let back = procs.min(self.out_of_service);
        self.out_of_service.0 -= back.0;
        self.free += i64::from(back.0);
    }

    /// The machine turns out to have at least these processors; those it is larger by are free.
    pub fn grow_to(&mut self, procs: Procs) {
        let more = procs.0.saturating_sub(self.machine.0);
        self.machine.0 += more;
        self.free += i64::from(more);
    }

    /// Where more processors are held than are in service, the jobs that started first hold that much less from now on, down
    /// to none. Returns how many were too many. Logs have such moments, mostly because an end was recorded late.
    pub fn shed_excess(&mut self) -> Procs {
        let excess = u32::try_from(-self.free).unwrap_or(0);
        let mut over = excess;
        if over > 0 {
            let mut by_turn: Vec<PlannedEnd> = self.running.iter().copied().collect();
            by_turn.sort_unstable_by_key(|entry| self.rows[entry.job].turn);
            for entry in by_turn {
                let less = over.min(entry.procs);
                over -= less;
                self.running.remove(entry.end, entry.job);
                let held = PlannedEnd { procs: entry.procs - less, ..entry };
                self.rows[entry.job].procs = held.procs;
                if held.procs > 0 {
                    self.running.insert(held);
                } else {
                    self.rows.retire(entry.job);
                }
                if over == 0 {
                    break;
                }
            }
            self.free = 0;
        }
        Procs(excess)
    }

    /// Has running jobs that have outlived their plan end `by` from now.
    pub fn extend_outlived(&mut self, now: Time, by: Seconds) {
        let outlived: Vec<JobIndex> =
            self.running.iter().take_while(|entry| entry.end <= now.0).map(|entry| entry.job).collect();
        for job in outlived {
            let length = now - Time(self.rows[job].start) + by;
            // It runs, by the list it was taken from.
            let _ = self.revise(job, length, length, length);
        }
    }

    /// This site with its jobs numbered from 0 without gaps, so that copies are as small as can be however long one job has
    /// waited. Running jobs keep their order of start, waiting ones their place.
    #[must_use]
    pub fn compacted(&self) -> Site {
        let mut site = Site::new(Machine { procs: self.machine });
        (site.out_of_service, site.free, site.started) = (self.out_of_service, self.free, self.started);
        for index in (self.rows.oldest().0..self.rows.submitted().0).map(JobIndex) {
            let Some(&row) = self.rows.present(index) else { continue };
            let job = site.rows.submitted();
            site.rows.push(row, self.rows.job(index));
            if row.is_waiting() {
                site.queue.push(job, &mut site.rows);
            } else {
                site.running.insert(PlannedEnd { end: row.planned_end(), job, procs: row.procs });
            }
        }
        site
    }

    /// A site as it is found at an instant: jobs that run, each with how long it has run, in order of start, and jobs that
    /// wait, in the order of the queue. Plans are made with requested times; `default_request` stands in for a missing one.
    pub fn found(
        machine: Machine,
        now: Time,
        running: impl IntoIterator<Item = (Job, Seconds)>,
        waiting: impl IntoIterator<Item = Job>,
        default_request: Seconds,
    ) -> Site {
        let mut site = Site::new(machine);
        let asked = |job: &Job| job.shape.limit.unwrap_or(default_request).max(Seconds(1));
        for (job, elapsed) in running {
            let planned = asked(&job);
            let index = site.submit(&job, planned, planned);
            // It was submitted a line above.
            let _ = site.start(index, now - elapsed, 0);
        }
        for job in waiting {
            let planned = asked(&job);
            site.submit(&job, planned, planned);
        }
        site
    }

    /// Processors in service, free or not.
    pub fn in_service(&self) -> Procs {
        Procs(self.machine.0 - self.out_of_service.0)
    }

    /// How many jobs have been submitted so far: the number of the next one.
    #[inline]
    pub fn submitted(&self) -> JobIndex {
        self.rows.submitted()
    }

    /// A job that waits or runs.
    pub fn job(&self, job: JobIndex) -> Option<&Job> {
        self.rows.present(job).map(|_| self.rows.job(job))
    }

    /// How many jobs wait.
    #[inline]
    pub fn queue_length(&self) -> usize {
        self.queue.len()
    }

    /// Free processors; below zero where more are held than are in service.
    pub(super) fn free(&self) -> i64 {
        self.free
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    #[inline]
    fn check_waiting(&self, job: JobIndex) -> Result<(), SiteError> {
        match self.rows.present(job) {
            Some(row) if row.is_waiting() => Ok(()),
            _ => Err(SiteError::NotWaiting(job)),
        }
    }

    #[inline]
    fn running_row(&self, job: JobIndex) -> Result<Row, SiteError> {
        match self.rows.present(job) {
            Some(row) if !row.is_waiting() => Ok(*row),
            _ => Err(SiteError::NotRunning(job)),
        }
    }

    /// Gives a waiting job another shape than it prefers.
    fn mold(&mut self, index: JobIndex, place: u16) {
        let job = self.rows.job(index);
        let (preferred, shape) = (job.shape, job.shape_at(place));
        let row = &mut self.rows[index];
        row.procs = shape.procs.0;
        if let (Some(preferred), Some(limit)) = (preferred.limit, shape.limit) {
            // In whole numbers, so that a prediction equal to one request becomes exactly the other.
            let (by, of) = (i128::from(limit.0), i128::from(preferred.0.max(1)));
            let scaled = |length: i64| ((i128::from(length) * by + of - 1) / of).clamp(1, LONGEST) as i64;
            (row.predicted, row.planned) = (scaled(row.predicted), scaled(row.planned));
            row.first = row.predicted;
        }
    }
}
