//! The settings of the mixture.

use serde::{Deserialize, Serialize};

use super::point::MixturePoint;

/// The settings of [`Mixture`](super::Mixture).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MixtureSettings {
    /// Which number a scheduler plans with.
    pub point: MixturePoint,
}
