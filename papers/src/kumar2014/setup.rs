//! Names and numbers of the paper that several files need.

/// What the paper calls its logs, in the order of the files.
pub const LOG_NAMES: [&str; 5] = ["CTC", "LANL", "HPC2N", "SDSC Blue", "SDSC SP2"];

/// How many jobs are predicted, from the 10,001st on: up to the 50,000th.
pub const JOBS: usize = 40_000;

/// Table 4 (a), as a column.
pub const NON_QUICK: &str = "Non Quick Starters";

/// Table 4 (b), as a column.
pub const OVERALL: &str = "Overall";

/// Static scheduling of the synthetic scenarios by several readings of section 5.2.
pub const SCENARIOS: &str = "scenarios";

/// The loads of their queues by the default reading.
pub const LOADS: &str = "scenario-loads";

/// Section 5.1 by readings that change one thing.
pub const READINGS: &str = "readings";

/// Section 5.1 as the formula is printed.
pub const PRINTED: &str = "printed";
