//! Round requested times. Users request few distinct, round times (Tsafrir, Etsion & Feitelson 2005, "Modeling user
//! runtime estimates").

use queuecast_core::units::Seconds;

/// The round times, ascending: from five minutes to a day, with 18 hours, the limit of many machines.
pub const ROUND_TIMES: [Seconds; 14] = [
    Seconds(300),
    Seconds(600),
    Seconds(900),
    Seconds(1800),
    Seconds(3600),
    Seconds(7200),
    Seconds(10_800),
    Seconds(14_400),
    Seconds(21_600),
    Seconds(28_800),
    Seconds(36_000),
    Seconds(43_200),
    Seconds(64_800),
    Seconds(86_400),
];

/// The shortest round time of at least `length`, or `longest` if that is shorter.
pub fn round_up(length: Seconds, longest: Seconds) -> Seconds {
    ROUND_TIMES.into_iter().find(|&round| round >= length).map_or(longest, |round| round.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_round_time_is_asked_for() {
        let longest = Seconds(64_800);
        assert!(ROUND_TIMES.is_sorted());
        assert_eq!(round_up(Seconds(0), longest), Seconds(300));
        assert_eq!(round_up(Seconds(3600), longest), Seconds(3600));
        assert_eq!(round_up(Seconds(3601), longest), Seconds(7200));
        assert_eq!(round_up(Seconds(50_000), longest), longest);
        assert_eq!(round_up(Seconds(70_000), longest), longest);
        assert_eq!(round_up(Seconds(200_000), Seconds(250_000)), Seconds(250_000));
    }
}
