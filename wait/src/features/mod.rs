//! The 19 features of a job at its arrival (Kumar & Vadhiyar 2014, Table 1): the job, the queue, the machine.
//!
//! [`FeatureTracker`] listens to the events of a site, recorded, simulated or live, and keeps sums by which the features of
//! an arrival cost the logarithm of the queue, not its length.

mod overruns;
mod rank_tree;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use self::rank_tree::{RankTree, Total};
use queuecast_core::job::{Event, Job, JobIndex, What};
use queuecast_core::units::{Seconds, Time};
use queuecast_sim::predict::Lookup;

/// A feature of Table 1, by its place in [`Features`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Feature {
    /// Processors requested.
    RequestSize,
    /// Requested time: the paper's estimated run time, *ert*.
    Ert,
    /// Position in the queue by processors.
    QueueRankBySize,
    /// Position in the queue by requested time.
    QueueRankByErt,
    /// Position in the queue by processor time.
    QueueRankByCpuTime,
    /// Processor time requested by the queue.
    QueueDemand,
    /// Waiting jobs.
    QueueLength,
    /// Processor time requested by waiting jobs with fewer processors.
    QueueDemandOfSmaller,
    /// Processor time requested by waiting jobs with less requested time.
    QueueDemandOfShorter,
    /// Processor time requested by waiting jobs with less processor time.
    QueueDemandOfLess,
    /// Position among running jobs by processors.
    RunningRankBySize,
    /// Position among running jobs by requested time.
    RunningRankByErt,
    /// Position among running jobs by processor time.
    RunningRankByCpuTime,
    /// Processor time that running jobs may still use.
    RunningRemaining,
    /// Running jobs.
    RunningJobs,
    /// Processor time that running jobs with fewer processors may still use.
    RunningRemainingOfSmaller,
    /// Processor time that running jobs with less requested time may still use.
    RunningRemainingOfShorter,
    /// Processor time that running jobs with less processor time may still use.
    RunningRemainingOfLess,
    /// Processors in use.
    Occupied,
}

impl Feature {
    /// All, in the order of the table.
    pub const ALL: [Feature; 19] = [
        Feature::RequestSize,
        Feature::Ert,
        Feature::QueueRankBySize,
        Feature::QueueRankByErt,
        Feature::QueueRankByCpuTime,
        Feature::QueueDemand,
        Feature::QueueLength,
        Feature::QueueDemandOfSmaller,
        Feature::QueueDemandOfShorter,
        Feature::QueueDemandOfLess,
        Feature::RunningRankBySize,
        Feature::RunningRankByErt,
        Feature::RunningRankByCpuTime,
        Feature::RunningRemaining,
        Feature::RunningJobs,
        Feature::RunningRemainingOfSmaller,
        Feature::RunningRemainingOfShorter,
        Feature::RunningRemainingOfLess,
        Feature::Occupied,
    ];

    /// Its name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Feature::RequestSize => "request_size",
            Feature::Ert => "ert",
            Feature::QueueRankBySize => "queue_jobrank_req_size",
            Feature::QueueRankByErt => "queue_jobrank_ert",
            Feature::QueueRankByCpuTime => "queue_jobrank_cputime",
            Feature::QueueDemand => "queue_demand_cputime",
            Feature::QueueLength => "n_queue",
            Feature::QueueDemandOfSmaller => "queue_demand_cputime_lower_req_size",
            Feature::QueueDemandOfShorter => "queue_demand_cputime_lower_ert",
            Feature::QueueDemandOfLess => "queue_demand_cputime_lower_cputime",
            Feature::RunningRankBySize => "proc_jobrank_req_size",
            Feature::RunningRankByErt => "proc_jobrank_ert",
            Feature::RunningRankByCpuTime => "proc_jobrank_cputime",
            Feature::RunningRemaining => "proc_remain_cputime",
            Feature::RunningJobs => "n_proc",
            Feature::RunningRemainingOfSmaller => "proc_remain_cputime_lower_req_size",
            Feature::RunningRemainingOfShorter => "proc_remain_cputime_lower_ert",
            Feature::RunningRemainingOfLess => "proc_remain_cputime_lower_cputime",
            Feature::Occupied => "occupied_nodes",
        }
    }
}

/// The features of one job, none below 0 but those of [`Features::with_overruns`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Features(pub [f64; 19]);

impl Features {
    /// One of them.
    pub fn of(&self, feature: Feature) -> f64 {
        self.0[feature as usize]
    }
}

/// What a job asks for: the numbers it is ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Demand {
    procs: i64,
    ert: i64,
}

impl Demand {
    fn of(job: &Job, default_request: Seconds) -> Demand {
        let ert = job.shape.limit.unwrap_or(default_request).0.max(0);
        Demand { procs: i64::from(job.shape.procs.0), ert }
    }

    fn cpu_time(self) -> i64 {
        self.procs.saturating_mul(self.ert)
    }

    /// By processors, by requested time, by processor time.
    fn keys(self) -> [i64; 3] {
        [self.procs, self.ert, self.cpu_time()]
    }
}

/// Some jobs, ranked in three ways.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct RankedJobs([RankTree; 3]);

impl RankedJobs {
    fn insert(&mut self, demand: Demand, sums: [i128; 2]) {
        self.0.iter_mut().zip(demand.keys()).for_each(|(ranked, key)| ranked.insert(key, sums));
    }

    fn remove(&mut self, demand: Demand, sums: [i128; 2]) {
        self.0.iter_mut().zip(demand.keys()).for_each(|(ranked, key)| ranked.remove(key, sums));
    }

    fn total(&self) -> Total {
        self.0[0].total()
    }

    /// The position of a job of this demand in each order: behind those of the same key, which came before it.
    fn ranks(&self, demand: Demand) -> [f64; 3] {
        let keys = demand.keys();
        [0, 1, 2].map(|way| 1.0 + self.0[way].below(keys[way].saturating_add(1)).count as f64)
    }

    /// Of the jobs before it in each order, those of the same key left out.
    fn below(&self, demand: Demand) -> [Total; 3] {
        let keys = demand.keys();
        [0, 1, 2].map(|way| self.0[way].below(keys[way]))
    }
}

/// A running job that has not used up its requested time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct RunningDemand {
    demand: Demand,
    /// When its requested time is used up.
    until: i64,
    /// Whether that was before the last instant asked for: nothing remains of it.
    spent: bool,
}

impl RunningDemand {
    /// Processors times the end of the requested time, and processors: the remaining processor time at an instant is the
    /// first less the instant times the second.
    fn sums(&self) -> [i128; 2] {
        let procs = i128::from(self.demand.procs);
        if self.spent { [0, 0] } else { [procs * i128::from(self.until), procs] }
    }
}

/// Keeps what the features of an arrival need, by the events of a site in their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FeatureTracker {
    /// Stands in for a missing requested time.
    default_request: Seconds,
    waiting: RankedJobs,
    running: RankedJobs,
    /// Looked up, never iterated.
    of_job: Lookup<JobIndex, RunningDemand>,
    /// When requested times are used up, earliest first. Jobs that have ended are skipped.
    spending: BinaryHeap<Reverse<(i64, JobIndex)>>,
    occupied: i64,
}

impl FeatureTracker {
    /// Of an empty site.
    pub fn new(default_request: Seconds) -> FeatureTracker {
        FeatureTracker {
            default_request,
            waiting: RankedJobs::default(),
            running: RankedJobs::default(),
            of_job: Lookup::default(),
            spending: BinaryHeap::new(),
            occupied: 0,
        }
    }

    fn demand(&self, job: &Job) -> Demand {
        Demand::of(job, self.default_request)
    }

    /// Takes in what has happened. Jobs keep their index from their arrival to their end.
    pub fn observe(&mut self, event: &Event<'_>) {
        let demand = self.demand(event.job);
        let waits = [i128::from(demand.cpu_time()), 0];
        match event.what {
            What::Arrived => self.waiting.insert(demand, waits),
            What::Withdrawn => self.waiting.remove(demand, waits),
            What::Started(_) => {
                self.waiting.remove(demand, waits);
                let until = event.at.0.saturating_add(demand.ert);
                let running = RunningDemand { demand, until, spent: false };
                self.running.insert(demand, running.sums());
                self.of_job.insert(event.job.index, running);
                self.spending.push(Reverse((until, event.job.index)));
                self.occupied += demand.procs;
            }
            What::Ended(_) => {
                if let Some(running) = self.of_job.remove(&event.job.index) {
                    self.running.remove(running.demand, running.sums());
                    self.occupied -= running.demand.procs;
                }
            }
            What::Overran { .. } => {}
        }
    }

    /// The features of a job that arrives at this instant, which is not before the last one; the job itself is not in the
    /// queue yet.
    pub fn features(&mut self, job: &Job, now: Time) -> Features {
        self.spend(now.0);
        let demand = self.demand(job);
        let remaining = |total: Total| (total.sums[0] - i128::from(now.0) * total.sums[1]) as f64;
        let demanded = |total: Total| total.sums[0] as f64;
        let (queue, running) = (self.waiting.total(), self.running.total());
        let ([q_size, q_ert, q_cpu], [r_size, r_ert, r_cpu]) =
            (self.waiting.ranks(demand), self.running.ranks(demand));
        let ([q_smaller, q_shorter, q_less], [r_smaller, r_shorter, r_less]) =
            (self.waiting.below(demand), self.running.below(demand));
        Features([
            demand.procs as f64,
            demand.ert as f64,
            q_size,
            q_ert,
            q_cpu,
            demanded(queue),
            queue.count as f64,
            demanded(q_smaller),
            demanded(q_shorter),
            demanded(q_less),
            r_size,
            r_ert,
            r_cpu,
            remaining(running),
            running.count as f64,
            remaining(r_smaller),
            remaining(r_shorter),
            remaining(r_less),
            self.occupied as f64,
        ])
    }

    /// The processor time asked for by waiting jobs, and what running jobs may still use of theirs, in processor seconds.
    pub fn outstanding(&mut self, now: Time) -> f64 {
        self.spend(now.0);
        let (queue, running) = (self.waiting.total(), self.running.total());
        (queue.sums[0] + running.sums[0] - i128::from(now.0) * running.sums[1]) as f64
    }

    /// Nothing remains of running jobs that have used up their requested time.
    fn spend(&mut self, now: i64) {
        while let Some(&Reverse((until, job))) = self.spending.peek()
            && until <= now
        {
            self.spending.pop();
            if let Some(running) = self.of_job.get_mut(&job).filter(|running| running.until == until) {
                let before = running.sums();
                running.spent = true;
                self.running.remove(running.demand, before);
                self.running.insert(running.demand, [0, 0]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_places() {
        for (place, feature) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, place, "{}", feature.name());
        }
        let names: std::collections::BTreeSet<_> = Feature::ALL.map(Feature::name).into_iter().collect();
        assert_eq!(names.len(), 19);
    }
}
