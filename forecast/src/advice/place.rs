//! One job in several places: partitions or sites.

use serde::Serialize;

use super::option::JobOption;
use super::ranking::Ranking;
use crate::forecast::is_surely_shorter;

/// The place where a job would be done soonest, each with the change that is advised there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SoonestPlace {
    /// Among the plans.
    pub place: usize,
    /// How much sooner it is done than in the first place, by the median.
    pub gain: f64,
    /// Whether it is too close to call against the first place; of the first place itself, against any other.
    pub too_close: bool,
}

impl SoonestPlace {
    /// The place whose advised option ends soonest by the median; the first of equal ones. `None` if there are no places.
    pub fn of(advised: &[&JobOption]) -> Option<SoonestPlace> {
        let done = |place: usize| advised[place].done.median;
        let is_sooner =
            |one: usize, other: usize| is_surely_shorter(&advised[one].ends, &advised[other].ends);
        let Ranking { best: place, chosen, .. } = Ranking::of(0..advised.len(), done, is_sooner, usize::cmp)?;
        let too_close = match place {
            0 => (1..advised.len()).any(|other| !is_sooner(0, other)),
            _ => chosen == 0,
        };
        Some(SoonestPlace { place, gain: done(0) - done(place), too_close })
    }
}

#[cfg(test)]
mod tests {
    use super::super::variant::{JobChange, JobVariant};
    use super::*;
    use queuecast_core::distribution::Distribution;
    use queuecast_core::units::{Procs, Seconds};

    #[test]
    fn the_soonest_place_wins_by_more_than_a_little() {
        let option = |wait: f64| {
            let run = Distribution::point(600.0);
            let (change, limit) = (JobChange::AsAsked, Seconds(3600));
            let variant = JobVariant { change, job: (), procs: Procs(1), limit, run };
            JobOption::of(&variant, &Distribution::interval(wait / 2.0, wait, 2.0 * wait, 0.8))
        };
        let (first, near, far) = (option(36_000.0), option(35_000.0), option(3_600.0));
        let soonest = SoonestPlace::of(&[&first, &near, &far]).unwrap();
        assert!(soonest.place == 2 && !soonest.too_close && soonest.gain > 30_000.0, "{soonest:?}");
        let soonest = SoonestPlace::of(&[&first, &near]).unwrap();
        assert!(soonest.place == 1 && soonest.too_close, "{soonest:?}");
        let soonest = SoonestPlace::of(&[&first, &first]).unwrap();
        assert_eq!(soonest, SoonestPlace { place: 0, gain: 0.0, too_close: true });
        let soonest = SoonestPlace::of(&[&far, &first]).unwrap();
        assert_eq!(soonest, SoonestPlace { place: 0, gain: 0.0, too_close: false });
        assert_eq!(SoonestPlace::of(&[]), None);
    }
}
