//! When would it start, in each size: by running the machine on from here, many times; or by a predictor.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::error::AdviceError;
use super::outcome::{Advice, Preference, Prospect, Spread};
use super::state::{Resident, State};
use crate::allot::{Size, Sizes};
use crate::job::{Job, JobIndex, Shape, Truth};
use crate::predict::{DEFAULT_REQUEST, Requested};
use crate::seed::Seed;
use crate::sim::{Backfill, Company, Engine, LimitRule, Options};
use crate::units::{Procs, Seconds, Time};
use crate::wait::{Holder, QueueTime, quantile};
use crate::workload::{Machine, Workload};

/// Those that run start first, so that nobody who waits can take their place, whatever the policy.
const BEFORE: Time = Time(0);

/// The moment asked about.
const NOW: Time = Time(1);

/// A job that can be given several sizes, and the machine it would come to.
#[derive(Debug, Clone)]
pub struct Advisor {
    state: State,
    sizes: Sizes,
    policy: Backfill,
    /// The job's run time may be this many times longer or shorter than said; at least 1.
    factor: f64,
}

/// One way things may go: for each size, smallest first, how long the job would wait and run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Queue time and run time.
    pub each: Vec<(Seconds, Seconds)>,
}

impl Advisor {
    /// About a job that comes last, after all that wait, under this policy. Its run times are as its sizes say, give or
    /// take the factor, uniformly in the logarithm and alike in all sizes; what it asks for is the longest of them.
    pub fn new(state: State, sizes: Sizes, policy: Backfill, factor: f64) -> Advisor {
        Advisor { state, sizes, policy, factor: if factor >= 1.0 { factor.min(1e6) } else { 1.0 } }
    }

    /// The machine and its queue.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the job can be given.
    pub fn sizes(&self) -> &[Size] {
        self.sizes.all()
    }

    /// What the job asks for in this size: the longest it may run.
    pub fn request(&self, size: &Size) -> Seconds {
        scaled(size.run, self.factor)
    }

    /// The draw of this number: how much longer each job runs, and what follows for every size, so that sizes are
    /// compared under the same luck. Draws are independent of each other and can be made in any order.
    ///
    /// The engine runs on from the state under the policy, which plans with what is left of requested times, until the
    /// job has started. Reservations made before are made anew, and a formula's waits count from this moment.
    pub fn draw(&self, seed: Seed, number: u32) -> Result<Drawn, AdviceError> {
        let mut luck = seed.stream(&format!("advice {number}"));
        let own = self.factor.powf(2.0 * luck.random::<f64>() - 1.0);
        let mut company: Vec<(Job, Truth)> =
            Vec::with_capacity(self.state.running().len() + self.state.waiting().len() + 1);
        company.extend(self.state.running().iter().map(|one| present(one, BEFORE, &mut luck)));
        company.extend(self.state.waiting().iter().map(|one| present(one, NOW, &mut luck)));
        let each = self.sizes.all().iter().map(|size| {
            let run = scaled(size.run, own);
            let mut jobs = company.clone();
            let limit = self.request(size);
            jobs.push((Job::rigid(u64::MAX, NOW, size.procs, Some(limit)), Truth::rigid(run)));
            Ok((self.start(jobs)? - NOW, run))
        });
        Ok(Drawn { each: each.collect::<Result<_, AdviceError>>()? })
    }

    /// When the last of these starts.
    fn start(&self, jobs: Vec<(Job, Truth)>) -> Result<Time, AdviceError> {
        let last = JobIndex(jobs.len() as u32 - 1);
        let workload = Workload::new(Machine { procs: self.state.machine() }, jobs)?;
        // Draws are within the limits already; a job that has outlived its own is planned to end, and may not.
        let options = Options { limit: LimitRule::Ignore, ..Options::default() };
        let mut engine = Engine::new(&workload, options);
        let mut company = Company {
            policy: &mut *self.policy.build(),
            predictor: &mut Requested { default: DEFAULT_REQUEST },
            observers: &mut [],
        };
        loop {
            if let Some(start) = engine.start(last) {
                return Ok(start);
            }
            if engine.step(&mut company)?.is_none() {
                return Err(AdviceError::Nothing);
            }
        }
    }

    /// What comes of these draws.
    pub fn conclude(&self, drawn: &[Drawn], preference: Preference) -> Result<Advice, AdviceError> {
        let mut best = vec![0_usize; self.sizes().len()];
        for one in drawn {
            let turnarounds = one.each.iter().map(|&(queue, run)| queue + run).enumerate();
            // Of those alike, the first: the smallest.
            let shortest = turnarounds.min_by_key(|&(_, turnaround)| turnaround);
            if let Some(times) = shortest.and_then(|(place, _)| best.get_mut(place)) {
                *times += 1;
            }
        }
        let share = |count: usize| count as f64 / drawn.len() as f64;
        let prospect = |(place, size): (usize, &Size)| {
            let each = || drawn.iter().filter_map(|one| one.each.get(place));
            let spread = |of: fn(&(Seconds, Seconds)) -> Seconds| Spread::of(each().map(of));
            Some(Prospect {
                procs: size.procs,
                run: spread(|one| one.1)?,
                queue: spread(|one| one.0)?,
                turnaround: spread(|one| one.0 + one.1)?,
                at_once: Some(share(each().filter(|one| one.0 == Seconds::ZERO).count())),
                best: Some(share(best[place])),
            })
        };
        Advice::of(self.sizes().iter().enumerate().filter_map(prospect).collect(), preference)
            .ok_or(AdviceError::Nothing)
    }

    /// What a predictor for the head of a first-come, first-served queue says. Refused if anybody waits. Sizes of which
    /// it says nothing are left out. Only [`QueueTime::Exact`] says how sure it is.
    pub fn by(&self, by: QueueTime, preference: Preference) -> Result<Advice, AdviceError> {
        let ahead = self.state.waiting().len();
        if ahead > 0 {
            return Err(AdviceError::JobsAhead { by, ahead });
        }
        let holders: Vec<Holder> = self.state.running().iter().map(|one| one.left).collect();
        let free = self.state.free();
        let prospect = |size: &Size| {
            let more = Procs(size.procs.0.saturating_sub(free.0));
            let range = |share: f64| match by {
                _ if more == Procs(0) => Some(0.0),
                QueueTime::Exact => quantile(&holders, more, share),
                _ => None,
            };
            let queue =
                Spread { p10: range(0.1), median: by.predict(&holders, more)?, p90: range(0.9), mean: None };
            let seconds = size.run.0 as f64;
            let off = |share: f64| Some(seconds * self.factor.powf(share));
            let run = Spread { p10: off(-0.8), median: seconds, p90: off(0.8), mean: None };
            // Two ranges do not add up to a third, unless one of them is none.
            let certain = self.factor == 1.0;
            let sum = |queue: Option<f64>| queue.filter(|_| certain).map(|queue| queue + seconds);
            let turnaround = Spread {
                p10: sum(queue.p10),
                median: queue.median + seconds,
                p90: sum(queue.p90),
                mean: None,
            };
            Some(Prospect { procs: size.procs, run, queue, turnaround, at_once: None, best: None })
        };
        Advice::of(self.sizes().iter().filter_map(prospect).collect(), preference).ok_or(AdviceError::Nothing)
    }
}

/// A job that is there already, submitted at this instant, and how long it runs in this draw. Those that run are given
/// the second they begin earlier.
fn present(resident: &Resident, at: Time, luck: &mut ChaCha8Rng) -> (Job, Truth) {
    let before = NOW - at;
    let shape = Shape { limit: Some(resident.planned + before), ..resident.job.shape };
    let job = Job { submit: at, shape, other_shapes: None, ..resident.job.clone() };
    (job, Truth::rigid(resident.draw(luck.random::<f64>()) + before))
}

/// A run time times something, at least a second.
fn scaled(run: Seconds, factor: f64) -> Seconds {
    Seconds((run.0 as f64 * factor).round().clamp(1.0, 1e12) as i64)
}
