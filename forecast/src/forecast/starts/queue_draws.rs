//! The starts of the jobs of a queue, simulation by simulation: as the site is, or without some of its jobs.

use std::collections::BTreeSet;

use super::learned_site::{LearnedSite, PIECE};
use super::snapshot::Snapshot;
use queuecast_core::job::{Job, JobIndex};
use queuecast_core::parallel;
use queuecast_core::seed::Seed;
use queuecast_core::units::Time;
use queuecast_core::wanted::is_wanted;
use queuecast_sim::sim::{QueuedJob, RunOn};
use queuecast_sim::site::View;

/// In which order the waiting jobs of a site go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueOrder {
    /// As learned from past starts.
    Learned,
    /// As they stand in the queue of the site: a live site shows its own order.
    Shown,
}

/// Simulations of a queue. They share their random numbers, whatever is left out, so that two sets of starts can be compared pair by pair.
#[derive(Debug)]
pub(in crate::forecast) struct QueueDraws<'a> {
    snapshot: Snapshot,
    past: &'a [(Time, QueuedJob)],
    running: Vec<JobIndex>,
    waiting: Vec<JobIndex>,
    draws: u32,
    seed: Seed,
}

/// Jobs that are left out of simulations, by their places among the running and the waiting ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::forecast) struct LeftOut {
    running: BTreeSet<usize>,
    waiting: BTreeSet<usize>,
}

impl LearnedSite {
    /// Simulations of the queue of a site, with a newcomer as its last job if there is one.
    pub(in crate::forecast) fn queue_draws(
        &self,
        site: View<'_>,
        newcomer: Option<&Job>,
        order: QueueOrder,
        (draws, seed): (u32, Seed),
    ) -> QueueDraws<'_> {
        let snapshot = Snapshot::new(site, newcomer, &self.runs, &self.order);
        let snapshot = match order {
            QueueOrder::Learned => snapshot,
            QueueOrder::Shown => snapshot.in_shown_order(),
        };
        let waiting = site.waiting().map(|one| one.index).chain(newcomer.map(|job| job.index));
        QueueDraws {
            snapshot,
            past: self.coming.past(),
            running: site.running().map(|one| one.index).collect(),
            waiting: waiting.collect(),
            draws,
            seed,
        }
    }
}

impl QueueDraws<'_> {
    /// The running jobs.
    pub fn running(&self) -> &[JobIndex] {
        &self.running
    }

    /// The waiting jobs in the order of the queue; a newcomer is the last.
    pub fn waiting(&self) -> &[JobIndex] {
        &self.waiting
    }

    /// The places of the waiting jobs in the order in which they go.
    pub fn order(&self) -> Vec<usize> {
        self.snapshot.order()
    }

    /// For each running job, the median of the seconds that it still runs, and its processors.
    pub fn expected_ends(&self) -> Vec<(f64, u32)> {
        self.snapshot.expected_ends()
    }

    /// For each waiting job, its median run time in seconds, and its processors.
    pub fn expected_runs(&self) -> Vec<(f64, u32)> {
        self.snapshot.expected_runs()
    }

    /// Jobs to leave out.
    pub fn left_out(&self, jobs: &[JobIndex]) -> LeftOut {
        let places = |all: &[JobIndex]| {
            let among = |job: &JobIndex| all.iter().position(|one| one == job);
            jobs.iter().filter_map(among).collect()
        };
        LeftOut { running: places(&self.running), waiting: places(&self.waiting) }
    }

    /// When each waiting job starts, by its place: one time for each simulation, [`Time::NEVER`] where it does not.
    pub fn starts(&self) -> Vec<Vec<Time>> {
        let drawn = self.each(vec![Time::NEVER; self.waiting.len()], |number, run_on| {
            let mut rng = self.seed.numbered("start times", number);
            self.snapshot.drawn_starts(self.past, None, &mut rng, run_on).to_vec()
        });
        (0..self.waiting.len()).map(|place| drawn.iter().map(|starts| starts[place]).collect()).collect()
    }

    /// When the waiting job at a place starts without some other jobs, simulation by simulation.
    pub fn starts_without(&self, left_out: &LeftOut, target: usize) -> Vec<Time> {
        let without = (&left_out.running, &left_out.waiting);
        self.each(Time::NEVER, |number, run_on| {
            let mut rng = self.seed.numbered("start times", number);
            self.snapshot.drawn_start_without(self.past, without, target, &mut rng, run_on)
        })
    }

    /// Each simulation; `left_out` for those that are not wanted any more.
    fn each<T: Clone + Send + Sync>(
        &self,
        left_out: T,
        draw: impl Fn(u64, &mut RunOn) -> T + Sync,
    ) -> Vec<T> {
        let pieces: Vec<u32> = (0..self.draws.div_ceil(PIECE)).collect();
        let drawn = parallel::map(&pieces, |&piece| {
            let mut run_on = RunOn::default();
            let numbers = piece * PIECE..self.draws.min((piece + 1) * PIECE);
            let each = numbers.map(|number| match is_wanted() {
                true => draw(u64::from(number), &mut run_on),
                false => left_out.clone(),
            });
            each.collect::<Vec<T>>()
        });
        drawn.into_iter().flatten().collect()
    }
}
