//! What the parts of a cluster are named by.

use serde::Serialize;

/// A partition: its index among those of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct PartitionIndex(pub usize);

/// A QOS: its index among those of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct QosIndex(pub usize);

/// An association: its index among those of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct AssociationIndex(pub usize);
