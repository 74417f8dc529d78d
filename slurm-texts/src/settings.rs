//! Settings for the whole cluster, from `slurm.conf` or `scontrol show config`.

use std::collections::BTreeMap;

use super::known::{FOR_SCHEDULING, UNIMPORTANT};
use super::notes::{Notes, SaidSetting};
use super::parameters::{priority_flags, scheduler_parameters, select_parameters, tokens};
use super::values::{
    BareNumber, allowed, count32, is_null, length, length_limit, limit, list, memory, memory_limit, weights,
    yes_no,
};
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::{
    Allowed, BackfillSettings, Cluster, ClusterSettings, ConsumedUnit, DefaultPerGpu, MemoryAmount,
    PartLimitsRule, PreemptAction, PreemptKind, PriorityKind, SelectKind, Tres, UsageReset,
};

/// Settings that other readers need, and which plugins were set explicitly.
#[derive(Debug, Default)]
pub(super) struct OtherSettings {
    /// The plugin that orders nodes by switches.
    pub topology: Option<SaidSetting>,
    /// Whether the kind of node selection was said.
    select_said: bool,
    /// Whether the kind of priorities was said.
    priority_said: bool,
}

/// Applies the settings, each given once, to a cluster with default settings.
pub(super) fn apply(
    said: &BTreeMap<String, SaidSetting>,
    cluster: &mut Cluster,
    notes: &mut Notes,
) -> OtherSettings {
    let mut other = OtherSettings::default();
    if let Some(version) = said.get("slurm_version") {
        cluster.version = version_of(&version.value);
    }
    for said in said.values() {
        one(said, cluster, &mut other, notes);
    }
    // Before 23.11 the defaults were `select/linear` and `priority/basic`.
    if cluster.version.is_some_and(|version| version < (23, 11)) {
        if !other.select_said {
            cluster.settings.select.kind = SelectKind::Linear;
            cluster.settings.select.unit = ConsumedUnit::Node;
            cluster.settings.select.memory = false;
        }
        if !other.priority_said {
            cluster.settings.priority.kind = PriorityKind::Basic;
        }
    }
    other
}

fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

const LENGTH: &str = "a length of time";
const NUMBER: &str = "a whole number";
const YES_NO: &str = "YES or NO";

fn one(said: &SaidSetting, cluster: &mut Cluster, other: &mut OtherSettings, notes: &mut Notes) {
    use BareNumber::{Minutes, Seconds as Bare};
    let (name, value) = (said.name(), said.value.as_str());
    let settings: &mut ClusterSettings = &mut cluster.settings;
    match name.as_str() {
        "clustername" => cluster.name = value.to_owned(),
        "slurm_version" => {
            if cluster.version.is_none() {
                notes.unread(said, "a version such as 24.11.5");
            }
        }
        "killwait" => notes.take(&mut settings.kill_wait, length(value, Bare), said, LENGTH),
        "completewait" => notes.take(&mut settings.complete_wait, length(value, Bare), said, LENGTH),
        "minjobage" => notes.take(&mut settings.min_job_age, length(value, Bare), said, LENGTH),
        "schedulertimeslice" => notes.take(&mut settings.time_slice, length(value, Bare), said, LENGTH),
        "overtimelimit" => {
            notes.take(&mut settings.over_time_limit, length_limit(value, Minutes), said, LENGTH)
        }
        "resvoverrun" => notes.take(&mut settings.resv_over_run, length_limit(value, Minutes), said, LENGTH),
        "maxarraysize" => notes.take(&mut settings.max_array_size, count32(value), said, NUMBER),
        "maxjobcount" => notes.take(&mut settings.max_job_count, count32(value), said, NUMBER),
        "maxtaskspernode" => notes.take(&mut settings.max_tasks_per_node, count32(value), said, NUMBER),
        "fairsharedampeningfactor" => {
            notes.take(&mut settings.priority.fair_share_dampening, count32(value), said, NUMBER);
        }
        "firstjobid" => notes.take(&mut settings.first_job_id, count32(value), said, NUMBER),
        "jobrequeue" => notes.take(&mut settings.job_requeue, yes_no(value), said, YES_NO),
        "enforcepartlimits" => {
            let rule = match value.to_ascii_uppercase().as_str() {
                "NO" => Some(PartLimitsRule::No),
                "ANY" | "YES" => Some(PartLimitsRule::Any),
                "ALL" => Some(PartLimitsRule::All),
                _ => None,
            };
            notes.take(&mut settings.enforce_part_limits, rule, said, "NO, ANY, ALL or YES");
        }
        "defmempercpu" | "defmempernode" => {
            let amount = if name == "defmempercpu" { MemoryAmount::PerCpu } else { MemoryAmount::PerNode };
            notes.take(
                &mut settings.default_memory,
                memory_limit(value, amount),
                said,
                "an amount of memory",
            );
        }
        "maxmempercpu" | "maxmempernode" => {
            let amount = if name == "maxmempercpu" { MemoryAmount::PerCpu } else { MemoryAmount::PerNode };
            notes.take(&mut settings.max_memory, memory_limit(value, amount), said, "an amount of memory");
        }
        "jobdefaults" => settings.per_gpu = per_gpu(said, notes),
        "accountingstoragetres" => settings.tracked_tres = tracked(value),
        "accountingstorageenforce" => enforcement(said, settings, notes),
        "dependencyparameters" => {
            for (token, amount) in tokens(value) {
                match token.as_str() {
                    "kill_invalid_depend" => settings.kill_invalid_depend = true,
                    "max_depend_depth" => {
                        notes.take(&mut settings.main.max_depend_depth, count32(&amount), said, NUMBER);
                    }
                    // Only for federations.
                    "disable_remote_singleton" => {}
                    _ => notes.part_not_modelled(said, &format!("DependencyParameters:{token}"), &amount),
                }
            }
        }
        "licenses" => {
            notes.take(&mut cluster.licenses, licenses(value), said, "name:count, with commas between")
        }
        "schedulertype" => match value.to_ascii_lowercase().as_str() {
            "sched/backfill" => {}
            "sched/builtin" => settings.backfill = None,
            _ => notes.not_modelled(said),
        },
        "schedulerparameters" => {
            let mut backfill = settings.backfill.clone().unwrap_or_default();
            scheduler_parameters(said, settings, &mut backfill, notes);
            if settings.backfill.is_some() {
                settings.backfill = Some(backfill);
            } else if backfill != BackfillSettings::default() {
                notes.warn(
                    "SchedulerParameters sets up backfilling, and SchedulerType does without it".into(),
                );
            }
        }
        "selecttype" => {
            other.select_said = true;
            match value.to_ascii_lowercase().as_str() {
                "select/linear" => {
                    settings.select.kind = SelectKind::Linear;
                    settings.select.unit = ConsumedUnit::Node;
                }
                "select/cons_tres" | "select/cons_res" => settings.select.kind = SelectKind::Parts,
                _ => notes.not_modelled(said),
            }
        }
        "selecttypeparameters" => select_parameters(said, &mut settings.select, notes),
        "topologyplugin" => other.topology = Some(said.clone()),
        "preempttype" | "preemptmode" | "preemptexempttime" | "preemptparameters" => {
            preempt(said, settings, notes)
        }
        _ if name.starts_with("priority") && priority(&name, said, settings, other, notes) => {}
        _ => unknown(&name, said, notes),
    }
}

/// A setting that is not represented: noted as not modelled if it affects scheduling or is unknown.
fn unknown(name: &str, said: &SaidSetting, notes: &mut Notes) {
    if UNIMPORTANT.binary_search(&name).is_ok() || name.starts_with("pmix") {
        return;
    }
    match FOR_SCHEDULING.iter().find(|(known, _)| *known == name) {
        Some((_, defaults)) => {
            let value = said.value.to_ascii_lowercase();
            if !is_null(&value) && !defaults.split(' ').any(|default| default == value) {
                notes.not_modelled(said);
            }
        }
        None => notes.not_modelled(said),
    }
}

fn priority(
    name: &str,
    said: &SaidSetting,
    settings: &mut ClusterSettings,
    other: &mut OtherSettings,
    notes: &mut Notes,
) -> bool {
    use BareNumber::Minutes;
    let (value, priority) = (said.value.as_str(), &mut settings.priority);
    let weight = |notes: &mut Notes, place: &mut u32| notes.take(place, count32(value), said, NUMBER);
    match name {
        "prioritytype" => {
            other.priority_said = true;
            match value.to_ascii_lowercase().as_str() {
                "priority/basic" => priority.kind = PriorityKind::Basic,
                "priority/multifactor" => priority.kind = PriorityKind::Multifactor,
                _ => notes.not_modelled(said),
            }
        }
        "prioritydecayhalflife" => {
            notes.take(&mut priority.decay_half_life, length(value, Minutes), said, LENGTH)
        }
        "prioritycalcperiod" => {
            let read = length(value, Minutes).filter(|&period| period > Seconds::ZERO);
            notes.take(&mut priority.calc_period, read, said, "a length of time above zero");
        }
        "prioritymaxage" => notes.take(&mut priority.max_age, length(value, Minutes), said, LENGTH),
        "priorityfavorsmall" => notes.take(&mut priority.favor_small, yes_no(value), said, YES_NO),
        "priorityflags" => priority_flags(said, &mut priority.flags, notes),
        "priorityusageresetperiod" => {
            let reset = match value.to_ascii_uppercase().as_str() {
                "NONE" => Some(UsageReset::Never),
                "NOW" => Some(UsageReset::Now),
                "DAILY" => Some(UsageReset::Daily),
                "WEEKLY" => Some(UsageReset::Weekly),
                "MONTHLY" => Some(UsageReset::Monthly),
                "QUARTERLY" => Some(UsageReset::Quarterly),
                "YEARLY" => Some(UsageReset::Yearly),
                _ => None,
            };
            notes.take(
                &mut priority.usage_reset,
                reset,
                said,
                "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY",
            );
        }
        "priorityweightage" => weight(notes, &mut priority.weights.age),
        "priorityweightassoc" => weight(notes, &mut priority.weights.assoc),
        "priorityweightfairshare" => weight(notes, &mut priority.weights.fair_share),
        "priorityweightjobsize" => weight(notes, &mut priority.weights.job_size),
        "priorityweightpartition" => weight(notes, &mut priority.weights.partition),
        "priorityweightqos" => weight(notes, &mut priority.weights.qos),
        "priorityweighttres" => {
            notes.take(
                &mut priority.weights.tres,
                weights(value),
                said,
                "weights such as cpu=1000,mem=0.25G",
            );
        }
        _ => return false,
    }
    true
}

fn preempt(said: &SaidSetting, settings: &mut ClusterSettings, notes: &mut Notes) {
    let (value, preempt) = (said.value.as_str(), &mut settings.preempt);
    match said.name().as_str() {
        "preempttype" => match value.to_ascii_lowercase().as_str() {
            "preempt/none" | "(null)" | "" => preempt.kind = PreemptKind::None,
            "preempt/partition_prio" => preempt.kind = PreemptKind::PartitionTier,
            "preempt/qos" => preempt.kind = PreemptKind::Qos,
            _ => notes.not_modelled(said),
        },
        "preemptmode" => {
            for word in value.split(',').map(str::trim) {
                match word.to_ascii_uppercase().as_str() {
                    "GANG" => preempt.gang = true,
                    "WITHIN" => preempt.within = true,
                    _ => notes.take(&mut preempt.action, preempt_action(word), said, PREEMPT_MODES),
                }
            }
        }
        "preemptexempttime" => {
            let exempt = if value == "-1" { Some(Seconds::ZERO) } else { length(value, BareNumber::Minutes) };
            notes.take(&mut preempt.exempt_time, exempt, said, LENGTH);
        }
        _ => {
            for (token, amount) in tokens(value) {
                match token.as_str() {
                    "reorder_count" => notes.take(&mut preempt.reorder_count, count32(&amount), said, NUMBER),
                    "strict_order" => preempt.strict_order = true,
                    "youngest_first" => preempt.youngest_first = true,
                    // What a preempted job is told before its grace time.
                    "send_user_signal" => {}
                    _ => notes.part_not_modelled(said, &format!("PreemptParameters:{token}"), &amount),
                }
            }
        }
    }
}

pub(super) const PREEMPT_MODES: &str = "OFF, CANCEL, REQUEUE, SUSPEND, GANG or WITHIN";

/// What becomes of preempted jobs.
pub(super) fn preempt_action(word: &str) -> Option<PreemptAction> {
    match word.to_ascii_uppercase().as_str() {
        "OFF" | "" => Some(PreemptAction::Off),
        "CANCEL" => Some(PreemptAction::Cancel),
        "REQUEUE" => Some(PreemptAction::Requeue),
        "SUSPEND" => Some(PreemptAction::Suspend),
        _ => None,
    }
}

/// `DefCpuPerGPU=2,DefMemPerGPU=1000`, also with a colon for the equals sign.
pub(super) fn per_gpu(said: &SaidSetting, notes: &mut Notes) -> DefaultPerGpu {
    let mut defaults = DefaultPerGpu::default();
    for part in list(&said.value) {
        let Some((name, value)) = part.split_once(['=', ':']) else {
            notes.unread(said, "DefCpuPerGPU=N,DefMemPerGPU=N");
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "defcpupergpu" => notes.take(&mut defaults.cpus, limit(value), said, NUMBER),
            "defmempergpu" => {
                notes.take(&mut defaults.memory_mb, memory(value).map(Some), said, "an amount of memory")
            }
            _ => notes.part_not_modelled(said, name, value),
        }
    }
    defaults
}

/// The TRES tracked in addition to those that Slurm always tracks.
fn tracked(value: &str) -> Vec<String> {
    const ALWAYS: [&str; 8] = ["cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"];
    let names = list(value).into_iter().map(|name| name.to_ascii_lowercase());
    names.filter(|name| !ALWAYS.contains(&name.as_str())).collect()
}

fn enforcement(said: &SaidSetting, settings: &mut ClusterSettings, notes: &mut Notes) {
    let enforce = &mut settings.enforce;
    for word in list(&said.value) {
        match word.to_ascii_lowercase().as_str() {
            "associations" | "1" => enforce.associations = true,
            "limits" | "2" => (enforce.associations, enforce.limits) = (true, true),
            "qos" => (enforce.associations, enforce.limits, enforce.qos) = (true, true, true),
            "safe" => (enforce.associations, enforce.limits, enforce.safe) = (true, true, true),
            "all" => {
                (enforce.associations, enforce.limits, enforce.qos, enforce.safe) = (true, true, true, true);
            }
            "0" | "no" | "nojobs" | "nosteps" => {}
            _ => notes.part_not_modelled(said, &format!("AccountingStorageEnforce:{word}"), ""),
        }
    }
}

/// `matlab:4,fluent`: one of each that has no count.
pub(super) fn licenses(value: &str) -> Option<Tres> {
    let mut licenses = Tres::default();
    for part in list(value) {
        let (name, amount) = part.split_once([':', '=', '*']).unwrap_or((&part, "1"));
        if name.is_empty() {
            return None;
        }
        licenses.0.insert(name.to_owned(), super::values::count(amount)?);
    }
    Some(licenses)
}

/// The accounts, groups or QOS that a partition admits.
pub(super) fn admitted(allow: Option<&SaidSetting>, deny: Option<&SaidSetting>) -> Allowed {
    let refused = deny.map(|said| list(&said.value)).filter(|names| !names.is_empty());
    match (allow.map_or(Allowed::All, |said| allowed(&said.value)), refused) {
        (Allowed::All, Some(names)) => Allowed::Except(names),
        (allowed, _) => allowed,
    }
}
