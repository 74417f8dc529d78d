//! The pool algorithm: popularity ranks of the times of the head (section 9.3).

use rand::{Rng, RngExt};

use super::HEAD;

/// Number of logs in Table 6.
const LOGS: usize = 4;

/// Table 6: for the longest time and then for each other time of the head, the shortest first, its popularity rank in
/// SDSC-106, CTC, KTH4H and BLUE.
pub(super) const TABLE_6: [[usize; LOGS]; HEAD] = [
    [3, 1, 1, 1],
    [1, 3, 4, 6],
    [4, 4, 10, 5],
    [17, 2, 14, 3],
    [13, 12, 20, 7],
    [7, 9, 2, 2],
    [8, 8, 3, 18],
    [18, 18, 7, 19],
    [2, 6, 12, 4],
    [6, 7, 6, 11],
    [16, 11, 19, 20],
    [10, 20, 5, 9],
    [5, 16, 18, 10],
    [15, 5, 16, 14],
    [14, 14, 9, 13],
    [19, 13, 17, 16],
    [11, 10, 15, 15],
    [12, 15, 13, 17],
    [9, 17, 8, 8],
    [20, 19, 11, 12],
];

/// The popularity rank, from 1, of each time of the head: the longest, then the others from the shortest on. `known` ranks
/// are kept. The rank of the longest must be known; `supplied` says whether it was supplied or is the default.
///
/// Three things keep the popular ranks from the long times: a rank waits for the first row of the table that has it;
/// it is taken once all four logs have had it; and of two drawn, the more popular is taken.
///
/// The paper has the algorithm skip times that are supplied. Their rows are read all the same, that of the longest
/// too: which logs have had a rank does not depend on what is supplied. Otherwise the second safeguard would fail
/// for the most popular rank of all, which three logs have in the longest's row, and a time near the end could get it.
/// Where all that was read is taken (many known, or a short head), the next rows are read early.
pub fn ranks(known: &[Option<usize>], supplied: bool, rng: &mut impl Rng) -> Vec<usize> {
    let mut free = [true; HEAD + 1];
    for &rank in known.iter().flatten() {
        free[rank] = false;
    }
    let (mut pool, mut read) = (Vec::new(), usize::from(!supplied));
    let mut ranks = Vec::with_capacity(known.len());
    for (at, &known_rank) in known.iter().enumerate() {
        while read < HEAD && (read <= at || (pool.is_empty() && known_rank.is_none())) {
            pool.extend(TABLE_6[read].into_iter().filter(|&rank| rank <= known.len() && free[rank]));
            read += 1;
        }
        let Some(rank) = known_rank.or_else(|| choice(&pool, rng)) else { break };
        pool.retain(|&other| other != rank);
        free[rank] = false;
        ranks.push(rank);
    }
    ranks
}

/// The smallest rank that all logs have had, else the smaller of two drawn.
fn choice(pool: &[usize], rng: &mut impl Rng) -> Option<usize> {
    let full = pool.iter().filter(|&&rank| pool.iter().filter(|&&other| other == rank).count() == LOGS).min();
    if let Some(&rank) = full {
        return Some(rank);
    }
    if pool.is_empty() {
        return None;
    }
    let [one, other] = [(); 2].map(|()| pool[rng.random_range(0..pool.len())]);
    Some(one.min(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::seed::Seed;

    fn drawn(known: &[Option<usize>], seed: u64) -> Vec<usize> {
        ranks(known, true, &mut Seed(seed).stream("a test"))
    }

    /// The longest is the most popular, nothing else is known.
    fn plain(count: usize) -> Vec<Option<usize>> {
        let mut known = vec![None; count];
        known[0] = Some(1);
        known
    }

    fn is_permutation(ranks: &[usize]) -> bool {
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(1..=ranks.len())
    }

    #[test]
    fn every_log_of_table_6_has_each_rank_once() {
        for log in 0..LOGS {
            assert!(is_permutation(&TABLE_6.map(|row| row[log])));
        }
        // Three quarters of the popular ranks are in the upper half, as the paper says of it.
        let popular = TABLE_6[..10].iter().flatten().filter(|&&rank| rank <= 10).count();
        assert!((28..=32).contains(&popular), "{popular}");
        // Control.
        assert!(!is_permutation(&[1, 3, 3]));
    }

    #[test]
    fn every_rank_is_given_once_however_short_the_head() {
        for count in 1..=HEAD {
            for seed in 0..50 {
                let ranks = drawn(&plain(count), seed);
                assert!(ranks.len() == count && is_permutation(&ranks) && ranks[0] == 1, "{ranks:?}");
            }
        }
    }

    #[test]
    fn known_ranks_are_kept_and_not_assigned_again() {
        let mut known = vec![None; HEAD];
        // The four ranks of the first row are all taken: the second is read early.
        for (at, rank) in [(0, 1), (3, 3), (5, 4), (6, 6)] {
            known[at] = Some(rank);
        }
        for seed in 0..50 {
            let ranks = drawn(&known, seed);
            assert!(is_permutation(&ranks) && ranks.len() == HEAD, "{ranks:?}");
            assert_eq!([ranks[0], ranks[3], ranks[5], ranks[6]], [1, 3, 4, 6]);
            assert!([10, 5].contains(&ranks[1]), "{ranks:?}");
        }
        let all: Vec<Option<usize>> = (1..=HEAD).map(Some).collect();
        assert!(drawn(&all, 1).into_iter().eq(1..=HEAD));
    }

    #[test]
    fn no_rank_comes_before_its_first_row_nor_after_all_logs_had_it() {
        let first = |rank| TABLE_6.iter().position(|row| row.contains(&rank));
        let last = |rank| TABLE_6.iter().rposition(|row| row.contains(&rank));
        let mut late = 0;
        for seed in 0..500 {
            let ranks = drawn(&plain(HEAD), seed);
            for (at, &rank) in ranks.iter().enumerate().skip(1) {
                assert!(Some(at) >= first(rank), "{ranks:?}");
                late += usize::from(Some(at) > last(rank));
            }
        }
        // Only where a more popular rank was due at the same time.
        assert!(late < 500 * HEAD / 4, "{late}");
    }

    #[test]
    fn popular_ranks_tend_to_short_times() {
        let sum = |from: usize, to: usize| -> usize {
            (0..500)
                .map(|seed| drawn(&plain(HEAD), seed)[from..to].iter().filter(|&&rank| rank <= 10).count())
                .sum()
        };
        let (short, long) = (sum(1, 11), sum(11, 20));
        assert!(short > 3 * long, "{short} {long}");
    }
}
