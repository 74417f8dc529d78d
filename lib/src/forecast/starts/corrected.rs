//! Predicted waits corrected by how far off such predictions have been lately.

use std::collections::BTreeMap;

use crate::distribution::{
    CORRECTED_LEVELS as LEVELS, Conformal, ConformalSettings, Distribution, LevelQuantiles,
};
use crate::job::{Job, JobIndex};

/// Answers whose outcome is not known, at most: what is asked and never starts is forgotten.
const MOST_OPEN: usize = 100_000;

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
        let settings = ConformalSettings { offset: 60.0, narrowest: 1.0, ..ConformalSettings::default() };
        CorrectedWaits { conformal: Conformal::new(settings), open: BTreeMap::new() }
    }

    /// The distribution corrected; what becomes of the job is learned from.
    pub fn correct(&mut self, job: &Job, group: u64, raw: Distribution) -> Distribution {
        let quantiles = Conformal::quantiles(&raw);
        if self.open.len() >= MOST_OPEN {
            self.open.pop_first();
        }
        self.open.insert(job.index, (group, quantiles));
        let corrected = self.conformal.corrected(group, &quantiles);
        if corrected == quantiles { raw } else { moved(&raw, &quantiles, &corrected) }
    }

    pub fn learn(&mut self, job: &Job, wait: f64) {
        if let Some((group, quantiles)) = self.open.remove(&job.index) {
            self.conformal.learn(group, &quantiles, wait);
        }
    }
}

/// A distribution with its quantiles at [`LEVELS`] moved from one to the other, and those between in proportion: the shape
/// between the levels is kept.
fn moved(raw: &Distribution, from: &LevelQuantiles, to: &LevelQuantiles) -> Distribution {
    let log = |time: f64| (time + 60.0).ln();
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
            let time = if by == 0.0 { time } else { ((log(time) + by).exp() - 60.0).max(0.0) };
            longest = longest.max(time);
            (level, longest)
        })
        .collect();
    Distribution::quantiles(&knots).unwrap_or_else(|| raw.clone())
}
