//! `site check`, `site capture` and `site compare`: folders written here, and a site of fake commands.

use std::fs;

use serde_json::{Value, json as value};

use crate::{Folder, json, stdout};

/// A site in two configuration files.
const CONF: &str = "\
ClusterName=toy
SchedulerParameters=bf_interval=15,bf_topopt_enable
PrologSlurmctld=/bin/wait
NodeName=DEFAULT CPUs=8 RealMemory=16000
NodeName=n[01-03] Feature=old
NodeName=g1 Gres=gpu:a100:2 Weight=5
PartitionName=batch Nodes=n[01-03],x9 Default=YES MaxTime=60 DenyAccounts=guests
PartitionName=empty
KillWait=soon
";

pub const QOS: &str = "Name|Priority|MaxTRESPU|MaxJobsPU|UsageFactor\nnormal|10|cpu=80|3|1.000000\n";

pub const ASSOC: &str =
    "Cluster|Account|User|Share|ParentName\ntoy|root||1|\ntoy|phys||60|root\ntoy|phys|ann|1|\n";

fn toy() -> Folder {
    let folder = Folder::with("slurm.conf", CONF);
    fs::write(folder.path("qos.txt"), QOS).unwrap();
    fs::write(folder.path("accounts"), ASSOC).unwrap();
    fs::write(folder.path("notes.txt"), "nothing of a site").unwrap();
    folder
}

/// The names of what a list in the answer has.
fn names<'a>(answer: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    answer[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}

#[test]
fn a_folder_is_read_as_a_site() {
    let folder = toy();
    let answer = json(&mut folder.queuecast("site check . --format json"));
    assert_eq!(answer["cluster"]["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(answer["cluster"]["classes"], value!([{"nodes": [0]}, {"nodes": [1, 2, 3]}]));
    assert_eq!(answer["cluster"]["partitions"][0]["max_time"], 3600);
    assert_eq!(answer["cluster"]["qos"][0]["per_user"]["tres"]["cpu"], 80);
    assert_eq!(answer["cluster"]["associations"][2]["parent"], 1);
    assert_eq!(answer["cluster"]["settings"]["backfill"]["interval"], 15);
    assert_eq!(names(&answer, "differing", "name"), ["bf_interval"]);
    assert_eq!(
        names(&answer, "not_modelled", "name"),
        ["PrologSlurmctld", "SchedulerParameters:bf_topopt_enable"]
    );
    assert_eq!(answer["not_modelled"][0]["line"], 3);
    assert_eq!(
        (&answer["misread"][0]["line"], &answer["misread"][0]["file"]),
        (&value!(9), &value!("slurm.conf"))
    );
    assert_eq!(answer["ignored"], value!(["notes.txt"]));
    let warnings = answer["warnings"].to_string();
    for part in [
        "partition batch names unknown nodes: x9",
        "partition empty has no nodes",
        "nodes of no partition: g1",
    ] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
    assert!(names(&answer, "missing", "what").contains(&"scontrol show node"));
}

#[test]
fn the_tables_say_the_same() {
    let folder = toy();
    let text = stdout(&mut folder.queuecast("site check ."));
    for part in [
        "n[01-03]",
        "gpu:a100:2",
        "batch      yes",
        "accounts not guests",
        "user: cpu=80 jobs=3",
        "Settings that differ from the defaults",
        "Matters to scheduling and is not modelled",
        "slurm.conf:3",
        "partition empty has no nodes",
        "Could not be read",
        "KillWait=soon",
        "a length of time",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = stdout(&mut folder.queuecast("site check . --format csv"));
    assert!(csv.starts_with("table,row,column,value\n"), "{csv}");
    for line in [
        "partitions,1,partition,batch",
        "partitions,1,max_time_seconds,3600",
        "node_classes,2,nodes,n[01-03]",
        "not_modelled,1,setting,PrologSlurmctld",
    ] {
        assert!(csv.lines().any(|one| one.replace('"', "") == line), "{line} is not in\n{csv}");
    }
    let noted = folder.queuecast("site check .").assert().success();
    assert!(String::from_utf8_lossy(&noted.get_output().stderr).contains("1 place could not be read"));
}

#[test]
fn half_of_the_files_or_compressed_ones_do() {
    use std::io::Write;
    let folder = toy();
    fs::remove_file(folder.path("slurm.conf")).unwrap();
    let answer = json(&mut folder.queuecast("site check . --format json"));
    assert_eq!(answer["cluster"]["nodes"], value!([]));
    assert!(names(&answer, "missing", "what").contains(&"scontrol show config, slurm.conf"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(CONF.as_bytes()).unwrap();
    fs::write(folder.path("slurm.conf.gz"), packed.finish().unwrap()).unwrap();
    let answer = json(&mut folder.queuecast("site check . --format json"));
    assert_eq!(answer["cluster"]["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(answer["used"]["slurm.conf"], "slurm-conf");
}

#[test]
fn hostile_names_are_shown_harmlessly() {
    let folder = Folder::with(
        "slurm.conf",
        "ClusterName=\u{1b}[31mred\nNodeName=n1 Feature=a\u{7}b\nPartitionName=p\u{202e}q Nodes=n1,\u{1b}]0;x Default=YES\n",
    );
    fs::write(folder.path("assoc"), "Cluster|Account|User|Share\nc|root||1\nc|a\u{1b}[2J||x|y\n").unwrap();
    fs::write(folder.path("jobs.csv"), "submit,user,account,run,args\n0,\"a\nb\",c,1,-n 1 -J \u{1b}[2J\n")
        .unwrap();
    for format in ["text", "markdown", "csv", "json"] {
        let shown = stdout(&mut folder.queuecast(&format!("site check . --format {format}")));
        if format != "csv" {
            assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'), "{format}: {shown:?}");
        }
    }
}

#[test]
fn a_partition_or_a_node_without_a_name_is_reported() {
    let conf = "ClusterName=toy\nNodeName=n1 CPUs=4\nNodeName= CPUs=4\nPartitionName= Nodes=n1\nPartitionName=\nPartitionName=all Nodes=n1\n";
    let folder = Folder::with("slurm.conf", conf);
    let answer = json(&mut folder.queuecast("site check . --format json"));
    let name = "the name of a partition";
    let misread = [
        (3, "NodeName=CPUs=4", "the names of nodes"),
        (4, "PartitionName=Nodes=n1", name),
        (5, "PartitionName=", name),
    ];
    let misread = misread.map(|(line, found, expected)| {
        value!({"file": "slurm.conf", "line": line, "found": found, "expected": expected})
    });
    assert_eq!(answer["misread"], value!(misread));
    assert_eq!(answer["cluster"]["partitions"].as_array().unwrap().len(), 1);
    assert_eq!(answer["cluster"]["nodes"].as_array().unwrap().len(), 1);
    let text = stdout(&mut folder.queuecast("site check ."));
    assert!(text.contains("the name of a partition"), "{text}");
}

#[test]
fn what_is_no_site_is_refused() {
    let folder = Folder::with("notes.txt", "nothing of a site");
    for (line, part) in [
        ("site check .", "its only file is not known"),
        ("site check nowhere", "there is no such folder"),
        ("site check notes.txt", "notes.txt is not a folder"),
    ] {
        let refused = folder.queuecast(line).assert().code(3);
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(said.contains(part) && said.contains("hint:"), "{line}: {said}");
    }
}

/// Two nodes and a recorded run of three jobs: the second needs both nodes.
fn recorded() -> Folder {
    let conf = "\
ClusterName=pair
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n[1-2] CPUs=4 CoresPerSocket=4 RealMemory=8000
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=60
";
    let folder = Folder::with("slurm.conf", conf);
    let jobs = "\
key,user,account,submit,start,end,state,planned_run,limit_s,partition,cpus,nodes,nodelist,flags,args
a,ann,,0,1,301,COMPLETED,300,600,all,4,1,n1,SchedMain,-n 4 -t 10
b,bob,,5,301,361,COMPLETED,60,600,all,8,2,n[1-2],SchedMain,-n 8 -t 10
c,ann,,10,30,60,COMPLETED,30,120,all,4,1,n2,SchedBackfill,-n 4 -t 2
";
    fs::write(folder.path("jobs.csv"), jobs).unwrap();
    folder
}

#[test]
fn a_recorded_run_is_simulated_and_compared() {
    let folder = recorded();
    let answer = json(&mut folder.queuecast("site compare . --format json"));
    let pair = &answer["pairs"][0];
    assert_eq!((&pair["b"], &pair["jobs"]), (&value!("simulated"), &value!(3)), "{answer}");
    assert!(pair["worst"].as_i64().unwrap() <= 35, "within a backfilling cycle: {pair}");
    assert_eq!(pair["same_nodes"], 100.0, "{pair}");
    assert!(pair["same_scheduler"].as_f64().is_some_and(|share| share > 0.0), "{pair}");
    assert_eq!(answer["not_modelled"], value!([]));
    let text = stdout(&mut folder.queuecast("site compare ."));
    assert!(text.contains("Starts that differ") && text.contains("Mean waits"), "{text}");
    let csv = stdout(&mut folder.queuecast("site compare . . --format csv"));
    // Twice beside its simulation, and beside itself.
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.lines().last().unwrap().contains(",3,0,0,"), "control: {csv}");
}

#[test]
fn a_folder_without_a_run_says_so() {
    let folder = toy();
    let output = folder.queuecast("site compare .").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && told.contains("no submissions are recorded"), "{told}");
    // A machine that cannot be known.
    let folder = recorded();
    fs::remove_file(folder.path("slurm.conf")).unwrap();
    let output = folder.queuecast("site compare .").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && told.contains("no nodes or no partitions"), "{told}");
    // What is used and not modelled is named.
    let folder = recorded();
    let conf = fs::read_to_string(folder.path("slurm.conf")).unwrap();
    let conf = conf + "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n";
    fs::write(folder.path("slurm.conf"), conf).unwrap();
    let answer = json(&mut folder.queuecast("site compare . --format json"));
    assert_eq!(answer["not_modelled"], value!(["preemption by suspending jobs", "gang scheduling"]));
}

/// The recorded run with what its controller logged: the first and the third job start, the second is planned after the first.
fn logged(third_on: &str) -> Folder {
    let folder = recorded();
    let jobs = fs::read_to_string(folder.path("jobs.csv")).unwrap();
    let jobs = jobs.replace("key,", "key,jobid,").replace("\na,", "\na,1,").replace("\nb,", "\nb,2,");
    fs::write(folder.path("jobs.csv"), jobs.replace("\nc,", "\nc,3,")).unwrap();
    let clock = r#"{"t0_epoch": 1794700800, "slurmctld_start": 1794700740.0}"#;
    fs::write(folder.path("meta.json"), clock).unwrap();
    let log = format!(
        "\
[2026-11-14T23:59:00.000] slurmctld version 22.05.8 started on cluster pair
[2026-11-15T00:00:00.100] _slurm_rpc_submit_batch_job: JobId=1 InitPrio=1 usec=1
[2026-11-15T00:00:01.000] sched: Allocate JobId=1 NodeList=n1 #CPUs=4 Partition=all
[2026-11-15T00:00:05.100] _slurm_rpc_submit_batch_job: JobId=2 InitPrio=1 usec=1
[2026-11-15T00:00:10.100] _slurm_rpc_submit_batch_job: JobId=3 InitPrio=1 usec=1
[2026-11-15T00:00:30.000] sched/backfill: _attempt_backfill: beginning
[2026-11-15T00:00:30.001] sched/backfill: _dump_job_sched: JobId=2 to start at 2026-11-15T00:10:01, end at 2026-11-15T00:20:00 on nodes n[1-2] in partition all
[2026-11-15T00:00:30.001] sched/backfill: _start_job: Started JobId=3 in all on {third_on}
"
    );
    fs::write(folder.path("slurmctld.log"), log).unwrap();
    folder
}

#[test]
fn recorded_decisions_are_compared_from_the_recorded_state() {
    let shares = |folder: &Folder| {
        let answer = json(&mut folder.queuecast("site compare . --decisions --format json"));
        let all = answer["decisions"].as_array().unwrap().clone();
        all.iter()
            .map(|one| format!("{} {} of {}", one["what"], one["equal"], one["cases"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    let folder = logged("n2");
    let expected = [
        "priority 0 of 0",
        "plan-start 1 of 1",
        "plan-nodes 1 of 1",
        "backfill-start 1 of 1",
        "start-nodes 2 of 2",
        "kill 0 of 0",
    ];
    assert_eq!(shares(&folder), expected);
    // Control: a start on the node that is in use.
    assert_eq!(shares(&logged("n1"))[4], "start-nodes 1 of 2");
    let text = stdout(&mut folder.queuecast("site compare . --decisions"));
    assert!(text.contains("Decisions from the recorded state") && text.contains("plan-start"), "{text}");
    let csv = stdout(&mut folder.queuecast("site compare . --decisions --format csv"));
    assert_eq!(csv.lines().next(), Some("run,what,cases,equal,share"), "{csv}");
    assert_eq!(csv.lines().count(), 7, "{csv}");
    // Not asked for, or nothing is recorded.
    let answer = json(&mut folder.queuecast("site compare . --format json"));
    assert!(answer.get("decisions").is_none(), "{answer}");
    let output = recorded().queuecast("site compare . --decisions --format json").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("no decisions are recorded"), "{output:?}");
}
