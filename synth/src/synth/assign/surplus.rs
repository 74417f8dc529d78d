//! Numbers with range subtraction and range minimum in logarithmic time (a segment tree).

/// The numbers as a segment tree.
pub struct Surplus {
    /// How many numbers.
    len: usize,
    /// Number of leaves: a power of two.
    width: usize,
    /// The minimum of each node's range, before subtractions at its ancestors.
    least: Vec<i64>,
    /// What was subtracted from each node's range.
    lowered: Vec<i64>,
}

impl Surplus {
    /// These numbers.
    pub fn new(numbers: &[i64]) -> Surplus {
        let width = numbers.len().next_power_of_two();
        let mut least = vec![i64::MAX; 2 * width];
        least[width..width + numbers.len()].copy_from_slice(numbers);
        for node in (1..width).rev() {
            least[node] = least[2 * node].min(least[2 * node + 1]);
        }
        Surplus { len: numbers.len(), width, least, lowered: vec![0; 2 * width] }
    }

    /// The minimum of the numbers in `from..to`; `i64::MAX` if there are none.
    pub fn least(&self, from: usize, to: usize) -> i64 {
        self.least_below(1, 0, self.width, from, to)
    }

    fn least_below(&self, node: usize, low: usize, high: usize, from: usize, to: usize) -> i64 {
        if from >= high || to <= low {
            return i64::MAX;
        }
        if from <= low && high <= to {
            return self.least[node];
        }
        let middle = low.midpoint(high);
        let left = self.least_below(2 * node, low, middle, from, to);
        let right = self.least_below(2 * node + 1, middle, high, from, to);
        match left.min(right) {
            i64::MAX => i64::MAX,
            least => least - self.lowered[node],
        }
    }

    /// Subtracts from the numbers in `from..to`.
    pub fn lower(&mut self, from: usize, to: usize, by: i64) {
        self.lower_below(1, 0, self.width, from, to, by);
    }

    fn lower_below(&mut self, node: usize, low: usize, high: usize, from: usize, to: usize, by: i64) {
        if from >= high || to <= low {
            return;
        }
        if from <= low && high <= to {
            self.least[node] = self.least[node].saturating_sub(by);
            self.lowered[node] += by;
            return;
        }
        let middle = low.midpoint(high);
        self.lower_below(2 * node, low, middle, from, to, by);
        self.lower_below(2 * node + 1, middle, high, from, to, by);
        let least = self.least[2 * node].min(self.least[2 * node + 1]);
        self.least[node] = least.saturating_sub(self.lowered[node]);
    }

    /// The index of the first number from `from` on that is below one; the number of numbers if none is.
    pub fn first_below_one(&self, from: usize) -> usize {
        self.first_below(1, 0, self.width, from, 1).unwrap_or(self.len)
    }

    fn first_below(&self, node: usize, low: usize, high: usize, from: usize, than: i64) -> Option<usize> {
        if high <= from || self.least[node] >= than {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let middle = low.midpoint(high);
        let than = than + self.lowered[node];
        self.first_below(2 * node, low, middle, from, than)
            .or_else(|| self.first_below(2 * node + 1, middle, high, from, than))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_a_plain_list(
            mut numbers in prop::collection::vec(0i64..9, 1..40),
            steps in prop::collection::vec((0usize..40, 0usize..41, 0i64..3), 0..60),
        ) {
            let mut tree = Surplus::new(&numbers);
            for (from, to, by) in steps {
                let (from, to) = (from.min(numbers.len()), to.min(numbers.len()));
                let stretch = numbers.get(from..to).unwrap_or_default();
                prop_assert_eq!(tree.least(from, to), stretch.iter().copied().min().unwrap_or(i64::MAX));
                let first = (from..numbers.len()).find(|&at| numbers[at] < 1).unwrap_or(numbers.len());
                prop_assert_eq!(tree.first_below_one(from), first);
                tree.lower(from, to, by);
                numbers.iter_mut().take(to).skip(from).for_each(|number| *number -= by);
            }
        }
    }
}
