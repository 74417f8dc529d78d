//! What two configurations of a site have different, in Slurm's words.

use queuecast_core::order;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::file_kind::SiteFileKind;
use super::known::{WithoutRow, is_unimportant_word};
use super::notes::{Misread, Unmodelled};
use super::part_changes::part_changes;
use super::setting_change::{ChangeEffect, SettingChange};
use super::settings::{WholeSettings, tokens};
use super::site::{SiteOptions, SiteReading, assembled};
use super::table::{LISTS, of_cluster};
use super::unmodelled::left_out;
use queuecast_slurm_sim::cluster::{Cluster, RecordedRun};

/// What two configurations have different.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteChanges {
    /// Every setting that differs: of the whole cluster, then of partitions, nodes, QOS, accounts and users, switches and reservations.
    pub settings: Vec<SettingChange>,
    /// What the new configuration uses, the old one does not, and simulations leave out.
    pub newly_not_modelled: Vec<String>,
    /// Files that differ and are not read: scripts, `cgroup.conf` and the like.
    pub unread_files: Vec<String>,
    /// What is odd about the new configuration and not about the old one.
    pub warnings: Vec<String>,
    /// Places of the new configuration that could not be read, but for those that are in the old one as well.
    pub misread: Vec<Misread>,
}

impl SiteChanges {
    /// Whether both configurations say the same.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.unread_files.is_empty() && self.misread.is_empty()
    }

    /// Whether simulations of the two can differ.
    pub fn is_simulated(&self) -> bool {
        self.settings.iter().any(|one| one.effect == ChangeEffect::Simulated)
    }
}

/// A configuration as it was read, with the settings for the whole cluster as texts.
struct RawReading {
    reading: SiteReading,
    said: WholeSettings,
    is_live: bool,
}

fn raw_reading(texts: &BTreeMap<String, String>, options: &SiteOptions) -> RawReading {
    // What happened at the site is no part of its configuration.
    let is_configured = |(name, text): &(&String, &String)| {
        !SiteFileKind::of(name, text).is_some_and(SiteFileKind::is_recorded)
    };
    let configured = texts.iter().filter(is_configured).map(|(name, text)| (name.clone(), text.clone()));
    let mut said = WholeSettings::new();
    let reading = assembled(&order::map_of(configured), options, &mut |all| said.clone_from(all));
    let is_live = reading.used.values().any(|kind| *kind == SiteFileKind::Config);
    RawReading { reading, said, is_live }
}

/// What two configurations of a site, each given as texts by name, have different.
pub fn site_changes(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    options: &SiteOptions,
) -> SiteChanges {
    let [before, after] = [old, new].map(|texts| raw_reading(texts, options));
    let mut settings = whole_changes(&before.reading.cluster, &after.reading.cluster);
    settings.extend(changes_without_row(&before, &after));
    settings.extend(part_changes(&before.reading.cluster, &after.reading.cluster));
    settings.extend(unmodelled_of_parts(&before, &after));
    if settings.is_empty() && is_in_another_order(&before.reading.cluster, &after.reading.cluster) {
        let key = "order of nodes, partitions or accounts".to_owned();
        settings.push(whole_change(key, [None, None], ChangeEffect::Simulated));
    }
    let none = RecordedRun::default();
    let [known, mut newly] = [&before, &after].map(|one| left_out(&one.reading, &none));
    newly.retain(|name| !known.contains(name));
    let mut warnings = after.reading.warnings.clone();
    warnings.retain(|one| !before.reading.warnings.contains(one));
    let is_known = |one: &Misread| {
        before.reading.misread.iter().any(|old| (&old.file, &old.found) == (&one.file, &one.found))
    };
    let mut misread = after.reading.misread.clone();
    misread.retain(|one| !is_known(one));
    SiteChanges {
        settings,
        newly_not_modelled: newly,
        unread_files: unread_files(old, new, [&before.reading, &after.reading]),
        warnings,
        misread,
    }
}

fn whole_change(key: String, [from, to]: [Option<String>; 2], effect: ChangeEffect) -> SettingChange {
    SettingChange { of: "slurm.conf", part: String::new(), key, from, to, effect }
}

/// Settings for the whole cluster that have a row.
fn whole_changes(old: &Cluster, new: &Cluster) -> Vec<SettingChange> {
    let is_switched = old.settings.backfill.is_some() != new.settings.backfill.is_some();
    let (mut before, mut after) = (old.clone(), new.clone());
    let mut changes = Vec::new();
    for row in of_cluster() {
        // Where one of the two has no backfilling, its parameters say nothing.
        if is_switched && row.name().starts_with("bf_") {
            continue;
        }
        let (from, to) = ((row.tell)(&mut before), (row.tell)(&mut after));
        // Telling a parameter of backfilling makes a place for it.
        before.settings.backfill.clone_from(&old.settings.backfill);
        after.settings.backfill.clone_from(&new.settings.backfill);
        if from != to {
            changes.push(whole_change(row.key.to_owned(), [Some(from), Some(to)], row.effect.into()));
        }
    }
    order::sort_by(&mut changes, |one, other| one.key.cmp(&other.key));
    changes
}

/// Keys that `scontrol show config` has and that are no settings.
const STATE: [&str; 3] = ["boot_time", "hash_val", "next_job_id"];

/// Settings for the whole cluster, and words of lists, that have no row.
fn changes_without_row(before: &RawReading, after: &RawReading) -> Vec<SettingChange> {
    let [old, new] = [before, after].map(|one| texts_without_row(&one.said));
    // One that has all settings and one that has a few differ in what they leave out.
    let is_mixed = before.is_live != after.is_live;
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut changes = Vec::new();
    for key in keys {
        let (from, to) = (old.get(key), new.get(key));
        let values = [from, to].map(|one| one.map(|one| one.value.clone()));
        if values[0] == values[1] || is_mixed && (from.is_none() || to.is_none()) {
            continue;
        }
        let matters = [from, to].into_iter().flatten().any(|one| one.matters);
        let effect = if key == "slurm_version" {
            ChangeEffect::Simulated
        } else if matters {
            ChangeEffect::NotModelled
        } else {
            ChangeEffect::Unimportant
        };
        let spelled = to.or(from).map(|one| one.spelled.clone()).unwrap_or_default();
        changes.push(whole_change(spelled, values, effect));
    }
    changes
}

/// The text of a setting or word without a row.
struct RawText {
    spelled: String,
    value: String,
    matters: bool,
}

fn texts_without_row(said: &WholeSettings) -> BTreeMap<String, RawText> {
    let has_row = |key: &str| {
        let is_meant = |own: &str| own.eq_ignore_ascii_case(key);
        of_cluster().any(|row| is_meant(row.key) || row.also.iter().any(|own| is_meant(own)))
    };
    let mut texts = BTreeMap::new();
    for (name, one) in said {
        if let Some((list, _)) = LISTS.iter().find(|(list, _)| list.eq_ignore_ascii_case(name)) {
            for (word, value) in tokens(&one.value) {
                let (spelled, matters) = (format!("{list}.{word}"), !is_unimportant_word(list, &word));
                if !has_row(&spelled) {
                    let value = if value.is_empty() { "yes".to_owned() } else { value };
                    texts.insert(spelled.to_ascii_lowercase(), RawText { spelled, value, matters });
                }
            }
        } else if !has_row(name) && !STATE.contains(&name.as_str()) {
            let is_name = name == "clustername" || name == "slurm_version";
            let known = WithoutRow::setting(name);
            let matters = !is_name && known.is_none_or(|known| known.matters(&one.value));
            let (spelled, value) = (one.key.clone(), one.value.clone());
            texts.insert(name.clone(), RawText { spelled, value, matters });
        }
    }
    texts
}

/// Keys of partitions, nodes, QOS and accounts that are not modelled: they are known by what was noted while they were read.
fn unmodelled_of_parts(before: &RawReading, after: &RawReading) -> Vec<SettingChange> {
    let of_parts = |one: &RawReading| -> BTreeSet<(String, String)> {
        let is_whole = |noted: &Unmodelled| {
            let key = noted.name.split(':').next().unwrap_or_default().to_ascii_lowercase();
            one.said.contains_key(&key)
        };
        let noted = one.reading.not_modelled.iter().filter(|noted| !is_whole(noted));
        noted.map(|noted| (noted.name.clone(), noted.value.clone())).collect()
    };
    let [old, new] = [before, after].map(of_parts);
    let change = |(name, value): &(String, String), is_new: bool| {
        let value = Some(if value.is_empty() { "yes".to_owned() } else { value.clone() });
        let values = if is_new { [None, value] } else { [value, None] };
        whole_change(name.clone(), values, ChangeEffect::NotModelled)
    };
    let gone = old.difference(&new).map(|one| change(one, false));
    gone.chain(new.difference(&old).map(|one| change(one, true))).collect()
}

/// Whether two clusters of which no setting differs are still not the same.
fn is_in_another_order(old: &Cluster, new: &Cluster) -> bool {
    // Outages are what happened, not how it is configured.
    let aligned = Cluster { outages: old.outages.clone(), version: old.version, ..new.clone() };
    *old != Cluster { name: old.name.clone(), ..aligned }
}

/// Files that differ and that neither reading uses.
fn unread_files(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    readings: [&SiteReading; 2],
) -> Vec<String> {
    let is_unread = |name: &str| readings.iter().any(|one| one.ignored.iter().any(|other| other == name));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = names.into_iter().filter(|name| old.get(*name) != new.get(*name) && is_unread(name));
    differ.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONF: &str = "ClusterName=c\nSchedulerParameters=bf_interval=30,no_env_cache\nPriorityWeightAge=10\nNodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[3-4]\n";
    const QOS: &str = "Name|Priority|MaxJobsPU\nnormal|0|\nhigh|10|2\n";
    const ASSOC: &str = "Cluster|Account|User|Share\nc|root||1\nc|phys||10\nc|phys|ada|1\n";

    fn texts(conf: &str, qos: &str, assoc: &str) -> BTreeMap<String, String> {
        let files = [("slurm.conf", conf), ("qos.psv", qos), ("assoc.psv", assoc)];
        files.map(|(name, text)| (name.to_owned(), text.to_owned())).into()
    }

    fn told(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<String> {
        let changes = site_changes(old, new, &SiteOptions::default());
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let line = |one: &SettingChange| {
            let (from, to) = (side(&one.from), side(&one.to));
            format!("{} {}|{}|{from}|{to}|{:?}", one.of, one.part, one.key, one.effect)
        };
        changes.settings.iter().map(line).collect()
    }

    #[test]
    fn the_same_configuration_has_no_changes() {
        let old = texts(CONF, QOS, ASSOC);
        assert!(site_changes(&old, &old, &SiteOptions::default()).is_empty());
        // Comments, blanks and the order of settings say nothing.
        let conf =
            format!("# why\n{}", CONF.replace("PriorityWeightAge=10\n", "") + "PriorityWeightAge = 10\n");
        assert_eq!(told(&old, &texts(&conf, QOS, ASSOC)), [""; 0]);
    }

    #[test]
    fn settings_differ_one_by_one_with_whether_they_are_simulated() {
        let conf = CONF
            .replace("bf_interval=30,no_env_cache", "bf_interval=60,bf_topopt_enable")
            .replace("ClusterName=c", "ClusterName=c\nSlurmctldPort=6820\nJobSubmitPlugins=lua");
        assert_eq!(
            told(&texts(CONF, QOS, ASSOC), &texts(&conf, QOS, ASSOC)),
            [
                "slurm.conf |SchedulerParameters.bf_interval|30|60|Simulated",
                "slurm.conf |JobSubmitPlugins|-|lua|NotModelled",
                "slurm.conf |SchedulerParameters.bf_topopt_enable|-|yes|NotModelled",
                "slurm.conf |SchedulerParameters.no_env_cache|yes|-|Unimportant",
                "slurm.conf |SlurmctldPort|-|6820|Unimportant",
            ]
        );
    }

    #[test]
    fn without_backfilling_its_parameters_say_nothing() {
        let conf = CONF.replace("ClusterName=c", "ClusterName=c\nSchedulerType=sched/builtin");
        let changed = told(&texts(CONF, QOS, ASSOC), &texts(&conf, QOS, ASSOC));
        assert_eq!(changed, ["slurm.conf |SchedulerType|sched/backfill|sched/builtin|Simulated"]);
    }

    #[test]
    fn parts_are_added_removed_and_changed() {
        let conf = CONF
            .replace(
                "NodeName=n[1-4] CPUs=4",
                "NodeName=n[1-3] CPUs=4\nNodeName=n4 CPUs=8\nNodeName=n[5-6] CPUs=2",
            )
            .replace("PartitionName=p Nodes=n[1-2]", "PartitionName=p Nodes=n[1-3] MaxTime=60 AllocNodes=n1")
            .replace("PartitionName=q Nodes=n[3-4]", "PartitionName=r Nodes=n[3-6] PriorityTier=3");
        let new = texts(
            &conf,
            "Name|Priority|MaxJobsPU\nnormal|0|4\n",
            &format!("{}c|phys|bob|1\n", ASSOC.replace("phys||10", "phys||20")),
        );
        assert_eq!(
            told(&texts(CONF, QOS, ASSOC), &new),
            [
                "partition p|MaxTime|UNLIMITED|3600|Simulated",
                "partition p|Nodes|n[1-2]|n[1-3]|Simulated",
                "partition q||Nodes=n[3-4]|-|Simulated",
                "partition r||-|Nodes=n[3-6] PriorityTier=3|Simulated",
                "node n4|CPUs|4|8|Simulated",
                "node n4|Sockets|4|8|Simulated",
                "node n[5-6]||-|CPUs=2 Sockets=2|Simulated",
                "qos high||MaxJobsPerUser=2 Priority=10|-|Simulated",
                "qos normal|MaxJobsPerUser|none|4|Simulated",
                "account phys|Fairshare|10|20|Simulated",
                "user bob in phys||-|as Slurm's defaults|Simulated",
                "slurm.conf |AllocNodes|-|n1|NotModelled",
            ]
        );
    }

    #[test]
    fn what_is_newly_left_out_cannot_be_read_or_is_not_read_at_all_is_told() {
        let mut new = texts(
            &CONF
                .replace("PriorityWeightAge=10", "PriorityWeightAge=ten")
                .replace("Default=YES", "Default=YES ExclusiveUser=YES"),
            QOS,
            ASSOC,
        );
        new.insert("job_submit.lua".into(), "return slurm.SUCCESS\n".into());
        let changes = site_changes(&texts(CONF, QOS, ASSOC), &new, &SiteOptions::default());
        assert_eq!(changes.newly_not_modelled, ["ExclusiveUser"]);
        assert_eq!(changes.unread_files, ["job_submit.lua"]);
        assert_eq!((changes.misread.len(), changes.misread[0].line), (1, 3));
        let of_partition = changes.settings.iter().find(|one| one.key == "ExclusiveUser").unwrap();
        assert_eq!((of_partition.effect, of_partition.part.as_str()), (ChangeEffect::NotModelled, "p"));
    }

    #[test]
    fn another_order_of_lines_is_a_change() {
        let swapped =
            CONF.replace("NodeName=n[1-4] CPUs=4", "NodeName=n[3-4] CPUs=4\nNodeName=n[1-2] CPUs=4");
        let told = told(&texts(CONF, QOS, ASSOC), &texts(&swapped, QOS, ASSOC));
        assert_eq!(told, ["slurm.conf |order of nodes, partitions or accounts|-|-|Simulated"]);
    }
}
