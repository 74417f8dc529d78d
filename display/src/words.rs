//! Counts, shares and lengths of time within sentences.

use crate::{Cell, Page, duration};
pub use queuecast_core::number::number_of;
use queuecast_core::units::Seconds;

/// A shorter wait is "at once".
pub const AT_ONCE: f64 = 1.0;

/// "2,000".
pub fn whole(count: impl TryInto<i64>) -> String {
    Cell::Integer(count.try_into().unwrap_or(i64::MAX)).shown(&Page::default())
}

/// "12.5%".
pub fn percent(share: f64) -> String {
    Cell::share(share).shown(&Page::default())
}

/// A wait: "at once", or its length.
pub fn wait(seconds: f64) -> String {
    if seconds < AT_ONCE { "at once".to_owned() } else { duration::about(seconds) }
}

/// "5 min to 2 h", or one length if both look the same.
pub fn range(low: f64, high: f64, shown: fn(f64) -> String) -> String {
    match (shown(low), shown(high)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    }
}

/// Seconds with two decimals, or a duration from ten seconds on.
pub fn took(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2} s") } else { duration::human(Seconds(seconds.round() as i64)) }
}
