//! Amounts of resources, as limits count them.

use crate::cluster::{Cluster, ClusterPartition, Tres, billed};
use crate::controller::placement::{NodeLayout, NodeShare};

/// Amounts by the place of a resource: processors, memory, nodes, billing, then generic resources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Amounts(pub Vec<u64>);

impl Amounts {
    /// The billing TRES is this, cut to a whole number as limits count it.
    pub fn bill(&mut self, billing: f64) {
        if let Some(amount) = self.0.get_mut(BILLING) {
            *amount = billing as u64;
        }
    }
}

/// Names of resources, in the order of [`Amounts`].
#[derive(Debug, Clone)]
pub struct ResourceNames {
    names: Vec<String>,
    /// What counts as billing in each partition; nothing where processors do.
    billing: Vec<Vec<(usize, f64)>>,
    /// Whether of the resources of nodes only the largest counts (`MAX_TRES`).
    bills_largest: bool,
}

/// The places of nodes and of billing among [`Amounts`], and from where on there are generic resources.
pub const NODES: usize = 2;
pub const BILLING: usize = 3;
const GRES: usize = 4;

impl ResourceNames {
    pub fn of(cluster: &Cluster, layout: &NodeLayout) -> ResourceNames {
        let mut names: Vec<String> = ["cpu", "mem", "node", "billing"].map(str::to_owned).to_vec();
        names.extend(layout.gres_names());
        let place = |name: &str| names.iter().position(|one| one == name);
        let weights = |partition: &ClusterPartition| {
            let all = partition.billing_weights.0.iter();
            all.filter_map(|(name, &weight)| Some((place(name)?, weight))).collect()
        };
        let billing = cluster.partitions.iter().map(weights).collect();
        ResourceNames { billing, bills_largest: cluster.settings.priority.flags.max_tres, names }
    }

    /// The name of the resource at a place.
    pub fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    /// How many resources.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Sets the billing TRES of amounts in a partition.
    pub fn bill(&self, amounts: &mut Amounts, partition: usize) {
        amounts.bill(self.billed(amounts, partition));
    }

    /// The billing TRES of amounts in a partition, not rounded, as usage counts it.
    pub fn billed(&self, amounts: &Amounts, partition: usize) -> f64 {
        let weights = self.billing.get(partition).map_or(&[][..], Vec::as_slice);
        if weights.is_empty() {
            return amounts.0.first().map_or(0.0, |&cpus| cpus as f64);
        }
        let parts =
            weights.iter().filter_map(|&(place, weight)| Some(*amounts.0.get(place)? as f64 * weight));
        billed(parts, self.bills_largest)
    }

    /// What a job with these shares in a partition counts as.
    pub fn amounts(&self, shares: &[NodeShare], partition: usize) -> Amounts {
        let mut amounts = vec![0; self.names.len()];
        for share in shares {
            amounts[0] += u64::from(share.cpus);
            amounts[1] += share.memory;
            amounts[NODES] += 1;
            for &(place, count) in &share.gres {
                amounts[GRES + place] += count;
            }
        }
        amounts[BILLING] = amounts[0];
        let mut amounts = Amounts(amounts);
        self.bill(&mut amounts, partition);
        amounts
    }

    pub fn limit(&self, tres: &Tres) -> Vec<(usize, u64)> {
        tres.0
            .iter()
            .filter_map(|(name, &most)| Some((self.names.iter().position(|one| one == name)?, most)))
            .collect()
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
            ResourceNames::of(cluster, &layout).amounts(std::slice::from_ref(&share), partition).0[BILLING]
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
        let amounts = names.amounts(&[NodeShare { memory: 5 * 1024, ..share.clone() }], 1);
        assert_eq!((amounts.0[BILLING], names.billed(&amounts, 1)), (0, 0.5));
    }
}
