//! Which limit keeps a job waiting, whose it is, and how far the job's start would go beyond it.

use super::amounts::{Amounts, TresIndex};
use super::counted::Limits;
use super::limit_set::{AmountLimit, HeldLimits, LimitHolder, LimitSet, LimitedAs};
use crate::cluster::{AssociationIndex, QosIndex};

/// Whose limit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitOf {
    /// Of one job.
    Job,
    /// Of all jobs in a QOS.
    Qos(QosIndex),
    /// Of one user's jobs in a QOS.
    QosUser(QosIndex),
    /// Of one account's jobs in a QOS.
    QosAccount(QosIndex),
    /// Of an association and those below it.
    Association(AssociationIndex),
}

/// A limit that does not let a job start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedLimit {
    /// Whose it is.
    pub of: LimitOf,
    /// What is limited: `jobs`, `cpu`, `node`, `mem`, `gres/gpu`, `cpu minutes`, `minutes`.
    pub what: String,
    /// The limit.
    pub most: u64,
    /// What counts towards it already.
    pub in_use: u64,
    /// What the job adds.
    pub own: u64,
}

impl From<LimitHolder> for LimitOf {
    fn from(holder: LimitHolder) -> LimitOf {
        match holder {
            LimitHolder::Qos(index) => LimitOf::Qos(index),
            LimitHolder::QosUser(index, _) => LimitOf::QosUser(index),
            LimitHolder::QosAccount(index, _) => LimitOf::QosAccount(index),
            LimitHolder::Association(index) => LimitOf::Association(index),
        }
    }
}

impl Limits {
    /// The first limit that does not let a job start that is given at least this much for this many seconds.
    pub fn reached(&self, limits: &LimitSet, amounts: &Amounts, limit: i64) -> Option<ReachedLimit> {
        let minutes = u64::try_from(limit / 60).unwrap_or(0);
        if let Some(longest) = limits.longest.filter(|longest| limit > *longest) {
            let most = u64::try_from(longest / 60).unwrap_or(0);
            return Some(ReachedLimit {
                of: LimitOf::Job,
                what: "minutes".to_owned(),
                most,
                in_use: 0,
                own: minutes,
            });
        }
        let of = |held: &HeldLimits| {
            let found = self.holders.iter().find(|(_, index)| **index == held.holder);
            found.map_or(LimitOf::Job, |(holder, _)| (*holder).into())
        };
        let full = limits.held.iter().find_map(|held| {
            let most = held.jobs.filter(|most| self.in_use[held.holder.0].jobs >= *most)?;
            let in_use = self.in_use[held.holder.0].jobs.into();
            Some(ReachedLimit { of: of(held), what: "jobs".to_owned(), most: most.into(), in_use, own: 1 })
        });
        let per_job = || limits.per_job.iter().find_map(|one| self.own_limit(one, amounts, minutes));
        let of_holder = || {
            limits.held.iter().find_map(|held| {
                let reached =
                    held.amounts.iter().find_map(|one| self.holder_limit(held, one, amounts, minutes))?;
                Some(ReachedLimit { of: of(held), ..reached })
            })
        };
        full.or_else(per_job).or_else(of_holder)
    }

    fn own_limit(&self, one: &AmountLimit, amounts: &Amounts, minutes: u64) -> Option<ReachedLimit> {
        let own = match one.counts_as {
            LimitedAs::Minutes => amounts[one.resource].saturating_mul(minutes),
            LimitedAs::Least | LimitedAs::PerNode => return None,
            LimitedAs::Amount | LimitedAs::MinutesToRun => amounts[one.resource],
        };
        let what = self.limited(one);
        (own > one.limit).then_some(ReachedLimit { of: LimitOf::Job, what, most: one.limit, in_use: 0, own })
    }

    fn holder_limit(
        &self,
        held: &HeldLimits,
        one: &AmountLimit,
        amounts: &Amounts,
        minutes: u64,
    ) -> Option<ReachedLimit> {
        let in_use = &self.in_use[held.holder.0];
        let (own, used) = match one.counts_as {
            LimitedAs::Minutes | LimitedAs::MinutesToRun => {
                let own = amounts[one.resource].saturating_mul(minutes);
                let used = in_use.minutes.as_ref().filter(|used| self.is_used_up(used, one, own))?;
                let so_far = if one.counts_as == LimitedAs::Minutes { used.used(one.resource) } else { 0 };
                (own, so_far.saturating_add(used.to_run(one.resource)))
            }
            _ => (amounts[one.resource], in_use.amounts[one.resource]),
        };
        let is_amount = !matches!(one.counts_as, LimitedAs::Minutes | LimitedAs::MinutesToRun);
        // Nodes that count already may be shared: what would be new is not known before nodes are chosen.
        if is_amount
            && (used.saturating_add(own) <= one.limit || one.resource == TresIndex::NODES && used < one.limit)
        {
            return None;
        }
        Some(ReachedLimit { of: LimitOf::Job, what: self.limited(one), most: one.limit, in_use: used, own })
    }

    /// What a limit counts.
    fn limited(&self, one: &AmountLimit) -> String {
        let name = self.names.name(one.resource);
        match one.counts_as {
            LimitedAs::Minutes | LimitedAs::MinutesToRun => format!("{name} minutes"),
            LimitedAs::Amount | LimitedAs::PerNode | LimitedAs::Least => name.to_owned(),
        }
    }
}
