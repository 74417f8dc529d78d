//! The keys that a change may set, as Slurm spells them, each with an example value. A parameter with an empty example is a
//! flag.

/// A name and a value that it could have.
pub(super) type KeyExample = (&'static str, &'static str);

/// Settings of `slurm.conf` for the whole cluster.
pub(super) const SETTINGS: [KeyExample; 45] = [
    ("AccountingStorageEnforce", "limits"),
    ("AccountingStorageTRES", "gres/gpu"),
    ("CompleteWait", "32"),
    ("DefMemPerCPU", "2000"),
    ("DefMemPerNode", "64000"),
    ("DependencyParameters", "kill_invalid_depend"),
    ("EnforcePartLimits", "ALL"),
    ("FairShareDampeningFactor", "5"),
    ("FirstJobId", "100"),
    ("JobDefaults", "DefCpuPerGPU=2"),
    ("JobRequeue", "0"),
    ("KillWait", "60"),
    ("Licenses", "matlab:4"),
    ("MaxArraySize", "2001"),
    ("MaxJobCount", "20000"),
    ("MaxMemPerCPU", "4000"),
    ("MaxMemPerNode", "128000"),
    ("MaxTasksPerNode", "256"),
    ("MinJobAge", "600"),
    ("OverTimeLimit", "5"),
    ("PreemptExemptTime", "00:10:00"),
    ("PreemptMode", "REQUEUE"),
    ("PreemptParameters", "youngest_first"),
    ("PreemptType", "preempt/qos"),
    ("PriorityCalcPeriod", "1"),
    ("PriorityDecayHalfLife", "14-0"),
    ("PriorityFavorSmall", "YES"),
    ("PriorityFlags", "NO_FAIR_TREE"),
    ("PriorityMaxAge", "14-0"),
    ("PriorityType", "priority/basic"),
    ("PriorityUsageResetPeriod", "MONTHLY"),
    ("PriorityWeightAge", "2000"),
    ("PriorityWeightAssoc", "10"),
    ("PriorityWeightFairshare", "10000"),
    ("PriorityWeightJobSize", "1000"),
    ("PriorityWeightPartition", "3000"),
    ("PriorityWeightQOS", "5000"),
    ("PriorityWeightTRES", "cpu=1000"),
    ("ResvOverRun", "10"),
    ("SchedulerParameters", "bf_interval=60"),
    ("SchedulerTimeSlice", "60"),
    ("SchedulerType", "sched/builtin"),
    ("SelectType", "select/linear"),
    ("SelectTypeParameters", "CR_Core_Memory"),
    ("TopologyPlugin", "topology/tree"),
];

/// Words of `SchedulerParameters`.
pub(super) const SCHEDULER_PARAMETERS: [KeyExample; 44] = [
    ("assoc_limit_stop", ""),
    ("batch_sched_delay", "10"),
    ("bf_allow_magnetic_slot", ""),
    ("bf_busy_nodes", ""),
    ("bf_continue", ""),
    ("bf_ignore_newly_avail_nodes", ""),
    ("bf_interval", "60"),
    ("bf_job_part_count_reserve", "10"),
    ("bf_licenses", ""),
    ("bf_max_job_array_resv", "5"),
    ("bf_max_job_assoc", "10"),
    ("bf_max_job_part", "100"),
    ("bf_max_job_start", "10"),
    ("bf_max_job_test", "1000"),
    ("bf_max_job_user", "20"),
    ("bf_max_job_user_part", "10"),
    ("bf_max_time", "120"),
    ("bf_min_age_reserve", "600"),
    ("bf_min_prio_reserve", "1000"),
    ("bf_node_space_size", "500"),
    ("bf_one_resv_per_job", ""),
    ("bf_resolution", "300"),
    ("bf_running_job_reserve", ""),
    ("bf_window", "2880"),
    ("bf_window_linear", "600"),
    ("bf_yield_interval", "1000000"),
    ("bf_yield_sleep", "100000"),
    ("build_queue_timeout", "1000000"),
    ("default_queue_depth", "200"),
    ("defer", ""),
    ("defer_batch", ""),
    ("max_array_tasks", "500"),
    ("max_depend_depth", "5"),
    ("max_rpc_cnt", "100"),
    ("max_sched_time", "4"),
    ("max_switch_wait", "600"),
    ("pack_serial_at_end", ""),
    ("partition_job_depth", "50"),
    ("preempt_strict_order", ""),
    ("reduce_completing_frag", ""),
    ("requeue_delay", "30"),
    ("sched_interval", "30"),
    ("sched_max_job_start", "10"),
    ("sched_min_interval", "1000"),
];

/// Words of `PriorityFlags`.
pub(super) const PRIORITY_FLAGS: [KeyExample; 13] = [
    ("ACCRUE_ALWAYS", ""),
    ("CALCULATE_RUNNING", ""),
    ("DEPTH_OBLIVIOUS", ""),
    ("INCR_ONLY", ""),
    ("MAX_TRES", ""),
    ("MAX_TRES_GRES", ""),
    ("NO_FAIR_TREE", ""),
    ("NO_NORMAL_ALL", ""),
    ("NO_NORMAL_ASSOC", ""),
    ("NO_NORMAL_PART", ""),
    ("NO_NORMAL_QOS", ""),
    ("NO_NORMAL_TRES", ""),
    ("SMALL_RELATIVE_TO_TIME", ""),
];

/// Words of `DependencyParameters`.
pub(super) const DEPENDENCY_PARAMETERS: [KeyExample; 2] =
    [("kill_invalid_depend", ""), ("max_depend_depth", "5")];

/// Words of `PreemptParameters`.
pub(super) const PREEMPT_PARAMETERS: [KeyExample; 3] =
    [("reorder_count", "2"), ("strict_order", ""), ("youngest_first", "")];

/// Settings that are lists of words, and those words.
pub(super) const LISTS: [(&str, &[KeyExample]); 4] = [
    ("SchedulerParameters", &SCHEDULER_PARAMETERS),
    ("PriorityFlags", &PRIORITY_FLAGS),
    ("DependencyParameters", &DEPENDENCY_PARAMETERS),
    ("PreemptParameters", &PREEMPT_PARAMETERS),
];

/// Keys of a partition; those that control access (`AllowAccounts` etc.) are read apart from the rest.
pub(super) const PARTITION: [KeyExample; 31] = [
    ("AllowAccounts", "phys"),
    ("AllowGroups", "staff"),
    ("AllowQos", "high"),
    ("Alternate", "other"),
    ("Default", "YES"),
    ("DefaultTime", "30"),
    ("DefMemPerCPU", "1000"),
    ("DefMemPerNode", "2000"),
    ("DenyAccounts", "guests"),
    ("DenyQos", "low"),
    ("ExclusiveUser", "YES"),
    ("GraceTime", "60"),
    ("JobDefaults", "DefCpuPerGPU=2"),
    ("LLN", "YES"),
    ("MaxCPUsPerNode", "8"),
    ("MaxCPUsPerSocket", "4"),
    ("MaxMemPerCPU", "4000"),
    ("MaxMemPerNode", "8000"),
    ("MaxNodes", "4"),
    ("MaxTime", "2-0"),
    ("MinNodes", "2"),
    ("Nodes", "ALL"),
    ("OverSubscribe", "EXCLUSIVE"),
    ("OverTimeLimit", "5"),
    ("PreemptMode", "REQUEUE"),
    ("PriorityJobFactor", "10"),
    ("PriorityTier", "5"),
    ("QOS", "high"),
    ("ReqResv", "YES"),
    ("State", "DRAIN"),
    ("TRESBillingWeights", "CPU=1.0,Mem=0.25G"),
];

/// Keys of a QOS.
pub(super) const QOS: [KeyExample; 31] = [
    ("Flags", "DenyOnLimit"),
    ("GraceTime", "60"),
    ("GrpJobs", "10"),
    ("GrpJobsAccrue", "10"),
    ("GrpSubmitJobs", "100"),
    ("GrpTRES", "cpu=100"),
    ("GrpTRESMins", "cpu=1000"),
    ("GrpTRESRunMins", "cpu=1000"),
    ("GrpWall", "1-0"),
    ("LimitFactor", "2"),
    ("MaxJobsAccruePerUser", "5"),
    ("MaxJobsPerAccount", "20"),
    ("MaxJobsPerUser", "5"),
    ("MaxSubmitJobsPerAccount", "100"),
    ("MaxSubmitJobsPerUser", "50"),
    ("MaxTRESMins", "cpu=500"),
    ("MaxTRESPerAccount", "cpu=40"),
    ("MaxTRESPerJob", "cpu=20"),
    ("MaxTRESPerNode", "cpu=4"),
    ("MaxTRESPerUser", "cpu=10"),
    ("MaxTRESRunMinsPerAccount", "cpu=100"),
    ("MaxTRESRunMinsPerUser", "cpu=100"),
    ("MaxWall", "12:00:00"),
    ("MinPrioThreshold", "10"),
    ("MinTRES", "cpu=2"),
    ("Preempt", "low"),
    ("PreemptExemptTime", "00:10:00"),
    ("PreemptMode", "requeue"),
    ("Priority", "1000"),
    ("UsageFactor", "2"),
    ("UsageThreshold", "0.5"),
];

/// Keys of an association: an account, or a user in all accounts.
pub(super) const ASSOCIATION: [KeyExample; 19] = [
    ("DefaultQOS", "normal"),
    ("Fairshare", "30"),
    ("GrpJobs", "10"),
    ("GrpJobsAccrue", "10"),
    ("GrpSubmitJobs", "100"),
    ("GrpTRES", "cpu=100"),
    ("GrpTRESMins", "cpu=1000"),
    ("GrpTRESRunMins", "cpu=1000"),
    ("GrpWall", "1-0"),
    ("MaxJobs", "5"),
    ("MaxJobsAccrue", "5"),
    ("MaxSubmitJobs", "50"),
    ("MaxTRES", "cpu=20"),
    ("MaxTRESMins", "cpu=500"),
    ("MaxTRESPerNode", "cpu=4"),
    ("MaxWall", "12:00:00"),
    ("Priority", "10"),
    ("QOS", "normal"),
    ("Share", "30"),
];

/// Keys of nodes.
pub(super) const NODE: [KeyExample; 11] = [
    ("CoresPerSocket", "16"),
    ("CoreSpecCount", "2"),
    ("CPUs", "64"),
    ("Feature", "new"),
    ("Gres", "gpu:4"),
    ("MemSpecLimit", "1000"),
    ("RealMemory", "256000"),
    ("Sockets", "2"),
    ("State", "DRAIN"),
    ("ThreadsPerCore", "2"),
    ("Weight", "50"),
];

/// The names that are most like a word, the most like first; at most three.
pub(super) fn nearest(word: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let word = word.to_ascii_lowercase();
    let mut scored: Vec<(usize, String)> = names
        .map(|name| {
            let lower = name.to_ascii_lowercase();
            let within = !word.is_empty() && (lower.contains(&word) || word.contains(&lower));
            let apart = distance(&word, &lower);
            (if within { apart.min(2) } else { apart }, name)
        })
        .filter(|(apart, name)| *apart <= 2 + name.len() / 4)
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to put in, take out or replace (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = place + 1;
        for (at, same) in other.iter().map(|there| *there == letter).enumerate() {
            let replaced = diagonal + usize::from(!same);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(row[at + 1] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = || SETTINGS.iter().map(|one| one.0.to_owned());
        assert_eq!(nearest("PriorityWeigthAge", names())[0], "PriorityWeightAge");
        assert_eq!(nearest("killwait", names())[0], "KillWait");
        assert_eq!(nearest("qqqqqqqqqqqqqqqqqqqqqqqq", names()), [""; 0]);
        assert_eq!((distance("", "abc"), distance("abc", "abd"), distance("abc", "ab")), (3, 1, 1));
    }
}
