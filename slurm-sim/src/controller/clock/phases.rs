//! When the controller's timers are due.

use crate::cluster::{ClusterSettings, RunClock};
use queuecast_core::units::{Micros, Seconds};

/// The largest lag of the clock of whole seconds behind the clock of the logs.
pub const CLOCK_LAG: Micros = Micros::of_millis(4);

/// Seconds between two reports of node states to the accounting database by the background thread.
pub const REPORT: i64 = 300;

/// How long after the full second a turn is, where turns are on whole seconds.
const ON_SECOND: Micros = Micros::of_millis(5);

/// From the controller's start to the begin of its background thread.
const BACKGROUND: Micros = Micros(1_040_000);

/// From the controller's start to the first submission, where the start is not recorded.
const FIRST_SUBMISSION: Micros = Micros::of_seconds(60);

/// When the controller's timers are due.
#[derive(Debug, Clone, Copy)]
pub struct Phases {
    /// When the controller was started.
    pub start: Micros,
    /// The first tick of its background thread after that.
    pub first_tick: Micros,
    /// The time between ticks.
    pub tick: Micros,
    /// How much longer a turn takes that has a pass in it.
    pub pass: Micros,
    /// How much longer a turn takes that reports the nodes to the accounting database, every five minutes.
    pub report: Micros,
    /// The first backfill cycle.
    pub first_backfill: Micros,
    /// How long a cycle takes for each test.
    pub backfill_test: Micros,
    /// When the priority timer was started, after that: priorities are first computed one period later.
    pub first_priority: Micros,
    /// From the end of a job's run to when the controller knows.
    pub end_delay: Micros,
    /// From when a job is stopped to when its nodes are free again.
    pub stop_delay: Micros,
}

impl Phases {
    /// Of a controller started at this instant, with this backfill interval; delays as measured.
    pub fn from_start(start: Micros, backfill: Seconds) -> Phases {
        Phases {
            start,
            first_tick: BACKGROUND,
            tick: Micros(1_001_300),
            pass: Micros(2_500),
            report: Micros(95_000),
            first_backfill: start + Micros(730_000) + Micros::of_seconds(backfill.0),
            backfill_test: Micros(150),
            first_priority: BACKGROUND,
            end_delay: Micros(90_000),
            stop_delay: Micros(70_000),
        }
    }

    /// Of a controller without timers and delays, from an instant on.
    pub fn at_once(start: Micros) -> Phases {
        Phases {
            end_delay: Micros::ZERO,
            stop_delay: Micros::ZERO,
            ..Phases::from_start(start, Seconds::ZERO)
        }
    }

    /// Of a controller that has run for long, at this instant; next tick, backfill cycle and priority computation are given as
    /// lengths of time after it.
    pub fn running_on(now: Micros, [tick, backfill, priority]: [Micros; 3]) -> Phases {
        Phases {
            first_tick: tick,
            first_backfill: now + backfill,
            first_priority: priority,
            ..Phases::from_start(now, Seconds::ZERO)
        }
    }

    /// As they are with a version of Slurm: since 24.11 the background thread takes its turns on whole seconds.
    pub(in crate::controller) fn of_version(self, version: Option<(u32, u32)>) -> Phases {
        if version.is_none_or(|version| version < (24, 11)) {
            return self;
        }
        let first = self.start + self.first_tick;
        let whole =
            Micros::of_seconds((first - ON_SECOND + Micros::SECOND - Micros(1)).second().0) + ON_SECOND;
        Phases {
            first_tick: whole - self.start,
            tick: Micros::SECOND,
            pass: Micros::ZERO,
            report: Micros::ZERO,
            ..self
        }
    }

    /// Whether turns of the background thread are on whole seconds.
    pub(in crate::controller) fn is_on_seconds(&self) -> bool {
        self.tick == Micros::SECOND
    }

    /// The second that the background thread counts for a turn at an instant of the logs.
    pub(in crate::controller) fn second_of_turn(&self, at: Micros) -> i64 {
        if self.is_on_seconds() { (at + Micros::SECOND / 2).second().0 } else { (at - CLOCK_LAG).second().0 }
    }

    /// The second at which the background thread began: passes over the whole queue and checks of limits count from it.
    pub fn background_start(&self) -> i64 {
        // Since 24.11 the timer of priorities is started before it.
        let begun = if self.is_on_seconds() { BACKGROUND } else { self.first_priority };
        (self.start + begun - CLOCK_LAG).second().0
    }

    /// As a recording tells them; what it does not tell is as measured elsewhere.
    pub fn of(clock: &RunClock, settings: &ClusterSettings) -> Phases {
        let start = clock.scheduler_start.unwrap_or(clock.begin - FIRST_SUBMISSION);
        let interval = settings.backfill.as_ref().and_then(|one| one.interval).unwrap_or(Seconds(30));
        let mut phases = Phases::from_start(start, interval);
        if let Some(first) = clock.first_backfill {
            phases.first_backfill = first;
        }
        if let Some(timer) = clock.priority_timer {
            phases.first_priority = timer - start;
        }
        if let Some(tick) = clock.tick {
            let since = tick - start - phases.first_tick;
            let since = since - phases.report * since.second().0.div_euclid(REPORT);
            // The tick nearest to the usual first one.
            let turns = (since + phases.tick / 2).div_euclid(phases.tick);
            phases.first_tick += since - phases.tick * turns;
        }
        phases
    }
}
