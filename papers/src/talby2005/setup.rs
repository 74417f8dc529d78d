//! The logs of the paper and how arrivals are shaken.

use queuecast_core::units::Seconds;

/// The logs, as the paper abbreviates them.
pub const LOG_NAMES: [&str; 4] = ["SDSP2", "CTC", "KTH", "BLUE"];

/// How far arrivals are shaken.
pub const SHAKEN_BY: Seconds = Seconds(30);

/// How often.
pub const SHAKEN_SEEDS: std::ops::RangeInclusive<u64> = 1..=5;
