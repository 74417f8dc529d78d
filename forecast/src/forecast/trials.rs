//! Methods tried on the last jobs of a site: what each said, and how right it was, all on the same jobs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::range_record::{KnownWait, MethodRecord, RangeRecord, SaidRange, judged, preferred};
use super::regime::{JudgedJobs, Regime, RegimeRecord};
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::order;
use queuecast_core::units::{Seconds, Time};

/// Of the jobs that methods are tried on, one in this many at least has started or left the queue: where hundreds are submitted together,
/// those tell nothing for a while, and older ones are kept beside them.
const KNOWN_SHARE: usize = 5;

/// No more jobs are kept, however many wait.
const MOST_TRIED: usize = 100_000;

/// The last jobs that methods were tried on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TriedJobs {
    most: usize,
    /// In order of submission.
    jobs: VecDeque<TriedJob>,
    /// How many of them have started or left the queue.
    known: usize,
}

/// What was said of a job, and what became of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TriedJob {
    index: JobIndex,
    submit: Time,
    regime: Regime,
    /// By method.
    said: Vec<SaidRange>,
    /// `None` as long as it waits.
    outcome: Option<KnownWait>,
}

impl TriedJobs {
    /// Of this many jobs, or more while most of them wait.
    pub fn new(most: usize) -> TriedJobs {
        TriedJobs { most, jobs: VecDeque::new(), known: 0 }
    }

    /// What each method says of a job that is submitted.
    pub fn said(&mut self, job: &Job, regime: Regime, said: Vec<SaidRange>) {
        self.jobs.push_back(TriedJob { index: job.index, submit: job.submit, regime, said, outcome: None });
        self.forget();
    }

    /// Forgets the first jobs, as long as those left are enough.
    fn forget(&mut self) {
        while let Some(first) = self.jobs.front()
            && self.jobs.len() > self.most
        {
            let is_known = usize::from(first.outcome.is_some());
            if self.known - is_known < self.most / KNOWN_SHARE && self.jobs.len() <= MOST_TRIED {
                return;
            }
            self.known -= is_known;
            self.jobs.pop_front();
        }
    }

    /// A job has started.
    pub fn started(&mut self, index: JobIndex, wait: Seconds) {
        self.ends(index, KnownWait::Whole(wait.0 as f64));
    }

    /// A job has left the queue without having started.
    pub fn left(&mut self, index: JobIndex, after: Seconds) {
        self.ends(index, KnownWait::AtLeast(after.0 as f64));
    }

    fn ends(&mut self, index: JobIndex, outcome: KnownWait) {
        // Numbers ascend with submissions.
        if let Ok(place) = self.jobs.binary_search_by_key(&index, |one| one.index) {
            self.known += usize::from(self.jobs[place].outcome.is_none());
            self.jobs[place].outcome = Some(outcome);
            self.forget();
        }
    }

    /// How right each of the methods was, by what is known now, by their places: the one that answers first, then the others by their
    /// scores.
    pub fn ranked(&self, now: Time, methods: Vec<String>) -> Vec<(usize, MethodRecord)> {
        let records = self.judged(now, methods.len(), &|_| true);
        let best = preferred(&records);
        let shown = records.iter().zip(methods).map(|(record, method)| record.record(method));
        let mut ranked: Vec<(usize, MethodRecord)> = shown.enumerate().collect();
        // The sort is stable: equally good methods keep the given order.
        order::sort_by(&mut ranked, |one, other| {
            (one.0 != best)
                .cmp(&(other.0 != best))
                .then(one.1.interval_score.total_cmp(&other.1.interval_score))
        });
        ranked
    }

    /// How right the method at this place of all methods was for jobs in a situation like this.
    pub fn in_regime(
        &self,
        now: Time,
        (place, methods): (usize, usize),
        regime: Regime,
    ) -> Option<RegimeRecord> {
        regime.record(|alike| {
            let records = self.judged(now, methods, alike);
            records.get(place).map_or(JudgedJobs::default(), |one| JudgedJobs {
                jobs: one.jobs(),
                inside: one.inside(),
                at_once: one.at_once,
            })
        })
    }

    fn judged(&self, now: Time, methods: usize, counts: &dyn Fn(&Regime) -> bool) -> Vec<RangeRecord> {
        let jobs: Vec<&TriedJob> = self.jobs.iter().filter(|one| counts(&one.regime)).collect();
        let so_far = |one: &TriedJob| KnownWait::AtLeast((now - one.submit).max(Seconds::ZERO).0 as f64);
        let known: Vec<KnownWait> =
            jobs.iter().map(|one| one.outcome.unwrap_or_else(|| so_far(one))).collect();
        let by_method = |place: usize| jobs.iter().map(|one| one.said[place]).collect();
        let said: Vec<Vec<SaidRange>> = (0..methods).map(by_method).collect();
        let said: Vec<&[SaidRange]> = said.iter().map(Vec::as_slice).collect();
        judged(&known, &said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;

    /// A method that says this of every job.
    fn said() -> Vec<SaidRange> {
        vec![SaidRange::from_to(0.0, 10.0, 50.0)]
    }

    #[test]
    fn a_job_that_has_not_started_has_waited_at_least_for_so_long() {
        let job = |index: u32| Job { index: JobIndex(index), ..Job::rigid(1, Time(10), Procs(1), None) };
        let mut tried = TriedJobs::new(3);
        for index in [1, 4, 5, 9] {
            let site = Site::new(Machine { procs: Procs(4) });
            let regime = Regime::of(&job(index), &site, Time(10));
            tried.said(&job(index), regime, said());
        }
        let record = |tried: &TriedJobs| tried.ranked(Time(110), vec![String::new()]).remove(0).1;
        // The first of the four is forgotten; all others have waited for 100 s.
        assert_eq!((record(&tried).jobs, record(&tried).inside), (3, 0.0));
        tried.started(JobIndex(1), Seconds(5));
        tried.started(JobIndex(4), Seconds(50));
        // One that left after 40 s has not outlasted the range.
        tried.left(JobIndex(9), Seconds(40));
        assert_eq!((record(&tried).jobs, record(&tried).inside), (2, 0.5));
    }

    #[test]
    fn jobs_that_are_submitted_together_do_not_displace_those_that_are_known() {
        let site = Site::new(Machine { procs: Procs(4) });
        let mut tried = TriedJobs::new(50);
        let submitted = |tried: &mut TriedJobs, index: u32| {
            let job = Job { index: JobIndex(index), ..Job::rigid(1, Time(10), Procs(1), None) };
            tried.said(&job, Regime::of(&job, &site, Time(10)), said());
        };
        let jobs = |tried: &TriedJobs| tried.ranked(Time(10), vec![String::new()]).remove(0).1.jobs;
        for index in 0..60 {
            submitted(&mut tried, index);
            tried.started(JobIndex(index), Seconds(0));
        }
        assert_eq!(jobs(&tried), 50);
        (60..1_000).for_each(|index| submitted(&mut tried, index));
        // The last ten that are known are kept, beside the 940 that wait.
        assert_eq!((jobs(&tried), tried.jobs.len()), (10, 950));
        (60..1_000).for_each(|index| tried.started(JobIndex(index), Seconds(0)));
        assert_eq!((jobs(&tried), tried.jobs.len(), tried.known), (50, 50, 50));
    }
}
