//! The distribution of lifetimes, fitted as jobs end.

use queuecast_core::distribution::LogUniform;
use queuecast_core::units::Seconds;

/// LogUniform seen so far and the line through their cumulated shares, by least squares against the logarithm of time
/// (Downey 1997, section 2.2.1): what fitting all of them anew would give.
///
/// A lifetime costs about the square of the logarithm of how many there are; the line is at hand at any time.
///
/// # Formula
/// Of `n` lifetimes in order, the i-th has the share `(i − ½)/n`. The mean share is ½, so with `m` the mean of the
/// logarithms the line runs through (m, ½): `ln t_min = m − 1/(2β₁)` and `ln t_max = m + 1/(2β₁)`.
#[derive(Debug, Clone, Default)]
pub struct LifetimeFit {
    /// Sorted, each at most half as long as the one before.
    runs: Vec<Run>,
    count: usize,
    /// The logarithm of the first; the others are counted from it, so that many alike leave no rounding behind.
    origin: f64,
    /// Of logarithms.
    mean: f64,
    /// Sum of squared distances of logarithms from their mean.
    spread: f64,
    /// Sum of each logarithm times its rank.
    ranked: f64,
}

/// Some of the lifetimes, in ascending order.
#[derive(Debug, Clone, Default)]
struct Run {
    lifetimes: Vec<i64>,
    /// One more than lifetimes: the sum of logarithms from each on.
    onwards: Vec<f64>,
}

impl Run {
    fn new(lifetimes: Vec<i64>, origin: f64) -> Run {
        let mut onwards = vec![0.0; lifetimes.len() + 1];
        for (at, &lifetime) in lifetimes.iter().enumerate().rev() {
            onwards[at] = onwards[at + 1] + (lifetime as f64).ln() - origin;
        }
        Run { lifetimes, onwards }
    }
}

impl LifetimeFit {
    /// One that has seen nothing.
    pub fn new() -> LifetimeFit {
        LifetimeFit::default()
    }

    /// How many lifetimes it has seen.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Takes in how long a job ran, as a second if it was less.
    pub fn observe(&mut self, lifetime: Seconds) {
        let lifetime = lifetime.0.max(1);
        if self.count == 0 {
            self.origin = (lifetime as f64).ln();
        }
        let log = (lifetime as f64).ln() - self.origin;
        let (mut below, mut moved) = (0, 0.0);
        for run in &self.runs {
            let place = run.lifetimes.partition_point(|&other| other <= lifetime);
            below += place;
            moved += run.onwards[place];
        }
        self.count += 1;
        // It takes the rank after those below, and those above move up by one.
        self.ranked += log * (below + 1) as f64 + moved;
        let off = log - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (log - self.mean);
        self.keep(lifetime);
    }

    /// Runs are merged as carries are when counting in twos: each lifetime is moved a logarithm of times.
    fn keep(&mut self, lifetime: i64) {
        let mut merged = vec![lifetime];
        while self.runs.last().is_some_and(|run| run.lifetimes.len() <= merged.len()) {
            merged.extend(self.runs.pop().map(|run| run.lifetimes).unwrap_or_default());
            // Two sorted runs; the sort sees that and merges them.
            merged.sort();
        }
        self.runs.push(Run::new(merged, self.origin));
    }

    /// The lifetimes fitted. `None` before two different ones were seen: one point makes no line.
    pub fn lifetimes(&self) -> Option<LogUniform> {
        let count = self.count as f64;
        let together = (self.ranked - self.mean * count * (count + 1.0) / 2.0) / count;
        let slope = together / self.spread;
        if self.spread <= 0.0 || !slope.is_finite() || slope <= 0.0 {
            return None;
        }
        let (middle, half) = (self.origin + self.mean, 0.5 / slope);
        LogUniform::within_logs(middle - half, middle + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(lifetimes: &[i64]) -> Option<LogUniform> {
        let mut fit = LifetimeFit::new();
        lifetimes.iter().for_each(|&lifetime| fit.observe(Seconds(lifetime)));
        assert_eq!(fit.count(), lifetimes.len());
        fit.lifetimes()
    }

    /// Least squares from the start, as a textbook has it.
    fn slow(lifetimes: &[i64]) -> (f64, f64) {
        let mut logs: Vec<f64> = lifetimes.iter().map(|&lifetime| (lifetime.max(1) as f64).ln()).collect();
        logs.sort_by(f64::total_cmp);
        let count = logs.len() as f64;
        let shares = || (0..logs.len()).map(|place| (place as f64 + 0.5) / count);
        let (x, y) = (logs.iter().sum::<f64>() / count, shares().sum::<f64>() / count);
        let together: f64 = logs.iter().zip(shares()).map(|(log, share)| (log - x) * (share - y)).sum();
        let slope = together / logs.iter().map(|log| (log - x) * (log - x)).sum::<f64>();
        (y - slope * x, slope)
    }

    #[test]
    fn no_line_through_fewer_than_two_points() {
        assert_eq!(fitted(&[]), None);
        assert_eq!(fitted(&[60]), None);
        assert_eq!(fitted(&[60; 1000]), None);
        assert_eq!(fitted(&[0, -7, 1]), None, "each counts as a second");
    }

    #[test]
    fn two_points_worked_by_hand() {
        // Shares ¼ at 10 and ¾ at 1000: half of the line lies between them.
        let two = fitted(&[1000, 10]).unwrap();
        assert!((two.least() - 1.0).abs() < 1e-9 && (two.most() - 10_000.0).abs() < 1e-6, "{two:?}");
        // Next to many alike, one other is enough, however close.
        let mut many = vec![100_000; 5000];
        many.push(100_001);
        let narrow = fitted(&many).unwrap();
        assert!(narrow.cdf(100_000.0) > 0.49 && narrow.most() < 100_003.0, "{narrow:?}");
    }

    #[test]
    fn agrees_with_fitting_anew_after_every_lifetime() {
        let (mut fit, mut seen, mut number) = (LifetimeFit::new(), Vec::new(), 1_i64);
        for step in 0..700 {
            number = number * 48271 % 2_147_483_647;
            let lifetime = if step % 3 == 0 { number % 50 } else { number % 100_000 };
            seen.push(lifetime);
            fit.observe(Seconds(lifetime));
            let Some(quick) = fit.lifetimes() else {
                assert!(step == 0);
                continue;
            };
            let (intercept, slope) = slow(&seen);
            assert!((quick.intercept() - intercept).abs() < 1e-9, "{step}: {quick:?} {intercept}");
            assert!((quick.slope() - slope).abs() < 1e-9, "{step}: {quick:?} {slope}");
        }
        // Control: the order in which they come says nothing, one more of them does.
        let all = fit.lifetimes().unwrap().slope();
        assert!((fitted(&seen[..699]).unwrap().slope() - all).abs() > 1e-6);
        seen.reverse();
        assert!((fitted(&seen).unwrap().slope() - all).abs() < 1e-9);
    }

    #[test]
    fn finds_the_distribution_it_was_drawn_from() {
        // Evenly over e² … e¹², in an order far from sorted.
        let lifetimes: Vec<i64> = (0..10_007_i64)
            .map(|step| (2.0 + (step * 4973 % 10_007) as f64 / 1000.7).exp().round() as i64)
            .collect();
        let found = fitted(&lifetimes).unwrap();
        assert!((found.intercept() + 0.2).abs() < 1e-3 && (found.slope() - 0.1).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn the_longest_lifetimes_stay_within_the_clock() {
        let found = fitted(&[1, i64::MAX]).unwrap();
        assert!(found.most() <= 1.1e15 && found.least() < found.most());
    }
}
