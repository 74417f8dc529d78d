//! `--at`: a moment of a log, as people write it.

use queuecast::report::{date, duration};
use queuecast::trace::{LogSpan, TimeZone};
use queuecast::units::{Seconds, Time};
use serde::Serialize;

use crate::failure::Failure;

/// The moment of a log that is asked about.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The moment the job is submitted: a length of time since the log's start (200d, or seconds), a date (1996-12-24,
    /// 1996-12-24T12:00), or end, the last submission. The start is that of the log's header (UnixStartTime), which may be
    /// long before the first submission. Nothing the log says of later is looked at
    #[arg(
        long,
        value_name = "MOMENT",
        default_value = "end",
        allow_hyphen_values = true,
        conflicts_with = "live"
    )]
    pub at: String,
}

/// When the job is submitted.
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

/// Where the log's clock begins: accounting records have no start but their first.
fn clock(span: &LogSpan) -> Time {
    if span.epoch == Some(0) { span.first } else { Time(0) }
}

/// On a clock of Unix times a number as large as those is one.
fn since_start(span: &LogSpan, length: Seconds) -> Time {
    if span.epoch == Some(0) && length.0 >= span.first.0 { Time(length.0) } else { clock(span) + length }
}

/// The moment a text names in a log that tells of these times: `end`, the last submission; a length of time since the log's
/// start; a date in this zone. Refused outside the log.
pub fn read_within(text: &str, zone: &TimeZone, span: &LogSpan) -> Result<Time, Failure> {
    let wrong = |why: String| Failure::usage(format!("--at {text}: {why}"));
    let moment = match (text, text.parse::<i64>(), date::parse(text, zone)) {
        ("end", ..) => span.last,
        (_, Ok(seconds), _) => since_start(span, Seconds(seconds)),
        (.., Some(unix)) => {
            match span.epoch {
                Some(epoch) => Time(unix.saturating_sub(epoch)),
                None => {
                    return Err(wrong("the log does not say when it began, so it has no dates; give seconds since its start".to_owned()));
                }
            }
        }
        _ => match duration::parse(text) {
            Ok(length) => since_start(span, length),
            Err(_) => return Err(wrong(format!("no moment; {FORMS}"))),
        },
    };
    if moment < span.first || moment > span.until {
        let clock = clock(span);
        let dates =
            |time: Time| span.epoch.and_then(|epoch| date::second(epoch.saturating_add(time.0), zone));
        let dates = dates(span.first)
            .zip(dates(span.until))
            .map_or_else(String::new, |(from, to)| format!(", {from} to {to}"));
        let range = format!("{} to {} s after its start{dates}", span.first - clock, span.until - clock);
        return Err(wrong(format!("outside the log, which goes from {range}")));
    }
    Ok(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(submits: &[i64], epoch: Option<i64>) -> LogSpan {
        let last = submits[submits.len() - 1];
        LogSpan { first: Time(submits[0]), last: Time(last), until: Time(last + 110), epoch }
    }

    fn at(text: &str, log: &LogSpan) -> Result<i64, String> {
        read_within(text, &TimeZone::UTC, log).map(|time| time.0).map_err(|failure| failure.to_string())
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
