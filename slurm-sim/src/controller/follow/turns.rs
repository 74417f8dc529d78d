//! When the background thread had its turns, by what was logged.

use std::collections::BTreeMap;

use crate::cluster::{LoggedAction, LoggedStep, RecordedRun};
use crate::controller::clock::Phases;
use queuecast_core::units::Micros;

/// The largest number of turns of a timer that is followed between two logged steps.
pub const MOST_TURNS: i64 = 100_000;

/// A pass within this time of an expected tick is at that tick; others are triggered by nodes that report.
const TICK_TOLERANCE: Micros = Micros::of_millis(60);

/// Turns of the background thread, the last one first. Passes over the whole queue are at turns; between these there are as many
/// as there is time for; passes about then tell them exactly. Stops at time limits are not looked at.
pub fn ticks(steps: &[LoggedStep], phases: &Phases) -> Vec<Micros> {
    let first = phases.start + phases.first_tick;
    if phases.is_on_seconds() {
        let turns = (steps.last().map_or(first, |step| step.at) - first) / phases.tick + 1;
        return (0..=turns.clamp(0, MOST_TURNS)).rev().map(|turn| first + phases.tick * turn).collect();
    }
    let is_sure = |step: &&LoggedStep| matches!(step.what, LoggedAction::Pass { full: true });
    let at = |step: &LoggedStep| step.at;
    let sure = between(first, phases.tick, steps.iter().filter(is_sure).map(at));
    let is_near = |&at: &Micros| {
        let after = sure.partition_point(|&tick| tick < at);
        let near = |tick: Option<&Micros>| tick.is_some_and(|tick| tick.abs_diff(at) <= TICK_TOLERANCE);
        near(sure.get(after)) || near(after.checked_sub(1).and_then(|before| sure.get(before)))
    };
    let passes = steps.iter().filter(|step| matches!(step.what, LoggedAction::Pass { .. }));
    let mut ticks = between(first, phases.tick, passes.map(at).filter(is_near));
    // And on to the end of the log.
    let (last, end) = (ticks[ticks.len() - 1], steps.last().map_or(first, at));
    let turns = ((end - last) / phases.tick.max(Micros(1)) + 1).clamp(0, MOST_TURNS);
    ticks.extend((1..=turns).map(|turn| last + phases.tick * turn));
    ticks.reverse();
    ticks
}

/// Instants about a period apart, from the first on, evenly between those that are known.
fn between(first: Micros, period: Micros, known: impl Iterator<Item = Micros>) -> Vec<Micros> {
    let period = period.max(Micros(1));
    let (mut all, mut last) = (vec![first], first);
    for at in known {
        // An instant less than half a period after the last one is that one.
        let turns = (at - last + period / 2).div_euclid(period);
        let first = (turns - MOST_TURNS).max(0) + 1;
        all.extend((first..=turns).map(|turn| at - (at - last) / turns * (turns - turn)));
        last = if turns > 0 { at } else { last };
    }
    all
}

/// Seconds from the submission of jobs until the first of them was eligible.
pub fn until_eligible(run: &RecordedRun) -> BTreeMap<&str, i64> {
    let mut until = BTreeMap::new();
    for one in &run.outcomes {
        let Some(eligible) = one.eligible else { continue };
        let first = until.entry(one.key.as_str()).or_insert(i64::MAX);
        *first = (eligible - one.submit).0.min(*first);
    }
    until
}
