//! Which of several options to take.

use std::cmp::Ordering;

use super::option::JobOption;
use super::variant::JobChange;
use crate::forecast::is_surely_shorter;

/// A change that gains fewer seconds is not worth the effort.
const WORTH: f64 = 300.0;

/// The best of some options, and those that are too close to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ranking {
    /// The one of the least value; the first of equal ones.
    pub best: usize,
    /// The options that it is not surely better than, itself included, in their order.
    pub close: Vec<usize>,
    /// The close one of the least effort.
    pub chosen: usize,
}

impl Ranking {
    /// Of the options at these places; `None` of none.
    pub fn of(
        places: impl Iterator<Item = usize> + Clone,
        value: impl Fn(usize) -> f64,
        is_surely_better: impl Fn(usize, usize) -> bool,
        effort: impl Fn(&usize, &usize) -> Ordering,
    ) -> Option<Ranking> {
        let best = places.clone().min_by(|&one, &other| value(one).total_cmp(&value(other)))?;
        let close: Vec<usize> =
            places.filter(|&place| place == best || !is_surely_better(best, place)).collect();
        let chosen = close.iter().copied().min_by(effort)?;
        Some(Ranking { best, close, chosen })
    }
}

/// Whether a risk is no more than what is accepted, both as they are shown: in tenths of a percent.
pub fn is_accepted(risk: f64, accepted: f64) -> bool {
    (risk * 1000.0).round() <= (accepted * 1000.0).round()
}

/// The option to take: where the limit asked for is too risky and a longer one is not, the shortest such. Else, of the changes that are surely done
/// sooner by more than [`WORTH`] at no more than the accepted risk, the one of the least effort among those too close to call against the
/// best. Else the first option, or, where its limit is too risky, the longer limit of the least risk; `None` if no longer one lessens the risk: then
/// more time is to be asked for than any option has.
pub(super) fn advised(options: &[JobOption], risk: f64) -> Option<usize> {
    let is_longer = |one: &JobOption| one.change == JobChange::LongerLimit;
    let is_safe = |one: &JobOption| is_longer(one) && is_accepted(one.risk, risk);
    let is_risky = !is_accepted(options[0].risk, risk);
    if let Some(longer) = options.iter().position(is_safe).filter(|_| is_risky) {
        return Some(longer);
    }
    let helps = |place: &usize| {
        let one = &options[*place];
        one.gain > WORTH && is_accepted(one.risk, risk) && is_surely_shorter(&one.ends, &options[0].ends)
    };
    let done = |place: usize| options[place].done.median;
    let is_sooner = |one: usize, other: usize| is_surely_shorter(&options[one].ends, &options[other].ends);
    let effort = |one: &usize, other: &usize| {
        let rank = |place: usize| options[place].change.effort();
        rank(*one).cmp(&rank(*other)).then(done(*one).total_cmp(&done(*other)))
    };
    if let Some(ranking) = Ranking::of((0..options.len()).filter(helps), done, is_sooner, effort) {
        return Some(ranking.chosen);
    }
    if !is_risky {
        return Some(0);
    }
    let lessens =
        |place: &usize| is_longer(&options[*place]) && !is_accepted(options[0].risk, options[*place].risk);
    let by_risk = |one: &usize, other: &usize| {
        let key = |place: usize| ((options[place].risk * 1000.0).round() as i64, options[place].limit);
        key(*one).cmp(&key(*other))
    };
    (0..options.len()).filter(lessens).min_by(by_risk)
}

#[cfg(test)]
mod tests {
    use super::super::variant::JobVariant;
    use super::*;
    use queuecast_core::distribution::Distribution;
    use queuecast_core::units::{Procs, Seconds};

    fn option(change: JobChange, wait: f64) -> JobOption {
        let run = Distribution::point(600.0);
        let variant = JobVariant { change, job: (), procs: Procs(1), limit: Seconds(3600), run };
        JobOption::of(&variant, &Distribution::interval(wait / 2.0, wait, 2.0 * wait, 0.8))
    }

    fn options(waits: &[(JobChange, f64)]) -> Vec<JobOption> {
        let mut options: Vec<JobOption> =
            waits.iter().map(|(change, wait)| option(change.clone(), *wait)).collect();
        let first = options[0].clone();
        options.iter_mut().for_each(|one| one.compare(&first));
        options
    }

    #[test]
    fn of_those_too_close_to_call_the_least_effort_is_advised() {
        let (asked, limit, size) = (JobChange::AsAsked, JobChange::Limit, JobChange::Size);
        let later = JobChange::Later(Seconds(3600));
        // Near what was asked: too close.
        let near = options(&[(asked.clone(), 36_000.0), (limit.clone(), 35_000.0)]);
        assert!(near[1].too_close && near[1].gain > 0.0 && advised(&near, 0.02) == Some(0));
        // The size is done soonest, and the limit cannot be told from it.
        let far =
            [(asked.clone(), 36_000.0), (later, 3_700.0), (size.clone(), 3_600.0), (limit.clone(), 3_800.0)];
        assert_eq!(advised(&options(&far), 0.02), Some(3));
        assert!(options(&far)[1..].iter().all(|one| !one.too_close && one.gain > 30_000.0));
        // Control: a size that is surely done sooner than with the limit.
        let apart = [(asked.clone(), 36_000.0), (size.clone(), 3_600.0), (limit.clone(), 12_000.0)];
        assert_eq!(advised(&options(&apart), 0.02), Some(1));
        // A gain of minutes is none, and no risk above the accepted one is advised.
        let minutes = options(&[(asked, 250.0), (limit, 20.0)]);
        assert!(!minutes[1].too_close && advised(&minutes, 0.02) == Some(0), "{}", minutes[1].gain);
        let mut risky = options(&apart);
        risky[1].risk = 0.1;
        assert_eq!(advised(&risky, 0.02), Some(2));
    }

    #[test]
    fn where_the_limit_is_too_risky_the_shortest_safe_one_is_advised() {
        let longer = JobChange::LongerLimit;
        let mut options = options(&[
            (JobChange::AsAsked, 60.0),
            (longer.clone(), 60.0),
            (longer.clone(), 90.0),
            (longer, 120.0),
        ]);
        for (one, risk) in options.iter_mut().zip([0.3, 0.1, 0.02, 0.0]) {
            one.risk = risk;
        }
        assert_eq!([0.02, 0.1, 0.4].map(|risk| advised(&options, risk)), [Some(2), Some(1), Some(0)]);
        // None is safe enough: the shortest of the least risk, as it is shown.
        for (one, risk) in options.iter_mut().zip([0.3, 0.2, 0.1, 0.1]) {
            one.risk = risk;
        }
        assert_eq!(advised(&options, 0.02), Some(2));
        // None lessens the risk: more time than any option has.
        options.iter_mut().for_each(|one| one.risk = 1.0);
        assert_eq!((advised(&options, 0.02), advised(&options[..1], 0.02)), (None, None));
    }
}
