//! Numbers as text, in groups of three digits and with a fixed number of decimals, and numbers from text.

use std::num::{IntErrorKind, ParseIntError};

/// An integer with its thousands separated.
pub fn integer(value: i64) -> String {
    let digits = grouped(&value.unsigned_abs().to_string());
    if value < 0 { format!("-{digits}") } else { digits }
}

/// "1 job", "2,000 jobs".
pub fn number_of(count: impl TryInto<i64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(i64::MAX);
    format!("{} {what}{}", integer(count), if count == 1 { "" } else { "s" })
}

/// A number rounded to `decimals` places, its thousands separated; never "-0".
pub fn decimal(value: f64, decimals: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    let plain = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && plain.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    format!("{}{}{rest}", if negative { "-" } else { "" }, grouped(whole))
}

/// The shortest text that reads back as the same number.
pub fn raw(value: f64) -> String {
    // Adding zero turns minus zero into zero.
    format!("{}", value + 0.0)
}

/// Reads a whole number from 1 on.
pub fn at_least_one<T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    at_least::<1, T>(text)
}

/// Reads a whole number from `LEAST` on.
pub fn at_least<const LEAST: i64, T: TryFrom<i64>>(text: &str) -> Result<T, String> {
    let number: i64 = text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "too large".to_owned(),
        IntErrorKind::NegOverflow => format!("must be at least {LEAST}"),
        _ => "expected a whole number".to_owned(),
    })?;
    if number < LEAST {
        return Err(format!("must be at least {LEAST}"));
    }
    T::try_from(number).map_err(|_| "too large".to_owned())
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

fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(integer(0), "0");
        assert_eq!(integer(999), "999");
        assert_eq!(integer(-1_000), "-1,000");
        assert_eq!(integer(i64::MIN), "-9,223,372,036,854,775,808");
        assert_eq!(decimal(1_234_567.891, 2), "1,234,567.89");
        assert_eq!(decimal(999.996, 2), "1,000.00");
    }

    #[test]
    fn nothing_is_minus_zero() {
        assert_eq!(decimal(-0.004, 2), "0.00");
        assert_eq!(decimal(-0.006, 2), "-0.01");
        assert_eq!(raw(-0.0), "0");
        assert_eq!(raw(0.1 + 0.2), "0.30000000000000004");
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
}
