//! How several run times become one number.

use std::fmt;
use std::str::FromStr;

use crate::spec::SpecError;

/// How several run times become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Statistic {
    /// The middle one; of an even number, the mean of the middle two, rounded down.
    #[default]
    Median,
    /// Their arithmetic mean, rounded down.
    Mean,
    /// The one learned last.
    Last,
    /// The shortest.
    Min,
    /// The longest.
    Max,
}

impl Statistic {
    /// Every statistic, as written.
    pub const KNOWN: [&'static str; 5] = ["median", "mean", "last", "min", "max"];

    const ALL: [Statistic; 5] =
        [Statistic::Median, Statistic::Mean, Statistic::Last, Statistic::Min, Statistic::Max];

    /// Of run times in the order they were learned, newest first; `None` of none. Leaves them in another order.
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

/// The median of so many numbers, told which is at each place in ascending order.
pub(super) fn median(count: usize, at: impl Fn(usize) -> i64) -> Option<i64> {
    let middle = count / 2;
    match count {
        0 => None,
        _ if count % 2 == 1 => Some(at(middle)),
        _ => Some(at(middle - 1).midpoint(at(middle))),
    }
}

/// Sums of the longest run times a log can hold leave 64 bits, so sums have 128.
pub(super) fn mean(sum: i128, count: usize) -> Option<i64> {
    (count > 0).then(|| (sum / count as i128) as i64)
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Statistic::ALL.iter().position(|statistic| statistic == self).unwrap_or_default();
        f.write_str(Statistic::KNOWN[place])
    }
}

impl FromStr for Statistic {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Statistic, SpecError> {
        let place = Statistic::KNOWN.iter().position(|known| *known == text);
        let unknown = || SpecError::unknown("statistic", text, &Statistic::KNOWN);
        place.map(|place| Statistic::ALL[place]).ok_or_else(unknown)
    }
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
        for name in Statistic::KNOWN {
            assert_eq!(name.parse::<Statistic>().unwrap().to_string(), name);
        }
        assert!(
            "mode".parse::<Statistic>().unwrap_err().to_string().contains("median, mean, last, min, max")
        );
    }
}
