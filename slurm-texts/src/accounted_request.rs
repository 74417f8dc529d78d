//! What a job of accounting asked for: what its submit line says, and what its other columns say besides.

use super::accounted_row::AccountedRow;
use super::expressions::constraint;
use super::request_values::gres_request;
use super::rules::RuleCounter;
use super::sbatch::{SbatchRequest, sbatch};
use super::values::{list, memory, words};
use queuecast_slurm_sim::cluster::{
    Cluster, Exclusivity, GresRequest, JobRequest, MemoryAmount, MemoryRequest, TimeLimit, Tres,
};

/// What the submit line says, and its options that are not modelled. A script's own options are not in it.
pub(super) fn line_request(row: &AccountedRow<'_>, rules: &mut RuleCounter) -> (JobRequest, Vec<String>) {
    let Some(line) = row.text("submitline") else { return Default::default() };
    // Accounting keeps no quotes: a name with blanks would end the options.
    let line = match row.text("jobname").filter(|name| name.contains(char::is_whitespace)) {
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
        request.name = row.text("jobname").map(str::to_owned);
    }
    if let Some(name) = row.name("account") {
        request.account = Some(name.to_owned());
    }
    if let Some(name) = row.name("qos") {
        request.qos = list(name);
    }
    if let Some(ran) = row.name("partition") {
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
    if row.text("timelimit") == Some("UNLIMITED") && request.time_limit.is_none() {
        request.time_limit = Some(TimeLimit::Unlimited);
    }
    if request.terms.reservations.is_empty() {
        request.terms.reservations = row.name("reservation").map_or(Vec::new(), list);
    }
    if request.wishes.constraint.is_none()
        && let Some(text) = row.name("constraints")
    {
        request.wishes.constraint = constraint(text);
        if request.wishes.constraint.is_none() {
            rules.count("constraints that could not be read are left out", row.line);
        }
    }
    sizes(request, row, rules);
    let asked = row.tres("reqtres");
    if request.memory.is_none() {
        request.memory = memory_asked(row, &asked, request, cluster);
    }
    let lists =
        [&request.gres.per_node, &request.gres.per_job, &request.gres.per_task, &request.gres.per_socket];
    if lists.iter().all(|list| list.is_empty()) {
        gres_asked(request, row, &asked);
    }
}

/// The least number of processors that a request implies by its nodes, tasks and processors per task.
fn implied_cpus(request: &JobRequest) -> u64 {
    let nodes = u64::from(request.min_nodes.unwrap_or(1).max(1));
    let per_node = u64::from(request.tasks_per_node.unwrap_or(0).max(1));
    let tasks = request.tasks.map_or(nodes.saturating_mul(per_node), |tasks| u64::from(tasks.max(1)));
    tasks.saturating_mul(u64::from(request.cpus_per_task.unwrap_or(1).max(1))).max(nodes)
}

fn sizes(request: &mut JobRequest, row: &AccountedRow<'_>, rules: &mut RuleCounter) {
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
    request.tasks = Some(cpus);
    if request.min_nodes.is_none() {
        let (asked, given) = row.nodes();
        // More nodes were allocated than requested: the request did not fix the number of nodes.
        let is_free = given.is_some_and(|given| asked.is_some_and(|asked| given > asked))
            || given.is_none() && asked == Some(1) && cpus > 1;
        let nodes = asked.filter(|_| !is_free).and_then(|nodes| u32::try_from(nodes).ok());
        (request.min_nodes, request.max_nodes) = (nodes, nodes);
    }
}

/// Memory: `ReqTRES` has that of the whole job; `ReqMem` of old versions that of a node (`4Gn`) or a processor (`2Gc`).
fn memory_asked(
    row: &AccountedRow<'_>,
    asked: &Tres,
    request: &JobRequest,
    cluster: &Cluster,
) -> Option<MemoryRequest> {
    let text = row.text("reqmem").unwrap_or_default();
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
    let default = partition
        .and_then(|place| cluster.partitions[place].default_memory)
        .or(cluster.settings.jobs.default_memory);
    let is_default = match default {
        Some(MemoryAmount::PerCpu(mb)) => mb.checked_mul(cpus) == Some(whole),
        Some(MemoryAmount::PerNode(mb)) => mb.checked_mul(nodes) == Some(whole),
        None => false,
    };
    if is_default {
        None
    } else if whole.is_multiple_of(cpus) {
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
