//! Settings for the whole cluster, from `slurm.conf` or `scontrol show config`.

use std::collections::BTreeMap;

use super::known::{WithoutRow, is_unimportant_word};
use super::notes::{KeyValue, Notes};
use super::setting::Setting;
use super::table::{LISTS, of_cluster};
use super::values::list;
use queuecast_slurm_sim::cluster::{Cluster, ConsumedUnit, PriorityKind, SelectKind};

/// Settings for the whole cluster by their names in lower case.
pub(super) type WholeSettings = BTreeMap<String, KeyValue>;

/// Applies the settings, each given once, to a cluster with default settings.
pub(super) fn apply(said: &WholeSettings, cluster: &mut Cluster, notes: &mut Notes) {
    if let Some(version) = said.get("slurm_version") {
        cluster.version = version_of(&version.value);
    }
    // By name: words of `SchedulerParameters` and `SelectTypeParameters` come before the types, which may leave them without a place.
    for one in said.values() {
        apply_one(one, cluster, notes);
    }
    // Before 23.11 the defaults were `select/linear` and `priority/basic`.
    if cluster.version.is_some_and(|version| version < (23, 11)) {
        if !said.contains_key("selecttype") {
            cluster.settings.select.kind = SelectKind::Linear;
            cluster.settings.select.unit = ConsumedUnit::Node;
            cluster.settings.select.memory = false;
        }
        if !said.contains_key("prioritytype") {
            cluster.settings.priority.kind = PriorityKind::Basic;
        }
    }
}

fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn apply_one(said: &KeyValue, cluster: &mut Cluster, notes: &mut Notes) {
    let name = said.name();
    if let Some((list, _)) = LISTS.iter().find(|(list, _)| list.eq_ignore_ascii_case(&name)) {
        return words(list, said, cluster, notes);
    }
    match (name.as_str(), row(&name)) {
        ("clustername", _) => said.value.clone_into(&mut cluster.name),
        ("slurm_version", _) if cluster.version.is_none() => notes.unread(said, "a version such as 24.11.5"),
        ("slurm_version", _) => {}
        (_, Some(row)) => (row.set)(cluster, said, notes),
        (_, None) => {
            // A setting that is in no list may matter.
            if WithoutRow::setting(&name).is_none_or(|known| known.matters(&said.value)) {
                notes.not_modelled(said);
            }
        }
    }
}

/// The row of a setting, or of a word of a list, by its whole key.
fn row(key: &str) -> Option<&'static Setting<Cluster>> {
    let is_meant = |own: &&str| own.eq_ignore_ascii_case(key);
    of_cluster().find(|row| is_meant(&row.key) || row.also.iter().any(is_meant))
}

/// The words of a setting that is a list.
fn words(list: &str, said: &KeyValue, cluster: &mut Cluster, notes: &mut Notes) {
    for (word, value) in tokens(&said.value) {
        match row(&format!("{list}.{word}")) {
            Some(row) => (row.set)(cluster, &KeyValue { key: word, value, ..said.clone() }, notes),
            None if is_unimportant_word(list, &word) => {}
            None => notes.part_not_modelled(said, &format!("{list}:{word}"), &value),
        }
    }
}

/// The words of a setting, each with what follows its equals sign.
pub(super) fn tokens(value: &str) -> Vec<(String, String)> {
    let split = |part: String| match part.split_once('=') {
        Some((name, value)) => (name.trim().to_ascii_lowercase(), value.trim().to_owned()),
        None => (part.to_ascii_lowercase(), String::new()),
    };
    list(value).into_iter().map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SiteOptions, read_site};
    use queuecast_core::units::Seconds;

    fn read(key: &str, value: &str) -> (Cluster, Notes) {
        let said = KeyValue { file: "f".into(), line: 7, key: key.into(), value: value.into() };
        let (mut cluster, mut notes) = (Cluster::default(), Notes::default());
        apply(&[(said.name(), said)].into(), &mut cluster, &mut notes);
        (cluster, notes)
    }

    #[test]
    fn parameters_of_scheduling() {
        let value = "bf_interval=15,bf_window=180,bf_continue,default_queue_depth=200,sched_interval=-1,defer,bf_topopt_enable,no_env_cache,bf_resolution=0";
        let (cluster, notes) = read("SchedulerParameters", value);
        let (backfill, main) = (cluster.settings.backfill.unwrap(), cluster.settings.main);
        assert_eq!((backfill.interval, backfill.window), (Some(Seconds(15)), Seconds(10_800)));
        assert!(backfill.continues && main.defer);
        assert_eq!((main.default_queue_depth, main.sched_interval), (200, None));
        let names: Vec<&str> = notes.unmodelled.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["SchedulerParameters:bf_topopt_enable"]);
        assert_eq!((notes.misread.len(), notes.misread[0].line, backfill.resolution), (1, 7, Seconds(60)));
    }

    #[test]
    fn parameters_of_selection() {
        let read = |value: &str| {
            let (cluster, notes) = read("SelectTypeParameters", value);
            (cluster.settings.select, notes.unmodelled.len())
        };
        let (core, none) = read("CR_Core_Memory,CR_CORE_DEFAULT_DIST_BLOCK");
        assert_eq!(
            (core.unit, core.memory, core.block_distribution, none),
            (ConsumedUnit::Core, true, true, 0)
        );
        let (cpu, none) = read("CR_CPU,CR_LLN");
        assert_eq!((cpu.unit, cpu.memory, cpu.least_loaded_nodes, none), (ConsumedUnit::Cpu, false, true, 0));
        assert_eq!(read("LL_SHARED_GRES").1, 1);
    }

    #[test]
    fn flags_of_priorities_and_older_names() {
        let (cluster, notes) = read("PriorityFlags", "SMALL_RELATIVE_TO_TIME,NO_NORMAL_ALL,NEW");
        let flags = cluster.settings.priority.flags;
        assert!(flags.small_relative_to_time && flags.no_normal_tres && !flags.no_fair_tree);
        assert_eq!(notes.unmodelled.len(), 1);
        let (cluster, notes) = read("SchedulerParameters", "max_job_bf=7,preempt_strict_order");
        assert_eq!(cluster.settings.backfill.unwrap().counts.max_job_test, 7);
        assert!(cluster.settings.preempt.strict_order && notes.unmodelled.is_empty());
    }

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let lines = [
            "SchedulerType=sched/builtin",
            "SchedulerParameters=bf_interval=60,defer,bf_max_job_test=7",
            "SelectType=select/linear",
            "SelectTypeParameters=CR_Memory",
        ];
        let read = |lines: &[&str]| {
            let conf = format!("{}\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n", lines.join("\n"));
            let reading = read_site(&[("slurm.conf".to_owned(), conf)].into(), &SiteOptions::default());
            reading.cluster.settings
        };
        let expected = read(&lines);
        assert_eq!((&expected.backfill, expected.main.defer), (&None, true));
        assert_eq!((expected.select.kind, expected.select.memory), (SelectKind::Linear, true));
        assert_eq!(read(&[lines[0], lines[3], lines[2], lines[1]]), expected);
        // Every rotation, forwards and backwards.
        for begin in 0..lines.len() {
            let mut turned = lines;
            turned.rotate_left(begin);
            assert_eq!(read(&turned), expected, "{turned:?}");
            turned.reverse();
            assert_eq!(read(&turned), expected, "{turned:?}");
        }
        // Control: with backfilling its parameters count.
        let with_backfilling = read(&["SchedulerType=sched/backfill", lines[1]]);
        assert_eq!(with_backfilling.backfill.unwrap().counts.max_job_test, 7);
    }
}
