//! Waits by one run of the site's own scheduler.

use queuecast_core::order;
use std::collections::{HashMap, VecDeque};
use std::fmt;

use queuecast_core::distribution::Distribution;
use queuecast_core::job::{Event, Job, JobIndex, Truth, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::{Constant, Correction, LearnedRuns, PredictorSpec, Question, Ruh, Statistic};
use queuecast_sim::sim::{Backfill, Fork, Options, Unknown};
use queuecast_sim::site::View;
use queuecast_wait::{Arrival, WaitForecast, WaitPredictor};

/// Past answers, and past shares of requested times, that are remembered.
const REMEMBERED: usize = 1000;

/// Number of past answers with the most similar planned waits whose actual waits make the distribution.
const ALIKE: usize = 50;

/// Fewer past answers than this make no distribution, and fewer shares no run time.
const FEWEST: usize = 30;

/// Offset in seconds: planned waits are compared by ln(wait + offset).
const SCALE: f64 = 60.0;

/// How long jobs are assumed to run where a site is run on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum PlannedRuns {
    /// As long as they requested: what a scheduler plans with.
    #[default]
    Requested,
    /// As the last two jobs of their user, at most as long as requested.
    Recent,
    /// The run time at this quantile of the used share of requested times, among ended jobs that ran at least as long.
    Share(f64),
}

impl fmt::Display for PlannedRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlannedRuns::Requested => f.write_str("requested"),
            PlannedRuns::Recent => f.write_str("recent"),
            PlannedRuns::Share(share) => share.fmt(f),
        }
    }
}

/// Adds the job to the end of the queue and simulates the site once under its policy without later arrivals; the point is
/// the resulting wait. The distribution consists of the actual waits of the 50 of the last 1,000 jobs with the most similar
/// planned waits.
#[derive(Clone)]
pub struct PlannedWaits {
    policy: Backfill,
    options: Options,
    runs: PlannedRuns,
    /// Of requested times, or of users' last jobs.
    predictor: Box<dyn LearnedRuns>,
    shares: RecentShares,
    default_request: Seconds,
    /// Planned waits of jobs that have not started. Looked up, never iterated.
    asked: HashMap<JobIndex, f64>,
    /// Planned and actual wait, oldest first.
    answers: VecDeque<(f64, f64)>,
}

impl fmt::Debug for PlannedWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedWaits")
            .field("runs", &self.runs)
            .field("answers", &self.answers.len())
            .finish_non_exhaustive()
    }
}

impl PlannedWaits {
    /// Of a site with this policy. `default_request` stands in for a missing requested time.
    pub fn new(policy: Backfill, runs: PlannedRuns, default_request: Seconds) -> PlannedWaits {
        let predictor = match runs {
            PlannedRuns::Recent => PredictorSpec::Recent(Ruh::capped(2, Statistic::Mean)),
            PlannedRuns::Requested | PlannedRuns::Share(_) => PredictorSpec::Requested,
        };
        PlannedWaits {
            policy,
            options: Options::default(),
            runs,
            predictor: predictor.build(Vec::new, default_request),
            shares: RecentShares::default(),
            default_request,
            asked: HashMap::new(),
            answers: VecDeque::new(),
        }
    }

    fn requested(&self, job: &Job) -> Seconds {
        job.shape.limit.unwrap_or(self.default_request).max(Seconds(1))
    }

    /// How long a job is assumed to run in all.
    fn run_time(&self, job: &Job, elapsed: Seconds) -> Seconds {
        if let PlannedRuns::Share(share) = self.runs
            && let Some(run) = self.shares.run_time(share, self.requested(job), elapsed)
        {
            return run.max(elapsed + Seconds(1));
        }
        let predicted = self.predictor.estimate(&Question { job, elapsed }).point();
        if predicted > elapsed {
            return predicted;
        }
        Correction::INCREMENTS.corrected(predicted, elapsed, job.shape.limit)
    }

    /// The wait that comes out if all jobs run as assumed; `None` if the job never starts.
    fn planned(&self, job: &Job, site: View<'_>) -> Option<Seconds> {
        let lengths = (self.requested(job), self.run_time(job, Seconds::ZERO));
        let run = |one: &Unknown<'_>| self.run_time(one.job, one.elapsed.unwrap_or_default());
        wait_if(job, site, self.options, &self.policy, lengths, FOREVER, run)
    }

    /// The waits of past jobs that were planned to wait about as long.
    fn distribution(&self, planned: f64) -> Distribution {
        if self.answers.len() < FEWEST {
            return Distribution::point(planned);
        }
        let place = (planned + SCALE).ln();
        // Distance, age and wait: ties in distance go to the newest.
        let answers = self.answers.iter().rev().enumerate();
        let mut near: Vec<(f64, usize, f64)> =
            answers.map(|(age, &(was, wait))| (((was + SCALE).ln() - place).abs(), age, wait)).collect();
        let alike = ALIKE.min(near.len());
        near.select_nth_unstable_by(alike - 1, |one, other| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        });
        let mut waits: Vec<f64> = near[..alike].iter().map(|one| one.2).collect();
        order::sort_floats(&mut waits);
        Distribution::observed(waits.into(), 1.0).unwrap_or_else(|| Distribution::point(planned))
    }
}

/// The wait of a job submitted to a site now, if the other jobs run as `run` says and no job is submitted later; `None` if
/// it is `patience` or longer. `lengths` are the run time that the site plans the job with, and the assumed true one.
pub(crate) fn wait_if(
    job: &Job,
    site: View<'_>,
    options: Options,
    policy: &Backfill,
    lengths: (Seconds, Seconds),
    patience: Seconds,
    run: impl FnMut(&Unknown<'_>) -> Seconds,
) -> Option<Seconds> {
    if job.shape.procs > site.machine() {
        return None;
    }
    if site.queue_length() == 0 && job.shape.procs <= site.free() {
        return Some(Seconds::ZERO);
    }
    let now = site.now();
    let (planned, length) = lengths;
    let mut fork = Fork::of(&site, options, run);
    let number = fork.next();
    fork.expect([(job.clone(), Truth::rigid(length))]);
    let mut policy = policy.build();
    let started = fork.start_before(number, now + patience, policy.as_mut(), &mut Constant(planned));
    // Built-in policies never return an error here; `None` is a job that does not start in time.
    let wait = (started.ok()?? - now).max(Seconds::ZERO);
    Some(wait).filter(|wait| *wait < patience)
}

/// Longer than any wait.
pub(crate) const FOREVER: Seconds = Seconds(Time::NEVER.0 / 4);

impl WaitPredictor for PlannedWaits {
    fn forecast(&self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let Some(planned) = self.planned(arrival.job, site) else {
            return WaitForecast::nothing_known();
        };
        let planned = planned.0 as f64;
        WaitForecast::new(planned, self.distribution(planned))
    }

    fn predict(&mut self, arrival: &Arrival<'_>, site: View<'_>) -> WaitForecast {
        let Some(planned) = self.planned(arrival.job, site) else {
            return WaitForecast::nothing_known();
        };
        let planned = planned.0 as f64;
        self.asked.insert(arrival.job.index, planned);
        WaitForecast::new(planned, self.distribution(planned))
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        if let Some(planned) = self.asked.remove(&arrival.job.index) {
            if self.answers.len() == REMEMBERED {
                self.answers.pop_front();
            }
            self.answers.push_back((planned, wait.0.max(0) as f64));
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        match event.what {
            What::Ended(end) => {
                let requested = self.requested(event.job);
                self.shares.learn(end.ran.0.max(0) as f64 / requested.0 as f64);
            }
            What::Withdrawn => {
                self.asked.remove(&event.job.index);
            }
            _ => {}
        }
        self.predictor.observe(event, &mut Vec::new());
    }
}

/// The shares of their requested time that the last jobs used.
#[derive(Debug, Clone, Default)]
struct RecentShares {
    /// In the order of their ends.
    recent: VecDeque<f64>,
    ascending: Vec<f64>,
}

impl RecentShares {
    fn learn(&mut self, share: f64) {
        if self.recent.len() == REMEMBERED
            && let Some(oldest) = self.recent.pop_front()
        {
            self.ascending.remove(self.ascending.partition_point(|&other| other < oldest));
        }
        self.recent.push_back(share);
        self.ascending.insert(self.ascending.partition_point(|&other| other < share), share);
    }

    /// The run time at the quantile `share` among recent jobs that used more of their request than has elapsed here; `None`
    /// if there are too few.
    fn run_time(&self, share: f64, requested: Seconds, elapsed: Seconds) -> Option<Seconds> {
        let requested = requested.0 as f64;
        let used = self.ascending.partition_point(|&other| other * requested <= elapsed.0 as f64);
        let longer = &self.ascending[used..];
        if longer.len() < FEWEST {
            return None;
        }
        let place = ((share * longer.len() as f64).ceil() as usize).clamp(1, longer.len());
        Some(Seconds((longer[place - 1] * requested).ceil() as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::Procs;
    use queuecast_core::workload::Machine;
    use queuecast_sim::site::Site;
    use queuecast_wait::features::Features;

    fn job(id: u64, submit: i64, procs: u32, limit: i64) -> Job {
        Job::rigid(id, Time(submit), Procs(procs), Some(Seconds(limit)))
    }

    /// 8 of 10 processors held since 0 by a job that asked for 1,000 s.
    fn site() -> Site {
        Site::found(
            Machine { procs: Procs(10) },
            Time(100),
            [(job(1, 0, 8, 1000), Seconds(100))],
            [],
            Seconds(3600),
        )
    }

    fn planned(waits: &mut PlannedWaits, site: &Site, procs: u32) -> f64 {
        let job = job(9, 100, procs, 500);
        let features = Features::default();
        waits.predict(&Arrival { job: &job, at: Time(100), features: &features }, site.view(Time(100))).point
    }

    #[test]
    fn the_point_is_the_start_in_the_plan() {
        let mut waits = PlannedWaits::new(Backfill::easy(), PlannedRuns::Requested, Seconds(3600));
        let mut site = site();
        assert_eq!(planned(&mut waits, &site, 2), 0.0, "it fits");
        assert_eq!(planned(&mut waits, &site, 4), 900.0, "behind the running job");
        // A job that waits ahead takes all processors from 1,000 to 1,600.
        site.submit(&job(2, 50, 10, 600), Seconds(600), Seconds(600));
        assert_eq!(planned(&mut waits, &site, 4), 1500.0);
        assert_eq!(planned(&mut waits, &site, 2), 0.0, "backfilled: it ends at 600");
        // Control: without backfilling it waits for its turn.
        let mut fcfs = PlannedWaits::new(Backfill::fcfs(), PlannedRuns::Requested, Seconds(3600));
        assert_eq!(planned(&mut fcfs, &site, 2), 1500.0);
        assert_eq!(planned(&mut waits, &site, 11), 0.0, "nothing is known of what never starts");
    }

    #[test]
    fn run_times_are_assumed_as_the_setting_says() {
        let mut waits = PlannedWaits::new(Backfill::easy(), PlannedRuns::Share(0.5), Seconds(3600));
        let site = site();
        assert_eq!(planned(&mut waits, &site, 4), 900.0, "too little is known: as requested");
        // Jobs use 1 to 60 hundredths of their request; the running one has used 10.
        for share in 1..=60 {
            let ended = job(1, 0, 1, 1000);
            let end = queuecast_core::job::End { ran: Seconds(share * 10), ending: Default::default() };
            waits.observe(&Event { at: Time(0), job: &ended, what: What::Ended(end) });
        }
        // Half of the 50 that used more than 10 hundredths used at most 35: it ends at 350.
        assert_eq!(planned(&mut waits, &site, 4), 250.0);
    }

    #[test]
    fn the_distribution_has_what_became_of_answers_like_it() {
        let mut waits = PlannedWaits::new(Backfill::easy(), PlannedRuns::Requested, Seconds(3600));
        let features = Features::default();
        for round in 0..200_u32 {
            let index = JobIndex(round);
            let job = Job { index, ..job(1, 0, 1, 100) };
            // Planned at 0 they waited for 10; planned at 900 for 300.
            let late = round % 2 == 1;
            waits.asked.insert(index, if late { 900.0 } else { 0.0 });
            let arrival = Arrival { job: &job, at: Time(0), features: &features };
            waits.learn(&arrival, Seconds(if late { 300 } else { 10 }));
        }
        assert_eq!(waits.distribution(0.0).quantile(0.9), 10.0);
        assert_eq!(waits.distribution(900.0).quantile(0.1), 300.0);
    }
}
