//! The forms that values of Slurm's parameters have, by the names that the tables of `cluster` use.

use serde::Serialize;
use serde_json::Value;

use super::node_values::{gres, node_state};
use super::notes::{KeyValue, Notes};
use super::setting::ValueForm;
use super::setting::ValueReader::{Parts, Value as Whole};
use super::values::{
    BareNumber, allowed, count, count32, digits, is_null, length, length_limit, limit, list, memory,
    memory_limit, tres, weights, yes_no,
};
use queuecast_core::units::{Micros, Seconds};
use queuecast_slurm_sim::cluster::{
    Allowed, BackfillSettings, ConsumedUnit, DefaultPerGpu, Enforcement, GenericResource, MemoryAmount,
    NodeState, PartLimitsRule, PartitionState, PreemptAction, PreemptKind, PreemptSettings, PriorityFlags,
    PriorityKind, QosFlags, SelectKind, SelectSettings, Shares, Sharing, TopologyPlugin, Tres, TresWeights,
    UsageReset,
};

/// A value as tables show it: lengths of time in seconds, `none` for what is not set, `yes` and `no` for words that are in a list or not.
pub(super) fn told<V: Serialize>(value: &V) -> String {
    shown(&serde_json::to_value(value).unwrap_or(Value::Null))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) => all.iter().map(shown).collect::<Vec<_>>().join(","),
        Value::Object(all) if all.is_empty() => "none".to_owned(),
        Value::Object(all) => {
            all.iter().map(|(key, value)| format!("{key}={}", shown(value))).collect::<Vec<_>>().join(",")
        }
        Value::Number(number) => number.to_string(),
    }
}

/// A value as Slurm spells it, by the words that are read.
fn word_of<V: PartialEq>(value: &V, words: &[(&str, V)]) -> String {
    words.iter().find(|(_, one)| one == value).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// A limit, or the word for none.
fn limit_or<V: Serialize>(limit: &Option<V>, otherwise: &str) -> String {
    limit.as_ref().map_or_else(|| otherwise.to_owned(), told)
}

fn unlimited<V: Serialize>(limit: &Option<V>) -> String {
    limit_or(limit, "UNLIMITED")
}

/// A form of one value, told as Slurm spells it.
macro_rules! forms {
    (@told) => { told };
    (@told $tell:expr) => { $tell };
    ($($name:ident: $type:ty = $expected:literal, $read:expr $(=> $tell:expr)?;)*) => {
        $(pub(super) const $name: ValueForm<$type> =
            ValueForm { read: Whole($read, $expected), tell: forms!(@told $($tell)?) };)*
    };
}

const PART_LIMITS_WORDS: &[(&str, PartLimitsRule)] = &[
    ("NO", PartLimitsRule::No),
    ("ANY", PartLimitsRule::Any),
    ("YES", PartLimitsRule::Any),
    ("ALL", PartLimitsRule::All),
];

const USAGE_RESETS: &[(&str, UsageReset)] = &[
    ("NONE", UsageReset::Never),
    ("NOW", UsageReset::Now),
    ("DAILY", UsageReset::Daily),
    ("WEEKLY", UsageReset::Weekly),
    ("MONTHLY", UsageReset::Monthly),
    ("QUARTERLY", UsageReset::Quarterly),
    ("YEARLY", UsageReset::Yearly),
];

const PARTITION_STATES: &[(&str, PartitionState)] = &[
    ("UP", PartitionState::Up),
    ("DOWN", PartitionState::Down),
    ("DRAIN", PartitionState::Drain),
    ("INACTIVE", PartitionState::Inactive),
    ("INACT", PartitionState::Inactive),
];

forms! {
    COUNT: u32 = "a whole number", count32;
    OPTIONAL_COUNT: Option<u32> = "a whole number", |text| count32(text).map(Some);
    COUNT_LIMIT: Option<u32> = "a whole number", limit;
    SIZE_LIMIT: Option<u32> = "a whole number", limit => unlimited;
    FRACTION: f64 = "a number", fraction;
    OPTIONAL_FRACTION: Option<f64> = "a number", |text| fraction(text).map(Some);
    YES_NO: bool = "YES or NO", yes_no => |is_so| if *is_so { "YES" } else { "NO" }.to_owned();
    ONE_ZERO: bool = "1 or 0", yes_no => |is_so| u8::from(*is_so).to_string();
    SECONDS: Seconds = "a number of seconds", secs;
    OPTIONAL_SECONDS: Option<Seconds> = "a number of seconds", |text| secs(text).map(Some);
    SECONDS_OR_NEVER: Option<Seconds> = "a number of seconds", |text| if text == "-1" { Some(None) } else { secs(text).map(Some) } => |period| limit_or(period, "-1");
    POSITIVE_SECONDS: Seconds = "a number of seconds above zero", |text| secs(text).filter(|&length| length > Seconds::ZERO);
    MINUTES: Seconds = "a number of minutes", |text| secs(text).map(|minutes| Seconds(minutes.0.saturating_mul(60)));
    MICROSECONDS: Micros = "a number of microseconds", |text| secs(text).map(|number| Micros(number.0));
    SECONDS_OR_CLOCK: Seconds = "a length of time", |text| length(text, BareNumber::Seconds);
    MINUTES_OR_CLOCK: Seconds = "a length of time", |text| length(text, BareNumber::Minutes);
    OPTIONAL_MINUTES_OR_CLOCK: Option<Seconds> = "a length of time", |text| length(text, BareNumber::Minutes).map(Some);
    POSITIVE_MINUTES_OR_CLOCK: Seconds = "a length of time above zero",
        |text| length(text, BareNumber::Minutes).filter(|&period| period > Seconds::ZERO);
    EXEMPT_TIME: Seconds = "a length of time",
        |text| if text == "-1" { Some(Seconds::ZERO) } else { length(text, BareNumber::Minutes) };
    TIME_LIMIT: Option<Seconds> = "a length of time", |text| length_limit(text, BareNumber::Minutes) => unlimited;
    DEFAULT_TIME: Option<Seconds> = "a length of time",
        |text| length_limit(text, BareNumber::Minutes) => |time| limit_or(time, "NONE");
    WALL_LIMIT: Option<Seconds> = "a length of time", |text| length_limit(text, BareNumber::Minutes);
    OWN_TIME_LIMIT: Option<Option<Seconds>> = "a length of time",
        |text| if text.eq_ignore_ascii_case("NONE") { Some(None) } else { length_limit(text, BareNumber::Minutes).map(Some) } => |limit| limit.as_ref().map_or_else(|| "NONE".to_owned(), unlimited);
    MEGABYTES: u64 = "an amount of memory", memory;
    TRES: Tres = "resources such as cpu=80,mem=100G", tres;
    PRIORITY_TRES: TresWeights = "weights such as cpu=1000,mem=0.25G", weights;
    BILLING_WEIGHTS: TresWeights = "weights such as CPU=1.0,Mem=0.25G", weights;
    LICENSES: Tres = "name:count, with commas between", licenses;
    TRACKED_TRES: Vec<String> = "names of resources", |text| Some(tracked(text));
    NAMES: Vec<String> = "names, with commas between", |text| Some(list(text));
    NAME: Option<String> = "a name", |text| Some((!is_null(text)).then(|| text.to_owned()));
    GRES: Vec<GenericResource> = "generic resources such as gpu:a100:4", gres;
    PART_LIMITS: PartLimitsRule = "NO, ANY, ALL or YES",
        |text| one_of(text, PART_LIMITS_WORDS) => |rule| word_of(rule, PART_LIMITS_WORDS);
    USAGE_RESET: UsageReset = "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY",
        |text| one_of(text, USAGE_RESETS) => |period| word_of(period, USAGE_RESETS);
    PARTITION_STATE: PartitionState = "UP, DOWN, DRAIN or INACTIVE",
        |text| one_of(text, PARTITION_STATES) => |state| word_of(state, PARTITION_STATES);
    SHARING: Sharing = "NO, EXCLUSIVE, YES:N or FORCE:N", sharing => |sharing| match sharing {
        Sharing::No => "NO".to_owned(),
        Sharing::Exclusive => "EXCLUSIVE".to_owned(),
        Sharing::Yes(jobs) => format!("YES:{jobs}"),
        Sharing::Force(jobs) => format!("FORCE:{jobs}"),
    };
    SHARES: Shares = "a whole number or parent",
        |text| if text.eq_ignore_ascii_case("parent") { Some(Shares::Parent) } else { count32(text).map(Shares::Of) } => |shares| match shares {
            Shares::Parent => "parent".to_owned(),
            Shares::Of(number) => told(number),
        };
}

/// A word of a list that is there or not.
pub(super) const FLAG: ValueForm<bool> = ValueForm { read: Parts(|place, _, _| *place = true), tell: told };

/// Sets `NO_FAIR_TREE` too, as Slurm does.
pub(super) const DEPTH_OBLIVIOUS: ValueForm<PriorityFlags> = ValueForm {
    read: Parts(|flags, _, _| (flags.depth_oblivious, flags.no_fair_tree) = (true, true)),
    tell: |flags| told(&flags.depth_oblivious),
};

/// The four flags that it stands for are told one by one.
pub(super) const NO_NORMAL_ALL: ValueForm<PriorityFlags> = ValueForm {
    read: Parts(|flags, _, _| {
        (flags.no_normal_assoc, flags.no_normal_part) = (true, true);
        (flags.no_normal_qos, flags.no_normal_tres) = (true, true);
    }),
    tell: |_| told(&false),
};

/// Read with the names of the nodes, not from the text alone.
pub(super) const NODE_INDICES: ValueForm<Vec<usize>> = ValueForm { read: Parts(|_, _, _| {}), tell: told };

pub(super) const NODE_STATE: ValueForm<NodeState> = ValueForm {
    read: Parts(|state, pair, notes| *state = node_state(pair, notes)),
    tell: |state| word_of(state, NODE_STATES),
};

const NODE_STATES: &[(&str, NodeState)] = &[
    ("IDLE", NodeState::Up),
    ("DRAIN", NodeState::Drained),
    ("DOWN", NodeState::Down),
    ("FUTURE", NodeState::Future),
];

pub(super) const MEMORY_PER_CPU: ValueForm<Option<MemoryAmount>> = ValueForm {
    read: Whole(|text| memory_limit(text, MemoryAmount::PerCpu), "an amount of memory"),
    tell: |amount| match amount {
        Some(MemoryAmount::PerCpu(mb)) => told(mb),
        _ => "UNLIMITED".to_owned(),
    },
};

pub(super) const MEMORY_PER_NODE: ValueForm<Option<MemoryAmount>> = ValueForm {
    read: Whole(|text| memory_limit(text, MemoryAmount::PerNode), "an amount of memory"),
    tell: |amount| match amount {
        Some(MemoryAmount::PerNode(mb)) => told(mb),
        _ => "UNLIMITED".to_owned(),
    },
};

pub(super) const ALLOWED: ValueForm<Allowed> = ValueForm {
    read: Whole(|text| Some(allowed(text)), "names, with commas between"),
    tell: |allowed| match allowed {
        Allowed::Only(names) => told(names),
        Allowed::All | Allowed::Except(_) => "ALL".to_owned(),
    },
};

pub(super) const DENIED: ValueForm<Allowed> = ValueForm {
    read: Whole(
        |text| Some(Some(list(text)).filter(|names| !names.is_empty()).map_or(Allowed::All, Allowed::Except)),
        "names, with commas between",
    ),
    tell: |allowed| match allowed {
        Allowed::Except(names) => told(names),
        Allowed::All | Allowed::Only(_) => "none".to_owned(),
    },
};

/// `DefCpuPerGPU=2,DefMemPerGPU=1000`, also with a colon for the equals sign.
pub(super) const PER_GPU: ValueForm<DefaultPerGpu> = ValueForm {
    read: Parts(|defaults, pair, notes| {
        *defaults = DefaultPerGpu::default();
        for part in list(&pair.value) {
            let Some((name, value)) = part.split_once(['=', ':']) else {
                notes.unread(pair, "DefCpuPerGPU=N,DefMemPerGPU=N");
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "defcpupergpu" => notes.take(&mut defaults.cpus, limit(value), pair, "a whole number"),
                "defmempergpu" => {
                    notes.take(&mut defaults.memory_mb, memory(value).map(Some), pair, "an amount of memory");
                }
                _ => notes.part_not_modelled(pair, name, value),
            }
        }
    }),
    tell: |defaults| {
        let parts = [("DefCpuPerGPU", defaults.cpus.map(u64::from)), ("DefMemPerGPU", defaults.memory_mb)];
        words(parts.into_iter().filter_map(|(name, amount)| amount.map(|amount| format!("{name}={amount}"))))
    },
};

pub(super) const ENFORCEMENT: ValueForm<Enforcement> = ValueForm {
    read: Parts(|enforce, pair, notes| {
        for word in list(&pair.value) {
            match word.to_ascii_lowercase().as_str() {
                "associations" | "1" => enforce.associations = true,
                "limits" | "2" => (enforce.associations, enforce.limits) = (true, true),
                "qos" => (enforce.associations, enforce.limits, enforce.qos) = (true, true, true),
                "safe" => (enforce.associations, enforce.limits, enforce.safe) = (true, true, true),
                "all" => {
                    (enforce.associations, enforce.limits, enforce.qos, enforce.safe) =
                        (true, true, true, true);
                }
                "0" | "no" | "nojobs" | "nosteps" => {}
                _ => notes.part_not_modelled(pair, &format!("AccountingStorageEnforce:{word}"), ""),
            }
        }
    }),
    tell: |enforce| {
        let all = [
            ("associations", enforce.associations),
            ("limits", enforce.limits),
            ("qos", enforce.qos),
            ("safe", enforce.safe),
        ];
        words(all.into_iter().filter(|(_, is_set)| *is_set).map(|(word, _)| word.to_owned()))
    },
};

pub(super) const PRIORITY_TYPE: ValueForm<PriorityKind> = ValueForm {
    read: Parts(|kind, pair, notes| plugin(kind, PRIORITY_TYPES, pair, notes)),
    tell: |kind| word_of(kind, PRIORITY_TYPES),
};

const PRIORITY_TYPES: &[(&str, PriorityKind)] =
    &[("priority/basic", PriorityKind::Basic), ("priority/multifactor", PriorityKind::Multifactor)];

pub(super) const PREEMPT_TYPE: ValueForm<PreemptKind> = ValueForm {
    read: Parts(|kind, pair, notes| plugin(kind, PREEMPT_TYPES, pair, notes)),
    tell: |kind| word_of(kind, PREEMPT_TYPES),
};

const PREEMPT_TYPES: &[(&str, PreemptKind)] = &[
    ("preempt/none", PreemptKind::None),
    ("(null)", PreemptKind::None),
    ("", PreemptKind::None),
    ("preempt/partition_prio", PreemptKind::PartitionTier),
    ("preempt/qos", PreemptKind::Qos),
];

/// Without backfilling its parameters have no place.
pub(super) const SCHEDULER_TYPE: ValueForm<Option<BackfillSettings>> = ValueForm {
    read: Parts(|backfill, pair, notes| {
        let mut has_backfill = true;
        plugin(&mut has_backfill, SCHEDULER_TYPES, pair, notes);
        if !has_backfill {
            *backfill = None;
        }
    }),
    tell: |backfill| word_of(&backfill.is_some(), SCHEDULER_TYPES),
};

/// Whether there is backfilling.
const SCHEDULER_TYPES: &[(&str, bool)] = &[("sched/backfill", true), ("sched/builtin", false)];

pub(super) const TOPOLOGY_PLUGIN: ValueForm<TopologyPlugin> = ValueForm {
    read: Parts(|topology, pair, notes| {
        *topology = TopologyPlugin::Other;
        let none = ["topology/none", "topology/default", "topology/flat", "", "(null)"];
        let mut kinds = none.map(|name| (name, TopologyPlugin::Flat)).to_vec();
        kinds.push(("topology/tree", TopologyPlugin::Tree));
        plugin(topology, &kinds, pair, notes);
    }),
    tell: |topology| format!("topology/{}", told(topology)),
};

pub(super) const SELECT_TYPE: ValueForm<SelectSettings> = ValueForm {
    read: Parts(|select, pair, notes| {
        plugin(&mut select.kind, SELECT_TYPES, pair, notes);
        if select.kind == SelectKind::Linear {
            select.unit = ConsumedUnit::Node;
        }
    }),
    tell: |select| word_of(&select.kind, SELECT_TYPES),
};

const SELECT_TYPES: &[(&str, SelectKind)] = &[
    ("select/linear", SelectKind::Linear),
    ("select/cons_tres", SelectKind::Parts),
    ("select/cons_res", SelectKind::Parts),
];

pub(super) const CONSUMED_UNIT: ValueForm<Option<ConsumedUnit>> = ValueForm {
    read: Parts(|unit, pair, notes| {
        if !is_null(&pair.value) {
            notes.take(unit, consumed(&pair.value).map(Some), pair, "CR_Core, CR_Socket or NONE");
        }
    }),
    tell: |unit| unit.as_ref().map_or_else(|| "NONE".to_owned(), |unit| word_of(unit, CONSUMED_UNITS)),
};

const CONSUMED_UNITS: &[(&str, ConsumedUnit)] =
    &[("CR_CPU", ConsumedUnit::Cpu), ("CR_Core", ConsumedUnit::Core), ("CR_Socket", ConsumedUnit::Socket)];

pub(super) const PREEMPT_MODE: ValueForm<PreemptSettings> = ValueForm {
    read: Parts(|preempt, pair, notes| {
        for word in pair.value.split(',').map(str::trim) {
            match word.to_ascii_uppercase().as_str() {
                "GANG" => preempt.gang = true,
                "WITHIN" => preempt.within = true,
                _ => notes.take(&mut preempt.action, preempt_action(word), pair, PREEMPT_MODES),
            }
        }
    }),
    tell: |preempt| {
        let more = [("GANG", preempt.gang), ("WITHIN", preempt.within)];
        let more = more.into_iter().filter(|(_, is_set)| *is_set).map(|(word, _)| word.to_owned());
        words(std::iter::once(word_of(&preempt.action, PREEMPT_ACTIONS)).chain(more))
    },
};

pub(super) const PARTITION_PREEMPT_MODE: ValueForm<Option<PreemptAction>> = ValueForm {
    read: Parts(|action, pair, notes| {
        let is_own = |word: &&str| !is_null(word) && !is_among(word, &["GANG", "WITHIN"]);
        for word in pair.value.split(',').map(str::trim).filter(is_own) {
            notes.take(action, preempt_action(word).map(Some), pair, PREEMPT_MODES);
        }
    }),
    tell: |action| action.as_ref().map_or_else(|| told(&()), |action| word_of(action, PREEMPT_ACTIONS)),
};

pub(super) const QOS_PREEMPT_MODE: ValueForm<Option<PreemptAction>> = ValueForm {
    read: Parts(|action, pair, notes| {
        *action = None;
        for word in pair.value.trim().split(',').filter(|word| !is_among(word, &["cluster", "within"])) {
            let expected = "cluster, cancel, requeue, suspend or off";
            notes.take(action, preempt_action(word).map(Some), pair, expected);
        }
    }),
    tell: |action| {
        let word = action.as_ref().map(|action| word_of(action, PREEMPT_ACTIONS).to_ascii_lowercase());
        word.unwrap_or_else(|| "cluster".to_owned())
    },
};

/// Where the flag of a name stands.
type FlagPlace = fn(&mut QosFlags) -> &mut bool;

/// The flags of a QOS as `sacctmgr` prints them.
const FLAGS: [(&str, FlagPlace); 10] = [
    ("DenyOnLimit", |flags| &mut flags.deny_on_limit),
    ("EnforceUsageThreshold", |flags| &mut flags.enforce_usage_threshold),
    ("NoReserve", |flags| &mut flags.no_reserve),
    ("NoDecay", |flags| &mut flags.no_decay),
    ("OverPartQOS", |flags| &mut flags.over_part_qos),
    ("PartitionMaxNodes", |flags| &mut flags.partition_max_nodes),
    ("PartitionMinNodes", |flags| &mut flags.partition_min_nodes),
    ("PartitionTimeLimit", |flags| &mut flags.partition_time_limit),
    ("RequiresReservation", |flags| &mut flags.requires_reservation),
    ("UsageFactorSafe", |flags| &mut flags.usage_factor_safe),
];

pub(super) const QOS_FLAGS: ValueForm<QosFlags> = ValueForm {
    read: Parts(|flags, pair, notes| {
        *flags = QosFlags::default();
        for word in list(&pair.value) {
            let known = FLAGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&word));
            match known {
                Some((_, flag)) => *flag(flags) = true,
                None if word.eq_ignore_ascii_case("RequiredReservation") => flags.requires_reservation = true,
                // `sacctmgr` prints this flag for a deleted QOS.
                None if word.eq_ignore_ascii_case("Deleted") => {}
                None => notes.part_not_modelled(pair, &format!("QOS:Flags:{word}"), ""),
            }
        }
    }),
    tell: |flags| {
        let set = FLAGS.iter().filter(|(_, flag)| *flag(&mut flags.clone()));
        words(set.map(|(name, _)| (*name).to_owned()))
    },
};

const PREEMPT_MODES: &str = "OFF, CANCEL, REQUEUE, SUSPEND, GANG or WITHIN";

/// What becomes of preempted jobs.
fn preempt_action(word: &str) -> Option<PreemptAction> {
    one_of(word, PREEMPT_ACTIONS)
}

const PREEMPT_ACTIONS: &[(&str, PreemptAction)] = &[
    ("OFF", PreemptAction::Off),
    ("", PreemptAction::Off),
    ("CANCEL", PreemptAction::Cancel),
    ("REQUEUE", PreemptAction::Requeue),
    ("SUSPEND", PreemptAction::Suspend),
];

fn is_among(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn one_of<V: Copy>(text: &str, values: &[(&str, V)]) -> Option<V> {
    values.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}

/// The plugin that is named; others are noted as not modelled.
fn plugin<V: Copy>(place: &mut V, kinds: &[(&str, V)], pair: &KeyValue, notes: &mut Notes) {
    match one_of(&pair.value, kinds) {
        Some(kind) => *place = kind,
        None => notes.not_modelled(pair),
    }
}

fn words(words: impl Iterator<Item = String>) -> String {
    told(&words.collect::<Vec<String>>())
}

fn secs(text: &str) -> Option<Seconds> {
    digits(text).and_then(|number| i64::try_from(number).ok()).map(Seconds)
}

fn fraction(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// The TRES tracked in addition to those that Slurm always tracks.
fn tracked(value: &str) -> Vec<String> {
    const ALWAYS: [&str; 8] = ["cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"];
    let names = list(value).into_iter().map(|name| name.to_ascii_lowercase());
    names.filter(|name| !ALWAYS.contains(&name.as_str())).collect()
}

/// `matlab:4,fluent`: one of each that has no count.
pub(super) fn licenses(value: &str) -> Option<Tres> {
    let mut licenses = Tres::default();
    for part in list(value) {
        let (name, amount) = part.split_once([':', '=', '*']).unwrap_or((&part, "1"));
        if name.is_empty() {
            return None;
        }
        licenses.0.insert(name.to_owned(), count(amount)?);
    }
    Some(licenses)
}

/// The unit in a word of `SelectTypeParameters`.
fn consumed(word: &str) -> Option<ConsumedUnit> {
    one_of(word.to_ascii_lowercase().trim_end_matches("_memory"), CONSUMED_UNITS)
}

/// Whether jobs share processors. `YES` and `FORCE` without a number are four jobs.
fn sharing(text: &str) -> Option<Sharing> {
    let (word, number) = text.split_once(':').unwrap_or((text, "4"));
    let number = count32(number)?;
    let kinds = [
        ("NO", Sharing::No),
        ("EXCLUSIVE", Sharing::Exclusive),
        ("YES", Sharing::Yes(number)),
        ("FORCE", Sharing::Force(number)),
    ];
    one_of(word, &kinds)
}
