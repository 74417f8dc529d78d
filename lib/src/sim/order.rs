//! In which order jobs are tried for backfilling.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::spec::SpecError;

/// The order in which waiting jobs are tried for backfilling; ties go by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// First come first.
    #[default]
    Arrival,
    /// Shortest planned run time first (SJBF, Tsafrir, Etsion & Feitelson 2007).
    Shortest,
    /// Fewest processors first.
    Smallest,
    /// Most processors first (Maui's best fit by processors).
    Largest,
    /// Largest planned area, processors times run time, first (Maui's best fit by processor-seconds).
    Area,
}

impl Order {
    /// Every order, as written.
    pub const KNOWN: [&'static str; 5] = ["arrival", "shortest", "smallest", "largest", "area"];

    /// Smaller is tried first.
    pub(super) fn rank(self, procs: u32, planned: i64) -> u64 {
        match self {
            Order::Arrival => 0,
            Order::Shortest => planned.unsigned_abs(),
            Order::Smallest => u64::from(procs),
            Order::Largest => u64::MAX - u64::from(procs),
            Order::Area => u64::MAX - u64::from(procs).saturating_mul(planned.unsigned_abs()),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Arrival => "arrival",
            Order::Shortest => "shortest",
            Order::Smallest => "smallest",
            Order::Largest => "largest",
            Order::Area => "area",
        })
    }
}

impl FromStr for Order {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Order, SpecError> {
        match text {
            "arrival" => Ok(Order::Arrival),
            "shortest" => Ok(Order::Shortest),
            "smallest" => Ok(Order::Smallest),
            "largest" => Ok(Order::Largest),
            "area" => Ok(Order::Area),
            _ => Err(SpecError::unknown("backfill order", text, &Order::KNOWN)),
        }
    }
}
