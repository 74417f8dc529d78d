//! Fitted trees in flat arrays.

use serde::{Deserialize, Serialize};

/// An inner point of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Values up to this go left.
    pub bound: f32,
    pub feature: u32,
    /// Where to go on: left, right. A branch by its place; a leaf by its place, all bits turned.
    pub children: [i32; 2],
    /// Whether missing values go left.
    pub missing_left: bool,
}

/// One tree as it was grown: the first branch is the root; without branches there is one leaf.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub branches: Vec<Branch>,
    pub values: Vec<f64>,
}

/// A branch or a leaf of a forest. A leaf leads to itself, so that walking on from it changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct TreePoint {
    bound: f32,
    /// Twice the feature, and one more if missing values go left.
    feature: u32,
    /// Places of those on the left and right.
    next: [u32; 2],
}

/// Trees walked side by side: while one waits for memory, the others go on.
const ABREAST: usize = 8;

/// Trees whose values are added up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// The first point of each tree, and branches on the longest way to a leaf.
    roots: Vec<(u32, u32)>,
    points: Vec<TreePoint>,
    /// Of each point; those of leaves count.
    values: Vec<f64>,
}

impl Forest {
    /// Adds a tree.
    pub fn push(&mut self, tree: &Tree) {
        let start = self.points.len() as u32;
        let leaves = start + tree.branches.len() as u32;
        let place = |child: i32| if child >= 0 { start + child as u32 } else { leaves + !child as u32 };
        self.points.extend(tree.branches.iter().map(|branch| TreePoint {
            bound: branch.bound,
            feature: 2 * branch.feature + u32::from(branch.missing_left),
            next: branch.children.map(place),
        }));
        let leaf = |place| TreePoint { bound: 0.0, feature: 0, next: [place; 2] };
        self.points.extend((leaves..).take(tree.values.len()).map(leaf));
        self.values.resize(leaves as usize, 0.0);
        self.values.extend_from_slice(&tree.values);
        // Branches come before those that hang on them.
        let mut below = vec![0; tree.branches.len()];
        for (place, branch) in tree.branches.iter().enumerate().rev() {
            let longest =
                branch.children.iter().map(|child| below.get(*child as usize).copied().unwrap_or(0));
            below[place] = 1 + longest.max().unwrap_or(0);
        }
        self.roots.push((start, below.first().copied().unwrap_or(0)));
    }

    /// The sum of the trees' values for a row. A feature that the row does not have is missing.
    pub fn sum(&self, row: &[f32]) -> f64 {
        let mut sum = 0.0;
        let mut groups = self.roots.chunks_exact(ABREAST);
        for group in &mut groups {
            let mut at = [0; ABREAST];
            at.iter_mut().zip(group).for_each(|(at, (root, _))| *at = *root);
            let longest = group.iter().map(|(_, longest)| *longest).max().unwrap_or(0);
            for _ in 0..longest {
                at = at.map(|at| self.after(at, row));
            }
            at.iter().for_each(|at| sum += self.values[*at as usize]);
        }
        for (root, longest) in groups.remainder() {
            sum += self.values[(0..*longest).fold(*root, |at, _| self.after(at, row)) as usize];
        }
        sum
    }

    /// The point after this one.
    #[inline(always)]
    fn after(&self, at: u32, row: &[f32]) -> u32 {
        let point = &self.points[at as usize];
        let value = row.get((point.feature >> 1) as usize).copied().unwrap_or(f32::NAN);
        let left = (value <= point.bound) | (value.is_nan() & (point.feature & 1 == 1));
        point.next[usize::from(!left)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_trees_add_up() {
        let mut forest = Forest::default();
        let branch =
            |bound, feature, children, missing_left| Branch { bound, feature, children, missing_left };
        forest.push(&Tree { branches: vec![], values: vec![100.0] });
        forest.push(&Tree {
            branches: vec![branch(1.5, 0, [!0, 1], true), branch(2.0, 1, [!1, !2], false)],
            values: vec![1.0, 2.0, 3.0],
        });
        forest.push(&Tree { branches: vec![branch(0.0, 1, [!0, !1], false)], values: vec![10.0, 20.0] });
        assert_eq!(forest.sum(&[1.5, -1.0]), 111.0);
        assert_eq!(forest.sum(&[1.6, 2.0]), 122.0);
        assert_eq!(forest.sum(&[f32::INFINITY, 2.1]), 123.0);
        assert_eq!(forest.sum(&[f32::NAN, f32::NEG_INFINITY]), 111.0);
        assert_eq!(forest.sum(&[2.0, f32::NAN]), 123.0);
        assert_eq!(forest.sum(&[]), 121.0);
    }
}
