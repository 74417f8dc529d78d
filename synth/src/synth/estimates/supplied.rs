//! Supplied modes and their places in the head (section 9.4).

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{HEAD, closest, popularity, range};
use crate::synth::SynthError;
use queuecast_core::duration;
use queuecast_core::units::Seconds;

/// A supplied mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supplied {
    /// The estimate; 1 s to the longest.
    pub time: Seconds,
    /// The percentage of the jobs with it; above 0, at most 100 in all.
    pub percent: f64,
}

/// Reads `TIME=PERCENT`, as in `1h=12.5`.
impl FromStr for Supplied {
    type Err = String;

    fn from_str(text: &str) -> Result<Supplied, String> {
        let (time, percent) = text.rsplit_once('=').ok_or("expected TIME=PERCENT, as in 1h=12.5")?;
        let percent =
            percent.trim_end_matches('%').parse().map_err(|_| "expected a number of percent after =")?;
        if !(percent > 0.0 && percent <= 100.0) {
            return Err("the percent must be above 0 and at most 100".to_owned());
        }
        let time = duration::parse(time).map_err(|error| error.to_string())?;
        Ok(Supplied { time, percent })
    }
}

/// Tolerance for sums of percentages.
const NEARLY: f64 = 1e-9;

/// A time of the head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadTime {
    pub time: Seconds,
    /// Its size, where it was supplied.
    pub percent: Option<f64>,
}

/// The sizes of the head and what they leave.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadSizes {
    /// What was not supplied, the largest first: the default sizes that were not replaced, scaled. Empty where what was
    /// supplied leaves nothing.
    pub others: Vec<f64>,
    /// What is left for the tail, in percent.
    pub tail: f64,
}

/// Fails if these cannot be modes of one distribution.
pub fn check(supplied: &[Supplied], longest: Seconds) -> Result<(), SynthError> {
    let others = supplied.iter().filter(|mode| mode.time != longest).count();
    if others >= HEAD {
        let expected = "at most 19, beside the longest: the head has 20";
        return Err(range::outside("supplied", format!("{others} modes"), expected));
    }
    for (place, mode) in supplied.iter().enumerate() {
        let expected = format!("between 1 and the longest estimate, {longest} s");
        range::within("supplied.time", mode.time, Seconds(1), longest, &expected)?;
        range::percent("supplied.percent", mode.percent)?;
        if supplied[..place].iter().any(|before| before.time == mode.time) {
            let expected = "a time that is supplied once (longest_percent supplies the longest)";
            return Err(range::outside("supplied.time", mode.time, expected));
        }
    }
    range::within("supplied.percent", sum(supplied), 0.0, 100.0, "at most 100 percent in all")
}

/// Fails if the rest of 100 percent has no other time.
pub fn check_room(supplied: &[Supplied], others: usize) -> Result<(), SynthError> {
    if others > 0 || sum(supplied) >= 100.0 {
        return Ok(());
    }
    let expected = "100 percent in all: there is no other time to ask for";
    Err(range::outside("supplied.percent", sum(supplied), expected))
}

/// The supplied percentage.
pub fn sum(supplied: &[Supplied]) -> f64 {
    all(supplied.iter().map(|mode| mode.percent))
}

/// The sum of percentages, exactly 100 where it is nearly that.
fn all(percentages: impl Iterator<Item = f64>) -> f64 {
    let sum: f64 = percentages.sum();
    if (sum - 100.0).abs() < NEARLY { 100.0 } else { sum }
}

/// The default times of the head, of which the longest is the first, with those that are closest to supplied ones
/// replaced by them. The longest is replaced only by itself. The longest stays first, the others ascend. More are
/// supplied than there were only where the longest is of a few minutes; then the head grows.
pub fn embed_times(default: &[Seconds], supplied: &[Supplied]) -> Vec<HeadTime> {
    let mut head: Vec<HeadTime> = default.iter().map(|&time| HeadTime { time, percent: None }).collect();
    let Some((longest, others)) = head.split_first_mut() else { return head };
    let (of_longest, known): (Vec<Supplied>, Vec<Supplied>) =
        supplied.iter().partition(|mode| mode.time == longest.time);
    longest.percent = of_longest.first().map(|mode| mode.percent);
    let far = |one: usize, other: usize| (known[one].time.0 - others[other].time.0).abs() as f64;
    let places = closest::pair(known.len(), others.len(), far);
    let mut more = Vec::new();
    for (mode, place) in known.iter().zip(places) {
        let mode = HeadTime { time: mode.time, percent: Some(mode.percent) };
        match place {
            Some(place) => others[place] = mode,
            None => more.push(mode),
        }
    }
    head.append(&mut more);
    head[1..].sort_by_key(|head| head.time);
    head
}

/// The default sizes of the head, the largest first, without those that supplied ones replace, and the rest scaled so
/// that the head comes to `head_percent`. If what is supplied is no less than that, the rest is gone, and the tail
/// gets what is left of 100.
///
/// The largest is reserved for the longest time: a size supplied for that replaces it, however far off, and no other
/// does. The paper only says that it is not replaced unless the longest is supplied. Were it then replaced by the
/// closest instead, a longest time that 10 % ask for (SDSC-106) would leave a mode of 23 % for some short time, which
/// no log has; replaced by its own, the others are scaled to 12 % and 10 %, as in the log.
pub fn embed_sizes(default: &[f64], head: &[HeadTime], head_percent: f64) -> HeadSizes {
    let known = |head: &[HeadTime]| -> Vec<f64> { head.iter().filter_map(|head| head.percent).collect() };
    let (longest, shorter) = head.split_at(1.min(head.len()));
    let (reserved, smaller) = default.split_at(1.min(default.len()));
    let mut others = if known(longest).is_empty() { reserved.to_vec() } else { Vec::new() };
    let supplied = known(shorter);
    let far = |one: usize, other: usize| (supplied[one] - smaller[other]).abs();
    let replaced = closest::pair(supplied.len(), smaller.len(), far);
    let kept = (0..smaller.len()).filter(|&place| !replaced.contains(&Some(place)));
    others.extend(kept.map(|place| smaller[place]));
    let given = all(known(head).into_iter());
    if others.is_empty() || given >= head_percent - NEARLY {
        return HeadSizes { others: Vec::new(), tail: 100.0 - given };
    }
    popularity::scale(&mut others, head_percent - given);
    HeadSizes { others, tail: 100.0 - head_percent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supplied(pairs: &[(i64, f64)]) -> Vec<Supplied> {
        pairs.iter().map(|&(time, percent)| Supplied { time: Seconds(time), percent }).collect()
    }

    fn times(default: &[i64], pairs: &[(i64, f64)]) -> Vec<(i64, Option<f64>)> {
        let default: Vec<Seconds> = default.iter().map(|&time| Seconds(time)).collect();
        embed_times(&default, &supplied(pairs)).into_iter().map(|head| (head.time.0, head.percent)).collect()
    }

    fn sizes(default: &[f64], known: &[Option<f64>], head_percent: f64) -> HeadSizes {
        let head: Vec<HeadTime> =
            (0..).zip(known).map(|(time, &percent)| HeadTime { time: Seconds(time), percent }).collect();
        embed_sizes(default, &head, head_percent)
    }

    #[test]
    fn times_go_to_the_closest_place_but_never_to_the_longest() {
        let default = [1000, 500, 100, 300];
        assert_eq!(times(&default, &[]), [(1000, None), (100, None), (300, None), (500, None)]);
        // 990 is closest to 1000, which stays.
        assert_eq!(
            times(&default, &[(990, 5.0), (310, 2.0)]),
            [(1000, None), (100, None), (310, Some(2.0)), (990, Some(5.0))]
        );
        assert_eq!(
            times(&default, &[(1000, 7.0), (100, 1.0)]),
            [(1000, Some(7.0)), (100, Some(1.0)), (300, None), (500, None)]
        );
        // No room: the head grows.
        assert_eq!(times(&[60], &[(30, 9.0), (20, 8.0)]), [(60, None), (20, Some(8.0)), (30, Some(9.0))]);
    }

    #[test]
    fn the_size_of_the_longest_replaces_the_largest_and_no_other_does() {
        let default = [40.0, 20.0, 15.0, 5.0];
        // 4 instead of 40: the others are scaled to what is left of 80.
        assert_eq!(
            sizes(&default, &[Some(4.0), None, None, None], 80.0),
            HeadSizes { others: vec![38.0, 28.5, 9.5], tail: 20.0 }
        );
        // 35 is closest to 40, but that is reserved: it replaces 20; the reserved one is scaled as well.
        assert_eq!(
            sizes(&default, &[None, Some(35.0), None, None], 80.0),
            HeadSizes { others: vec![30.0, 11.25, 3.75], tail: 20.0 }
        );
        // Control: nothing supplied, nothing changed.
        assert_eq!(sizes(&default, &[None; 4], 80.0), HeadSizes { others: default.to_vec(), tail: 20.0 });
    }

    #[test]
    fn where_scaling_is_not_possible_the_others_are_gone() {
        let default = [40.0, 20.0, 15.0, 5.0];
        let gone = |tail| HeadSizes { others: Vec::new(), tail };
        assert_eq!(sizes(&default, &[None, Some(50.0), Some(40.0), None], 80.0), gone(10.0));
        assert_eq!(sizes(&default, &[Some(50.0), Some(30.0), None, None], 80.0), gone(20.0));
        // All supplied, and less than the head: the tail has more.
        assert_eq!(sizes(&default, &[Some(10.0); 4], 80.0), gone(60.0));
    }

    #[test]
    fn a_mode_is_a_time_and_percent() {
        assert_eq!("1h=12.5".parse(), Ok(Supplied { time: Seconds(3600), percent: 12.5 }));
        assert_eq!("18:00:00=5%".parse(), Ok(Supplied { time: Seconds(64_800), percent: 5.0 }));
        for text in ["1h", "=5", "1h=", "1h=many", "soon=5", "1h=0", "1h=101", "1h=nan"] {
            assert!(text.parse::<Supplied>().is_err(), "{text}");
        }
    }
}
