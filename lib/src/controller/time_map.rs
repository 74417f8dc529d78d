//! Which nodes are planned for when: what a backfilling cycle keeps of the jobs it has planned.

use super::node_set::NodeSet;

/// An interval of time, in seconds, and the nodes that no plan has in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedInterval {
    pub begin: i64,
    pub end: i64,
    pub free: NodeSet,
}

/// Intervals one after the other.
#[derive(Debug, Clone)]
pub struct TimeMap {
    pub intervals: Vec<PlannedInterval>,
}

impl TimeMap {
    /// All nodes are free over the whole window, on the grid.
    pub fn new(now: i64, window: i64, grid: i64, nodes: NodeSet) -> TimeMap {
        let end = (now + window).div_euclid(grid) * grid;
        let intervals = vec![PlannedInterval { begin: now.div_euclid(grid) * grid, end, free: nodes }];
        TimeMap { intervals }
    }

    /// Takes nodes away from one instant of the grid to another. Of neighbouring intervals with equal sets one pair is merged.
    pub fn plan(&mut self, start: i64, end: i64, nodes: &NodeSet, grid: i64) {
        let space = &mut self.intervals;
        let start = start.max(space[0].begin);
        let end = end.max(start + grid);
        let (mut place, mut before, mut placed) = (0, 0, false);
        while place < space.len() {
            let there = space[place].end;
            if there > start {
                let mut rest = space[place].clone();
                (space[place].end, rest.begin) = (start, start);
                space.insert(place + 1, rest);
                placed = true;
                break;
            }
            if there == start {
                placed = true;
                break;
            }
            before = place;
            place += 1;
        }
        let mut after = None;
        if placed {
            place += 1;
            while place < space.len() {
                let there = space[place].end;
                if end < there {
                    let mut rest = space[place].clone();
                    (space[place].end, rest.begin) = (end, end);
                    space.insert(place + 1, rest);
                }
                space[place].free.take_away(nodes);
                if end == space[place].end {
                    after = (place + 1 < space.len()).then_some(place + 1);
                    break;
                }
                place += 1;
            }
        }
        let mut place = before;
        while Some(place) != after && place + 1 < space.len() {
            if space[place].free == space[place + 1].free {
                space[place].end = space[place + 1].end;
                space.remove(place + 1);
                break;
            }
            place += 1;
        }
    }

    /// Whether these nodes are free from one instant to another.
    pub fn are_free(&self, start: i64, end: i64, nodes: &NodeSet) -> bool {
        let within = self.intervals.iter().filter(|interval| interval.end > start && interval.begin < end);
        within.into_iter().all(|interval| nodes.is_subset(&interval.free))
    }
}

/// The nodes that are free in all of a stretch of intervals. Both of its ends only move forwards, so that each interval is looked
/// at a few times at most however often the stretch is moved.
pub struct FreeStretch<'m> {
    map: &'m TimeMap,
    /// Those of the intervals from each one up to `split`, of `first` and behind.
    behind: Vec<NodeSet>,
    first: usize,
    split: usize,
    /// Those of the intervals from `split` up to `end`.
    ahead: NodeSet,
    end: usize,
}

impl<'m> FreeStretch<'m> {
    /// Of no interval yet.
    pub fn new(map: &'m TimeMap, nodes: &NodeSet) -> FreeStretch<'m> {
        FreeStretch { map, behind: Vec::new(), first: 0, split: 0, ahead: nodes.clone(), end: 0 }
    }

    /// Keeps of these nodes those that are free in the intervals from one place up to another.
    pub fn keep(&mut self, from: usize, to: usize, nodes: &mut NodeSet) {
        while self.end < to {
            self.ahead.keep(&self.map.intervals[self.end].free);
            self.end += 1;
        }
        if from >= to {
            return;
        }
        if from >= self.split {
            // All that is behind has been passed: what was ahead is behind now.
            let mut free = self.map.intervals[self.end - 1].free.clone();
            self.behind.clear();
            self.behind.push(free.clone());
            for place in (from..self.end - 1).rev() {
                free.keep(&self.map.intervals[place].free);
                self.behind.push(free.clone());
            }
            self.behind.reverse();
            (self.first, self.split) = (from, self.end);
            self.ahead.fill();
        }
        nodes.keep(&self.behind[from - self.first]);
        nodes.keep(&self.ahead);
    }
}
