//! Inconsistencies of a site as a whole.

use super::notes::{Notes, few};
use queuecast_slurm_sim::cluster::{Allowed, Cluster};

/// Warns of inconsistencies between the parts of a cluster.
pub(super) fn check(cluster: &Cluster, notes: &mut Notes) {
    let mut used = vec![false; cluster.nodes.len()];
    for partition in &cluster.partitions {
        partition.nodes.iter().for_each(|&node| used[node] = true);
        let name = &partition.name;
        if partition.nodes.is_empty() {
            notes.warn(format!("partition {name} has no nodes"));
        }
        if let Some(fewest) = partition.max_nodes.filter(|&most| partition.min_nodes > most) {
            notes.warn(format!(
                "partition {name} wants at least {} nodes and at most {fewest}",
                partition.min_nodes
            ));
        }
        if !cluster.qos.is_empty() {
            let named = partition.qos.iter().chain(names_of(&partition.allowed_qos));
            let unknown: Vec<&str> =
                named.filter(|qos| cluster.qos(qos).is_none()).map(String::as_str).collect();
            if !unknown.is_empty() {
                notes.warn(format!("partition {name} names unknown QOS: {}", few(&unknown)));
            }
        }
        if !cluster.associations.0.is_empty() {
            let named = names_of(&partition.accounts);
            let unknown: Vec<&str> = named
                .filter(|account| cluster.associations.of_account(account).is_none())
                .map(String::as_str)
                .collect();
            if !unknown.is_empty() {
                notes.warn(format!("partition {name} names unknown accounts: {}", few(&unknown)));
            }
        }
    }
    let idle: Vec<&str> = cluster
        .nodes
        .iter()
        .zip(&used)
        .filter(|(_, used)| !**used)
        .map(|(node, _)| node.name.as_str())
        .collect();
    if !idle.is_empty() && !cluster.partitions.is_empty() {
        notes.warn(format!("nodes of no partition: {}", few(&idle)));
    }
    if !cluster.partitions.is_empty() && cluster.default_partition().is_none() {
        notes.warn("no partition is the default; jobs have to name one".into());
    }
    if cluster.partitions.iter().filter(|one| one.is_default).count() > 1 {
        notes.warn("several partitions are the default; the first counts".into());
    }
    accounting(cluster, notes);
}

fn names_of(allowed: &Allowed) -> impl Iterator<Item = &String> {
    match allowed {
        Allowed::All => [].iter(),
        Allowed::Only(names) | Allowed::Except(names) => names.iter(),
    }
}

fn accounting(cluster: &Cluster, notes: &mut Notes) {
    for qos in &cluster.qos {
        let unknown: Vec<&str> =
            qos.preempts.iter().filter(|other| cluster.qos(other).is_none()).map(String::as_str).collect();
        if !unknown.is_empty() {
            notes.warn(format!("QOS {} preempts unknown QOS: {}", qos.name, few(&unknown)));
        }
    }
    if !cluster.qos.is_empty() {
        let named = cluster.associations.0.iter().flat_map(|one| one.qos.iter().chain(&one.default_qos));
        let mut unknown: Vec<&str> = named
            .map(|name| name.trim_start_matches(['+', '-']))
            .filter(|name| cluster.qos(name).is_none())
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            notes.warn(format!("associations name unknown QOS: {}", few(&unknown)));
        }
    }
    let enforce = cluster.settings.jobs.enforce;
    if enforce.associations && cluster.associations.0.is_empty() {
        notes.warn("jobs need an association, and none is known".into());
    }
    if enforce.qos && cluster.qos.is_empty() {
        notes.warn("jobs need a QOS, and none is known".into());
    }
}
