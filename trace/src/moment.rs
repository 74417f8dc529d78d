//! A moment of a log, as it is written and as it is shown.

use serde::Serialize;

use super::raw::LogSpan;
use super::{TimeZone, date};
use queuecast_core::asking::Refusal;
use queuecast_core::duration;
use queuecast_core::units::{Seconds, Time};

/// When a job is submitted.
#[derive(Debug, Clone, Serialize)]
pub struct Moment {
    /// On the log's clock.
    pub time: Time,
    /// As a date, where the log has dates.
    pub date: Option<String>,
}

impl Moment {
    /// On a clock that began at this Unix time.
    pub fn of(time: Time, epoch: Option<i64>, zone: &TimeZone) -> Moment {
        Moment { time, date: epoch.and_then(|epoch| date::second(epoch.saturating_add(time.0), zone)) }
    }
}

/// What can be written, for errors.
const FORMS: &str = "give a length of time since the start in the log's header (200d, 1-12:00:00, or seconds), \
                     a date (1996-12-24, 1996-12-24T12:00) or end";

impl LogSpan {
    /// Where the log's clock begins: accounting records have no start but their first.
    fn clock(&self) -> Time {
        if self.epoch == Some(0) { self.first } else { Time(0) }
    }

    /// On a clock of Unix times a number as large as those is one.
    fn since_start(&self, length: Seconds) -> Time {
        if self.epoch == Some(0) && length.0 >= self.first.0 { Time(length.0) } else { self.clock() + length }
    }

    /// The moment a text names: `end`, the last submission; a length of time since the log's start; a date in this zone.
    ///
    /// # Errors
    /// If it names none, or one outside the log.
    pub fn moment(&self, text: &str, zone: &TimeZone) -> Result<Time, Refusal> {
        let wrong = |why: String| Refusal::question(format!("--at {text}: {why}"));
        let moment = match (text, text.parse::<i64>(), date::parse(text, zone)) {
            ("end", ..) => self.last,
            (_, Ok(seconds), _) => self.since_start(Seconds(seconds)),
            (.., Some(unix)) => match self.epoch {
                Some(epoch) => Time(unix.saturating_sub(epoch)),
                None => {
                    return Err(wrong("the log does not say when it began, so it has no dates; give seconds since its start".to_owned()));
                }
            },
            _ => match duration::parse(text) {
                Ok(length) => self.since_start(length),
                Err(_) => return Err(wrong(format!("no moment; {FORMS}"))),
            },
        };
        if moment < self.first || moment > self.until {
            let clock = self.clock();
            let dates =
                |time: Time| self.epoch.and_then(|epoch| date::second(epoch.saturating_add(time.0), zone));
            let dates = dates(self.first)
                .zip(dates(self.until))
                .map_or_else(String::new, |(from, to)| format!(", {from} to {to}"));
            let range = format!("{} to {} s after its start{dates}", self.first - clock, self.until - clock);
            return Err(wrong(format!("outside the log, which goes from {range}")));
        }
        Ok(moment)
    }
}

/// A moment before `now` on Unix's clock, as people write it: `yesterday 14:00`, `14:00`, a length of time ago (`2h`, `2h ago`, `10 minutes ago`), a date
/// (`2026-11-17T14:00`) or Unix seconds.
///
/// # Errors
/// If it names none, or one that is not past.
pub fn past_moment(text: &str, now: Time, zone: &TimeZone) -> Result<Time, Refusal> {
    past_named("--at", (text, named_past(text, "00:00", now, zone)), now)
}

/// A time that is over, or goes on until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastSpan {
    /// Its first second.
    pub from: Time,
    /// Its last second.
    pub until: Time,
}

impl PastSpan {
    /// From a moment to another one, each written as for [`past_moment`]; the end may be a day, which is in it as far as it has passed. Without
    /// an end it goes until now, and without a beginning it is as long as `usual`.
    ///
    /// # Errors
    /// If one of them is no such moment, or the end is before the beginning.
    pub fn read(
        (from, until): (Option<&str>, Option<&str>),
        (now, usual): (Time, Seconds),
        zone: &TimeZone,
    ) -> Result<PastSpan, Refusal> {
        let ends = |text: &str| {
            let named = |clock| named_past(text, clock, now, zone);
            // The end of a day that goes on has not come yet.
            let end = match (named("00:00"), named("23:59:59")) {
                (Some(begins), Some(ends)) if begins <= now.0 => Some(ends.min(now.0)),
                (_, ends) => ends,
            };
            past_named("--until", (text, end), now)
        };
        let until = until.map_or(Ok(now), ends)?;
        let begins = |text: &str| past_named("--since", (text, named_past(text, "00:00", now, zone)), now);
        let from = from.map_or(Ok(until - usual), begins)?;
        match from <= until {
            true => Ok(PastSpan { from, until }),
            false => Err(Refusal::question("--since is later than --until".to_owned()).hint("exchange them")),
        }
    }
}

/// A moment that a text names, if it is past.
fn past_named(option: &str, (text, named): (&str, Option<i64>), now: Time) -> Result<Time, Refusal> {
    let wrong = |why: &str| Refusal::question(format!("{option} {text}: {why}"));
    match named {
        Some(unix) if unix <= now.0 => Ok(Time(unix)),
        Some(_) => Err(wrong("that is not past")),
        None => Err(wrong(
            "no moment; give 14:00, yesterday 14:00, 2h, 10 minutes ago, 2 hours ago, a date (2026-11-17T14:00) or Unix seconds",
        )),
    }
}

/// The Unix second that a text names; of a day without a time, that at this time of day.
fn named_past(text: &str, of_day: &str, now: Time, zone: &TimeZone) -> Option<i64> {
    let noon = |unix: i64| date::parse(&format!("{}T12:00", date::second(unix, zone)?.get(..10)?), zone);
    let on_day = |unix: Option<i64>, clock: &str| {
        let day = date::second(unix?, zone)?;
        let clock = if clock.is_empty() { of_day } else { clock };
        // 9:30 is 09:30.
        let zero = if clock.find(':') == Some(1) { "0" } else { "" };
        date::parse(&format!("{}T{zero}{clock}", day.get(..10)?), zone)
    };
    let words = text.trim().to_ascii_lowercase();
    match words.split_once(' ').unwrap_or((&words, "")) {
        ("now", "") => Some(now.0),
        // A day before noon is the day before, also where a day has 23 or 25 hours.
        ("yesterday", clock) => on_day(noon(now.0).map(|noon| noon - 86_400), clock.trim()),
        ("today", clock) => on_day(Some(now.0), clock.trim()),
        (clock, "") if clock.contains(':') && !clock.contains('-') && clock.len() <= 5 => {
            on_day(Some(now.0), clock)
        }
        (length, "") if duration::parse(length).is_ok() && length.parse::<i64>().is_err() => {
            duration::parse(length).ok().map(|length| now.0.saturating_sub(length.0))
        }
        _ if words.ends_with(" ago") => {
            length_ago(words.trim_end_matches("ago")).map(|length| now.0.saturating_sub(length.0))
        }
        (seconds, "") if seconds.parse::<i64>().is_ok() => seconds.parse().ok(),
        (day, "") if day.len() == 10 && !day.contains(':') => date::parse(&format!("{day}T{of_day}"), zone),
        _ => date::parse(text.trim(), zone),
    }
}

/// A length of time as people say it: `10 minutes`, `an hour`, `2h`, `1 hour and 30 minutes`.
fn length_ago(words: &str) -> Option<Seconds> {
    let spoken = words.split_whitespace().filter(|word| *word != "and");
    let counted = spoken.map(|word| if ["a", "an", "one"].contains(&word) { "1" } else { word });
    let text = counted.collect::<Vec<_>>().join(" ");
    // A number alone has no unit.
    duration::parse(&text).ok().filter(|_| text.parse::<f64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(submits: &[i64], epoch: Option<i64>) -> LogSpan {
        let last = submits[submits.len() - 1];
        LogSpan { first: Time(submits[0]), last: Time(last), until: Time(last + 110), epoch }
    }

    fn at(text: &str, log: &LogSpan) -> Result<i64, String> {
        log.moment(text, &TimeZone::UTC).map(|time| time.0).map_err(|error| error.to_string())
    }

    #[test]
    fn lengths_dates_and_the_end() {
        let swf = log(&[0, 50, 90_000], Some(843_436_800));
        for (text, expected) in [
            ("end", 90_000),
            ("0", 0),
            ("3600", 3600),
            ("1h", 3600),
            ("1-00:00:00", 86_400),
            ("1996-09-23T01:00", 3600),
            ("1996-09-24", 86_400),
            ("90110", 90_110),
        ] {
            assert_eq!(at(text, &swf), Ok(expected), "{text}");
        }
        let sacct = log(&[1_700_000_000, 1_700_001_000], Some(0));
        for text in ["1700000600", "600", "10m", "2023-11-14 22:23:20"] {
            assert_eq!(at(text, &sacct), Ok(1_700_000_600), "{text}");
        }
    }

    #[test]
    fn past_moments_are_written_as_people_say_them() {
        // 2026-11-18 10:00 in Berlin.
        let (now, zone) = (Time(1_794_992_400), TimeZone::get("Europe/Berlin").unwrap());
        let at = |text: &str| {
            past_moment(text, now, &zone).map(|time| time.0 - now.0).map_err(|error| error.to_string())
        };
        for (text, expected) in [
            ("yesterday 14:00", -20 * 3600),
            ("Yesterday", -34 * 3600),
            ("today 09:30", -1800),
            ("9:30", -1800),
            ("2h ago", -7200),
            ("10 minutes ago", -600),
            ("10 min ago", -600),
            ("2 Hours ago", -7200),
            ("an hour ago", -3600),
            ("1 hour and 30 minutes ago", -5400),
            ("1h 30m ago", -5400),
            ("a day ago", -86_400),
            ("now", 0),
            ("90m", -5400),
            ("2026-11-18T08:00", -7200),
            ("1794992300", -100),
        ] {
            assert_eq!(at(text), Ok(expected), "{text}");
        }
        // The night of the change to winter time has 25 hours.
        let after = Time(1_792_972_800 + 3600);
        assert_eq!(date::second(after.0, &zone).as_deref().map(|day| &day[..10]), Some("2026-10-26"));
        let before = past_moment("yesterday 00:30", after, &zone).unwrap();
        assert_eq!(date::second(before.0, &zone).as_deref(), Some("2026-10-25 00:30:00"));
        for text in [
            "tomorrow",
            "23:00",
            "soon",
            "",
            "yesterday at noon",
            "10 ago",
            "ago",
            "ten minutes ago",
            "in 2 hours",
            "-1 hour ago",
        ] {
            assert!(at(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_past_span_has_its_last_day() {
        // 2026-11-18 10:00 in Berlin, where a day begins an hour before it does in UTC.
        let (now, zone) = (Time(1_794_992_400), TimeZone::get("Europe/Berlin").unwrap());
        let span = |from: Option<&str>, until: Option<&str>| {
            let read = PastSpan::read((from, until), (now, Seconds(7 * 86_400)), &zone);
            let shown = |time: Time| date::second(time.0, &zone).unwrap();
            read.map(|span| (shown(span.from), shown(span.until))).map_err(|error| error.to_string())
        };
        let between = |from: &str, until: &str| Ok((from.to_owned(), until.to_owned()));
        assert_eq!(span(None, None), between("2026-11-11 10:00:00", "2026-11-18 10:00:00"));
        assert_eq!(span(Some("1d"), None), between("2026-11-17 10:00:00", "2026-11-18 10:00:00"));
        let days = between("2026-11-09 00:00:00", "2026-11-10 23:59:59");
        assert_eq!(span(Some("2026-11-09"), Some("2026-11-10")), days);
        assert_eq!(span(None, Some("yesterday")), between("2026-11-10 23:59:59", "2026-11-17 23:59:59"));
        let today = between("2026-11-18 00:00:00", "2026-11-18 10:00:00");
        assert_eq!(span(Some("today"), Some("2026-11-18")), today);
        assert_eq!(span(Some("2026-11-18T09:30"), Some("9:45")).unwrap().1, "2026-11-18 09:45:00");
        assert_eq!(span(Some("0"), Some("today")).unwrap().0, "1970-01-01 01:00:00");
        for (from, until, why) in [
            ("2026-11-10", "2026-11-09", "--since is later than --until"),
            ("2026-11-10", "2026-11-19", "--until 2026-11-19: that is not past"),
            ("23:00", "today", "--since 23:00: that is not past"),
            ("0", "soon", "--until soon: no moment"),
            ("2026-13-01", "today", "--since 2026-13-01: no moment"),
        ] {
            let refused = span(Some(from), Some(until)).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn what_is_no_moment_of_the_log_says_what_is() {
        let swf = log(&[0, 90_000], Some(843_436_800));
        for (text, why) in [
            ("tomorrow", "200d, 1-12:00:00"),
            ("NaN", "no moment"),
            ("-5", "outside the log, which goes from 0 to 90110 s"),
            ("90111", "1996-09-23 00:00:00 to 1996-09-24 01:01:50"),
            ("99999999999999999999", "no moment"),
            ("9223372036854775807", "outside the log"),
            ("1995-01-01", "outside the log"),
        ] {
            assert!(at(text, &swf).is_err_and(|said| said.contains(why)), "{text}: {:?}", at(text, &swf));
        }
        // The header's start may be long before the first submission.
        let late = log(&[864_000, 950_000], Some(843_436_800));
        let said = at("7d", &late);
        assert!(
            said.as_ref().is_err_and(|said| said.contains("from 864000 to 950110 s after its start")
                && said.contains("1996-10-03 00:00:00 to 1996-10-03 23:55:10")),
            "{said:?}"
        );
        assert_eq!(at("10d", &late), Ok(864_000));
        assert!(at("1996-09-24", &log(&[0, 5], None)).is_err_and(|said| said.contains("no dates")));
        let sacct = log(&[1_700_000_000, 1_700_001_000], Some(0));
        assert!(at("7d", &sacct).is_err_and(|said| said.contains("from 0 to 1110 s")));
    }
}
