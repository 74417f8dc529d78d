//! Baselines: what any wait predictor has to beat.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::predictor::{Arrival, WaitForecast, WaitPredictor};
use queuecast_core::distribution::Distribution;
use queuecast_core::job::QueueId;
use queuecast_core::order;
use queuecast_core::units::Seconds;
use queuecast_sim::predict::Lookup;
use queuecast_sim::site::View;

/// Baseline: every job starts at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZeroWait;

impl WaitPredictor for ZeroWait {
    fn forecast(&self, _: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        WaitForecast::nothing_known()
    }

    fn learn(&mut self, _: &Arrival<'_>, _: Seconds) {}
}

/// Baseline: the distribution of the last waits in the job's queue; of all queues where its own has none. Its median is the
/// point.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PastWaits {
    window: usize,
    of_queue: Lookup<Option<QueueId>, LastWaits>,
    of_all: LastWaits,
}

/// The last waits, or other numbers, also in ascending order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LastWaits {
    recent: VecDeque<f64>,
    pub sorted: Vec<f64>,
}

impl LastWaits {
    pub fn push(&mut self, wait: f64, window: usize) {
        let oldest = if self.recent.len() == window { self.recent.pop_front() } else { None };
        self.recent.push_back(wait);
        match oldest {
            Some(oldest) => order::replace(&mut self.sorted, oldest, wait),
            None => self.sorted.insert(self.sorted.partition_point(|&other| other < wait), wait),
        }
    }
}

impl PastWaits {
    /// How many waits it remembers by default.
    pub const WINDOW: usize = 200;

    /// Remembers the last `window` waits of each queue, at least one.
    pub fn new(window: usize) -> PastWaits {
        PastWaits { window: window.max(1), of_queue: Lookup::default(), of_all: LastWaits::default() }
    }
}

impl WaitPredictor for PastWaits {
    fn forecast(&self, arrival: &Arrival<'_>, _: View<'_>) -> WaitForecast {
        let past = self.of_queue.get(&arrival.job.queue).unwrap_or(&self.of_all);
        match Distribution::observed(past.sorted.as_slice().into(), 1.0) {
            Some(wait) => WaitForecast::by_median(wait),
            None => WaitForecast::nothing_known(),
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, wait: Seconds) {
        let wait = wait.0.max(0) as f64;
        self.of_queue.entry(arrival.job.queue).or_default().push(wait, self.window);
        self.of_all.push(wait, self.window);
    }
}

#[cfg(test)]
mod tests {
    use super::super::predictor::test_support::{asked, taught};
    use super::*;

    #[test]
    fn past_waits_are_those_of_the_queue_and_the_last_ones_only() {
        let mut past = PastWaits::new(3);
        assert_eq!(asked(&mut past, 1, &[]).point, 0.0);
        for wait in [900, 10, 20, 30] {
            taught(&mut past, 1, &[], wait);
        }
        taught(&mut past, 2, &[], 5000);
        assert_eq!(asked(&mut past, 1, &[]).point, 20.0, "the first is forgotten");
        assert_eq!(asked(&mut past, 2, &[]).point, 5000.0);
        let unknown = asked(&mut past, 3, &[]);
        assert_eq!(unknown.point, 30.0, "of 20, 30 and 5000, the last three of all queues");
        assert_eq!(asked(&mut ZeroWait, 1, &[]), WaitForecast::nothing_known());
    }
}
