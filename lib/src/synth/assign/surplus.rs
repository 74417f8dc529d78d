//! A row of numbers in which a whole stretch can be lowered, and asked for its least, in logarithmic time.

/// The numbers, as a tree of stretches.
pub struct Surplus {
    /// How many numbers.
    len: usize,
    /// Places at the bottom: a power of two.
    width: usize,
    /// The least of each stretch, without what its ancestors were lowered by.
    least: Vec<i64>,
    /// What each stretch as a whole was lowered by.
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

    /// The least of the numbers from `from` up to `to`, this one not included; the greatest number if there are none.
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

    /// Lowers the numbers from `from` up to `to`, this one not included.
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

    /// The first number from `from` on that is below one; how many there are if none is.
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
        fn as_a_plain_row_of_numbers_has_it(
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
