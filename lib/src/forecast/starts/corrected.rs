//! Predicted waits corrected by how far off such predictions have been lately.

use std::collections::BTreeMap;

use crate::distribution::{
    CORRECTED_LEVELS as LEVELS, Conformal, ConformalSettings, Distribution, LevelQuantiles,
};
use crate::job::{Job, JobIndex};

/// Answers whose outcome is not known, at most: what is asked and never starts is forgotten.
const MOST_OPEN: usize = 100_000;

/// With fewer outcomes than this nothing is corrected.
const FEWEST: usize = 100;

/// How many of the last outcomes count: queues change within days.
const WINDOW: usize = 500;

/// At so many levels a corrected distribution is given.
const GRID: usize = 50;

/// Corrects distributions of waits and learns when jobs start.
#[derive(Debug, Clone)]
pub(super) struct CorrectedWaits {
    conformal: Conformal,
    /// Group and quantiles before the correction, by the number of the job.
    open: BTreeMap<JobIndex, (u64, LevelQuantiles)>,
}

/// Jobs whose forecasts are alike wrong: of one queue and about one size.
pub(super) fn queue_and_size(job: &Job) -> u64 {
    let queue = job.queue.map_or(0, |id| u64::from(id.number()) + 1);
    let size = u64::from(job.shape.procs.0.max(1).ilog2() / 2);
    queue * 64 + size
}

impl CorrectedWaits {
    pub fn new() -> CorrectedWaits {
        let settings = ConformalSettings {
            window: WINDOW,
            offset: UNIT,
            narrowest: 1.0,
            ..ConformalSettings::default()
        };
        CorrectedWaits { conformal: Conformal::new(settings), open: BTreeMap::new() }
    }

    /// The distribution corrected; what becomes of the job is learned from.
    pub fn correct(&mut self, job: &Job, group: u64, raw: Distribution) -> Distribution {
        let quantiles = Conformal::quantiles(&raw);
        if self.open.len() >= MOST_OPEN {
            self.open.pop_first();
        }
        self.open.insert(job.index, (group, quantiles));
        if self.conformal.learned(group).1 < FEWEST {
            return raw;
        }
        let corrected = self.conformal.corrected(group, &quantiles);
        if corrected == quantiles { raw } else { moved(&raw, &quantiles, &corrected) }
    }

    pub fn learn(&mut self, job: &Job, wait: f64) {
        if let Some((group, quantiles)) = self.open.remove(&job.index) {
            self.conformal.learn(group, &quantiles, wait);
        }
    }
}

/// Waits are compared by the logarithm of so many seconds more, as the correction does.
const UNIT: f64 = 60.0;

/// A distribution with its quantiles at [`LEVELS`] moved from one to the other, and those between in proportion: the shape
/// between the levels is kept.
fn moved(raw: &Distribution, from: &LevelQuantiles, to: &LevelQuantiles) -> Distribution {
    let log = |time: f64| (time + UNIT).ln();
    let shifts: Vec<f64> = from.iter().zip(to).map(|(&from, &to)| log(to) - log(from)).collect();
    let shift = |level: f64| {
        let after = LEVELS.partition_point(|&known| known < level);
        match (after.checked_sub(1), LEVELS.get(after)) {
            (Some(before), Some(&next)) => {
                let part = (level - LEVELS[before]) / (next - LEVELS[before]);
                shifts[before] + part * (shifts[after] - shifts[before])
            }
            (None, _) => shifts[0],
            (Some(before), None) => shifts[before],
        }
    };
    let mut longest = 0.0_f64;
    let knots: Vec<(f64, f64)> = (0..GRID)
        .map(|step| {
            let level = (step as f64 + 0.5) / GRID as f64;
            let by = shift(level);
            let time = raw.quantile(level);
            let time = if by == 0.0 { time } else { ((log(time) + by).exp() - UNIT).max(0.0) };
            longest = longest.max(time);
            (level, longest)
        })
        .collect();
    Distribution::quantiles(&knots).unwrap_or_else(|| raw.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Procs, Time};

    fn job(index: u32) -> Job {
        Job { index: JobIndex(index), ..Job::rigid(1, Time(0), Procs(4), None) }
    }

    /// Forecasts say 100 to 1,000 s, and waits are ten times as long.
    #[test]
    fn forecasts_that_are_always_too_short_are_moved() {
        let raw = || Distribution::interval(100.0, 300.0, 1000.0, 0.8);
        let mut corrected = CorrectedWaits::new();
        let group = queue_and_size(&job(0));
        let mut inside = 0;
        for number in 0..600 {
            let wait = 10.0 * raw().quantile((f64::from(number % 10) + 0.5) / 10.0);
            let forecast = corrected.correct(&job(number), group, raw());
            if number < 100 {
                assert_eq!(forecast, raw(), "too little is known");
            }
            if number >= 300 {
                let (low, high) = forecast.wait_range(0.8);
                inside += usize::from(low <= wait && wait <= high);
            }
            corrected.learn(&job(number), wait);
        }
        assert!((225..=255).contains(&inside), "{inside} of 300");
        // Control: uncorrected, few are inside.
        let (low, high) = raw().wait_range(0.8);
        let raw_inside = (0..10).filter(|place| {
            let wait = 10.0 * raw().quantile((f64::from(*place) + 0.5) / 10.0);
            low <= wait && wait <= high
        });
        assert!(raw_inside.count() <= 2);
    }

    #[test]
    fn the_shape_between_the_levels_is_kept() {
        let raw = Distribution::quantiles(&[(0.0, 0.0), (0.3, 0.0), (0.31, 5000.0), (1.0, 9000.0)]).unwrap();
        let from = Conformal::quantiles(&raw);
        let mut to = from;
        to[LEVELS.len() - 1] *= 2.0;
        let changed = moved(&raw, &from, &to);
        assert_eq!(changed.quantile(0.25), 0.0, "what waits for no time still does");
        assert!((changed.quantile(0.5) - raw.quantile(0.5)).abs() < 200.0);
        assert!(changed.quantile(0.97) > 1.3 * raw.quantile(0.97));
    }
}
