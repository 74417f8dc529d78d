//! Values of `sbatch` options.

use super::values::{BareNumber, count, count32, digits, is_null, length};
use queuecast_core::units::{Seconds, Time};
use queuecast_slurm_sim::cluster::{Begin, GresRequest, TimeLimit};
use queuecast_trace::TimeZone;
use queuecast_trace::sacct::unix_second;

/// Fewest and most nodes: `2`, `2-4`, `2-`; several numbers are taken as a range.
pub(super) fn node_range(text: &str) -> Option<(Option<u32>, Option<u32>)> {
    if text.contains(',') {
        let all: Vec<(Option<u32>, Option<u32>)> = text.split(',').map(node_range).collect::<Option<_>>()?;
        let fewest = all.iter().filter_map(|range| range.0).min();
        let most = all.iter().map(|range| range.1).collect::<Option<Vec<u32>>>()?.into_iter().max();
        return Some((fewest, most));
    }
    let text = text.split(':').next()?;
    match text.split_once('-') {
        None => count32(text).map(|number| (Some(number), Some(number))),
        Some((fewest, "")) => count32(fewest).map(|number| (Some(number), None)),
        Some((fewest, most)) => {
            let (fewest, most) = (count32(fewest)?, count32(most)?);
            (fewest <= most).then_some((Some(fewest), Some(most)))
        }
    }
}

/// `gpu:2`, `gpu:a100:2,fpga`, also with `gres/` or `gres:` before.
pub(super) fn gres_request(text: &str) -> Option<Vec<GresRequest>> {
    if is_null(text) {
        return Some(Vec::new());
    }
    let read = |part: &str| {
        let part = part.trim();
        let bare = part.strip_prefix("gres/").or_else(|| part.strip_prefix("gres:")).unwrap_or(part);
        let (name, rest) =
            bare.split_once([':', '=']).map_or((bare, None), |(name, rest)| (name, Some(rest)));
        let (kind, count) = rest.map_or(Some((None, 1)), kind_and_count)?;
        (!name.is_empty()).then(|| GresRequest { name: name.to_owned(), kind, count })
    };
    text.split(',').map(read).collect()
}

/// `2`, `a100:2`, `a100:2,v100:1`.
pub(super) fn gpus(text: &str) -> Option<Vec<GresRequest>> {
    let read = |part: &str| {
        let (kind, count) = kind_and_count(part.trim())?;
        Some(GresRequest { name: "gpu".to_owned(), kind, count })
    };
    text.split(',').map(read).collect()
}

fn kind_and_count(text: &str) -> Option<(Option<String>, u64)> {
    match text.split_once([':', '=']) {
        Some((kind, number)) if !kind.is_empty() => Some((Some(kind.to_owned()), count(number)?)),
        Some(_) => None,
        None => match count(text) {
            Some(number) => Some((None, number)),
            None => (!text.is_empty()).then(|| (Some(text.to_owned()), 1)),
        },
    }
}

/// `matlab:2,fluent`; `;` and `|` separate as well.
pub(super) fn license_request(text: &str) -> Option<Vec<GresRequest>> {
    let read = |part: &str| {
        let (name, number) = part.split_once([':', '=']).unwrap_or((part, "1"));
        let count = count(number)?;
        (!name.is_empty()).then(|| GresRequest { name: name.to_owned(), kind: None, count })
    };
    // Of alternatives the first counts.
    let first = text.split('|').next().unwrap_or_default();
    first.split([',', ';']).map(str::trim).map(read).collect()
}

/// A time limit; zero and −1 are none.
pub(super) fn time_limit(text: &str) -> Option<TimeLimit> {
    if ["unlimited", "infinite", "-1"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some(TimeLimit::Unlimited);
    }
    match length(text, BareNumber::Minutes)? {
        Seconds::ZERO => Some(TimeLimit::Unlimited),
        length => Some(TimeLimit::Of(length)),
    }
}

/// `now`, `now+60`, `now+1hour`, a time of day, a date with or without a time.
pub(super) fn begin(text: &str) -> Option<Begin> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("now") {
        let Some(added) = rest.strip_prefix('+') else {
            return rest.is_empty().then_some(Begin::After(Seconds::ZERO));
        };
        let end = added.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(added.len());
        let (number, unit) = added.split_at(end);
        let unit = match unit.trim() {
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hour" | "hours" => 3_600,
            "d" | "day" | "days" => 86_400,
            "w" | "week" | "weeks" => 7 * 86_400,
            _ => return None,
        };
        let seconds = i64::try_from(digits(number)?).ok()?.checked_mul(unit)?;
        return Some(Begin::After(Seconds(seconds)));
    }
    match lower.as_str() {
        "today" => return Some(Begin::After(Seconds::ZERO)),
        "midnight" => return Some(Begin::Clock(Seconds::ZERO)),
        "noon" => return Some(Begin::Clock(Seconds(12 * 3_600))),
        "fika" => return Some(Begin::Clock(Seconds(15 * 3_600))),
        "teatime" => return Some(Begin::Clock(Seconds(16 * 3_600))),
        _ => {}
    }
    if lower.contains('-') {
        let whole = match lower.len() {
            10 => format!("{lower}T00:00:00"),
            16 => format!("{lower}:00"),
            _ => lower.clone(),
        };
        let local = unix_second(&whole.replace('t', "T"), &TimeZone::UTC)??;
        return Some(Begin::Local(Time(local)));
    }
    if let Some(second) = digits(&lower) {
        // Slurm's own tools also write Unix times.
        return (second > 100_000_000)
            .then(|| i64::try_from(second).ok().map(|second| Begin::At(Time(second))))?;
    }
    clock(&lower).map(Begin::Clock)
}

/// A time of day: `HH:MM`, `HH:MM:SS`, with or without `am` or `pm`.
fn clock(text: &str) -> Option<Seconds> {
    let (text, shift) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(rest), _) => (rest.trim(), Some(0)),
        (_, Some(rest)) => (rest.trim(), Some(12)),
        _ => (text, None),
    };
    let parts: Vec<u64> = text.split(':').map(digits).collect::<Option<_>>()?;
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let hour = match shift {
        Some(shift) if (1..=12).contains(&hour) => hour % 12 + shift,
        Some(_) => return None,
        None => hour,
    };
    let second = (hour < 24 && minute < 60 && second < 60).then_some(hour * 3_600 + minute * 60 + second)?;
    i64::try_from(second).ok().map(Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_are_relative_or_not() {
        for (text, expected) in [
            ("now", Begin::After(Seconds(0))),
            ("now+60", Begin::After(Seconds(60))),
            ("now+2days", Begin::After(Seconds(172_800))),
            ("16:30", Begin::Clock(Seconds(59_400))),
            ("4:30pm", Begin::Clock(Seconds(59_400))),
            ("12:05am", Begin::Clock(Seconds(300))),
            ("noon", Begin::Clock(Seconds(43_200))),
            ("2026-11-15T01:15:37", Begin::Local(Time(1_794_705_337))),
            ("2026-11-15T01:15", Begin::Local(Time(1_794_705_300))),
            ("2026-11-15", Begin::Local(Time(1_794_700_800))),
            ("1794705337", Begin::At(Time(1_794_705_337))),
        ] {
            assert_eq!(begin(text), Some(expected), "{text}");
        }
        for odd in [
            "",
            "now+",
            "now+5fortnights",
            "now-5",
            "25:00",
            "13:00pm",
            "soon",
            "2026-13-01",
            "5",
            "now+9999999999999999999d",
        ] {
            assert_eq!(begin(odd), None, "{odd}");
        }
    }

    #[test]
    fn ranges_of_nodes() {
        assert_eq!(node_range("4"), Some((Some(4), Some(4))));
        assert_eq!(node_range("1k"), Some((Some(1024), Some(1024))));
        assert_eq!(node_range("1,4,2-8"), Some((Some(1), Some(8))));
        for odd in ["", "-", "4-2", "x", "2-x"] {
            assert_eq!(node_range(odd), None, "{odd}");
        }
    }
}
