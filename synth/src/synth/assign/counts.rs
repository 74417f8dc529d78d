//! Counts with prefix sums and search in logarithmic time (Fenwick 1994).

/// A count for each kind.
pub struct Counts {
    left: Vec<u64>,
    /// Partial sums (a Fenwick tree), from index 1.
    sums: Vec<u64>,
}

impl Counts {
    /// These counts.
    pub fn new(left: Vec<u64>) -> Counts {
        let mut sums = vec![0; left.len() + 1];
        for (at, &left) in (1..).zip(&left) {
            sums[at] += left;
            let above: usize = at + (at & at.wrapping_neg());
            if let Some(&sum) = sums.get(at)
                && let Some(above) = sums.get_mut(above)
            {
                *above += sum;
            }
        }
        Counts { left, sums }
    }

    /// The number of kinds.
    pub fn kinds(&self) -> usize {
        self.left.len()
    }

    /// The count of a kind.
    pub fn of(&self, kind: usize) -> u64 {
        self.left[kind]
    }

    /// The sum of the counts of all kinds before this one.
    pub fn before(&self, kind: usize) -> u64 {
        let (mut at, mut sum) = (kind, 0);
        while at > 0 {
            sum += self.sums[at];
            at &= at - 1;
        }
        sum
    }

    /// Lowers a count, which must be large enough.
    pub fn take(&mut self, kind: usize, many: u64) {
        self.left[kind] -= many;
        let mut at = kind + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum -= many;
            at += at & at.wrapping_neg();
        }
    }

    /// The kind at this place of all counted items in order of kind.
    pub fn at(&self, place: u64) -> usize {
        let (mut kind, mut rest) = (0, place);
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            if let Some(&sum) = self.sums.get(kind + step)
                && sum <= rest
            {
                kind += step;
                rest -= sum;
            }
            step /= 2;
        }
        kind
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
            mut left in prop::collection::vec(0u64..6, 1..40),
            steps in prop::collection::vec((0usize..40, 0u64..4), 0..40),
        ) {
            let mut stock = Counts::new(left.clone());
            for (kind, many) in steps {
                let kind = kind % left.len();
                let many = many.min(left[kind]);
                stock.take(kind, many);
                left[kind] -= many;
                prop_assert_eq!(stock.of(kind), left[kind]);
                prop_assert_eq!(stock.before(kind), left[..kind].iter().sum::<u64>());
                let row: Vec<usize> = (0..).zip(&left).flat_map(|(kind, &left)| vec![kind; left as usize]).collect();
                for (place, &kind) in (0..).zip(&row) {
                    prop_assert_eq!(stock.at(place), kind);
                }
            }
        }
    }
}
