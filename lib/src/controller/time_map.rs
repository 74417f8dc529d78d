//! Which nodes are planned for when: what a backfilling cycle keeps of the jobs it has planned.

use super::node_set::NodeSet;
use super::taken_tree::TakenTree;

/// An interval of time, in seconds, and the nodes that no plan has in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedInterval {
    pub begin: i64,
    pub end: i64,
    pub free: NodeSet,
    /// Whether a node may be free in the next interval that is not free in this one.
    gains: bool,
}

/// Intervals one after the other.
#[derive(Debug, Clone)]
pub struct TimeMap {
    pub intervals: Vec<PlannedInterval>,
    taken: TakenTree,
}

impl TimeMap {
    /// All nodes are free over the whole window, on the grid. Uses the memory of an earlier one.
    pub fn new(now: i64, window: i64, grid: i64, nodes: NodeSet, mut taken: TakenTree) -> TimeMap {
        let (begin, end) = (now.div_euclid(grid) * grid, (now + window).div_euclid(grid) * grid);
        taken.begin(begin, end, nodes.capacity());
        TimeMap { intervals: vec![PlannedInterval { begin, end, free: nodes, gains: false }], taken }
    }

    /// Gives its memory back.
    pub fn into_memory(self) -> TakenTree {
        self.taken
    }

    /// When the window ends.
    pub fn end(&self) -> i64 {
        self.intervals[self.intervals.len() - 1].end
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
                split(space, place, start);
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
            if start < space.last().map_or(start, |last| last.end) {
                self.taken.take(start, end, nodes);
            }
            let words = nodes.words();
            place += 1;
            while place < space.len() {
                let there = space[place].end;
                if end < there {
                    split(space, place, end);
                }
                space[place].free.take_words(nodes, words.clone());
                if end == space[place].end {
                    space[place].gains = true;
                    after = (place + 1 < space.len()).then_some(place + 1);
                    break;
                }
                place += 1;
            }
        }
        let mut place = before;
        while Some(place) != after && place + 1 < space.len() {
            if space[place].free == space[place + 1].free {
                (space[place].end, space[place].gains) = (space[place + 1].end, space[place + 1].gains);
                space.remove(place + 1);
                break;
            }
            place += 1;
        }
    }

    /// Whether one of these nodes is free in the interval behind this place and not in the one at it.
    pub fn gains(&self, place: usize, nodes: &NodeSet) -> bool {
        let (interval, next) = (&self.intervals[place], &self.intervals[place + 1]);
        interval.gains && nodes.gains(&interval.free, &next.free)
    }

    /// Keeps of these nodes those that are free in the intervals from one place up to another.
    pub fn keep_free(&self, first: usize, end: usize, nodes: &mut NodeSet) {
        let Some(within) = self.intervals.get(first..end).filter(|within| !within.is_empty()) else { return };
        let (from, to) = self.taken.within(within[0].begin, within[within.len() - 1].end);
        if from >= to {
            within.iter().for_each(|interval| nodes.keep(&interval.free));
            return;
        }
        let early = within.iter().take_while(|interval| interval.begin < from);
        let late = within.iter().rev().take_while(|interval| interval.end > to);
        early.chain(late).for_each(|interval| nodes.keep(&interval.free));
        self.taken.keep_free(from, to, nodes);
    }

    /// Whether these nodes are free from one instant to another.
    pub fn are_free(&self, start: i64, end: i64, nodes: &NodeSet) -> bool {
        let words = nodes.words();
        let first = self.intervals.partition_point(|interval| interval.end <= start);
        let within = self.intervals[first..].iter().take_while(|interval| interval.begin < end);
        within.into_iter().all(|interval| nodes.are_within(&interval.free, words.clone()))
    }
}

/// Cuts an interval in two.
fn split(space: &mut Vec<PlannedInterval>, place: usize, at: i64) {
    let mut rest = space[place].clone();
    (space[place].end, space[place].gains, rest.begin) = (at, false, at);
    space.insert(place + 1, rest);
}
