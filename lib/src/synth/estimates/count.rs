//! How many different estimates so many jobs use (section 6).

use serde::{Deserialize, Serialize};

/// How *K*, the number of different estimates, is found.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueCount {
    /// From the number of jobs, straight between the points of Table 3; beyond its last, on with its last slope, one
    /// in 800.
    #[default]
    Linear,
    /// From the number of jobs, `alpha · N ^ beta`; the paper's are 1.1 and 0.5.
    Power {
        /// The factor, above 0.
        alpha: f64,
        /// The exponent.
        beta: f64,
    },
    /// So many.
    Exactly(u64),
}
