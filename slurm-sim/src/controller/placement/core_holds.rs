//! Cores that reservations keep of nodes which other jobs may use besides (`CoreCnt`).

use std::cell::RefCell;

use super::apart::JobApart;
use super::in_use::NodeShare;
use super::need_cache::CachedNeed;
use crate::cluster::AdvanceReservation;
use crate::controller::backfill::Releases;
use crate::controller::handles::JobHandle;
use crate::controller::job::RequestedPartition;
use crate::controller::preemption::EmptiedNodes;
use crate::controller::state::Controller;

/// What a reservation keeps of nodes now: its cores that none of its own jobs has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreHold {
    reservation: String,
    shares: Vec<NodeShare>,
}

impl Controller<'_> {
    /// Processors that a reservation of cores keeps of each of its nodes: its cores, divided evenly.
    pub fn reserved_cpus(&self, reservation: &AdvanceReservation) -> Vec<(usize, u32)> {
        let (Some(cores), nodes) = (reservation.cores, &reservation.nodes) else { return Vec::new() };
        let count = nodes.len().max(1) as u32;
        let nodes = (0..).zip(nodes).map(|(place, &node)| {
            let numbers = &self.pool.layout.nodes[node];
            let cores = cores / count + u32::from(place < cores % count);
            (node, cores.saturating_mul(numbers.threads).min(numbers.cpus))
        });
        nodes.filter(|one| one.1 > 0).collect()
    }

    /// Brings what reservations of cores keep up to date: with the clock, and with the jobs that run in them.
    pub fn renew_core_holds(&mut self) {
        if self.pool.core_holds.is_empty() && self.pool.reservations.iter().all(|one| one.cores.is_none()) {
            return;
        }
        let now = self.second();
        let is_active =
            |one: &&AdvanceReservation| one.cores.is_some() && one.start.0 <= now && now < one.end.0;
        let holds: Vec<CoreHold> = self
            .pool
            .reservations
            .iter()
            .filter(is_active)
            .map(|one| CoreHold { reservation: one.name.clone(), shares: self.unused_cores(one) })
            .collect();
        if holds != self.pool.core_holds {
            self.set_core_holds(holds);
        }
    }

    fn set_core_holds(&mut self, holds: Vec<CoreHold>) {
        let before = std::mem::replace(&mut self.pool.core_holds, holds);
        before.iter().flat_map(|hold| &hold.shares).for_each(|share| self.pool.load.release(share));
        let after = self.pool.core_holds.iter().flat_map(|hold| &hold.shares);
        after.for_each(|share| self.pool.load.take(share));
    }

    /// What a reservation keeps of each of its nodes beside what its own jobs have there, which may be nothing.
    fn unused_cores(&self, reservation: &AdvanceReservation) -> Vec<NodeShare> {
        let own = self.jobs.running.iter().map(|&job| &self.jobs[job]);
        let own: Vec<&NodeShare> = own
            .filter(|one| one.terms.reservation.as_ref() == Some(&reservation.name))
            .flat_map(|one| &*one.last.shares)
            .collect();
        let unused = self.reserved_cpus(reservation).into_iter().map(|(node, cpus)| {
            let used: u32 = own.iter().filter(|share| share.node == node).map(|share| share.held).sum();
            (node, cpus.saturating_sub(used))
        });
        unused.map(|(node, cpus)| share(node, cpus)).collect()
    }

    /// When the last reservation ends whose cores a job may not use, and the nodes as they would be then; `None` if there is
    /// none.
    pub fn nodes_without_holds(
        &self,
        job: JobHandle,
        at: &RequestedPartition,
    ) -> Option<(i64, EmptiedNodes)> {
        if self.pool.core_holds.is_empty() {
            return None;
        }
        let others: Vec<&CoreHold> = self
            .pool
            .core_holds
            .iter()
            .filter(|hold| self.jobs[job].terms.reservation.as_ref() != Some(&hold.reservation))
            .collect();
        let ends = |hold: &&CoreHold| {
            self.pool.reservations.iter().find(|one| one.name == hold.reservation).map(|one| one.end.0)
        };
        let end = others.iter().filter_map(ends).max()?;
        let mut load = self.pool.load.clone();
        others.iter().flat_map(|hold| &hold.shares).for_each(|share| load.release(share));
        let releases = RefCell::new(Releases::of(&self.jobs.running, &self.jobs.all, &load, true));
        let kept = CachedNeed::new(at.kept.need.clone(), at.kept.class);
        Some((end, EmptiedNodes { kept, load, releases }))
    }

    /// A job of a reservation of cores is looked at: of the nodes it may have what its reservation keeps there, and nothing else.
    /// Returns whether it is such a job; then the holds are to be [renewed](Controller::renew_core_holds) afterwards.
    pub fn lift_core_hold(&mut self, job: JobHandle) -> bool {
        if self.pool.core_holds.is_empty() {
            return false;
        }
        let Some(name) = &self.jobs[job].terms.reservation else { return false };
        let Some(place) = self.pool.core_holds.iter().position(|hold| hold.reservation == *name) else {
            return false;
        };
        let mut holds = self.pool.core_holds.clone();
        for own in &mut holds[place].shares {
            let free = self.pool.layout.nodes[own.node].cpus;
            let free = free.saturating_sub(self.pool.load.in_use().cpus(own.node));
            *own = share(own.node, free);
        }
        self.set_core_holds(holds);
        true
    }
}

/// Processors of a node that no job has.
fn share(node: usize, cpus: u32) -> NodeShare {
    NodeShare { node, cpus, held: cpus, memory: 0, gres: Vec::new(), cap: None, apart: JobApart::default() }
}
