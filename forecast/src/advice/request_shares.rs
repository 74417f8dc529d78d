//! The share of the requested time that jobs use, learned from those that ended.

use queuecast_core::order;
use std::collections::BTreeMap;
use std::sync::Arc;

use queuecast_core::distribution::Distribution;
use queuecast_core::job::Job;
use queuecast_core::units::Seconds;

/// The fewest observations that make a distribution.
const FEWEST: usize = 20;

/// Shares of the requested time that jobs used, by class of requested time; of jobs that requested none, their run times.
#[derive(Debug, Clone, Default)]
pub struct RequestShares {
    /// By class of requested time.
    classes: BTreeMap<Class, Vec<f64>>,
    /// All jobs that asked for some time.
    asked: Vec<f64>,
}

/// Requested times of one class are within a factor of two; none for jobs that asked for none.
type Class = Option<u32>;

fn class(job: &Job) -> (Class, f64) {
    match job.shape.limit {
        Some(limit) => (Some(limit.0.max(1).ilog2()), limit.0.max(1) as f64),
        None => (None, 1.0),
    }
}

impl RequestShares {
    /// Learns from a job that ended.
    pub fn observe(&mut self, job: &Job, ran: Seconds) {
        let (class, unit) = class(job);
        let share = ran.0.max(0) as f64 / unit;
        self.classes.entry(class).or_default().push(share);
        if class.is_some() {
            self.asked.push(share);
        }
    }

    /// Sorts what was learned. Cheap where little came since the last time: the sort finds what is in order already.
    pub fn settle(&mut self) {
        self.classes.values_mut().chain([&mut self.asked]).for_each(|shares| order::sort_floats(shares));
    }

    /// A copy to ask about many jobs; it was settled since the last one that ended.
    pub fn sorted(&self) -> Sorted {
        let classes = self.classes.iter().map(|(&class, shares)| (class, Arc::from(shares.as_slice())));
        Sorted { classes: order::map_of(classes), asked: Arc::from(self.asked.as_slice()) }
    }
}

/// A history in order.
#[derive(Debug, Clone)]
pub struct Sorted {
    classes: BTreeMap<Class, Arc<[f64]>>,
    /// All jobs that asked for some time.
    asked: Arc<[f64]>,
}

impl Sorted {
    /// The run time of a job that has run for `age` (zero while it waits), by jobs of a similar requested time; if too few
    /// of them ran that long, by all jobs with a requested time. `None` if these are too few as well.
    pub fn run_time(&self, job: &Job, age: Seconds) -> Option<Distribution> {
        let (class, unit) = class(job);
        let age = age.0.max(0) as f64;
        let all = class.is_some().then_some(&self.asked);
        self.classes.get(&class).into_iter().chain(all).find_map(|shares| {
            let given = Distribution::observed(shares.clone(), unit)?.given(age);
            given.observations().is_some_and(|count| count >= FEWEST).then_some(given)
        })
    }
}
