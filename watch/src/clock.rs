//! Moments and lengths of time as people say them.

use queuecast_core::units::Time;
use queuecast_place::PendingAnswer;
use queuecast_report::date;
use queuecast_trace::TimeZone;

/// Tells moments of a place as of one of them: "14:10" is of the same day.
#[derive(Debug, Clone)]
pub struct WallClock {
    epoch: Option<i64>,
    zone: TimeZone,
    now: Time,
}

/// How a day is told that is not today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayWords {
    /// "tomorrow 02:00".
    Full,
    /// "Thu 02:00".
    Brief,
}

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A start within this many seconds is shown as now.
const NOW: i64 = 60;

impl WallClock {
    /// Of an answer, as of a moment on its clock.
    pub fn of(answer: &PendingAnswer, now: Time) -> WallClock {
        WallClock { epoch: answer.epoch, zone: answer.zone.clone(), now }
    }

    /// Now.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The number of the day since 1970, its date and the time of day, to the minute.
    fn parts(&self, at: Time) -> Option<(i64, String, String)> {
        let zone = if self.epoch.is_some() { &self.zone } else { &TimeZone::UTC };
        let minute = (self.epoch.unwrap_or(0).saturating_add(at.0).saturating_add(30)).div_euclid(60) * 60;
        let text = date::second(minute, zone)?;
        let (day, clock) = (text.get(..10)?.to_owned(), text.get(11..16)?.to_owned());
        let noon = date::parse(&format!("{day}T12:00"), &TimeZone::UTC)?;
        Some((noon.div_euclid(86_400), day, clock))
    }

    /// The words for the day of a moment, empty for today, and its time of day.
    fn told(&self, at: Time, words: DayWords) -> (String, String) {
        let (Some((number, day, clock)), Some((today, ..))) = (self.parts(at), self.parts(self.now)) else {
            return (String::new(), format!("second {}", at.0));
        };
        let ahead = number - today;
        let named = match (ahead, self.epoch, words) {
            (0, ..) => String::new(),
            (_, None, _) => format!("{ahead:+}d"),
            (1, _, DayWords::Full) => "tomorrow".to_owned(),
            (-1, _, DayWords::Full) => "yesterday".to_owned(),
            (-6..=6, ..) => WEEKDAYS[number.rem_euclid(7) as usize].to_owned(),
            _ => month_day(&day),
        };
        (named, clock)
    }

    /// A moment: "14:10", "tomorrow 02:00", "Fri 02:00", "Nov 28 02:00".
    pub fn moment(&self, at: Time, words: DayWords) -> String {
        let (day, clock) = self.told(at, words);
        if day.is_empty() { clock } else { format!("{day} {clock}") }
    }

    /// The range between two moments; what is about to be is "now".
    pub fn range(&self, low: Time, high: Time, words: DayWords) -> String {
        let is_now = |at: Time| (at - self.now).0.abs() < NOW;
        if is_now(high) {
            return "now".to_owned();
        }
        if is_now(low) {
            return format!("now–{}", self.moment(high, words));
        }
        let ((low_day, low_clock), (high_day, high_clock)) = (self.told(low, words), self.told(high, words));
        let start = self.moment(low, words);
        match (low_day == high_day, low_clock == high_clock) {
            (true, true) => start,
            (true, false) => format!("{start}–{high_clock}"),
            (false, _) => format!("{start}–{}", self.moment(high, words)),
        }
    }

    /// Moments between two, this many seconds apart, each at a round time of day.
    pub fn round_moments(&self, from: Time, to: Time, step: i64) -> Vec<Time> {
        // A day is that of the zone at the first moment; a change of the clock in between shifts later ones.
        let midnight = self.parts(from).and_then(|(number, _, clock)| {
            let (hours, minutes) = clock.split_once(':')?;
            let since: i64 = hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60;
            let minute =
                (self.epoch.unwrap_or(0) + from.0 + 30).div_euclid(60) * 60 - self.epoch.unwrap_or(0);
            // Weeks begin on Mondays.
            let week = if step > 86_400 { (number + 3).rem_euclid(step / 86_400) * 86_400 } else { 0 };
            Some(minute - since - week)
        });
        let first = midnight.unwrap_or(from.0);
        let skipped = (from.0 - first).div_euclid(step).max(0);
        let all = (skipped..).map(|number| Time(first.saturating_add(number.saturating_mul(step))));
        all.skip_while(|at| *at < from).take_while(|at| *at <= to).take(64).collect()
    }

    /// A moment with its date, for a heading.
    pub fn heading(&self, at: Time) -> String {
        match (self.parts(at), self.epoch) {
            (Some((number, day, clock)), Some(_)) => {
                format!("{} {day} {clock}", WEEKDAYS[number.rem_euclid(7) as usize])
            }
            (Some((number, _, clock)), None) => format!("day {} {clock}", number + 1),
            (None, _) => format!("second {}", at.0),
        }
    }
}

/// "Nov 28" of "2026-11-28".
fn month_day(day: &str) -> String {
    let month = day.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let name = MONTHS.get(month.wrapping_sub(1)).copied().unwrap_or_default();
    format!("{name} {}", day.get(8..).unwrap_or_default().trim_start_matches('0'))
}

/// A length of time in at most two units: "2d 7h", "3h 14m", "11m", "20s".
pub fn brief_length(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds % 86_400 / 3600, seconds % 3600 / 60);
    let two = |first: String, number: i64, unit: &str| match number {
        0 => first,
        _ => format!("{first} {number}{unit}"),
    };
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m"),
        (0, ..) => two(format!("{hours}h"), minutes, "m"),
        _ => two(format!("{days}d"), hours, "h"),
    }
}

/// How long ago something was, in words.
pub fn ago(seconds: i64) -> String {
    let of = |number: i64, unit: &str| match number {
        1 => format!("1 {unit} ago"),
        _ => format!("{number} {unit}s ago"),
    };
    match seconds.max(0) {
        seconds @ 0..120 => of(seconds, "second"),
        seconds @ 120..7200 => of(seconds / 60, "minute"),
        seconds @ 7200..172_800 => of(seconds / 3600, "hour"),
        seconds => of(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As of 2026-11-18 14:00 in Berlin, a Wednesday.
    fn berlin() -> WallClock {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        WallClock { epoch: Some(0), zone, now: Time(1_795_006_800) }
    }

    #[test]
    fn moments_are_told_by_their_day() {
        let clock = berlin();
        let at = |hours: i64, words| clock.moment(Time(1_795_006_800 + hours * 3600), words);
        assert_eq!(at(1, DayWords::Full), "15:00");
        assert_eq!(at(12, DayWords::Full), "tomorrow 02:00");
        assert_eq!(at(12, DayWords::Brief), "Thu 02:00");
        assert_eq!(at(-24, DayWords::Full), "yesterday 14:00");
        assert_eq!(at(50, DayWords::Full), "Fri 16:00");
        assert_eq!(at(24 * 10, DayWords::Brief), "Nov 28 14:00");
        assert_eq!(clock.heading(Time(1_795_006_800)), "Wed 2026-11-18 14:00");
    }

    #[test]
    fn ranges_name_a_day_once() {
        let clock = berlin();
        let range = |low: i64, high: i64| {
            let at = |minutes: i64| Time(1_795_006_800 + minutes * 60);
            clock.range(at(low), at(high), DayWords::Full)
        };
        assert_eq!(range(10, 90), "14:10–15:30");
        assert_eq!(range(0, 90), "now–15:30");
        assert_eq!(range(0, 0), "now");
        assert_eq!(range(540, 720), "23:00–tomorrow 02:00");
        assert_eq!(range(720, 840), "tomorrow 02:00–04:00");
        assert_eq!(range(720, 720), "tomorrow 02:00");
    }

    #[test]
    fn a_change_of_the_clock_is_no_change_of_the_day() {
        // 2026-10-24 23:30 in Berlin; clocks go back in the night.
        let clock = WallClock { now: Time(1_792_877_400), ..berlin() };
        assert_eq!(clock.moment(clock.now, DayWords::Full), "23:30");
        assert_eq!(clock.moment(Time(1_792_877_400 + 5 * 3600), DayWords::Full), "tomorrow 03:30");
        // A log without dates counts days.
        let counted = WallClock { epoch: None, now: Time(90_000), ..berlin() };
        assert_eq!(counted.moment(Time(180_000), DayWords::Full), "+1d 02:00");
        assert_eq!(counted.heading(Time(90_000)), "day 2 01:00");
    }

    #[test]
    fn lengths_have_two_units() {
        let told = [20, 700, 11_640, 198_000, 7_200].map(brief_length);
        assert_eq!(told, ["20s", "11m", "3h 14m", "2d 7h", "2h"]);
        assert_eq!(
            [35, 2400, 90_000, 200_000].map(ago),
            ["35 seconds ago", "40 minutes ago", "25 hours ago", "2 days ago"]
        );
    }
}
