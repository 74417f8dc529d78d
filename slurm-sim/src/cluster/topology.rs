//! How nodes are connected.

use serde::Serialize;

/// How nodes are connected, as far as node selection looks at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Node selection knows no switches.
    #[default]
    Flat,
    /// Switches above nodes and above each other, in the order they are configured.
    Tree(Vec<Switch>),
}

/// What says how nodes are connected (`TopologyPlugin`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopologyPlugin {
    /// There are no switches (`topology/flat`, `topology/default`, `topology/none`).
    #[default]
    Flat,
    /// The switches of `topology.conf` (`topology/tree`).
    Tree,
    /// One that is not modelled; simulations know no switches then.
    Other,
}

/// A switch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// Its name.
    pub name: String,
    /// Indices of the nodes directly below it, ascending; a leaf has some.
    pub nodes: Vec<usize>,
    /// Indices, in the tree's list, of the switches directly below it.
    pub switches: Vec<usize>,
}

impl Topology {
    /// The switches that have nodes directly below them, in the order they are configured.
    pub fn leaves(&self) -> impl Iterator<Item = &Switch> {
        let switches = match self {
            Topology::Flat => &[][..],
            Topology::Tree(switches) => &switches[..],
        };
        switches.iter().filter(|switch| !switch.nodes.is_empty())
    }
}
