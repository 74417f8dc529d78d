//! Which nodes a job is given.

use super::layout::{NodeLayout, NodeShare, NodeUse};
use super::need::{Need, NeedMemory};
use super::node_set::NodeSet;

/// Nodes to choose from, and what is in use of them.
#[derive(Clone, Copy)]
pub struct NodeOffer<'o> {
    /// The nodes of the cluster.
    pub layout: &'o NodeLayout,
    /// What is in use of them; `None`: nothing.
    pub in_use: Option<&'o NodeUse>,
    /// Nodes to choose from: each can run something of the job.
    pub nodes: &'o NodeSet,
    /// Nodes whose weight is lowered slightly: what a test for a job with GPUs leaves behind for jobs without.
    pub lighter: &'o NodeSet,
}

impl NodeOffer<'_> {
    fn cpus(&self, node: usize, need: &Need) -> u32 {
        match self.in_use {
            Some(in_use) => in_use.usable(self.layout, node, need),
            None => need.uniform_cpus.unwrap_or_else(|| self.layout.idle_cpus(node, need)),
        }
    }

    fn free_gres(&self, node: usize, place: usize) -> u64 {
        let free = |place: usize| {
            let used = self.in_use.map_or(0, |in_use| in_use.gres(node, place));
            self.layout.nodes[node].gres[place].saturating_sub(used)
        };
        self.layout.gres_counts_for(place).map(free).min().unwrap_or(0)
    }

    /// Chooses nodes for a job.
    pub fn choose(&self, need: &Need) -> Option<Vec<usize>> {
        if !need.required.is_subset(self.nodes) {
            return None;
        }
        if self.layout.is_linear && self.layout.leaves.is_empty() {
            return self.lightest_fit(need);
        }
        let is_idle = self.in_use.is_none() || need.is_exclusive;
        if let Some(cpus) =
            need.uniform_cpus.filter(|_| is_idle && need.is_plain && self.layout.leaves.is_empty())
        {
            return self.of_equal_nodes(need, cpus);
        }
        if self.nodes.len() < need.nodes.0 as usize {
            return None;
        }
        let nodes: Vec<(usize, u32)> = self.nodes.iter().map(|node| (node, self.cpus(node, need))).collect();
        let chosen = if self.layout.leaves.is_empty() {
            self.by_runs(&nodes, need)
        } else {
            self.by_leaves(&nodes, need)
        }?;
        let has_gres = need.gres_per_job.iter().all(|&(place, count)| {
            chosen.iter().map(|&node| self.free_gres(node, place)).sum::<u64>() >= count
        });
        (has_gres && need.required.iter().all(|node| chosen.contains(&node))).then_some(chosen)
    }

    /// [`by_runs`](NodeOffer::by_runs) where each node has as many processors for the job: then only the lengths of runs count.
    fn of_equal_nodes(&self, need: &Need, cpus: u32) -> Option<Vec<usize>> {
        let mut missing = need.nodes.0.max(need.cpus.div_ceil(cpus.max(1))) as usize;
        if missing > need.nodes.1 as usize || self.nodes.has_fewer(missing) {
            return None;
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
        let mut chosen = Vec::with_capacity(missing);
        let mut is_sorted = false;
        let mut first = 0;
        while missing > 0 {
            // Of the lightest runs the smallest that suffices, else the largest; of equal ones the first.
            let length = |run: &(u32, usize, usize)| run.2 - run.1;
            let lightest = match is_sorted {
                true => runs[first].0,
                false => runs.iter().map(|run| run.0).min()?,
            };
            let mut best: Option<usize> = None;
            for (place, run) in runs.iter().enumerate().skip(first) {
                if run.0 != lightest {
                    if is_sorted {
                        break;
                    }
                    continue;
                }
                let Some(other) = best.map(|best| &runs[best]) else {
                    best = Some(place);
                    continue;
                };
                let (one, other) = (length(run), length(other));
                let better = match (one >= missing, other >= missing) {
                    (true, false) => true,
                    (true, true) => one < other,
                    (false, _) => one > other,
                };
                if better {
                    best = Some(place);
                } else if is_sorted && one < missing {
                    // The longest come first.
                    break;
                }
            }
            let (_, from, to) = runs[best?];
            let taken = (to - from).min(missing);
            chosen.extend(from..from + taken);
            missing -= taken;
            if is_sorted {
                first += 1;
            } else {
                runs.remove(best?);
                // Many runs will be needed.
                if missing > 0 {
                    runs.sort_by_key(|run| (run.0, std::cmp::Reverse(run.2 - run.1)));
                    is_sorted = true;
                }
            }
        }
        Some(chosen)
    }

    /// Without switches: run by run of neighbours of equal weight, the lightest first; at equal weight the smallest that
    /// suffices, else the largest.
    fn by_runs(&self, nodes: &[(usize, u32)], need: &Need) -> Option<Vec<usize>> {
        let mut runs: Vec<NodeRun> = Vec::new();
        let mut before = usize::MAX;
        let gres = need.gres_per_node.first().or(need.gres_per_job.first()).map(|one| one.0);
        for (place, &(node, cpus)) in nodes.iter().enumerate() {
            let mut weight = u64::from(self.layout.nodes[node].weight) * 256;
            if let Some(gres) = gres {
                weight += 255_u64.saturating_sub(self.free_gres(node, gres));
            }
            let follows = before.wrapping_add(1) == node;
            match runs.last_mut().filter(|run| follows && run.weight == weight) {
                Some(run) => {
                    run.to = place + 1;
                    run.cpus += i64::from(cpus);
                }
                None => runs.push(NodeRun { weight, from: place, to: place + 1, cpus: i64::from(cpus) }),
            }
            before = node;
        }
        let mut missing = Missing::of(need);
        let mut chosen = Vec::new();
        for node in need.required.iter() {
            chosen.push(node);
            let place = nodes.partition_point(|one| one.0 < node);
            missing.take(nodes[place].1);
        }
        while !runs.is_empty() && missing.most > 0 && !missing.is_met() {
            let suffices =
                |run: &NodeRun| run.cpus >= missing.cpus && (run.to - run.from) as i64 >= missing.nodes;
            let mut best = 0;
            for place in 1..runs.len() {
                let (one, other) = (&runs[place], &runs[best]);
                let better = one.weight < other.weight
                    || one.weight == other.weight
                        && match (suffices(one), suffices(other)) {
                            (true, false) => true,
                            (true, true) => one.cpus < other.cpus,
                            (false, _) => one.cpus > other.cpus,
                        };
                if better {
                    best = place;
                }
            }
            let run = runs.remove(best);
            let mut members = &nodes[run.from..run.to];
            if missing.nodes <= 1 {
                // One node left to find: the one with the fewest processors that are enough.
                let enough = (0..members.len()).filter(|&place| i64::from(members[place].1) >= missing.cpus);
                if let Some(place) = enough.min_by_key(|&place| members[place].1) {
                    members = &members[place..=place];
                }
            }
            for &(node, cpus) in members {
                if missing.most == 0 || missing.is_met() {
                    break;
                }
                let is_required = need.required.contains(node);
                if is_required || missing.most == 1 && i64::from(cpus) < missing.cpus {
                    continue;
                }
                chosen.push(node);
                missing.take(cpus);
            }
        }
        missing.is_met().then_some(chosen)
    }

    /// With switches: leaf by leaf, those first that hold all that is missing, the fewest usable nodes first; else the fullest.
    fn by_leaves(&self, usable: &[(usize, u32)], need: &Need) -> Option<Vec<usize>> {
        let (cpus, nodes) = (i64::from(need.cpus), i64::from(need.nodes.0));
        let enough = |all: &[(usize, u32)]| {
            all.len() as i64 >= nodes && all.iter().map(|one| i64::from(one.1)).sum::<i64>() >= cpus
        };
        if !enough(usable) {
            return None;
        }
        // The lightest nodes that suffice; what is lighter than they are is taken first.
        let weight = |node: usize| (self.layout.nodes[node].weight, !self.lighter.contains(node));
        let mut weights: Vec<(u32, bool)> = usable.iter().map(|one| weight(one.0)).collect();
        weights.sort_unstable();
        weights.dedup();
        let mut good = usable.to_vec();
        let mut first: Vec<(usize, u32)> = Vec::new();
        for (place, &most) in weights.iter().enumerate() {
            let light: Vec<(usize, u32)> = good.iter().copied().filter(|one| weight(one.0) <= most).collect();
            if enough(&light) {
                if place > 0 {
                    first = light.iter().copied().filter(|one| weight(one.0) < most).collect();
                }
                good = light;
                break;
            }
        }
        let mut missing = Missing { exclusive: false, ..Missing::of(need) };
        let mut chosen = Vec::new();
        let mut is_chosen = NodeSet::none(self.nodes.capacity());
        let mut take = |(node, cpus): (usize, u32), missing: &mut Missing| {
            if !is_chosen.contains(node) {
                is_chosen.insert(node);
                chosen.push(node);
                missing.cpus -= i64::from(cpus).min(missing.cpus.max(0));
                missing.nodes -= 1;
                missing.most -= 1;
            }
            missing.is_met()
        };
        let of = |node: usize| usable[usable.partition_point(|one| one.0 < node)];
        let required: Vec<(usize, u32)> = need.required.iter().map(of).collect();
        if required.iter().chain(&first).any(|&one| take(one, &mut missing)) {
            return Some(chosen);
        }
        let leaves = self.layout.leaves.iter();
        let leaves: Vec<Vec<(usize, u32)>> =
            leaves.map(|leaf| good.iter().copied().filter(|one| leaf.contains(one.0)).collect()).collect();
        let mut used = vec![false; leaves.len()];
        for (place, leaf) in leaves.iter().enumerate() {
            if !leaf.iter().any(|node| first.contains(node)) {
                continue;
            }
            used[place] = true;
            for &node in leaf {
                if missing.most > 0 && take(node, &mut missing) {
                    return Some(chosen);
                }
            }
        }
        loop {
            let left = (0..leaves.len()).filter(|&place| !used[place] && !leaves[place].is_empty());
            let best = left.reduce(|best, place| {
                let (one, other) = (leaves[place].len() as i64, leaves[best].len() as i64);
                let better = match (one >= missing.nodes, other >= missing.nodes) {
                    (true, true) => one < other,
                    (false, false) => one > other,
                    (one, _) => one,
                };
                if better { place } else { best }
            })?;
            used[best] = true;
            for &node in &leaves[best] {
                if missing.most <= 0 {
                    break;
                }
                if take(node, &mut missing) {
                    return Some(chosen);
                }
            }
        }
    }

    /// What a job has of each of its nodes, which come in the order in which they were chosen: tasks one by one over the nodes in
    /// turn, as far as there are processors.
    pub fn shares(&self, nodes: &[usize], need: &Need) -> Vec<NodeShare> {
        let tasks = if need.is_exclusive {
            let mut nodes: Vec<(usize, u32)> = nodes.iter().map(|&node| (node, 0)).collect();
            nodes.sort_unstable();
            nodes
        } else {
            self.tasks(nodes, need)
        };
        let mut gres_left: Vec<(usize, u64)> = need.gres_per_job.clone();
        let mut shares = Vec::with_capacity(nodes.len());
        for (node, tasks) in tasks {
            let numbers = &self.layout.nodes[node];
            let cpus = if need.is_exclusive {
                numbers.cpus
            } else {
                let cpus = (tasks * need.cpus_per_task).max(1);
                if self.layout.gives_cores() {
                    cpus.div_ceil(numbers.threads) * numbers.threads
                } else {
                    cpus
                }
            };
            let memory = match need.memory {
                NeedMemory::PerCpu(mb) => mb.saturating_mul(u64::from(cpus)).min(numbers.memory),
                NeedMemory::PerNode(mb) => mb,
                NeedMemory::AllOfNode => numbers.memory,
            };
            let mut gres: Vec<(usize, u64)> = Vec::new();
            let mut add = |place: usize, count: u64| {
                for also in self.layout.gres_counts_for(place) {
                    gres.push((also, count));
                }
            };
            need.gres_per_node.iter().for_each(|&(place, count)| add(place, count));
            for (place, left) in &mut gres_left {
                let taken = self.free_gres(node, *place).min(*left);
                *left -= taken;
                if taken > 0 {
                    add(*place, taken);
                }
            }
            shares.push(NodeShare { node, cpus, memory, gres });
        }
        shares
    }

    /// How many tasks each node has, in the order of the nodes.
    fn tasks(&self, nodes: &[usize], need: &Need) -> Vec<(usize, u32)> {
        // A node gives all that is still missing, but one core for each node that has to follow; it gives what it has to at least.
        let least = i64::from(need.least_cpus_on_node());
        let (mut missing, mut to_follow) = (i64::from(need.cpus), i64::from(need.nodes.0));
        let mut most: Vec<(usize, u32)> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            to_follow = (to_follow - 1).max(0);
            let kept = to_follow * i64::from(self.layout.cpus_at_once(node));
            let given = i64::from(self.cpus(node, need)).min((missing - kept).max(least));
            missing -= given;
            most.push((node, need.tasks_on(given as u32)));
        }
        if most.iter().map(|one| u64::from(one.1)).sum::<u64>() < u64::from(need.tasks) {
            most.iter_mut().for_each(|one| one.1 = need.tasks_on(self.cpus(one.0, need)));
        }
        most.sort_unstable();
        // As many rounds as give a task to every node that has room, then one more for the first nodes.
        let given = |rounds: u32| most.iter().map(|one| u64::from(one.1.min(rounds))).sum::<u64>();
        let all = u64::from(need.tasks);
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

/// What is still missing while nodes are chosen.
struct Missing {
    cpus: i64,
    nodes: i64,
    most: i64,
    exclusive: bool,
}

impl Missing {
    fn of(need: &Need) -> Missing {
        Missing {
            cpus: i64::from(need.cpus),
            nodes: i64::from(need.nodes.0),
            most: i64::from(need.nodes.1),
            exclusive: need.is_exclusive,
        }
    }

    fn is_met(&self) -> bool {
        self.nodes <= 0 && self.cpus <= 0
    }

    /// A node with so many usable processors is taken: each node still missing needs one at least.
    fn take(&mut self, usable: u32) {
        let most = (self.cpus - (self.nodes - 1).max(0)).max(1);
        let used = if self.exclusive { i64::from(usable) } else { i64::from(usable).min(most) };
        self.cpus -= used;
        self.nodes -= 1;
        self.most -= 1;
    }
}

/// Nodes next to each other of one weight: places in a list.
struct NodeRun {
    weight: u64,
    from: usize,
    to: usize,
    cpus: i64,
}
