//! Properties of the readers of a Slurm site: no text makes them panic, the same texts give the same site, and what is
//! damaged is reported or harmless. What is read can be simulated: each job is told once, and that takes no time to speak of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use queuecast_core::units::Seconds;
use queuecast_sim::sim::Backfill;
use queuecast_slurm_texts::{SiteOptions, SiteReading, read_site, sbatch_line};
use queuecast_study::SitePolicy;

/// A small site with every kind of text.
const SITE: [(&str, &str); 13] = [
    (
        "slurm.conf",
        "ClusterName=toy\nSchedulerType=sched/backfill\nSchedulerParameters=bf_interval=15,bf_window=180,bf_continue,defer\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nPriorityType=priority/multifactor\nPriorityWeightTRES=cpu=100,mem=0.25G\nTopologyPlugin=topology/tree\nAccountingStorageEnforce=associations,limits,qos\nLicenses=matlab:4\nNodeName=DEFAULT CPUs=8 Sockets=2 CoresPerSocket=4 RealMemory=16000\nNodeName=n[01-04] Feature=old,ib \\\n  Weight=10\nNodeName=g[1-2] Gres=gpu:a100:2,fpga:1 # GPUs\nNodeSet=all Nodes=n[01-04],g[1-2]\nPartitionName=DEFAULT MaxTime=1-0 State=UP\nPartitionName=batch Nodes=all Default=YES TRESBillingWeights=\"CPU=1.0,Mem=0.25G\"\nPartitionName=gpu Nodes=g[1-2] OverSubscribe=FORCE:2 QOS=high DenyAccounts=phys\n",
    ),
    (
        "config",
        "Configuration data as of 1794758366\nKillWait                = 30 sec\nPriorityMaxAge          = 7-00:00:00\nSLURM_VERSION           = 24.11.5\nOverTimeLimit           = 0 min\nPreemptMode             = GANG,SUSPEND\nPreemptType             = preempt/qos\nJobSubmitPlugins        = lua\n\nSlurmctld(primary) at a is UP\n",
    ),
    (
        "node",
        "NodeName=n01 Arch=x86_64 CoresPerSocket=4 \n   CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.1\n   AvailableFeatures=old,ib\n   ActiveFeatures=old,ib\n   Gres=(null)\n   OS=Linux 6.1 #1 SMP \n   RealMemory=16000 AllocMem=0 FreeMem=1 Sockets=2 Boards=1\n   State=IDLE+DRAIN ThreadsPerCore=1 Weight=10\n   Reason=broken [root@2026-11-15T01:15:43]\n\nNodeName=g1 CPUTot=8 State=DOWN* Gres=gpu:a100:2(S:0-1),fpga:1 CfgTRES=cpu=8,mem=62.50G\n",
    ),
    (
        "partition",
        "PartitionName=batch AllowGroups=ALL AllowAccounts=phys,bio AllowQos=ALL AllocNodes=ALL Default=YES QoS=N/A DefaultTime=00:10:00 MaxNodes=UNLIMITED MaxTime=1-00:00:00 MinNodes=0 Nodes=n[01-04],g[1-2] PriorityTier=10 OverSubscribe=NO State=UP TotalNodes=6 JobDefaults=DefCpuPerGPU=2 DefMemPerNode=UNLIMITED\n",
    ),
    (
        "reservation",
        "ReservationName=maint StartTime=2026-11-15T02:20:38 EndTime=2026-11-15T02:50:38 Duration=00:30:00 Nodes=n[01-02] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES TRES=cpu=16 Users=root Accounts=(null)\n",
    ),
    ("gres.conf", "AutoDetect=off\nNodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3\n"),
    (
        "topology.conf",
        "SwitchName=s1 Nodes=n[01-04]\nSwitchName=s2 Nodes=g[1-2]\nSwitchName=top Switches=s[1-2]\n",
    ),
    (
        "qos",
        "Name|Priority|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|MaxWall|MaxTRESPU|MaxJobsPU\nnormal|10||cluster|DenyOnLimit|1.000000|cpu=100|1-00:00:00|cpu=80,gres/gpu=2|3\nhigh|100|normal|requeue||2.000000||||\n",
    ),
    (
        "assoc",
        "Cluster|Account|User|Share|GrpTRES|QOS|Def QOS|ParentName\ntoy|root||1||normal||\ntoy|phys||60|cpu=20|normal,high||root\ntoy|phys|ann|parent||normal,high|normal|\n",
    ),
    (
        "jobs.csv",
        "key,jobid,user,state,planned_run,submit,eligible,start,end,nodelist,flags,args\na,1,ann,COMPLETED,20,0,0,1,21,\"n[01-02]\",\"SchedMain,X\",\"-N 2-4 -n 8 --constraint='[old|ib]*2' -t 1-0\"\nb_0,2_0,ann,COMPLETED,5,2,2,3,8,n01,SchedBackfill,\"--array=0-9%4 --gres=gpu:a100:1 -d afterok:1?after:1+5\"\nb_[1-9%4],2_[1-9%4],ann,CANCELLED,\"[1, 2, 3, 4, 5, 6, 7, 8, 9, -1]\",2,,,9,None,,\"--array=0-9%4 --gres=gpu:a100:1\"\n",
    ),
    (
        "submitted.tsv",
        "dt_planned\tdt_call\tdt_done\top\tname\tuser\tjobid\trun\targs\treply\n0\t0.00\t0.02\tsubmit\ta\tann\t1\t20\t-N 2-4 -n 8 -t 1-0 --begin=now+1hour\t\n1\t1.0\t1.1\tadmin\t\t\t\t\"\"\tcreate reservation ReservationName=r StartTime=now+5min Duration=5 Nodes=n01 Accounts=phys\t\n2\t2.0\t2.1\tsubmit\tb\tann\t2\t[1, 2]\t--array=0-9%4 -L matlab:2 --exclusive=user -w n[01-02] --mem=4G\t\n3\t3.0\t3.1\tcancel\tb\t\t2\t\"\"\t\t\n4\t4.0\t4.1\tadmin\t\t\t\t\"\"\tupdate nodename=n02 state=drain\t\n",
    ),
    (
        "events",
        "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\ntoy|n01|2026-11-15T01:15:59|Unknown|DRAIN|broken|root\n",
    ),
    (
        "meta.json",
        "{\"t0_epoch\": 1794756488, \"t0_exact\": 1794756488.15, \"slurmctld_start\": 1794756473.736, \"first_backfill_cycle_after_t0\": 1.36}",
    ),
];

/// A run with jobs of many kinds, for simulation: when, whose, for how long, with which arguments.
const RUN: [(i64, &str, &str, &str); 13] = [
    (0, "ann", "20", "-N 2-4 -n 8 -t 1-0"),
    (0, "ann", "300", "-N 4 -t 10"),
    (1, "bob", "60", "-n 1 --mem=4G -t 5"),
    (2, "ann", "[1, 2, 30, 4, 50, 6, 7, 8, 9, -1]", "--array=0-9%4 --gres=gpu:a100:1 -t 2"),
    (3, "bob", "500", "--exclusive -N 1 -t 8"),
    (5, "ann", "100", "-d afterok:1?after:2+5 -n 3 -t 3"),
    (6, "bob", "10", "--begin=now+1hour -n 2 -t 1"),
    (8, "ann", "900", "-p gpu -N 2 -t 30 --qos=high"),
    (9, "bob", "7", "-C old -n 4"),
    (10, "ann", "5!", "-n 1 --requeue"),
    (11, "bob", "40", "-L matlab:2 -n 1 -t 1"),
    (12, "ann", "40", "-w n01 -n 1"),
    (400, "bob", "40", "-N 3 -t 1 --nice=100"),
];

fn submitted(shift: i64) -> String {
    let mut text = "dt_planned\tdt_call\tdt_done\top\tname\tuser\tjobid\trun\targs\treply\n".to_owned();
    for (number, (at, user, run, args)) in RUN.iter().enumerate() {
        let (at, id) = (if *at == 400 { at + shift } else { *at }, number + 1);
        text += &format!("{at}\t{at}.0\t{at}.1\tsubmit\tj{number}\t{user}\t{id}\t{run}\t{args}\t\n");
    }
    text + "3\t3.0\t3.1\tcancel\tj3\t\t4\t\"\"\t\t\n4\t4.0\t4.1\tadmin\t\t\t\t\"\"\tupdate nodename=n02 state=drain\t\n"
}

/// Simulates what was read by a policy; each task has to be told once, within a minute.
fn simulates(reading: SiteReading, policy: SitePolicy) -> usize {
    let (done, result) = mpsc::channel();
    let Some(run) = reading.recording else { return 0 };
    let tasks: Vec<usize> = run.submissions.iter().map(|job| job.runs.len()).collect();
    let name = policy.to_string();
    thread::spawn(move || {
        let told = policy.simulate(&reading.cluster, &run).unwrap();
        let _ = done.send(told.jobs.into_iter().map(|job| job.submission).collect::<Vec<_>>());
    });
    let told = result.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut found = vec![0; tasks.len()];
    told.iter().for_each(|&submission| found[submission] += 1);
    assert_eq!(found, tasks, "{name}");
    tasks.iter().sum()
}

#[test]
fn every_job_of_the_run_is_simulated_once_by_every_policy() {
    let policies = ["fcfs", "easy", "sjbf", "conservative"].map(|one| one.parse::<Backfill>().unwrap());
    let policies = policies.map(SitePolicy::of);
    for policy in policies.into_iter().chain([SitePolicy::SLURM]) {
        // The last job comes at once, or centuries later.
        for shift in [0, 9_000_000_000] {
            let mut texts = texts();
            texts.insert("submitted.tsv".into(), submitted(shift));
            let reading = read(&texts);
            let keys: BTreeSet<&str> = reading
                .recording
                .iter()
                .flat_map(|run| &run.submissions)
                .map(|job| job.key.as_str())
                .collect();
            assert_eq!(keys.len(), RUN.len(), "{:?}", reading.misread);
            assert_eq!(simulates(reading, policy.clone()), RUN.len() + 9);
        }
    }
}

fn texts() -> BTreeMap<String, String> {
    SITE.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn read(texts: &BTreeMap<String, String>) -> SiteReading {
    read_site(texts, &SiteOptions::default())
}

/// One change of a text.
#[derive(Debug, Clone)]
enum Damage {
    Cut(usize, usize),
    Insert(usize, String),
    Double(usize),
    SwapLines(usize, usize),
    Truncate(usize),
    /// Another number in the place of one.
    Number(usize, u64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let piece = prop_oneof![
        4 => "[-=|,:;\\[\\]()*%&@#\"'\\\\ \t\n0-9a-zA-Z_+?]{1,4}",
        1 => Just("4294967296".to_owned()),
        1 => Just("99999999999999999999".to_owned()),
        1 => Just("[0-999999999]".to_owned()),
        1 => Just("\u{0}".to_owned()),
        1 => Just("\u{e4}\u{1f40c}".to_owned()),
        1 => Just("-1".to_owned()),
    ];
    prop_oneof![
        (any::<usize>(), 1..20_usize).prop_map(|(at, length)| Damage::Cut(at, length)),
        (any::<usize>(), piece).prop_map(|(at, text)| Damage::Insert(at, text)),
        any::<usize>().prop_map(Damage::Double),
        (any::<usize>(), any::<usize>()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        any::<usize>().prop_map(Damage::Truncate),
        (any::<usize>(), prop_oneof![0..200_u64, Just(9_999_999_999), any::<u64>()])
            .prop_map(|(at, number)| Damage::Number(at, number)),
    ]
}

fn damaged(text: &str, damage: &Damage) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = |at: usize, length: usize| if length == 0 { 0 } else { at % length };
    match damage {
        Damage::Cut(at, length) => {
            let from = place(*at, letters.len());
            let to = (from + length).min(letters.len());
            letters.drain(from..to);
        }
        Damage::Insert(at, piece) => {
            let at = place(*at, letters.len() + 1);
            letters.splice(at..at, piece.chars());
        }
        Damage::Truncate(at) => letters.truncate(place(*at, letters.len() + 1)),
        Damage::Number(at, number) => {
            let is_first =
                |&at: &usize| letters[at].is_ascii_digit() && (at == 0 || !letters[at - 1].is_ascii_digit());
            let first: Vec<usize> = (0..letters.len()).filter(is_first).collect();
            if let Some(&from) = first.get(place(*at, first.len())) {
                let digits = letters[from..].iter().take_while(|one| one.is_ascii_digit()).count();
                letters.splice(from..from + digits, number.to_string().chars());
            }
        }
        Damage::Double(at) => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                lines.insert(place(*at, lines.len()), lines[place(*at, lines.len())]);
            }
            return lines.join("\n");
        }
        Damage::SwapLines(one, other) => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let (one, other) = (place(*one, lines.len()), place(*other, lines.len()));
                lines.swap(one, other);
            }
            return lines.join("\n");
        }
    }
    letters.into_iter().collect()
}

/// What has to hold of any reading.
fn is_sound(reading: &SiteReading) {
    let cluster = &reading.cluster;
    let nodes = cluster.nodes.len();
    assert!(
        cluster.nodes.windows(2).all(|pair| queuecast_slurm_sim::cluster::name_order(
            &pair[0].name,
            &pair[1].name
        )
        .is_lt())
    );
    for partition in &cluster.partitions {
        assert!(partition.nodes.is_sorted() && partition.nodes.iter().all(|&node| node < nodes));
    }
    assert_eq!(cluster.classes.iter().map(|class| class.nodes.len()).sum::<usize>(), nodes);
    for (at, one) in cluster.associations.0.iter().enumerate() {
        assert!(one.parent.is_none_or(|parent| parent.0 < at));
    }
    for reservation in &cluster.reservations {
        assert!(reservation.start <= reservation.end && reservation.nodes.iter().all(|&node| node < nodes));
    }
    if let Some(run) = &reading.recording {
        assert!(run.events.is_sorted_by_key(|event| event.at));
        for job in &run.submissions {
            let tasks = job.request.array.as_ref().map_or(1, |array| array.indices.len());
            assert_eq!(job.runs.len(), tasks);
        }
    }
    for one in &reading.misread {
        assert!(one.line > 0 && !one.expected.is_empty() && reading.used.contains_key(&one.file), "{one}");
        assert!(one.found.chars().all(|letter| !letter.is_control()), "{one}");
    }
}

#[test]
fn the_whole_site_is_read() {
    let reading = read(&texts());
    is_sound(&reading);
    assert_eq!(reading.misread, []);
    assert_eq!(reading.used.len(), SITE.len());
    assert_eq!((reading.cluster.nodes.len(), reading.cluster.partitions.len()), (6, 1));
    let run = reading.recording.unwrap();
    assert_eq!((run.submissions.len(), run.events.len(), run.outcomes.len()), (2, 3, 11));
    let named: Vec<&str> = reading.not_modelled.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(named, ["JobSubmitPlugins", "gres.conf:Cores"]);
}

#[test]
fn live_outputs_count_and_what_only_files_have_stays() {
    let reading = read(&texts());
    let cluster = &reading.cluster;
    // scontrol lists two nodes and one partition; slurm.conf has more of both.
    assert!(
        reading.warnings.iter().any(|told| told.contains("partition gpu is in slurm.conf")),
        "{:?}",
        reading.warnings
    );
    assert!(reading.warnings.iter().any(|told| told.contains("not in scontrol's list of nodes")));
    let node = &cluster.nodes[cluster.node("g1").unwrap()];
    assert_eq!((node.memory_mb, node.cores_per_socket, node.gres_count("gpu", Some("a100"))), (64_000, 4, 2));
    assert_eq!(cluster.partitions[0].billing_weights.weight("cpu"), 1.0);
    assert_eq!(cluster.settings.backfill.as_ref().unwrap().interval, Some(Seconds(15)));
}

#[test]
fn control_damage_that_matters_is_reported() {
    for (name, from, to) in [
        ("slurm.conf", "bf_interval=15", "bf_interval=soon"),
        ("slurm.conf", "n[01-04] Feature", "n[01-04 Feature"),
        ("config", "30 sec", "a while"),
        ("node", "RealMemory=16000", "RealMemory=lots"),
        ("partition", "MaxTime=1-00:00:00", "MaxTime=ages"),
        ("reservation", "2026-11-15T02:20:38", "yesterday"),
        ("qos", "|cpu=100|", "|cpu|"),
        ("assoc", "toy|phys||60", "toy|phys||sixty"),
        ("jobs.csv", "--array=0-9%4", "--array=9-0"),
        ("submitted.tsv", "-t 1-0", "--frobnicate"),
        ("meta.json", "{", "["),
    ] {
        let mut texts = texts();
        let damaged = texts[name].replacen(from, to, 1);
        assert_ne!(damaged, texts[name], "{name} has {from}");
        texts.insert(name.into(), damaged);
        let reading = read(&texts);
        let found = reading.misread.iter().any(|one| one.file == name) || !reading.used.contains_key(name);
        assert!(found, "{name}: {to}: {:?}", reading.misread);
    }
}

proptest! {
    #![proptest_config(crate::support::cases(300))]

    #[test]
    fn no_damage_makes_the_readers_panic(which in 0..SITE.len(), damages in proptest::collection::vec(damage(), 1..6)) {
        let mut texts = texts();
        let (name, text) = SITE[which];
        let text = damages.iter().fold(text.to_owned(), |text, damage| damaged(&text, damage));
        texts.insert(name.to_owned(), text);
        let reading = read(&texts);
        is_sound(&reading);
        prop_assert_eq!(&reading, &read(&texts));
    }

    #[test]
    fn no_damage_loses_a_job_or_hangs_the_simulation(
        damages in proptest::collection::vec((0..SITE.len(), damage()), 1..5),
        policy in prop_oneof![3 => Just("slurm"), 1 => Just("easy"), 1 => Just("conservative")],
    ) {
        let mut texts = texts();
        texts.insert("submitted.tsv".into(), submitted(0));
        for (which, damage) in damages {
            let text = texts.get_mut(SITE[which].0).unwrap();
            *text = damaged(text, &damage);
        }
        let policy = policy.parse::<Backfill>().map_or(SitePolicy::SLURM, SitePolicy::of);
        simulates(read(&texts), policy);
    }

    #[test]
    fn half_of_the_texts_are_enough(kept in proptest::collection::vec(any::<bool>(), SITE.len())) {
        let texts: BTreeMap<String, String> =
            texts().into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(text, _)| text).collect();
        let reading = read(&texts);
        is_sound(&reading);
        prop_assert_eq!(reading.misread.len(), 0);
        prop_assert!(!reading.missing.is_empty() || texts.len() > 4);
    }

    #[test]
    fn no_arguments_make_the_reader_panic(words in proptest::collection::vec("-{0,2}[a-zA-Z=-]{0,8}[ -~\u{e4}]{0,6}", 0..8)) {
        // Any answer will do; an error has a text.
        if let Err(error) = sbatch_line(&words.join(" ")) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
