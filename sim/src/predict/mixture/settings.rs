//! The settings of the mixture.

use super::point::MixturePoint;

/// The settings of [`Mixture`](super::Mixture).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MixtureSettings {
    /// Which number a scheduler plans with.
    pub point: MixturePoint,
}
