//! Range checks of parameters.

use std::fmt::Display;

use crate::synth::SynthError;
pub(super) use crate::synth::error::outside;

/// A value from `least` to `most`; NaN is in no range.
pub fn within<T>(field: &'static str, value: T, least: T, most: T, expected: &str) -> Result<(), SynthError>
where
    T: PartialOrd + Display,
{
    if (&least..=&most).contains(&&value) { Ok(()) } else { Err(outside(field, value, expected)) }
}

/// A percentage: above 0, at most 100.
pub fn percent(field: &'static str, value: f64) -> Result<(), SynthError> {
    within(field, value, f64::MIN_POSITIVE, 100.0, "above 0 and at most 100 percent")
}

/// Neither NaN nor infinite.
pub fn finite(field: &'static str, value: f64) -> Result<(), SynthError> {
    if value.is_finite() { Ok(()) } else { Err(outside(field, value, "a finite number")) }
}
