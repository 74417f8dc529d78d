//! What reservations leave to a job.

use super::node_set::NodeSet;
use super::pool::NodePool;
use crate::cluster::{AdvanceReservation, Allowed, Cluster, PartitionIndex, SubmittedJob};
use crate::controller::cluster_now::ClusterNow;
use crate::controller::handles::{JobHandle, PartitionChoice};
use crate::controller::job::{ControlledJob, JobTerms};
use queuecast_core::units::Seconds;

/// Whether a job may use a reservation: users and accounts must both admit it. An account stands for those below it, unless users are named
/// too. A reservation that names neither admits no job.
fn may_use(
    cluster: &Cluster,
    one: &ControlledJob,
    asked: &SubmittedJob,
    reservation: &AdvanceReservation,
) -> bool {
    let AdvanceReservation { users, accounts, .. } = reservation;
    if (users, accounts) == (&Allowed::All, &Allowed::All) || !users.allows(&asked.user) {
        return false;
    }
    let own = asked.request.account.as_deref().into_iter();
    let names_users = matches!(users, Allowed::Only(_));
    let above = cluster.associations.upwards(one.holder.association.filter(|_| !names_users));
    let mut all = own.chain(above.map(|index| cluster.associations[index].account.as_str()));
    match accounts {
        Allowed::All => true,
        Allowed::Only(_) => all.any(|account| accounts.allows(account)),
        Allowed::Except(_) => all.all(|account| accounts.allows(account)),
    }
}

impl NodePool {
    /// The reservations of a name; mostly there is one at most.
    pub fn reservations_named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p AdvanceReservation> {
        self.reservations.iter().filter(move |one| one.name == name)
    }

    /// Whether a job's own reservation is over at an instant.
    pub fn is_reserved_before(&self, terms: &JobTerms, instant: i64) -> bool {
        let Some(name) = &terms.reservation else { return false };
        self.reservations_named(name).any(|one| !one.flags.flexible && one.end.0 <= instant)
    }

    /// Whether a job's own reservation has begun, or may be used before it does; also of a job without one.
    pub fn has_begun(&self, terms: &JobTerms, now: i64) -> bool {
        let Some(name) = &terms.reservation else { return true };
        self.reservations_named(name).any(|one| one.start.0 <= now || one.flags.flexible)
    }

    /// Whether a running job is to be stopped because its reservation has been over for as long as `ResvOverRun` allows.
    pub fn has_outlasted(&self, terms: &JobTerms, over_run: Seconds, now: i64) -> bool {
        let Some(name) = &terms.reservation else { return false };
        let is_over =
            |one: &AdvanceReservation| !one.flags.flexible && one.end.0.saturating_add(over_run.0) < now;
        self.reservations_named(name).any(is_over)
    }
}

impl ClusterNow<'_> {
    /// Nodes that a job may use in a partition from one instant to another, as far as reservations go; and, if one of others has nodes of
    /// the partition, when it ends. `None` if the job's own reservation is not there or over; a job may start with a limit past its end,
    /// and plans are made beyond it.
    pub fn unreserved(
        &self,
        (job, partition): (JobHandle, PartitionIndex),
        nodes: &mut NodeSet,
        from: i64,
        to: i64,
    ) -> Option<Option<i64>> {
        let mut blocked_until = None;
        let one = &self.jobs[job];
        let all = self.pool.layout.nodes.len();
        if let Some(name) = &one.terms.reservation {
            let own = self.pool.reservations_named(name).next()?;
            let is_over = self.second >= own.end.0 && !own.flags.flexible;
            if !may_use(self.cluster, one, self.jobs.submission(job), own) || is_over {
                return None;
            }
            if !own.flags.flexible {
                nodes.keep(&NodeSet::of(all, own.nodes.iter().copied()));
            }
        }
        for other in &self.pool.reservations {
            if one.terms.reservation.as_ref() == Some(&other.name) {
                continue;
            }
            if from < other.end.0 && to > other.start.0 {
                let in_partition = &self.pool.layout.partitions[partition.0];
                let is_among = other.nodes.iter().any(|&node| in_partition.contains(node));
                if other.cores.is_some() {
                    // Jobs run beside it where the other cores are enough.
                    let need = &one.partitions[PartitionChoice::FIRST].kept.need;
                    for (node, kept) in self.pool.reserved_cpus(other) {
                        let left = self.pool.layout.nodes[node].cpus - kept;
                        if need.is_exclusive || left < need.least_cpus_on_node() {
                            nodes.remove(node);
                        }
                    }
                } else {
                    nodes.take_away(&NodeSet::of(all, other.nodes.iter().copied()));
                }
                if is_among {
                    blocked_until =
                        Some(blocked_until.map_or(other.end.0, |until: i64| until.min(other.end.0)));
                }
            }
        }
        Some(blocked_until)
    }
}
