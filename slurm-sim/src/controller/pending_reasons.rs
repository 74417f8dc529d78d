//! Why the jobs of a moment wait, as the controller finds it.

use super::cluster_now::ClusterNow;
use super::handles::JobHandle;
use super::job::JobStage;
use super::limits::ReachedLimit;
use super::placement::NodeSet;
use super::queue::WaitReason;
use super::state::Controller;
use crate::cluster::{Cluster, ClusterMoment};
use crate::controller::clock::Phases;
use queuecast_core::order;
use queuecast_core::units::{Micros, Seconds, Time};
use std::collections::BTreeMap;

/// Why a job waits.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingReason {
    /// The place of its submission in the moment.
    pub submission: usize,
    /// Its index in an array.
    pub task: Option<u32>,
    /// What it waits for; `None` if the next pass starts it.
    pub reason: Option<WaitReason>,
    /// Its place in the queue, from 1, array tasks one by one; `None` if it is not eligible.
    pub place: Option<usize>,
    /// Jobs before it whose partitions have nodes of its own.
    pub ahead: usize,
    /// Processors that these ask for.
    pub ahead_wanted: u64,
    /// Processors it asks for.
    pub cpus: u32,
    /// The fewest nodes it asks for.
    pub nodes: u32,
    /// Its time limit.
    pub limit: Seconds,
    /// Its first partition.
    pub partition: String,
    /// The limit, where it waits for one and it can be told.
    pub reached: Option<ReachedLimit>,
    /// Nodes that it may use now, and how many of these no job holds a part of.
    pub usable: usize,
    /// See `usable`.
    pub idle: usize,
    /// When it may begin, where a begin time or a reservation says so.
    pub begins: Option<Time>,
    /// Whether what it depends on cannot be met any more.
    pub never: bool,
}

/// Why each job of a moment waits: a pass of the main scheduler looks at all of them. In the order of the queue; jobs that are not
/// eligible come last.
pub fn pending_reasons(cluster: &Cluster, moment: &ClusterMoment) -> Vec<PendingReason> {
    let phases = Phases::running_on(moment.now, [Micros::ZERO; 3]);
    let mut controller = Controller::new(cluster, &moment.submissions, phases);
    controller.resume(moment, [0; 3]);
    let order = controller.take_queue();
    // Of an array only one task is in the queue; the others stand with it.
    let mut rank = vec![usize::MAX; moment.submissions.len()];
    for (at, record) in order.iter().enumerate().rev() {
        rank[controller.jobs[record.job].submission.0] = at;
    }
    controller.queue.give_back(order);
    let mut waiting = controller.queue.waiting().to_vec();
    order::sort_by_key(&mut waiting, |&job| (rank[controller.jobs[job].submission.0], job));
    let held: NodeSet = held_nodes(&controller);
    let mut found: Vec<PendingReason> = Vec::new();
    let mut place = 0;
    let mut before = JobsBefore { cluster, jobs: BTreeMap::new(), shared: BTreeMap::new() };
    for &job in &waiting {
        let mut one = described(controller.now(), job, &held);
        if controller.jobs[job].wait.eligible.is_some() && rank[one.submission] != usize::MAX {
            place += 1;
            one.place = Some(place);
            (one.ahead, one.ahead_wanted) = before.rivals(&one.partition);
            before.add(&one.partition, one.cpus);
        }
        found.push(one);
    }
    controller.pass(None);
    for (one, &job) in found.iter_mut().zip(&waiting) {
        explain(one, &controller, job);
    }
    found
}

/// The jobs that come before one in the queue, by partition: how many, and the processors that they ask for.
struct JobsBefore<'a> {
    cluster: &'a Cluster,
    jobs: BTreeMap<String, (usize, u64)>,
    /// Whether two partitions have a node in common, as far as that was asked.
    shared: BTreeMap<(String, String), bool>,
}

impl JobsBefore<'_> {
    fn add(&mut self, partition: &str, cpus: u32) {
        let known = self.jobs.entry(partition.to_owned()).or_default();
        *known = (known.0 + 1, known.1 + u64::from(cpus));
    }

    /// Those whose partitions have nodes of this one.
    fn rivals(&mut self, partition: &str) -> (usize, u64) {
        let JobsBefore { cluster, jobs, shared } = self;
        let mut shares = |other: &String| {
            let pair = (partition.to_owned(), other.clone());
            *shared.entry(pair).or_insert_with(|| shares_nodes(cluster, partition, other))
        };
        let rivals = jobs.iter().filter(|one| shares(one.0));
        rivals.fold((0, 0), |(count, wanted), (_, one)| (count + one.0, wanted + one.1))
    }
}

/// Whether two partitions have a node in common.
fn shares_nodes(cluster: &Cluster, one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let nodes = |name: &str| cluster.partition(name).map(|index| &cluster[index].nodes);
    match (nodes(one), nodes(other)) {
        (Some(one), Some(other)) => one.iter().any(|node| other.contains(node)),
        _ => false,
    }
}

/// The nodes of which some job holds a part.
fn held_nodes(controller: &Controller<'_>) -> NodeSet {
    let mut held = NodeSet::none(controller.cluster.nodes.len());
    let shares = controller.jobs.running().iter().flat_map(|&job| &*controller.jobs[job].last.shares);
    shares.for_each(|share| held.insert(share.node));
    held
}

/// What a waiting job asks for.
fn described(now: ClusterNow<'_>, job: JobHandle, held: &NodeSet) -> PendingReason {
    let one = &now.jobs[job];
    let at = one.partitions.first();
    let none = NodeSet::none(now.cluster.nodes.len());
    let usable = at.and_then(|at| {
        let mut usable = now.may_use_now(job, at, &none)?;
        usable.keep(&at.kept.need.on.feasible);
        Some(usable)
    });
    let usable: Vec<usize> = usable.iter().flat_map(NodeSet::iter).collect();
    PendingReason {
        submission: one.submission.0,
        task: one.task,
        reason: None,
        place: None,
        ahead: 0,
        ahead_wanted: 0,
        cpus: at.map_or(1, |at| at.kept.need.cpus),
        nodes: at.map_or(1, |at| at.kept.need.nodes.0),
        limit: Seconds(at.map_or(0, |at| at.limit)),
        partition: at.map_or_else(String::new, |at| now.cluster[at.partition].name.clone()),
        reached: None,
        idle: usable.iter().filter(|&&node| !held.contains(node)).count(),
        usable: usable.len(),
        begins: None,
        never: false,
    }
}

/// Adds why it waits, after a pass has looked at it.
fn explain(found: &mut PendingReason, controller: &Controller<'_>, job: JobHandle) {
    let (one, now) = (&controller.jobs[job], controller.second());
    if one.state != JobStage::Waiting {
        return;
    }
    let reserved = one
        .terms
        .reservation
        .as_ref()
        .and_then(|name| controller.pool.reservations_named(name).next().map(|reserved| reserved.start));
    let dependency = controller.jobs.dependency_met(job, controller.queue.waiting(), now);
    found.never = dependency.is_none();
    let reason = match one.wait.eligible {
        Some(_) => controller.reasons.last(one.submission),
        None if one.terms.is_held => WaitReason::Held,
        None if dependency != Some(true) => WaitReason::Dependency,
        None if one.terms.begin > now => WaitReason::BeginTime,
        None if one.terms.reservation.is_some() => WaitReason::Reservation,
        None => controller.reasons.last(one.submission),
    };
    found.begins = match reason {
        WaitReason::BeginTime => Some(Time(one.terms.begin)),
        WaitReason::Reservation => reserved,
        _ => None,
    };
    if reason == WaitReason::Limit
        && let Some(at) = one.partitions.first()
    {
        let need = &at.kept.need;
        let least =
            controller.limits.least(u64::from(need.least_cpus()), u64::from(need.nodes.0), at.partition);
        found.reached = controller.limits.reached(&at.limits, &least, at.limit);
    }
    found.reason = Some(reason);
}
