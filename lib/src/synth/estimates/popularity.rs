//! How many percent of the jobs use the most popular estimate, the second, and so on (section 8).

use serde::{Deserialize, Serialize};

/// The sizes of the head by popularity rank.
///
/// # Formula
/// `alpha · e ^ (beta · rank) + gamma`
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// Factor.
    pub alpha: f64,
    /// Decay.
    pub beta: f64,
    /// What is added.
    pub gamma: f64,
}

impl Default for Exponential {
    /// The paper's fit to four logs (Figure 10).
    fn default() -> Exponential {
        Exponential { alpha: 14.05, beta: -0.18, gamma: 0.46 }
    }
}

/// The sizes of the tail by popularity rank, before they are scaled to what the head leaves.
///
/// # Formula
/// `omega · rank ^ rho`
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerLaw {
    /// Factor.
    pub omega: f64,
    /// Exponent.
    pub rho: f64,
}

impl Default for PowerLaw {
    /// The paper's fit to four logs (Figure 10).
    fn default() -> PowerLaw {
        PowerLaw { omega: 795.6, rho: -2.27 }
    }
}
