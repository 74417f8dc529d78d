//! Growing one tree: always the leaf that gains most is split next.

use std::ops::Range;

use super::bins::{Binned, LANES};
use super::derivatives::Derivatives;
use super::forest::{Branch, Tree};
use super::split::{BlockSums, Split, SplitRules, sum_by_bin};

/// A leaf while its tree grows.
#[derive(Debug)]
struct Leaf {
    /// Its rows, in the grower's order.
    rows: Range<usize>,
    /// Its rows that are not added up, in the grower's order of these.
    others: Range<usize>,
    total: Derivatives,
    /// By bin of each feature; empty if the leaf cannot be split.
    sums: Vec<Derivatives>,
    best: Option<Split>,
    /// The branch it hangs on, and on which side.
    above: Option<(usize, usize)>,
}

impl Leaf {
    /// Whether it has rows for two leaves.
    fn splittable(&self, rules: &SplitRules) -> bool {
        self.total.rows() >= 2 * rules.least_rows.max(1)
    }
}

/// Grows trees on one table, one after the other, in memory that is used again.
#[derive(Debug, Default)]
pub struct Grower {
    /// Rows, those of one leaf together, each leaf's ascending.
    order: Vec<u32>,
    /// Rows that are not added up, likewise.
    others: Vec<u32>,
    moved: Vec<u32>,
    gathered: Vec<Derivatives>,
    block_sums: BlockSums,
    spare: Vec<Vec<Derivatives>>,
    leaves: Vec<Leaf>,
}

impl Grower {
    /// The tree for these derivatives, one per row, with the best value in each leaf. Rows of no derivatives, whose number of rows is
    /// 0 too, are not added up, but have a leaf. Adds the gain of each split to its feature's.
    pub fn grow(
        &mut self,
        binned: &Binned,
        derivatives: &[Derivatives],
        rules: &SplitRules,
        most_leaves: usize,
        gains: &mut [f64],
    ) -> Tree {
        let mut tree = Tree::default();
        self.spare.extend(self.leaves.drain(..).map(|leaf| leaf.sums).filter(|sums| !sums.is_empty()));
        let mut total = Derivatives::default();
        derivatives.iter().for_each(|one| total.add(*one));
        self.order.resize(binned.rows, 0);
        self.others.resize(binned.rows, 0);
        let (mut counted, mut others) = (0, 0);
        for (row, one) in (0..binned.rows as u32).zip(derivatives) {
            // Both are written, one counts: no branch that is hard to foresee.
            (self.order[counted], self.others[others]) = (row, row);
            counted += usize::from(one.rows() > 0);
            others += usize::from(one.rows() == 0);
        }
        let (rows, others) = (0..counted, 0..others);
        let mut root = Leaf { rows, others, total, sums: Vec::new(), best: None, above: None };
        if most_leaves > 1 && root.splittable(rules) {
            root.sums = self.sums(binned, 0..counted, derivatives);
            root.best = rules.best(binned, &root.sums, total);
        }
        self.leaves.push(root);
        while self.leaves.len() < most_leaves {
            let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |split| split.gain);
            let mut chosen = 0;
            for (place, leaf) in self.leaves.iter().enumerate() {
                if gain(leaf) > gain(&self.leaves[chosen]) {
                    chosen = place;
                }
            }
            let Some(split) = self.leaves[chosen].best else { break };
            gains[binned.features[split.place].feature] += split.gain;
            self.split(binned, chosen, split, &mut tree);
            if self.leaves.len() < most_leaves {
                self.look(binned, derivatives, rules, chosen);
            }
        }
        tree.values.extend(self.leaves.iter().map(|leaf| rules.value(leaf.total)));
        tree
    }

    /// The rows of each leaf of the last tree, in two parts.
    pub fn leaves(&self) -> impl Iterator<Item = [&[u32]; 2]> {
        self.leaves.iter().map(|leaf| [&self.order[leaf.rows.clone()], &self.others[leaf.others.clone()]])
    }

    /// Divides a leaf: the left side keeps its place, the right side is the last leaf.
    fn split(&mut self, binned: &Binned, chosen: usize, split: Split, tree: &mut Tree) {
        let number = self.leaves.len();
        let place = tree.branches.len();
        let feature = &binned.features[split.place];
        tree.branches.push(Branch {
            bound: feature.bound(split.bin),
            feature: feature.feature as u32,
            children: [!(chosen as i32), !(number as i32)],
            missing_left: split.missing_left,
        });
        let leaf = &mut self.leaves[chosen];
        if let Some((above, side)) = leaf.above {
            tree.branches[above].children[side] = place as i32;
        }
        let (rows, others) = (leaf.rows.clone(), leaf.others.clone());
        // Which bins go left, by bin.
        let mut goes_left = [false; 256];
        goes_left[..=split.bin].fill(true);
        if feature.missing {
            goes_left[feature.values()] = split.missing_left;
        }
        let (block, lane) = (&binned.blocks[split.place / LANES], split.place % LANES);
        let goes = |row: u32| goes_left[usize::from(block[row as usize][lane])];
        let middle = rows.start + divide(&mut self.order[rows.clone()], &mut self.moved, goes);
        let other = others.start + divide(&mut self.others[others.clone()], &mut self.moved, goes);
        let right = leaf.total.minus(split.left);
        leaf.rows = rows.start..middle;
        leaf.others = others.start..other;
        leaf.total = split.left;
        leaf.above = Some((place, 0));
        leaf.best = None;
        self.leaves.push(Leaf {
            rows: middle..rows.end,
            others: other..others.end,
            total: right,
            sums: Vec::new(),
            best: None,
            above: Some((place, 1)),
        });
    }

    /// Looks for the best splits of a leaf that was just divided and of the new one.
    fn look(&mut self, binned: &Binned, derivatives: &[Derivatives], rules: &SplitRules, chosen: usize) {
        let number = self.leaves.len() - 1;
        let mut whole = std::mem::take(&mut self.leaves[chosen].sums);
        if ![chosen, number].iter().any(|place| self.leaves[*place].splittable(rules)) {
            self.spare.push(whole);
            return;
        }
        // The smaller side is added up, the other is the rest.
        let (small, large) = match self.leaves[chosen].rows.len() <= self.leaves[number].rows.len() {
            true => (chosen, number),
            false => (number, chosen),
        };
        let small_sums = self.sums(binned, self.leaves[small].rows.clone(), derivatives);
        for (sum, other) in whole.iter_mut().zip(&small_sums) {
            *sum = sum.minus(*other);
        }
        self.leaves[small].sums = small_sums;
        self.leaves[large].sums = whole;
        for place in [chosen, number] {
            let leaf = &mut self.leaves[place];
            if leaf.splittable(rules) {
                leaf.best = rules.best(binned, &leaf.sums, leaf.total);
            }
        }
    }

    fn sums(&mut self, binned: &Binned, rows: Range<usize>, derivatives: &[Derivatives]) -> Vec<Derivatives> {
        let rows = &self.order[rows];
        self.gathered.clear();
        self.gathered.extend(rows.iter().map(|row| derivatives[*row as usize]));
        let mut sums = self.spare.pop().unwrap_or_default();
        sums.resize(binned.width(), Derivatives::default());
        sum_by_bin(binned, rows, &self.gathered, &mut self.block_sums, &mut sums);
        sums
    }
}

/// Moves the rows that go left before the others, both in the order they had, and returns how many go left.
fn divide(rows: &mut [u32], moved: &mut Vec<u32>, goes: impl Fn(u32) -> bool) -> usize {
    moved.resize(moved.len().max(rows.len()), 0);
    let (mut left, mut right) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let goes = goes(row);
        // Both are written, one counts: no branch that is hard to foresee.
        rows[left] = row;
        moved[right] = row;
        left += usize::from(goes);
        right += usize::from(!goes);
    }
    rows[left..].copy_from_slice(&moved[..right]);
    left
}
