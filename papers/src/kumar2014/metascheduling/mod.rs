//! Section 5.2: the super experiments (six sites with the arrivals of their logs) and the synthetic ones (32 scenarios of four
//! queues), under the paper's metaschedulers and ours.

mod cells;
mod claims;
mod experiment;

pub(super) use self::cells::{cells, figure};
pub(super) use self::claims::judged;
pub(super) use self::experiment::CURIE;
pub use self::experiment::{
    Admission, COMPARED, Metascheduled, SuperReading, WantedGrids, super_grid, synthetic_grid,
};

/// Average waits and what they are of others', super experiments.
pub(super) const WAITS: &str = "figure-3";

/// Where jobs ran, super experiments.
pub(super) const DISTRIBUTION: &str = "7";

/// Overall statistics, synthetic experiments.
pub(super) const SYNTHETIC: &str = "8";

/// What the users of each site gain, super experiments.
pub(super) const HOMES: &str = "homes";

/// Alternatives, super experiment while all logs last.
pub(super) const ALTERNATIVES: &str = "variants";

/// Reductions scenario by scenario.
pub(super) const GAINS: &str = "scenario-gains";

/// The tables of the super experiments.
pub(super) const SUPER_TABLES: [&str; 3] = [WAITS, DISTRIBUTION, HOMES];

/// Table 8 with queues that take what is within their limits.
pub(super) const LIMITED: &str = "8-limits";

/// The tables of the synthetic experiments; they need no logs.
pub(super) const SYNTHETIC_TABLES: [&str; 2] = [SYNTHETIC, GAINS];

#[cfg(test)]
mod tests;
