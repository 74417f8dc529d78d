//! How many are left of each, with sums of a stretch and the one at a place in logarithmic time (Fenwick 1994).

/// Numbers of things left, in a row.
pub struct Stock {
    left: Vec<u64>,
    /// Sums of stretches that end at each place, from 1; as long as the place is divisible by a power of two.
    sums: Vec<u64>,
}

impl Stock {
    /// So many of each.
    pub fn new(left: Vec<u64>) -> Stock {
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
        Stock { left, sums }
    }

    /// How many kinds there are.
    pub fn kinds(&self) -> usize {
        self.left.len()
    }

    /// How many of this are left.
    pub fn of(&self, kind: usize) -> u64 {
        self.left[kind]
    }

    /// How many are left of all before this.
    pub fn before(&self, kind: usize) -> u64 {
        let (mut at, mut sum) = (kind, 0);
        while at > 0 {
            sum += self.sums[at];
            at &= at - 1;
        }
        sum
    }

    /// Takes so many of this, which must be there.
    pub fn take(&mut self, kind: usize, many: u64) {
        self.left[kind] -= many;
        let mut at = kind + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum -= many;
            at += at & at.wrapping_neg();
        }
    }

    /// Of which kind the thing at this place is, if all that are left lie in a row.
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
        fn as_a_plain_row_of_things_has_it(
            mut left in prop::collection::vec(0u64..6, 1..40),
            steps in prop::collection::vec((0usize..40, 0u64..4), 0..40),
        ) {
            let mut stock = Stock::new(left.clone());
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
