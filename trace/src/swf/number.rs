//! Numbers as logs write them: whole, with decimals, with an exponent.

/// A number that was meant to be whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Whole {
    Exact(i64),
    /// It had a fraction and was rounded, halves away from zero.
    Rounded(i64),
}

pub(super) const NOT_A_NUMBER: &str = "not a number";
pub(super) const TOO_LARGE: &str = "too large to be a number of anything";

/// The slow path, for text that is not plain digits.
pub(super) fn whole(token: &[u8]) -> Result<Whole, &'static str> {
    let text = std::str::from_utf8(token).map_err(|_| NOT_A_NUMBER)?;
    if let Ok(value) = text.parse::<i64>() {
        return Ok(Whole::Exact(value));
    }
    let value = real(token)?;
    let rounded = value.round();
    // From 2^53 on a float no longer tells neighbours apart, so the number would be changed silently.
    if rounded.abs() >= 9_007_199_254_740_992.0 {
        return Err(TOO_LARGE);
    }
    let whole = rounded as i64;
    Ok(if rounded == value { Whole::Exact(whole) } else { Whole::Rounded(whole) })
}

/// A number with decimals or an exponent; words that Rust reads as numbers (`inf`, `nan`) are not.
pub(super) fn real(token: &[u8]) -> Result<f64, &'static str> {
    let plausible = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    if !token.iter().all(plausible) {
        return Err(NOT_A_NUMBER);
    }
    let text = std::str::from_utf8(token).map_err(|_| NOT_A_NUMBER)?;
    let value: f64 = text.parse().map_err(|_| NOT_A_NUMBER)?;
    if value.is_finite() { Ok(value) } else { Err(TOO_LARGE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_be_written_as_decimals_or_with_an_exponent() {
        assert_eq!(whole(b"12.0"), Ok(Whole::Exact(12)));
        assert_eq!(whole(b"1e5"), Ok(Whole::Exact(100_000)));
        assert_eq!(whole(b"+7"), Ok(Whole::Exact(7)));
        assert_eq!(whole(b"-1.0"), Ok(Whole::Exact(-1)));
        assert_eq!(whole(b"2.5"), Ok(Whole::Rounded(3)));
        assert_eq!(whole(b"9223372036854775807"), Ok(Whole::Exact(i64::MAX)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [&b"abc"[..], b"-", b"1-2", b"0x10", b"inf", b"nan", b"1e", b"\xff"] {
            assert_eq!(whole(text), Err(NOT_A_NUMBER), "{text:?}");
        }
        for text in [&b"9223372036854775808"[..], b"1e300", b"1e999", b"99999999999999999999999"] {
            assert_eq!(whole(text), Err(TOO_LARGE), "{text:?}");
        }
    }
}
