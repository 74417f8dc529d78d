//! `--window`: which jobs the metrics count.

use queuecast::eval::Window;
use queuecast::report::duration;
use queuecast::units::Time;

use super::{Form, SpecParser, form};

/// `--window`.
pub fn window() -> SpecParser<Window> {
    const FORMS: &[Form] = &[
        form("all", "", "all jobs"),
        form("share", ":FIRST[,LAST]", "all but these shares at either end: share:1%,5%"),
        form("seconds", ":FIRST[,LAST]", "all but those submitted this near to either end: seconds:7d,1d"),
        form(
            "submitted",
            ":FROM,UNTIL",
            "those submitted this long after the trace's clock began: submitted:7d,14d",
        ),
    ];
    SpecParser::new(FORMS, read)
}

fn read(text: &str) -> Result<Window, String> {
    let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
    let (first, last) = match parameters.split_once(',') {
        Some((first, last)) => (first.trim(), Some(last.trim())),
        None => (parameters.trim(), None),
    };
    if name != "all" && first.is_empty() {
        return Err("a length after the colon is missing, as in share:1%,5%".to_owned());
    }
    let length = |text: &str| duration::parse(text).map_err(|error| error.to_string());
    // Logs may have jobs from before their clock began.
    let instant = |text: &str| text.parse().map(Time).or_else(|_| length(text).map(|length| Time(length.0)));
    match (name, last) {
        ("all", None) if parameters.is_empty() => Ok(Window::All),
        ("share", _) => {
            let (warm_up, cool_down) = (share(first)?, last.map_or(Ok(0.0), share)?);
            if warm_up + cool_down >= 1.0 {
                return Err(match last {
                    Some(last) => format!("{first} and {last} together leave no job to count"),
                    None => format!("leaving out {first} leaves no job to count"),
                });
            }
            Ok(Window::Share { warm_up, cool_down })
        }
        ("seconds", _) => {
            Ok(Window::Seconds { warm_up: length(first)?, cool_down: length(last.unwrap_or("0"))? })
        }
        ("submitted", Some(last)) => {
            let (from, until) = (instant(first)?, instant(last)?);
            if until <= from {
                return Err(format!("{last} is not after {first}, so no job is between them"));
            }
            Ok(Window::Submitted { from, until })
        }
        ("submitted", None) => Err("two instants are needed, as in submitted:0,86400".to_owned()),
        _ => Err("\"all\" takes no parameters".to_owned()),
    }
}

/// `0.05` or `5%`.
fn share(text: &str) -> Result<f64, String> {
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim(), 100.0));
    let number: f64 = digits.parse().map_err(|_| format!("\"{text}\" is not a share, such as 0.05 or 5%"))?;
    let share = number / divisor;
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("\"{text}\" is not a share: those are from 0 to 1, or from 0% to 100%"));
    }
    Ok(share)
}

/// The window as it can be given again.
pub fn written(window: &Window) -> String {
    match window {
        Window::All => "all".to_owned(),
        Window::Share { warm_up, cool_down } => format!("share:{warm_up},{cool_down}"),
        Window::Seconds { warm_up, cool_down } => format!("seconds:{warm_up},{cool_down}"),
        Window::Submitted { from, until } => format!("submitted:{from},{until}"),
    }
}

#[cfg(test)]
mod tests {
    use queuecast::units::Seconds;

    use super::*;

    #[test]
    fn every_kind_of_window_can_be_written() {
        assert_eq!(read("all"), Ok(Window::All));
        assert_eq!(read("share:1%,0.05"), Ok(Window::Share { warm_up: 0.01, cool_down: 0.05 }));
        assert_eq!(read("share:0.5"), Ok(Window::Share { warm_up: 0.5, cool_down: 0.0 }));
        let days = Window::Seconds { warm_up: Seconds(604_800), cool_down: Seconds(3_600) };
        assert_eq!(read("seconds:7d,1h"), Ok(days));
        assert_eq!(read("submitted:-5,10"), Ok(Window::Submitted { from: Time(-5), until: Time(10) }));
    }

    #[test]
    fn what_is_written_is_read_as_the_same_window() {
        for text in ["all", "share:0.01,0.05", "seconds:604800,3600", "submitted:-5,10"] {
            assert_eq!(written(&read(text).unwrap()), text);
        }
        assert_eq!(written(&read("submitted:1d,2d").unwrap()), "submitted:86400,172800");
    }

    #[test]
    fn what_is_no_window_says_why() {
        for (text, why) in [
            ("all:1", "no parameters"),
            ("share", "missing"),
            ("share:x", "not a share"),
            ("seconds:7x", "not a length of time"),
            ("submitted:5", "two instants"),
            ("submitted:a,b", "not a length of time"),
            ("submitted:7d,1d", "1d is not after 7d"),
            ("share:100%", "leaving out 100% leaves no job to count"),
            ("share:1", "leaves no job"),
            ("share:90%,0.9", "90% and 0.9 together leave no job"),
            ("share:-1", "\"-1\" is not a share"),
        ] {
            assert!(read(text).is_err_and(|said| said.contains(why)), "{text}");
        }
    }
}
