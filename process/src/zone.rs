//! The time zone of this machine.

use std::env;
use std::fs;

use queuecast_trace::TimeZone;

/// The zone that the variable TZ names, else that of /etc/localtime; UTC where neither tells.
pub fn of_machine() -> TimeZone {
    let variable = env::var("TZ").ok().filter(|text| !text.is_empty());
    let link = || fs::canonicalize("/etc/localtime").ok().map(|file| file.display().to_string());
    variable.or_else(link).and_then(|text| named(&text)).unwrap_or(TimeZone::UTC)
}

/// A zone by its name, or by the path of its file.
fn named(text: &str) -> Option<TimeZone> {
    let text = text.strip_prefix(':').unwrap_or(text);
    let name = text.rsplit_once("zoneinfo/").map_or(text, |(_, name)| name);
    TimeZone::get(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_names_and_paths() {
        let stockholm = TimeZone::get("Europe/Stockholm").unwrap();
        for text in ["Europe/Stockholm", ":Europe/Stockholm", "/usr/share/zoneinfo/Europe/Stockholm"] {
            assert_eq!(named(text), Some(stockholm.clone()), "{text}");
        }
        assert_eq!(named("/etc/localtime"), None);
    }
}
