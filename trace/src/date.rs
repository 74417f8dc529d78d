//! Dates and times of day as text.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The day, `1996-09-23`, of a Unix time, in UTC; `None` beyond the years a calendar has.
pub fn day(unix: i64) -> Option<String> {
    Some(Timestamp::from_second(unix).ok()?.strftime("%Y-%m-%d").to_string())
}

/// Day and time, `1996-09-23 14:05:00`, of a Unix time, in this zone; `None` beyond the years a calendar has.
pub fn second(unix: i64, zone: &TimeZone) -> Option<String> {
    let at = Timestamp::from_second(unix).ok()?.to_zoned(zone.clone());
    Some(at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// The time of day, `14:05`, of a Unix time in this zone, and its day as people say it now: `today`, `tomorrow`, `on Friday`, `on 2026-12-01`;
/// `None` beyond the years a calendar has.
pub fn near(unix: i64, now: i64, zone: &TimeZone) -> Option<(String, String)> {
    let local = |unix: i64| Some(Timestamp::from_second(unix).ok()?.to_zoned(zone.clone()));
    let (at, now) = (local(unix)?, local(now)?);
    let days = at.date().since(now.date()).ok()?.get_days();
    let day = match days {
        -1 => "yesterday".to_owned(),
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        2..7 => at.strftime("on %A").to_string(),
        _ => at.strftime("on %Y-%m-%d").to_string(),
    };
    Some((at.strftime("%H:%M").to_string(), day))
}

/// A Unix time as calendars write it, `20261118T121000Z`; `None` beyond the years a calendar has.
pub fn compact_utc(unix: i64) -> Option<String> {
    Some(Timestamp::from_second(unix).ok()?.strftime("%Y%m%dT%H%M%SZ").to_string())
}

/// A Unix time as logs of programs write it, `2026-11-18T12:10:00Z`; `None` beyond the years a calendar has.
pub fn utc(unix: i64) -> Option<String> {
    Some(Timestamp::from_second(unix).ok()?.to_string())
}

/// Reads a day, `1996-09-23`, with or without a time, `1996-09-23 14:05` or `1996-09-23T14:05:00`, in this zone, as a Unix
/// time; without a time, the day's first second. Of an hour that happens twice it is the first; `None` if it is none.
pub fn parse(text: &str, zone: &TimeZone) -> Option<i64> {
    let local: DateTime = text.trim().parse().ok()?;
    Some(zone.to_ambiguous_timestamp(local).compatible().ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_in_utc_and_only_where_there_are_any() {
        assert_eq!(day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(day(843_497_999).as_deref(), Some("1996-09-23"));
        assert_eq!(day(-1).as_deref(), Some("1969-12-31"));
        assert_eq!(day(i64::MAX), None);
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        for zone in [&TimeZone::UTC, &zone] {
            let unix = parse("1996-09-23 14:05:09", zone).unwrap();
            assert_eq!(second(unix, zone).as_deref(), Some("1996-09-23 14:05:09"));
            assert_eq!(parse("1996-09-23T14:05:09", zone), Some(unix));
        }
        assert_eq!(parse("1996-09-23", &TimeZone::UTC), Some(843_436_800));
        assert_eq!(parse("1996-09-23", &zone), Some(843_436_800 - 7200));
        assert_eq!(parse("1996-09-23 14:05", &TimeZone::UTC), Some(843_436_800 + 50_700));
        for text in ["", "yesterday", "1996-13-01", "12:00", "3600", "1-12:00:00"] {
            assert_eq!(parse(text, &TimeZone::UTC), None, "{text}");
        }
        assert_eq!(second(i64::MAX, &TimeZone::UTC), None);
    }
}
