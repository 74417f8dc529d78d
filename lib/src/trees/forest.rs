//! Fitted trees in flat arrays.

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

/// Trees whose values are added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest {
    roots: Vec<i32>,
    branches: Vec<Branch>,
    values: Vec<f64>,
}

impl Forest {
    /// Adds a tree.
    pub fn push(&mut self, tree: &Tree) {
        let (branches, leaves) = (self.branches.len() as i32, self.values.len() as i32);
        self.roots.push(if tree.branches.is_empty() { !leaves } else { branches });
        let place = |child: i32| if child >= 0 { child + branches } else { child - leaves };
        self.branches.extend(
            tree.branches.iter().map(|branch| Branch { children: branch.children.map(place), ..*branch }),
        );
        self.values.extend_from_slice(&tree.values);
    }

    /// The sum of the trees' values for a row. A feature that the row does not have is missing.
    pub fn sum(&self, row: &[f32]) -> f64 {
        let mut sum = 0.0;
        for root in &self.roots {
            let mut at = *root;
            while at >= 0 {
                let branch = &self.branches[at as usize];
                let value = row.get(branch.feature as usize).copied().unwrap_or(f32::NAN);
                let left = value <= branch.bound || (value.is_nan() && branch.missing_left);
                at = branch.children[usize::from(!left)];
            }
            sum += self.values[!at as usize];
        }
        sum
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
