//! Jobs that a backfill cycle could still start.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use super::test_counts::TestCounts;
use crate::cluster::BackfillSettings;
use crate::controller::cluster_now::ClusterNow;
use crate::controller::job::{JobStage, RequestedPartition};
use crate::controller::limits::FullLimits;
use crate::controller::placement::{Need, NodePool, NodeSet};
use crate::controller::queue::{QueueRecord, RecordIndex};

/// Jobs that could still start in this cycle, judged by the number of nodes that are free of plans until they would end, and by the
/// processors of these. Plans and starts only take nodes away, so a job that is no candidate does not become one again.
#[derive(Debug, Default)]
pub struct Candidates {
    /// When each would reach its time limit if started now, and its record; the latest comes first.
    by_end: BinaryHeap<(i64, Reverse<RecordIndex>)>,
    /// By class of needs; emptied at each start and filled on demand.
    open: BTreeMap<u32, OpenNodes>,
    /// From when on each node is planned for, as far as candidates could have it; empty before the first plan.
    planned_from: Vec<i64>,
    planned: Vec<u32>,
    /// Whether one of them shares nodes: then plans count on busy nodes too.
    any_shares: bool,
}

/// Nodes that could run something of a class of needs now.
#[derive(Debug)]
struct OpenNodes {
    /// One of the class.
    need: Arc<Need>,
    nodes: NodeSet,
    /// How many, and what a job can use of all of them.
    sum: OpenSum,
    /// Those of them that a plan takes, by the instant from which on the first plan takes them.
    planned: BTreeMap<i64, OpenSum>,
}

/// A number of nodes, and how many processors of them a job that shares nodes can use.
#[derive(Debug, Clone, Copy, Default)]
struct OpenSum {
    nodes: usize,
    cpus: u64,
}

impl OpenSum {
    /// Of one node. A job that has nodes for itself needs no count of processors.
    fn of(node: usize, need: &Need, pool: &NodePool) -> OpenSum {
        let cpus = if need.is_exclusive { 0 } else { pool.load.in_use().usable(&pool.layout, node, need) };
        OpenSum { nodes: 1, cpus: u64::from(cpus) }
    }

    fn add(&mut self, other: OpenSum) {
        self.nodes += other.nodes;
        self.cpus += other.cpus;
    }

    fn take_away(&mut self, other: OpenSum) {
        self.nodes -= other.nodes;
        self.cpus -= other.cpus;
    }
}

/// Some nodes are not first planned for at an instant any more, if they were.
fn take_planned(planned: &mut BTreeMap<i64, OpenSum>, since: i64, nodes: OpenSum) {
    if nodes.nodes > 0
        && let Some(planned) = planned.get_mut(&since)
    {
        planned.take_away(nodes);
    }
}

impl Candidates {
    /// Finds the candidates among the records of a queue from one on. Jobs that the cycle leaves out, since it has tested as many of
    /// their user, partition or association as it may, are none; of `tested` it knows how many it has tested so far. A start may
    /// bring others to their limits, which then are not tested any more: so this is done again after each. `full` are limits
    /// as they are now.
    pub fn find(
        &mut self,
        controller: &ClusterNow<'_>,
        queue: &[QueueRecord],
        from: RecordIndex,
        (tested, tests, full): (&TestCounts, usize, &mut FullLimits),
        settings: &BackfillSettings,
    ) {
        self.open.clear();
        let mut by_end = std::mem::take(&mut self.by_end).into_vec();
        by_end.clear();
        let mut tested = tested.clone();
        let most = (settings.counts.max_job_test as usize).saturating_sub(tests);
        let tests = (from.0..queue.len()).filter(|&index| {
            let record = &queue[index];
            if tested.is_full(record.user, settings)
                || record.is_at_limit(controller.jobs, controller.limits, full)
            {
                return false;
            }
            let one = &controller.jobs[record.job];
            if one.state != JobStage::Waiting || one.wait.eligible.is_none() {
                return false;
            }
            let at = &one.partitions[record.choice];
            let is_limited = controller.jobs.is_throttled(record.job, 0)
                || controller.limits.before_selection(&at.limits, at.limit).is_some();
            !is_limited && tested.count(one, at, settings)
        });
        for index in tests.take(most) {
            if self.is_one(controller, &queue[index]) {
                by_end.push((end(controller, &queue[index]), Reverse(RecordIndex(index))));
            }
        }
        self.by_end = by_end.into();
    }

    fn is_one(&mut self, controller: &ClusterNow<'_>, record: &QueueRecord) -> bool {
        let one = &controller.jobs[record.job];
        if one.state != JobStage::Waiting {
            return false;
        }
        let at = &one.partitions[record.choice];
        if at.is_barred {
            return false;
        }
        // The size of such a job is known only once it is planned.
        controller.is_sized_by_plan(record.job)
            || controller.limits.before_selection(&at.limits, at.limit).is_none()
                && self.could_start(controller, at)
    }

    /// Whether there are enough nodes for a job now that no plan takes before it would end.
    pub fn could_start(&mut self, controller: &ClusterNow<'_>, at: &RequestedPartition) -> bool {
        let Candidates { open, planned_from, planned, any_shares, .. } = self;
        let need = &at.kept.need;
        *any_shares |= !need.is_exclusive;
        let open = open.entry(at.kept.class).or_insert_with(|| {
            let mut nodes = controller.pool.open_nodes[at.partition.0].clone();
            at.kept.keep_usable(&mut nodes, &controller.pool.layout, &controller.pool.load);
            let of = |node: usize| OpenSum::of(node, need, controller.pool);
            let mut sum = OpenSum { nodes: nodes.len(), cpus: 0 };
            if !need.is_exclusive {
                sum.cpus = nodes.iter().map(|node| of(node).cpus).sum();
            }
            let mut open = OpenNodes { need: need.clone(), sum, nodes, planned: BTreeMap::new() };
            for &node in planned.iter().filter(|&&node| open.nodes.contains(node as usize)) {
                open.planned.entry(planned_from[node as usize]).or_default().add(of(node as usize));
            }
            open
        });
        let until = controller.second + at.limit;
        let mut left = open.sum;
        open.planned.range(..=until).for_each(|(_, taken)| left.take_away(*taken));
        left.nodes >= need.least_nodes() && (need.is_exclusive || left.cpus >= u64::from(need.cpus))
    }

    /// The latest end, if started now, among candidates from this record of the queue on; `None` if there are none.
    pub fn latest_end(
        &mut self,
        controller: &ClusterNow<'_>,
        queue: &[QueueRecord],
        from: RecordIndex,
    ) -> Option<i64> {
        while let Some(&(end, Reverse(index))) = self.by_end.peek() {
            if index >= from && self.is_one(controller, &queue[index.0]) {
                return Some(end);
            }
            self.by_end.pop();
        }
        None
    }

    /// Nodes are planned for from an instant on.
    pub fn plan(&mut self, nodes: &NodeSet, from: i64, pool: &NodePool) {
        self.planned_from.resize(pool.layout.nodes.len(), i64::MAX);
        // Whole nodes count only while they are idle, and most plans have few such nodes.
        let idle = if self.any_shares { None } else { Some(nodes.both(pool.load.idle())) };
        let is_earlier = |node: &usize| from < self.planned_from[*node];
        let new: Vec<usize> = idle.as_ref().unwrap_or(nodes).iter().filter(is_earlier).collect();
        for open in self.open.values_mut() {
            let mut earlier = OpenSum::default();
            // Neighbours are mostly planned for from the same instant on.
            let (mut since, mut same) = (i64::MAX, OpenSum::default());
            let OpenNodes { need, nodes: own, planned, .. } = open;
            for &node in new.iter().filter(|&&node| own.contains(node)) {
                let own = OpenSum::of(node, need, pool);
                earlier.add(own);
                if self.planned_from[node] != since {
                    take_planned(planned, since, same);
                    (since, same) = (self.planned_from[node], OpenSum::default());
                }
                same.add(own);
            }
            take_planned(planned, since, same);
            if earlier.nodes > 0 {
                open.planned.entry(from).or_default().add(earlier);
            }
        }
        for node in new {
            if self.planned_from[node] == i64::MAX {
                self.planned.push(node as u32);
            }
            self.planned_from[node] = from;
        }
    }
}

/// When a job would reach its limit if started now; the largest value if its size is known only once it is planned.
fn end(controller: &ClusterNow<'_>, record: &QueueRecord) -> i64 {
    let one = &controller.jobs[record.job];
    if controller.is_sized_by_plan(record.job) {
        i64::MAX
    } else {
        controller.second + one.partitions[record.choice].limit
    }
}
