//! Parameters of `slurm.conf` that have no row, since the types do not represent them: those that matter to scheduling, and those that do not.

use super::values::is_null;

/// Settings that affect when and where jobs start, with the values that have no effect; an empty value never has one.
const FOR_SCHEDULING: [(&str, &str); 26] = [
    ("AllowSpecResourcesUsage", "no 0"),
    ("BurstBufferType", ""),
    ("CliFilterPlugins", ""),
    ("CoreSpecPlugin", "core_spec/none"),
    ("Epilog", ""),
    ("EpilogSlurmctld", ""),
    ("FastSchedule", "1"),
    ("FederationParameters", ""),
    ("GangScheduling", ""),
    ("HealthCheckProgram", ""),
    ("JobSubmitPlugins", ""),
    ("LicenseParameters", ""),
    ("MCSPlugin", "mcs/none label/none"),
    ("NodeFeaturesPlugins", ""),
    ("PowerParameters", ""),
    ("PowerPlugin", ""),
    ("PriorityParameters", ""),
    ("PrioritySiteFactorPlugin", "site_factor/none"),
    ("Prolog", ""),
    ("PrologFlags", ""),
    ("PrologSlurmctld", ""),
    ("RequeueExit", ""),
    ("RequeueExitHold", ""),
    ("ResumeProgram", ""),
    ("SuspendProgram", ""),
    ("TopologyParam", ""),
];

/// Keys of partitions that affect when and where jobs start, with the values that have no effect.
const OF_PARTITIONS: [(&str, &str); 4] = [
    ("AllocNodes", "all"),
    ("ExclusiveTopo", "no false down 0"),
    ("PowerDownOnIdle", "no false down 0"),
    ("Topology", ""),
];

/// Other keys of partitions in `slurm.conf` that have no row.
const UNIMPORTANT_OF_PARTITIONS: [&str; 12] = [
    "CpuBind",
    "DisableRootJobs",
    "Exclusive",
    "Hidden",
    "Nodes",
    "Priority",
    "ResumeTimeout",
    "RootOnly",
    "Shared",
    "SuspendTime",
    "SuspendTimeout",
    "TopologyPlugin",
];

/// Keys of nodes in `slurm.conf` that have no row.
const UNIMPORTANT_OF_NODES: [&str; 14] = [
    "BcastAddr",
    "Boards",
    "CertGetToken",
    "Comment",
    "CpuSpecList",
    "Extra",
    "NodeAddr",
    "NodeHostname",
    "Parameters",
    "Port",
    "Reason",
    "RestrictedCoresPerGPU",
    "SocketsPerBoard",
    "TmpDisk",
];

/// Settings without influence on scheduling: addresses, files, messages, accounting, steps.
const UNIMPORTANT: [&str; 177] = [
    "AccountingStorageBackupHost",
    "AccountingStorageExternalHost",
    "AccountingStorageHost",
    "AccountingStorageLoc",
    "AccountingStorageParameters",
    "AccountingStoragePass",
    "AccountingStoragePort",
    "AccountingStorageType",
    "AccountingStorageUser",
    "AccountingStoreFlags",
    "AcctGatherEnergyType",
    "AcctGatherFilesystemType",
    "AcctGatherInterconnectType",
    "AcctGatherNodeFreq",
    "AcctGatherProfileType",
    "AuthAltParameters",
    "AuthAltTypes",
    "AuthInfo",
    "AuthType",
    "BackupAddr",
    "BackupController",
    "BatchStartTimeout",
    "BcastExclude",
    "BcastParameters",
    "BOOT_TIME",
    "CacheGroups",
    "CertgenParameters",
    "CertgenType",
    "CertmgrParameters",
    "CertmgrType",
    "CheckpointType",
    "CliFilterParameters",
    "CommunicationParameters",
    "ControlAddr",
    "ControlMachine",
    "CpuFreqDef",
    "CpuFreqGovernors",
    "CredType",
    "CryptoType",
    "DataParserParameters",
    "DebugFlags",
    "DefaultStorageHost",
    "DefaultStoragePort",
    "DisableRootJobs",
    "EioTimeout",
    "EpilogMsgTime",
    "ExtSensorsFreq",
    "ExtSensorsType",
    "FrontendName",
    "GetEnvTimeout",
    "GpuFreqDef",
    "GresTypes",
    "GroupUpdateForce",
    "GroupUpdateTime",
    "HASH_VAL",
    "HashPlugin",
    "HealthCheckInterval",
    "HealthCheckNodeState",
    "HealthCheckTimeout",
    "HttpParserType",
    "InactiveLimit",
    "InteractiveStepOptions",
    "JobAcctGatherFrequency",
    "JobAcctGatherParams",
    "JobAcctGatherType",
    "JobCheckpointDir",
    "JobCompHost",
    "JobCompLoc",
    "JobCompParams",
    "JobCompPass",
    "JobCompPort",
    "JobCompType",
    "JobCompUser",
    "JobContainerType",
    "JobCredentialPrivateKey",
    "JobCredentialPublicCertificate",
    "JobFileAppend",
    "KeepAliveTime",
    "KillOnBadExit",
    "LaunchParameters",
    "LaunchType",
    "LogTimeFormat",
    "MailDomain",
    "MailProg",
    "MaxBatchRequeue",
    "MaxDBDMsgs",
    "MaxJobId",
    "MaxNodeCount",
    "MaxStepCount",
    "MCSParameters",
    "MessageTimeout",
    "MetricsAuthUsers",
    "MetricsParameters",
    "MetricsType",
    "MpiDefault",
    "MpiParams",
    "MULTIPLE_SLURMD",
    "NamespaceType",
    "NEXT_JOB_ID",
    "NodeAddr",
    "PluginDir",
    "PlugStackConfig",
    "PrEpParameters",
    "PrEpPlugins",
    "PrioritySiteFactorParameters",
    "PrivateData",
    "ProctrackType",
    "PrologEpilogTimeout",
    "PropagatePrioProcess",
    "PropagateResourceLimits",
    "PropagateResourceLimitsExcept",
    "RebootProgram",
    "ReconfigFlags",
    "ResumeFailProgram",
    "ResumeRate",
    "ResumeTimeout",
    "ResvEpilog",
    "ResvProlog",
    "ReturnToService",
    "RoutePlugin",
    "ScronParameters",
    "SLURM_CONF",
    "SlurmctldAddr",
    "SlurmctldDebug",
    "SlurmctldHost",
    "SlurmctldHttpAuthParameters",
    "SlurmctldLogFile",
    "SlurmctldParameters",
    "SlurmctldPidFile",
    "SlurmctldPlugstack",
    "SlurmctldPort",
    "SlurmctldPrimaryOffProg",
    "SlurmctldPrimaryOnProg",
    "SlurmctldSyslogDebug",
    "SlurmctldTimeout",
    "SlurmdDebug",
    "SlurmdHttpAuthParameters",
    "SlurmdLogFile",
    "SlurmdParameters",
    "SlurmdPidFile",
    "SlurmdPort",
    "SlurmdSpoolDir",
    "SlurmdSyslogDebug",
    "SlurmdTimeout",
    "SlurmdUser",
    "SlurmSchedLogFile",
    "SlurmSchedLogLevel",
    "SlurmUser",
    "SrunEpilog",
    "SrunPortRange",
    "SrunProlog",
    "StateSaveLocation",
    "SuspendExcNodes",
    "SuspendExcParts",
    "SuspendExcStates",
    "SuspendRate",
    "SuspendTime",
    "SuspendTimeout",
    "SwitchParameters",
    "SwitchType",
    "TaskEpilog",
    "TaskPlugin",
    "TaskPluginParam",
    "TaskProlog",
    "TCPTimeout",
    "TLSParameters",
    "TLSType",
    "TmpFS",
    "TrackWCKey",
    "TreeWidth",
    "UnkillableStepProgram",
    "UnkillableStepTimeout",
    "UrlParserType",
    "UsePam",
    "VSizeFactor",
    "WaitTime",
    "X11Parameters",
];

/// Words of lists that do not change when and where jobs start.
const UNIMPORTANT_WORDS: [(&str, &[&str]); 5] = [
    (
        "SchedulerParameters",
        &[
            // The default since 16.05.
            "assoc_limit_continue",
            "disable_hetjob_steps",
            "disable_job_shrink",
            "disable_user_top",
            "enable_hetero_jobs",
            "enable_hetero_steps",
            "enable_job_state_cache",
            "ignore_prefer_validation",
            "inventory_interval",
            "max_script_size",
            "max_submit_line_size",
            "no_backup_scheduling",
            "no_env_cache",
            "nohold_on_prolog_fail",
            "preempt_send_user_signal",
            "salloc_wait_nodes",
            "sbatch_wait_nodes",
            "step_retry_count",
            "step_retry_time",
        ],
    ),
    // The default.
    ("PriorityFlags", &["FAIR_TREE"]),
    // Only for federations.
    ("DependencyParameters", &["disable_remote_singleton"]),
    // What a preempted job is told before its grace time.
    ("PreemptParameters", &["send_user_signal"]),
    // Which plugin serves Cray systems.
    ("SelectTypeParameters", &["OTHER_CONS_TRES", "OTHER_CONS_RES"]),
];

/// What is known of a parameter without a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WithoutRow {
    /// It matters to scheduling, unless it has one of these values.
    Matters(&'static str),
    /// It does not.
    Unimportant,
}

impl WithoutRow {
    /// A setting for the whole cluster.
    pub fn setting(name: &str) -> Option<WithoutRow> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(name);
        if UNIMPORTANT.iter().any(|known| is_meant(known)) || name.to_ascii_lowercase().starts_with("pmix") {
            return Some(WithoutRow::Unimportant);
        }
        FOR_SCHEDULING
            .iter()
            .find(|(known, _)| is_meant(known))
            .map(|(_, values)| WithoutRow::Matters(values))
    }

    /// A key of a partition; `Unimportant` if it is in no list.
    pub fn of_partition(name: &str) -> WithoutRow {
        let found = OF_PARTITIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or(WithoutRow::Unimportant, |(_, values)| WithoutRow::Matters(values))
    }

    /// Whether `slurm.conf` has such a key of a partition, of those without a row.
    pub fn is_of_partition(name: &str) -> bool {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(name);
        UNIMPORTANT_OF_PARTITIONS.iter().any(|known| is_meant(known))
            || OF_PARTITIONS.iter().any(|(known, _)| is_meant(known))
    }

    /// Whether `slurm.conf` has such a key of a node, of those without a row.
    pub fn is_of_node(name: &str) -> bool {
        UNIMPORTANT_OF_NODES.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether the parameter matters to scheduling with this value.
    pub fn matters(self, value: &str) -> bool {
        match self {
            WithoutRow::Unimportant => false,
            WithoutRow::Matters(without) => {
                !is_null(value) && !without.split(' ').any(|one| one.eq_ignore_ascii_case(value))
            }
        }
    }
}

/// Whether a word of a list is known not to matter to scheduling.
pub(super) fn is_unimportant_word(list: &str, word: &str) -> bool {
    let (_, words) = UNIMPORTANT_WORDS.iter().find(|(known, _)| *known == list).unwrap_or(&("", &[]));
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_apart() {
        let lower = |name: &&str| name.to_ascii_lowercase();
        assert!(UNIMPORTANT.is_sorted_by_key(lower));
        assert!(FOR_SCHEDULING.is_sorted_by_key(|(name, _)| lower(name)));
        assert!(
            UNIMPORTANT_OF_PARTITIONS.is_sorted_by_key(lower) && UNIMPORTANT_OF_NODES.is_sorted_by_key(lower)
        );
        assert!(FOR_SCHEDULING.iter().all(|(name, _)| !UNIMPORTANT.contains(name)));
        assert!(!WithoutRow::setting("fastschedule").unwrap().matters("1"));
        assert!(WithoutRow::setting("FastSchedule").unwrap().matters("2"));
        assert_eq!(
            (WithoutRow::setting("PMIxDebug"), WithoutRow::setting("KillWait")),
            (Some(WithoutRow::Unimportant), None)
        );
    }
}
