//! The tables of Slurm's parameters by what they are parameters of. A parameter stands in one row: those with a field of their own in the
//! tables of `cluster`, the others here. What has no row is in `known.rs`.

use super::forms::*;
use super::notes::{KeyValue, Notes};
use super::setting::{Setting, SettingEffect, row, rows};
use queuecast_slurm_sim::cluster::{
    Association, BackfillCounts, BackfillSettings, Cluster, ClusterNode, ClusterPartition, ConsumedUnit,
    GroupLimits, JobSettings, MainPassSettings, PerJobLimits, PreemptSettings, PriorityFlags,
    PrioritySettings, PriorityWeights, Qos, SelectSettings,
};
use queuecast_slurm_sim::{
    association_settings, backfill_counts, backfill_settings, group_limits, job_settings, main_settings,
    node_settings, partition_settings, per_job_limits, preempt_settings, priority_flags, priority_settings,
    priority_weights, qos_settings, select_settings,
};

/// Settings that are lists of words, and a value that each could have.
pub(super) const LISTS: [(&str, &str); 5] = [
    ("SchedulerParameters", "bf_interval=60"),
    ("PriorityFlags", "NO_FAIR_TREE"),
    ("DependencyParameters", "kill_invalid_depend"),
    ("PreemptParameters", "youngest_first"),
    ("SelectTypeParameters", "CR_CPU"),
];

/// Settings of `slurm.conf` for the whole cluster, and words of those that are lists.
pub(super) fn of_cluster() -> impl Iterator<Item = &'static Setting<Cluster>> + Clone {
    CLUSTER.iter().copied().flatten()
}

/// Keys of a partition.
pub(super) const PARTITION: &[Setting<ClusterPartition>] =
    partition_settings!(rows[ClusterPartition, itself]);

/// Keys of nodes.
pub(super) const NODE: &[Setting<ClusterNode>] = node_settings!(rows[ClusterNode, itself]);

/// Keys of a QOS.
pub(super) fn of_qos() -> impl Iterator<Item = &'static Setting<Qos>> + Clone {
    QOS.iter().copied().flatten()
}

/// Keys of an association: an account, or a user in all accounts.
pub(super) fn of_association() -> impl Iterator<Item = &'static Setting<Association>> + Clone {
    ASSOCIATION.iter().copied().flatten()
}

fn itself<T>(one: &mut T) -> &mut T {
    one
}

fn jobs(cluster: &mut Cluster) -> &mut JobSettings {
    &mut cluster.settings.jobs
}

fn main(cluster: &mut Cluster) -> &mut MainPassSettings {
    &mut cluster.settings.main
}

/// Where `SchedulerType` does without backfilling, its parameters are the defaults.
fn backfill(cluster: &mut Cluster) -> &mut BackfillSettings {
    cluster.settings.backfill.get_or_insert_default()
}

fn counts(cluster: &mut Cluster) -> &mut BackfillCounts {
    &mut backfill(cluster).counts
}

fn select(cluster: &mut Cluster) -> &mut SelectSettings {
    &mut cluster.settings.select
}

fn priority(cluster: &mut Cluster) -> &mut PrioritySettings {
    &mut cluster.settings.priority
}

fn weights(cluster: &mut Cluster) -> &mut PriorityWeights {
    &mut cluster.settings.priority.weights
}

fn flags(cluster: &mut Cluster) -> &mut PriorityFlags {
    &mut cluster.settings.priority.flags
}

fn preempt(cluster: &mut Cluster) -> &mut PreemptSettings {
    &mut cluster.settings.preempt
}

const CLUSTER: [&[Setting<Cluster>]; 11] = [
    OTHERS,
    CONSUMED,
    job_settings!(rows[Cluster, jobs]),
    select_settings!(rows[Cluster, select]),
    priority_settings!(rows[Cluster, priority]),
    priority_weights!(rows[Cluster, weights]),
    priority_flags!(rows[Cluster, flags]),
    preempt_settings!(rows[Cluster, preempt]),
    main_settings!(rows[Cluster, main]),
    backfill_settings!(rows[Cluster, backfill]),
    backfill_counts!(rows[Cluster, counts]),
];

/// Parameters that set several fields, or one outside the groups.
const OTHERS: &[Setting<Cluster>] = &[
    row!(Cluster, |one| one.licenses, "Licenses by name.", ["Licenses" = "matlab:4", LICENSES, Followed]),
    row!(
        Cluster,
        |one| *preempt(one),
        "What becomes of preempted jobs, whether they take turns, and whether jobs preempt those of their own QOS.",
        ["PreemptMode" = "REQUEUE", PREEMPT_MODE, Followed]
    ),
    row!(
        Cluster,
        |one| one.settings.backfill,
        "Whether there is backfilling.",
        ["SchedulerType" = "sched/builtin", SCHEDULER_TYPE, Followed]
    ),
    row!(
        Cluster,
        |one| *select(one),
        "Whether jobs are given whole nodes or parts of them.",
        ["SelectType" = "select/linear", SELECT_TYPE, Followed]
    ),
    row!(
        Cluster,
        |one| one.settings.topology_plugin,
        "What says how nodes are connected.",
        ["TopologyPlugin" = "topology/tree", TOPOLOGY_PLUGIN, Followed]
    ),
    row!(
        Cluster,
        |one| *flags(one),
        "The classic fair-share factor does not depend on the depth of the tree.",
        ["PriorityFlags.DEPTH_OBLIVIOUS" = "", DEPTH_OBLIVIOUS, Followed]
    ),
    row!(
        Cluster,
        |one| *flags(one),
        "Nothing is divided by the largest: all flags that begin so.",
        ["PriorityFlags.NO_NORMAL_ALL" = "", NO_NORMAL_ALL, Followed]
    ),
];

/// A word of `SelectTypeParameters` that says what jobs are given, and whether memory is tracked.
macro_rules! consumed {
    ($key:literal, $unit:ident, $memory:literal, $meaning:literal) => {
        Setting::<Cluster> {
            key: $key,
            also: &[],
            example: "",
            meaning: $meaning,
            effect: SettingEffect::Followed,
            set: |one, _, _| {
                let select = select(one);
                (select.unit, select.memory) = (ConsumedUnit::$unit, $memory);
            },
            tell: |one| {
                let select = select(one);
                told(&(select.unit == ConsumedUnit::$unit && select.memory == $memory))
            },
        }
    };
}

const CONSUMED: &[Setting<Cluster>] = &[
    consumed!("SelectTypeParameters.CR_CPU", Cpu, false, "Jobs are given processors."),
    consumed!("SelectTypeParameters.CR_CPU_Memory", Cpu, true, "Jobs are given processors and memory."),
    consumed!("SelectTypeParameters.CR_Core", Core, false, "Jobs are given cores."),
    consumed!("SelectTypeParameters.CR_Core_Memory", Core, true, "Jobs are given cores and memory."),
    consumed!("SelectTypeParameters.CR_Socket", Socket, false, "Jobs are given sockets."),
    consumed!("SelectTypeParameters.CR_Socket_Memory", Socket, true, "Jobs are given sockets and memory."),
    Setting {
        // The unit stays: it is that of `select/linear`.
        set: |one, _, _| select(one).memory = true,
        ..consumed!(
            "SelectTypeParameters.CR_Memory",
            Node,
            true,
            "Jobs are given whole nodes with their memory."
        )
    },
];

const QOS: [&[Setting<Qos>]; 4] = [
    qos_settings!(rows[Qos, itself]),
    group_limits!(rows[Qos, qos_group]),
    per_job_limits!(rows[Qos, qos_job]),
    &[
        row!(
            Qos,
            |one| one.per_user.tres,
            "Resources of the running jobs of each user.",
            ["MaxTRESPerUser" = "cpu=10", TRES, Followed, "MaxTRESPU"]
        ),
        row!(
            Qos,
            |one| one.per_user.tres_run_minutes,
            "Resources times minutes that the running jobs of each user may still use.",
            ["MaxTRESRunMinsPerUser" = "cpu=100", TRES, LeftOut, "MaxTRESRunMinsPU"]
        ),
        row!(
            Qos,
            |one| one.per_user.jobs,
            "Running jobs of each user.",
            ["MaxJobsPerUser" = "5", COUNT_LIMIT, Followed, "MaxJobsPU"]
        ),
        row!(
            Qos,
            |one| one.per_user.jobs_accruing,
            "Waiting jobs of each user that gain age priority.",
            ["MaxJobsAccruePerUser" = "5", COUNT_LIMIT, Followed, "MaxJobsAccruePU"]
        ),
        row!(
            Qos,
            |one| one.per_user.submitted,
            "Waiting and running jobs of each user.",
            ["MaxSubmitJobsPerUser" = "50", COUNT_LIMIT, Followed, "MaxSubmitPU", "MaxSubmitJobsPU"]
        ),
        row!(
            Qos,
            |one| one.per_account.tres,
            "Resources of the running jobs of each account.",
            ["MaxTRESPerAccount" = "cpu=40", TRES, Followed, "MaxTRESPA"]
        ),
        row!(
            Qos,
            |one| one.per_account.tres_run_minutes,
            "Resources times minutes that the running jobs of each account may still use.",
            ["MaxTRESRunMinsPerAccount" = "cpu=100", TRES, LeftOut, "MaxTRESRunMinsPA"]
        ),
        row!(
            Qos,
            |one| one.per_account.jobs,
            "Running jobs of each account.",
            ["MaxJobsPerAccount" = "20", COUNT_LIMIT, Followed, "MaxJobsPA"]
        ),
        row!(
            Qos,
            |one| one.per_account.jobs_accruing,
            "Waiting jobs of each account that gain age priority.",
            ["MaxJobsAccruePerAccount" = "20", COUNT_LIMIT, Followed, "MaxJobsAccruePA"]
        ),
        row!(
            Qos,
            |one| one.per_account.submitted,
            "Waiting and running jobs of each account.",
            ["MaxSubmitJobsPerAccount" = "100", COUNT_LIMIT, Followed, "MaxSubmitPA", "MaxSubmitJobsPA"]
        ),
    ],
];

fn qos_group(qos: &mut Qos) -> &mut GroupLimits {
    &mut qos.group
}

fn qos_job(qos: &mut Qos) -> &mut PerJobLimits {
    &mut qos.per_job
}

const ASSOCIATION: [&[Setting<Association>]; 4] = [
    association_settings!(rows[Association, itself]),
    group_limits!(rows[Association, association_group]),
    per_job_limits!(rows[Association, association_job]),
    &[
        row!(
            Association,
            |one| one.own.jobs,
            "Running jobs of each user.",
            ["MaxJobs" = "5", COUNT_LIMIT, Followed]
        ),
        row!(
            Association,
            |one| one.own.jobs_accruing,
            "Waiting jobs of each user that gain age priority.",
            ["MaxJobsAccrue" = "5", COUNT_LIMIT, Followed]
        ),
        row!(
            Association,
            |one| one.own.submitted,
            "Waiting and running jobs of each user.",
            ["MaxSubmitJobs" = "50", COUNT_LIMIT, Followed, "MaxSubmit"]
        ),
    ],
];

fn association_group(one: &mut Association) -> &mut GroupLimits {
    &mut one.group
}

fn association_job(one: &mut Association) -> &mut PerJobLimits {
    &mut one.per_job
}
