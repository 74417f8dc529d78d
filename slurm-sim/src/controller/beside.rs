//! When a newcomer starts beside jobs that were simulated without it: one simulation of a queue answers for any number of newcomers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use super::clock::Phases;
use super::handles::{JobHandle, PartitionChoice, SubmissionHandle};
use super::held_parts::HeldAlike;
use super::job::{JobStage, RequestedPartition};
use super::limits::LimitSet;
use super::moment::{AssumedFuture, simulated_on};
use super::placement::{GresIndex, JobApart, Load, NodeOffer, NodeSet, NodeShare, PreparedCluster};
use super::state::Controller;
use crate::cluster::{ClusterMoment, Sharing, StandingState, SubmittedJob};
use queuecast_core::order;
use queuecast_core::units::{Micros, Seconds, Time};

/// What ran where and when in one simulation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedSchedule {
    /// By start.
    holds: Vec<SimulatedHold>,
}

/// What a job holds of nodes, in seconds from the moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SimulatedHold {
    start: i64,
    end: i64,
    turn: HoldTurn,
    parts: Vec<HoldPart>,
}

/// Whose turn comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum HoldTurn {
    /// The job runs at the moment.
    Runs,
    /// It waits then: its place among all jobs of the moment.
    Waits(u32),
    /// It comes later, with the tier of its partition and its priority when it starts.
    Comes { tier: u32, priority: u64 },
}

/// As much of each of some nodes, these as runs of neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HoldPart {
    nodes: Vec<(u32, u32)>,
    cpus: u32,
    memory: u64,
    gres: Vec<(u32, u64)>,
}

impl HoldPart {
    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().flat_map(|&(first, count)| first..first + count).map(|node| node as usize)
    }

    fn share(&self, node: usize) -> NodeShare {
        NodeShare {
            node,
            cpus: self.cpus,
            held: self.cpus,
            memory: self.memory,
            gres: self.gres.iter().map(|&(resource, count)| (GresIndex(resource as usize), count)).collect(),
            cap: None,
            apart: JobApart::default(),
        }
    }
}

impl SimulatedHold {
    fn shares(&self) -> impl Iterator<Item = NodeShare> + '_ {
        self.parts.iter().flat_map(|part| part.nodes().map(|node| part.share(node)))
    }
}

/// As [`run_on`](super::run_on) for a prepared cluster, and what ran where until the last of the wanted jobs started.
pub fn schedule_on_prepared(
    cluster: &PreparedCluster<'_>,
    moment: &ClusterMoment,
    future: &AssumedFuture<'_>,
    wanted: &[usize],
) -> (Vec<Option<Time>>, SimulatedSchedule) {
    let (controller, starts) = simulated_on(cluster, moment, future, wanted, true);
    let now = moment.now.second().0;
    let known = moment.submissions.len();
    let mut ran_before = vec![false; controller.jobs.all().len()];
    for standing in moment.standings.iter().filter(|one| matches!(one.state, StandingState::Running { .. })) {
        let tasks = controller.jobs.tasks(SubmissionHandle(standing.submission));
        if let Ok(at) = tasks.binary_search_by_key(&standing.task, |&job| controller.jobs[job].task) {
            ran_before[tasks[at].0] = true;
        }
    }
    let mut holds = Vec::new();
    for (index, job) in controller.jobs.all().iter().enumerate().filter(|(_, job)| job.last.by.is_some()) {
        let last = &job.last;
        let end = match (job.state, job.terms.run) {
            (JobStage::Running, Some(run)) => last.limit_end.min(last.start + run.second().0),
            (JobStage::Running, None) => last.limit_end,
            _ => last.end,
        };
        if end <= now {
            continue;
        }
        let turn = match job.submission {
            _ if ran_before[index] => HoldTurn::Runs,
            SubmissionHandle(one) if one < known => HoldTurn::Waits(index as u32),
            _ => {
                let ran = job.partitions.iter().find(|at| at.partition == last.ran_in);
                let tier = controller.cluster[last.ran_in].priority_tier;
                HoldTurn::Comes { tier, priority: ran.map_or(0, |at| at.priority) }
            }
        };
        let mut nodes = last.parts.nodes().iter();
        let part = |one: HeldAlike<'_>| {
            let mut runs: Vec<(u32, u32)> = Vec::new();
            for node in nodes.by_ref().take(one.nodes as usize).map(|node| node as u32) {
                match runs.last_mut() {
                    Some((first, count)) if *first + *count == node => *count += 1,
                    _ => runs.push((node, 1)),
                }
            }
            let gres = one.gres.iter().map(|&(resource, count)| (resource.0 as u32, count)).collect();
            HoldPart { nodes: runs, cpus: one.cpus, memory: one.memory_mb, gres }
        };
        let parts = last.parts.amounts().map(part).collect();
        holds.push(SimulatedHold { start: last.start - now, end: end - now, turn, parts });
    }
    order::sort_by_key(&mut holds, |hold| hold.start);
    (starts, SimulatedSchedule { holds })
}

/// A newcomer, and what is ahead of it in the queue of a moment.
pub struct PlacedNewcomer<'c> {
    controller: Controller<'c>,
    job: JobHandle,
    /// Of each of its partitions that take it, whether each job of the moment is ahead of it.
    choices: Vec<(PartitionChoice, Vec<bool>)>,
    age: (u64, i64),
    /// It may start no sooner, in seconds from the moment.
    from: i64,
}

impl<'c> PlacedNewcomer<'c> {
    /// The first task of a submission of a moment, the last one; `None` if more than nodes and its place in the queue decides when it
    /// starts.
    pub fn of(
        cluster: &PreparedCluster<'c>,
        moment: &ClusterMoment,
        submissions: &'c [SubmittedJob],
    ) -> Option<PlacedNewcomer<'c>> {
        let (asked, site) = (submissions.last()?, cluster.cluster());
        let request = &asked.request;
        let is_simple = request.dependency.is_none()
            && !request.terms.hold
            && request.terms.begin.is_none()
            && request.terms.reservations.is_empty()
            && request.gres.licenses.is_empty()
            && asked.submit <= moment.now
            && moment.reservations.is_empty()
            && site.partitions.iter().all(|one| matches!(one.sharing, Sharing::No | Sharing::Exclusive));
        if !is_simple {
            return None;
        }
        let phases = Phases::running_on(moment.now, [Micros::ZERO; 3]);
        let mut controller = Controller::prepared(cluster, submissions, phases);
        controller.resume(moment, [0; 3]);
        let own = SubmissionHandle(submissions.len() - 1);
        if controller.jobs.are_to_come(own) {
            controller.submit(own);
        }
        let job = *controller.jobs.tasks(own).first()?;
        if controller.jobs[job].state != JobStage::Waiting {
            return None;
        }
        let order = controller.take_queue();
        let jobs = controller.jobs.all().len();
        let mut choices = Vec::new();
        for (choice, at) in controller.jobs[job].partitions.by_choice() {
            let is_limited = |limits: &LimitSet| {
                !limits.per_job.is_empty() || limits.held.iter().any(|held| !held.is_empty())
            };
            if is_limited(&at.limits) || at.is_barred {
                return None;
            }
            let own = order.iter().position(|record| record.job == job && record.choice == choice)?;
            let mut ahead = vec![false; jobs];
            // An array is in the queue by its first task, which the others stand with.
            let mut submissions = vec![false; controller.jobs.by_submission().len()];
            order[..own].iter().for_each(|record| submissions[record.submission.0] = true);
            for (is_ahead, one) in ahead.iter_mut().zip(controller.jobs.all()) {
                *is_ahead =
                    submissions[one.submission.0] && one.submission != controller.jobs[job].submission;
            }
            choices.push((choice, ahead));
        }
        let priority = &site.settings.priority;
        let age = (priority.weights.age.into(), priority.max_age.0.max(1));
        Some(PlacedNewcomer { controller, job, choices, age, from: 0 })
    }

    /// This job, which may start no sooner than `from` seconds after the moment.
    #[must_use]
    pub fn no_sooner(self, from: Seconds) -> PlacedNewcomer<'c> {
        PlacedNewcomer { from: from.0.max(0), ..self }
    }

    /// Seconds from the moment to its start beside a schedule, if it runs for `run`, or to its limit without one. No start: nodes are never enough.
    pub fn start_beside(&self, schedule: &SimulatedSchedule, run: Option<Seconds>) -> Option<i64> {
        let starts = self.choices.iter().filter_map(|(choice, ahead)| {
            let at = &self.controller.jobs[self.job].partitions[*choice];
            let run = run.map_or(at.limit, |run| run.0.min(at.limit)).max(1);
            Beside { newcomer: self, at, ahead, schedule }.earliest(run)
        });
        starts.min()
    }
}

/// When what is held is given back, by the indices of the holds.
type HeldEnds = BinaryHeap<Reverse<(i64, usize)>>;

/// A newcomer in one of its partitions, and a schedule.
struct Beside<'n, 'c> {
    newcomer: &'n PlacedNewcomer<'c>,
    at: &'n RequestedPartition,
    ahead: &'n [bool],
    schedule: &'n SimulatedSchedule,
}

impl Beside<'_, '_> {
    /// Whether a job that starts in the schedule goes before the newcomer.
    fn is_ahead(&self, hold: &SimulatedHold) -> bool {
        match hold.turn {
            HoldTurn::Runs => true,
            HoldTurn::Waits(job) => self.ahead.get(job as usize).copied().unwrap_or(false),
            HoldTurn::Comes { tier, priority } => {
                let own_tier = self.newcomer.controller.cluster[self.at.partition].priority_tier;
                let (weight, most) = self.newcomer.age;
                let aged = weight.saturating_mul(hold.start.clamp(0, most) as u64) / most as u64;
                (tier, priority) > (own_tier, self.at.priority.saturating_add(aged))
            }
        }
    }

    /// It starts at the first instant at which nodes are free for it, those ahead of it that start while it runs find theirs free, and what
    /// is behind it has not taken them. Once all that were ahead of it run, nothing that is behind it starts before it.
    fn earliest(&self, run: i64) -> Option<i64> {
        let pool = &self.newcomer.controller.pool;
        let open = &pool.open_nodes[self.at.partition.0];
        let (layout, need) = (&pool.layout, &self.at.kept.need);
        let holds = &self.schedule.holds;
        let ahead: Vec<bool> = holds.iter().map(|hold| self.is_ahead(hold)).collect();
        let meets =
            |hold: &SimulatedHold| hold.parts.iter().any(|part| part.nodes().any(|node| open.contains(node)));
        let own_turn = holds
            .iter()
            .zip(&ahead)
            .filter(|(hold, ahead)| **ahead && meets(hold))
            .map(|(hold, _)| hold.start)
            .max()
            .unwrap_or(i64::MIN);
        let mut load = Load::none(layout);
        let mut ends: HeldEnds = BinaryHeap::new();
        let (mut next, mut now) = (0, self.newcomer.from);
        // Only what is given back makes room.
        let mut has_room = true;
        loop {
            while let Some(&Reverse((_, hold))) = ends.peek().filter(|one| one.0.0 <= now) {
                has_room = true;
                holds[hold].shares().for_each(|share| load.release(&share));
                ends.pop();
            }
            // At one instant those ahead of it go first, and it before those behind it.
            while let Some(hold) = holds.get(next).filter(|hold| hold.start <= now) {
                let is_first = ahead[next] || hold.start < now && hold.start < own_turn;
                if !is_first && hold.start == now && hold.start < own_turn {
                    break;
                }
                if is_first && hold.end > now {
                    hold.shares().for_each(|share| load.take(&share));
                    ends.push(Reverse((hold.end, next)));
                }
                next += 1;
            }
            let mut nodes = open.clone();
            nodes.keep(&need.on.feasible);
            if need.is_exclusive {
                nodes.keep(load.idle());
            }
            if std::mem::take(&mut has_room)
                && self.fits(&mut nodes, &load, (&ends, next, &ahead), (now, run))
            {
                return Some(now);
            }
            let end = ends.peek().map(|one| one.0.0);
            let start = holds.get(next).map(|hold| hold.start.max(now + 1));
            now = match (end, start) {
                (Some(end), Some(start)) => end.min(start),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => return None,
            };
        }
    }

    /// Whether it can have some of the nodes from now on, and those ahead of it find what they start on.
    fn fits(
        &self,
        nodes: &mut NodeSet,
        load: &Load,
        (ends, next, ahead): (&HeldEnds, usize, &[bool]),
        (now, run): (i64, i64),
    ) -> bool {
        let layout = &self.newcomer.controller.pool.layout;
        let need = &self.at.kept.need;
        loop {
            if nodes.has_fewer(need.least_nodes()) {
                return false;
            }
            let offer = NodeOffer { layout, in_use: Some(load.in_use()), nodes, shift: None };
            let Some(chosen) = offer.choose(need) else { return false };
            let shares = offer.shares(&chosen, need);
            let own = NodeSet::of(nodes.capacity(), chosen.iter().copied());
            let later = self.schedule.holds[next..].iter().zip(&ahead[next..]);
            let later =
                later.take_while(|(hold, _)| hold.start < now + run).filter(|one| *one.1).map(|one| one.0);
            let in_way = self.in_the_way(load, &shares, &own, ends, later);
            if in_way.is_empty() {
                return true;
            }
            in_way.into_iter().for_each(|node| nodes.remove(node));
        }
    }

    /// Those of its nodes that have too little left for jobs ahead of it which start while it runs.
    fn in_the_way<'h>(
        &self,
        load: &Load,
        shares: &[NodeShare],
        own: &NodeSet,
        ends: &HeldEnds,
        later: impl Iterator<Item = &'h SimulatedHold>,
    ) -> Vec<usize> {
        let numbers = &self.newcomer.controller.pool.layout.nodes;
        // What is used of each of its nodes, and what will be given back: when, where and how much.
        let mut used: Vec<(usize, i64, i64, Vec<i64>)> = Vec::new();
        for share in shares {
            let mut gres: Vec<i64> = (0..numbers[share.node].gres.len())
                .map(|index| load.in_use().gres(share.node, GresIndex(index)) as i64)
                .collect();
            share.gres.iter().for_each(|&(resource, count)| gres[resource.0] += count as i64);
            let cpus = i64::from(load.in_use().cpus(share.node)) + i64::from(share.held);
            used.push((share.node, cpus, (load.in_use().memory(share.node) + share.memory) as i64, gres));
        }
        let mut back: Vec<(i64, NodeShare)> = Vec::new();
        let on_own = |hold: &SimulatedHold| -> Vec<NodeShare> {
            hold.shares().filter(|share| own.contains(share.node)).collect()
        };
        let mut found = Vec::new();
        let mut is_known = false;
        for hold in later {
            let taken = on_own(hold);
            if taken.is_empty() {
                continue;
            }
            if !std::mem::replace(&mut is_known, true) {
                for &Reverse((end, hold)) in ends {
                    back.extend(on_own(&self.schedule.holds[hold]).into_iter().map(|share| (end, share)));
                }
            }
            let mut change = |share: &NodeShare, sign: i64| {
                let Some(one) = used.iter_mut().find(|one| one.0 == share.node) else { return false };
                one.1 += sign * i64::from(share.held);
                one.2 += sign * share.memory as i64;
                share.gres.iter().for_each(|&(resource, count)| one.3[resource.0] += sign * count as i64);
                let node = &numbers[share.node];
                let lacks_gres = one.3.iter().zip(&node.gres).any(|(used, all)| *used > *all as i64);
                one.1 > i64::from(node.cpus) || one.2 > node.memory as i64 || lacks_gres
            };
            back.retain(|(end, share)| {
                let is_over = *end <= hold.start;
                if is_over {
                    change(share, -1);
                }
                !is_over
            });
            for share in taken {
                if change(&share, 1) {
                    found.push(share.node);
                }
                back.push((hold.end, share));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests;
