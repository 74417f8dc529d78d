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
pub struct TimeMap(pub Vec<PlannedInterval>);

impl TimeMap {
    /// All nodes are free over the whole window, on the grid.
    pub fn new(now: i64, window: i64, grid: i64, nodes: NodeSet) -> TimeMap {
        let end = (now + window).div_euclid(grid) * grid;
        TimeMap(vec![PlannedInterval { begin: now.div_euclid(grid) * grid, end, free: nodes }])
    }

    /// Takes nodes away from one instant of the grid to another. Of neighbouring intervals with equal sets one pair is merged.
    pub fn plan(&mut self, start: i64, end: i64, nodes: &NodeSet, grid: i64) {
        let space = &mut self.0;
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
        let within = self.0.iter().filter(|interval| interval.end > start && interval.begin < end);
        within.into_iter().all(|interval| nodes.is_subset(&interval.free))
    }
}
