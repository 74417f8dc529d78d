//! Licenses of the cluster.

use std::collections::BTreeMap;

use crate::cluster::{GresRequest, Tres};

/// Licenses that jobs hold while they run. Names that the cluster does not have are not counted.
#[derive(Debug, Clone, Default)]
pub struct LicenseCounts {
    /// Of each name, how many there are and how many jobs have.
    counts: BTreeMap<String, (u64, u64)>,
}

impl LicenseCounts {
    /// Those of a cluster, all free.
    pub fn of(licenses: &Tres) -> LicenseCounts {
        let counts = licenses.0.iter().map(|(name, &all)| (name.clone(), (all, 0))).collect();
        LicenseCounts { counts }
    }

    /// Whether there are as many as a job asks for, whatever runs.
    pub fn are_there(&self, asked: &[GresRequest]) -> bool {
        asked.iter().all(|one| self.counts.get(&one.name).is_none_or(|&(all, _)| one.count <= all))
    }

    /// Whether as many are free as a job asks for.
    pub fn are_free(&self, asked: &[GresRequest]) -> bool {
        let is_free = |&(all, taken): &(u64, u64), count: u64| taken.saturating_add(count) <= all;
        asked.iter().all(|one| self.counts.get(&one.name).is_none_or(|counts| is_free(counts, one.count)))
    }

    /// A job takes what it asks for.
    pub fn take(&mut self, asked: &[GresRequest]) {
        self.change(asked, |taken, count| taken.saturating_add(count));
    }

    /// A job gives it back.
    pub fn give_back(&mut self, asked: &[GresRequest]) {
        self.change(asked, |taken, count| taken.saturating_sub(count));
    }

    fn change(&mut self, asked: &[GresRequest], change: impl Fn(u64, u64) -> u64) {
        for one in asked {
            if let Some((_, taken)) = self.counts.get_mut(&one.name) {
                *taken = change(*taken, one.count);
            }
        }
    }
}
