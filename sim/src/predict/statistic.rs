//! Statistics that combine several run times into one prediction.

use queuecast_core::spec::choices;

/// A statistic of several run times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Statistic {
    /// The median; of an even number, the mean of the middle two, rounded down.
    #[default]
    Median,
    /// The arithmetic mean, rounded down.
    Mean,
    /// The most recently learned.
    Last,
    /// The shortest.
    Min,
    /// The longest.
    Max,
}

choices! { Statistic, "statistic":
    Median = "median", "the median; of an even number, the mean of the two in the middle";
    Mean = "mean", "the arithmetic mean";
    Last = "last", "the most recent";
    Min = "min", "the shortest";
    Max = "max", "the longest";
}

impl Statistic {
    /// The statistic of run times given newest first; `None` if there are none. May reorder them.
    pub(super) fn of(self, newest_first: &mut [i64]) -> Option<i64> {
        match self {
            Statistic::Median => {
                newest_first.sort_unstable();
                median(newest_first.len(), |place| newest_first[place])
            }
            Statistic::Mean => {
                mean(newest_first.iter().map(|&run| i128::from(run)).sum(), newest_first.len())
            }
            Statistic::Last => newest_first.first().copied(),
            Statistic::Min => newest_first.iter().min().copied(),
            Statistic::Max => newest_first.iter().max().copied(),
        }
    }
}

/// The median of `count` numbers, where `at` gives the number at each place in ascending order.
pub(super) fn median(count: usize, at: impl Fn(usize) -> i64) -> Option<i64> {
    let middle = count / 2;
    match count {
        0 => None,
        _ if count % 2 == 1 => Some(at(middle)),
        _ => Some(at(middle - 1).midpoint(at(middle))),
    }
}

/// The mean, rounded towards zero. Sums of the longest run times of a log exceed 64 bits, hence 128.
pub(super) fn mean(sum: i128, count: usize) -> Option<i64> {
    (count > 0).then(|| (sum / count as i128) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_picks_its_own_number() {
        let of = |statistic: Statistic, runs: &[i64]| statistic.of(&mut runs.to_vec());
        let runs = [30, 1, 400, 5];
        let picked = Statistic::ALL.map(|statistic| of(statistic, &runs).unwrap());
        assert_eq!(picked, [17, 109, 30, 1, 400]);
        assert_eq!(of(Statistic::Median, &[9, 1, 2]), Some(2));
        let long = i64::MAX - 1;
        assert_eq!(of(Statistic::Mean, &[long, long]), Some(long));
        assert_eq!(of(Statistic::Median, &[long, long]), Some(long));
        assert!(Statistic::ALL.iter().all(|&statistic| of(statistic, &[]).is_none()));
    }

    #[test]
    fn names_are_read_as_written() {
        for statistic in Statistic::ALL {
            assert_eq!(statistic.name().parse::<Statistic>(), Ok(statistic));
        }
        assert!(
            "mode".parse::<Statistic>().unwrap_err().to_string().contains("median, mean, last, min, max")
        );
    }
}
