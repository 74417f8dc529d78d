//! What was said of waiting jobs while a log is played, and how right that was: by the rules of a followed site.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_place::{PendingAnswer, PendingJob};

use crate::forecast_record::ForecastRecord;
use crate::forecasts::{DueForecasts, JobForecast, JudgedForecast, SaidSeconds, WaitEnd, WaitsSoFar};
use crate::site_snapshot::{SaidByJob, SaidTimes};

/// How long forecasts are counted.
const COUNTED: Seconds = Seconds(30 * 86_400);

/// Forecasts that are counted, at most.
const MOST: usize = 20_000;

/// Moments of a job that are remembered at most; then every other one is forgotten.
const MOMENTS: usize = 64;

/// What was said of the jobs of a played log.
#[derive(Debug)]
pub(crate) struct PlayedRecord {
    /// What becomes of each job; looked at once it has happened.
    ends: HashMap<String, WaitEnd>,
    /// The starts of all jobs, the first one first, with their waits.
    started: Vec<(Time, f64)>,
    /// When each waiting job was forecast last.
    last: HashMap<String, Time>,
    forecasts: VecDeque<JobForecast>,
    said: SaidByJob,
    waiting: HashSet<String>,
    epoch: i64,
}

impl PlayedRecord {
    /// Of a log, before its first look.
    pub fn of(workload: &Workload) -> PlayedRecord {
        let (mut ends, mut started) = (HashMap::new(), Vec::new());
        for (job, &start) in workload.jobs().iter().zip(&workload.starts) {
            if start != Time::NEVER {
                ends.insert(job.id.0.to_string(), WaitEnd::Started(start));
                started.push((start, (start - job.submit).0.max(0) as f64));
            }
        }
        for one in &workload.withdrawn {
            ends.insert(one.job.id.0.to_string(), WaitEnd::Withdrawn(one.left));
        }
        order::sort_by_key(&mut started, |one| one.0);
        PlayedRecord {
            ends,
            started,
            last: HashMap::new(),
            forecasts: VecDeque::new(),
            said: SaidByJob::new(),
            waiting: HashSet::new(),
            epoch: workload.epoch.unwrap_or(0),
        }
    }

    /// Remembers what is said of the jobs that wait.
    pub fn looked(&mut self, answer: &PendingAnswer) {
        let at = answer.moment.time;
        self.waiting = answer.jobs.iter().map(|job| job.job.clone()).collect();
        self.last.retain(|job, _| self.waiting.contains(job));
        self.said.retain(|job, _| self.waiting.contains(job));
        let known = self.started.partition_point(|one| one.0 <= at);
        let waits = WaitsSoFar::of_last(&self.started[..known]);
        for job in &answer.jobs {
            self.remember(job, at);
            self.forecast(job, at, &waits);
        }
        while self.forecasts.front().is_some_and(|one| one.at < at - COUNTED) || self.forecasts.len() > MOST {
            self.forecasts.pop_front();
        }
    }

    fn remember(&mut self, job: &PendingJob, at: Time) {
        let Some(start) = job.start else { return };
        let now = self.epoch.saturating_add(at.0);
        let later = |seconds: f64| now.saturating_add(seconds.round() as i64);
        let (low, median, high) = (later(start.low), later(start.median), later(start.high));
        let said = Arc::make_mut(self.said.entry(job.job.clone()).or_default());
        if said.len() >= MOMENTS {
            let mut place = 0;
            said.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        if said.last().is_none_or(|last| last.at < now) {
            said.push(SaidTimes { at: now, low, median, high });
        }
    }

    fn forecast(&mut self, job: &PendingJob, at: Time, waits: &WaitsSoFar) {
        let (Some(range), Some(place), Some(waited)) = (job.start, job.place, job.waited) else { return };
        let submit = at - waited;
        if !DueForecasts::is_due_after(self.last.get(&job.job).copied(), submit, at) {
            return;
        }
        self.last.insert(job.job.clone(), at);
        self.forecasts.push_back(JobForecast {
            job: job.job.clone(),
            at,
            submit,
            partition: job.partition.clone().unwrap_or_default(),
            procs: job.asked.procs.0,
            ahead: (place - 1) as u32,
            said: SaidSeconds { low: range.low, median: range.median, high: range.high },
            slurm: None,
            past: waits.beyond(waited.0.max(0) as f64),
            unwidened: None,
        });
    }

    /// What was forecast, with what of it has happened by a moment.
    pub fn judged(&self, name: &str, at: Time) -> ForecastRecord {
        let judged = self.forecasts.iter().map(|forecast| {
            let end = self.ends.get(&forecast.job).copied();
            let outcome = end.filter(|end| match *end {
                WaitEnd::Started(then) | WaitEnd::Withdrawn(then) => then <= at,
            });
            JudgedForecast { forecast: forecast.clone(), outcome }
        });
        ForecastRecord { name: name.to_owned(), at, judged: judged.collect(), waiting: self.waiting.clone() }
    }

    /// What was said of the jobs that wait.
    pub fn said(&self) -> SaidByJob {
        self.said.clone()
    }
}
