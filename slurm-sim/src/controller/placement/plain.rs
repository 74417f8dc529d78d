//! The slow, plain versions that the fast ones are held to. What they have in common with these is written twice on purpose: a
//! mistake in one is found by the other.

use std::cmp::Ordering;

use super::in_use::NodeUse;
use super::layout::NodeLayout;
use super::need::{GresIndex, MemoryNeed, Need};
use super::node_set::NodeSet;
use super::weights::WeightShift;

/// Chooses nodes out of those that may be used.
///
/// `shift` says how weights differ from those configured.
pub fn select(
    layout: &NodeLayout,
    load: &NodeUse,
    usable_nodes: &NodeSet,
    need: &Need,
    shift: &WeightShift,
) -> Option<Vec<usize>> {
    let mut usable = vec![0; layout.nodes.len()];
    let mut any = false;
    for node in usable_nodes.iter().filter(|&node| need.on.feasible.contains(node)) {
        usable[node] = load.usable(layout, node, need);
        any |= usable[node] > 0;
    }
    if !any || !need.on.required.iter().all(|node| usable[node] > 0) {
        return None;
    }
    let mut alone: Option<Vec<usize>> = None;
    if need.gres.on_one_node {
        // One task with GPUs of the whole job: only nodes that have all of it, if there are any.
        let gpus: u64 = need.gres.per_job.iter().filter(|one| layout.is_gpu(one.0)).map(|one| one.1).sum();
        let cpus = u64::from(need.cpus).max(gpus * u64::from(need.gres.cpus_per_gpu));
        let mut large = usable.clone();
        for (node, usable) in large.iter_mut().enumerate() {
            let has = |one: &(GresIndex, u64)| plain_gres(layout, load, need, node, one.0, *usable) >= one.1;
            if u64::from(*usable) < cpus || !need.gres.per_job.iter().all(has) {
                *usable = 0;
            }
        }
        if need.on.required.iter().all(|node| large[node] > 0) {
            alone = without_the_smallest(layout, load, large, need, shift);
        }
    }
    let chosen = match alone {
        Some(alone) => alone,
        None => without_the_smallest(layout, load, usable, need, shift)?,
    };
    let has_gres = need.gres.per_job.iter().all(|&(resource, count)| {
        let free = |&node: &usize| layout.nodes[node].gres[resource.0] - load.gres(node, resource);
        chosen.iter().map(free).sum::<u64>() >= count
    });
    (has_gres && need.on.required.iter().all(|node| chosen.contains(&node))).then_some(chosen)
}

/// Tries with all nodes, then leaves out those with one usable processor or GPU, with two, and so on, in the order of the nodes, until
/// no more are left than are needed.
fn without_the_smallest(
    layout: &NodeLayout,
    load: &NodeUse,
    mut usable: Vec<u32>,
    need: &Need,
    shift: &WeightShift,
) -> Option<Vec<usize>> {
    let gpus = |node: usize| -> u64 {
        let asked = need.gres.per_node.iter().chain(&need.gres.per_job).chain(&need.gres.per_task);
        let gpus = asked.map(|one| one.0).filter(|&resource| layout.is_gpu(resource));
        gpus.map(|resource| layout.nodes[node].gres[resource.0] - load.gres(node, resource)).sum()
    };
    let largest = (0..usable.len()).filter(|&node| usable[node] > 0);
    let largest = largest.map(|node| u64::from(usable[node]) + gpus(node)).max()?;
    for count in 0..largest {
        let mut left = usable.iter().filter(|&&cpus| cpus > 0).count();
        if count > 0 && left <= need.nodes.0 as usize {
            return None;
        }
        for (node, cpus) in usable.iter_mut().enumerate().filter(|(_, cpus)| **cpus > 0) {
            let is_small = u64::from(*cpus) + gpus(node) <= count;
            if is_small && !need.on.required.contains(node) && left > need.nodes.0 as usize {
                *cpus = 0;
                left -= 1;
            }
        }
        let chosen = if layout.tree.0.is_empty() {
            by_runs(layout, load, &mut usable, need, shift)
        } else {
            by_leaves(layout, load, &mut usable, need, shift)
        };
        if chosen.is_some() {
            return chosen;
        }
    }
    None
}

/// What is still missing while nodes are chosen.
struct PlainMissing<'m> {
    layout: &'m NodeLayout,
    load: &'m NodeUse,
    need: &'m Need,
    usable: &'m mut [u32],
    chosen: Vec<usize>,
    cpus: i64,
    /// Processors that it may still be given.
    most_cpus: i64,
    /// What it has of each generic resource of the whole job.
    gres: Vec<u64>,
}

/// The amount of a job-wide generic resource that a job can use of a node together with `cpus` processors.
pub fn plain_gres(
    layout: &NodeLayout,
    load: &NodeUse,
    need: &Need,
    node: usize,
    resource: GresIndex,
    cpus: u32,
) -> u64 {
    let mut free = layout.nodes[node].gres[resource.0] - load.gres(node, resource);
    if layout.is_gpu(resource) {
        free = free.min(cpus.checked_div(need.gres.cpus_per_gpu).map_or(u64::MAX, u64::from));
        if let MemoryNeed::PerGpu(mb) = need.memory {
            free = free.min((layout.nodes[node].memory - load.memory(node)) / mb.max(1));
        }
    }
    free
}

impl<'m> PlainMissing<'m> {
    fn of(
        layout: &'m NodeLayout,
        load: &'m NodeUse,
        need: &'m Need,
        usable: &'m mut [u32],
    ) -> PlainMissing<'m> {
        let gpus = need.gres.per_node.iter().map(|one| (one.0, one.1 * u64::from(need.nodes.0)));
        let of_tasks = need.gres.per_task.iter().map(|one| (one.0, one.1 * u64::from(need.tasks)));
        let gpus = gpus.chain(need.gres.per_job.iter().copied()).chain(of_tasks);
        let gpus = gpus.filter(|one| layout.is_gpu(one.0));
        let for_gpus = gpus.map(|one| one.1).max().unwrap_or(0) * u64::from(need.gres.cpus_per_gpu);
        let cpus = i64::from(need.cpus);
        let (chosen, gres) = (Vec::new(), vec![0; need.gres.per_job.len()]);
        PlainMissing { layout, load, need, usable, chosen, cpus, most_cpus: cpus.max(for_gpus as i64), gres }
    }

    fn has_gres(&self, more: &[u64]) -> bool {
        let all = self.need.gres.per_job.iter().zip(self.gres.iter().zip(more));
        all.into_iter().all(|(asked, (has, more))| has + more >= asked.1)
    }

    /// What a node would give of each generic resource of the whole job.
    fn gres_of(&self, node: usize) -> Vec<u64> {
        let asked = self.need.gres.per_job.iter();
        asked
            .map(|one| plain_gres(self.layout, self.load, self.need, node, one.0, self.usable[node]))
            .collect()
    }

    /// Nodes that it would still like to have.
    fn nodes(&self) -> i64 {
        let (must, wanted) = (self.need.nodes.0, self.need.wanted_nodes);
        let all = if self.need.gres.per_job.is_empty() { must.max(wanted) } else { must.min(wanted).max(1) };
        i64::from(all) - self.chosen.len() as i64
    }

    /// Nodes that it may still have.
    fn most(&self) -> i64 {
        i64::from(self.need.nodes.1) - self.chosen.len() as i64
    }

    fn is_met(&self) -> bool {
        self.nodes() <= 0 && self.cpus <= 0 && self.has_gres(&vec![0; self.gres.len()])
    }

    /// Whether this number of further nodes, processors and generic resources covers what is missing.
    fn would_do(&self, nodes: usize, cpus: i64, gres: &[u64]) -> bool {
        let spare = i64::from(self.need.wanted_nodes) - i64::from(self.need.nodes.0);
        let spare = if self.need.gres.per_job.is_empty() { spare } else { 0 };
        cpus >= self.cpus && nodes as i64 >= self.nodes() - spare.max(0) && self.has_gres(gres)
    }

    fn take(&mut self, node: usize) {
        let gres = self.gres_of(node);
        self.gres.iter_mut().zip(gres).for_each(|(has, more)| *has += more);
        if !self.need.is_exclusive {
            let after = (i64::from(self.need.nodes.0) - self.chosen.len() as i64 - 1).max(0);
            let threads = threads(self.layout, node, self.need);
            let most = self.most_cpus - after * i64::from(threads);
            if i64::from(self.usable[node]) > most {
                let given = most.max(i64::from(self.need.least_cpus_on_node())) as u32;
                self.usable[node] = given.min(self.usable[node]);
            }
        }
        self.cpus -= i64::from(self.usable[node]);
        self.most_cpus -= i64::from(self.usable[node]);
        self.chosen.push(node);
    }
}

/// Processors of each core that a job uses.
pub fn threads(layout: &NodeLayout, node: usize, need: &Need) -> u32 {
    if layout.gives_cores() { layout.nodes[node].threads.min(need.threads).max(1) } else { 1 }
}

/// Nodes next to each other of one weight; those that the job names are not counted.
#[derive(Default)]
struct PlainRun {
    weight: u64,
    all: Vec<usize>,
    nodes: usize,
    cpus: i64,
    gres: Vec<u64>,
    named: Option<usize>,
}

/// The weight of each node for a job: lighter by the GPUs that the job can use there; for a job without GPUs, by what a test left
/// behind.
fn plain_weights(
    (layout, load): (&NodeLayout, &NodeUse),
    usable: &[u32],
    need: &Need,
    shift: &WeightShift,
) -> Vec<u64> {
    let asked = need.gres.per_node.iter().chain(&need.gres.per_job).find(|one| layout.is_gpu(one.0));
    let of_tasks = need.gres.per_task.iter().find(|one| layout.is_gpu(one.0));
    let asked = asked.copied().or(of_tasks.map(|one| (one.0, 255)));
    let weight = |node: usize| {
        let raised = if shift.heavier.contains(node) { 1 } else { 0 };
        let lighter = match asked {
            Some((resource, count)) => {
                plain_gres(layout, load, need, node, resource, usable[node]).min(count).min(255)
            }
            None => shift.lighter.get(node).map_or(0, |&by| u64::from(by)),
        };
        u64::from(layout.nodes[node].weight + raised) * 256 + 256 - lighter
    };
    (0..usable.len()).map(weight).collect()
}

/// Without switches: run by run of neighbours of equal weight, the lightest first; at equal weight the smallest that suffices,
/// else the largest. A run with a node that the job names comes before others that are not lighter.
fn by_runs(
    layout: &NodeLayout,
    load: &NodeUse,
    usable: &mut [u32],
    need: &Need,
    shift: &WeightShift,
) -> Option<Vec<usize>> {
    let weights = plain_weights((layout, load), usable, need, shift);
    let weight = |node: usize| weights[node];
    let mut missing = PlainMissing::of(layout, load, need, usable);
    need.on.required.iter().for_each(|node| missing.take(node));
    if missing.is_met() || missing.most() <= 0 {
        return missing.is_met().then_some(missing.chosen);
    }
    let mut runs: Vec<PlainRun> = vec![PlainRun::default()];
    for node in 0..missing.usable.len() {
        let run = runs.len() - 1;
        if missing.usable[node] == 0 {
            runs.push(PlainRun::default());
            continue;
        }
        if runs[run].nodes > 0 && runs[run].weight != weight(node) {
            runs.push(PlainRun::default());
        }
        let run = runs.last_mut()?;
        run.all.push(node);
        if need.on.required.contains(node) {
            run.named = run.named.or(Some(node));
            continue;
        }
        run.nodes += 1;
        run.cpus += i64::from(missing.usable[node]);
        run.gres.resize(need.gres.per_job.len(), 0);
        run.gres.iter_mut().zip(missing.gres_of(node)).for_each(|(sum, more)| *sum += more);
        run.weight = weight(node);
    }
    runs.retain(|run| run.nodes > 0);
    while !runs.is_empty() && missing.most() > 0 {
        let suffices = |run: &PlainRun| missing.would_do(run.nodes, run.cpus, &run.gres);
        let mut best = 0;
        for index in 1..runs.len() {
            let (one, other) = (&runs[index], &runs[best]);
            let better = one.weight < other.weight
                || one.named.is_some() && other.named.is_none()
                || one.weight == other.weight
                    && match (suffices(one), suffices(other)) {
                        (true, false) => true,
                        (true, true) => one.cpus < other.cpus,
                        (false, _) => one.cpus > other.cpus,
                    };
            if better {
                best = index;
            }
        }
        let run = runs.remove(best);
        let mut order: Vec<usize> = run.all.clone();
        if let Some(named) = run.named {
            order.retain(|&node| node >= named);
            order.extend(run.all.iter().rev().filter(|&&node| node < named));
        } else if missing.nodes() <= 1 {
            // One node left to find: the one with the fewest processors that are enough, as far as these count.
            let is_enough = |node: &usize| {
                i64::from(missing.usable[*node]) >= missing.cpus && missing.has_gres(&missing.gres_of(*node))
            };
            let enough = run.all.iter().copied().filter(is_enough);
            if let Some(node) = enough.min_by_key(|&node| need.counts_as(missing.usable[node])) {
                order = vec![node];
            }
        }
        for node in order {
            let is_too_small = missing.most() == 1 && i64::from(missing.usable[node]) < missing.cpus;
            if need.on.required.contains(node) || run.named.is_none() && is_too_small {
                continue;
            }
            if missing.most() > 0 && !missing.is_met() {
                missing.take(node);
            }
        }
        if missing.is_met() {
            return Some(missing.chosen);
        }
    }
    missing.would_do(0, 0, &vec![0; need.gres.per_job.len()]).then_some(missing.chosen)
}

/// With switches: the lightest nodes that suffice, leaf by leaf.
fn by_leaves(
    layout: &NodeLayout,
    load: &NodeUse,
    usable: &mut [u32],
    need: &Need,
    shift: &WeightShift,
) -> Option<Vec<usize>> {
    let tree = &layout.tree;
    let weights = plain_weights((layout, load), usable, need, shift);
    let weight = |node: usize| weights[node];
    // Generic resources are counted when nodes are taken.
    let any = vec![u64::MAX / 4; need.gres.per_job.len()];
    let all: Vec<usize> = (0..usable.len()).filter(|&node| usable[node] > 0).collect();
    let mut missing = PlainMissing::of(layout, load, need, usable);
    need.on.required.iter().for_each(|node| missing.take(node));
    let on = |switch: usize| all.iter().copied().filter(move |&node| tree.0[switch].nodes.contains(node));
    let level = |switch: usize| tree.0[switch].level;
    let mut top: Option<usize> = None;
    for switch in 0..tree.0.len() {
        let lightest = |switch: usize| on(switch).map(weight).min();
        let is_better = match need.on.required.is_empty() {
            true => {
                missing.would_do(on(switch).count(), i64::MAX, &any)
                    && on(switch).count() > 0
                    && top.is_none_or(|top| level(switch) >= level(top) && lightest(switch) <= lightest(top))
            }
            false => {
                on(switch).any(|node| need.on.required.contains(node))
                    && top.is_none_or(|top| level(switch) > level(top))
            }
        };
        if is_better {
            top = Some(switch);
        }
    }
    let reached: Vec<usize> = on(top?).collect();
    if !need.on.required.is_empty() {
        if !need.on.required.iter().all(|node| reached.contains(&node)) {
            return None;
        }
        if missing.is_met() || missing.most() <= 0 {
            return missing.is_met().then_some(missing.chosen);
        }
    }
    let mut weights: Vec<u64> =
        reached.iter().filter(|node| !missing.chosen.contains(node)).map(|&node| weight(node)).collect();
    weights.sort_unstable();
    weights.dedup();
    let others = |most: u64, chosen: &[usize]| -> Vec<usize> {
        reached.iter().copied().filter(|node| weight(*node) <= most && !chosen.contains(node)).collect()
    };
    let heaviest = weights.iter().position(|&most| {
        let light = others(most, &missing.chosen);
        missing.would_do(light.len(), light.iter().map(|&node| i64::from(missing.usable[node])).sum(), &any)
    })?;
    let mut good = others(weights[heaviest], &missing.chosen);
    if heaviest > 0 {
        for node in others(weights[heaviest - 1], &missing.chosen) {
            if missing.most() > 0 && !missing.is_met() {
                missing.take(node);
            }
        }
        if missing.is_met() || missing.most() <= 0 {
            return missing.is_met().then_some(missing.chosen);
        }
    }
    good.extend(need.on.required.iter());
    good.sort_unstable();
    let of = |switch: usize| good.iter().copied().filter(move |&node| tree.0[switch].nodes.contains(node));
    let used: Vec<bool> =
        (0..tree.0.len()).map(|switch| of(switch).any(|node| missing.chosen.contains(&node))).collect();
    for switch in (0..tree.0.len()).filter(|&switch| used[switch] && level(switch) == 0) {
        for node in of(switch) {
            if !missing.chosen.contains(&node) && missing.most() > 0 && !missing.is_met() {
                missing.take(node);
            }
        }
    }
    if missing.is_met() {
        return Some(missing.chosen);
    }
    let mut sources: Vec<usize> = (0..tree.0.len()).filter(|&switch| used[switch]).collect();
    let mut counts: Vec<usize> = (0..tree.0.len()).map(|switch| of(switch).count()).collect();
    loop {
        let far = |to: usize| -> Option<usize> { sources.iter().map(|&from| tree.distance(from, to)).sum() };
        let mut best: Option<usize> = None;
        for switch in (0..tree.0.len()).filter(|&switch| level(switch) == 0 && !used[switch]) {
            let Some(distance) = far(switch).filter(|_| counts[switch] > 0) else { continue };
            let is_better = best.is_none_or(|best| {
                let fit = better_leaf(layout, (switch, best), missing.nodes(), &counts);
                let there = far(best).unwrap_or(usize::MAX);
                distance < there && fit != Ordering::Less || distance == there && fit == Ordering::Greater
            });
            if is_better {
                best = Some(switch);
            }
        }
        let before = missing.chosen.len();
        if let Some(best) = best {
            sources.push(best);
            counts[best] = 0;
            for node in of(best) {
                if !missing.chosen.contains(&node) && missing.most() > 0 && !missing.is_met() {
                    missing.take(node);
                }
            }
        }
        if missing.is_met() {
            return Some(missing.chosen);
        }
        if missing.chosen.len() == before {
            return missing.would_do(0, 0, &vec![0; need.gres.per_job.len()]).then_some(missing.chosen);
        }
    }
}

/// How well one leaf fits beside another: it has all that is missing with the fewest nodes, or the switch above it has, or the
/// one above that; else the more nodes the better.
fn better_leaf(layout: &NodeLayout, leaves: (usize, usize), missing: i64, counts: &[usize]) -> Ordering {
    let (tree, (one, other)) = (&layout.tree, leaves);
    let fits = |switch: usize| counts[switch] as i64 >= missing;
    if fits(one) && fits(other) && counts[one] != counts[other] {
        return counts[other].cmp(&counts[one]);
    }
    if fits(one) != fits(other) {
        return fits(one).cmp(&fits(other));
    }
    let above = (tree.above(one), tree.above(other));
    if !fits(one) && above != leaves && above.0 != above.1 {
        return better_leaf(layout, above, missing, counts);
    }
    counts[one].cmp(&counts[other]).then(tree.0[other].level.cmp(&tree.0[one].level))
}
