//! Why a site takes no such job, in the words of sbatch and with the limit that it exceeds.

use std::collections::BTreeSet;
use std::fmt;

use super::features::FeatureExpr;
use super::gpu_counts::gpu_contradiction;
use super::indices::PartitionIndex;
use super::limits::PerJobLimits;
use super::partition::{Allowed, ClusterPartition, PartitionState};
use super::request::{JobRequest, MemoryRequest, TimeLimit};
use super::settings::PartLimitsRule;
use super::submitted::SubmittedJob;
use super::whole::Cluster;
use queuecast_core::duration;
use queuecast_core::number::number_of;
use queuecast_core::units::Seconds;

/// Why a site refuses a job at its submission, or lets it wait for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmitRefusal {
    /// What sbatch prints.
    pub said: &'static str,
    /// What was asked for, and what there is.
    pub why: String,
}

impl fmt::Display for SubmitRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.said, self.why)
    }
}

const ACCOUNT: &str = "Invalid account or account/partition combination specified";
const QOS: &str = "Invalid qos specification";
const PARTITION: &str = "Invalid partition name specified";
const UNAVAILABLE: &str = "Required partition not available (inactive or drain)";
const NODE_NAME: &str = "Invalid node name specified";
const FEATURE: &str = "Invalid feature specification";
const RESERVATION: &str = "Requested reservation is invalid";
const LICENSE: &str = "Invalid license specification";
const GRES: &str = "Invalid generic resource (gres) specification";
const TIME: &str = "Requested time limit is invalid (missing or exceeds some limit)";
const NODES: &str = "Node count specification invalid";
const CPUS: &str = "More processors requested than permitted";
const MEMORY: &str = "Memory specification can not be satisfied";
const CONFIGURATION: &str = "Requested node configuration is not available";
const POLICY: &str = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";

impl SubmitRefusal {
    fn new(said: &'static str, why: String) -> SubmitRefusal {
        SubmitRefusal { said, why }
    }

    /// A time limit above the longest of a partition.
    pub fn time(partition: &str, asked: Seconds, most: Seconds) -> SubmitRefusal {
        let (asked, most) = (duration::exact(asked), duration::exact(most));
        SubmitRefusal::new(TIME, format!("{asked}, and partition {partition} allows {most} (MaxTime)"))
    }

    /// More processors than a job may have in a partition.
    pub fn processors(partition: &str, asked: u64, most: u64) -> SubmitRefusal {
        let asked = number_of(asked, "processor");
        SubmitRefusal::new(CPUS, format!("{asked}, and a job in partition {partition} has at most {most}"))
    }
}

/// Names in a sentence.
fn listed(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let names: BTreeSet<String> = names.into_iter().map(|one| one.as_ref().to_owned()).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.into_iter().collect::<Vec<_>>().join(", "),
    }
}

fn allowed(names: &Allowed) -> String {
    match names {
        Allowed::All => "all".to_owned(),
        Allowed::Only(names) => listed(names),
        Allowed::Except(names) => format!("all but {}", listed(names)),
    }
}

/// Why a site takes no such job; `None` if nothing speaks against it but what others have. Looks at what the job asks for alone: whatever
/// nodes are down and whatever runs.
pub fn submit_refusal(cluster: &Cluster, job: &SubmittedJob) -> Option<SubmitRefusal> {
    let request = &job.request;
    by_names(cluster, job).or_else(|| by_resources(cluster, request)).or_else(|| {
        let named = request.partitions.iter().filter_map(|name| cluster.partition(name));
        let mut partitions: Vec<PartitionIndex> = named.collect();
        if request.partitions.is_empty() {
            partitions.extend(cluster.default_partition());
        }
        // One that takes it is enough, unless all must.
        let needs_all = cluster.settings.jobs.enforce_part_limits == PartLimitsRule::All;
        let refusals: Vec<_> = partitions.iter().map(|&one| by_partition(cluster, one, job)).collect();
        let is_refused = needs_all || refusals.iter().all(Option::is_some);
        refusals.into_iter().flatten().next().filter(|_| is_refused)
    })
}

/// By names that the site does not know, or that the user may not choose.
fn by_names(cluster: &Cluster, job: &SubmittedJob) -> Option<SubmitRefusal> {
    let (request, enforce) = (&job.request, cluster.settings.jobs.enforce);
    if let Some(name) = request.partitions.iter().find(|name| cluster.partition(name).is_none()) {
        let names = listed(cluster.partitions.iter().map(|one| &one.name));
        return Some(SubmitRefusal::new(PARTITION, format!("the site has no partition {name}, but {names}")));
    }
    let associations = &cluster.associations.0;
    let own = || associations.iter().filter(|one| one.user.as_deref() == Some(&job.user));
    if let Some(account) = request.account.as_ref().filter(|_| !associations.is_empty()) {
        let is_known = associations.iter().any(|one| one.account == *account);
        // Users of whom nothing is known are not refused for that.
        let may = own().next().is_none() || own().any(|one| one.account == *account);
        if !is_known {
            let names = listed(associations.iter().map(|one| &one.account));
            let why = format!("the site has no account {account}, but {names}");
            return Some(SubmitRefusal::new(ACCOUNT, why));
        }
        if !may && enforce.associations {
            let names = listed(own().map(|one| &one.account));
            let why = format!("user {} is not in account {account}, but in {names}", job.user);
            return Some(SubmitRefusal::new(ACCOUNT, why));
        }
    }
    if let Some(name) = request.qos.iter().find(|name| cluster.qos(name).is_none())
        && !cluster.qos.is_empty()
    {
        let names = listed(cluster.qos.iter().map(|one| &one.name));
        return Some(SubmitRefusal::new(QOS, format!("the site has no QOS {name}, but {names}")));
    }
    let association = cluster.association_of(job).map(|index| &cluster.associations[index]);
    if let (Some(own), Some(name)) = (association, request.qos.first())
        && enforce.qos
        && !own.qos.is_empty()
        && !own.qos.contains(name)
    {
        let why = format!("user {} in account {} may choose {}", job.user, own.account, listed(&own.qos));
        return Some(SubmitRefusal::new(QOS, format!("{name}; {why}")));
    }
    let nodes = request.wishes.node_list.iter().chain(&request.wishes.exclude);
    if let Some(name) = nodes.into_iter().find(|name| cluster.node(name).is_none()) {
        return Some(SubmitRefusal::new(NODE_NAME, format!("the site has no node {name}")));
    }
    let reservations = &request.terms.reservations;
    let is_known = |name: &str| cluster.reservations.iter().any(|one| one.name == name);
    let name = reservations.iter().find(|name| !is_known(name))?;
    let others = match cluster.reservations.is_empty() {
        true => String::new(),
        false => format!(", but {}", listed(cluster.reservations.iter().map(|one| &one.name))),
    };
    Some(SubmitRefusal::new(RESERVATION, format!("the site has no reservation {name}{others}")))
}

/// By what no node of the site has.
fn by_resources(cluster: &Cluster, request: &JobRequest) -> Option<SubmitRefusal> {
    if let Some(constraint) = &request.wishes.constraint
        && let Some(name) = features(constraint)
            .into_iter()
            .find(|name| !cluster.nodes.iter().any(|node| node.has_feature(name)))
    {
        let names = listed(cluster.nodes.iter().flat_map(|node| &node.features));
        return Some(SubmitRefusal::new(
            FEATURE,
            format!("no node has the feature {name}; there are {names}"),
        ));
    }
    let gres = &request.gres;
    let all = gres.per_node.iter().chain(&gres.per_job).chain(&gres.per_task).chain(&gres.per_socket);
    for one in all {
        if !cluster.nodes.iter().any(|node| node.gres_count(&one.name, one.kind.as_deref()) > 0) {
            let kind = one.kind.as_ref().map_or_else(String::new, |kind| format!(":{kind}"));
            return Some(SubmitRefusal::new(GRES, format!("no node has {}{kind}", one.name)));
        }
    }
    if let Some(why) = gpu_contradiction(request) {
        return Some(SubmitRefusal::new(GRES, why));
    }
    // Licenses that the configuration does not name may be of the accounting database.
    let most = |name: &str| cluster.licenses.amount(name);
    let (license, most) = gres.licenses.iter().find_map(|one| {
        let most = most(&one.name)?;
        (most < one.count).then_some((one, most))
    })?;
    let why = format!("{} of {}, and the site has {most}", license.count, license.name);
    Some(SubmitRefusal::new(LICENSE, why))
}

fn features(expression: &FeatureExpr) -> Vec<&str> {
    match expression {
        FeatureExpr::Feature(name) => vec![name],
        FeatureExpr::All(parts) | FeatureExpr::Any(parts) | FeatureExpr::SameOnAll(parts) => {
            parts.iter().flat_map(features).collect()
        }
        FeatureExpr::Counted(part, _) => features(part),
    }
}

/// By a partition: whom it takes, how large its jobs are, and what its nodes have.
fn by_partition(cluster: &Cluster, partition: PartitionIndex, job: &SubmittedJob) -> Option<SubmitRefusal> {
    let (partition, request) = (&cluster[partition], &job.request);
    let name = &partition.name;
    let refused = |said, why: String| Some(SubmitRefusal::new(said, why));
    if matches!(partition.state, PartitionState::Drain | PartitionState::Inactive) {
        return refused(UNAVAILABLE, name.clone());
    }
    if let Some(account) = request.account.as_ref().filter(|one| !partition.accounts.allows(one)) {
        return refused(ACCOUNT, format!("{name} allows {}, not {account}", allowed(&partition.accounts)));
    }
    let qos = cluster.qos_of(job).map(|index| &cluster[index]);
    if let Some(qos) = qos.filter(|one| !partition.allowed_qos.allows(&one.name)) {
        return refused(QOS, format!("{name} allows {}, not {}", allowed(&partition.allowed_qos), qos.name));
    }
    let flags = qos.map(|one| one.flags).unwrap_or_default();
    if let (Some(TimeLimit::Of(asked)), Some(most)) = (request.time_limit, partition.max_time)
        && asked > most
        && !flags.partition_time_limit
    {
        return Some(SubmitRefusal::time(name, asked, most));
    }
    let of_partition = qos
        .into_iter()
        .chain(partition.qos.as_ref().and_then(|one| cluster.qos(one).map(|index| &cluster[index])));
    by_count(cluster, partition, request, flags.partition_max_nodes)
        .or_else(|| by_nodes(cluster, partition, request))
        .or_else(|| {
            let enforced = of_partition.filter(|_| cluster.settings.jobs.enforce.limits);
            enforced.into_iter().find_map(|qos| {
                by_limits(&qos.per_job, request)
                    .map(|why| SubmitRefusal::new(POLICY, format!("{why} of QOS {}", qos.name)))
            })
        })
        .or_else(|| {
            let own = cluster.association_of(job).filter(|_| cluster.settings.jobs.enforce.limits);
            cluster.associations.upwards(own).find_map(|index| {
                let one = &cluster.associations[index];
                let of = one.user.as_ref().map_or_else(
                    || format!("account {}", one.account),
                    |user| format!("user {user} in account {}", one.account),
                );
                by_limits(&one.per_job, request)
                    .map(|why| SubmitRefusal::new(POLICY, format!("{why} of {of}")))
            })
        })
}

/// By how many nodes and processors there are.
fn by_count(
    cluster: &Cluster,
    partition: &ClusterPartition,
    request: &JobRequest,
    beyond_most_nodes: bool,
) -> Option<SubmitRefusal> {
    let name = &partition.name;
    let nodes = request.min_nodes.unwrap_or(1);
    let has = partition.nodes.len();
    if nodes as usize > has {
        let why = format!("{}, and partition {name} has {has}", number_of(nodes, "node"));
        return Some(SubmitRefusal::new(NODES, why));
    }
    if let Some(most) = partition.max_nodes.filter(|&most| nodes > most && !beyond_most_nodes) {
        let why = format!("{}, and partition {name} allows {most} (MaxNodes)", number_of(nodes, "node"));
        return Some(SubmitRefusal::new(NODES, why));
    }
    let fewest = partition.min_nodes;
    if request.max_nodes.is_some_and(|most| most < fewest) {
        let why = format!(
            "at most {}, and partition {name} wants {fewest} (MinNodes)",
            number_of(request.max_nodes.unwrap_or(0), "node")
        );
        return Some(SubmitRefusal::new(NODES, why));
    }
    let on_node = |index: &usize| {
        let cpus = cluster.nodes[*index].cpus;
        u64::from(partition.max_cpus_per_node.map_or(cpus, |most| cpus.min(most)))
    };
    let most: u64 = partition.nodes.iter().map(on_node).sum();
    let asked = u64::from(request.processors());
    (asked > most).then(|| SubmitRefusal::processors(name, asked, most))
}

/// By what the nodes of a partition have.
fn by_nodes(cluster: &Cluster, partition: &ClusterPartition, request: &JobRequest) -> Option<SubmitRefusal> {
    let name = &partition.name;
    let nodes = || partition.nodes.iter().map(|&index| &cluster.nodes[index]);
    if let Some(MemoryRequest::PerNode(asked)) = request.memory {
        let most = nodes().map(|node| node.memory_mb.saturating_sub(node.reserved_memory_mb)).max()?;
        if asked > most {
            let why =
                format!("{asked} MB on each node, and those of partition {name} have at most {most} MB");
            return Some(SubmitRefusal::new(MEMORY, why));
        }
    }
    for one in &request.gres.per_node {
        let most = nodes().map(|node| node.gres_count(&one.name, one.kind.as_deref())).max()?;
        if one.count > most {
            let why = format!(
                "{} {} on each node, and those of partition {name} have at most {most}",
                one.count, one.name
            );
            return Some(SubmitRefusal::new(CONFIGURATION, why));
        }
    }
    for one in &request.gres.per_job {
        let all: u64 = nodes().map(|node| node.gres_count(&one.name, one.kind.as_deref())).sum();
        if one.count > all {
            let why = format!("{} {}, and partition {name} has {all}", one.count, one.name);
            return Some(SubmitRefusal::new(CONFIGURATION, why));
        }
    }
    let constraint = request.wishes.constraint.as_ref()?;
    let admitted = nodes().filter(|node| constraint.admits(&node.features)).count();
    let wanted = request.min_nodes.unwrap_or(1) as usize;
    (admitted < wanted).then(|| {
        let wanted = number_of(wanted, "node");
        SubmitRefusal::new(
            CONFIGURATION,
            format!("{wanted} with its features, and partition {name} has {admitted}"),
        )
    })
}

/// By limits of each job: which is exceeded, and by what.
fn by_limits(limits: &PerJobLimits, request: &JobRequest) -> Option<String> {
    if let (Some(TimeLimit::Of(asked)), Some(most)) = (request.time_limit, limits.wall)
        && asked > most
    {
        return Some(format!("{}, above MaxWall={}", duration::exact(asked), duration::exact(most)));
    }
    let asked = u64::from(request.processors());
    if let Some(most) = limits.tres.cpu().filter(|&most| asked > most) {
        return Some(format!("{}, above MaxTRESPerJob=cpu={most}", number_of(asked, "processor")));
    }
    let nodes = u64::from(request.min_nodes.unwrap_or(1));
    if let Some(most) = limits.tres.node().filter(|&most| nodes > most) {
        return Some(format!("{}, above MaxTRESPerJob=node={most}", number_of(nodes, "node")));
    }
    let fewest = limits.min_tres.cpu().filter(|&fewest| asked < fewest)?;
    Some(format!("{}, below MinTRES=cpu={fewest}", number_of(asked, "processor")))
}

#[cfg(test)]
mod tests;
