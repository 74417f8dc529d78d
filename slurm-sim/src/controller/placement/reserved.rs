//! What reservations leave to a job.

use super::node_set::NodeSet;
use crate::cluster::{AdvanceReservation, Allowed};
use crate::controller::handles::JobHandle;
use crate::controller::state::Controller;

impl Controller<'_> {
    /// Whether a job may use a reservation.
    pub fn may_use(&self, job: JobHandle, reservation: &AdvanceReservation) -> bool {
        let submission = self.jobs.submission(job);
        let account = submission.request.account.as_deref().unwrap_or("");
        let named =
            |allowed: &Allowed, name: &str| matches!(allowed, Allowed::Only(_)) && allowed.allows(name);
        named(&reservation.users, &submission.user) || named(&reservation.accounts, account)
    }

    /// Whether a job's own reservation is over at an instant.
    pub fn is_reserved_before(&self, job: JobHandle, instant: i64) -> bool {
        let Some(name) = &self.jobs[job].terms.reservation else { return false };
        let mut own = self.pool.reservations.iter().filter(|one| one.name == *name && !one.flags.flexible);
        own.any(|one| one.end.0 <= instant)
    }

    /// Whether a running job is to be stopped because its reservation is over, and has been for as long as `ResvOverRun` allows.
    pub fn has_outlasted_reservation(&self, job: JobHandle, now: i64) -> bool {
        let Some(name) = &self.jobs[job].terms.reservation else { return false };
        let Some(over) = self.cluster.settings.jobs.resv_over_run else { return false };
        let mut own = self.pool.reservations.iter().filter(|one| one.name == *name);
        own.any(|one| !one.flags.flexible && one.end.0.saturating_add(over.0) < now)
    }

    /// Nodes that a job may use from one instant to another, as far as reservations go; and, if one of others was in the way, when
    /// it ends. `None` if the job's own reservation is not there or over; a job may start with a limit past its end, and plans are
    /// made beyond it.
    pub fn unreserved(&self, job: JobHandle, nodes: &mut NodeSet, from: i64, to: i64) -> Option<Option<i64>> {
        let mut blocked_until = None;
        if let Some(name) = &self.jobs[job].terms.reservation {
            let own = self.pool.reservations.iter().find(|one| one.name == *name)?;
            if !self.may_use(job, own) || self.second() >= own.end.0 && !own.flags.flexible {
                return None;
            }
            if !own.flags.flexible {
                nodes.keep(&NodeSet::of(self.cluster.nodes.len(), own.nodes.iter().copied()));
            }
        }
        for other in &self.pool.reservations {
            if self.jobs[job].terms.reservation.as_ref() == Some(&other.name) {
                continue;
            }
            if from < other.end.0 && to > other.start.0 {
                if other.cores.is_some() {
                    // Jobs run beside it where the other cores are enough.
                    let need = &self.jobs[job].partitions[0].kept.need;
                    for (node, kept) in self.reserved_cpus(other) {
                        let left = self.pool.layout.nodes[node].cpus - kept;
                        if need.is_exclusive || left < need.least_cpus_on_node() {
                            nodes.remove(node);
                        }
                    }
                } else {
                    nodes.take_away(&NodeSet::of(self.cluster.nodes.len(), other.nodes.iter().copied()));
                }
                blocked_until = Some(blocked_until.map_or(other.end.0, |until: i64| until.min(other.end.0)));
            }
        }
        Some(blocked_until)
    }
}
