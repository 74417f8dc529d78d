//! What is said of the jobs that wait at a look, and what became of them.

use std::collections::{HashMap, HashSet};

use queuecast_core::asking::{Messages, Refusal};
use queuecast_core::order;
use queuecast_core::units::Time;
use queuecast_core::workload::Workload;
use queuecast_forecast::forecast::{PendingRange, WhenSettings};
use queuecast_place::{AskedPlace, LivePast, LiveSite, PendingJob, pending_at};
use queuecast_trace::TimeZone;

use crate::look::{Look, queue_line};

/// A range of seconds from a moment: nine in ten are above its low end, and nine in ten below its high end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaidSeconds {
    /// Its low end.
    pub low: f64,
    /// Even odds.
    pub median: f64,
    /// Its high end.
    pub high: f64,
}

/// What was said of a waiting job at a look.
#[derive(Debug, Clone, PartialEq)]
pub struct JobForecast {
    /// The job as it is shown, and when it was submitted.
    pub job: String,
    /// When it was said.
    pub at: Time,
    /// When the job was submitted.
    pub submit: Time,
    /// Its partition.
    pub partition: String,
    /// Processors that it asks for.
    pub procs: u32,
    /// Jobs before it in the order.
    pub ahead: u32,
    /// When it starts, in seconds from then.
    pub said: SaidSeconds,
    /// The start as it was before it was widened, if it was.
    pub unwidened: Option<SaidSeconds>,
    /// When Slurm expected it to start then, if it said so.
    pub slurm: Option<Time>,
    /// The start by the last waits alone: of those that were longer than it had waited, how much longer.
    pub past: Option<SaidSeconds>,
}

/// What became of a waiting job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// It started.
    Started(Time),
    /// It left the queue before it started.
    Withdrawn(Time),
}

/// A forecast, and what became of the job, once that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedForecast {
    /// What was said.
    pub forecast: JobForecast,
    /// What became of it.
    pub outcome: Option<WaitEnd>,
}

/// The jobs of a look of which a forecast is due: those without one, and those that have waited twice as long as at their last one. Of an
/// array it is the first in line that waits.
pub struct DueForecasts {
    last: HashMap<String, Time>,
}

/// A job is not asked about again before this many seconds.
const APART: i64 = 600;

impl DueForecasts {
    /// By when the last forecast of each waiting job was made.
    pub fn after(last: impl IntoIterator<Item = (String, Time)>) -> DueForecasts {
        let mut latest: HashMap<String, Time> = HashMap::new();
        for (job, at) in last {
            let known = latest.entry(array_of(&job)).or_insert(at);
            *known = at.max(*known);
        }
        DueForecasts { last: latest }
    }

    fn is_due(&self, job: &str, submit: Time, at: Time) -> bool {
        DueForecasts::is_due_after(self.last.get(&array_of(job)).copied(), submit, at)
    }

    /// Whether a job is asked about again that was asked about last at a moment.
    pub(crate) fn is_due_after(last: Option<Time>, submit: Time, at: Time) -> bool {
        let Some(last) = last else { return true };
        let waited = (last - submit).0.max(0);
        (at - last).0 >= waited.max(APART) || last > at
    }

    /// Says when each of them starts. `past` is what was learned of the site before the look.
    ///
    /// # Errors
    /// If no processor of the site is in use or ready, or what was learned cannot be read.
    pub fn made(
        &self,
        look: &Look,
        site: &LiveSite,
        past: LivePast<'_>,
        messages: &dyn Messages,
    ) -> Result<Vec<JobForecast>, Refusal> {
        let waiting = waiting(look);
        if !waiting.values().any(|job| self.is_due(&job.key, job.submit, look.at)) {
            return Ok(Vec::new());
        }
        let place = AskedPlace::Live { site, history: Some(past), partition: None, procs: None };
        let answer = pending_at(place, None, &WhenSettings::default(), &TimeZone::UTC, messages)?;
        let waits = WaitsSoFar::of(past.workload, look.at);
        let made = |job: &PendingJob| {
            let seen = waiting.get(job.job.as_str())?;
            let (range, place) = (job.start?, job.place?);
            self.is_due(&seen.key, seen.submit, look.at).then(|| JobForecast {
                job: seen.key.clone(),
                at: look.at,
                submit: seen.submit,
                partition: job.partition.clone().unwrap_or_default(),
                procs: job.asked.procs.0,
                ahead: (place - 1) as u32,
                said: seconds(range),
                unwidened: job.unwidened.map(seconds),
                slurm: seen.slurm,
                past: waits.beyond((look.at - seen.submit).0.max(0) as f64),
            })
        };
        let mut arrays = HashSet::new();
        let first_of_array = |one: &JobForecast| arrays.insert(array_of(&one.job));
        Ok(answer.jobs.iter().filter_map(made).filter(first_of_array).collect())
    }
}

fn seconds(range: PendingRange) -> SaidSeconds {
    SaidSeconds { low: range.low, median: range.median, high: range.high }
}

/// The array of a task, and when it was submitted; another job itself.
fn array_of(key: &str) -> String {
    let (name, submit) = key.split_once(' ').unwrap_or((key, ""));
    format!("{} {submit}", name.split('_').next().unwrap_or(name))
}

/// A job that waits at a look.
struct SeenJob {
    key: String,
    submit: Time,
    slurm: Option<Time>,
}

/// The jobs that wait at a look, each as a forecast names it.
pub fn waiting_jobs(look: &Look) -> HashSet<String> {
    waiting(look).into_values().map(|job| job.key).collect()
}

/// The jobs that wait at a look, by name.
fn waiting(look: &Look) -> HashMap<&str, SeenJob> {
    let seen = |line: &'_ str| {
        let mut cells = line.split('|');
        let (name, state) = (cells.next()?, cells.next()?);
        let parts = queue_line(line).filter(|_| state == "PENDING")?;
        let submit = Time(parts.key.rsplit(' ').next()?.parse().ok()?);
        let slurm = parts.passing.1.parse().ok().map(Time);
        Some((name.len(), SeenJob { key: parts.key, submit, slurm }))
    };
    look.queue.lines().filter_map(|line| seen(line).map(|(name, job)| (&line[..name], job))).collect()
}

/// Of the jobs that started last, how long they had waited, the shortest first.
pub(crate) struct WaitsSoFar(Vec<f64>);

/// How many of the last waits are looked at.
const LAST_WAITS: usize = 200;

/// Fewer waits tell nothing.
const FEWEST_WAITS: usize = 10;

impl WaitsSoFar {
    fn of(past: &Workload, at: Time) -> WaitsSoFar {
        let started = past.jobs().iter().zip(&past.starts).filter(|(_, start)| **start <= at);
        let mut started: Vec<(Time, f64)> =
            started.map(|(job, &start)| (start, (start - job.submit).0.max(0) as f64)).collect();
        order::sort_by_key(&mut started, |one| one.0);
        WaitsSoFar::of_last(&started)
    }

    /// Of jobs by when they started, with their waits.
    pub fn of_last(started: &[(Time, f64)]) -> WaitsSoFar {
        let last = &started[started.len().saturating_sub(LAST_WAITS)..];
        let mut waits: Vec<f64> = last.iter().map(|one| one.1).collect();
        order::sort_floats(&mut waits);
        WaitsSoFar(waits)
    }

    /// Of those longer than what a job has waited, how much longer.
    pub fn beyond(&self, waited: f64) -> Option<SaidSeconds> {
        let longer = &self.0[self.0.partition_point(|&wait| wait <= waited)..];
        let at = |share: f64| longer[((longer.len() - 1) as f64 * share).round() as usize] - waited;
        (longer.len() >= FEWEST_WAITS).then(|| SaidSeconds { low: at(0.1), median: at(0.5), high: at(0.9) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_asked_about_again_when_it_has_waited_twice_as_long() {
        let due = DueForecasts::after([("7 100".to_owned(), Time(5_100))]);
        assert!(due.is_due("8 100", Time(100), Time(5_200)));
        assert!(!due.is_due("7 100", Time(100), Time(10_099)));
        assert!(due.is_due("7 100", Time(100), Time(10_100)));
        // One task speaks for its array.
        let array = DueForecasts::after([("9_1 100".to_owned(), Time(5_100))]);
        assert!(!array.is_due("9_2 100", Time(100), Time(6_000)));
        assert!(array.is_due("9_2 200", Time(200), Time(6_000)), "another array");
        // Not at every look, however young it is; and a clock that was set back does not silence it.
        let young = DueForecasts::after([("7 100".to_owned(), Time(110))]);
        assert_eq!([230, 710].map(|at| young.is_due("7 100", Time(100), Time(at))), [false, true]);
        assert!(due.is_due("7 100", Time(100), Time(2_000)));
    }

    #[test]
    fn only_longer_waits_tell_of_a_job_that_has_waited() {
        let waits = WaitsSoFar((1..=100).map(f64::from).collect());
        assert_eq!(waits.beyond(0.0), Some(SaidSeconds { low: 11.0, median: 51.0, high: 90.0 }));
        assert_eq!(waits.beyond(80.0), Some(SaidSeconds { low: 3.0, median: 11.0, high: 18.0 }));
        assert_eq!(waits.beyond(91.0), None);
    }

    #[test]
    fn waiting_jobs_have_the_start_that_slurm_expects() {
        let queue = "52|PENDING|16|5:00|0:00|15256|dave|900|long||biology|high|(null)|1500|(null)|Priority
53|PENDING|16|5:00|0:00|15256|dave|950|long||biology|high|(null)|N/A|(null)|Priority
54|RUNNING|16|5:00|0:10|15256|dave|950|long|c1|biology|high|(null)|990|(null)|None\n";
        let look = Look { at: Time(1000), queue: queue.to_owned(), nodes: String::new() };
        let jobs = waiting(&look);
        assert_eq!(jobs.len(), 2);
        assert_eq!((jobs["52"].key.as_str(), jobs["52"].slurm), ("52 900", Some(Time(1500))));
        assert_eq!(jobs["53"].slurm, None);
    }
}
