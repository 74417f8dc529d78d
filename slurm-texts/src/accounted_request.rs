//! What a job of accounting asked for: what its submit line says, and what its other columns say besides.

use super::accounted_row::{AccountedColumn as Column, AccountedRow};
use super::expressions::constraint;
use super::request_values::gres_request;
use super::rules::RuleCounter;
use super::sbatch::{SbatchRequest, sbatch};
use super::values::{list, memory, words};
use queuecast_slurm_sim::cluster::{
    Cluster, Exclusivity, GresRequest, JobRequest, MemoryAmount, MemoryRequest, SelectKind, Sharing,
    TimeLimit, Tres,
};

/// What the submit line says, and its options that are not modelled. A script's own options are not in it.
pub(super) fn line_request(row: &AccountedRow<'_>, rules: &mut RuleCounter) -> (JobRequest, Vec<String>) {
    let Some(line) = row.text(Column::SubmitLine) else { return Default::default() };
    // Accounting keeps no quotes: a name with blanks would end the options.
    let line = match row.text(Column::JobName).filter(|name| name.contains(char::is_whitespace)) {
        Some(name) => line.replacen(name, "name", 1),
        None => line.to_owned(),
    };
    let all = words(&line).unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect());
    let Some((command, arguments)) = all.split_first() else { return Default::default() };
    let command = command.rsplit('/').next().unwrap_or_default();
    if !["sbatch", "srun", "salloc"].contains(&command) {
        rules.count("submit lines of other commands: the other columns count", row.line);
        return Default::default();
    }
    match sbatch(arguments) {
        Ok(SbatchRequest { request, not_modelled, .. }) => (request, not_modelled),
        Err(_) => {
            rules.count("submit lines that could not be read: the other columns count", row.line);
            Default::default()
        }
    }
}

/// Fills in from the columns what the submit line does not specify.
pub(super) fn completed(
    request: &mut JobRequest,
    row: &AccountedRow<'_>,
    cluster: &Cluster,
    rules: &mut RuleCounter,
) {
    if request.name.is_none() {
        request.name = row.text(Column::JobName).map(str::to_owned);
    }
    if let Some(name) = row.name(Column::Account) {
        request.account = Some(name.to_owned());
    }
    if let Some(name) = row.name(Column::Qos) {
        request.qos = list(name);
    }
    if let Some(ran) = row.name(Column::Partition) {
        let said = list(ran);
        let is_among = said.iter().all(|one| request.partitions.contains(one));
        if !request.partitions.is_empty() && !is_among {
            rules.count(
                "jobs of another partition than their submit line says: that of accounting counts",
                row.line,
            );
        }
        if !is_among {
            request.partitions = said;
        }
    }
    request.time_limit = request.time_limit.or_else(|| row.time_limit());
    if row.text(Column::TimeLimit) == Some("UNLIMITED") && request.time_limit.is_none() {
        request.time_limit = Some(TimeLimit::Unlimited);
    }
    if request.terms.reservations.is_empty() {
        request.terms.reservations = row.name(Column::Reservation).map_or(Vec::new(), list);
    }
    // Reservations of the past are gone; without them their jobs would never start.
    let is_known = |name: &String| cluster.reservations.iter().any(|one| one.name == *name);
    if !request.terms.reservations.is_empty() && !request.terms.reservations.iter().any(is_known) {
        rules.count("jobs of reservations that the site does not have: they run without", row.line);
        request.terms.reservations.clear();
    }
    if request.wishes.constraint.is_none()
        && let Some(text) = row.name(Column::Constraints)
    {
        request.wishes.constraint = constraint(text);
        if request.wishes.constraint.is_none() {
            rules.count("constraints that could not be read are left out", row.line);
        }
    }
    sizes(request, row, cluster, rules);
    given_more(request, row, cluster, rules);
    let asked = row.asked();
    if request.memory.is_none() {
        request.memory = memory_asked(row, asked, request, cluster);
    }
    let lists =
        [&request.gres.per_node, &request.gres.per_job, &request.gres.per_task, &request.gres.per_socket];
    if lists.iter().all(|list| list.is_empty()) {
        gres_asked(request, row, asked);
    }
}

/// The least number of processors that a request implies by its nodes, tasks and processors per task.
fn implied_cpus(request: &JobRequest) -> u64 {
    let nodes = u64::from(request.min_nodes.unwrap_or(1).max(1));
    let per_node = u64::from(request.tasks_per_node.unwrap_or(0).max(1));
    let tasks = request.tasks.map_or(nodes.saturating_mul(per_node), |tasks| u64::from(tasks.max(1)));
    tasks.saturating_mul(u64::from(request.cpus_per_task.unwrap_or(1).max(1))).max(nodes)
}

/// How many processors a job asked for on each node, if it was given as many on each of more nodes than it asked for. On nodes of several
/// threads a core it is not told from whole cores.
fn per_node(row: &AccountedRow<'_>, cluster: &Cluster) -> Option<u32> {
    let ((Some(asked), Some(given)), (Some(fewest), Some(most))) = (row.cpus(), row.nodes()) else {
        return None;
    };
    let of_each = asked / fewest.max(1);
    let is_even = fewest < most && of_each > 0 && of_each * fewest == asked;
    let is_given = of_each.checked_mul(most) == Some(given);
    let has_no_threads = || given_nodes(row, cluster).is_some_and(|nodes| nodes.threads <= 1);
    if is_even && is_given && has_no_threads() { u32::try_from(of_each).ok() } else { None }
}

fn sizes(request: &mut JobRequest, row: &AccountedRow<'_>, cluster: &Cluster, rules: &mut RuleCounter) {
    let (Some(cpus), _) = row.cpus() else { return };
    let Ok(cpus) = u32::try_from(cpus) else { return };
    let tasks_said =
        request.tasks.is_some() || request.cpus_per_task.is_some() || request.tasks_per_node.is_some();
    let is_left_to_gpus = request.gres.cpus_per_gpu.is_some() || request.tasks_on.tasks_per_gpu.is_some();
    let is_exclusive = request.wishes.exclusivity == Some(Exclusivity::Exclusive);
    if u64::from(cpus) == implied_cpus(request) && (tasks_said || request.min_nodes.is_some())
        || is_left_to_gpus
    {
        return;
    }
    if tasks_said {
        // Allocation by whole cores or whole nodes can exceed the request, so only fewer processors are reported.
        if !is_exclusive && u64::from(cpus) < implied_cpus(request) {
            rules.count(
                "jobs of fewer processors than their submit line says: the submit line counts",
                row.line,
            );
        }
        return;
    }
    if is_exclusive && request.min_nodes.is_some() {
        return;
    }
    let (asked, given) = row.nodes();
    let nodes = |count: Option<u64>| count.and_then(|count| u32::try_from(count).ok());
    // GPUs of a job spread by themselves.
    let has_gres = row.asked().0.keys().any(|name| name.starts_with("gres/"));
    if request.min_nodes.is_none()
        && let (Some(fewest), Some(most)) = (nodes(asked), nodes(given))
        && most > fewest
    {
        // As many processors on each of more nodes are tasks of each node. A job that names no nodes asks for one; more nodes than
        // processors have a task each.
        let of_each = per_node(row, cluster);
        let is_range = of_each.is_some() || fewest > 1 || !has_gres && most > fewest.max(cpus);
        if is_range {
            rules.count("jobs of more nodes than they asked for at least: as many are allowed", row.line);
            (request.min_nodes, request.max_nodes) = (Some(fewest), Some(most));
            request.tasks_per_node = of_each;
            request.tasks = (of_each.is_none() && most <= fewest.max(cpus)).then_some(cpus);
            return;
        }
    }
    request.tasks = Some(cpus);
    if request.min_nodes.is_none() {
        // More nodes were allocated than requested: the request did not fix the number of nodes.
        let is_free = given.is_some_and(|given| asked.is_some_and(|asked| given > asked))
            || given.is_none() && asked == Some(1) && cpus > 1;
        let nodes = nodes(asked.filter(|_| !is_free));
        (request.min_nodes, request.max_nodes) = (nodes, nodes);
        // Jobs of several nodes mostly ask for as many processors on each.
        if let Some(nodes) = nodes.filter(|&nodes| nodes > 1 && cpus.is_multiple_of(nodes)) {
            request.tasks_per_node = Some(cpus / nodes);
        }
    }
}

/// A job that was given more processors than it asked for asked for whole nodes if it had all of them, unless it had them anyway; else for
/// one thread of each core if it had all threads of as many cores.
fn given_more(request: &mut JobRequest, row: &AccountedRow<'_>, cluster: &Cluster, rules: &mut RuleCounter) {
    let partition = request.partitions.first().and_then(|name| cluster.partition(name));
    let has_them_anyway = cluster.settings.select.kind == SelectKind::Linear
        || partition.is_some_and(|one| cluster[one].sharing == Sharing::Exclusive);
    if request.wishes.exclusivity.is_some() || has_them_anyway {
        return;
    }
    let (Some(asked), Some(given)) = row.cpus() else { return };
    let Some(GivenNodes { count, cpus: all, threads, .. }) = given_nodes(row, cluster) else { return };
    // Tasks on each of a range of nodes: it had what it asked for.
    if request.tasks_per_node.is_some() && request.tasks.is_none() && per_node(row, cluster).is_some() {
        return;
    }
    // Whole cores are given for one of their threads, so at most the other threads of the last core of each node.
    let rounded = asked.saturating_add(count * (threads - 1));
    if given == all && given > asked.saturating_mul(threads) {
        rules.count("jobs that had whole nodes and asked for less: they ask for whole nodes", row.line);
        request.wishes.exclusivity = Some(Exclusivity::Exclusive);
    } else if given == asked.saturating_mul(threads) && given > rounded {
        rules.count("jobs that had all threads of their cores: they use one of each core", row.line);
        request.tasks_on.one_thread_per_core = true;
    }
}

/// What the nodes that a job had come to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct GivenNodes {
    count: u64,
    /// Processors without those that are kept from jobs.
    cpus: u64,
    /// The most threads of a core.
    threads: u64,
    memory_mb: u64,
}

/// The nodes that a job had, if the site has all of them. What a job asked for depends on their names by nothing else.
pub(super) fn given_nodes(row: &AccountedRow<'_>, cluster: &Cluster) -> Option<GivenNodes> {
    row.amounts.looked_at_nodes.set(true);
    let names = row.nodes_given().filter(|names| !names.is_empty())?;
    let mut all = GivenNodes { count: 0, cpus: 0, threads: 1, memory_mb: 0 };
    for name in names {
        let node = &cluster.nodes[cluster.node(name)?];
        let reserved = node.reserved_cores.saturating_mul(node.threads_per_core);
        all.count += 1;
        all.cpus += u64::from(node.cpus.saturating_sub(reserved));
        all.threads = all.threads.max(u64::from(node.threads_per_core));
        all.memory_mb += node.memory_mb;
    }
    Some(all)
}

/// Memory: `ReqTRES` has that of the whole job; `ReqMem` of old versions that of a node (`4Gn`) or a processor (`2Gc`).
fn memory_asked(
    row: &AccountedRow<'_>,
    asked: &Tres,
    request: &JobRequest,
    cluster: &Cluster,
) -> Option<MemoryRequest> {
    let text = row.text(Column::ReqMem).unwrap_or_default();
    if let Some(each) = text.strip_suffix('n').and_then(memory) {
        return Some(MemoryRequest::PerNode(each));
    }
    if let Some(each) = text.strip_suffix('c').and_then(memory) {
        return Some(MemoryRequest::PerCpu(each));
    }
    let whole = asked.mem().or_else(|| memory(text))?;
    if whole == 0 {
        return None;
    }
    let (cpus, nodes) = (row.cpus().0.unwrap_or(1).max(1), row.nodes().0.unwrap_or(1).max(1));
    let partition = request
        .partitions
        .first()
        .map_or_else(|| cluster.default_partition(), |name| cluster.partition(name));
    let default =
        partition.and_then(|one| cluster[one].default_memory).or(cluster.settings.jobs.default_memory);
    let is_default = match default {
        Some(MemoryAmount::PerCpu(mb)) => mb.checked_mul(cpus) == Some(whole),
        Some(MemoryAmount::PerNode(mb)) => mb.checked_mul(nodes) == Some(whole),
        None => false,
    };
    let given = row.given().memory_mb.filter(|&given| given > 0);
    // Where no default is configured, jobs that ask for none have all memory of their nodes.
    let has_all = || {
        let nodes = given_nodes(row, cluster)?;
        Some(given? == nodes.memory_mb)
    };
    if is_default || default.is_none() && has_all() == Some(true) {
        return None;
    }
    // More processors than asked for bring memory along if it was asked for by processor, more nodes if it was by node.
    if let (Some(given), (_, Some(all)), (_, Some(on))) = (given, row.cpus(), row.nodes())
        && (all != cpus || on != nodes)
    {
        let is_per_cpu = u128::from(given) * u128::from(cpus) == u128::from(whole) * u128::from(all);
        let is_per_node = u128::from(given) * u128::from(nodes) == u128::from(whole) * u128::from(on);
        if is_per_node && !is_per_cpu {
            return Some(MemoryRequest::PerNode(whole.div_ceil(nodes)));
        }
    }
    if whole.is_multiple_of(cpus) {
        Some(MemoryRequest::PerCpu(whole / cpus))
    } else {
        Some(MemoryRequest::PerNode(whole.div_ceil(nodes)))
    }
}

/// Generic resources (GRES), with their types only if these are given for the whole count.
fn gres_asked(request: &mut JobRequest, row: &AccountedRow<'_>, asked: &Tres) {
    let named: Vec<GresRequest> = asked
        .0
        .iter()
        .filter(|(name, count)| name.starts_with("gres/") && **count > 0)
        .filter_map(|(name, count)| gres_request(&format!("{name}:{count}")))
        .flatten()
        .collect();
    let nodes = row.nodes().0.unwrap_or(1).max(1);
    for one in &named {
        let same = || named.iter().filter(|other| other.name == one.name);
        let typed: u64 = same().filter(|other| other.kind.is_some()).map(|other| other.count).sum();
        let all = same().find(|other| other.kind.is_none()).map(|other| other.count);
        let types_count = typed > 0 && all.is_none_or(|all| all == typed);
        if types_count != one.kind.is_some() {
            continue;
        }
        if one.count.is_multiple_of(nodes) {
            request.gres.per_node.push(GresRequest { count: one.count / nodes, ..one.clone() });
        } else if one.name == "gpu" {
            request.gres.per_job.push(one.clone());
        } else {
            request.gres.per_node.push(GresRequest { count: one.count.div_ceil(nodes), ..one.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SiteOptions;
    use crate::accounted::accounted;
    use queuecast_core::units::Time;
    use queuecast_slurm_sim::cluster::{
        AdvanceReservation, Allowed, Begin, ClusterNode, ClusterPartition, ReservationFlags, SubmittedJob,
    };

    #[test]
    fn columns_tell_whole_nodes_even_tasks_throttles_and_gone_reservations() {
        let node = |name: &str| ClusterNode {
            name: name.into(),
            cpus: 8,
            memory_mb: 8000,
            ..ClusterNode::default()
        };
        let partition =
            ClusterPartition { name: "batch".into(), nodes: vec![0, 1], ..ClusterPartition::default() };
        let mut cluster = Cluster {
            nodes: vec![node("n1"), node("n2")],
            partitions: vec![partition],
            ..Cluster::default()
        };
        let header = "JobID|User|Partition|State|Submit|Eligible|Start|End|ElapsedRaw|ReqTRES|AllocTRES|NodeList|Reason|Reservation\n";
        let rows = "1|a|batch|COMPLETED|10|10|11|20|9|cpu=2,mem=2000M,node=1|cpu=8,mem=2000M,node=1|n1|None|\n2|a|batch|COMPLETED|10|10|11|20|9|cpu=8,mem=16000M,node=2|cpu=8,mem=16000M,node=2|n[1-2]|None|\n3_1|a|batch|COMPLETED|10|40|41|50|9|cpu=1,mem=100M,node=1|cpu=1,mem=100M,node=1|n1|None|\n3_2|a|batch|COMPLETED|10|40|50|60|10|cpu=1,mem=100M,node=1|cpu=1,mem=100M,node=1|n1|JobArrayTaskLimit|\n4|a|batch|COMPLETED|10|10|11|20|9|cpu=8,mem=800M,node=1|cpu=8,mem=800M,node=1|n2|None|gone\n5|a|batch|COMPLETED|11|11|12|20|8|cpu=1,mem=100M,node=1|cpu=2,mem=200M,node=2|n[1-2]|None|\n";
        let read = |cluster: &Cluster| {
            let mut rules = RuleCounter::default();
            let text = format!("{header}{rows}");
            let run = accounted(&text, cluster, &SiteOptions::default(), &mut rules).unwrap();
            (run.submissions, rules.into_rules().len())
        };
        let (jobs, rules) = read(&cluster);
        let exclusive = |job: &SubmittedJob| job.request.wishes.exclusivity.is_some();
        assert_eq!(jobs.iter().map(exclusive).collect::<Vec<_>>(), [true, false, false, false, false]);
        // More processors, and not more memory: it was asked for by node.
        assert_eq!(jobs[0].request.memory, Some(MemoryRequest::PerNode(2000)));
        assert_eq!((jobs[1].request.tasks, jobs[1].request.tasks_per_node), (Some(8), Some(4)));
        assert_eq!(jobs[1].request.memory, None, "all memory of both nodes is what jobs have by default");
        assert_eq!(jobs[2].request.array.as_ref().unwrap().throttle, Some(1));
        assert_eq!(jobs[2].request.terms.begin, Some(Begin::Eligible(Time(40))));
        assert_eq!((jobs[3].request.terms.reservations.len(), rules), (0, 5));
        let ranged = &jobs[4].request;
        assert_eq!((ranged.min_nodes, ranged.max_nodes, ranged.tasks), (Some(1), Some(2), None));
        // Controls: where the partition gives whole nodes they say nothing, and a reservation that is there stays.
        cluster.partitions[0].sharing = Sharing::Exclusive;
        cluster.reservations = vec![AdvanceReservation {
            name: "gone".into(),
            nodes: vec![1],
            start: Time(0),
            end: Time(90),
            users: Allowed::All,
            accounts: Allowed::All,
            partition: None,
            cores: None,
            licenses: Tres::default(),
            flags: ReservationFlags::default(),
        }];
        let (jobs, rules) = read(&cluster);
        assert!(!exclusive(&jobs[0]));
        // With two threads a core, two processors of a job of one are its core; eight of a job of four are four cores.
        cluster.partitions[0].sharing = Sharing::No;
        cluster.nodes.iter_mut().for_each(|node| (node.cpus, node.threads_per_core) = (16, 2));
        let row = |asked: u32| {
            format!(
                "1|a|batch|COMPLETED|10|10|11|20|9|cpu={asked},node=1|cpu={},node=1|n1|None|\n",
                2 * asked
            )
        };
        for (asked, expected) in [(1, false), (4, true)] {
            let text = format!("{header}{}", row(asked));
            let run =
                accounted(&text, &cluster, &SiteOptions::default(), &mut RuleCounter::default()).unwrap();
            assert_eq!(run.submissions[0].request.tasks_on.one_thread_per_core, expected);
        }
        assert_eq!((jobs[3].request.terms.reservations.len(), rules), (1, 3));
    }

    /// What each row of accounting says was asked for, on three nodes of eight processors and this many threads a core.
    fn requests(threads: u32, rows: &[&str]) -> Vec<JobRequest> {
        let node = |name: &str| ClusterNode {
            name: name.into(),
            cpus: 8,
            memory_mb: 8000,
            threads_per_core: threads,
            ..ClusterNode::default()
        };
        let partition =
            ClusterPartition { name: "batch".into(), nodes: vec![0, 1, 2], ..ClusterPartition::default() };
        let mut cluster = Cluster {
            nodes: ["n1", "n2", "n3"].map(node).to_vec(),
            partitions: vec![partition],
            ..Cluster::default()
        };
        cluster.settings.jobs.default_memory = Some(MemoryAmount::PerCpu(1));
        let mut text =
            "JobID|User|Partition|State|Submit|Eligible|Start|End|ElapsedRaw|ReqTRES|AllocTRES|NodeList\n"
                .to_owned();
        for (id, row) in rows.iter().enumerate() {
            text += &format!("{id}|a|batch|COMPLETED|10|10|11|20|9|{row}\n");
        }
        let run = accounted(&text, &cluster, &SiteOptions::default(), &mut RuleCounter::default()).unwrap();
        run.submissions.iter().map(|job| JobRequest::clone(&job.request)).collect()
    }

    #[test]
    fn more_nodes_than_asked_for_tell_ranges() {
        let asked = |request: &JobRequest| {
            (request.min_nodes, request.max_nodes, request.tasks, request.tasks_per_node)
        };
        let tasks_of_nodes = "cpu=2,mem=200M,node=1|cpu=6,mem=600M,node=3|n[1-3]";
        let found = requests(
            1,
            &[
                tasks_of_nodes,
                "cpu=6,mem=4000M,node=2|cpu=6,mem=6000M,node=3|n[1-3]",
                "cpu=8,mem=800M,node=1|cpu=24,mem=2400M,node=3|n[1-3]",
                "cpu=4,mem=400M,node=1|cpu=4,mem=400M,node=2|n[1-2]",
                "cpu=4,mem=900M,node=1|cpu=4,mem=1800M,node=2|n[1-2]",
                "cpu=4,gres/gpu=2,mem=400M,node=2|cpu=6,gres/gpu=3,mem=600M,node=3|n[1-3]",
            ],
        );
        // As many tasks on each of more nodes than asked for.
        assert_eq!(asked(&found[0]), (Some(1), Some(3), None, Some(2)));
        assert_eq!(found[0].memory, Some(MemoryRequest::PerCpu(100)));
        // Jobs that name no nodes ask for one. Memory that grows with the nodes alone is by node.
        assert_eq!(asked(&found[1]), (Some(2), Some(3), Some(6), None));
        assert_eq!(found[1].memory, Some(MemoryRequest::PerNode(2000)));
        // It had all processors of its nodes, and had asked for these.
        assert_eq!(asked(&found[2]), (Some(1), Some(3), None, Some(8)));
        assert_eq!(found[2].wishes.exclusivity, None);
        // Processors on any nodes.
        assert_eq!(asked(&found[3]), (None, None, Some(4), None));
        assert_eq!(asked(&found[4]), (None, None, Some(4), None));
        assert_eq!(found[4].memory, Some(MemoryRequest::PerNode(900)));
        assert_eq!(asked(&found[5]), (Some(2), Some(3), None, Some(2)));
        // Control: on nodes of two threads a core, whole cores are no tasks.
        let found = requests(2, &["cpu=2,mem=200M,node=1|cpu=4,mem=400M,node=2|n[1-2]", tasks_of_nodes]);
        assert_eq!(found.iter().map(asked).collect::<Vec<_>>()[0], (None, None, Some(2), None));
        assert_eq!(found[1].tasks_per_node, None);
    }
}
