//! Resources times the time for which they are used.

use super::amounts::{Amounts, TresIndex};

/// What the jobs of a holder of limits have used, and what those that run may still use: seconds of each resource.
#[derive(Debug, Clone)]
pub struct UsedMinutes {
    /// It decays with time.
    used: Vec<f64>,
    to_run: Vec<u64>,
}

impl UsedMinutes {
    /// Nothing used, for this number of resources.
    pub fn none(resources: usize) -> UsedMinutes {
        UsedMinutes { used: vec![0.0; resources], to_run: vec![0; resources] }
    }

    /// A job starts whose time limit is this number of seconds.
    pub fn start(&mut self, amounts: &Amounts, seconds: u64) {
        let each = self.to_run.iter_mut().zip(&amounts.0);
        each.for_each(|(sum, &amount)| *sum = sum.saturating_add(amount.saturating_mul(seconds)));
    }

    /// This number of seconds of a running job's time limit has passed.
    pub fn pass(&mut self, amounts: &Amounts, seconds: u64) {
        let each = self.to_run.iter_mut().zip(&amounts.0);
        each.for_each(|(sum, &amount)| *sum = sum.saturating_sub(amount.saturating_mul(seconds)));
    }

    /// Charges a job for this number of seconds, already decayed.
    pub fn charge(&mut self, amounts: &Amounts, seconds: f64) {
        let each = self.used.iter_mut().zip(&amounts.0);
        each.for_each(|(sum, &amount)| *sum += amount as f64 * seconds);
    }

    /// Multiplies all earlier usage by a decay factor.
    pub fn decay(&mut self, by: f64) {
        self.used.iter_mut().for_each(|sum| *sum *= by);
    }

    /// Whether a minute or more of some resource has been used.
    pub fn are_used(&self) -> bool {
        (0..self.used.len()).any(|index| self.used(TresIndex(index)) > 0)
    }

    /// Minutes of a resource that have been used.
    pub fn used(&self, resource: TresIndex) -> u64 {
        (self.used[resource.0] / 60.0) as u64
    }

    /// Minutes of a resource that may still be used.
    pub fn to_run(&self, resource: TresIndex) -> u64 {
        self.to_run[resource.0] / 60
    }
}
