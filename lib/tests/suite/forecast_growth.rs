//! What forecasts at a Slurm site cost grows with its history, not with the square of it.

use std::time::{Duration, Instant};

use queuecast_core::seed::Seed;
use queuecast_forecast::forecast::{ClusterDraws, ExpectedArrivals};
use queuecast_study::forecast_starts;

use crate::support::made_site::{history, site};

/// Forecasts at every submission of five times as many jobs take some five times as long; squared it would be 25 times.
#[test]
#[ignore = "measures time: scripts/test --thorough runs it"]
fn five_times_the_history_takes_some_five_times_as_long() {
    let cluster = site();
    let draws = ClusterDraws { draws: 1, arrivals: ExpectedArrivals::None };
    let took = |jobs: usize| -> Duration {
        let run = history(jobs);
        // The fastest of three, since other work on the machine only adds.
        let once = |_| {
            let begin = Instant::now();
            assert_eq!(forecast_starts(&cluster, &run, &[], draws, Seed(1), &|_| {}).len(), jobs);
            begin.elapsed()
        };
        (0..3).map(once).min().unwrap()
    };
    let (short, long) = (took(1_200), took(6_000));
    assert!(long < 12 * short, "{short:?} {long:?}");
}
