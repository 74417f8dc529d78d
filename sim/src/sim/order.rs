//! The order in which waiting jobs are tried for backfilling.

use serde::Serialize;

use queuecast_core::spec::choices;

/// The order in which waiting jobs are tried for backfilling; ties go by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// In order of arrival.
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

choices! { Order, "backfill order":
    Arrival = "arrival", "in order of arrival";
    Shortest = "shortest", "shortest predicted run time first";
    Smallest = "smallest", "fewest processors first";
    Largest = "largest", "most processors first";
    Area = "area", "largest processors times predicted run time first";
}

impl Order {
    /// The sort key: jobs with a smaller one are tried first.
    pub fn rank(self, procs: u32, planned: i64) -> u64 {
        match self {
            Order::Arrival => 0,
            Order::Shortest => planned.unsigned_abs(),
            Order::Smallest => u64::from(procs),
            Order::Largest => u64::MAX - u64::from(procs),
            Order::Area => u64::MAX - u64::from(procs).saturating_mul(planned.unsigned_abs()),
        }
    }
}
