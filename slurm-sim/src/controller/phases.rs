//! When the controller's timers are due.

use crate::cluster::{ClusterSettings, RunClock};

/// Microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;

/// The largest lag, in microseconds, of the clock of whole seconds behind the clock of the logs.
pub(super) const CLOCK_LAG_US: i64 = 4_000;

/// Seconds between two reports of node states to the accounting database by the background thread.
pub(super) const REPORT: i64 = 300;

/// Milliseconds from the controller's start to the first submission, where the start is not recorded.
const FIRST_SUBMISSION_MS: i64 = 60_000;

/// When the controller's timers are due.
#[derive(Debug, Clone, Copy)]
pub struct Phases {
    /// When the controller was started, in microseconds.
    pub start_us: i64,
    /// The first tick of its background thread after that.
    pub first_tick_us: i64,
    /// The time between ticks.
    pub tick_us: i64,
    /// How much longer a turn takes that has a pass in it.
    pub pass_us: i64,
    /// And one that reports the nodes to the accounting database, every five minutes.
    pub report_us: i64,
    /// The first backfill cycle.
    pub first_backfill_us: i64,
    /// How long a cycle takes for each test.
    pub backfill_test_us: i64,
    /// When the priority timer was started, after that: priorities are first computed one period later.
    pub first_priority_us: i64,
    /// From the end of a job's run to when the controller knows.
    pub end_delay_us: i64,
    /// From when a job is stopped to when its nodes are free again.
    pub stop_delay_us: i64,
}

impl Phases {
    /// Of a controller started at this instant, in microseconds, with this backfill interval in seconds; delays as measured.
    pub fn from_start(start_us: i64, backfill: i64) -> Phases {
        Phases {
            start_us,
            first_tick_us: 1_040_000,
            tick_us: 1_001_300,
            pass_us: 2_500,
            report_us: 95_000,
            first_backfill_us: start_us + 730_000 + backfill * SECOND,
            backfill_test_us: 150,
            first_priority_us: 1_040_000,
            end_delay_us: 90_000,
            stop_delay_us: 70_000,
        }
    }

    /// Of a controller without timers and delays, from an instant on, in microseconds.
    pub(super) fn at_once(start_us: i64) -> Phases {
        Phases { end_delay_us: 0, stop_delay_us: 0, ..Phases::from_start(start_us, 0) }
    }

    /// Of a controller that has run for long, at this instant in microseconds; next tick, backfill cycle and priority computation
    /// are given in microseconds after it.
    pub fn running_on(now_us: i64, [tick, backfill, priority]: [i64; 3]) -> Phases {
        Phases {
            first_tick_us: tick,
            first_backfill_us: now_us + backfill,
            first_priority_us: priority,
            ..Phases::from_start(now_us, 0)
        }
    }

    /// The second at which the background thread began: passes over the whole queue and checks of limits count from it.
    pub(super) fn background_start(&self) -> i64 {
        (self.start_us + self.first_priority_us - CLOCK_LAG_US).div_euclid(SECOND)
    }

    /// As a recording tells them; what it does not tell is as measured elsewhere.
    pub fn of(clock: &RunClock, settings: &ClusterSettings) -> Phases {
        let start = clock.scheduler_start_ms.unwrap_or(clock.zero_ms - FIRST_SUBMISSION_MS) * 1000;
        let interval = settings.backfill.as_ref().map_or(30, |one| one.interval.0);
        let mut phases = Phases::from_start(start, interval);
        if let Some(first) = clock.first_backfill_ms {
            phases.first_backfill_us = first * 1000;
        }
        if let Some(timer) = clock.priority_timer_ms {
            phases.first_priority_us = timer * 1000 - start;
        }
        if let Some(tick) = clock.tick_ms {
            let since = tick * 1000 - start - phases.first_tick_us;
            let since = since - since.div_euclid(REPORT * SECOND) * phases.report_us;
            // The tick nearest to the usual first one.
            let turns = (since + phases.tick_us / 2).div_euclid(phases.tick_us);
            phases.first_tick_us += since - turns * phases.tick_us;
        }
        phases
    }
}
