//! Apportionment of jobs by percentages.

use queuecast_core::order;

/// Apportions jobs in proportion to `sizes` by largest remainder, ties by order. With enough jobs every size gets at least
/// one, at the expense of those furthest above proportion.
pub fn quota(jobs: u64, sizes: &[f64]) -> Vec<u64> {
    let sum: f64 = sizes.iter().sum();
    let exact: Vec<f64> = sizes.iter().map(|size| jobs as f64 * (size / sum)).collect();
    let least = u64::from(jobs >= sizes.len() as u64);
    let mut shares: Vec<u64> = exact.iter().map(|exact| (*exact as u64).max(least)).collect();
    // In order of the deficit: the first get more, the last give.
    let mut line: Vec<usize> = (0..sizes.len()).collect();
    order::sort_by(&mut line, |&one, &other| {
        let lacks = |at: usize| exact[at] - shares[at] as f64;
        lacks(other).total_cmp(&lacks(one)).then(one.cmp(&other))
    });
    let mut given: u64 = shares.iter().sum();
    for &at in line.iter().cycle() {
        if given >= jobs {
            break;
        }
        shares[at] += 1;
        given += 1;
    }
    while given > jobs {
        for &at in line.iter().rev() {
            // One more for the last in a round would take from those that have no more than the least.
            if given > jobs && shares[at] > least {
                shares[at] -= 1;
                given -= 1;
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_remainders_round_up() {
        assert_eq!(quota(10, &[50.0, 26.0, 24.0]), [5, 3, 2]);
        assert_eq!(quota(100, &[50.0, 26.0, 24.0]), [50, 26, 24]);
        assert_eq!(quota(3, &[1.0, 1.0]), [2, 1]);
    }

    #[test]
    fn every_size_gets_one_where_there_are_enough() {
        assert_eq!(quota(10, &[99.0, 0.5, 0.5]), [8, 1, 1]);
        assert_eq!(quota(3, &[99.0, 0.5, 0.5]), [1, 1, 1]);
        assert_eq!(quota(2, &[99.0, 0.5, 0.5]), [2, 0, 0]);
        assert_eq!(quota(7, &[]), Vec::<u64>::new());
    }

    proptest! {
        #[test]
        fn no_job_is_lost(jobs in 1u64..100_000, sizes in prop::collection::vec(1e-6f64..30.0, 1..300)) {
            let shares = quota(jobs, &sizes);
            prop_assert_eq!(shares.iter().sum::<u64>(), jobs);
            prop_assert_eq!(shares.contains(&0), jobs < sizes.len() as u64);
        }
    }
}
