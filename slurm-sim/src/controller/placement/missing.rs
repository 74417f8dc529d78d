//! What is still missing while nodes are chosen.

use super::need::{GresIndex, Need};

/// What is still missing of a job's processors and nodes while nodes are chosen for it.
#[derive(Debug, Clone)]
pub struct Missing {
    /// Processors.
    pub cpus: i64,
    /// Processors that it may still be given: its GPUs may ask for more than its tasks.
    most_cpus: i64,
    /// GPUs and other generic resources of the whole job.
    gres: Vec<(GresIndex, i64)>,
    /// Nodes that it would like to have.
    pub nodes: i64,
    /// Nodes that it may have.
    pub most: i64,
    /// Nodes that it must have.
    must: i64,
    /// Nodes that it would like to have beyond those that it must have.
    spare: i64,
    /// Whether it gets all of a node.
    is_exclusive: bool,
    /// The fewest processors of a node.
    least_cpus: u32,
}

fn clamped(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX / 4).min(i64::MAX / 4)
}

impl Missing {
    pub fn of(need: &Need) -> Missing {
        let (must, wanted) = (i64::from(need.nodes.0), i64::from(need.wanted_nodes));
        Missing {
            cpus: i64::from(need.cpus),
            most_cpus: i64::from(need.least_cpus()),
            gres: need.gres.per_job.iter().map(|&(resource, count)| (resource, clamped(count))).collect(),
            nodes: if need.gres.per_job.is_empty() { must.max(wanted) } else { must.min(wanted).max(1) },
            most: i64::from(need.nodes.1),
            must,
            spare: if need.gres.per_job.is_empty() { (wanted - must).max(0) } else { 0 },
            is_exclusive: need.is_exclusive,
            least_cpus: need.least_cpus_on_node(),
        }
    }

    /// Whether all is there.
    pub fn is_met(&self) -> bool {
        self.nodes <= 0 && self.cpus <= 0 && self.has_gres()
    }

    /// Whether all generic resources of the whole job are there.
    pub fn has_gres(&self) -> bool {
        self.gres.iter().all(|one| one.1 <= 0)
    }

    /// Whether these further amounts would cover the generic resources still missing.
    pub fn would_have_gres(&self, more: impl Fn(GresIndex) -> u64) -> bool {
        self.gres.iter().all(|&(resource, missing)| missing <= clamped(more(resource)))
    }

    /// Whether these further amounts, in the order of `gres_per_job`, would cover the generic resources still missing.
    pub fn would_have_each(&self, more: &[u64]) -> bool {
        self.gres.iter().zip(more).all(|(one, &more)| one.1 <= clamped(more))
    }

    /// A node is taken that gives these amounts of generic resources.
    pub fn take_gres(&mut self, given: impl Fn(GresIndex) -> u64) {
        self.gres.iter_mut().for_each(|(resource, missing)| *missing -= clamped(given(*resource)));
    }

    /// Whether this number of further nodes reaches the job's minimum.
    pub fn is_enough(&self, nodes: usize) -> bool {
        nodes as i64 >= self.nodes - self.spare
    }

    /// Whether the nodes taken reach the job's minimum, though not the number it would like to have.
    pub fn will_do(&self) -> bool {
        self.cpus <= 0 && self.has_gres() && self.is_enough(0)
    }

    /// Takes a node with `usable` processors. It gives at most what is missing, less `at_once` for each further node that the job
    /// must have; `usable` is reduced to what it gives.
    pub fn take(&mut self, usable: &mut u32, at_once: u32) {
        if !self.is_exclusive {
            let most = self.most_cpus - (self.must - 1).max(0) * i64::from(at_once);
            if i64::from(*usable) > most {
                *usable = u32::try_from(most).unwrap_or(0).max(self.least_cpus).min(*usable);
            }
        }
        self.cpus -= i64::from(*usable);
        self.most_cpus -= i64::from(*usable);
        self.nodes -= 1;
        self.must -= 1;
        self.most -= 1;
    }
}
