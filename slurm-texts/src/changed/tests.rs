//! Sites with changes.

use super::super::table::LISTS;
use super::*;
use queuecast_core::units::Seconds;
use queuecast_slurm_sim::cluster::NodeState;

const CONF: &str = "SchedulerParameters=bf_interval=15,bf_continue,bf_topopt_enable
NodeName=c[01-04] CPUs=8 RealMemory=16000
NodeName=g1 CPUs=4 Gres=gpu:2
PartitionName=batch Nodes=c[01-04],g1 Default=YES MaxTime=60
PartitionName=debug Nodes=c01 MaxTime=10
PartitionName=other Nodes=g1
";

fn texts() -> BTreeMap<String, String> {
    let qos = "Name|Priority|MaxTRESPU\nnormal|10|cpu=80\nhigh|100|\nlow|1|\n";
    let assoc = "Cluster|Account|User|Share|ParentName\nc|root||1|\nc|phys||60|root\nc|phys|ann|1|\n";
    [("slurm.conf", CONF), ("qos", qos), ("assoc", assoc)]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into()
}

fn changed(changes: &[&str]) -> Result<(SiteReading, Vec<AppliedChange>), ChangeError> {
    let changes: Result<Vec<SiteChange>, ChangeError> = changes.iter().map(|one| one.parse()).collect();
    read_changed_site(&texts(), &SiteOptions::default(), &changes?)
}

fn told(change: &str) -> Vec<(String, String, String)> {
    let (_, applied) = changed(&[change]).unwrap_or_else(|error| panic!("{change}: {error}"));
    applied[0].values.iter().map(|one| (one.name.clone(), one.from.clone(), one.to.clone())).collect()
}

#[test]
fn every_key_that_is_listed_can_be_set() {
    fn keys<'s, T: 's>(part: &str, rows: impl Iterator<Item = &'s Setting<T>>) -> Vec<String> {
        let value = |row: &Setting<T>| if row.example.is_empty() { "yes" } else { row.example };
        let keys =
            rows.flat_map(|row| std::iter::once(&row.key).chain(row.also).map(move |key| (key, value(row))));
        keys.map(|(key, value)| format!("{part}{key}={value}")).collect()
    }
    let mut all: Vec<String> = LISTS.map(|(list, value)| format!("{list}={value}")).to_vec();
    all.extend(keys("", of_cluster()));
    all.extend(keys("partition.other.", PARTITION.iter()));
    all.extend(keys("qos.low.", of_qos()));
    all.extend(keys("account.phys.", of_association()));
    all.extend(keys("user.ann.", of_association()));
    all.extend(keys("node.c01.", NODE.iter()));
    for change in all {
        // These are so already.
        let same = [
            "SelectTypeParameters.CR_Core_Memory=yes",
            "SelectTypeParameters.CR_Memory=yes",
            "SchedulerParameters.bf_continue=yes",
        ];
        assert!(!told(&change).is_empty() || same.contains(&change.as_str()), "{change} changes nothing");
    }
}

#[test]
fn words_of_a_list_are_changed_one_by_one() {
    let one = |name: &str, from: &str, to: &str| vec![(name.to_owned(), from.to_owned(), to.to_owned())];
    assert_eq!(told("bf_interval=60"), one("bf_interval", "15", "60"));
    assert_eq!(told("SchedulerParameters.bf_window=100"), one("bf_window", "86400", "6000"));
    assert_eq!(told("bf_continue=no"), one("bf_continue", "yes", "no"));
    assert_eq!(told("bf_interval="), one("bf_interval", "15", "30"));
    assert_eq!(told("bf_interval=15"), []);
    // The whole list is replaced by a list.
    let (reading, _) = changed(&["SchedulerParameters=bf_window=100"]).unwrap();
    let backfill = reading.cluster.settings.backfill.unwrap();
    assert_eq!((backfill.interval, backfill.window.0, backfill.continues), (Some(Seconds(30)), 6_000, false));
    // Later changes come on top of earlier ones; what else the site says stays.
    let (reading, applied) = changed(&["bf_interval=60", "qos.low.Priority=5", "bf_interval=70"]).unwrap();
    assert_eq!(applied[2].values[0].from, "60");
    assert_eq!(reading.cluster.settings.backfill.unwrap().interval, Some(Seconds(70)));
    assert!(reading.not_modelled.iter().any(|one| one.name == "SchedulerParameters:bf_topopt_enable"));
}

#[test]
fn partitions_grow_and_shrink() {
    let nodes = |change: &str| told(change).into_iter().map(|one| (one.1, one.2)).next().unwrap();
    let of = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(nodes("partition.batch.nodes=+2"), of("c[01-04],g1", "c[01-06],g1"));
    assert_eq!(nodes("partition.batch.nodes=+2:g1"), of("c[01-04],g1", "c[01-04],g[1-3]"));
    assert_eq!(nodes("partition.batch.nodes=-2"), of("c[01-04],g1", "c[01-03]"));
    assert_eq!(nodes("partition.debug.nodes=c[02-03]"), of("c01", "c[02-03]"));
    let (reading, _) = changed(&["partition.debug.nodes=+1", "partition.debug.nodes=+1"]).unwrap();
    let cluster = &reading.cluster;
    assert_eq!(
        (cluster.nodes.len(), cluster.partitions[0].nodes.len(), cluster.partitions[1].nodes.len()),
        (7, 5, 3)
    );
    assert_eq!(cluster.classes.iter().map(|class| class.nodes.len()).collect::<Vec<_>>(), [6, 1]);
    let added = &cluster.nodes[cluster.node("c05").unwrap()];
    assert_eq!((added.cpus, added.memory_mb, added.state), (8, 16_000, NodeState::Up));
    assert_eq!(cluster.partitions[2].nodes, [cluster.node("g1").unwrap()]);
}

#[test]
fn what_cannot_be_set_is_said() {
    for (change, part) in [
        ("bf_interval=soon", "bf_interval: \"soon\" is not a number of seconds"),
        ("bf_continue=perhaps", "is not yes or no"),
        ("PriorityType=priority/mine", "a value that is modelled"),
        ("PriorityWeightAge=-1", "a whole number"),
        ("partition.bathc.MaxTime=5", "no partition bathc; similar: batch"),
        ("partition.batch.MaxTime=soon", "a length of time"),
        ("partition.batch.nodes=-9", "a number of nodes up to 5"),
        ("partition.batch.nodes=+x", "+N:NODE"),
        ("partition.batch.nodes=z1", "unknown nodes: z1"),
        ("partition.batch.nodes=+1:z1", "no node z1"),
        ("qos.hihg.Priority=5", "no QOS hihg; similar: high"),
        ("qos.high.MaxTRESPerUser=cpu", "resources such as"),
        ("qos.high.Flags=Odd", "a value that is modelled"),
        ("account.chem.Fairshare=5", "no account chem"),
        ("user.bob.MaxJobs=5", "no user bob"),
        ("node.c[01.State=DOWN", "a list of nodes"),
        ("node.c09.State=DOWN", "no node c09"),
    ] {
        let error = changed(&[change]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{change}: {error}");
    }
}
