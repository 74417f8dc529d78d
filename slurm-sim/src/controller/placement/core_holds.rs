//! Cores that reservations keep of nodes which other jobs may use besides (`CoreCnt`).

use super::apart::JobApart;
use super::in_use::{Load, NodeShare};
use super::pool::{CoreHold, NodePool};
use crate::cluster::AdvanceReservation;
use crate::controller::job::JobTerms;
use crate::controller::lifecycle::Jobs;

impl NodePool {
    /// Processors that a reservation of cores keeps of each of its nodes: its cores, divided evenly.
    pub fn reserved_cpus(&self, reservation: &AdvanceReservation) -> Vec<(usize, u32)> {
        let (Some(cores), nodes) = (reservation.cores, &reservation.nodes) else { return Vec::new() };
        let count = nodes.len().max(1) as u32;
        let nodes = (0..).zip(nodes).map(|(index, &node)| {
            let numbers = &self.layout.nodes[node];
            let cores = cores / count + u32::from(index < cores % count);
            (node, cores.saturating_mul(numbers.threads).min(numbers.cpus))
        });
        nodes.filter(|one| one.1 > 0).collect()
    }

    /// Brings what reservations of cores keep up to date: with the clock, and with the jobs that run in them.
    pub fn renew_core_holds(&mut self, jobs: &Jobs<'_>, now: i64) {
        if self.core_holds.is_empty() && self.reservations.iter().all(|one| one.cores.is_none()) {
            return;
        }
        let is_active =
            |one: &&AdvanceReservation| one.cores.is_some() && one.start.0 <= now && now < one.end.0;
        let holds: Vec<CoreHold> = self
            .reservations
            .iter()
            .filter(is_active)
            .map(|one| CoreHold { reservation: one.name.clone(), shares: self.unused_cores(one, jobs) })
            .collect();
        if holds != self.core_holds {
            self.set_core_holds(holds);
        }
    }

    fn set_core_holds(&mut self, holds: Vec<CoreHold>) {
        let before = std::mem::replace(&mut self.core_holds, holds);
        before.iter().flat_map(|hold| &hold.shares).for_each(|share| self.load.release(share));
        let after = self.core_holds.iter().flat_map(|hold| &hold.shares);
        after.for_each(|share| self.load.take(share));
    }

    /// What a reservation keeps of each of its nodes beside what its own jobs have there, which may be nothing.
    fn unused_cores(&self, reservation: &AdvanceReservation, jobs: &Jobs<'_>) -> Vec<NodeShare> {
        let own = jobs.running().iter().map(|&job| &jobs[job]);
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

    /// What a reservation that has not begun keeps of each of its nodes beside jobs that run there until then, or since before it was made:
    /// these have the first cores too.
    fn cores_to_come(&self, reservation: &AdvanceReservation, jobs: &Jobs<'_>) -> Vec<NodeShare> {
        let made = self.made_at(&reservation.name);
        let until = jobs.running().iter().map(|&job| &jobs[job].last);
        let until: Vec<&NodeShare> = until
            .filter(|last| last.limit_end <= reservation.start.0 || last.start <= made)
            .flat_map(|last| &*last.shares)
            .collect();
        let left = self.reserved_cpus(reservation).into_iter().map(|(node, cpus)| {
            let used: u32 = until.iter().filter(|share| share.node == node).map(|share| share.held).sum();
            share(node, cpus.saturating_sub(used))
        });
        left.collect()
    }

    /// When the last reservation ends whose cores a job may not use, and what is in use of nodes then if nothing else changes; `None`
    /// if there is no such reservation.
    pub fn without_holds(&self, terms: &JobTerms) -> Option<(i64, Load)> {
        if self.core_holds.is_empty() {
            return None;
        }
        let is_other = |hold: &&CoreHold| terms.reservation.as_ref() != Some(&hold.reservation);
        let others: Vec<&CoreHold> = self.core_holds.iter().filter(is_other).collect();
        let ends = |hold: &&CoreHold| {
            self.reservations.iter().find(|one| one.name == hold.reservation).map(|one| one.end.0)
        };
        let end = others.iter().filter_map(ends).max()?;
        let mut load = self.load.clone();
        others.iter().flat_map(|hold| &hold.shares).for_each(|share| load.release(share));
        Some((end, load))
    }

    /// A job with this limit, in seconds, is looked at. Reservations of cores of others that begin before it would end keep these from it
    /// already. One of a reservation of cores may have what its reservation keeps, and nothing else. Returns whether anything is different
    /// for it; then the holds are to be [renewed](NodePool::renew_core_holds) afterwards.
    pub fn lift_core_hold(&mut self, jobs: &Jobs<'_>, terms: &JobTerms, limit: i64, now: i64) -> bool {
        let is_met = |one: &&AdvanceReservation| {
            let is_other = terms.reservation.as_ref() != Some(&one.name);
            one.cores.is_some() && is_other && now < one.start.0 && one.start.0 < now + limit
        };
        let met = self.reservations.iter().filter(is_met);
        let met: Vec<CoreHold> = met
            .map(|one| CoreHold { reservation: one.name.clone(), shares: self.cores_to_come(one, jobs) })
            .collect();
        let own = terms.reservation.as_ref();
        let own = own.and_then(|name| self.core_holds.iter().position(|hold| hold.reservation == *name));
        if met.is_empty() && own.is_none() {
            return false;
        }
        let mut holds = self.core_holds.clone();
        for own in own.map(|index| &mut holds[index].shares).into_iter().flatten() {
            let free = self.layout.nodes[own.node].cpus;
            let free = free.saturating_sub(self.load.in_use().cpus(own.node));
            *own = share(own.node, free);
        }
        holds.extend(met);
        self.set_core_holds(holds);
        true
    }
}

/// Processors of a node that no job has.
fn share(node: usize, cpus: u32) -> NodeShare {
    NodeShare { node, cpus, held: cpus, memory: 0, gres: Vec::new(), cap: None, apart: JobApart::default() }
}
