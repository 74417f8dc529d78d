//! Whole seconds and whole processors: integer newtypes with the arithmetic that makes sense for them.
//!
//! There is no float clock anywhere, hence no epsilon. Human units ("2 h 10 min") exist only in `report`
//! and in the command line.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// An instant, in whole seconds. For a trace in the Standard Workload Format it counts from the trace's
/// start; for accounting records it is Unix time. Only differences of the two kinds mean anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

/// A length of time, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(pub i64);

/// A number of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Procs(pub u32);

impl Time {
    /// Later than any event.
    pub const NEVER: Time = Time(i64::MAX);
}

impl Seconds {
    /// No time at all.
    pub const ZERO: Seconds = Seconds(0);

    /// This length times `factor`, rounded up and saturating.
    pub fn scaled(self, factor: f64) -> Seconds {
        let scaled = (self.0 as f64 * factor).ceil();
        Seconds(scaled.clamp(0.0, (i64::MAX / 4) as f64) as i64)
    }
}

impl Add<Seconds> for Time {
    type Output = Time;
    fn add(self, length: Seconds) -> Time {
        Time(self.0.saturating_add(length.0))
    }
}

impl Sub<Seconds> for Time {
    type Output = Time;
    fn sub(self, length: Seconds) -> Time {
        Time(self.0.saturating_sub(length.0))
    }
}

impl Sub for Time {
    type Output = Seconds;
    fn sub(self, earlier: Time) -> Seconds {
        Seconds(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Seconds {
    type Output = Seconds;
    fn add(self, other: Seconds) -> Seconds {
        Seconds(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, other: Seconds) {
        *self = *self + other;
    }
}

impl Sub for Seconds {
    type Output = Seconds;
    fn sub(self, other: Seconds) -> Seconds {
        Seconds(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Seconds {
    fn sub_assign(&mut self, other: Seconds) {
        *self = *self - other;
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Seconds>>(lengths: I) -> Seconds {
        lengths.fold(Seconds::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Procs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_rounds_up_and_never_leaves_the_clock() {
        assert_eq!(Seconds(3).scaled(0.5), Seconds(2));
        assert_eq!(Seconds(100).scaled(2.0), Seconds(200));
        assert!(Seconds(i64::MAX).scaled(1e9) > Seconds::ZERO);
        assert!(Time(0) + Seconds(i64::MAX).scaled(1e9) < Time::NEVER);
    }
}
