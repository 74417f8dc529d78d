//! Nodes as `select/linear` gives them: whole ones, in runs of neighbours.
//!
//! It knows no weights. Where a job starts, the controller offers it the lightest idle nodes that could be enough, then those with
//! the next ones, and so on; where backfilling asks when a job could run, all nodes are offered at once. Running jobs are
//! taken off one after the other then, and the job is tried after each.

use super::layout::NodeLayout;
use super::need::Need;
use super::node_set::NodeSet;
use super::select::NodeOffer;
use crate::controller::backfill::StartTest;

/// A run of neighbouring nodes to choose from, which may contain required ones.
struct LinearRun {
    from: usize,
    to: usize,
    /// Of those that are not required.
    nodes: i64,
    cpus: i64,
    /// The first that is required.
    required: Option<usize>,
}

/// What has been taken, and what is still missing.
struct Taken<'t> {
    layout: &'t NodeLayout,
    need: &'t Need,
    chosen: Vec<usize>,
    is_chosen: NodeSet,
    cpus: i64,
    nodes: i64,
    most: i64,
}

impl Taken<'_> {
    fn is_full(&self) -> bool {
        self.most <= 0 || self.nodes <= 0 && self.cpus <= 0
    }

    fn take(&mut self, node: usize, cpus: u32) {
        self.is_chosen.insert(node);
        self.chosen.push(node);
        (self.cpus, self.nodes, self.most) = (self.cpus - i64::from(cpus), self.nodes - 1, self.most - 1);
    }

    /// Whether this number of further nodes reaches the job's minimum, though not the number it would like to have.
    fn are_enough(&self, nodes: i64) -> bool {
        let spare = i64::from(self.need.wanted_nodes.max(self.need.nodes.0) - self.need.nodes.0);
        nodes >= self.nodes - spare
    }

    /// Takes nodes in this order as long as any are missing.
    fn take_from(&mut self, nodes: impl Iterator<Item = usize>) {
        for node in nodes {
            if self.is_full() {
                break;
            }
            if !self.is_chosen.contains(node) {
                self.take(node, self.layout.idle_cpus(node, self.need));
            }
        }
    }
}

impl NodeOffer<'_> {
    /// For a start: out of the lightest nodes that are enough.
    pub fn lightest_fit(&self, need: &Need) -> Option<Vec<usize>> {
        let wanted = need.wanted_nodes.max(need.nodes.0) as usize;
        let mut offered = NodeSet::none(self.nodes.capacity());
        let mut tried = None;
        for alike in &self.layout.alike {
            let mut more = alike.clone();
            more.keep(self.nodes);
            offered.add(&more);
            let count = offered.len();
            if count < wanted || tried == Some(count) {
                continue;
            }
            tried = Some(count);
            if let Some(chosen) = (NodeOffer { nodes: &offered, ..*self }).best_fit(need) {
                return Some(chosen);
            }
        }
        // Fewer than it would like to have.
        if tried == Some(self.nodes.len()) { None } else { self.best_fit(need) }
    }

    /// Whole nodes whatever their weights: the smallest run of neighbours that suffices, else the largest ones. Where nodes differ
    /// in processors and the smallest could be too few, those with the most.
    pub fn best_fit(&self, need: &Need) -> Option<Vec<usize>> {
        if self.nodes.len() < need.nodes.0 as usize || !need.on.required.is_subset(self.nodes) {
            return None;
        }
        let mut taken = Taken {
            layout: self.layout,
            need,
            chosen: Vec::new(),
            is_chosen: NodeSet::none(self.nodes.capacity()),
            cpus: i64::from(need.cpus),
            nodes: i64::from(need.wanted_nodes.max(need.nodes.0)),
            most: i64::from(need.nodes.1),
        };
        let cpus = |node: usize| need.on.uniform_cpus.unwrap_or_else(|| self.layout.idle_cpus(node, need));
        for node in need.on.required.iter() {
            taken.take(node, cpus(node));
        }
        if need.on.uniform_cpus.is_none() {
            let least = self.nodes.iter().map(cpus).min().unwrap_or(0);
            let first = self.nodes.iter().next().map_or(0, cpus);
            let differ = self.nodes.iter().any(|node| cpus(node) != first);
            if differ && taken.cpus > i64::from(least) * taken.nodes {
                let mut largest: Vec<usize> = self.nodes.iter().collect();
                // Of equal ones the last.
                largest.sort_by_key(|&node| std::cmp::Reverse((cpus(node), node)));
                taken.take_from(largest.into_iter());
                return (taken.cpus <= 0 && taken.are_enough(0)).then_some(taken.chosen);
            }
        }
        let mut runs: Vec<LinearRun> = Vec::new();
        for (from, to) in self.nodes.runs() {
            let others = || (from..to).filter(|&node| !need.on.required.contains(node));
            let nodes = others().count() as i64;
            if nodes > 0 {
                runs.push(LinearRun {
                    from,
                    to,
                    nodes,
                    cpus: match need.on.uniform_cpus {
                        Some(cpus) => nodes * i64::from(cpus),
                        None => others().map(|node| i64::from(cpus(node))).sum(),
                    },
                    required: (from..to).find(|&node| need.on.required.contains(node)),
                });
            }
        }
        while taken.most > 0 {
            let mut best: Option<(usize, bool)> = None;
            for (index, run) in runs.iter().enumerate().filter(|(_, run)| run.nodes > 0) {
                let suffices = run.cpus >= taken.cpus && taken.are_enough(run.nodes);
                let is_better = best.is_none_or(|(best, best_suffices)| {
                    let best = &runs[best];
                    best.required.is_none() && run.required.is_some()
                        || suffices && (!best_suffices || run.cpus < best.cpus)
                        || !suffices && run.cpus > best.cpus
                });
                if is_better {
                    best = Some((index, suffices));
                }
            }
            let Some((index, _)) = best else { break };
            let run = &mut runs[index];
            // Up from the first that is required, then down from it.
            let middle = run.required.unwrap_or(run.from);
            taken.take_from((middle..run.to).chain((run.from..middle).rev()));
            if taken.nodes <= 0 && taken.cpus <= 0 {
                break;
            }
            (run.nodes, run.cpus) = (0, 0);
        }
        (taken.cpus <= 0 && taken.are_enough(0)).then_some(taken.chosen)
    }
}

impl StartTest<'_> {
    /// When the job could start on these nodes, and on which of them: it is tried after the end of each running job. A job that
    /// is past its limit is given no time.
    pub fn one_by_one(&self, usable: &NodeSet, latest: Option<i64>) -> Option<(i64, Vec<usize>)> {
        let releases = &*self.releases;
        let need = &self.kept.need;
        let mut fit = usable.clone();
        fit.keep(&need.on.feasible);
        let choose = |nodes: &NodeSet| {
            let offer = NodeOffer { layout: self.layout, in_use: None, nodes, shift: self.shift };
            if self.layout.tree.0.is_empty() { offer.best_fit(need) } else { offer.choose(need) }
        };
        if let Some(nodes) = choose(&releases.idle_now(&fit)) {
            return Some((self.now, nodes));
        }
        let mut from = releases.not_before((&fit, self.kept.class), need.least_nodes())?;
        loop {
            let release = releases.next_on(from, &fit)?;
            let end = releases.end(release)?;
            if latest.is_some_and(|latest| end > latest) {
                return None;
            }
            if let Some(nodes) = choose(&releases.idle_after(release, &fit)) {
                return Some((end.max(self.now + 1), nodes));
            }
            from = release + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::apart::JobApart;
    use super::super::asked::NodeBounds;
    use super::super::in_use::{Load, NodeShare};
    use super::super::need_cache::{CachedNeed, NeedCache};
    use super::*;
    use crate::cluster::{Cluster, JobRequest, MemoryRequest, PartitionIndex, SelectKind};
    use crate::controller::backfill::Releases;
    use crate::controller::handles::JobHandle;
    use crate::controller::job::{ControlledJob, JobStart};
    use crate::controller::tests::cluster;

    /// Twelve nodes of four processors; from the seventh on they are heavier.
    fn linear() -> Cluster {
        let mut cluster = cluster(12);
        cluster.settings.select.kind = SelectKind::Linear;
        cluster.settings.select.memory = true;
        cluster.nodes[6..].iter_mut().for_each(|node| node.weight = 10);
        cluster
    }

    fn asked(cluster: &Cluster, nodes: (u32, u32), tasks: u32) -> Arc<CachedNeed> {
        let request = JobRequest {
            min_nodes: Some(nodes.0),
            max_nodes: Some(nodes.1),
            tasks: Some(tasks),
            ..JobRequest::default()
        };
        NeedCache::with(Arc::default(), 0).get(
            &request,
            NodeBounds::default(),
            PartitionIndex(0),
            &NodeLayout::of(cluster),
            cluster,
        )
    }

    /// Nodes chosen for a test, and for a start.
    fn chosen(cluster: &Cluster, idle: &[usize], kept: &CachedNeed) -> [Option<Vec<usize>>; 2] {
        let layout = NodeLayout::of(cluster);
        let nodes = NodeSet::of(12, idle.iter().copied());
        let offer = NodeOffer { layout: &layout, in_use: None, nodes: &nodes, shift: None };
        let sorted = |mut nodes: Vec<usize>| {
            nodes.sort_unstable();
            nodes
        };
        [offer.best_fit(&kept.need).map(sorted), offer.choose(&kept.need).map(sorted)]
    }

    #[test]
    fn weights_count_for_a_start_only() {
        let cluster = linear();
        // Runs of neighbours: 0, 2 to 4, 6 and 7, 9 to 11. Two nodes: the smallest run that has them is of heavy nodes.
        let idle = [0, 2, 3, 4, 6, 7, 9, 10, 11];
        let two = asked(&cluster, (2, 2), 2);
        assert_eq!(chosen(&cluster, &idle, &two), [Some(vec![6, 7]), Some(vec![2, 3])]);
        // Five: the first of the largest runs, then what is left in the smallest that has it.
        let five = asked(&cluster, (5, 5), 5);
        let light_first = Some(vec![2, 3, 4, 6, 7]);
        assert_eq!(chosen(&cluster, &idle, &five), [light_first.clone(), light_first]);
        // Control: four light ones are enough for a start, though more runs are needed.
        let four = asked(&cluster, (4, 4), 4);
        assert_eq!(chosen(&cluster, &idle, &four), [Some(vec![0, 2, 3, 4]), Some(vec![0, 2, 3, 4])]);
        assert_eq!(chosen(&cluster, &idle, &asked(&cluster, (10, 10), 10)), [None, None]);
    }

    #[test]
    fn as_many_nodes_as_are_wanted_are_given_if_there_are_so_many() {
        let cluster = linear();
        let some = asked(&cluster, (2, 4), 2);
        assert_eq!(
            chosen(&cluster, &[1, 2, 3, 4, 5], &some),
            [Some(vec![1, 2, 3, 4]), Some(vec![1, 2, 3, 4])]
        );
        assert_eq!(chosen(&cluster, &[1, 2, 8], &some), [Some(vec![1, 2, 8]), Some(vec![1, 2, 8])]);
        assert_eq!(chosen(&cluster, &[1], &some), [None, None]);
    }

    #[test]
    fn of_unequal_nodes_the_largest_are_taken_if_the_smallest_could_be_too_few() {
        let mut cluster = linear();
        cluster.nodes.iter_mut().for_each(|node| node.weight = 1);
        for node in [5, 8] {
            (cluster.nodes[node].cpus, cluster.nodes[node].memory_mb) = (16, 32_000);
        }
        let large = asked(&cluster, (1, 1), 10);
        // Nodes that are configured alike are offered first: those of four processors are not enough.
        assert_eq!(chosen(&cluster, &[0, 1, 5, 8], &large), [Some(vec![8]), Some(vec![8])]);
        let small = asked(&cluster, (1, 1), 4);
        assert_eq!(chosen(&cluster, &[0, 1, 3, 5], &small), [Some(vec![3]), Some(vec![3])]);
    }

    #[test]
    fn memory_for_each_processor_is_that_of_all_of_a_node() {
        let cluster = linear();
        let request = |mb: u64| JobRequest {
            tasks: Some(1),
            memory: Some(MemoryRequest::PerCpu(mb)),
            ..JobRequest::default()
        };
        let layout = NodeLayout::of(&cluster);
        let found = |mb: u64| {
            let kept = NeedCache::with(Arc::default(), 0).get(
                &request(mb),
                NodeBounds::default(),
                PartitionIndex(0),
                &layout,
                &cluster,
            );
            (kept.need.on.feasible.len(), kept.need.on.could_run)
        };
        assert_eq!([found(2_000), found(8_001)], [(12, true), (0, false)]);
        assert_eq!(found(2_001), (0, true), "it is accepted, and waits for ever");
    }

    #[test]
    fn running_jobs_end_one_after_the_other() {
        let cluster = linear();
        let layout = NodeLayout::of(&cluster);
        let mut load = Load::none(&layout);
        // One job on each node; the first is past its limit.
        let mut running = Vec::new();
        for node in 0..12 {
            let share = NodeShare {
                node,
                cpus: 4,
                held: 4,
                memory: 0,
                gres: Vec::new(),
                cap: None,
                apart: JobApart::default(),
            };
            load.take(&share);
            let limit_end = 20 * node as i64 - 5;
            let nodes = [node as u32].into();
            let last = JobStart { shares: vec![share].into(), nodes, limit_end, ..JobStart::default() };
            running.push(ControlledJob { last, ..ControlledJob::default() });
        }
        let order: Vec<JobHandle> = (0..12).map(JobHandle).collect();
        let mut releases = Releases::of(&order, &running, &load, false);
        let mut found = |nodes: u32, linear: bool| {
            let kept = asked(&cluster, (nodes, nodes), nodes);
            let mut layout = layout.clone();
            layout.is_linear = linear;
            let mut test = StartTest {
                layout: &layout,
                load: &load,
                releases: &mut releases,
                kept: &kept,
                open: &kept.need.on.feasible,
                shift: None,
                now: 0,
                kill_wait: 30,
                linear: None,
                late_are_gone: false,
            };
            test.will_run(&kept.need.on.feasible, None, None).map(|(start, nodes)| (start, nodes.len()))
        };
        assert_eq!([found(1, true), found(4, true)], [Some((1, 1)), Some((55, 4))]);
        // Control: otherwise ends are looked at in windows.
        assert_eq!([found(1, false), found(4, false)], [Some((15, 1)), Some((55, 4))]);
    }
}
