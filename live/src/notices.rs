//! What to tell of a job that waits: that it is about to start, that its start has slipped, that it has started.

use queuecast_core::units::{Seconds, Time};
use queuecast_core::{duration, number};
use queuecast_trace::{TimeZone, date};
use serde::Serialize;

use crate::forecasts::SaidSeconds;

/// A waiting job at a look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JobNow {
    /// It waits; its start, in seconds from now; `None` if the queue does not tell, as of a held job.
    Waiting(Option<SaidSeconds>),
    /// It runs.
    Running,
    /// It is not there any more.
    Gone,
}

/// Why something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeReason {
    /// When it is expected to start, at first.
    Expected,
    /// It is expected to start soon.
    Soon,
    /// It is expected to start later than was told.
    Slipped,
    /// It has started.
    Started,
    /// It is gone: it ended between two looks, or was cancelled.
    Gone,
}

/// Something to tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Notice {
    /// Why.
    pub reason: NoticeReason,
    /// The job.
    pub job: String,
    /// When, as a Unix time.
    pub at: Time,
    /// The 80 % range of its start, as Unix times.
    pub range: Option<[Time; 2]>,
    /// Its start by even odds, as a Unix time.
    pub median: Option<Time>,
    /// In words.
    pub text: String,
}

/// What of a job is told when.
#[derive(Debug, Clone)]
pub struct NoticeRules {
    /// The job.
    pub job: String,
    /// It is told this long before it is expected to start, by even odds.
    pub before: Seconds,
    /// It is told once its start, by even odds, is this much later than was told last.
    pub slips: Seconds,
    /// The zone of times in words.
    pub zone: TimeZone,
}

/// A job that is watched, and what was told of it.
#[derive(Debug, Clone)]
pub struct WatchedJob {
    rules: NoticeRules,
    /// The start that was told last, or found first.
    told: Option<Time>,
    told_soon: bool,
}

impl WatchedJob {
    /// Before the first look.
    pub fn new(rules: NoticeRules) -> WatchedJob {
        WatchedJob { rules, told: None, told_soon: false }
    }

    /// What is to be told after a look.
    pub fn seen(&mut self, at: Time, now: JobNow) -> Option<Notice> {
        let said = match now {
            JobNow::Running => return Some(self.notice(NoticeReason::Started, at, None)),
            JobNow::Gone => return Some(self.notice(NoticeReason::Gone, at, None)),
            JobNow::Waiting(None) => return None,
            JobNow::Waiting(Some(said)) => said,
        };
        let start = after(at, said.median);
        let before = self.told;
        let first = before.unwrap_or(start);
        let reason = if !self.told_soon && start - at <= self.rules.before {
            self.told_soon = true;
            NoticeReason::Soon
        } else if start - first >= self.rules.slips {
            // Once it has slipped, it may come near again.
            self.told_soon = start - at <= self.rules.before;
            NoticeReason::Slipped
        } else if before.is_none() {
            NoticeReason::Expected
        } else {
            return None;
        };
        let notice = self.notice(reason, at, Some(said));
        self.told = Some(start);
        Some(notice)
    }

    fn notice(&self, reason: NoticeReason, at: Time, said: Option<SaidSeconds>) -> Notice {
        let NoticeRules { job, zone, .. } = &self.rules;
        let range = said.map(|said| [after(at, said.low), after(at, said.high)]);
        let median = said.map(|said| after(at, said.median));
        let likely = range.map_or_else(String::new, |[low, high]| {
            format!(": most likely {}", clock_range(low, high, at, zone))
        });
        let text = match reason {
            NoticeReason::Soon => {
                let about = median.map_or(0.0, |median| (median - at).0 as f64);
                let about = if about < 60.0 {
                    "within a minute".to_owned()
                } else {
                    format!("in about {}", duration::about(about))
                };
                format!("job {job} is expected to start {about}{likely}")
            }
            NoticeReason::Expected => format!("job {job} waits{likely}"),
            NoticeReason::Slipped => {
                let was = self.told.map_or_else(String::new, |was| {
                    format!("; by even odds it was {}", clock_range(was, was, at, zone))
                });
                format!("job {job} is expected to start later than before{likely}{was}")
            }
            NoticeReason::Started => format!("job {job} has started"),
            NoticeReason::Gone => {
                format!("job {job} is no longer in the queue: it has ended, or was cancelled")
            }
        };
        Notice { reason, job: job.clone(), at, range, median, text }
    }
}

fn after(at: Time, seconds: f64) -> Time {
    at + Seconds(seconds.round().clamp(0.0, 1e12) as i64)
}

/// A range of times as people say it: `14:10 to 15:30 today`, `23:50 today to 00:40 tomorrow`.
pub fn clock_range(low: Time, high: Time, now: Time, zone: &TimeZone) -> String {
    let (from, to) = (date::near(low.0, now.0, zone), date::near(high.0, now.0, zone));
    let (Some((time, day)), Some((later, last))) = (from, to) else {
        return format!("in {} to {}", seconds(low - now), seconds(high - now));
    };
    match (time == later, day == last) {
        (true, true) => format!("{time} {day}"),
        (false, true) => format!("{time} to {later} {day}"),
        (_, false) => format!("{time} {day} to {later} {last}"),
    }
}

fn seconds(length: Seconds) -> String {
    format!("{} s", number::integer(length.0))
}

/// A job in a calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CalendarEntry {
    /// Its start, in seconds from now; the alarm is this long before even odds.
    Expected(SaidSeconds, Seconds),
    /// It has started, at about this moment.
    Started,
    /// It is not there any more.
    Gone,
}

/// The start of a job as an event of a calendar (RFC 5545); `None` beyond the years a calendar has.
pub fn calendar(job: &str, at: Time, entry: CalendarEntry) -> Option<String> {
    let stamp = |time: Time| date::compact_utc(time.0);
    let job = escaped(job);
    let (low, high) = match entry {
        CalendarEntry::Expected(said, _) => (after(at, said.low), after(at, said.high)),
        CalendarEntry::Started | CalendarEntry::Gone => (at, at),
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//queuecast//queuecast//EN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:job-{job}@queuecast"),
        format!("SEQUENCE:{}", at.0.clamp(0, i64::from(i32::MAX))),
        format!("DTSTAMP:{}", stamp(at)?),
        format!("DTSTART:{}", stamp(low)?),
        format!("DTEND:{}", stamp(high.max(low + Seconds(60)))?),
    ];
    match entry {
        CalendarEntry::Expected(said, before) => lines.extend([
            format!("SUMMARY:Job {job} starts"),
            "DESCRIPTION:The start lies in this range four times in five.".to_owned(),
            "BEGIN:VALARM".to_owned(),
            "ACTION:DISPLAY".to_owned(),
            format!("DESCRIPTION:Job {job} starts soon"),
            format!("TRIGGER;VALUE=DATE-TIME:{}", stamp(after(at, said.median) - before)?),
            "END:VALARM".to_owned(),
        ]),
        CalendarEntry::Started => lines.push(format!("SUMMARY:Job {job} started")),
        CalendarEntry::Gone => {
            lines.extend([format!("SUMMARY:Job {job} is gone"), "STATUS:CANCELLED".to_owned()]);
        }
    }
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    Some(lines.iter().map(|line| folded(line)).collect())
}

/// Text in a value.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut all, letter| {
        match letter {
            ';' | ',' | '\\' => all.extend(['\\', letter]),
            letter if letter.is_control() => all.push(' '),
            letter => all.push(letter),
        }
        all
    })
}

/// A line of at most 75 bytes, gone on with in the next after a space.
fn folded(line: &str) -> String {
    let (mut all, mut length) = (String::new(), 0);
    for letter in line.chars() {
        if length + letter.len_utf8() > 75 {
            all.push_str("\r\n ");
            length = 1;
        }
        all.push(letter);
        length += letter.len_utf8();
    }
    all + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> WatchedJob {
        WatchedJob::new(NoticeRules {
            job: "7".to_owned(),
            before: Seconds(600),
            slips: Seconds(1800),
            zone: TimeZone::UTC,
        })
    }

    fn waiting(median: f64) -> JobNow {
        JobNow::Waiting(Some(SaidSeconds { low: median / 2.0, median, high: 2.0 * median }))
    }

    fn reasons(job: &mut WatchedJob, looks: &[(i64, JobNow)]) -> Vec<Option<NoticeReason>> {
        looks.iter().map(|&(at, now)| job.seen(Time(at), now).map(|one| one.reason)).collect()
    }

    #[test]
    fn a_job_is_told_of_once_before_it_starts_and_when_it_does() {
        let looks = [
            (0, waiting(3_600.0)),
            (1_200, waiting(2_400.0)),
            (3_000, waiting(600.0)),
            (3_120, waiting(500.0)),
            (3_600, JobNow::Running),
        ];
        let told = reasons(&mut watched(), &looks);
        use NoticeReason::{Expected, Soon, Started};
        assert_eq!(told, [Some(Expected), None, Some(Soon), None, Some(Started)]);
    }

    #[test]
    fn a_start_that_slips_is_told_once_for_each_time() {
        let looks = [
            (0, waiting(3_600.0)),
            // Later by less than the half hour.
            (600, waiting(4_000.0)),
            (1_200, waiting(4_300.0)),
            (1_300, waiting(4_300.0)),
            // Held: the queue does not tell.
            (1_400, JobNow::Waiting(None)),
            (1_500, waiting(9_000.0)),
            (10_000, waiting(60.0)),
            (10_100, JobNow::Gone),
        ];
        use NoticeReason::{Expected, Gone, Slipped, Soon};
        let told = reasons(&mut watched(), &looks);
        assert_eq!(
            told,
            [Some(Expected), None, Some(Slipped), None, None, Some(Slipped), Some(Soon), Some(Gone)]
        );
    }

    #[test]
    fn times_are_those_of_the_users_clock() {
        let zone = TimeZone::get("Europe/Stockholm").unwrap();
        // 2026-11-18 13:00 there.
        let now = Time(1_795_003_200);
        let range = |low: i64, high: i64| clock_range(now + Seconds(low), now + Seconds(high), now, &zone);
        assert_eq!(range(4_200, 9_000), "14:10 to 15:30 today");
        assert_eq!(range(4_200, 4_210), "14:10 today");
        assert_eq!(range(39_000, 42_000), "23:50 today to 00:40 tomorrow");
        assert_eq!(range(200_000, 300_000), "20:33 on Friday to 00:20 on Sunday");
        // Daylight saving begins on 2027-03-28: that day has 23 hours.
        let night = Time(1_806_192_000 - 3_600);
        let later = Time(night.0 + 4 * 3_600);
        assert_eq!(clock_range(night, later, night, &zone), "00:00 to 05:00 today");
        assert!(clock_range(Time(0), Time(i64::MAX / 2), Time(0), &zone).starts_with("in 0 s to "));
    }

    #[test]
    fn a_calendar_has_an_event_over_the_range() {
        let said = SaidSeconds { low: 600.0, median: 900.0, high: 4_200.0 };
        let expected = CalendarEntry::Expected(said, Seconds(600));
        let now = Time(1_795_003_200);
        let text = calendar("12;3", now, expected).unwrap();
        for line in [
            "UID:job-12\\;3@queuecast",
            "DTSTART:20261118T121000Z",
            "DTEND:20261118T131000Z",
            "TRIGGER;VALUE=DATE-TIME:20261118T120500Z",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in {text}");
        }
        assert!(text.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')));
        let long = calendar(&"x".repeat(200), now, expected).unwrap();
        assert!(long.split("\r\n").all(|line| line.len() <= 75));
        // No alarm for a job that has started, or is gone.
        let ends = [CalendarEntry::Started, CalendarEntry::Gone].map(|one| calendar("7", now, one).unwrap());
        assert!(ends.iter().all(|text| !text.contains("VALARM")) && ends[1].contains("STATUS:CANCELLED"));
    }
}
