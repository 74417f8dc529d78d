//! A whole cluster.

use std::ops::{Index, IndexMut};

use serde::Serialize;

use super::association::{Association, Associations};
use super::indices::{AssociationIndex, PartitionIndex, QosIndex};
use super::node::{ClusterNode, NodeClass};
use super::order::name_order;
use super::partition::ClusterPartition;
use super::qos::Qos;
use super::reservation::{AdvanceReservation, Outage};
use super::settings::ClusterSettings;
use super::submitted::SubmittedJob;
use super::topology::Topology;
use super::tres::Tres;

/// A cluster as it is configured.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cluster {
    /// Its name; empty if it is not told.
    pub name: String,
    /// The version of its scheduler, as 22.05 is (22, 5); `None` if it is not told.
    pub version: Option<(u32, u32)>,
    /// Its nodes, in the order of [`name_order`](super::name_order), which is that of Slurm.
    pub nodes: Vec<ClusterNode>,
    /// The classes of its nodes.
    pub classes: Vec<NodeClass>,
    /// How its nodes are connected.
    pub topology: Topology,
    /// Its partitions, in the order they are configured.
    pub partitions: Vec<ClusterPartition>,
    /// Its QOS, in the order they are listed.
    pub qos: Vec<Qos>,
    /// Its accounts and users.
    pub associations: Associations,
    /// Its reservations.
    pub reservations: Vec<AdvanceReservation>,
    /// Known outages of nodes.
    pub outages: Vec<Outage>,
    /// Its licenses by name.
    pub licenses: Tres,
    /// Everything that is set for all of it.
    pub settings: ClusterSettings,
}

impl Cluster {
    /// The index of a node.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.nodes.binary_search_by(|node| name_order(&node.name, name)).ok()
    }

    /// A partition by its name.
    pub fn partition(&self, name: &str) -> Option<PartitionIndex> {
        self.partitions.iter().position(|one| one.name == name).map(PartitionIndex)
    }

    /// The partition of jobs that name none.
    pub fn default_partition(&self) -> Option<PartitionIndex> {
        self.partitions.iter().position(|one| one.is_default).map(PartitionIndex)
    }

    /// A QOS by its name.
    pub fn qos(&self, name: &str) -> Option<QosIndex> {
        self.qos.iter().position(|one| one.name == name).map(QosIndex)
    }

    /// The association that a submission counts for, whatever its partition.
    pub fn association_of(&self, submission: &SubmittedJob) -> Option<AssociationIndex> {
        let account = submission.request.account.as_deref().unwrap_or_default();
        let is_own = |one: &Association| {
            one.account == account && one.user.as_deref() == Some(&submission.user) && one.partition.is_none()
        };
        self.associations.0.iter().position(is_own).map(AssociationIndex)
    }

    /// The QOS that a submission has: the first it names, else that of its association; where none is told, the only
    /// one that the association may choose, else that of the root, else `normal`.
    pub fn qos_of(&self, submission: &SubmittedJob) -> Option<QosIndex> {
        // One that is named needs no association.
        let own = if submission.request.qos.is_empty() { self.association_of(submission) } else { None };
        self.qos_within(submission, own)
    }

    /// The QOS of a submission as in [`qos_of`](Cluster::qos_of), given its association.
    pub fn qos_within(
        &self,
        submission: &SubmittedJob,
        association: Option<AssociationIndex>,
    ) -> Option<QosIndex> {
        let own = association.and_then(|index| self.associations.0.get(index.0));
        let usual = || own?.default_qos.as_deref();
        let only = || match &own?.qos[..] {
            [only] => Some(only.as_str()),
            _ => None,
        };
        let of_root = || self.associations.0.iter().find(|one| one.parent.is_none())?.default_qos.as_deref();
        let named = submission.request.qos.first().map(String::as_str);
        self.qos(named.or_else(usual).or_else(only).or_else(of_root).unwrap_or("normal"))
    }

    /// All processors.
    pub fn cpus(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.cpus)).sum()
    }
}

impl Index<PartitionIndex> for Cluster {
    type Output = ClusterPartition;

    fn index(&self, partition: PartitionIndex) -> &ClusterPartition {
        &self.partitions[partition.0]
    }
}

impl IndexMut<PartitionIndex> for Cluster {
    fn index_mut(&mut self, partition: PartitionIndex) -> &mut ClusterPartition {
        &mut self.partitions[partition.0]
    }
}

impl Index<QosIndex> for Cluster {
    type Output = Qos;

    fn index(&self, qos: QosIndex) -> &Qos {
        &self.qos[qos.0]
    }
}

impl IndexMut<QosIndex> for Cluster {
    fn index_mut(&mut self, qos: QosIndex) -> &mut Qos {
        &mut self.qos[qos.0]
    }
}
