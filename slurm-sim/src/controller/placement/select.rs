//! Which nodes a job is given.

use super::in_use::{NodeShare, NodeUse};
use super::layout::NodeLayout;
use super::missing::Missing;
use super::need::{GresIndex, MemoryNeed, Need};
use super::node_order::NodeOrder;
use super::node_runs::{NodeRun, best_run, of_runs};
use super::node_set::NodeSet;
use super::weights::{WEIGHT_UNIT, WeightShift};

/// Nodes to choose from, and what is in use of them.
#[derive(Clone, Copy)]
pub struct NodeOffer<'o> {
    /// The nodes of the cluster.
    pub layout: &'o NodeLayout,
    /// What is in use of them; `None`: nothing.
    pub in_use: Option<&'o NodeUse>,
    /// Nodes to choose from: each can run something of the job.
    pub nodes: &'o NodeSet,
    /// How their weights differ from those configured.
    pub shift: Option<&'o WeightShift>,
}

impl NodeOffer<'_> {
    fn cpus(&self, node: usize, need: &Need) -> u32 {
        match self.in_use {
            Some(in_use) => in_use.usable(self.layout, node, need),
            None => need.on.uniform_cpus.unwrap_or_else(|| self.layout.idle_cpus(node, need)),
        }
    }

    fn free_gres(&self, node: usize, resource: GresIndex) -> u64 {
        let free = |resource: GresIndex| {
            let used = self.in_use.map_or(0, |in_use| in_use.gres(node, resource));
            self.layout.nodes[node].gres[resource.0].saturating_sub(used)
        };
        self.layout.gres_counts_for(resource).map(free).min().unwrap_or(0)
    }

    /// The weight of a node with `cpus` usable processors, for a job: at equal configured weight, nodes with GPUs that it can use
    /// are lighter; for a job without GPUs, nodes that an earlier test for another job made lighter.
    pub fn weight(&self, node: usize, cpus: u32, need: &Need) -> u64 {
        let added = self.shift.map_or(0, |shift| shift.added(node));
        let weight = u64::from(self.layout.nodes[node].weight.saturating_add(added));
        let lighter = match need.gpu_index() {
            Some(resource) => need.near_gpus(self.gres_for(node, resource, cpus, need)),
            None => self.shift.map_or(0, |shift| shift.lighter(node)),
        };
        (weight + 1) * WEIGHT_UNIT - lighter
    }

    /// The amount of a generic resource of a node that a job can use together with `cpus` of its processors.
    fn gres_for(&self, node: usize, resource: GresIndex, cpus: u32, need: &Need) -> u64 {
        let free = self.free_gres(node, resource);
        if need.gpu_index() != Some(resource) {
            return free;
        }
        let used = self.in_use.map_or(0, |in_use| in_use.memory(node));
        need.gpus_beside(cpus, self.layout.nodes[node].memory.saturating_sub(used), free)
    }

    /// A node is taken for a job.
    pub fn take(&self, node: usize, usable: &mut [u32], missing: &mut Missing, need: &Need) {
        let cpus = usable[node];
        missing.take_gres(|resource| self.gres_for(node, resource, cpus, need));
        missing.take(&mut usable[node], self.layout.cpus_at_once(node, need));
    }

    /// Chooses nodes for a job. One task with GPUs of the whole job is placed on one node where one has them all.
    pub fn choose(&self, need: &Need) -> Option<Vec<usize>> {
        if need.gres.on_one_node {
            let mut alone = self.nodes.clone();
            self.nodes.iter().filter(|&node| !self.has_all(node, need)).for_each(|node| alone.remove(node));
            let on_one = NodeOffer { nodes: &alone, ..*self }.choose_among(need);
            if on_one.is_some() {
                return on_one;
            }
        }
        self.choose_among(need)
    }

    /// Whether a node alone has all processors and generic resources of a job.
    fn has_all(&self, node: usize, need: &Need) -> bool {
        let cpus = self.cpus(node, need);
        let mut asked = need.gres.per_job.iter();
        cpus >= need.least_cpus()
            && asked.all(|&(resource, count)| self.gres_for(node, resource, cpus, need) >= count)
    }

    fn choose_among(&self, need: &Need) -> Option<Vec<usize>> {
        if !need.on.required.is_subset(self.nodes) {
            return None;
        }
        if self.layout.is_linear && self.layout.tree.0.is_empty() {
            return self.lightest_fit(need);
        }
        let is_idle = self.in_use.is_none() || need.is_exclusive;
        // Shifted weights can make neighbours of different configured weights equal, which the fast path does not handle.
        let shifts_several = self.shift.is_some_and(|shift| {
            !shift.lighter.is_empty()
                || self.layout.equal_weights.len() > 1 && shift.heavier.meets(self.nodes)
        });
        let is_plain = need.is_plain
            && need.placing.order == NodeOrder::Runs
            && need.wanted_nodes <= need.nodes.0
            && self.layout.tree.0.is_empty()
            && !shifts_several;
        if let Some(cpus) = need.on.uniform_cpus.filter(|_| is_idle && is_plain) {
            return self.of_equal_nodes(need, cpus);
        }
        let chosen = self.without_the_smallest(need)?;
        let has_gres = need.gres.per_job.iter().all(|&(resource, count)| {
            chosen.iter().map(|&node| self.free_gres(node, resource)).sum::<u64>() >= count
        });
        (has_gres && need.on.required.iter().all(|node| chosen.contains(&node))).then_some(chosen)
    }

    /// Chooses among all nodes. If that fails, nodes with one usable processor are left out, then those with two, and so on, as long
    /// as more nodes are left than the job needs.
    fn without_the_smallest(&self, need: &Need) -> Option<Vec<usize>> {
        let must = need.nodes.0 as usize;
        if self.nodes.has_fewer(must) {
            return None;
        }
        let mut usable = vec![0; self.layout.nodes.len()];
        self.nodes.iter().for_each(|node| usable[node] = self.cpus(node, need));
        self.of_usable(need, usable)
    }

    pub(super) fn of_usable(&self, need: &Need, mut usable: Vec<u32>) -> Option<Vec<usize>> {
        let must = need.nodes.0 as usize;
        // An upper bound of the processors of any choice: the largest nodes, as many as the job may have.
        let mut left: Vec<usize> = Vec::with_capacity(usable.len());
        let (mut reachable, mut size) = (0, 0);
        for (node, &cpus) in usable.iter().enumerate().filter(|one| *one.1 > 0) {
            left.push(node);
            (reachable, size) = (reachable + u64::from(cpus), size.max(cpus));
        }
        if (need.nodes.1 as usize) < left.len() {
            let most = need.nodes.1 as usize;
            // Where as many nodes of the largest size would not do, no others would.
            if most as u64 * u64::from(size) < u64::from(need.cpus) {
                return None;
            }
            let mut largest: Vec<u32> = left.iter().map(|&node| usable[node]).collect();
            if most > 0 {
                largest.select_nth_unstable_by_key(most - 1, |&cpus| std::cmp::Reverse(cpus));
            }
            reachable = largest[..most].iter().map(|&cpus| u64::from(cpus)).sum();
        }
        if reachable < u64::from(need.cpus) {
            return None;
        }
        let choose = |usable: &mut [u32]| {
            if need.placing.order != NodeOrder::Runs {
                self.one_by_one(usable, need)
            } else if self.layout.tree.0.is_empty() {
                self.by_runs(usable, need)
            } else {
                self.by_leaves(usable, need)
            }
        };
        let mut gpus_of = Vec::new();
        if !need.asks_for_no_gres() {
            gpus_of.resize(usable.len(), 0);
            left.iter().for_each(|&node| gpus_of[node] = self.gpus(node, need));
            size = left.iter().map(|&node| usable[node] + gpus_of[node]).max().unwrap_or(0);
        }
        if let Some(chosen) = choose(&mut usable) {
            return Some(chosen);
        }
        let gpus_of = |node: usize| gpus_of.get(node).copied().unwrap_or(0);
        for count in 1..size {
            let mut is_smaller = false;
            let mut spare = left.len().saturating_sub(must);
            left.retain(|&node| {
                let is_small = usable[node] + gpus_of(node) <= count && !need.on.required.contains(node);
                if !is_small || spare == 0 {
                    return true;
                }
                (is_smaller, usable[node]) = (true, 0);
                spare -= 1;
                false
            });
            if is_smaller && let Some(chosen) = choose(&mut usable) {
                return Some(chosen);
            }
            if left.len() <= must {
                return None;
            }
        }
        None
    }

    /// GPUs of a node that a job which asks for some could use.
    fn gpus(&self, node: usize, need: &Need) -> u32 {
        let asked = need.gres.per_node.iter().chain(&need.gres.per_job).chain(&need.gres.per_task);
        let gpus = asked.map(|one| one.0).filter(|&resource| self.layout.is_gpu(resource));
        gpus.map(|resource| self.free_gres(node, resource)).sum::<u64>().try_into().unwrap_or(u32::MAX / 2)
    }

    /// [`by_runs`](NodeOffer::by_runs) where each node has as many processors for the job: then only the lengths of runs count.
    fn of_equal_nodes(&self, need: &Need, cpus: u32) -> Option<Vec<usize>> {
        let missing = need.nodes.0.max(need.cpus.div_ceil(cpus.max(1))) as usize;
        if missing > need.nodes.1 as usize || self.nodes.has_fewer(missing) {
            return None;
        }
        if let Some(shift) = self.shift.filter(|shift| shift.heavier.meets(self.nodes)) {
            // Then all were of one weight.
            let (mut light, heavy) = (self.nodes.clone(), self.nodes.both(&shift.heavier));
            light.take_away(&heavy);
            let runs = light.runs().map(|(from, to)| (0, from, to));
            return of_runs(runs.chain(heavy.runs().map(|(from, to)| (1, from, to))).collect(), missing);
        }
        let mut runs: Vec<(u32, usize, usize)> = Vec::with_capacity(128);
        let mut alike = self.layout.equal_weights.iter().copied().peekable();
        let mut weight = 0;
        for (mut from, to) in self.nodes.runs() {
            while let Some((_, own)) = alike.next_if(|&(first, _)| first <= from) {
                weight = own;
            }
            while let Some((change, own)) = alike.next_if(|&(first, _)| first < to) {
                runs.push((weight, from, change));
                (weight, from) = (own, change);
            }
            // No run is better than one that is as light as any node and just suffices.
            if to - from == missing && weight == self.layout.least_weight {
                return Some((from..to).collect());
            }
            runs.push((weight, from, to));
        }
        of_runs(runs, missing)
    }

    /// Chooses nodes without a switch tree, in runs: neighbouring nodes of equal weight. Lighter runs come first; of equal weight, the
    /// smallest run that is enough, and if none is, the largest. A run with a node that the job names precedes others of its weight
    /// or heavier.
    ///
    /// `usable` has, for each node, the processors that the job can use; it is reduced as nodes are chosen.
    fn by_runs(&self, usable: &mut [u32], need: &Need) -> Option<Vec<usize>> {
        let (mut chosen, mut missing) = self.required(usable, need);
        if !chosen.is_empty() && (missing.is_met() || missing.most <= 0) {
            return missing.is_met().then_some(chosen);
        }
        let mut runs = self.runs(usable, need);
        while missing.most > 0
            && let Some(best) = best_run(&runs, &missing)
        {
            let run = runs.remove(best);
            let mut members: Vec<usize> = match run.named {
                // From the first named node upwards, then from it downwards.
                Some(named) => (named..run.to).chain((run.from..named).rev()).collect(),
                None => (run.from..run.to).collect(),
            };
            members.retain(|&node| usable[node] > 0 && !need.on.required.contains(node));
            if run.named.is_none() && missing.nodes <= 1 {
                // For the last node: the one with the fewest processors that are enough, as far as these count.
                let has_gres = |node: usize| {
                    missing.would_have_gres(|resource| self.gres_for(node, resource, usable[node], need))
                };
                let enough = members
                    .iter()
                    .copied()
                    .filter(|&node| i64::from(usable[node]) >= missing.cpus && has_gres(node));
                if let Some(node) = enough.min_by_key(|&node| need.counts_as(usable[node])) {
                    members = vec![node];
                }
            }
            for node in members {
                if missing.most <= 0 || missing.is_met() {
                    break;
                }
                let is_too_small = missing.most == 1 && i64::from(usable[node]) < missing.cpus;
                if run.named.is_none() && is_too_small {
                    continue;
                }
                chosen.push(node);
                self.take(node, usable, &mut missing, need);
            }
            if missing.is_met() {
                return Some(chosen);
            }
        }
        missing.will_do().then_some(chosen)
    }

    /// Runs of neighbouring nodes of equal weight; nodes that the job names are not counted in them.
    fn runs(&self, usable: &[u32], need: &Need) -> Vec<NodeRun> {
        let mut runs: Vec<NodeRun> = Vec::new();
        let mut last: Option<NodeRun> = None;
        for node in self.nodes.iter().filter(|&node| usable[node] > 0) {
            let weight = self.weight(node, usable[node], need);
            let follows = |run: &NodeRun| run.to == node && run.weight.is_none_or(|own| own == weight);
            let mut run = match last.take() {
                Some(run) if follows(&run) => run,
                other => {
                    runs.extend(other.filter(|run| run.nodes > 0));
                    NodeRun {
                        weight: None,
                        from: node,
                        to: node,
                        nodes: 0,
                        cpus: 0,
                        gres: Vec::new(),
                        named: None,
                    }
                }
            };
            run.to = node + 1;
            if need.on.required.contains(node) {
                run.named = run.named.or(Some(node));
            } else {
                run.nodes += 1;
                run.cpus += i64::from(usable[node]);
                run.gres.resize(need.gres.per_job.len(), 0);
                for (sum, &(resource, _)) in run.gres.iter_mut().zip(&need.gres.per_job) {
                    *sum += self.gres_for(node, resource, usable[node], need);
                }
                run.weight = Some(weight);
            }
            last = Some(run);
        }
        runs.extend(last.filter(|run| run.nodes > 0));
        runs
    }

    /// What a job has of each of its nodes, in the order in which they were chosen: its tasks are distributed one by one, node by node
    /// (cyclic), as long as processors are left.
    pub fn shares(&self, nodes: &[usize], need: &Need) -> Vec<NodeShare> {
        let tasks = if need.is_exclusive && need.gres.per_task.is_empty() {
            let mut nodes: Vec<(usize, u32)> = nodes.iter().map(|&node| (node, 0)).collect();
            nodes.sort_unstable();
            nodes
        } else {
            self.tasks(nodes, need)
        };
        let mut gres_left: Vec<(GresIndex, u64)> = need.gres.per_job.clone();
        let mut shares = Vec::with_capacity(nodes.len());
        for (node, tasks) in tasks {
            let numbers = &self.layout.nodes[node];
            let mut gres: Vec<(GresIndex, u64)> = Vec::new();
            let mut add = |resource: GresIndex, count: u64| {
                for also in self.layout.gres_counts_for(resource) {
                    gres.push((also, count));
                }
            };
            need.gres.per_node.iter().for_each(|&(resource, count)| add(resource, count));
            need.gres
                .per_task
                .iter()
                .for_each(|&(resource, count)| add(resource, count.saturating_mul(u64::from(tasks.max(1)))));
            for (resource, left) in &mut gres_left {
                let taken = self.gres_for(node, *resource, self.cpus(node, need), need).min(*left);
                *left -= taken;
                if taken > 0 {
                    add(*resource, taken);
                }
            }
            let gpus: u64 = need
                .gpu_index()
                .map_or(0, |resource| gres.iter().filter(|one| one.0 == resource).map(|one| one.1).sum());
            let cpus = if need.is_exclusive {
                numbers.cpus
            } else {
                let for_gpus = u32::try_from(gpus.saturating_mul(u64::from(need.gres.cpus_per_gpu)));
                let used = (tasks * need.cpus_per_task).max(for_gpus.unwrap_or(u32::MAX)).max(1);
                let in_use = self.in_use.map_or(0, |in_use| in_use.cpus(node));
                self.layout.held_cpus(node, used, numbers.cpus.saturating_sub(in_use), need)
            };
            let memory = match need.memory {
                MemoryNeed::PerCpu(mb) => {
                    // Threads of a core that the job does not use count for none.
                    let used = cpus / numbers.threads * self.layout.cpus_at_once(node, need);
                    let used = if self.layout.gives_cores() { used } else { cpus };
                    mb.saturating_mul(u64::from(used)).min(numbers.memory)
                }
                MemoryNeed::PerNode(mb) => mb,
                MemoryNeed::PerGpu(mb) => mb.saturating_mul(gpus),
                MemoryNeed::AllOfNode => numbers.memory,
            };
            let cap = need.cap.map(|cap| cap.of);
            let held = self.layout.cpus_of_cores(node, cpus, need);
            shares.push(NodeShare { node, cpus, held, memory, gres, cap, apart: need.placing.apart });
        }
        shares
    }

    /// How many tasks each node has, in the order of the nodes.
    fn tasks(&self, nodes: &[usize], need: &Need) -> Vec<(usize, u32)> {
        // A node gives all processors that are still missing, less one core for each node that has to follow, and never less than its least.
        let least = i64::from(need.least_cpus_on_node());
        let (mut missing, mut to_follow) = (i64::from(need.least_cpus()), i64::from(need.nodes.0));
        let mut most: Vec<(usize, u32)> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            to_follow = (to_follow - 1).max(0);
            let kept = to_follow * i64::from(self.layout.cpus_at_once(node, need));
            let given = i64::from(self.cpus(node, need)).min((missing - kept).max(least));
            missing -= given;
            most.push((node, need.tasks_on(given as u32)));
        }
        let all = u64::from(need.tasks_of(nodes.len()));
        if most.iter().map(|one| u64::from(one.1)).sum::<u64>() < all {
            most.iter_mut().for_each(|one| one.1 = need.tasks_on(self.cpus(one.0, need)));
        }
        most.sort_unstable();
        // As many rounds as give a task to every node that has room, then one more for the first nodes.
        let given = |rounds: u32| most.iter().map(|one| u64::from(one.1.min(rounds))).sum::<u64>();
        let (mut low, mut high) = (0, most.iter().map(|one| one.1).max().unwrap_or(0));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if given(middle) <= all { low = middle } else { high = middle - 1 }
        }
        let mut left = all - given(low).min(all);
        let dealt = most.iter().map(|&(node, most)| {
            let one_more = left > 0 && most > low;
            left -= u64::from(one_more);
            (node, most.min(low) + u32::from(one_more))
        });
        dealt.collect()
    }
}
