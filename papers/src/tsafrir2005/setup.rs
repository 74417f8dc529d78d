//! The logs of the paper and the size of the head.

/// The logs, as the paper calls them.
pub const LOG_NAMES: [&str; 4] = ["SDSC-106", "CTC", "KTH4H", "BLUE"];

/// How many estimates are the head.
pub const HEAD: usize = 20;
