//! Slurm's reasons for waiting in plain words.

/// Reasons of jobs that do not start until a user or an administrator changes something, by how they begin, and what has to be changed.
const STAYING: [(&str, &str); 15] = [
    ("JobHeldUser", "it is released: its user holds it"),
    ("JobHeldAdmin", "an administrator releases it"),
    ("JobHold", "it is released: it was put back into the queue too often"),
    ("DependencyNeverSatisfied", "its dependency is changed: what it depends on cannot be met any more"),
    ("BadConstraints", "it asks for something else: no nodes have what it asks for"),
    ("InvalidAccount", "it has another account: its own is not valid"),
    ("InvalidQOS", "it has another QOS: its own is not valid"),
    ("AccountNotAllowed", "it has another account or partition: the partition does not take its account"),
    ("QOSNotAllowed", "it has another QOS or partition: the partition does not take its QOS"),
    ("ReservationDeleted", "it has another reservation: its own was deleted"),
    ("launch failed requeued held", "it is released: it could not be launched"),
    ("launch_failed_requeued_held", "it is released: it could not be launched"),
    ("user env retrieval failed", "it is released: the environment of its user could not be read"),
    ("job requeued in held state", "it is released: it was put back into the queue and is held"),
    ("JobLaunchFailure", "it is released: it could not be launched"),
];

/// What has to be changed before a job starts that waits for this reason; `None` of a reason that passes by itself.
pub(super) fn stays(code: &str) -> Option<&'static str> {
    STAYING.iter().find(|one| code.starts_with(one.0)).map(|one| one.1)
}

/// Other reasons in words, by how they begin; a longer begin comes before a shorter one.
const IN_WORDS: [(&str, &str); 22] = [
    ("ReqNodeNotAvail, Reserved for maintenance", "nodes that are reserved for maintenance"),
    ("ReqNodeNotAvail, May be reserved", "nodes that may be reserved for other jobs"),
    ("ReqNodeNotAvail", "nodes that it asks for and that are not available"),
    (
        "Nodes required for job are",
        "nodes that are down, drained, or reserved for jobs of partitions of higher priority",
    ),
    ("PartitionDown", "its partition, which starts no jobs"),
    ("PartitionInactive", "its partition, which neither takes nor starts jobs"),
    (
        "PartitionNodeLimit",
        "more nodes than its partition allows, or fewer than it needs, or nodes that are down",
    ),
    ("PartitionTimeLimit", "a longer time than its partition allows"),
    ("PartitionConfig", "what its partition does not allow"),
    ("SchedDefer", "the scheduler to look at it: it was asked to start at once, which is put off"),
    ("QOSUsageThreshold", "the usage of its QOS to fall below a threshold"),
    ("NodeDown", "a node that is down"),
    ("Cleaning", "what is left of its earlier run to be cleaned up"),
    ("BurstBufferStageIn", "its burst buffer to be filled"),
    ("BurstBufferResources", "space in a burst buffer"),
    ("BurstBufferOperation", "its burst buffer, of which an operation failed"),
    ("FrontEndDown", "a front end that is down"),
    ("FedJobLock", "the federation of clusters to agree on where it runs"),
    ("SystemFailure", "Slurm: a failure of the system"),
    ("DeadLine", "its end: its deadline cannot be met any more"),
    ("MaxMemPerLimit", "more memory than its partition allows"),
    ("OutOfMemory", "memory: it ran out of it"),
];

/// A reason of Slurm's in words, after "it waits for"; what is not known, as Slurm calls it.
pub(super) fn in_words(code: &str) -> String {
    if let Some(until) = stays(code) {
        return format!("a change, and does not start until {until} ({code})");
    }
    match IN_WORDS.iter().find(|one| code.starts_with(one.0)) {
        Some((_, words)) => format!("{words} ({code})"),
        None => format!("what Slurm calls {code}"),
    }
}
