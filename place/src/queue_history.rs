//! Which jobs of a site's past tell of one of its queues.

use std::collections::BTreeSet;

use super::LiveQueue;
use queuecast_core::asking::Refusal;
use queuecast_core::job::{Job, PartitionId};
use queuecast_core::units::Procs;
use queuecast_core::workload::{Machine, Workload};

/// The history of a site of which none is known.
pub(super) fn without_jobs(procs: Procs) -> Result<Workload, Refusal> {
    let machine = Machine { procs: procs.max(Procs(1)) };
    Workload::new(machine, Vec::new()).map_err(|error| Refusal::input(format!("sinfo: {error}")))
}

/// Fewer jobs of a partition than this are too few to learn from; then all jobs of the site are.
const OWN_HISTORY: usize = 100;

/// The history of the partitions of a queue and of those within it, and " of" whom it is; `None` for that of the whole site.
pub(super) fn history_of(workload: &Workload, queue: &LiveQueue) -> (Option<Workload>, String) {
    let partition = |job: &Job| {
        let number = job.partition.map(PartitionId::number)?;
        workload.names.partitions.get(&number).map(String::as_str)
    };
    let own: Vec<&str> = queue.name.split(',').collect();
    let of_own =
        workload.jobs().iter().filter(|job| partition(job).is_some_and(|name| own.contains(&name))).count();
    let is_within = |job: &Job| partition(job).is_some_and(|name| queue.within.iter().any(|one| one == name));
    let within: Vec<&Job> = workload.jobs().iter().filter(|job| is_within(job)).collect();
    if within.len() == workload.len() || of_own < OWN_HISTORY {
        let whose = if of_own == workload.len() { "" } else { " of all partitions" };
        return (None, whose.to_owned());
    }
    let names: BTreeSet<&str> = within.iter().filter_map(|job| partition(job)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let Ok(mut kept) = workload.only(is_within) else { return (None, " of all partitions".to_owned()) };
    // Refused if a job was larger, on nodes that are gone: then the machine stays that of the site.
    let _ = kept.set_machine(Machine { procs: queue.machine });
    (Some(kept), format!(" of {}", names.join(", ")))
}
