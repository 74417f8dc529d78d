//! How much of the time they ask for jobs use, learned from those that ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::job::Job;
use crate::units::Seconds;

/// Fewer say nothing.
const FEWEST: usize = 20;

/// What jobs used of the time they asked for, by how much that was; of those that asked for none, how long they ran.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// By class of requested time.
    classes: BTreeMap<Class, Vec<f64>>,
    /// All jobs that asked for some time.
    asked: Vec<f64>,
}

/// Requested times of one class are within a factor of two; none for jobs that asked for none.
type Class = Option<u32>;

/// What can become of one job: the run times of jobs like it that lived to its age, in proportion to what it asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// Shares of the requested time, ascending; never empty.
    shares: Arc<[f64]>,
    /// The first that is beyond the job's age.
    from: usize,
    /// What they are shares of, in seconds.
    unit: f64,
    age: f64,
}

fn class(job: &Job) -> (Class, f64) {
    match job.shape.limit {
        Some(limit) => (Some(limit.0.max(1).ilog2()), limit.0.max(1) as f64),
        None => (None, 1.0),
    }
}

impl History {
    /// Learns from a job that ended.
    pub fn observe(&mut self, job: &Job, ran: Seconds) {
        let (class, unit) = class(job);
        let share = ran.0.max(0) as f64 / unit;
        self.classes.entry(class).or_default().push(share);
        if class.is_some() {
            self.asked.push(share);
        }
    }

    /// Puts what was learned in order, before it is asked. Cheap where little came since the last time: the sort finds what is
    /// in order already.
    pub fn settle(&mut self) {
        self.classes.values_mut().chain([&mut self.asked]).for_each(|shares| shares.sort_by(f64::total_cmp));
    }

    /// The history in order, to be asked about many jobs; it was settled since the last job.
    pub fn sorted(&self) -> Sorted {
        let classes = self.classes.iter().map(|(&class, shares)| (class, Arc::from(shares.as_slice())));
        Sorted { classes: classes.collect(), asked: Arc::from(self.asked.as_slice()) }
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
    /// What can become of a job of this age (zero for one that waits): by jobs that asked for about as much; if too few of
    /// them lived so long, by all that asked for some time. `None` if too few of these did.
    pub fn like(&self, job: &Job, age: Seconds) -> Option<Likeness> {
        let (class, unit) = class(job);
        let age = age.0.max(0) as f64;
        let all = class.is_some().then_some(&self.asked);
        self.classes.get(&class).into_iter().chain(all).find_map(|shares| {
            let from = shares.partition_point(|share| share * unit <= age);
            (shares.len() - from >= FEWEST).then(|| Likeness { shares: shares.clone(), from, unit, age })
        })
    }
}

impl Likeness {
    /// Seconds from now by which it has ended with this probability, from 0 to 1.
    pub fn quantile(&self, share: f64) -> f64 {
        let beyond = &self.shares[self.from..];
        let place = ((share * beyond.len() as f64) as usize).min(beyond.len() - 1);
        beyond[place] * self.unit - self.age
    }
}
