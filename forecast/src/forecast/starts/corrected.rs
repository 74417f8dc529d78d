//! Predicted waits corrected by how far off such predictions have been lately.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lower_end::{LowerEnd, LowerShare};
use queuecast_core::distribution::{
    CORRECTED_LEVELS as LEVELS, Conformal, ConformalSettings, Distribution, LevelQuantiles,
};
use queuecast_core::job::{Job, JobIndex};

/// Answers whose outcome is not known, at most: what is asked and never starts is forgotten.
const MOST_OPEN: usize = 100_000;

/// With fewer outcomes than this nothing is corrected.
const FEWEST: usize = 100;

/// How many of the last outcomes count: queues change within days.
const WINDOW: usize = 500;

/// Number of quantile levels of a corrected distribution.
const GRID: usize = 50;

/// Number of outcomes at which a group's own errors weigh as much as those of all groups: groups are small, and waits
/// change with the queue for all of them.
const ENOUGH: f64 = 300.0;

/// A wait of fewer seconds is that for the scheduler's next cycle: the job starts at once.
const AT_ONCE: f64 = 10.0;

/// Corrects distributions of waits and learns when jobs start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CorrectedWaits {
    conformal: Conformal,
    lower: LowerEnd,
    /// By the number of the job.
    open: BTreeMap<JobIndex, OpenForecast>,
}

/// A forecast whose outcome is not known.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct OpenForecast {
    group: u64,
    /// Before the correction.
    quantiles: LevelQuantiles,
    /// The 10 % quantile after it, before a share of it was taken.
    low: f64,
}

/// The group of jobs that share a correction: same queue, similar size.
pub(super) fn queue_and_size(job: &Job) -> u64 {
    let queue = job.queue.map_or(0, |id| u64::from(id.number()) + 1);
    let size = u64::from(job.shape.procs.0.max(1).ilog2() / 2);
    queue * 64 + size
}

/// The class of a forecast, below [`SAID`], by whether an immediate start is likely, possible or neither. Forecasts of
/// immediate starts have almost no error, so they are corrected apart from those of jobs that wait.
fn said_of_starting_at_once(quantiles: &LevelQuantiles) -> u64 {
    let at_once = |level: f64| {
        let place = LEVELS.partition_point(|&known| known < level);
        quantiles[place] < AT_ONCE
    };
    if at_once(0.5) {
        0
    } else if at_once(0.1) {
        1
    } else {
        2
    }
}

/// How many answers [`said_of_starting_at_once`] has.
const SAID: u64 = 3;

impl CorrectedWaits {
    pub fn new() -> CorrectedWaits {
        let settings = ConformalSettings {
            window: WINDOW,
            enough: ENOUGH,
            offset: UNIT,
            narrowest: 1.0,
            widest: 1.0,
            farthest: 1.0,
        };
        CorrectedWaits {
            conformal: Conformal::new(settings),
            lower: LowerEnd::default(),
            open: BTreeMap::new(),
        }
    }

    /// Returns the corrected distribution and remembers the forecast until its outcome is learned.
    pub fn correct(&mut self, job: &Job, group: u64, raw: Distribution) -> Distribution {
        let (forecast, open) = self.corrected(group, raw);
        if self.open.len() >= MOST_OPEN {
            self.open.pop_first();
        }
        self.open.insert(job.index, open);
        forecast
    }

    /// The corrected distribution, and what is to be remembered of it. Forecasts of the same `group` and class of immediate start
    /// share a correction.
    pub fn corrected(&self, group: u64, raw: Distribution) -> (Distribution, OpenForecast) {
        let quantiles = Conformal::quantiles(&raw);
        let group = group * SAID + said_of_starting_at_once(&quantiles);
        let (low, forecast) = if self.conformal.learned(group).1 < FEWEST {
            (raw.quantile(0.1), raw)
        } else {
            let corrected = self.conformal.corrected(group, &quantiles);
            let share = self.lower.share();
            let low = corrected[LEVELS.partition_point(|&known| known < 0.1)];
            let same = corrected == quantiles && (share.is_all() || low == 0.0);
            (low, if same { raw } else { moved(&raw, &quantiles, &corrected, share) })
        };
        (forecast, OpenForecast { group, quantiles, low })
    }

    pub fn learn(&mut self, job: &Job, wait: f64) {
        if let Some(OpenForecast { group, quantiles, low }) = self.open.remove(&job.index) {
            self.conformal.learn(group, &quantiles, wait);
            self.lower.learn(low, wait);
        }
    }

    /// The job left the queue without having started: what was forecast for it is never compared.
    pub fn forget(&mut self, job: &Job) {
        self.open.remove(&job.index);
    }
}

/// Offset in seconds: waits are compared by ln(wait + offset), as in the conformal correction.
const UNIT: f64 = 60.0;

/// The distribution with its quantiles at [`LEVELS`] shifted from `from` to `to` in the logarithm, interpolated between
/// levels. The lower end is multiplied by `share`.
fn moved(raw: &Distribution, from: &LevelQuantiles, to: &LevelQuantiles, share: LowerShare) -> Distribution {
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
            longest = longest.max(share.at(level) * time);
            (level, longest)
        })
        .collect();
    Distribution::quantiles(&knots).unwrap_or_else(|| raw.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use queuecast_core::units::{Procs, Time};

    fn job(index: u32) -> Job {
        Job { index: JobIndex(index), ..Job::rigid(1, Time(0), Procs(4), None) }
    }

    /// Forecasts have an 80 % range of 800 to 1,250 s; actual waits are `times` those predicted. Returns how many of the
    /// last 300 are inside, and the last upper end.
    fn inside_of_corrected(times: f64) -> (usize, f64) {
        let raw = || Distribution::interval(800.0, 1000.0, 1250.0, 0.8);
        let mut corrected = CorrectedWaits::new();
        let group = queue_and_size(&job(0));
        let (mut inside, mut last) = (0, 0.0);
        for number in 0..600 {
            let wait = times * raw().quantile((f64::from(number % 10) + 0.5) / 10.0);
            let forecast = corrected.correct(&job(number), group, raw());
            if number < 100 {
                assert_eq!(forecast, raw(), "too little is known");
            }
            if number >= 300 {
                let (low, high) = forecast.wait_range(0.8);
                inside += usize::from(low <= wait && wait <= high);
                last = high;
            }
            corrected.learn(&job(number), wait);
        }
        (inside, last)
    }

    #[test]
    fn forecasts_that_are_always_too_short_are_moved() {
        let (inside, _) = inside_of_corrected(2.5);
        assert!((225..=255).contains(&inside), "{inside} of 300");
        // Of waits that are ten times as long none is: the 90 % point is moved by a factor of e, with a minute added.
        let (inside, high) = inside_of_corrected(10.0);
        assert_eq!(inside, 0);
        assert!((high + 60.0 - 1310.0 * 1f64.exp()).abs() < 40.0, "{high}");
    }

    /// Nine of ten jobs start at once, as is foreseen; the tenth waits, from half of what is forecast to all of it.
    #[test]
    fn jobs_that_start_at_once_do_not_hide_how_wrong_the_others_are() {
        let at_once = || Distribution::quantiles(&[(0.0, 0.0), (0.9, 2.0), (1.0, 5_000.0)]).unwrap();
        let long = || Distribution::interval(10_000.0, 20_000.0, 40_000.0, 0.8);
        let mut corrected = CorrectedWaits::new();
        let group = queue_and_size(&job(0));
        let (mut inside, mut judged) = (0, 0);
        for number in 0..6000_u32 {
            let waits = number % 10 == 0;
            let forecast = corrected.correct(&job(number), group, if waits { long() } else { at_once() });
            let place = f64::from(number / 10 * 7 % 20) / 20.0;
            let wait = if waits { 5_000.0 * (1.0 + place) } else { f64::from(number % 3) };
            if waits && number >= 3000 {
                let (low, high) = forecast.wait_range(0.8);
                judged += 1;
                inside += usize::from(low <= wait && wait <= high);
            }
            corrected.learn(&job(number), wait);
        }
        let share = 100 * inside / judged;
        // The 500 last of their own count as five of eight.
        assert!(share >= 55, "{share} %");
        let high = corrected.correct(&job(6000), group, long()).quantile(0.9);
        assert!(high < 20_000.0, "{high}: half of what was forecast, or less");
        // Control: uncorrected, none of these waits is inside.
        assert!(long().wait_range(0.8).0 >= 10_000.0);
    }

    #[test]
    fn forecasts_are_told_apart_by_what_they_say_of_starting_at_once() {
        let said = |waits: &[f64]| {
            let forecast = Distribution::observed(waits.to_vec().into(), 1.0).unwrap();
            said_of_starting_at_once(&Conformal::quantiles(&forecast))
        };
        assert_eq!(said(&[0.0, 1.0, 9.0, 9000.0]), 0);
        assert_eq!(said(&[0.0, 60.0, 600.0, 9000.0]), 1);
        assert_eq!(said(&[10.0, 60.0, 600.0, 9000.0]), 2);
    }

    #[test]
    fn the_shape_between_the_levels_is_kept() {
        let raw = Distribution::quantiles(&[(0.0, 0.0), (0.3, 0.0), (0.31, 5000.0), (1.0, 9000.0)]).unwrap();
        let from = Conformal::quantiles(&raw);
        let mut to = from;
        to[LEVELS.len() - 1] *= 2.0;
        let changed = moved(&raw, &from, &to, LowerEnd::default().share());
        assert_eq!(changed.quantile(0.25), 0.0, "what waits for no time still does");
        assert!((changed.quantile(0.5) - raw.quantile(0.5)).abs() < 200.0);
        assert!(changed.quantile(0.97) > 1.3 * raw.quantile(0.97));
    }
}
