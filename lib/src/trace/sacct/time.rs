//! Instants: Unix seconds, or local times with a zone.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::duration::integer;

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

/// Reads a time column; `None` if it is neither a number of seconds nor `YYYY-MM-DDTHH:MM:SS`.
pub(super) fn instant(text: &[u8], zone: &TimeZone) -> Option<Instant> {
    if text.is_empty() || text == b"Unknown" || text == b"None" || text == b"N/A" {
        return Some(Instant::Unknown);
    }
    if let Some(seconds) = integer(text) {
        return Some(if seconds == 0 { Instant::Unknown } else { Instant::At(seconds) });
    }
    let ambiguous = zone.to_ambiguous_timestamp(local(text)?);
    let offset = ambiguous.offset();
    let second = ambiguous.compatible().ok()?.as_second();
    Some(match offset {
        AmbiguousOffset::Unambiguous { .. } => Instant::At(second),
        AmbiguousOffset::Fold { .. } => Instant::Fold(second),
        AmbiguousOffset::Gap { .. } => Instant::Gap(second),
    })
}

fn local(text: &[u8]) -> Option<DateTime> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_words_and_local_times() {
        let zone = TimeZone::UTC;
        assert_eq!(instant(b"1794705337", &zone), Some(Instant::At(1_794_705_337)));
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
        // 25 October 2026, 03:00 CEST → 02:00 CET.
        assert_eq!(instant(b"2026-10-25T02:30:00", &zone), Some(Instant::Fold(1_792_888_200)));
        // 29 March 2026, 02:00 CET → 03:00 CEST.
        assert_eq!(instant(b"2026-03-29T02:30:00", &zone), Some(Instant::Gap(1_774_747_800)));
        assert_eq!(instant(b"2026-07-01T00:00:00", &zone), Some(Instant::At(1_782_856_800)));
    }
}
