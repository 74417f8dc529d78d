//! How long jobs waited, day by day: with the jobs that still wait, so that a day on which few have started does not look quick.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::LiveSite;
use super::pending::names_in;
use queuecast_core::units::{Seconds, Time};
use queuecast_core::workload::Workload;
use queuecast_trace::{TimeZone, date};

/// How long jobs waited.
#[derive(Debug, Clone, Serialize)]
pub struct WaitsAnswer {
    /// The moment that it is known at: Unix seconds, or seconds of a log without dates.
    pub now: i64,
    /// Each day and queue, by when jobs were submitted; the oldest day first.
    pub days: Vec<DayWaits>,
    /// Each queue over all these days.
    pub queues: Vec<QueueWaits>,
}

/// The waits of jobs that were submitted to a queue on a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DayWaits {
    /// The date, or the number of the day in a log without dates.
    pub day: String,
    /// The queue and its waits.
    #[serde(flatten)]
    pub waits: QueueWaits,
}

/// The waits of jobs of a queue, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueWaits {
    /// The queue or partition, where jobs have one.
    pub queue: Option<String>,
    /// Jobs that were submitted.
    pub jobs: usize,
    /// Those that still wait.
    pub pending: usize,
    /// One in ten waited less; `None` as long as too many still wait.
    pub p10: Option<f64>,
    /// Even odds.
    pub median: Option<f64>,
    /// One in ten waited longer.
    pub p90: Option<f64>,
}

/// The wait of a job as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ObservedWait {
    seconds: f64,
    end: KnownEnd,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum KnownEnd {
    Started,
    /// It left the queue: its wait would have been longer.
    Left,
    /// It still waits.
    Waits,
}

/// Collects the waits of jobs.
#[derive(Debug)]
pub(super) struct WaitsByDay {
    since: Time,
    now: Time,
    epoch: Option<i64>,
    zone: TimeZone,
    found: BTreeMap<(String, Option<String>), Vec<ObservedWait>>,
}

const DAY: i64 = 86_400;

impl WaitsByDay {
    /// Of the days up to a moment.
    pub fn before(now: Time, days: u32, epoch: Option<i64>, zone: &TimeZone) -> WaitsByDay {
        let since = Time(now.0.saturating_sub(i64::from(days).saturating_mul(DAY)));
        WaitsByDay { since, now, epoch, zone: zone.clone(), found: BTreeMap::new() }
    }

    fn day(&self, submit: Time) -> String {
        let unix = self.epoch.and_then(|epoch| date::second(epoch.saturating_add(submit.0), &self.zone));
        match unix.as_deref().and_then(|date| date.get(..10)) {
            Some(date) => date.to_owned(),
            None => format!("day {}", submit.0.div_euclid(DAY)),
        }
    }

    fn add(&mut self, submit: Time, queue: Option<String>, until: Time, end: KnownEnd) {
        if submit < self.since || submit > self.now {
            return;
        }
        let seconds = (until.min(self.now) - submit).max(Seconds::ZERO).0 as f64;
        self.found.entry((self.day(submit), queue)).or_default().push(ObservedWait { seconds, end });
    }

    /// Adds the jobs of a log as far as they are known at the moment. With `started`, only jobs that have started.
    pub fn add_log(&mut self, workload: &Workload, started: bool) {
        let (jobs, now) = (workload.jobs(), self.now);
        let first = jobs.partition_point(|job| job.submit < self.since);
        for job in jobs[first..].iter().take_while(|job| job.submit <= now) {
            let queue = names_in(workload, job).1;
            match workload.starts.get(job.index.at()) {
                Some(&start) if start <= now => self.add(job.submit, queue, start, KnownEnd::Started),
                Some(&start) if start != Time::NEVER && !started => {
                    self.add(job.submit, queue, now, KnownEnd::Waits);
                }
                _ => {}
            }
        }
        for one in &workload.withdrawn {
            let queue = names_in(workload, &one.job).1;
            match one.left <= now {
                true => self.add(one.job.submit, queue, one.left, KnownEnd::Left),
                false if !started => self.add(one.job.submit, queue, now, KnownEnd::Waits),
                false => {}
            }
        }
    }

    /// Adds the jobs that wait at a live site now, and those that have started since its accounting was read.
    pub fn add_site(&mut self, site: &LiveSite, accounted: Option<&Workload>) {
        let known: BTreeSet<(u64, Time)> =
            accounted.iter().flat_map(|log| log.jobs()).map(|job| (job.id.0, job.submit)).collect();
        for queued in site.jobs() {
            let Some(submit) = queued.submit else { continue };
            let queue = queued.partitions.first().cloned();
            match queued.elapsed {
                None => self.add(submit, queue, site.asked, KnownEnd::Waits),
                Some(_) if known.contains(&(queued.id, submit)) => {}
                Some(elapsed) => self.add(submit, queue, site.asked - elapsed, KnownEnd::Started),
            }
        }
    }

    /// The history.
    pub fn history(self) -> WaitsAnswer {
        let mut queues: BTreeMap<Option<String>, Vec<ObservedWait>> = BTreeMap::new();
        let mut days = Vec::new();
        for ((day, queue), waits) in self.found {
            queues.entry(queue.clone()).or_default().extend(&waits);
            days.push(DayWaits { day, waits: QueueWaits::of(queue, waits) });
        }
        // Numbers of days are not in the order of their texts.
        days.sort_by_key(|one| one.day.strip_prefix("day ").and_then(|number| number.parse::<i64>().ok()));
        WaitsAnswer {
            now: self.epoch.unwrap_or(0).saturating_add(self.now.0),
            days,
            queues: queues.into_iter().map(|(queue, waits)| QueueWaits::of(queue, waits)).collect(),
        }
    }
}

/// A job that accounting tells of, until it could be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldJob {
    /// Its queue.
    pub queue: Option<String>,
    /// When it was submitted.
    pub submit: Time,
    /// When it became eligible; `None` if it has not.
    pub eligible: Option<Time>,
    /// When it left the queue without having been eligible, if it did.
    pub left: Option<Time>,
}

impl WaitsAnswer {
    /// How long jobs were held before they were eligible: by a dependency, a begin time, or a hold. Jobs that were eligible at once are not counted;
    /// those that are not eligible yet are.
    pub fn of_holds(
        jobs: impl Iterator<Item = HeldJob>,
        now: Time,
        days: u32,
        zone: &TimeZone,
    ) -> WaitsAnswer {
        let mut waits = WaitsByDay::before(now, days, Some(0), zone);
        for job in jobs {
            let eligible = job.eligible.filter(|at| *at <= now);
            match (eligible, job.left.filter(|at| *at <= now)) {
                (Some(at), _) if at <= job.submit => {}
                (Some(at), _) => waits.add(job.submit, job.queue, at, KnownEnd::Started),
                (None, Some(left)) => waits.add(job.submit, job.queue, left, KnownEnd::Left),
                (None, None) => waits.add(job.submit, job.queue, now, KnownEnd::Waits),
            }
        }
        waits.history()
    }
}

impl QueueWaits {
    fn of(queue: Option<String>, mut waits: Vec<ObservedWait>) -> QueueWaits {
        waits.sort_by(|one, other| one.seconds.total_cmp(&other.seconds).then(one.end.cmp(&other.end)));
        let pending = waits.iter().filter(|one| one.end == KnownEnd::Waits).count();
        let [p10, median, p90] = quantiles(&waits, [0.1, 0.5, 0.9]);
        QueueWaits { queue, jobs: waits.len(), pending, p10, median, p90 }
    }
}

/// Quantiles of waits of which some are only known to be longer than what has passed. The waits ascend.
///
/// # Formula
/// The product-limit estimator of Kaplan & Meier 1958: S(t) = Π (1 − 1/nᵢ) over the starts until t, with nᵢ jobs that waited at least
/// as long; the quantile is the first wait with S ≤ 1 − level.
fn quantiles(waits: &[ObservedWait], levels: [f64; 3]) -> [Option<f64>; 3] {
    // Rounding must not move a quantile that is reached exactly.
    const ROUNDING: f64 = 1e-9;
    let mut found = [None; 3];
    let mut survival = 1.0;
    for (place, wait) in waits.iter().enumerate() {
        if wait.end != KnownEnd::Started {
            continue;
        }
        survival *= 1.0 - 1.0 / (waits.len() - place) as f64;
        for (level, found) in levels.iter().zip(&mut found) {
            if found.is_none() && survival <= 1.0 - level + ROUNDING {
                *found = Some(wait.seconds);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(waits: &[(i64, KnownEnd)]) -> QueueWaits {
        let waits = waits.iter().map(|&(seconds, end)| ObservedWait { seconds: seconds as f64, end });
        QueueWaits::of(None, waits.collect())
    }

    #[test]
    fn only_jobs_that_were_not_eligible_at_once_were_held() {
        let job = |submit, eligible: Option<i64>, left: Option<i64>| HeldJob {
            queue: Some("p".to_owned()),
            submit: Time(submit),
            eligible: eligible.map(Time),
            left: left.map(Time),
        };
        let jobs = [
            job(1_000, Some(1_000), None),
            job(1_000, Some(1_600), None),
            job(2_000, Some(5_600), Some(9_000)),
            job(3_000, None, Some(3_100)),
            job(4_000, None, None),
            // It becomes eligible later than now.
            job(5_000, Some(20_000), None),
        ];
        let held = WaitsAnswer::of_holds(jobs.into_iter(), Time(10_000), 14, &TimeZone::UTC);
        let queue = &held.queues[0];
        assert_eq!((queue.jobs, queue.pending, queue.p10), (5, 2, Some(600.0)));
    }

    #[test]
    fn jobs_that_still_wait_make_quantiles_longer() {
        let started: Vec<(i64, KnownEnd)> = (1..=10).map(|wait| (wait * 60, KnownEnd::Started)).collect();
        let all = of(&started);
        assert_eq!((all.p10, all.median, all.p90), (Some(60.0), Some(300.0), Some(540.0)));
        // Ten that wait since an hour: one in ten of all has started after two minutes, half never so far.
        let waiting: Vec<_> = started.iter().copied().chain([(3_600, KnownEnd::Waits); 11]).collect();
        let some = of(&waiting);
        assert_eq!((some.jobs, some.pending, some.p10, some.median), (21, 11, Some(180.0), None));
        // Those that left early say nothing of longer waits, so the others count for more.
        let left: Vec<_> = started.iter().copied().chain([(1, KnownEnd::Left); 10]).collect();
        assert_eq!(of(&left).median, Some(300.0));
    }
}
