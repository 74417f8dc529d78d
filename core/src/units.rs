//! Whole seconds, whole microseconds and whole processors: integer newtypes with the arithmetic that makes sense for them.
//!
//! There is no float clock anywhere, hence no epsilon. Human units ("2 h 10 min") exist only in `report`
//! and in the command line.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

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

/// Microseconds: an instant on the clock of [`Time`], or a length of time, where timers tick within seconds. Arithmetic saturates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Micros(pub i64);

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

impl Micros {
    /// The clock's zero, or no time at all.
    pub const ZERO: Micros = Micros(0);
    /// One second.
    pub const SECOND: Micros = Micros(1_000_000);
    /// One day.
    pub const DAY: Micros = Micros::of_seconds(86_400);
    /// Later than any event.
    pub const NEVER: Micros = Micros(i64::MAX);

    /// Whole seconds.
    pub const fn of_seconds(seconds: i64) -> Micros {
        Micros(seconds.saturating_mul(1_000_000))
    }

    /// Whole milliseconds.
    pub const fn of_millis(millis: i64) -> Micros {
        Micros(millis.saturating_mul(1000))
    }

    /// The last millisecond of a second: what happened in it is known by then.
    pub const fn last_of(second: Time) -> Micros {
        Micros(Micros::of_seconds(second.0).0.saturating_add(999_000))
    }

    /// The second that this instant lies in.
    #[inline]
    pub const fn second(self) -> Time {
        Time(self.0.div_euclid(1_000_000))
    }

    /// The millisecond that this instant lies in.
    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The length between two instants.
    pub const fn abs_diff(self, other: Micros) -> Micros {
        Micros(self.0.saturating_sub(other.0).saturating_abs())
    }

    /// How often a length goes into this one, rounded down.
    pub const fn div_euclid(self, length: Micros) -> i64 {
        self.0.div_euclid(length.0)
    }

    /// In seconds, for statistics.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// The begin of a second.
impl From<Time> for Micros {
    fn from(second: Time) -> Micros {
        Micros::of_seconds(second.0)
    }
}

impl Add for Micros {
    type Output = Micros;
    fn add(self, other: Micros) -> Micros {
        Micros(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Micros {
    fn add_assign(&mut self, other: Micros) {
        *self = *self + other;
    }
}

impl Sub for Micros {
    type Output = Micros;
    fn sub(self, other: Micros) -> Micros {
        Micros(self.0.saturating_sub(other.0))
    }
}

impl Mul<i64> for Micros {
    type Output = Micros;
    fn mul(self, times: i64) -> Micros {
        Micros(self.0.saturating_mul(times))
    }
}

impl Div<i64> for Micros {
    type Output = Micros;
    fn div(self, parts: i64) -> Micros {
        Micros(self.0 / parts)
    }
}

/// How often a length goes into another.
impl Div for Micros {
    type Output = i64;
    fn div(self, length: Micros) -> i64 {
        self.0 / length.0
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
