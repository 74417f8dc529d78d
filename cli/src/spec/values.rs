//! Plain values on the command line: numbers, time zones, dimensions of jobs.

use std::num::IntErrorKind;

use queuecast::eval::Dimension;
use queuecast::report::duration;
use queuecast::trace::TimeZone;
use queuecast::units::Seconds;

use super::parser::{SpecParser, of, read};

/// What jobs are grouped by; former names are read, but not listed.
pub fn dimension() -> SpecParser<Dimension> {
    of::<Dimension>().read_by(|text| match text {
        "size" | "size_class" => Ok(Dimension::SizeClass),
        text => read(text),
    })
}

/// Reads `--time-zone`.
pub fn time_zone(text: &str) -> Result<TimeZone, String> {
    TimeZone::get(text).map_err(|_| "no such time zone; write it as Europe/Stockholm, or UTC".to_owned())
}

/// Reads a whole number from 1 on.
pub fn at_least_one<T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    at_least::<1, T>(text)
}

/// Reads a whole number from `LEAST` on.
pub fn at_least<const LEAST: i64, T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    let number: i64 = text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "too large".to_owned(),
        IntErrorKind::NegOverflow => format!("must be at least {LEAST}"),
        _ => "expected a whole number".to_owned(),
    })?;
    if number < LEAST {
        return Err(format!("must be at least {LEAST}"));
    }
    T::try_from(number).map_err(|_| "too large".to_owned())
}

/// The most seeds: more do not change the means visibly, and take days.
const MOST_SEEDS: u64 = 1_000;

/// Reads a number of seeds, at least two so that there is a deviation.
pub fn seeds(text: &str) -> Result<u64, String> {
    let seeds = at_least::<2, u64>(text)?;
    if seeds <= MOST_SEEDS { Ok(seeds) } else { Err(format!("must be at most {MOST_SEEDS}")) }
}

/// Reads a length of time.
pub fn duration(text: &str) -> Result<Seconds, String> {
    duration::parse(text).map_err(|error| error.to_string())
}

/// Reads a length of time above zero.
pub fn positive_duration(text: &str) -> Result<Seconds, String> {
    let length = duration(text)?;
    if length > Seconds::ZERO { Ok(length) } else { Err("expected a time above zero".to_owned()) }
}

/// Reads a positive, finite number.
pub fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err("expected a number above zero".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_have_names() {
        assert!(time_zone("Europe/Stockholm").is_ok());
        assert!(time_zone("Europe/Nowhere").is_err_and(|why| why.contains("no such time zone")));
    }

    #[test]
    fn factors_are_positive() {
        assert_eq!(positive("1.5"), Ok(1.5));
        assert!(["0", "-1", "nan", "inf", "x"].iter().all(|text| positive(text).is_err()));
    }

    #[test]
    fn counts_begin_where_they_must() {
        assert_eq!(at_least_one::<u32>("1"), Ok(1));
        assert_eq!(at_least::<2, u32>("1"), Err("must be at least 2".to_owned()));
        assert_eq!(at_least_one::<u16>("-1"), Err("must be at least 1".to_owned()));
        assert_eq!(at_least_one::<u16>("-99999999999999999999"), Err("must be at least 1".to_owned()));
        for large in ["65536", "99999999999999999999"] {
            assert_eq!(at_least_one::<u16>(large), Err("too large".to_owned()));
        }
        assert_eq!(at_least_one::<u32>("many"), Err("expected a whole number".to_owned()));
    }

    #[test]
    fn one_seed_is_too_few() {
        assert_eq!((seeds("2"), seeds("1000")), (Ok(2), Ok(1_000)));
        assert_eq!(seeds("1"), Err("must be at least 2".to_owned()));
        assert_eq!(seeds("1001"), Err("must be at most 1000".to_owned()));
    }
}
