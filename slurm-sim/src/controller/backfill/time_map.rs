//! Which nodes are planned for when: what a backfill cycle keeps of the jobs it has planned.

use super::taken_tree::TakenTree;
use crate::controller::placement::NodeSet;

const UNKNOWN: u32 = u32::MAX;

/// Consecutive intervals of time, and the nodes that no plan holds in each.
#[derive(Debug, Clone, Default)]
pub struct TimeMap {
    /// When each interval begins, in seconds; when the last ends.
    bounds: Vec<i64>,
    free: Vec<NodeSet>,
    /// How the next interval may differ from each.
    changes: Vec<NodeChanges>,
    /// Of each interval an upper bound of the nodes that are free in it and idle by its end; `UNKNOWN` before it is asked for.
    most_idle: Vec<u32>,
    taken: TakenTree,
    /// Sets to use again.
    spare: Vec<NodeSet>,
}

/// An interval of time, in seconds, and the nodes that no plan holds in it.
#[cfg(test)]
pub struct PlannedInterval<'m> {
    pub begin: i64,
    pub end: i64,
    pub free: &'m NodeSet,
}

/// Nodes that come free with the end of an interval, and that do not stay free, as far as is known: of each kind one that did when it
/// was planned; `None` if there is none.
#[derive(Debug, Clone, Copy, Default)]
struct NodeChanges {
    gained: Option<usize>,
    lost: Option<usize>,
}

/// Whether one of these numbers is such; several are looked at before the answer is.
fn any_of(numbers: &[u32], is_such: impl Fn(&u32) -> bool) -> bool {
    numbers.chunks(32).any(|chunk| chunk.iter().fold(false, |found, number| found | is_such(number)))
}

impl TimeMap {
    /// A map of the window in which all these nodes are free. Reuses the memory of this map.
    pub fn renewed(mut self, now: i64, window: i64, grid: i64, nodes: &NodeSet) -> TimeMap {
        let (begin, end) = (now.div_euclid(grid) * grid, (now + window).div_euclid(grid) * grid);
        self.taken.begin(begin, end, nodes.capacity());
        self.spare.retain(|set| set.capacity() == nodes.capacity());
        let same = self.free.drain(..).filter(|set| set.capacity() == nodes.capacity());
        self.spare.extend(same);
        self.bounds.clear();
        self.bounds.extend([begin, end]);
        self.changes.clear();
        self.changes.push(NodeChanges::default());
        self.most_idle.clear();
        self.most_idle.push(UNKNOWN);
        let free = self.copy_of(nodes);
        self.free.push(free);
        self
    }

    fn copy_of(&mut self, nodes: &NodeSet) -> NodeSet {
        match self.spare.pop() {
            Some(mut set) => {
                set.copy_from(nodes);
                set
            }
            None => nodes.clone(),
        }
    }

    /// All intervals.
    #[cfg(test)]
    pub fn intervals(&self) -> Vec<PlannedInterval<'_>> {
        let bounds = self.bounds.iter().zip(&self.bounds[1..]);
        bounds.zip(&self.free).map(|((&begin, &end), free)| PlannedInterval { begin, end, free }).collect()
    }

    /// How many intervals.
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// When an interval ends.
    pub fn end_of(&self, interval: usize) -> i64 {
        self.bounds[interval + 1]
    }

    /// When the window ends.
    pub fn end(&self) -> i64 {
        self.bounds[self.len()]
    }

    /// The nodes that are free in an interval.
    pub fn free(&self, interval: usize) -> &NodeSet {
        &self.free[interval]
    }

    /// How many intervals begin before an instant.
    pub fn begun_before(&self, at: i64) -> usize {
        self.bounds[..self.len()].partition_point(|&begin| begin < at)
    }

    /// How many intervals end before an instant.
    pub fn ended_before(&self, at: i64) -> usize {
        self.bounds[1..].partition_point(|&end| end < at)
    }

    /// Cuts an interval in two.
    fn split(&mut self, interval: usize, at: i64) {
        let mut set = self.spare.pop().unwrap_or_else(|| self.free[interval].clone());
        set.copy_from(&self.free[interval]);
        self.bounds.insert(interval + 1, at);
        self.free.insert(interval + 1, set);
        self.changes.insert(interval, NodeChanges::default());
        // By the end of the first part not more nodes are idle.
        self.most_idle.insert(interval, self.most_idle[interval]);
    }

    /// Takes nodes away from one instant of the grid to another. Of neighbouring intervals with equal sets one pair is merged.
    /// `are_idle` tells that all of them are free until then, and idle from the first instant on as far as running jobs go.
    pub fn plan(&mut self, start: i64, end: i64, nodes: &NodeSet, grid: i64, are_idle: bool) {
        let start = start.max(self.bounds[0]);
        // Whether they are free beyond the end is not known.
        let taken_idle = (are_idle && end >= start + grid).then(|| nodes.len() as u32);
        let end = end.max(start + grid);
        let (words, one) = (nodes.words(), nodes.iter().next());
        let reached = self.ended_before(start);
        let mut after = None;
        if start < self.end() {
            self.taken.take(start, end, nodes);
            if self.end_of(reached) > start {
                self.split(reached, start);
            }
            self.changes[reached].lost = one;
            let mut interval = reached + 1;
            while interval < self.len() {
                if self.end_of(interval) > end {
                    self.split(interval, end);
                }
                let most = &mut self.most_idle[interval];
                *most = match taken_idle.filter(|_| *most != UNKNOWN) {
                    Some(taken) => most.saturating_sub(taken),
                    None => UNKNOWN,
                };
                debug_assert!(taken_idle.is_none() || nodes.is_subset(&self.free[interval]));
                self.free[interval].take_words(nodes, words.clone());
                if self.end_of(interval) == end {
                    self.changes[interval].gained = one;
                    after = (interval + 1 < self.len()).then_some(interval + 1);
                    break;
                }
                interval += 1;
            }
        }
        let mut within = reached.saturating_sub(1)..after.unwrap_or(self.len()).min(self.len() - 1);
        if let Some(interval) = within.find(|&interval| !self.differs(interval)) {
            self.spare.push(self.free.remove(interval + 1));
            self.bounds.remove(interval + 1);
            self.changes.remove(interval);
            self.most_idle.remove(interval);
        }
    }

    /// Running jobs have changed other than by a start: more nodes may be idle.
    pub fn forget_idle(&mut self) {
        self.most_idle.fill(UNKNOWN);
    }

    /// Whether one of these intervals has fewer than `least` nodes that are free in it and idle by its end;
    /// `idle_by` has the nodes that are idle by an instant, or more. False if that is not certain.
    pub fn lacks_idle<'n>(
        &mut self,
        intervals: std::ops::Range<usize>,
        least: usize,
        idle_by: impl Fn(i64) -> &'n NodeSet,
    ) -> bool {
        let lacks = |most: &u32| (*most as usize) < least;
        if any_of(&self.most_idle[intervals.clone()], lacks) {
            return true;
        }
        if !any_of(&self.most_idle[intervals.clone()], |&most| most == UNKNOWN) {
            return false;
        }
        for interval in intervals {
            if self.most_idle[interval] == UNKNOWN {
                self.most_idle[interval] =
                    self.free[interval].shared(idle_by(self.bounds[interval + 1])) as u32;
                if lacks(&self.most_idle[interval]) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the next interval has other free nodes than this one.
    fn differs(&self, interval: usize) -> bool {
        let (own, next) = (&self.free[interval], &self.free[interval + 1]);
        let is_changed =
            |node: Option<usize>| node.is_some_and(|node| own.contains(node) != next.contains(node));
        let NodeChanges { gained, lost } = self.changes[interval];
        is_changed(gained) || is_changed(lost) || own != next
    }

    /// Whether one of these nodes is free in the next interval and not in this one.
    pub fn gains(&self, interval: usize, nodes: &NodeSet) -> bool {
        let (own, next) = (&self.free[interval], &self.free[interval + 1]);
        let is_gained = |node: usize| nodes.contains(node) && next.contains(node) && !own.contains(node);
        self.changes[interval].gained.is_some_and(|node| is_gained(node) || nodes.gains(own, next))
    }

    /// Keeps of these nodes those that are free in the intervals from one up to another.
    pub fn keep_free(&self, first: usize, end: usize, nodes: &mut NodeSet) {
        if first >= end {
            return;
        }
        let (from, to) = self.taken.within(self.bounds[first], self.bounds[end]);
        if from >= to {
            self.free[first..end].iter().for_each(|free| nodes.keep(free));
            return;
        }
        let early = self.begun_before(from).max(first);
        let late = self.ended_before(to + 1).max(early);
        self.free[first..early].iter().chain(&self.free[late..end]).for_each(|free| nodes.keep(free));
        self.taken.keep_free(from, to, nodes);
    }

    /// Whether these nodes are free from one instant to another.
    pub fn are_free(&self, start: i64, end: i64, nodes: &NodeSet) -> bool {
        let words = nodes.words();
        let (first, end) = (self.ended_before(start + 1), self.begun_before(end));
        (first..end).all(|interval| nodes.are_within(&self.free[interval], words.clone()))
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use queuecast_core::seed::Seed;

    /// Whatever is planned, an interval that is said to lack idle nodes has fewer. Nodes come idle one after the other.
    #[test]
    fn intervals_that_lack_idle_nodes_have_fewer() {
        let mut random = Seed(1).stream("idle nodes");
        let (grid, nodes, mut lacking) = (10, 100, 0);
        for case in 0..50 {
            let idle: Vec<NodeSet> = (0..=nodes).map(|count| NodeSet::of(nodes, 0..count)).collect();
            let idle_by = |at: i64| &idle[at.clamp(0, nodes as i64) as usize];
            let mut map = TimeMap::default().renewed(0, 200, grid, &NodeSet::all(nodes));
            for _ in 0..30 {
                let start = random.random_range(0..15) * grid;
                let end = start + random.random_range(1..8) * grid;
                let mut free = NodeSet::of(nodes, 0..start.clamp(0, nodes as i64) as usize);
                map.keep_free(map.ended_before(start + 1), map.begun_before(end), &mut free);
                let are_idle = random.random_range(0..4) > 0;
                let wanted = random.random_range(1..20);
                let taken =
                    if are_idle { free.iter().take(wanted).collect() } else { vec![wanted, wanted * 3] };
                map.plan(start, end, &NodeSet::of(nodes, taken), grid, are_idle);
                let first = random.random_range(0..map.len());
                let (last, least) = (random.random_range(first..map.len()), random.random_range(1..60));
                let fewer =
                    |interval: usize| map.free(interval).shared(idle_by(map.end_of(interval))) < least;
                let has_fewer = (first..=last).any(fewer);
                let lacks = map.lacks_idle(first..last + 1, least, idle_by);
                assert!(has_fewer || !lacks, "case {case}");
                lacking += usize::from(lacks);
            }
        }
        assert!(lacking > 100, "control: {lacking}");
    }
}
