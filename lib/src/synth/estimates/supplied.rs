//! Modes that are known beforehand, put in their place in the head (section 9.4).

use serde::{Deserialize, Serialize};

use super::{HEAD, closest, popularity, range};
use crate::synth::SynthError;
use crate::units::Seconds;

/// A mode that is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Supplied {
    /// The estimate; 1 s to the longest.
    pub time: Seconds,
    /// How many percent of the jobs have it; above 0, at most 100 for all together.
    pub percent: f64,
}

/// Sums of percentages are not exact.
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

/// Whether these can be modes of one distribution.
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
    range::within("supplied.percent", sum(supplied), 0.0, 100.0 + NEARLY, "at most 100 percent in all")
}

/// How many percent are known.
pub fn sum(supplied: &[Supplied]) -> f64 {
    supplied.iter().map(|mode| mode.percent).sum()
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
    let given: f64 = known(head).iter().sum();
    if others.is_empty() || given >= head_percent - NEARLY {
        return HeadSizes { others: Vec::new(), tail: (100.0 - given).max(0.0) };
    }
    popularity::scale(&mut others, head_percent - given);
    HeadSizes { others, tail: 100.0 - head_percent }
}
