//! Amounts of trackable resources by name.

use std::collections::BTreeMap;

use serde::Serialize;

/// Amounts of resources by their names in lower case: `cpu`, `mem` (in MB), `node`, `billing`, `gres/gpu`,
/// `gres/gpu:a100`, `license/matlab`. As a limit, a name that is absent is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tres(pub BTreeMap<String, u64>);

impl Tres {
    /// The amount of a name; `None` if it is absent.
    pub fn amount(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Processors.
    pub fn cpu(&self) -> Option<u64> {
        self.amount("cpu")
    }

    /// Memory in MB.
    pub fn mem(&self) -> Option<u64> {
        self.amount("mem")
    }

    /// Nodes.
    pub fn node(&self) -> Option<u64> {
        self.amount("node")
    }

    /// Whether no name has an amount.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Weights of resources by their names in lower case, each for one unit; the unit of `mem` is one MB.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct TresWeights(pub BTreeMap<String, f64>);

impl TresWeights {
    /// The weight of a name; zero if it is absent.
    pub fn weight(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// Whether no name has a weight.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
