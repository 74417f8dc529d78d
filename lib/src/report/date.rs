//! Instants as people write them.

use jiff::Timestamp;

/// The day, `1996-09-23`, of a Unix time, in UTC; `None` beyond the years a calendar has.
pub fn day(unix: i64) -> Option<String> {
    Some(Timestamp::from_second(unix).ok()?.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_in_utc_and_only_where_there_are_any() {
        assert_eq!(day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(day(843_497_999).as_deref(), Some("1996-09-23"));
        assert_eq!(day(-1).as_deref(), Some("1969-12-31"));
        assert_eq!(day(i64::MAX), None);
    }
}
