//! A site with changes.

use queuecast_core::order;
use std::collections::BTreeMap;

use super::accounting::{column, qos_column, set_association};
use super::change::{AppliedChange, ChangeError, ChangeTarget, ChangedValue, SiteChange};
use super::checks::check;
use super::nearest::nearest;
use super::nodes;
use super::notes::{KeyValue, Notes};
use super::partitions::{self, NodePlaces};
use super::setting::{self, Setting};
use super::settings::{WholeSettings, apply, tokens};
use super::site::{SiteOptions, SiteReading, assembled};
use super::table::{NODE, PARTITION, of_association, of_cluster, of_qos};
use super::values::{digits, yes_no};
use queuecast_slurm_sim::cluster::{
    Association, AssociationIndex, Associations, Cluster, ClusterNode, ClusterPartition, PartitionIndex,
    Topology, classes_of,
};
use queuecast_trace::hostlist::{compressed, expanded};

/// The file name that notes give for values that come from a change.
const PLACE: &str = "--set";

/// The most nodes that a change may add.
const MOST_ADDED: u64 = 1 << 20;

/// Makes a site out of texts by name as [`read_site`](super::read_site) does, with changes, in their order. Values go through
/// the same readers as those of the texts. The answer says what each change changed.
pub fn read_changed_site(
    texts: &BTreeMap<String, String>,
    options: &SiteOptions,
    changes: &[SiteChange],
) -> Result<(SiteReading, Vec<AppliedChange>), ChangeError> {
    let mut made: Vec<Result<AppliedChange, ChangeError>> = Vec::new();
    let whole = changes.iter().filter(|one| is_whole(one));
    let mut reading = assembled(texts, options, &mut |said| {
        for change in whole.clone() {
            made.push(whole_changed(said, change));
        }
    });
    let mut of_whole = made.into_iter();
    let mut applied = Vec::with_capacity(changes.len());
    for change in changes {
        let made = if is_whole(change) { of_whole.next() } else { None };
        applied.push(made.unwrap_or_else(|| part_changed(&mut reading, change))?);
    }
    reading.cluster.classes = classes_of(&reading.cluster.nodes);
    // What the changes make odd.
    let mut notes = Notes { warnings: std::mem::take(&mut reading.warnings), ..Notes::default() };
    check(&reading.cluster, &mut notes);
    reading.warnings = notes.warnings;
    Ok((reading, applied))
}

fn is_whole(change: &SiteChange) -> bool {
    matches!(change.target, ChangeTarget::Whole(_) | ChangeTarget::Word { .. })
}

/// The cluster-wide settings applied to a default cluster, and the notes of reading them.
fn whole(said: &WholeSettings) -> (Cluster, Notes) {
    let (mut cluster, mut notes) = (Cluster::default(), Notes::default());
    apply(said, &mut cluster, &mut notes);
    (cluster, notes)
}

fn whole_changed(said: &mut WholeSettings, change: &SiteChange) -> Result<AppliedChange, ChangeError> {
    let (before, _) = whole(said);
    let value = change.value.clone();
    let key = match &change.target {
        ChangeTarget::Word { list, word, is_flag } => {
            let own = said.get(&list.to_ascii_lowercase()).cloned();
            let place = own.unwrap_or_else(|| new_said(list, String::new()));
            let is_same = |other: &str| other.eq_ignore_ascii_case(word);
            let mut words: Vec<String> = tokens(&place.value)
                .into_iter()
                .filter(|(other, _)| !is_same(other))
                .map(|(other, value)| if value.is_empty() { other } else { format!("{other}={value}") })
                .collect();
            match (is_flag, yes_no(&value)) {
                (true, Some(true)) => words.push((*word).to_owned()),
                (true, Some(false)) => {}
                (true, None) => return Err(bad_value(change, "yes or no")),
                // An empty value removes the word from the list.
                (false, _) if value.is_empty() => {}
                (false, _) => words.push(format!("{word}={value}")),
            }
            said.insert(list.to_ascii_lowercase(), KeyValue { value: words.join(","), ..place });
            *word
        }
        ChangeTarget::Whole(key) => {
            let name = key.to_ascii_lowercase();
            // These keys exclude each other; the one that was changed takes precedence.
            for (one, other) in [("defmempercpu", "defmempernode"), ("maxmempercpu", "maxmempernode")] {
                if name == one || name == other {
                    said.remove(one);
                    said.remove(other);
                }
            }
            said.insert(name, new_said(key, value));
            *key
        }
        _ => return Err(bad_value(change, "a setting for the whole cluster")),
    };
    let (after, notes) = whole(said);
    let begins =
        |found: &str| found.to_ascii_lowercase().starts_with(&format!("{}=", key.to_ascii_lowercase()));
    if let Some(misread) = notes.misread.iter().find(|one| begins(&one.found)) {
        return Err(bad_value(change, &misread.expected));
    }
    if notes.unmodelled.iter().any(|one| one.file.as_deref() == Some(PLACE)) {
        return Err(bad_value(change, "a value that is modelled"));
    }
    let values = differences("", of_cluster(), &before, &after);
    Ok(AppliedChange { change: change.to_string(), values })
}

fn new_said(key: &str, value: String) -> KeyValue {
    KeyValue { file: PLACE.to_owned(), line: 1, key: key.to_owned(), value }
}

fn bad_value(change: &SiteChange, expected: &str) -> ChangeError {
    let key = change.to_string();
    let key = key.split('=').next().unwrap_or_default().to_owned();
    ChangeError::BadValue { key, value: change.value.clone(), expected: expected.to_owned() }
}

/// The values that differ, each prefixed with the name of the part.
fn differences<'s, T: Clone + 'static>(
    part: &str,
    rows: impl Iterator<Item = &'s Setting<T>>,
    before: &T,
    after: &T,
) -> Vec<ChangedValue> {
    let named = |name: &str| if part.is_empty() { name.to_owned() } else { format!("{part}.{name}") };
    let mut differing = setting::differences(rows, before, after);
    order::sort(&mut differing);
    differing.into_iter().map(|(name, from, to)| ChangedValue { name: named(name), from, to }).collect()
}

/// An error if the value could not be read, is not modelled, or names something that does not exist.
fn checked(change: &SiteChange, notes: &Notes) -> Result<(), ChangeError> {
    if let Some(misread) = notes.misread.first() {
        return Err(bad_value(change, &misread.expected));
    }
    if let Some(warning) = notes.warnings.first() {
        return Err(bad_value(change, &format!("possible: {warning}")));
    }
    if notes.unmodelled.is_empty() { Ok(()) } else { Err(bad_value(change, "a value that is modelled")) }
}

fn part_changed(reading: &mut SiteReading, change: &SiteChange) -> Result<AppliedChange, ChangeError> {
    let values = match &change.target {
        ChangeTarget::Partition { name, key } => partition_changed(reading, name, key, change)?,
        ChangeTarget::Qos { name, key } => {
            let names = reading.cluster.qos.iter().map(|one| one.name.clone()).collect();
            let found = reading.cluster.qos.iter_mut().find(|one| one.name == *name);
            let qos = found.ok_or_else(|| unknown_part("QOS", name, names))?;
            let (before, mut notes) = (qos.clone(), Notes::default());
            qos_column(qos, &column(key), &new_said(key, change.value.clone()), &mut notes);
            checked(change, &notes)?;
            differences(&format!("qos {name}"), of_qos(), &before, qos)
        }
        ChangeTarget::Account { name, key } | ChangeTarget::User { name, key } => {
            associations_changed(reading, name, key, change)?
        }
        ChangeTarget::Nodes { names, key } => nodes_changed(reading, names, key, change)?,
        ChangeTarget::Whole(_) | ChangeTarget::Word { .. } => Vec::new(),
    };
    Ok(AppliedChange { change: change.to_string(), values })
}

fn unknown_part(what: &'static str, name: &str, names: Vec<String>) -> ChangeError {
    ChangeError::UnknownPart { what, name: name.to_owned(), near: nearest(name, names.into_iter()) }
}

fn associations_changed(
    reading: &mut SiteReading,
    name: &str,
    key: &str,
    change: &SiteChange,
) -> Result<Vec<ChangedValue>, ChangeError> {
    let of_user = matches!(change.target, ChangeTarget::User { .. });
    let mut values = Vec::new();
    let mut is_found = false;
    let associations = &mut reading.cluster.associations;
    for index in (0..associations.0.len()).map(AssociationIndex) {
        let one = &mut associations.0[index.0];
        let is_meant = if of_user {
            one.user.as_deref() == Some(name)
        } else {
            one.user.is_none() && one.account == name
        };
        if !is_meant {
            continue;
        }
        is_found = true;
        let (before, mut notes) = (one.clone(), Notes::default());
        let said = new_said(key, change.value.clone());
        set_association(one, &column(key), &said, &mut notes);
        checked(change, &notes)?;
        let part =
            if of_user { format!("user {name} in {}", one.account) } else { format!("account {name}") };
        let changed = differences(&part, of_association(), &before, one);
        if is_inherited(key) {
            inherit(associations, index, &said, (&before, &changed));
        }
        values.extend(changed);
    }
    if is_found {
        return Ok(values);
    }
    let all = reading.cluster.associations.0.iter();
    let names = if of_user {
        all.filter_map(|one| one.user.clone()).collect()
    } else {
        all.map(|one| one.account.clone()).collect()
    };
    Err(unknown_part(if of_user { "user" } else { "account" }, name, names))
}

/// Whether users and accounts have what the account above them has, unless they have a value of their own: all but limits on groups of jobs,
/// shares and parents.
fn is_inherited(key: &str) -> bool {
    let key = column(key);
    key.starts_with("max") || ["qos", "defqos", "defaultqos", "priority"].contains(&key.as_str())
}

/// Associations below one have its new value too, where they had its value before: Slurm shows what is inherited as their own.
fn inherit(
    associations: &mut Associations,
    above: AssociationIndex,
    said: &KeyValue,
    (before, changed): (&Association, &[ChangedValue]),
) {
    let key = |one: &ChangedValue| one.name.rsplit_once('.').map(|(_, key)| key.to_owned());
    let changed_keys: Vec<String> = changed.iter().filter_map(key).collect();
    let mut below: Vec<AssociationIndex> = associations.children(above).collect();
    while let Some(index) = below.pop() {
        let one = &associations[index];
        let own = differences("", of_association(), before, one);
        if own.iter().any(|one| changed_keys.contains(&one.name)) {
            continue;
        }
        set_association(&mut associations.0[index.0], &column(&said.key), said, &mut Notes::default());
        below.extend(associations.children(index));
    }
}

fn nodes_changed(
    reading: &mut SiteReading,
    list: &str,
    key: &str,
    change: &SiteChange,
) -> Result<Vec<ChangedValue>, ChangeError> {
    let names = expanded(list).ok_or_else(|| ChangeError::BadValue {
        key: "node".into(),
        value: list.to_owned(),
        expected: "a list of nodes such as n[01-04]".into(),
    })?;
    let mut values: Vec<ChangedValue> = Vec::new();
    for name in &names {
        let Some(place) = reading.cluster.node(name) else {
            let all = reading.cluster.nodes.iter().map(|node| node.name.clone()).collect();
            return Err(unknown_part("node", name, all));
        };
        let (node, mut notes) = (&mut reading.cluster.nodes[place], Notes::default());
        let before = node.clone();
        nodes::apply(node, &[&new_said(key, change.value.clone())], &mut notes);
        checked(change, &notes)?;
        // Nodes with equal changes are reported once.
        for one in differences(&format!("node {list}"), NODE.iter(), &before, node) {
            if !values.contains(&one) {
                values.push(one);
            }
        }
    }
    Ok(values)
}

fn partition_changed(
    reading: &mut SiteReading,
    name: &str,
    key: &str,
    change: &SiteChange,
) -> Result<Vec<ChangedValue>, ChangeError> {
    let Some(index) = reading.cluster.partition(name) else {
        let names = reading.cluster.partitions.iter().map(|one| one.name.clone()).collect();
        return Err(unknown_part("partition", name, names));
    };
    if key == "Nodes" {
        return partition_nodes(reading, index, change);
    }
    let (mut notes, said) = (Notes::default(), new_said(key, change.value.clone()));
    let cluster = &mut reading.cluster;
    let places = NodePlaces::of(&cluster.nodes, &[], &mut notes);
    let partition: &mut ClusterPartition = &mut cluster.partitions[index.0];
    let before = partition.clone();
    partitions::apply(partition, &said, &places, &mut notes);
    checked(change, &notes)?;
    partitions::sensible_times(partition);
    let mut values = differences(&format!("partition {name}"), PARTITION.iter(), &before, partition);
    if key == "Default" && partition.is_default {
        for (other, one) in cluster.partitions.iter_mut().enumerate() {
            if other != index.0 && std::mem::take(&mut one.is_default) {
                let name = format!("partition {}.Default", one.name);
                values.push(ChangedValue { name, from: "yes".into(), to: "no".into() });
            }
        }
    }
    Ok(values)
}

/// Nodes of a partition, as names.
fn listed(cluster: &Cluster, nodes: &[usize]) -> String {
    let names: Vec<&str> = nodes.iter().map(|&node| cluster.nodes[node].name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { compressed(&names) }
}

fn partition_nodes(
    reading: &mut SiteReading,
    index: PartitionIndex,
    change: &SiteChange,
) -> Result<Vec<ChangedValue>, ChangeError> {
    const EXPECTED: &str = "a list of nodes, +N, +N:NODE or -N";
    let before = listed(&reading.cluster, &reading.cluster[index].nodes);
    let value = change.value.as_str();
    if let Some(more) = value.strip_prefix('+') {
        let (count, like) = more.split_once(':').map_or((more, None), |(count, like)| (count, Some(like)));
        let count = digits(count).filter(|&count| count <= MOST_ADDED);
        let count = count.ok_or_else(|| bad_value(change, EXPECTED))?;
        let like = match like {
            Some(name) => reading.cluster.node(name).ok_or_else(|| {
                unknown_part(
                    "node",
                    name,
                    reading.cluster.nodes.iter().map(|node| node.name.clone()).collect(),
                )
            })?,
            None => commonest(&reading.cluster, index).ok_or_else(|| {
                bad_value(change, "possible: the partition has no node to copy; name one: +N:NODE")
            })?,
        };
        add(reading, index, like, count as usize);
    } else if let Some(fewer) = value.strip_prefix('-') {
        let nodes = &mut reading.cluster[index].nodes;
        let count = digits(fewer).and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|&count| count <= nodes.len());
        let most = nodes.len();
        let count = count.ok_or_else(|| bad_value(change, &format!("a number of nodes up to {most}")))?;
        nodes.truncate(most - count);
    } else {
        let (mut notes, said) = (Notes::default(), new_said("Nodes", value.to_owned()));
        let places = NodePlaces::of(&reading.cluster.nodes, &[], &mut notes);
        let whose = format!("partition {}", reading.cluster[index].name);
        let nodes = places.indices(&said, &whose, &mut notes);
        checked(change, &notes)?;
        reading.cluster[index].nodes = nodes;
    }
    let partition = &reading.cluster[index];
    let to = listed(&reading.cluster, &partition.nodes);
    let name = format!("partition {}.Nodes", partition.name);
    Ok(if before == to { Vec::new() } else { vec![ChangedValue { name, from: before, to }] })
}

/// The last node of the most frequent node class in a partition; the first class of equally frequent ones.
fn commonest(cluster: &Cluster, index: PartitionIndex) -> Option<usize> {
    let nodes = &cluster[index].nodes;
    let mut best: Option<(usize, usize)> = None;
    for class in &classes_of(&cluster.nodes) {
        let within = class.nodes.iter().filter(|node| nodes.binary_search(node).is_ok());
        let (count, last) = within.fold((0, 0), |(count, _), &node| (count + 1, node));
        if count > 0 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, last));
        }
    }
    best.map(|(_, last)| last)
}

/// Adds copies of a node to a partition, and to the switch of that node.
fn add(reading: &mut SiteReading, index: PartitionIndex, like: usize, count: usize) {
    let cluster = &mut reading.cluster;
    let copied =
        ClusterNode { state: queuecast_slurm_sim::cluster::NodeState::Up, ..cluster.nodes[like].clone() };
    let name = copied.name.clone();
    let mut bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    let width = name.len() - bare.len();
    let mut number: u64 = name[bare.len()..].parse().unwrap_or(0);
    let mut added: Vec<ClusterNode> = Vec::with_capacity(count);
    while added.len() < count {
        // If the number overflows, an `x` is appended to the prefix and counting restarts at 0.
        (number, bare) = match number.checked_add(1) {
            Some(next) => (next, bare),
            None => (0, format!("{bare}x")),
        };
        let name = format!("{bare}{number:0width$}");
        if cluster.node(&name).is_none() {
            added.push(ClusterNode { name, ..copied.clone() });
        }
    }
    let names: Vec<String> = added.iter().map(|node| node.name.clone()).collect();
    let places = cluster.add_nodes(added);
    if let Some(run) = &mut reading.recording {
        run.renumber_nodes(&places);
    }
    let more: Vec<usize> = names.iter().filter_map(|name| cluster.node(name)).collect();
    let joined = |nodes: &mut Vec<usize>| {
        nodes.extend(&more);
        nodes.sort_unstable();
        nodes.dedup();
    };
    joined(&mut cluster[index].nodes);
    if let Topology::Tree(switches) = &mut cluster.topology {
        let own = switches.iter_mut().filter(|switch| switch.nodes.contains(&places[like]));
        own.for_each(|switch| joined(&mut switch.nodes));
    }
}

#[cfg(test)]
mod tests;
