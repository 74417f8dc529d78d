//! When a job would start in each size: by running the site on, many times; or by a formula.

use rand::RngExt;

use super::error::AdviceError;
use super::offer::scaled;
use super::prospect::{AT_ONCE, Advice, Preference, Prospect, Target, TimeRange};
use super::situation::Situation;
use super::size_draw::SizeDraw;
use crate::allot::{Size, Sizes};
use crate::forecast::{TOLD_APART, odds_in};
use queuecast_core::distribution::{Distribution, LogUniform};
use queuecast_core::job::{Job, JobIndex, Truth};
use queuecast_core::order;
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::{Procs, Seconds};
use queuecast_core::workload::WorkloadError;
use queuecast_sim::predict::{DEFAULT_REQUEST, Requested};
use queuecast_sim::sim::{Backfill, Components, Engine, LimitRule, Options, Unknown};
use queuecast_wait::{Calibration, QueueTime, WaitQuestion, quantile};

/// A job that can be given several sizes, and the site it would be submitted to.
#[derive(Debug, Clone)]
pub struct Advisor {
    situation: Situation,
    sizes: Sizes,
    policy: Backfill,
    /// The job's run time may be this many times longer or shorter than given; at least 1.
    factor: f64,
}

impl Advisor {
    /// For a job that joins the end of the queue, under this policy. Its run times are those of its sizes times a factor that
    /// is log-uniform from 1/`factor` to `factor` and the same in all sizes; it requests the longest of them.
    pub fn new(situation: Situation, sizes: Sizes, policy: Backfill, factor: f64) -> Advisor {
        Advisor { situation, sizes, policy, factor: if factor >= 1.0 { factor.min(1e6) } else { 1.0 } }
    }

    /// The site and what is known of its jobs.
    pub fn situation(&self) -> &Situation {
        &self.situation
    }

    /// What the job can be given.
    pub fn sizes(&self) -> &[Size] {
        self.sizes.all()
    }

    /// The time the job requests in this size: the longest it may run.
    pub fn request(&self, size: &Size) -> Seconds {
        scaled(size.run, self.factor)
    }

    /// The simulation of this number: run times are drawn for all jobs, and all sizes are compared under the same draws.
    /// Simulations are independent of each other and can be made in any order.
    ///
    /// The site is run on under the policy, which plans with requested times, until the job has started. Reservations made
    /// before are made anew.
    pub fn draw(&self, seed: Seed, number: u32) -> Result<SizeDraw, AdviceError> {
        let mut rng = seed.stream(&format!("advice {number}"));
        let own = self.factor.powf(2.0 * rng.random::<f64>() - 1.0);
        let runs = self.situation.draw(&mut rng);
        let (site, now) = (self.situation.site(), self.situation.now());
        // Draws are within the limits already; a job that has outlived its limit is planned to end, and may not.
        let options = Options { limit: LimitRule::Ignore, ..Options::default() };
        let mut engine = Some(Engine::resume(site.clone(), now, options, |unknown| run_of(unknown, &runs)));
        let mut each = Vec::with_capacity(self.sizes.all().len());
        for (place, size) in self.sizes.all().iter().enumerate() {
            let last = place + 1 == self.sizes.all().len();
            let own_engine = if last { engine.take() } else { engine.clone() };
            let Some(engine) = own_engine else { break };
            let run = scaled(size.run, own);
            each.push((self.start(engine, size, run)?, run));
        }
        Ok(SizeDraw { each })
    }

    /// How long the job waits in this size.
    fn start(&self, mut engine: Engine<'_>, size: &Size, run: Seconds) -> Result<Seconds, AdviceError> {
        let (now, machine) = (self.situation.now(), self.situation.machine());
        if size.procs > machine {
            let (procs, machine) = (size.procs.0, machine.0);
            return Err(WorkloadError::TooLarge { id: u64::MAX, procs, machine }.into());
        }
        let index = engine.site().submitted();
        let job = Job::rigid(u64::MAX, now, size.procs, Some(self.request(size)));
        engine.submit(job, Truth::rigid(run));
        let mut parts = Components {
            policy: &mut *self.policy.build(),
            predictor: &mut Requested { default: DEFAULT_REQUEST },
            observers: &mut [],
        };
        engine.conclude(now, &mut parts)?;
        loop {
            if let Some(start) = engine.start(index) {
                return Ok(start - now);
            }
            if engine.step(&mut parts)?.is_none() {
                return Err(AdviceError::Nothing);
            }
        }
    }

    /// Runs `count` simulations in parallel; the result does not depend on the number of threads.
    pub fn simulate(&self, seed: Seed, count: u32) -> Result<Vec<SizeDraw>, AdviceError> {
        let numbers: Vec<u32> = (0..count).collect();
        parallel::try_map(&numbers, |&number| self.draw(seed, number))
    }

    /// The question to which the queue times of the first size are the answer; `None` if nothing was drawn.
    pub fn question(&self, drawn: &[SizeDraw]) -> Option<WaitQuestion> {
        let size = self.sizes().first().filter(|_| !drawn.is_empty())?;
        let waits: Vec<Seconds> = drawn.iter().filter_map(|one| one.each.first()).map(|one| one.0).collect();
        Some(WaitQuestion::new(waits.into_iter(), size.procs, self.request(size)))
    }

    /// Simulations with their queue times corrected, size by size; run times stay as they are.
    pub fn correct(&self, calibration: &Calibration, drawn: &[SizeDraw]) -> Vec<SizeDraw> {
        self.replaced(drawn, |waits, size| calibration.correct(waits, size.procs, self.request(size)))
    }

    /// Simulations with the queue times of the site's past, whatever the size; run times stay as they are.
    pub fn with_past_waits(&self, calibration: &Calibration, drawn: &[SizeDraw]) -> Vec<SizeDraw> {
        self.replaced(drawn, |waits, _| calibration.replace_by_past(waits))
    }

    /// Simulations in which no size larger than the free processors starts at once: its queue times are at least a second. A
    /// correction by past jobs, which may have found more free, does not know that.
    pub fn after_now(&self, mut drawn: Vec<SizeDraw>) -> Vec<SizeDraw> {
        let free = self.situation.free();
        for one in &mut drawn {
            let too_large = self.sizes().iter().zip(&mut one.each).filter(|(size, _)| size.procs > free);
            too_large.for_each(|(_, (queue, _))| *queue = (*queue).max(Seconds(1)));
        }
        drawn
    }

    fn replaced(&self, drawn: &[SizeDraw], replace: impl Fn(&mut [Seconds], &Size)) -> Vec<SizeDraw> {
        let mut corrected = drawn.to_vec();
        for (place, size) in self.sizes().iter().enumerate() {
            let mut each: Vec<&mut Seconds> = corrected
                .iter_mut()
                .filter_map(|one| one.each.get_mut(place))
                .map(|one| &mut one.0)
                .collect();
            let mut waits: Vec<Seconds> = each.iter().map(|wait| **wait).collect();
            replace(&mut waits, size);
            each.iter_mut().zip(waits).for_each(|(wait, corrected)| **wait = corrected);
        }
        corrected
    }

    /// What follows from these simulations.
    pub fn conclude(&self, drawn: &[SizeDraw], preference: Preference) -> Result<Advice, AdviceError> {
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
        let free = self.situation.free();
        let prospect = |(place, size): (usize, &Size)| {
            let each = || drawn.iter().filter_map(|one| one.each.get(place));
            let range = |of: fn(&(Seconds, Seconds)) -> Seconds| TimeRange::of(each().map(of));
            Some(Prospect {
                procs: size.procs,
                run: range(|one| one.1)?,
                queue: range(|one| one.0)?,
                turnaround: range(|one| one.0 + one.1)?,
                at_once: Some(match size.procs > free {
                    true => 0.0,
                    false => share(each().filter(|one| one.0 <= AT_ONCE).count()),
                }),
                best: Some(share(best[place])),
            })
        };
        let prospects = self.sizes().iter().enumerate().filter_map(prospect).collect();
        let ends =
            |draw: &SizeDraw, place: usize| draw.each.get(place).map(|&(queue, run)| (queue + run).0 as f64);
        // Sizes are compared under the same draws.
        let is_surely_less = |target: Target, one: usize, other: usize| match target {
            Target::Median => {
                let cases = drawn.iter().filter_map(|draw| ends(draw, one).zip(ends(draw, other)));
                Some(odds_in(cases) >= TOLD_APART)
            }
            _ => {
                let time = |place: usize| {
                    let mut times: Vec<f64> = drawn.iter().filter_map(|draw| ends(draw, place)).collect();
                    order::sort_floats(&mut times);
                    Distribution::observed(times.into(), 1.0)
                };
                target.is_surely_less(&time(one)?, &time(other)?)
            }
        };
        Advice::chosen(prospects, preference, is_surely_less).ok_or(AdviceError::Nothing)
    }

    /// What a formula for the head of a first-come, first-served queue predicts. Refused if any job waits. Sizes for which it
    /// has no prediction are left out. Only [`QueueTime::Exact`] gives a range.
    pub fn by(&self, by: QueueTime, preference: Preference) -> Result<Advice, AdviceError> {
        let ahead = self.situation.waiting().len();
        if ahead > 0 {
            return Err(AdviceError::JobsAhead { by, ahead });
        }
        let holders = self.situation.holders();
        let free = self.situation.free();
        let factor = LogUniform::new(1.0 / self.factor, self.factor);
        let prospect = |size: &Size| {
            let more = Procs(size.procs.0.saturating_sub(free.0));
            let range = |share: f64| match by {
                _ if more == Procs(0) => Some(0.0),
                QueueTime::Exact => quantile(&holders, more, share),
                _ => None,
            };
            let median = by.predict(&holders, more)?;
            let queue = TimeRange { low: range(0.1), median, high: range(0.9), mean: None };
            let seconds = size.run.0 as f64;
            let off = |share: f64| Some(seconds * factor.quantile(share));
            let run = TimeRange { low: off(0.1), median: seconds, high: off(0.9), mean: None };
            // Two ranges do not add up to a third, unless one of them is a point.
            let certain = self.factor == 1.0;
            let sum = |queue: Option<f64>| queue.filter(|_| certain).map(|queue| queue + seconds);
            let turnaround = TimeRange {
                low: sum(queue.low),
                median: queue.median + seconds,
                high: sum(queue.high),
                mean: None,
            };
            Some(Prospect { procs: size.procs, run, queue, turnaround, at_once: None, best: None })
        };
        Advice::of(self.sizes().iter().filter_map(prospect).collect(), preference).ok_or(AdviceError::Nothing)
    }
}

/// The run time drawn for a job at the site.
fn run_of(unknown: &Unknown<'_>, runs: &[(JobIndex, Seconds)]) -> Seconds {
    let drawn = runs.binary_search_by_key(&unknown.job.index, |run| run.0).map(|place| runs[place].1);
    drawn.unwrap_or(unknown.predicted)
}
