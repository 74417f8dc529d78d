//! Counts, shares and lengths of time within sentences.

use crate::{Cell, Page, duration};
pub use queuecast_core::number::number_of;
use queuecast_core::units::{Procs, Seconds};

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

/// What a job asks for: "64 processors for 2 h 10 min", the time as exactly as it was typed.
pub fn asked(procs: Procs, time: Seconds) -> String {
    format!("{} for {}", number_of(procs.0, "processor"), duration::exact(time))
}

/// "28 of 128 processors are free".
pub fn free(free: Procs, of: Procs) -> String {
    let is = if free.0 == 1 { "is" } else { "are" };
    format!("{} of {} {is} free", whole(free.0), number_of(of.0, "processor"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns_and_verbs() {
        let free = |count: u32, of: u32| free(Procs(count), Procs(of));
        assert_eq!(free(0, 256), "0 of 256 processors are free");
        assert_eq!(free(1, 256), "1 of 256 processors is free");
        assert_eq!(
            (free(28, 1280), free(1, 1)),
            ("28 of 1,280 processors are free".into(), "1 of 1 processor is free".into())
        );
        assert_eq!(asked(Procs(1), Seconds(5_400)), "1 processor for 1 h 30 min");
        assert_eq!(asked(Procs(2_048), Seconds(131_400)), "2,048 processors for 1 d 12 h 30 min");
    }
}
