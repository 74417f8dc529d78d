//! Licenses of the cluster.

use std::collections::BTreeMap;

use crate::cluster::{GresRequest, Tres};
use queuecast_core::order;

/// Licenses that jobs hold while they run. Names that the cluster does not have are not counted.
#[derive(Debug, Clone, Default)]
pub struct LicenseCounts {
    /// Of each name, how many there are and how many jobs have.
    counts: BTreeMap<String, (u64, u64)>,
}

impl LicenseCounts {
    /// Those of a cluster, all free.
    pub fn of(licenses: &Tres) -> LicenseCounts {
        let counts = order::map_of(licenses.0.iter().map(|(name, &all)| (name.clone(), (all, 0))));
        LicenseCounts { counts }
    }

    /// Whether the cluster has the licenses that a job asks for, in use or not.
    pub fn are_there(&self, asked: &[GresRequest]) -> bool {
        self.suffice(asked, |all, _| all)
    }

    /// Whether the cluster has no licenses, so that no job waits for some.
    pub fn are_none(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether the licenses that a job asks for are free.
    pub fn are_free(&self, asked: &[GresRequest]) -> bool {
        self.suffice(asked, |all, taken| all.saturating_sub(taken))
    }

    /// Whether there are as many of each name as a job asks for, which may name one more than once.
    fn suffice(&self, asked: &[GresRequest], there: impl Fn(u64, u64) -> u64) -> bool {
        let sum = |name: &str| {
            let same = asked.iter().filter(|one| one.name == name);
            same.fold(0_u64, |sum, one| sum.saturating_add(one.count))
        };
        let is_enough = |one: &GresRequest| {
            self.counts.get(&one.name).is_none_or(|&(all, taken)| sum(&one.name) <= there(all, taken))
        };
        asked.iter().all(is_enough)
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
