//! Instants: Unix seconds, or local times with a zone.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::duration::{integer, whole};

/// The value of a time column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instant {
    /// `Unknown`, `None`, or nothing at all.
    Unknown,
    At(i64),
    /// A local time that occurs twice; the earlier instant is taken.
    Fold(i64),
    /// A local time that does not occur; taken as if clocks had not been put forward.
    Gap(i64),
}

impl Instant {
    pub fn seconds(self) -> Option<i64> {
        match self {
            Instant::Unknown => None,
            Instant::At(second) | Instant::Fold(second) | Instant::Gap(second) => Some(second),
        }
    }
}

/// Reads a time column, and says whether it is a local time; `None` if it is neither a number of seconds nor
/// `YYYY-MM-DDTHH:MM:SS`, with or without a fraction, which is cut off, and an offset (`Z`, `+0100`, `+01:00`).
pub(super) fn instant(text: &[u8], zone: &TimeZone) -> Option<(Instant, bool)> {
    if text.is_empty() || text == b"Unknown" || text == b"None" || text == b"N/A" || text == b"NaT" {
        return Some((Instant::Unknown, false));
    }
    if let Some(seconds) = whole(text) {
        return Some((if seconds == 0 { Instant::Unknown } else { Instant::At(seconds) }, false));
    }
    let (clock, rest) = text.split_at_checked(SECONDS)?;
    let (time, rest) = (civil(clock)?, without_fraction(rest)?);
    if let Some(offset) = offset(rest)? {
        let timestamp = offset.to_timestamp(time).ok()?;
        return Some((Instant::At(timestamp.as_second()), false));
    }
    let ambiguous = zone.to_ambiguous_timestamp(time);
    let offset = ambiguous.offset();
    let second = ambiguous.compatible().ok()?.as_second();
    let instant = match offset {
        AmbiguousOffset::Unambiguous { .. } => Instant::At(second),
        AmbiguousOffset::Fold { .. } => Instant::Fold(second),
        AmbiguousOffset::Gap { .. } => Instant::Gap(second),
    };
    Some((instant, true))
}

/// The Unix second of a time as Slurm writes it, local ones in a zone; `None` within if none is told, `None` if it is not one.
pub fn unix_second(text: &str, zone: &TimeZone) -> Option<Option<i64>> {
    instant(text.as_bytes(), zone).map(|(instant, _)| instant.seconds())
}

/// The length of `YYYY-MM-DDTHH:MM:SS`.
const SECONDS: usize = 19;

fn civil(text: &[u8]) -> Option<DateTime> {
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T' | b' ', h0, h1, b':', n0, n1, b':', s0, s1] = text
    else {
        return None;
    };
    let number = |digits: &[u8]| integer(digits);
    let small = |digits: [u8; 2]| number(&digits).and_then(|value| i8::try_from(value).ok());
    let year = i16::try_from(number(&[y0, y1, y2, y3])?).ok()?;
    DateTime::new(
        year,
        small([m0, m1])?,
        small([d0, d1])?,
        small([h0, h1])?,
        small([n0, n1])?,
        small([s0, s1])?,
        0,
    )
    .ok()
}

/// What follows a fraction of seconds, or the whole text if it does not begin with one.
fn without_fraction(text: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = text.strip_prefix(b".").or(text.strip_prefix(b",")) else { return Some(text) };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| &fraction[digits..])
}

/// The offset from Greenwich that a text is, `None` within if it is empty; `None` if it is something else.
fn offset(text: &[u8]) -> Option<Option<Offset>> {
    let (sign, digits) = match text {
        b"" => return Some(None),
        b"Z" | b"z" => return Some(Some(Offset::UTC)),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match *digits {
        [h0, h1] => ([h0, h1], [b'0', b'0']),
        [h0, h1, m0, m1] | [h0, h1, b':', m0, m1] => ([h0, h1], [m0, m1]),
        _ => return None,
    };
    let minutes = integer(&hours)? * 60 + integer(&minutes).filter(|&minutes| minutes < 60)?;
    Offset::from_seconds(i32::try_from(sign * minutes * 60).ok()?).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_words_and_local_times() {
        let zone = TimeZone::UTC;
        let instant = |text: &[u8], zone: &TimeZone| instant(text, zone).map(|(instant, _)| instant);
        assert_eq!(instant(b"1794705337", &zone), Some(Instant::At(1_794_705_337)));
        assert_eq!(instant(b"1794705337.0", &zone), Some(Instant::At(1_794_705_337)));
        assert_eq!(instant(b"2026-11-15T01:15:37", &zone), Some(Instant::At(1_794_705_337)));
        for word in [&b"Unknown"[..], b"None", b"", b"0"] {
            assert_eq!(instant(word, &zone), Some(Instant::Unknown));
        }
        for word in [&b"yesterday"[..], b"2026-13-01T00:00:00", b"2026-11-15", b"-5", b"12.5"] {
            assert_eq!(instant(word, &zone), None, "{word:?}");
        }
    }

    #[test]
    fn hours_that_happen_twice_or_never_say_so() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let instant = |text: &[u8], zone: &TimeZone| instant(text, zone).map(|(instant, _)| instant);
        // 25 October 2026, 03:00 CEST → 02:00 CET.
        assert_eq!(instant(b"2026-10-25T02:30:00", &zone), Some(Instant::Fold(1_792_888_200)));
        // 29 March 2026, 02:00 CET → 03:00 CEST.
        assert_eq!(instant(b"2026-03-29T02:30:00", &zone), Some(Instant::Gap(1_774_747_800)));
        assert_eq!(instant(b"2026-07-01T00:00:00", &zone), Some(Instant::At(1_782_856_800)));
    }

    #[test]
    fn an_offset_says_which_instant_a_time_is() {
        let zone = TimeZone::get("Asia/Tokyo").unwrap();
        for text in [
            "2026-11-15T01:15:37Z",
            "2026-11-15T02:15:37+0100",
            "2026-11-15T03:15:37+02:00",
            "2026-11-14 20:15:37-05",
            "2026-11-15T01:15:37.999Z",
            "2026-11-15 06:45:37.123456+05:30",
        ] {
            assert_eq!(instant(text.as_bytes(), &zone), Some((Instant::At(1_794_705_337), false)), "{text}");
        }
        // Control: without one it is a local time, with or without a fraction.
        for text in ["2026-11-15T10:15:37", "2026-11-15T10:15:37.5", "2026-11-15T10:15:37,250"] {
            assert_eq!(instant(text.as_bytes(), &zone), Some((Instant::At(1_794_705_337), true)), "{text}");
        }
        for text in [
            "2026-11-15T10:15:37+",
            "2026-11-15T10:15:37+1",
            "2026-11-15T10:15:37.",
            "2026-11-15T10:15:37+0160",
        ] {
            assert_eq!(instant(text.as_bytes(), &zone), None, "{text}");
        }
    }
}
