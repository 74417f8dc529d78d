//! The starts that trees learn from: all of the last, and some of those before.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use queuecast_core::job::JobIndex;
use queuecast_core::trees::Examples;

/// Number of the last starts that are all learned from.
const RECENT: usize = 7_500;

/// Of earlier starts every second is learned from: what they teach is how queues of other weeks behave, and neighbours in time teach the same. Simulating
/// their arrivals is most of what learning a log costs.
const SPARSE: u64 = 2;

/// Rows of the last starts and what they led to, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExampleWindow {
    /// How many starts back it reaches.
    window: usize,
    recent: WaitTable,
    /// The jobs of `recent`.
    jobs: VecDeque<JobIndex>,
    older: WaitTable,
}

/// Rows with their waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WaitTable {
    rows: Examples,
    waits: VecDeque<f64>,
}

impl WaitTable {
    fn new() -> WaitTable {
        WaitTable { rows: Examples::new(0), waits: VecDeque::new() }
    }

    fn push(&mut self, row: &[f32], wait: f64) {
        if self.rows.is_empty() {
            self.rows = Examples::new(row.len());
        }
        self.rows.push(row);
        self.waits.push_back(wait);
    }

    fn drop_oldest(&mut self) {
        self.rows.drop_oldest(1);
        self.waits.pop_front();
    }
}

/// Whether a job stays when it is not among the last: one in [`SPARSE`], without a pattern (SplitMix64).
fn stays(job: JobIndex) -> bool {
    let mut mixed = u64::from(job.0).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).is_multiple_of(SPARSE)
}

impl ExampleWindow {
    /// Before the first start.
    pub fn new(window: usize) -> ExampleWindow {
        ExampleWindow {
            window: window.max(1),
            recent: WaitTable::new(),
            jobs: VecDeque::new(),
            older: WaitTable::new(),
        }
    }

    /// Whether the row of a job may be learned from when this many more have been submitted. Jobs start in another order than they
    /// are submitted, so that there is some room.
    pub fn may_learn(&self, job: JobIndex, ahead: usize) -> bool {
        ahead <= RECENT + RECENT / 8 || stays(job)
    }

    /// A job has started.
    pub fn push(&mut self, job: JobIndex, row: &[f32], wait: f64) {
        self.recent.push(row, wait);
        self.jobs.push_back(job);
        if self.jobs.len() <= RECENT.min(self.window) {
            return;
        }
        if let (Some(job), Some(&wait)) = (self.jobs.pop_front(), self.recent.waits.front())
            && stays(job)
            && self.window > RECENT
        {
            self.older.push(self.recent.rows.row(0), wait);
        }
        self.recent.drop_oldest();
        if self.older.waits.len() * SPARSE as usize > self.window.saturating_sub(RECENT) {
            self.older.drop_oldest();
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.older.waits.len() + self.recent.waits.len()
    }

    /// The waits of all rows.
    pub fn waits(&self) -> impl Iterator<Item = f64> {
        self.older.waits.iter().chain(&self.recent.waits).copied()
    }

    /// All rows.
    pub fn rows(&self) -> Examples {
        let (older, recent) = (&self.older.rows, &self.recent.rows);
        let mut rows = Examples::new(recent.features());
        (0..older.len()).for_each(|place| rows.push(older.row(place)));
        (0..recent.len()).for_each(|place| rows.push(recent.row(place)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_last_and_half_of_those_before() {
        let mut window = ExampleWindow::new(3 * RECENT);
        for number in 0..6 * RECENT as u32 {
            window.push(JobIndex(number), &[number as f32], f64::from(number));
        }
        let expected = 2 * RECENT;
        assert!(window.len().abs_diff(expected) <= expected / 50, "{} rows", window.len());
        let (rows, waits): (Examples, Vec<f64>) = (window.rows(), window.waits().collect());
        assert_eq!(rows.len(), waits.len());
        assert!(
            waits.is_sorted() && (0..rows.len()).all(|place| f64::from(rows.row(place)[0]) == waits[place])
        );
        // They reach as far back as was asked for, more or less.
        let oldest = waits[0] as usize;
        assert!(oldest.abs_diff(3 * RECENT) < RECENT / 4, "{oldest}");
        assert!(waits[waits.len() - RECENT..].windows(2).all(|pair| pair[1] - pair[0] == 1.0));
        // What will be far back is not worth a row if it does not stay then.
        let kept = waits.iter().all(|&wait| window.may_learn(JobIndex(wait as u32), 0));
        let far = (0..1_000).filter(|&number| window.may_learn(JobIndex(number), 10 * RECENT)).count();
        assert!(kept && (420..580).contains(&far), "{far}");
    }

    #[test]
    fn a_short_window_has_the_last_only() {
        let mut window = ExampleWindow::new(100);
        for number in 0..1_000 {
            window.push(JobIndex(number), &[0.0], f64::from(number));
        }
        assert!(window.waits().eq((900..1_000).map(f64::from)));
    }
}
