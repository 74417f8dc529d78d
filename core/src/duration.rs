//! Lengths of time in human units, as text and from text.
//!
//! ```
//! use queuecast_core::duration;
//! use queuecast_core::units::Seconds;
//!
//! assert_eq!(duration::human(Seconds(7_800)), "2 h 10 min");
//! assert_eq!(duration::parse("2h10m"), Ok(Seconds(7_800)));
//! assert_eq!(duration::parse("1-12:00:00"), Ok(Seconds(129_600)));
//! // A bare number is seconds; as a job's time limit it is minutes, as Slurm reads it.
//! assert_eq!(duration::parse("90"), Ok(Seconds(90)));
//! assert_eq!(duration::parse_limit("90"), Ok(Seconds(5_400)));
//! ```

use crate::units::Seconds;

use crate::number;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

/// A length in its two largest units, rounded to the smaller: `45 s`, `2 h 10 min`, `3 d 4 h`.
pub fn human(length: Seconds) -> String {
    about(length.0 as f64)
}

/// A length to the second, in all its units: `1 d 12 h 30 min`. What is typed is repeated like this.
pub fn exact(length: Seconds) -> String {
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s")];
    let mut rest = length.0;
    let mut parts = Vec::new();
    for (unit, name) in units {
        let count = rest / unit;
        rest %= unit;
        if count != 0 {
            parts.push(format!("{} {name}", number::integer(count)));
        }
    }
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// A fractional length, such as a mean, in its two largest units. Below ten seconds it keeps one decimal.
pub fn about(seconds: f64) -> String {
    if !seconds.is_finite() {
        return number::decimal(seconds, 0);
    }
    let size = seconds.abs();
    let sign = if seconds < 0.0 { "-" } else { "" };
    if size < 9.95 && (size * 10.0).round() % 10.0 != 0.0 {
        return format!("{sign}{size:.1} s");
    }
    // A length that rounds up to the next unit (59 min 59.7 s) is shown in that unit, hence the cascade.
    let whole = size.round() as i64;
    if whole < MINUTE {
        return if whole == 0 { "0 s".to_owned() } else { format!("{sign}{whole} s") };
    }
    if whole < HOUR {
        return format!("{sign}{}", pair(whole, MINUTE, "min", 1, "s"));
    }
    let minutes = ((size / MINUTE as f64).round() as i64).saturating_mul(MINUTE);
    if minutes < DAY {
        return format!("{sign}{}", pair(minutes, HOUR, "h", MINUTE, "min"));
    }
    let hours = ((size / HOUR as f64).round() as i64).saturating_mul(HOUR);
    format!("{sign}{}", pair(hours, DAY, "d", HOUR, "h"))
}

fn pair(length: i64, large: i64, large_name: &str, small: i64, small_name: &str) -> String {
    let (first, second) = (length / large, length % large / small);
    let first = number::integer(first);
    if second == 0 {
        format!("{first} {large_name}")
    } else {
        format!("{first} {large_name} {second} {small_name}")
    }
}

/// A length in the largest unit of which it is a whole number, as it may be typed: `90m`, `2d`.
pub fn short(length: Seconds) -> String {
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "m")];
    let unit = units.into_iter().find(|(unit, _)| length.0 > 0 && length.0 % unit == 0);
    let (unit, name) = unit.unwrap_or((1, "s"));
    format!("{}{name}", length.0 / unit)
}

/// Why a text is not a length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{text}\" is not a length of time: {why}; write 45s, 2h10m, 1.5h, 3d, 1-12:00:00, or plain seconds"
)]
pub struct DurationError {
    /// What was read.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// Reads a length of time: plain seconds (`3600`), units (`90s`, `2h10m`, `2 h 10 min`, `1.5 days`), or the
/// scheduler's clock forms (`12:30:00`, `10:30` for minutes and seconds, `1-12`, `1-12:00`, `1-12:00:00`).
/// It must come to whole seconds.
pub fn parse(text: &str) -> Result<Seconds, DurationError> {
    let bare = text.trim();
    let read = if bare.is_empty() {
        Err("nothing is written".to_owned())
    } else if bare.starts_with('-') {
        Err("it is negative".to_owned())
    } else if bare.contains([':', '-']) {
        clock(bare)
    } else {
        units(bare)
    };
    read.map(Seconds).map_err(|why| DurationError { text: text.to_owned(), why })
}

/// Reads a length of time above zero.
pub fn parse_positive(text: &str) -> Result<Seconds, String> {
    match parse(text) {
        Ok(length) if length > Seconds::ZERO => Ok(length),
        Ok(_) => Err("expected a time above zero".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The longest time limit that is read, 100 years: no job runs for that, and sums of such limits stay far from overflow.
const LONGEST_LIMIT: i64 = 36_525 * DAY;

/// Reads the time limit of a job as Slurm's `sbatch` reads it: a whole number without a unit is minutes, and clocks are
/// `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` and `days-hours:minutes:seconds`. Units
/// (`2h10m`) are read as by [`parse`]. It is above zero and at most 100 years.
pub fn parse_limit(text: &str) -> Result<Seconds, String> {
    let refused = |why: &str| {
        format!("\"{text}\" is not a time limit: {why}; write 90 for minutes, 2h10m, 02:10:00 or 1-12:00:00")
    };
    let bare = text.trim();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let read = match bare {
        "" => Err("nothing is written".to_owned()),
        fraction if is_number(fraction) && fraction.contains('.') => {
            Err(format!("a unit is missing after {fraction}"))
        }
        minutes if is_number(minutes) => scaled(minutes, MINUTE),
        _ => parse(bare).map(|length| length.0).map_err(|error| error.why),
    };
    match read {
        Ok(..=0) => Err(refused("it is not above zero")),
        Ok(length @ ..=LONGEST_LIMIT) => Ok(Seconds(length)),
        Ok(_) => Err(refused("it is longer than 100 years")),
        Err(why) => Err(refused(&why)),
    }
}

const TOO_LONG: &str = "it is too long";

/// `[days-]hours[:minutes[:seconds]]` with days, `[hours:]minutes:seconds` without.
fn clock(text: &str) -> Result<i64, String> {
    let whole = |part: &str| {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("\"{part}\" is not a whole number"));
        }
        part.parse::<i64>().map_err(|_| TOO_LONG.to_owned())
    };
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(whole(days)?), rest),
        None => (None, text),
    };
    let parts = rest.split(':').map(whole).collect::<Result<Vec<i64>, String>>()?;
    let (hours, minutes, seconds) = match (days, parts.as_slice()) {
        (Some(_), &[hours]) => (hours, 0, 0),
        (Some(_), &[hours, minutes]) => (hours, minutes, 0),
        (None, &[minutes, seconds]) => (0, minutes, seconds),
        (_, &[hours, minutes, seconds]) => (hours, minutes, seconds),
        _ => return Err("it has too many colons".to_owned()),
    };
    // The leading field may be any size ("90:00" is an hour and a half); the ones after it may not.
    if days.is_some() && hours >= 24 {
        return Err(format!("{hours} hours beside days"));
    }
    let minutes_lead = days.is_none() && parts.len() == 2;
    if minutes >= 60 && !minutes_lead {
        return Err(format!("{minutes} minutes beside hours"));
    }
    if seconds >= 60 {
        return Err(format!("{seconds} seconds beside minutes"));
    }
    [(days.unwrap_or(0), DAY), (hours, HOUR), (minutes, MINUTE), (seconds, 1)]
        .into_iter()
        .try_fold(0_i64, |sum, (count, unit)| sum.checked_add(count.checked_mul(unit)?))
        .ok_or_else(|| TOO_LONG.to_owned())
}

/// Amounts with units, the largest first; one amount without a unit is seconds.
fn units(text: &str) -> Result<i64, String> {
    let mut sum = 0_i64;
    let mut rest = text;
    let mut previous = i64::MAX;
    while !rest.is_empty() {
        let number_ends = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, after) = rest.split_at(number_ends);
        let after = after.trim_start();
        let unit_ends = after.find(|c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace());
        let (name, after) = after.split_at(unit_ends.unwrap_or(after.len()));
        if amount.is_empty() {
            return Err(format!("a number is missing before \"{name}\""));
        }
        let unit = match name.to_ascii_lowercase().as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
            "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
            "d" | "day" | "days" => DAY,
            "w" | "week" | "weeks" => WEEK,
            "" if previous == i64::MAX && after.is_empty() => 1,
            "" => return Err(format!("a unit is missing after {amount}")),
            _ => return Err(format!("\"{name}\" is not a unit (s, m, h, d, w)")),
        };
        if unit >= previous {
            return Err("units go from large to small, each once".to_owned());
        }
        sum = sum.checked_add(scaled(amount, unit)?).ok_or(TOO_LONG)?;
        previous = unit;
        rest = after.trim_start();
    }
    Ok(sum)
}

/// A decimal amount times a unit, in integers, so that `0.1h` is 360 seconds and not one more or less.
fn scaled(amount: &str, unit: i64) -> Result<i64, String> {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let not_a_number = || format!("\"{amount}\" is not a number");
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return Err(not_a_number());
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 9 {
        return Err(format!("{amount} has too many decimals"));
    }
    let read = |digits: &str| if digits.is_empty() { Ok(0) } else { digits.parse::<i64>() };
    let whole = read(whole).map_err(|_| TOO_LONG)?;
    // At most nine digits: always fits.
    let parts = read(fraction).map_err(|_| not_a_number())? * unit;
    let scale = 10_i64.pow(fraction.len() as u32);
    if parts % scale != 0 {
        return Err("it does not come to whole seconds".to_owned());
    }
    whole.checked_mul(unit).and_then(|sum| sum.checked_add(parts / scale)).ok_or_else(|| TOO_LONG.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_at_most_two_units() {
        let shown = [
            (0, "0 s"),
            (45, "45 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3_599, "59 min 59 s"),
            (7_800, "2 h 10 min"),
            (7_829, "2 h 10 min"),
            (7_830, "2 h 11 min"),
            (86_399, "1 d"),
            (273_600, "3 d 4 h"),
            (100_000_000, "1,157 d 10 h"),
            (-90, "-1 min 30 s"),
        ];
        for (seconds, expected) in shown {
            assert_eq!(human(Seconds(seconds)), expected, "{seconds}");
        }
    }

    #[test]
    fn what_is_repeated_is_not_rounded() {
        let shown =
            [(0, "0 s"), (5_400, "1 h 30 min"), (131_405, "1 d 12 h 30 min 5 s"), (864_000_000, "10,000 d")];
        for (seconds, expected) in shown {
            assert_eq!(exact(Seconds(seconds)), expected);
        }
    }

    #[test]
    fn means_keep_a_decimal_while_short_and_carry_over() {
        assert_eq!(about(4.26), "4.3 s");
        assert_eq!(about(0.04), "0 s");
        assert_eq!(about(9.97), "10 s");
        assert_eq!(about(59.6), "1 min");
        assert_eq!(about(3_599.7), "1 h");
        assert_eq!(about(f64::INFINITY), "inf");
    }

    #[test]
    fn every_common_spelling_is_read() {
        let read = [
            ("3600", 3_600),
            ("90s", 90),
            ("2h10m", 7_800),
            ("2 h 10 min", 7_800),
            (" 1.5h ", 5_400),
            ("0.1h", 360),
            ("3 d 4 h", 273_600),
            ("1w", 604_800),
            ("2 Hours", 7_200),
            ("1-12:00:00", 129_600),
            ("1-12", 129_600),
            ("1-12:30", 131_400),
            ("12:30:00", 45_000),
            ("90:30", 5_430),
            ("100:00:00", 360_000),
        ];
        for (text, expected) in read {
            assert_eq!(parse(text), Ok(Seconds(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        for seconds in (0..60).chain((60..3_600).step_by(7)).chain((3_600..86_400).step_by(60)) {
            assert_eq!(parse(&human(Seconds(seconds))), Ok(Seconds(seconds)));
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let refused = [
            ("", "nothing is written"),
            ("-5", "it is negative"),
            ("2x", "\"x\" is not a unit (s, m, h, d, w)"),
            ("h", "a number is missing before \"h\""),
            ("2h10", "a unit is missing after 10"),
            ("10m2h", "units go from large to small, each once"),
            ("0.3s", "it does not come to whole seconds"),
            ("1..5h", "\"1..5\" is not a number"),
            ("1:60", "60 seconds beside minutes"),
            ("1:60:00", "60 minutes beside hours"),
            ("1-24", "24 hours beside days"),
            ("1-a", "\"a\" is not a whole number"),
            ("1:2:3:4", "it has too many colons"),
            ("99999999999999999999", "it is too long"),
            ("9999999999999999w", "it is too long"),
            ("9223372036854775807-0", "it is too long"),
        ];
        for (text, why) in refused {
            assert_eq!(parse(text).unwrap_err().why, why, "{text}");
        }
        assert_eq!(
            parse("2x").unwrap_err().to_string(),
            "\"2x\" is not a length of time: \"x\" is not a unit (s, m, h, d, w); \
             write 45s, 2h10m, 1.5h, 3d, 1-12:00:00, or plain seconds"
        );
    }

    #[test]
    fn time_limits_are_read_as_slurm_reads_them() {
        let read = [
            ("90", 5_400),
            (" 1 ", 60),
            ("90:30", 5_430),
            ("2:10:00", 7_800),
            ("100:00:00", 360_000),
            ("1-12", 129_600),
            ("1-12:30", 131_400),
            ("1-12:30:05", 131_405),
            ("2h10m", 7_800),
            ("90s", 90),
            ("1.5h", 5_400),
            ("36525d", LONGEST_LIMIT),
        ];
        for (text, expected) in read {
            assert_eq!(parse_limit(text), Ok(Seconds(expected)), "{text}");
        }
        let refused = [
            ("", "nothing is written"),
            ("0", "it is not above zero"),
            ("00:00", "it is not above zero"),
            ("-5", "it is negative"),
            ("1.5", "a unit is missing after 1.5"),
            ("2x", "\"x\" is not a unit (s, m, h, d, w)"),
            ("99999999999999h", "it is longer than 100 years"),
            ("36525d1s", "it is longer than 100 years"),
            ("99999999999999999999", "it is too long"),
            ("9223372036854775807", "it is too long"),
        ];
        for (text, why) in refused {
            let said = format!(
                "\"{text}\" is not a time limit: {why}; write 90 for minutes, 2h10m, 02:10:00 or 1-12:00:00"
            );
            assert_eq!(parse_limit(text), Err(said));
        }
    }

    #[test]
    fn typed_lengths_are_short() {
        let typed = [3600, 5400, 172_800, 61].map(|length| short(Seconds(length)));
        assert_eq!(typed, ["1h", "90m", "2d", "61s"]);
        assert!(parse_positive("0s").is_err_and(|why| why.contains("above zero")));
    }
}
