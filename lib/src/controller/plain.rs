//! The slow, plain versions that the fast ones are held to. What they have in common with these is written twice on purpose: a
//! mistake in one is found by the other.

use super::layout::{NodeLayout, NodeShare, NodeUse};
use super::need::{Need, NeedMemory};
use super::node_set::NodeSet;

/// Chooses nodes out of those that may be used.
///
/// `lighter` are nodes whose weight is lowered slightly: what a test for a job with GPUs leaves behind for jobs without.
pub(super) fn select(
    layout: &NodeLayout,
    load: &NodeUse,
    usable_nodes: &NodeSet,
    need: &Need,
    lighter: &NodeSet,
) -> Option<Vec<usize>> {
    let mut usable = vec![0; layout.nodes.len()];
    let mut any = false;
    for node in usable_nodes.iter().filter(|&node| need.feasible.contains(node)) {
        usable[node] = load.usable(layout, node, need);
        any |= usable[node] > 0;
    }
    if !any || !need.required.iter().all(|node| usable[node] > 0) {
        return None;
    }
    let chosen = if layout.leaves.is_empty() {
        by_runs(layout, load, &usable, need)
    } else {
        by_leaves(layout, &usable, need, lighter)
    }?;
    let has_gres = need.gres_per_job.iter().all(|&(place, count)| {
        let free = |&node: &usize| layout.nodes[node].gres[place] - load.gres(node, place);
        chosen.iter().map(free).sum::<u64>() >= count
    });
    (has_gres && need.required.iter().all(|node| chosen.contains(&node))).then_some(chosen)
}

/// What is still missing while nodes are chosen.
struct PlainMissing {
    cpus: i64,
    nodes: i64,
    most: i64,
    exclusive: bool,
}

impl PlainMissing {
    fn of(need: &Need) -> PlainMissing {
        PlainMissing {
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

/// Nodes next to each other of one weight.
struct PlainRun {
    weight: u64,
    nodes: Vec<usize>,
    cpus: i64,
}

/// Without switches: run by run of neighbours of equal weight, the lightest first; at equal weight the smallest that suffices,
/// else the largest.
fn by_runs(layout: &NodeLayout, load: &NodeUse, usable: &[u32], need: &Need) -> Option<Vec<usize>> {
    let mut runs: Vec<PlainRun> = Vec::new();
    let mut open = false;
    for (node, &cpus) in usable.iter().enumerate() {
        if cpus == 0 {
            open = false;
            continue;
        }
        let mut weight = u64::from(layout.nodes[node].weight) * 256;
        if let Some(&(place, _)) = need.gres_per_node.first().or(need.gres_per_job.first()) {
            let free = layout.nodes[node].gres[place] - load.gres(node, place);
            weight += 255_u64.saturating_sub(free);
        }
        match runs.last_mut().filter(|run| open && run.weight == weight) {
            Some(run) => {
                run.nodes.push(node);
                run.cpus += i64::from(cpus);
            }
            None => runs.push(PlainRun { weight, nodes: vec![node], cpus: i64::from(cpus) }),
        }
        open = true;
    }
    let mut missing = PlainMissing::of(need);
    let mut chosen = Vec::new();
    for node in need.required.iter() {
        chosen.push(node);
        missing.take(usable[node]);
    }
    while !runs.is_empty() && missing.most > 0 && !missing.is_met() {
        let suffices = |run: &PlainRun| run.cpus >= missing.cpus && run.nodes.len() as i64 >= missing.nodes;
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
        let mut run = runs.remove(best);
        if missing.nodes <= 1 {
            // One node left to find: the one with the fewest processors that are enough.
            let enough = run.nodes.iter().copied().filter(|&node| i64::from(usable[node]) >= missing.cpus);
            if let Some(node) = enough.min_by_key(|&node| usable[node]) {
                run.nodes = vec![node];
            }
        }
        for node in run.nodes {
            if missing.most == 0 || missing.is_met() {
                break;
            }
            if chosen.contains(&node) || missing.most == 1 && i64::from(usable[node]) < missing.cpus {
                continue;
            }
            chosen.push(node);
            missing.take(usable[node]);
        }
    }
    missing.is_met().then_some(chosen)
}

/// With switches: leaf by leaf, those first that hold all that is missing, the fewest usable nodes first; else the fullest.
fn by_leaves(layout: &NodeLayout, usable: &[u32], need: &Need, lighter: &NodeSet) -> Option<Vec<usize>> {
    let (cpus, nodes) = (i64::from(need.cpus), i64::from(need.nodes.0));
    let enough = |all: &[usize]| {
        all.len() as i64 >= nodes && all.iter().map(|&node| i64::from(usable[node])).sum::<i64>() >= cpus
    };
    let mut good: Vec<usize> = (0..usable.len()).filter(|&node| usable[node] > 0).collect();
    if !enough(&good) {
        return None;
    }
    // The lightest nodes that suffice; what is lighter than they are is taken first.
    let weight = |node: usize| (layout.nodes[node].weight, !lighter.contains(node));
    let mut weights: Vec<(u32, bool)> = good.iter().map(|&node| weight(node)).collect();
    weights.sort_unstable();
    weights.dedup();
    let mut first: Vec<usize> = Vec::new();
    for (place, &most) in weights.iter().enumerate() {
        let light: Vec<usize> = good.iter().copied().filter(|&node| weight(node) <= most).collect();
        if enough(&light) {
            if place > 0 {
                first = light.iter().copied().filter(|&node| weight(node) < most).collect();
            }
            good = light;
            break;
        }
    }
    let mut missing = PlainMissing { exclusive: false, ..PlainMissing::of(need) };
    let mut chosen: Vec<usize> = Vec::new();
    let mut take = |node: usize, chosen: &mut Vec<usize>| {
        chosen.push(node);
        missing.cpus -= i64::from(usable[node]).min(missing.cpus.max(0));
        missing.nodes -= 1;
        missing.most -= 1;
        (missing.is_met(), missing.nodes, missing.most)
    };
    let mut state = (false, nodes, i64::from(need.nodes.1));
    for &node in need.required.iter().collect::<Vec<_>>().iter().chain(&first) {
        if chosen.contains(&node) {
            continue;
        }
        state = take(node, &mut chosen);
        if state.0 {
            return Some(chosen);
        }
    }
    let leaves: Vec<Vec<usize>> = layout
        .leaves
        .iter()
        .map(|leaf| good.iter().copied().filter(|&node| leaf.contains(node)).collect())
        .collect();
    let mut used = vec![false; leaves.len()];
    for (place, leaf) in leaves.iter().enumerate() {
        if !leaf.iter().any(|node| first.contains(node)) {
            continue;
        }
        used[place] = true;
        for &node in leaf {
            if !chosen.contains(&node) && state.2 > 0 {
                state = take(node, &mut chosen);
                if state.0 {
                    return Some(chosen);
                }
            }
        }
    }
    loop {
        let left = (0..leaves.len()).filter(|&place| !used[place] && !leaves[place].is_empty());
        let best = left.reduce(|best, place| {
            let (one, other) = (leaves[place].len() as i64, leaves[best].len() as i64);
            let better = match (one >= state.1, other >= state.1) {
                (true, true) => one < other,
                (false, false) => one > other,
                (one, _) => one,
            };
            if better { place } else { best }
        })?;
        used[best] = true;
        for &node in &leaves[best] {
            if state.2 <= 0 {
                break;
            }
            if chosen.contains(&node) {
                continue;
            }
            state = take(node, &mut chosen);
            if state.0 {
                return Some(chosen);
            }
        }
    }
}

/// What a job has of each of its nodes: tasks one by one over the nodes in turn, as far as there are processors. A node gives no
/// more than is missing when it is chosen, less one core for each node that has to follow; where tasks are left, all it has.
pub(super) fn shares(layout: &NodeLayout, load: &NodeUse, chosen: &[usize], need: &Need) -> Vec<NodeShare> {
    let per_task = need.cpus_per_task;
    let least = need.least_cpus_per_node.max(per_task * need.tasks_per_node.max(1));
    let mut missing = i64::from(need.cpus);
    let mut limits = vec![0; layout.nodes.len()];
    for (place, &node) in chosen.iter().enumerate() {
        let after = i64::from(need.nodes.0) - place as i64 - 1;
        let threads = if layout.gives_cores() { layout.nodes[node].threads } else { 1 };
        let most = (missing - after.max(0) * i64::from(threads)).max(i64::from(least));
        limits[node] = most.min(i64::from(load.usable(layout, node, need)));
        missing -= limits[node];
    }
    let mut nodes = chosen.to_vec();
    nodes.sort_unstable();
    let mut tasks = vec![0_u32; nodes.len()];
    let mut left = need.tasks;
    let all: Vec<i64> = nodes.iter().map(|&node| i64::from(load.usable(layout, node, need))).collect();
    let limited: Vec<i64> = nodes.iter().map(|&node| limits[node]).collect();
    for processors in [limited, all] {
        if left > 0 {
            (tasks, left) = (vec![0; nodes.len()], need.tasks);
        }
        loop {
            let mut given = false;
            for place in 0..nodes.len() {
                let fit = (processors[place] / i64::from(per_task)) as u32;
                let most = if need.tasks_per_node > 0 { fit.min(need.tasks_per_node) } else { fit };
                if left > 0 && tasks[place] < most {
                    (tasks[place], left, given) = (tasks[place] + 1, left - 1, true);
                }
            }
            if left == 0 || !given {
                break;
            }
        }
    }
    let mut gres_left: Vec<(usize, u64)> = need.gres_per_job.clone();
    let mut shares = Vec::with_capacity(nodes.len());
    for (place, &node) in nodes.iter().enumerate() {
        let numbers = &layout.nodes[node];
        let cpus = if need.is_exclusive {
            numbers.cpus
        } else {
            let cpus = (tasks[place] * per_task).max(1);
            if layout.gives_cores() { cpus.div_ceil(numbers.threads) * numbers.threads } else { cpus }
        };
        let memory = match need.memory {
            NeedMemory::PerCpu(mb) => mb.saturating_mul(u64::from(cpus)).min(numbers.memory),
            NeedMemory::PerNode(mb) => mb,
            NeedMemory::AllOfNode => numbers.memory,
        };
        let mut gres: Vec<(usize, u64)> = Vec::new();
        let mut add = |place: usize, count: u64| {
            for also in layout.gres_counts_for(place) {
                gres.push((also, count));
            }
        };
        need.gres_per_node.iter().for_each(|&(place, count)| add(place, count));
        for (place, left) in &mut gres_left {
            let free = layout.nodes[node].gres[*place] - load.gres(node, *place);
            let taken = free.min(*left);
            *left -= taken;
            if taken > 0 {
                add(*place, taken);
            }
        }
        shares.push(NodeShare { node, cpus, memory, gres });
    }
    shares
}

/// A running job: when it reaches its limit, and what it holds.
pub(super) struct PlainHolding {
    pub end: i64,
    pub shares: Vec<NodeShare>,
}

/// From when on and up to when a test looks at running jobs, as Slurm does since 24.11.
pub(super) struct PlainSpan {
    pub from: i64,
    pub until: Option<i64>,
}

/// When a job could start, by releasing running jobs one window after the other and choosing anew.
pub(super) fn will_run(
    (layout, load): (&NodeLayout, &NodeUse),
    running: &[PlainHolding],
    need: &Need,
    usable: &NodeSet,
    (now, kill_wait): (i64, i64),
    linear: Option<i64>,
    span: Option<PlainSpan>,
) -> Option<(i64, Vec<usize>)> {
    let none = NodeSet::none(layout.nodes.len());
    let chosen = |load: &NodeUse| select(layout, load, usable, need, &none);
    if span.as_ref().is_none_or(|span| span.from <= now)
        && let Some(nodes) = chosen(load)
    {
        return Some((now, nodes));
    }
    let mut load = load.clone();
    let mut running: Vec<&PlainHolding> = running.iter().collect();
    let mut until = None;
    if let Some(span) = span {
        let gone = running.extract_if(.., |one| one.end < span.from);
        gone.for_each(|one| one.shares.iter().for_each(|share| load.release(share)));
        if let Some(nodes) = chosen(&load) {
            return Some((now, nodes));
        }
        until = span.until;
    }
    let mut running = running.into_iter().peekable();
    let (mut base, mut width) = (None, 30);
    loop {
        let (mut last, mut next, mut more) = (None, None, false);
        while let Some(one) = running.next() {
            if until.is_some_and(|until| one.end > until) {
                more = false;
                break;
            }
            if !one.shares.iter().any(|share| usable.contains(share.node)) {
                continue;
            }
            let base = *base.get_or_insert(one.end + (30 - one.end.rem_euclid(30)));
            one.shares.iter().for_each(|share| load.release(share));
            last = Some(one.end);
            next = running.peek().map(|one| one.end);
            more = next.is_some();
            if next.is_some_and(|next| next > base + width) {
                break;
            }
        }
        let last = last?;
        let base = base.unwrap_or(0);
        loop {
            width = linear.map_or(width * 2, |step| width + step);
            if next.is_none_or(|next| next <= base + width) {
                break;
            }
        }
        if let Some(nodes) = chosen(&load) {
            let start = if last > now { last } else { (last + kill_wait).max(now + 1) };
            return Some((start, nodes));
        }
        if !more {
            return None;
        }
    }
}
