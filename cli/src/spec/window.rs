//! `--window`: which jobs the metrics count.

use queuecast::eval::Window;
use queuecast::report::duration;
use queuecast::units::Time;

use super::{Form, Spec, form};

/// `--window`.
pub fn window() -> Spec<Window> {
    const FORMS: &[Form] = &[
        form("all", "", "all jobs"),
        form("share", ":FIRST[,LAST]", "all but these shares at either end: share:1%,5%"),
        form("seconds", ":FIRST[,LAST]", "all but those submitted this near to either end: seconds:7d,1d"),
        form("submitted", ":FROM,UNTIL", "those submitted between two instants on the trace's clock"),
    ];
    Spec::new(FORMS, read)
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
    let instant = |text: &str| {
        text.parse().map(Time).map_err(|_| format!("\"{text}\" is not a whole number of seconds"))
    };
    match (name, last) {
        ("all", None) if parameters.is_empty() => Ok(Window::All),
        ("share", _) => Ok(Window::Share { warm_up: share(first)?, cool_down: last.map_or(Ok(0.0), share)? }),
        ("seconds", _) => {
            Ok(Window::Seconds { warm_up: length(first)?, cool_down: length(last.unwrap_or("0"))? })
        }
        ("submitted", Some(last)) => Ok(Window::Submitted { from: instant(first)?, until: instant(last)? }),
        ("submitted", None) => Err("two instants are needed, as in submitted:0,86400".to_owned()),
        _ => Err("\"all\" takes no parameters".to_owned()),
    }
}

/// `0.05` or `5%`.
fn share(text: &str) -> Result<f64, String> {
    let (digits, divisor) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim(), 100.0));
    let number: f64 = digits.parse().map_err(|_| format!("\"{text}\" is not a share, such as 0.05 or 5%"))?;
    Ok(number / divisor)
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
    fn what_is_no_window_says_why() {
        for (text, why) in [
            ("all:1", "no parameters"),
            ("share", "missing"),
            ("share:x", "not a share"),
            ("seconds:7x", "not a length of time"),
            ("submitted:5", "two instants"),
            ("submitted:a,b", "whole number"),
        ] {
            assert!(read(text).is_err_and(|said| said.contains(why)), "{text}");
        }
    }
}
