//! A site at one instant with the distributions of its jobs' run times, to be run on many times.

use queuecast_core::order;
use std::collections::BTreeSet;

use rand::{Rng, RngExt};

use super::arrival_process::ArrivalProcess;
use super::expected::ExpectedRuns;
use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::sim::{HeldProcs, Joining, QueuedJob, RunOn, RunOnState};
use queuecast_sim::site::View;
use queuecast_wait::Overtaking;

/// No run is longer, so that sums stay within the clock.
const LONGEST: f64 = 1e12;

/// The chance of a job to run at the same quantile as others that are asked about together.
pub(in crate::forecast) const SHARED: f64 = 0.5;

/// A site as it is, and a job that joins its queue.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    now: Time,
    free: u32,
    running: Vec<(HeldProcs, Distribution)>,
    /// In order of arrival; newcomers are the last, if there are any.
    waiting: Vec<(QueuedJob, Distribution)>,
}

/// How long jobs run in a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AssumedRuns {
    /// As long as they requested.
    Requested,
    /// At this quantile of their distribution.
    Quantile(f64),
}

impl Snapshot {
    /// Of a site with the jobs in the order that was learned.
    pub fn new<'j>(
        site: View<'_>,
        newcomers: impl IntoIterator<Item = &'j Job>,
        runs: &ExpectedRuns,
        order: &Overtaking,
    ) -> Snapshot {
        let now = site.now();
        let running = site.running().map(|one| {
            let run = runs.run(one.job, now - one.start);
            (HeldProcs { procs: one.procs.0, planned_end: one.planned_end, end: one.planned_end }, run)
        });
        let queued = |job: &Job, run: Distribution| {
            let rank = order.score(job, now - job.submit);
            let planned = runs.requested(job).0;
            (QueuedJob { procs: job.shape.procs.0, planned, run: planned, rank }, run)
        };
        let waiting = site.waiting().map(|one| queued(one.job, runs.run(one.job, Seconds::ZERO)));
        // Newcomers that ask for the same run equally long.
        let mut alike: Option<(&Job, Distribution)> = None;
        let newcomers = newcomers.into_iter().map(|job| {
            let run = match alike.take().filter(|(other, _)| is_alike(other, job)) {
                Some((_, run)) => run,
                None => runs.newcomer(job),
            };
            alike = Some((job, run.clone()));
            queued(job, run)
        });
        Snapshot {
            now,
            free: site.free().0,
            running: running.collect(),
            waiting: waiting.chain(newcomers).collect(),
        }
    }

    /// First come, first served.
    pub fn by_arrival(mut self) -> Snapshot {
        self.waiting.iter_mut().for_each(|(job, _)| job.rank = 0.0);
        self
    }

    /// In the order of the queue, whatever was learned: the learned ranks are dealt out from the first job to the last, so that later
    /// arrivals keep their standing among them.
    pub fn in_shown_order(mut self) -> Snapshot {
        let mut ranks: Vec<f64> = self.waiting.iter().map(|(job, _)| job.rank).collect();
        order::sort_by(&mut ranks, |one, other| other.total_cmp(one));
        self.waiting.iter_mut().zip(ranks).for_each(|((job, _), rank)| job.rank = rank);
        self
    }

    /// The places of the waiting jobs, the one that goes first before the others.
    pub fn order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.waiting.len()).collect();
        // Stable: of equal ranks the job that arrived first.
        order::sort_by(&mut places, |&one, &other| {
            self.waiting[other].0.rank.total_cmp(&self.waiting[one].0.rank)
        });
        places
    }

    /// The median of the seconds that each running job still holds its processors, and how many these are.
    pub fn expected_ends(&self) -> Vec<(f64, u32)> {
        let left = |run: &Distribution| (run.quantile(0.5) - run.elapsed()).max(1.0);
        self.running.iter().map(|(held, run)| (left(run), held.procs)).collect()
    }

    /// The median run time of each waiting job, and its processors.
    pub fn expected_runs(&self) -> Vec<(f64, u32)> {
        self.waiting.iter().map(|(job, run)| (run.quantile(0.5).max(1.0), job.procs)).collect()
    }

    /// How many jobs wait, the newcomer included.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether the newcomer starts now, whatever arrives and however long jobs run: what starts now is decided by what is planned.
    pub fn starts_at_once(&self, run_on: &mut RunOn) -> bool {
        let Some(last) = self.waiting.len().checked_sub(1) else { return false };
        let (running, waiting) = self.assuming(AssumedRuns::Requested);
        let state = RunOnState {
            now: self.now,
            free: self.free,
            running: &running,
            waiting: &waiting,
            arrivals: &[],
            shift: Seconds::ZERO,
            last_joins: None,
            joining: None,
        };
        run_on.starts(&state, Some(last), Time(self.now.0.saturating_add(1)))[last] == self.now
    }

    /// How long the last of the waiting jobs, the newcomer, waits; `None` if it never starts.
    pub fn newcomer_wait(&self, assumed: AssumedRuns, run_on: &mut RunOn) -> Option<Seconds> {
        let (running, waiting) = self.assuming(assumed);
        let last = waiting.len().checked_sub(1)?;
        let starts = self.starts((&running, &waiting), (&[], Seconds::ZERO), Some(last), run_on);
        starts.get(last).filter(|&&start| start != Time::NEVER).map(|&start| start - self.now)
    }

    /// The wait of the newcomer with drawn run times and arrivals: one draw; `None` if it never starts.
    pub fn drawn_wait(
        &self,
        past: &[(Time, QueuedJob)],
        rng: &mut impl Rng,
        run_on: &mut RunOn,
    ) -> Option<Seconds> {
        let last = self.waiting.len().checked_sub(1)?;
        let start = self.drawn_starts(past, Some(last), rng, run_on)[last];
        (start != Time::NEVER).then(|| start - self.now)
    }

    /// Seconds from now until the newcomer starts if it is submitted `by` later; `None` if it never starts.
    pub fn delayed_start(
        &self,
        past: &[(Time, QueuedJob)],
        by: Seconds,
        rng: &mut impl Rng,
        run_on: &mut RunOn,
    ) -> Option<Seconds> {
        let last = self.waiting.len().checked_sub(1)?;
        let (arrivals, shift) = self.draw_arrivals(past, rng);
        let (running, waiting) = self.with_runs(|run| run.quantile(rng.random()));
        let delayed = (by > Seconds::ZERO).then(|| self.now + by);
        let state = RunOnState {
            now: self.now,
            free: self.free,
            running: &running,
            waiting: &waiting,
            arrivals,
            shift,
            last_joins: delayed,
            joining: None,
        };
        let start = run_on.starts(&state, Some(last), Time::NEVER)[last];
        (start != Time::NEVER).then(|| start - self.now)
    }

    fn draw_arrivals<'p>(
        &self,
        past: &'p [(Time, QueuedJob)],
        rng: &mut impl Rng,
    ) -> (&'p [(Time, QueuedJob)], Seconds) {
        match ArrivalProcess::draw(past, self.now, rng) {
            Some(draw) => (&past[draw.from..], draw.shift),
            None => (&past[..0], Seconds::ZERO),
        }
    }

    /// When every waiting job starts with drawn run times and arrivals, or only the target.
    pub fn drawn_starts<'r>(
        &self,
        past: &[(Time, QueuedJob)],
        target: Option<usize>,
        rng: &mut impl Rng,
        run_on: &'r mut RunOn,
    ) -> &'r [Time] {
        let arrivals = self.draw_arrivals(past, rng);
        let (running, waiting) = self.with_runs(|run| run.quantile(rng.random()));
        self.starts((&running, &waiting), arrivals, target, run_on)
    }

    /// When each of the jobs that are asked about together starts and ends, in their order; [`Time::NEVER`] if it does not before `until`.
    /// Arrivals go on as long as it takes.
    pub fn drawn_campaign(
        &self,
        past: &[(Time, QueuedJob)],
        (joining, until): (&Joining, Time),
        rng: &mut impl Rng,
        run_on: &mut RunOn,
    ) -> Vec<(Time, Time)> {
        let (arrivals, shift) = self.draw_arrivals(past, rng);
        // Jobs that are submitted together mostly run alike, so that some of them share a draw.
        let common: f64 = rng.random();
        let first = self.running.len();
        let mut is_asked = vec![false; first + self.waiting.len()];
        joining.joiners().iter().for_each(|one| is_asked[first + one.place as usize] = true);
        // Run times are drawn for the running jobs, then for the waiting ones.
        let mut asked = is_asked.into_iter();
        let (running, waiting) = self.with_runs(|run| {
            let own: f64 = rng.random();
            let is_shared = asked.next() == Some(true) && rng.random::<f64>() < SHARED;
            run.quantile(if is_shared { common } else { own })
        });
        let state = RunOnState {
            now: self.now,
            free: self.free,
            running: &running,
            waiting: &waiting,
            arrivals,
            shift,
            last_joins: None,
            joining: Some(joining),
        };
        let starts = run_on.starts(&state, None, until);
        let times = joining.joiners().iter().map(|one| {
            let start = starts[one.place as usize];
            match start {
                Time::NEVER => (start, start),
                _ => (start, start + Seconds(waiting[one.place as usize].run)),
            }
        });
        times.collect()
    }

    /// When one waiting job starts in a site without some other jobs, by their places; [`Time::NEVER`] if it does not. All that is drawn
    /// is as in [`Snapshot::drawn_starts`], whatever is left out.
    pub fn drawn_start_without(
        &self,
        past: &[(Time, QueuedJob)],
        (running, waiting): (&BTreeSet<usize>, &BTreeSet<usize>),
        target: usize,
        rng: &mut impl Rng,
        run_on: &mut RunOn,
    ) -> Time {
        let (arrivals, shift) = self.draw_arrivals(past, rng);
        let (held, queued) = self.with_runs(|run| run.quantile(rng.random()));
        let freed: u32 = running.iter().filter_map(|&place| held.get(place)).map(|one| one.procs).sum();
        let others = |left_out: &BTreeSet<usize>, place: usize| !left_out.contains(&place);
        let held: Vec<HeldProcs> =
            held.into_iter().enumerate().filter(|(at, _)| others(running, *at)).map(|one| one.1).collect();
        let queued: Vec<QueuedJob> =
            queued.into_iter().enumerate().filter(|(at, _)| others(waiting, *at)).map(|one| one.1).collect();
        let target = target - waiting.range(..target).count();
        let state = RunOnState {
            now: self.now,
            free: self.free + freed,
            running: &held,
            waiting: &queued,
            arrivals,
            shift,
            last_joins: None,
            joining: None,
        };
        run_on.starts(&state, Some(target), Time::NEVER)[target]
    }

    fn starts<'r>(
        &self,
        (running, waiting): (&[HeldProcs], &[QueuedJob]),
        (arrivals, shift): (&[(Time, QueuedJob)], Seconds),
        target: Option<usize>,
        run_on: &'r mut RunOn,
    ) -> &'r [Time] {
        let state = RunOnState {
            now: self.now,
            free: self.free,
            running,
            waiting,
            arrivals,
            shift,
            last_joins: None,
            joining: None,
        };
        run_on.starts(&state, target, Time::NEVER)
    }

    fn assuming(&self, assumed: AssumedRuns) -> (Vec<HeldProcs>, Vec<QueuedJob>) {
        match assumed {
            AssumedRuns::Requested => (
                self.running.iter().map(|one| one.0).collect(),
                self.waiting.iter().map(|one| one.0).collect(),
            ),
            AssumedRuns::Quantile(share) => self.with_runs(|run| run.quantile(share)),
        }
    }

    fn with_runs(&self, mut length: impl FnMut(&Distribution) -> f64) -> (Vec<HeldProcs>, Vec<QueuedJob>) {
        // Rounded up, by whole numbers: it is done for every job of every simulation.
        let whole = |seconds: f64| {
            let seconds = seconds.clamp(1.0, LONGEST);
            let down = seconds as i64;
            down + i64::from((down as f64) < seconds)
        };
        let running = self.running.iter().map(|(held, run)| {
            let left = whole(length(run) - run.elapsed());
            HeldProcs { end: Time(self.now.0.saturating_add(left)), ..*held }
        });
        let running = running.collect();
        let waiting = self.waiting.iter().map(|(job, run)| QueuedJob { run: whole(length(run)), ..*job });
        (running, waiting.collect())
    }
}

/// Whether the same is predicted of two jobs.
fn is_alike(one: &Job, other: &Job) -> bool {
    let people = |job: &Job| (job.user, job.group, job.account, job.qos);
    let work = |job: &Job| (job.queue, job.partition, job.executable, job.shape);
    people(one) == people(other) && work(one) == work(other)
}
