//! Partitions, nodes, QOS, accounts, switches and reservations that two configurations have different.

use queuecast_core::order;
use std::collections::BTreeMap;

use super::setting::{Setting, differences};
use super::setting_change::{ChangeEffect, SettingChange};
use super::table::{NODE, PARTITION, of_association, of_qos};
use queuecast_slurm_sim::cluster::{
    AdvanceReservation, Association, Cluster, ClusterNode, ClusterPartition, Topology,
};
use queuecast_trace::hostlist::compressed;

/// Parts that were added, removed or changed.
pub(super) fn part_changes(old: &Cluster, new: &Cluster) -> Vec<SettingChange> {
    let mut changes = partitions(old, new);
    changes.extend(nodes(old, new));
    let qos = |cluster: &Cluster| cluster.qos.iter().map(|one| (one.name.clone(), one.clone())).collect();
    changes.extend(paired("qos", &qos(old), &qos(new), |one, other| differing(of_qos(), one, other)));
    for (of, has_user) in [("account", false), ("user", true)] {
        let [old, new] = [old, new].map(|cluster| associations(cluster, has_user));
        changes.extend(paired(of, &old, &new, |one, other| {
            let mut values = differing(of_association(), &one.0, &other.0);
            if one.1 != other.1 {
                values.push(KeyChange::simulated("Parent", &one.1, &other.1));
            }
            values
        }));
    }
    let [before, after] = [old, new].map(switches);
    changes.extend(paired("switch", &before, &after, texts_differing));
    let [before, after] = [old, new].map(reservations);
    changes.extend(paired("reservation", &before, &after, texts_differing));
    changes
}

/// A key that has two values.
struct KeyChange {
    key: String,
    from: String,
    to: String,
    effect: ChangeEffect,
}

impl KeyChange {
    fn simulated(key: &str, from: &str, to: &str) -> KeyChange {
        let [key, from, to] = [key, from, to].map(str::to_owned);
        KeyChange { key, from, to, effect: ChangeEffect::Simulated }
    }
}

/// The rows in which two of a kind differ, by name.
fn differing<'s, T: Clone + 'static>(
    rows: impl Iterator<Item = &'s Setting<T>> + Clone,
    one: &T,
    other: &T,
) -> Vec<KeyChange> {
    let effect = |name: &str| {
        let row = rows.clone().find(|row| row.name() == name);
        row.map_or(ChangeEffect::NotModelled, |row| row.effect.into())
    };
    let mut found = differences(rows.clone(), one, other);
    order::sort(&mut found);
    let change = |(key, from, to): (&str, String, String)| KeyChange {
        effect: effect(key),
        key: key.to_owned(),
        from,
        to,
    };
    found.into_iter().map(change).collect()
}

/// All differences of parts by name. A part that only one configuration has is one change, with what of it is not the default.
fn paired<T: Default>(
    of: &'static str,
    old: &BTreeMap<String, T>,
    new: &BTreeMap<String, T>,
    differing: impl Fn(&T, &T) -> Vec<KeyChange>,
) -> Vec<SettingChange> {
    let mut names: Vec<&String> =
        old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).collect();
    order::sort(&mut names);
    let mut changes = Vec::new();
    for name in names {
        let part = || name.clone();
        match (old.get(name), new.get(name)) {
            (Some(one), Some(other)) => changes.extend(differing(one, other).into_iter().map(|change| {
                let KeyChange { key, from, to, effect } = change;
                SettingChange { of, part: part(), key, from: Some(from), to: Some(to), effect }
            })),
            (one, other) => {
                let whole = |part: &T| summary(&differing(&T::default(), part));
                changes.push(there_or_not(of, part(), one.map(whole), other.map(whole)));
            }
        }
    }
    changes
}

/// A part that only one configuration has.
fn there_or_not(of: &'static str, part: String, from: Option<String>, to: Option<String>) -> SettingChange {
    SettingChange { of, part, key: String::new(), from, to, effect: ChangeEffect::Simulated }
}

/// `Key=Value` of all that is not the default.
fn summary(values: &[KeyChange]) -> String {
    let told: Vec<String> = values.iter().map(|one| format!("{}={}", one.key, one.to)).collect();
    if told.is_empty() { "as Slurm's defaults".to_owned() } else { told.join(" ") }
}

/// Names of nodes, given by index.
fn named(cluster: &Cluster, nodes: &[usize]) -> String {
    let names: Vec<&str> = nodes.iter().map(|&node| cluster.nodes[node].name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { compressed(&names) }
}

fn partitions(old: &Cluster, new: &Cluster) -> Vec<SettingChange> {
    let by_name = |cluster: &Cluster| -> BTreeMap<String, (ClusterPartition, String)> {
        let one = |one: &ClusterPartition| (one.name.clone(), (one.clone(), named(cluster, &one.nodes)));
        order::map_of(cluster.partitions.iter().map(one))
    };
    // Indices of nodes differ where nodes are added; names count.
    let rows = || PARTITION.iter().filter(|row| row.key != "Nodes");
    paired("partition", &by_name(old), &by_name(new), |one, other| {
        let mut values = differing(rows(), &one.0, &other.0);
        if one.1 != other.1 {
            values.push(KeyChange::simulated("Nodes", &one.1, &other.1));
            order::sort_by(&mut values, |one, other| one.key.cmp(&other.key));
        }
        values
    })
}

/// Nodes that change alike are one list.
fn nodes(old: &Cluster, new: &Cluster) -> Vec<SettingChange> {
    let by_name = |cluster: &Cluster| -> BTreeMap<String, ClusterNode> {
        order::map_of(cluster.nodes.iter().map(|one| (one.name.clone(), one.clone())))
    };
    let (before, after) = (by_name(old), by_name(new));
    let single = paired("node", &before, &after, |one, other| differing(NODE.iter(), one, other));
    let mut together: Vec<(SettingChange, Vec<String>)> = Vec::new();
    for one in single {
        let name = one.part.clone();
        let alike = SettingChange { part: String::new(), ..one };
        match together.iter_mut().find(|(known, _)| *known == alike) {
            Some((_, names)) => names.push(name),
            None => together.push((alike, vec![name])),
        }
    }
    let listed = |(one, names): (SettingChange, Vec<String>)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        SettingChange { part: compressed(&names), ..one }
    };
    together.into_iter().map(listed).collect()
}

/// Associations of accounts, or of users, by name, each with the account above it.
fn associations(cluster: &Cluster, has_user: bool) -> BTreeMap<String, (Association, String)> {
    let all = &cluster.associations.0;
    let chosen = all.iter().filter(|one| one.user.is_some() == has_user);
    let entry = |one: &Association| {
        let mut name = match &one.user {
            Some(user) => format!("{user} in {}", one.account),
            None => one.account.clone(),
        };
        if let Some(partition) = &one.partition {
            name.push_str(&format!(" for partition {partition}"));
        }
        // Of a user the account is part of the name.
        let parent = one.parent.filter(|_| !has_user).and_then(|parent| all.get(parent.0));
        (name, (one.clone(), parent.map_or(String::new(), |parent| parent.account.clone())))
    };
    order::map_of(chosen.map(entry))
}

type KeyTexts = Vec<(&'static str, String)>;

fn texts_differing(one: &KeyTexts, other: &KeyTexts) -> Vec<KeyChange> {
    let value = |texts: &KeyTexts, key: &str| {
        texts.iter().find(|(own, _)| *own == key).map_or(String::new(), |(_, value)| value.clone())
    };
    let mut keys: Vec<&str> = one.iter().chain(other).map(|(key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    let changes = keys.into_iter().map(|key| KeyChange::simulated(key, &value(one, key), &value(other, key)));
    changes.filter(|one| one.from != one.to).collect()
}

fn switches(cluster: &Cluster) -> BTreeMap<String, KeyTexts> {
    let Topology::Tree(all) = &cluster.topology else { return BTreeMap::new() };
    let one = |switch: &queuecast_slurm_sim::cluster::Switch| {
        let mut texts = Vec::new();
        if !switch.nodes.is_empty() {
            texts.push(("Nodes", named(cluster, &switch.nodes)));
        }
        if !switch.switches.is_empty() {
            let below: Vec<&str> = switch.switches.iter().map(|&below| all[below].name.as_str()).collect();
            texts.push(("Switches", below.join(",")));
        }
        (switch.name.clone(), texts)
    };
    order::map_of(all.iter().map(one))
}

fn reservations(cluster: &Cluster) -> BTreeMap<String, KeyTexts> {
    let one = |one: &AdvanceReservation| {
        let mut texts = vec![
            ("StartTime", one.start.0.to_string()),
            ("EndTime", one.end.0.to_string()),
            ("Nodes", named(cluster, &one.nodes)),
        ];
        texts.extend(one.cores.map(|cores| ("CoreCnt", cores.to_string())));
        texts.extend(one.partition.clone().map(|partition| ("PartitionName", partition)));
        (one.name.clone(), texts)
    };
    order::map_of(cluster.reservations.iter().map(one))
}
