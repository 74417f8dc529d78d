//! Lengths of time as Slurm writes them, `[DD-[HH:]]MM:SS[.fff]`, and as programs that have read them do: `D days HH:MM:SS`.

/// A length in milliseconds. `None` if it is not one.
pub(super) fn milliseconds(text: &[u8]) -> Option<i64> {
    let (days, clock) = match text.iter().position(|&byte| matches!(byte, b'-' | b' ')) {
        Some(dash) if text[dash] == b'-' => (Some(integer(&text[..dash])?), &text[dash + 1..]),
        Some(blank) => {
            let rest = text[blank..].trim_ascii();
            let clock = rest.strip_prefix(b"days").or(rest.strip_prefix(b"day"))?;
            let clock = clock.strip_prefix(b",").unwrap_or(clock).trim_ascii();
            (Some(integer(&text[..blank])?), if clock.is_empty() { b"0" } else { clock })
        }
        None => (None, text),
    };
    let (clock, fraction) = match clock.iter().position(|&byte| byte == b'.') {
        Some(point) => (&clock[..point], fraction(&clock[point + 1..])?),
        None => (clock, 0),
    };
    let mut parts = [0i64; 3];
    let mut count = 0;
    for part in clock.split(|&byte| byte == b':') {
        *parts.get_mut(count)? = integer(part)?;
        count += 1;
    }
    let (hours, minutes, seconds) = match (days, count) {
        (_, 3) => (parts[0], parts[1], parts[2]),
        (None, 2) => (0, parts[0], parts[1]),
        // With days, what follows begins with hours.
        (Some(_), 2) => (parts[0], parts[1], 0),
        (Some(_), 1) => (parts[0], 0, 0),
        _ => return None,
    };
    let seconds = days
        .unwrap_or(0)
        .checked_mul(86_400)?
        .checked_add(hours.checked_mul(3_600)?)?
        .checked_add(minutes.checked_mul(60)?)?
        .checked_add(seconds)?;
    seconds.checked_mul(1_000)?.checked_add(fraction)
}

/// A length in whole seconds, fractions cut off as Slurm itself does.
pub fn seconds(text: &[u8]) -> Option<i64> {
    milliseconds(text).map(|length| length / 1_000)
}

/// Digits and nothing else.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A whole number, also one that a program has written with a fraction of zero (`4.0`).
pub(super) fn whole(text: &[u8]) -> Option<i64> {
    let Some(point) = text.iter().position(|&byte| byte == b'.') else { return integer(text) };
    let zeros = &text[point + 1..];
    integer(&text[..point]).filter(|_| !zeros.is_empty() && zeros.iter().all(|&byte| byte == b'0'))
}

fn fraction(digits: &[u8]) -> Option<i64> {
    integer(digits)?;
    let digit = |place: usize| digits.get(place).map_or(0, |byte| i64::from(byte - b'0'));
    Some(digit(0) * 100 + digit(1) * 10 + digit(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_length() {
        for (text, expected) in [
            ("00:01:29", 89),
            ("1-00:00:00", 86_400),
            ("2-03", 2 * 86_400 + 3 * 3_600),
            ("2-03:04", 2 * 86_400 + 3 * 3_600 + 4 * 60),
            ("10:30", 630),
            ("00:00.002", 0),
            ("00:01.999", 1),
            ("365-00:00:00", 365 * 86_400),
            ("0 days 23:33:25", 23 * 3_600 + 33 * 60 + 25),
            ("1 day, 0:00:01", 86_401),
            ("2 days 00:00:01.500000", 2 * 86_400 + 1),
            ("3 days", 3 * 86_400),
        ] {
            assert_eq!(seconds(text.as_bytes()), Some(expected), "{text}");
        }
        assert_eq!(milliseconds(b"00:01.5"), Some(1_500));
    }

    #[test]
    fn a_whole_number_may_have_a_fraction_of_zero() {
        assert_eq!((whole(b"4"), whole(b"4.0"), whole(b"16.000")), (Some(4), Some(4), Some(16)));
        for text in ["4.5", "4.", ".0", "", "-4.0", "4.0.0", "4e0"] {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in [
            "",
            "5",
            "UNLIMITED",
            "1:2:3:4",
            "a:b",
            "-1:00",
            "1-",
            ":",
            "1:2.",
            "99999999999999999-00:00:00",
            "2 weeks 00:00:00",
            "x days 00:00:00",
        ] {
            assert_eq!(seconds(text.as_bytes()), None, "{text}");
        }
    }
}
