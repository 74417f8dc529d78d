//! A log played forward as if it were live.

use super::LabelledLog;
use super::machine::{MachineAnswer, MachineParts};
use super::pending::{AskedQueue, PendingAnswer, logged_jobs, name_in, started_by, without_rows};
use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::number::number_of;
use queuecast_core::units::Time;
use queuecast_forecast::forecast::{PendingForecaster, PlayedQueue, WhenSettings};
use queuecast_trace::TimeZone;

/// A log that is asked about one moment after the other. It learns as it goes on, so that an answer costs what has happened since the last
/// one and not the whole past; at its first moment the answer is that of [`pending_at`](super::pending_at).
#[derive(Debug)]
pub struct PlayedLog<'a> {
    log: LabelledLog<'a>,
    queue: PlayedQueue<'a>,
    settings: WhenSettings,
    at: Time,
}

impl<'a> PlayedLog<'a> {
    /// Learns from a log up to a moment. The log is of jobs that have ended, or were taken as unfinished.
    ///
    /// # Errors
    /// If no job had started by then, or the log does not record when jobs started.
    pub fn from(
        log: LabelledLog<'a>,
        at: Time,
        settings: &WhenSettings,
        messages: &dyn Messages,
    ) -> Result<PlayedLog<'a>, Refusal> {
        started_by(log, at)?;
        let workload = &log.log.workload;
        let mut queue = PlayedQueue::new(workload, at, settings);
        let known = workload.jobs().partition_point(|job| job.submit <= at);
        messages.begins("asking about past queues", PendingForecaster::steps(known));
        queue.advance_to(at, &|steps| messages.done(steps));
        Ok(PlayedLog { log, queue, settings: settings.clone(), at })
    }

    /// Goes on to a moment, and says when each job starts that waits then; those of `user` first. A moment that has passed is the last one.
    ///
    /// # Errors
    /// As of [`PlayedLog::from`].
    pub fn pending(
        &mut self,
        at: Time,
        user: Option<&str>,
        zone: &TimeZone,
    ) -> Result<PendingAnswer, Refusal> {
        Ok(self.looked(at, user, zone)?.0)
    }

    /// As [`PlayedLog::pending`], with the machine by the same simulations.
    ///
    /// # Errors
    /// As of [`PlayedLog::from`].
    pub fn queue_and_machine(
        &mut self,
        at: Time,
        zone: &TimeZone,
    ) -> Result<(PendingAnswer, MachineAnswer), Refusal> {
        let (pending, procs) = self.looked(at, None, zone)?;
        let (forecaster, site) = (self.queue.forecaster(), self.queue.site());
        let parts = MachineParts::of_log(self.log, forecaster, (site, self.at));
        let machine = parts.machine(&pending, procs);
        Ok((pending, machine))
    }

    fn looked(
        &mut self,
        at: Time,
        user: Option<&str>,
        zone: &TimeZone,
    ) -> Result<(PendingAnswer, u64), Refusal> {
        self.at = self.at.max(at);
        self.queue.advance_to(self.at, &|_| {});
        let (log, at) = (self.log, self.at);
        let history = number_of(started_by(log, at)?, "job");
        let starts = self.queue.starts(at);
        let mut answer = PendingAnswer {
            jobs: logged_jobs(log, at, &self.settings, (self.queue.site(), &starts)),
            queues: vec![AskedQueue::of(None, history, &starts)],
            ..without_rows(log, at, zone)
        };
        answer.put_first(user.map(|user| name_in(log, user)));
        Ok((answer, starts.procs.0.into()))
    }
}
