//! Nodes that are taken one by one instead of in runs of neighbours.

use super::missing::Missing;
use super::need::Need;
use super::node_order::NodeOrder;
use super::select::NodeOffer;

impl NodeOffer<'_> {
    /// Takes the nodes that the job names; these, and what it still needs.
    pub fn required(&self, usable: &mut [u32], need: &Need) -> (Vec<usize>, Missing) {
        let mut missing = Missing::of(need);
        let chosen: Vec<usize> = need.on.required.iter().collect();
        chosen.iter().for_each(|&node| self.take(node, usable, &mut missing, need));
        (chosen, missing)
    }

    /// Takes nodes one by one, those of the least weight first. `usable` has, for each node, the processors that the job can use; it is
    /// reduced as nodes are chosen.
    pub fn one_by_one(&self, usable: &mut [u32], need: &Need) -> Option<Vec<usize>> {
        let (mut chosen, mut missing) = self.required(usable, need);
        if !chosen.is_empty() && (missing.is_met() || missing.most <= 0) {
            return missing.is_met().then_some(chosen);
        }
        let open = self.nodes.iter().filter(|&node| usable[node] > 0 && !need.on.required.contains(node));
        let mut left: Vec<(u64, usize)> =
            open.map(|node| (self.weight(node, usable[node], need), node)).collect();
        left.sort_unstable();
        for mut alike in left.chunk_by_mut(|one, other| one.0 == other.0).map(|alike| alike.to_vec()) {
            if need.placing.order == NodeOrder::LastFirst {
                alike.reverse();
            }
            let mut last = None;
            while missing.most > 0 && !alike.is_empty() {
                let next = if need.placing.order == NodeOrder::LeastLoaded {
                    self.least_loaded(&alike, last)
                } else {
                    0
                };
                let (_, node) = alike.remove(next);
                last = Some(self.idle_cpus(node));
                chosen.push(node);
                self.take(node, usable, &mut missing, need);
                if missing.is_met() {
                    return Some(chosen);
                }
            }
        }
        missing.will_do().then_some(chosen)
    }

    /// The index of the node with the largest share of idle processors. The search ends at one with as many as the node that was taken
    /// last.
    fn least_loaded(&self, nodes: &[(u64, usize)], last: Option<u32>) -> usize {
        let share = |index: usize| {
            let node = nodes[index].1;
            (u64::from(self.idle_cpus(node)), u64::from(self.layout.nodes[node].all_cpus))
        };
        let mut best = 0;
        for index in 0..nodes.len() {
            let ((idle, all), (most, of)) = (share(index), share(best));
            if index == 0 || idle * of > most * all {
                best = index;
                if last.map(u64::from) == Some(idle) {
                    break;
                }
            }
        }
        best
    }

    /// Processors of a node that are not in use.
    fn idle_cpus(&self, node: usize) -> u32 {
        let in_use = self.in_use.map_or(0, |in_use| in_use.cpus(node));
        self.layout.nodes[node].cpus.saturating_sub(in_use)
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::Cluster;
    use crate::controller::tests::{cluster, job, simulated};

    /// The nodes of four jobs of one processor on three nodes of four.
    fn four(site: &Cluster) -> Vec<String> {
        let jobs = (0..4).map(|key| job(key, key as i64, 1, 10, 300)).collect();
        simulated(site, jobs).iter().map(|one| one.nodes.iter().next().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_least_loaded_node_is_taken_where_configured() {
        let mut site = cluster(3);
        assert_eq!(four(&site), ["n00"; 4], "control");
        site.partitions[0].least_loaded_nodes = true;
        assert_eq!(four(&site), ["n00", "n01", "n02", "n00"]);
        // Of nodes of different sizes, the one with the largest share of idle processors.
        site.nodes[2].cpus = 8;
        site.nodes[2].cores_per_socket = 8;
        assert_eq!(four(&site), ["n00", "n01", "n02", "n02"]);
        let mut everywhere = cluster(3);
        everywhere.settings.select.least_loaded_nodes = true;
        assert_eq!(four(&everywhere), ["n00", "n01", "n02", "n00"]);
    }

    #[test]
    fn jobs_of_one_processor_are_packed_at_the_end_where_configured() {
        let mut site = cluster(3);
        site.settings.main.pack_serial_at_end = true;
        assert_eq!(four(&site), ["n02"; 4]);
        let wide = simulated(&site, vec![job(0, 0, 2, 10, 60)]);
        assert_eq!(wide[0].nodes, ["n00"], "not those of two");
    }

    #[test]
    fn a_job_is_spread_over_as_many_nodes_as_it_has_tasks() {
        let site = cluster(3);
        let mut one = job(0, 0, 3, 10, 60);
        assert_eq!(simulated(&site, vec![one.clone()])[0].nodes, ["n00"], "control");
        one.request.wishes.spread = true;
        assert_eq!(simulated(&site, vec![one])[0].nodes, ["n00", "n01", "n02"]);
    }
}
