//! What this user's jobs did last.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{Forecast, Question, Requested, RuntimePredictor};
use crate::job::{Event, UserId, What};
use crate::units::Seconds;

/// How several recent run times become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Statistic {
    /// Their arithmetic mean, rounded down.
    #[default]
    Mean,
    /// The middle one; of an even number, the mean of the middle two, rounded down.
    Median,
}

/// Predicts from the last `window` jobs of the same user that have ended, never above the requested time;
/// the requested time until there are that many.
///
/// With a window of two and the mean it is the predictor of EASY++ (Tsafrir, Etsion & Feitelson 2007,
/// section 3).
#[derive(Debug, Clone)]
pub struct Recent {
    window: usize,
    statistic: Statistic,
    fallback: Requested,
    // Looked up by user, never iterated: the order of a hash map cannot reach a result.
    rings: HashMap<UserId, Ring, BuildHasherDefault<Scatter>>,
}

/// Spreads small numbers over a table (Fibonacci hashing). Nobody attacks it: user numbers are a log's own,
/// and a bad spread costs time only.
#[derive(Debug, Clone, Default)]
struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The last run times of one user, oldest overwritten first.
#[derive(Debug, Clone, Default)]
struct Ring {
    runs: Vec<i64>,
    oldest: usize,
}

impl Recent {
    /// `window` is at least one.
    pub fn new(window: usize, statistic: Statistic, fallback: Requested) -> Recent {
        Recent { window: window.max(1), statistic, fallback, rings: HashMap::default() }
    }
}

impl RuntimePredictor for Recent {
    fn estimate(&self, question: &Question<'_>) -> Forecast {
        let ring = question.job.user.and_then(|user| self.rings.get(&user));
        let Some(ring) = ring.filter(|ring| ring.runs.len() == self.window) else {
            return self.fallback.estimate(question);
        };
        let typical = match self.statistic {
            // Sums of the longest run times a log can hold leave 64 bits.
            Statistic::Mean => {
                (ring.runs.iter().map(|&run| i128::from(run)).sum::<i128>() / self.window as i128) as i64
            }
            Statistic::Median => median(&mut ring.runs.clone()),
        };
        Forecast::exactly(Seconds(typical).min(question.job.shape.limit.unwrap_or(Seconds(typical))))
    }

    fn observe(&mut self, event: &Event<'_>) {
        let (What::Ended(outcome), Some(user)) = (event.what, event.job.user) else { return };
        let ring = self.rings.entry(user).or_default();
        if ring.runs.len() < self.window {
            ring.runs.push(outcome.ran.0);
        } else {
            ring.runs[ring.oldest] = outcome.ran.0;
            ring.oldest = (ring.oldest + 1) % self.window;
        }
    }
}

fn median(runs: &mut [i64]) -> i64 {
    runs.sort_unstable();
    let middle = runs.len() / 2;
    if runs.len() % 2 == 1 { runs[middle] } else { runs[middle - 1].midpoint(runs[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Ending, Job, Outcome};
    use crate::units::{Procs, Time};

    fn job(user: Option<u32>, limit: i64) -> Job {
        let mut job = Job::rigid(1, Time(0), Procs(1), Some(Seconds(limit)));
        job.user = user.and_then(UserId::new);
        job
    }

    fn after(statistic: Statistic, window: usize, runs: &[i64], asked: &Job) -> i64 {
        let mut recent = Recent::new(window, statistic, Requested { default: Seconds(999) });
        for &ran in runs {
            let outcome = Outcome { ran: Seconds(ran), ending: Ending::Completed };
            recent.observe(&Event { at: Time(0), job: &job(Some(7), 1000), what: What::Ended(outcome) });
        }
        recent.estimate(&Question { job: asked, elapsed: Seconds::ZERO }).point().0
    }

    #[test]
    fn the_request_until_there_is_enough_history() {
        assert_eq!(after(Statistic::Mean, 2, &[10], &job(Some(7), 500)), 500);
        assert_eq!(after(Statistic::Mean, 2, &[10, 15], &job(Some(7), 500)), 12);
        assert_eq!(after(Statistic::Mean, 2, &[10, 15], &job(Some(8), 500)), 500);
        assert_eq!(after(Statistic::Mean, 2, &[10, 15], &job(None, 500)), 500);
    }

    #[test]
    fn only_the_last_ones_count_and_the_request_caps_them() {
        assert_eq!(after(Statistic::Mean, 2, &[1000, 10, 20], &job(Some(7), 500)), 15);
        assert_eq!(after(Statistic::Mean, 2, &[1000, 900], &job(Some(7), 500)), 500);
        assert_eq!(after(Statistic::Median, 3, &[5, 400, 1, 30], &job(Some(7), 500)), 30);
        assert_eq!(after(Statistic::Median, 4, &[5, 400, 1, 30], &job(Some(7), 500)), 17);
        let endless = i64::MAX - 1;
        assert_eq!(after(Statistic::Mean, 2, &[endless, endless], &job(Some(7), endless)), endless);
        assert_eq!(after(Statistic::Median, 2, &[endless, endless], &job(Some(7), endless)), endless);
    }
}
