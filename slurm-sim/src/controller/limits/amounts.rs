//! Amounts of resources, as limits count them.

use std::ops::{Index, IndexMut};

use crate::cluster::{Cluster, ClusterPartition, PartitionIndex, Tres, billed};
use crate::controller::placement::{GresIndex, NodeLayout, NodeShare};

/// A resource that limits count (a TRES): its place among [`Amounts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TresIndex(pub usize);

impl TresIndex {
    pub const CPUS: TresIndex = TresIndex(0);
    pub const MEMORY: TresIndex = TresIndex(1);
    pub const NODES: TresIndex = TresIndex(2);
    pub const BILLING: TresIndex = TresIndex(3);

    /// A generic resource: these come after the others.
    pub fn of_gres(resource: GresIndex) -> TresIndex {
        TresIndex(4 + resource.0)
    }
}

/// Amounts of resources by [`TresIndex`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Amounts(pub Vec<u64>);

impl Index<TresIndex> for Amounts {
    type Output = u64;

    fn index(&self, resource: TresIndex) -> &u64 {
        &self.0[resource.0]
    }
}

impl IndexMut<TresIndex> for Amounts {
    fn index_mut(&mut self, resource: TresIndex) -> &mut u64 {
        &mut self.0[resource.0]
    }
}

impl Amounts {
    /// Nothing of this number of resources.
    pub fn none(resources: usize) -> Amounts {
        Amounts(vec![0; resources])
    }

    /// The billing TRES is this, cut to a whole number as limits count it.
    pub fn bill(&mut self, billing: f64) {
        if let Some(amount) = self.0.get_mut(TresIndex::BILLING.0) {
            *amount = billing as u64;
        }
    }
}

/// Names of resources, in the order of [`Amounts`].
#[derive(Debug, Clone)]
pub struct ResourceNames {
    names: Vec<String>,
    /// What counts as billing in each partition; nothing where processors do.
    billing: Vec<Vec<(TresIndex, f64)>>,
    /// Whether of the resources of nodes only the largest counts (`MAX_TRES`).
    bills_largest: bool,
}

impl ResourceNames {
    pub fn of(cluster: &Cluster, layout: &NodeLayout) -> ResourceNames {
        let mut names: Vec<String> = ["cpu", "mem", "node", "billing"].map(str::to_owned).to_vec();
        names.extend(layout.gres_names());
        let index = |name: &str| names.iter().position(|one| one == name).map(TresIndex);
        let weights = |partition: &ClusterPartition| {
            let all = partition.billing_weights.0.iter();
            all.filter_map(|(name, &weight)| Some((index(name)?, weight))).collect()
        };
        let billing = cluster.partitions.iter().map(weights).collect();
        ResourceNames { billing, bills_largest: cluster.settings.priority.flags.max_tres, names }
    }

    /// The name of a resource.
    pub fn name(&self, resource: TresIndex) -> &str {
        &self.names[resource.0]
    }

    /// How many resources.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Sets the billing TRES of amounts in a partition.
    pub fn bill(&self, amounts: &mut Amounts, partition: PartitionIndex) {
        amounts.bill(self.billed(amounts, partition));
    }

    /// The billing TRES of amounts in a partition, not rounded, as usage counts it.
    pub fn billed(&self, amounts: &Amounts, partition: PartitionIndex) -> f64 {
        let weights = self.billing.get(partition.0).map_or(&[][..], Vec::as_slice);
        if weights.is_empty() {
            return amounts.0.first().map_or(0.0, |&cpus| cpus as f64);
        }
        let parts = weights.iter().filter_map(|&(one, weight)| Some(*amounts.0.get(one.0)? as f64 * weight));
        billed(parts, self.bills_largest)
    }

    /// What a job with these shares in a partition counts as.
    pub fn amounts(&self, shares: &[NodeShare], partition: PartitionIndex) -> Amounts {
        let mut amounts = Amounts::none(self.names.len());
        for share in shares {
            amounts[TresIndex::CPUS] += u64::from(share.cpus);
            amounts[TresIndex::MEMORY] += share.memory;
            amounts[TresIndex::NODES] += 1;
            for &(resource, count) in &share.gres {
                amounts[TresIndex::of_gres(resource)] += count;
            }
        }
        amounts[TresIndex::BILLING] = amounts[TresIndex::CPUS];
        self.bill(&mut amounts, partition);
        amounts
    }

    /// Limits by the resource.
    pub fn limit(&self, tres: &Tres) -> Vec<(TresIndex, u64)> {
        let index = |name: &String| self.names.iter().position(|one| one == name).map(TresIndex);
        tres.0.iter().filter_map(|(name, &most)| Some((index(name)?, most))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::TresWeights;

    #[test]
    fn what_is_billed_is_by_the_partitions_weights() {
        let mut cluster = crate::controller::tests::cluster(2);
        let plain = cluster.partitions[0].clone();
        cluster.partitions.push(plain);
        let weights = [("cpu".to_owned(), 1.0), ("mem".to_owned(), 0.25 / 1024.0)];
        cluster.partitions[1].billing_weights = TresWeights(weights.into());
        let layout = NodeLayout::of(&cluster);
        let share = NodeShare {
            node: 0,
            cpus: 4,
            held: 4,
            memory: 40 * 1024,
            gres: Vec::new(),
            cap: None,
            apart: Default::default(),
        };
        let bill = |cluster: &Cluster, partition: usize| {
            let names = ResourceNames::of(cluster, &layout);
            names.amounts(std::slice::from_ref(&share), PartitionIndex(partition))[TresIndex::BILLING]
        };
        assert_eq!(
            (bill(&cluster, 0), bill(&cluster, 1)),
            (4, 14),
            "processors, and with a quarter of each GB"
        );
        cluster.settings.priority.flags.max_tres = true;
        assert_eq!(bill(&cluster, 1), 10, "the largest of them");
        // Usage counts what limits cut off.
        cluster.partitions[1].billing_weights = TresWeights([("mem".to_owned(), 0.1 / 1024.0)].into());
        let names = ResourceNames::of(&cluster, &layout);
        let of = PartitionIndex(1);
        let amounts = names.amounts(&[NodeShare { memory: 5 * 1024, ..share.clone() }], of);
        assert_eq!((amounts[TresIndex::BILLING], names.billed(&amounts, of)), (0, 0.5));
    }
}
