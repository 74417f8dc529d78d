//! A forecaster that follows the schedule that a log records.

use std::borrow::Cow;

use super::answer::WhenSettings;
use super::forecaster::{Forecaster, SubmissionUse};
use queuecast_core::job::Job;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_sim::site::{Replay, Site, Step};

/// The schedule that a log records, played forward, and a [`Forecaster`] that learns from it. Each advance costs what has happened since
/// the last one; methods are tried on the last jobs of it only, so that a long advance costs little more than a short one.
#[derive(Debug)]
pub struct PlayedForecaster<'a> {
    forecaster: Forecaster,
    replay: Replay<'a>,
    history: &'a Workload,
    jobs: Cow<'a, [Job]>,
    trials: usize,
    methods: usize,
}

impl<'a> PlayedForecaster<'a> {
    /// At the beginning of the log.
    pub fn new(history: &'a Workload, settings: &WhenSettings) -> PlayedForecaster<'a> {
        let replay = Replay::recorded(history, settings.default_request);
        let jobs = replay.timeline().jobs(history);
        let (trials, methods) = (settings.trials, settings.methods.len());
        PlayedForecaster { forecaster: Forecaster::new(settings), replay, history, jobs, trials, methods }
    }

    /// Plays up to the end of a second. `done` is told of each job that a method was tried on.
    pub fn advance_to(&mut self, until: Time, done: &(dyn Fn(usize) + Sync)) {
        let first = self.jobs.partition_point(|job| job.submit <= until).saturating_sub(self.trials);
        while let Some(next) = self.replay.peek().filter(|next| next.at <= until) {
            if next.step == Step::Submitted {
                let (job, number) = (&self.jobs[next.job.at()], next.job.at());
                let index = self.replay.timeline().index(next.job);
                let start = index.map(|index| self.history.starts.get(index.at()));
                let known = !matches!(start, Some(None | Some(&Time::NEVER)));
                let tried = known && number >= first;
                self.replay.admit(job.shape.procs);
                if tried {
                    self.forecaster.refit();
                }
                let used = SubmissionUse { ahead: first.saturating_sub(number), tried, known };
                self.forecaster.submitted(job, self.replay.site(), used);
                if tried {
                    done(self.methods);
                }
            }
            let Some(event) = self.replay.step() else { break };
            self.forecaster.observe(&event);
        }
        self.forecaster.refit();
    }

    /// What is learned so far, and the site as it is.
    pub fn snapshot(&self) -> (Forecaster, Site) {
        (self.forecaster.snapshot(), self.replay.site().clone())
    }
}

impl Forecaster {
    /// Learns the schedule that a log records up to the end of a second, and returns the site as it is then. `done` is told of each
    /// job that a method was tried on.
    pub fn of_log(
        history: &Workload,
        until: Time,
        settings: &WhenSettings,
        done: &(dyn Fn(usize) + Sync),
    ) -> (Forecaster, Site) {
        let mut played = PlayedForecaster::new(history, settings);
        played.advance_to(until, done);
        played.snapshot()
    }
}
