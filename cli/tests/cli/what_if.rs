//! `simulate --site` and `compare --site`: what would become of submissions at a Slurm site.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json as value};

use crate::{FOUR, Folder, SACCT, column, json, stdout};

const CONF: &str = "\
ClusterName=toy
SchedulerParameters=bf_interval=15
PrologSlurmctld=/bin/wait
NodeName=n[1-2] CPUs=4 RealMemory=8000
NodeName=g1 CPUs=4 RealMemory=8000 Gres=gpu:2
PartitionName=batch Nodes=n[1-2] Default=YES MaxTime=60
PartitionName=gpu Nodes=g1
PartitionName=empty
";

const QOS: &str = "Name|Priority|MaxTRESPU|MaxJobsPU|UsageFactor\nnormal|10|||1.0\nhigh|100||1|1.0\n";

const ASSOC: &str = "Cluster|Account|User|Share|ParentName\ntoy|root||1|\ntoy|phys||60|root\ntoy|phys|ann|1|\ntoy|phys|bob|1|\n";

/// Two jobs fill the machine, two wait for it, one waits for another, one has nowhere to run, one wants a GPU.
pub const JOBS: &str = "\
key,submit,user,account,run,args
a,0,ann,phys,600,-n 4 -t 20
b,1,bob,phys,600,-n 4 -t 20 -q normal
c,2,ann,phys,100,-n 8 -N 2 -t 10
d,3,bob,phys,100,-n 4 -t 10
e,4,ann,phys,50,-n 1 -t 5 -d afterok:@a
f,5,ann,phys,50,-n 1 -p empty
g,6,bob,phys,50,-n 1 -p gpu --gres=gpu:2 -t 5
h,7,bob,phys,-1,--array=0-1 -n 1 -t 1 -p gpu
";

pub fn toy() -> Folder {
    let folder = Folder::with("jobs.csv", JOBS);
    fs::create_dir(folder.path("site")).unwrap();
    for (name, text) in [("slurm.conf", CONF), ("qos", QOS), ("assoc", ASSOC)] {
        fs::write(folder.path("site").join(name), text).unwrap();
    }
    folder
}

/// The row of a group in the answer.
fn waits<'a>(answer: &'a Value, by: &str, group: &str) -> &'a Value {
    let found =
        answer["waits"].as_array().unwrap().iter().find(|one| one["by"] == by && one["group"] == group);
    found.unwrap_or_else(|| panic!("no {by} {group}"))
}

pub fn error(folder: &Folder, line: &str, code: i32) -> String {
    let refused = folder.queuecast(line).assert().code(code);
    String::from_utf8_lossy(&refused.get_output().stderr).into_owned()
}

#[test]
fn variants_have_a_chart_and_jobs_that_do_not_start_stay_in_view() {
    let folder = toy();
    let line = "compare jobs.csv --site site --policy fcfs,easy --against partition.batch.nodes=+2";
    let text = stdout(folder.queuecast(&format!("{line} --plot waits.svg")).env("COLUMNS", "80"));
    let heading = text.lines().find(|line| line.starts_with("variant")).unwrap();
    assert!(heading.contains("started") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("hidden"), "control: the page is too narrow for all columns: {text}");
    let (_, chart) = text.split_once("Mean wait from submission to start").unwrap();
    for name in ["fcfs", "easy", "partition.batch.nodes=+2"] {
        assert!(chart.lines().any(|line| line.contains(name)), "{name}: {chart}");
    }
    assert!(folder.read("waits.svg").contains("Mean wait from submission to start"));
    let without = stdout(&mut folder.queuecast(&format!("{line} --no-plot")));
    assert!(!without.contains("Mean wait from submission"), "{without}");
    // One variant is compared with nothing.
    let alone = stdout(&mut folder.queuecast("compare jobs.csv --site site"));
    assert!(!alone.contains("Mean wait from submission"), "{alone}");
    let refused = error(&folder, "compare jobs.csv --site site --plot site/slurm.conf", 2);
    assert!(refused.contains("both input and output"), "{refused}");
    assert!(error(&folder, "simulate jobs.csv --site site --plot x.svg", 2).contains("has no chart"));
}

#[test]
fn a_folder_of_a_site_in_place_of_a_log_names_the_option() {
    let folder = toy();
    for command in ["simulate", "compare"] {
        let refused = folder.queuecast(&format!("{command} site")).assert().code(3);
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains("site is a directory") && said.contains("--site site"), "{command}: {said}");
    }
}

#[test]
fn every_job_is_counted_and_grouped() {
    let folder = toy();
    let answer = json(&mut folder.queuecast("simulate jobs.csv --site site --format json"));
    assert_eq!((&answer["jobs"], &answer["submissions"]), (&value!(9), &value!(8)));
    assert_eq!(answer["states"], value!({"COMPLETED": 6, "REFUSED": 1, "TIMEOUT": 2}));
    assert_eq!((&answer["log"]["kind"], &answer["log"]["jobs"]), (&value!("list"), &value!(9)));
    let all = waits(&answer, "all", "all");
    assert_eq!((&all["started"], &all["not_started"]), (&value!(8), &value!(1)));
    assert_eq!(waits(&answer, "partition", "gpu")["started"], 3);
    // Jobs that name none, and whose associations have none, have it too.
    assert_eq!(waits(&answer, "qos", "normal")["started"], 8);
    assert_eq!(waits(&answer, "account", "phys")["started"], 8);
    assert_eq!(waits(&answer, "size_class", "8-15")["started"], 1);
    // c waits for both nodes, which a and b free after 600 s.
    assert!(waits(&answer, "size_class", "8-15")["mean_wait"].as_f64().unwrap() >= 598.0);
    let reasons: Vec<&str> =
        answer["reasons"].as_array().unwrap().iter().map(|one| one["reason"].as_str().unwrap()).collect();
    for reason in ["resources", "priority", "dependency"] {
        assert!(reasons.contains(&reason), "{reason}: {reasons:?}");
    }
    let names: Vec<&str> =
        answer["resources"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cpu", "mem", "gres/gpu"]);
    assert_eq!(answer["resources"][0]["available"], 12.0);
    let used = answer["resources"][0]["utilization"].as_f64().unwrap();
    assert!(used > 0.3 && used < 1.0, "{used}");
    assert_eq!(answer["not_modelled"], value!(["PrologSlurmctld"]));
    assert!(answer["warnings"].to_string().contains("partition empty has no nodes"));
}

/// `site check` names all that a simulation of the same folder names, and nothing else: settings without and with a row, kinds of
/// reservations, options of submissions.
#[test]
fn a_check_names_what_a_simulation_names() {
    let folder = toy();
    let conf = fs::read_to_string(folder.path("site/slurm.conf")).unwrap();
    let more = "SelectTypeParameters=CR_Core_Memory,CR_ONE_TASK_PER_CORE\nPreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nMaxMemPerNode=8000\nPriorityUsageResetPeriod=MONTHLY\n";
    fs::write(folder.path("site/slurm.conf"), conf + more).unwrap();
    let reserved = "ReservationName=course StartTime=2026-11-15T01:00:00 EndTime=2026-11-15T02:00:00 Nodes=n1 Flags=DAILY,MAGNETIC Users=ann\n";
    fs::write(folder.path("site/scontrol-reservation.txt"), reserved).unwrap();
    let list = fs::read_to_string(folder.path("jobs.csv")).unwrap();
    let jobs = list
        + "odd1,5,ann,phys,60,--ntasks=1 --time=5 --switches=1\nodd2,6,ann,phys,60,--ntasks=1 --time=5 --tmp=5 --licenses=a|b\nodd3,7,ann,phys,60,--ntasks=1 --time=5 : --ntasks=2\n";
    fs::write(folder.path("jobs.csv"), &jobs).unwrap();
    fs::write(folder.path("site/jobs.csv"), &jobs).unwrap();
    let simulated = json(&mut folder.queuecast("simulate jobs.csv --site site --format json"));
    let checked = json(&mut folder.queuecast("site check site --format json"));
    let texts = |list: &Value, field: Option<&str>| -> BTreeSet<String> {
        let name = |one: &Value| field.map_or(one, |field| &one[field]).as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(name).collect()
    };
    let named = texts(&simulated["not_modelled"], None);
    assert_eq!(named, texts(&checked["not_modelled"], Some("name")));
    for name in [
        "PrologSlurmctld",
        "CR_ONE_TASK_PER_CORE",
        "gang scheduling",
        "MaxMemPerNode",
        "PriorityUsageResetPeriod",
        "reservations that are MAGNETIC",
        "reservations that come again (DAILY and the like)",
        "--switches",
        "--tmp",
        "--licenses=a|b",
        "heterogeneous-jobs",
    ] {
        assert!(named.contains(name), "{name}: {named:?}");
    }
    // Without submissions it names what the site alone uses.
    fs::remove_file(folder.path("site/jobs.csv")).unwrap();
    let alone =
        texts(&json(&mut folder.queuecast("site check site --format json"))["not_modelled"], Some("name"));
    assert!(
        alone.is_subset(&named) && alone.contains("CR_ONE_TASK_PER_CORE") && !alone.contains("--switches"),
        "{alone:?}"
    );
}

#[test]
fn settings_are_changed_and_told() {
    let folder = toy();
    let line = "simulate jobs.csv --site site --set partition.batch.nodes=+4 --set bf_interval=60 --set killwait=30 --set qos.high.MaxTRESPerUser=cpu=10 --format json";
    let answer = json(&mut folder.queuecast(line));
    assert_eq!(
        answer["changes"],
        value!([
            {"change": "partition.batch.nodes=+4", "values": [{"name": "partition batch.Nodes", "from": "n[1-2]", "to": "n[1-6]"}]},
            {"change": "bf_interval=60", "values": [{"name": "bf_interval", "from": "15", "to": "60"}]},
            {"change": "killwait=30", "values": []},
            {"change": "qos.high.MaxTRESPerUser=cpu=10", "values": [{"name": "qos high.MaxTRESPerUser", "from": "none", "to": "cpu=10"}]},
        ])
    );
    assert_eq!(answer["resources"][0]["available"], 28.0);
    // Nothing waits for nodes any more.
    assert!(waits(&answer, "size_class", "8-15")["mean_wait"].as_f64().unwrap() < 60.0);
    let text =
        stdout(&mut folder.queuecast("simulate jobs.csv --site site --set bf_interval=60 --set KillWait=30"));
    for part in [
        "bf_interval",
        "(as it is)",
        "1 REFUSED",
        "What jobs waited for",
        "other jobs (dependency)",
        "gres/gpu",
        "(fragmentation)",
        "Not modelled: PrologSlurmctld.",
        "partition empty has no nodes",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = stdout(&mut folder.queuecast("simulate jobs.csv --site site --format csv"));
    assert_eq!(column(&csv, "by")[..4], ["all", "partition", "partition", "partition"]);
    assert!(column(&csv, "by").contains(&"size_class"));
}

#[test]
fn what_cannot_be_set_or_does_not_fit_is_refused() {
    let folder = toy();
    for (line, part) in [
        ("simulate jobs.csv --site site --set PriorityWeigthAge=5", "similar: PriorityWeightAge"),
        ("simulate jobs.csv --site site --set partition.btch.MaxTime=5", "no partition btch; similar: batch"),
        ("simulate jobs.csv --site site --set bf_interval=soon", "is not a number of seconds"),
        ("simulate jobs.csv --site site --set Prolog=/bin/x", "not modelled"),
        ("simulate jobs.csv --site site --set MaxTime", "there is no setting MaxTime"),
        ("simulate jobs.csv --set KillWait=5", "--site <DIR>"),
        ("simulate jobs.csv --site site --predictor recent:2", "name a --policy beside --predictor"),
        ("simulate jobs.csv --site site --procs 5", "cannot be used with '--procs"),
        ("simulate jobs.csv --site site --group-by user", "cannot be used with '--group-by"),
        ("simulate jobs.csv --site site --schedule x.csv --submissions x.csv", "the same file"),
        ("compare jobs.csv --site site --predictor recent:2", "name a --policy beside --predictor"),
        ("compare jobs.csv jobs.csv --site site", "one file of submissions"),
        ("compare jobs.csv --site site --against bf_intervl=5", "similar: bf_interval"),
        ("compare jobs.csv --against bf_interval=5", "--site <DIR>"),
    ] {
        let said = error(&folder, line, 2);
        assert!(said.contains(part), "{line}: {said}");
    }
    // Control: what is refused with a site is read without one.
    fs::write(folder.path("four.swf"), FOUR).unwrap();
    folder.queuecast("simulate four.swf --policy easy --procs 100 --group-by user").assert().success();
}

#[test]
fn what_is_no_site_or_no_log_is_refused() {
    let folder = toy();
    fs::create_dir(folder.path("bare")).unwrap();
    fs::write(folder.path("bare/qos"), QOS).unwrap();
    fs::write(folder.path("notes.txt"), "nothing of a log\n").unwrap();
    fs::write(folder.path("bad.csv"), "submit,user,args\nx,ann,-n 1\n").unwrap();
    for (line, part) in [
        ("simulate jobs.csv --site nowhere", "there is no such folder"),
        ("simulate nowhere.csv --site site", "no such file"),
        ("simulate jobs.csv --site bare", "the site has no nodes"),
        ("simulate notes.txt --site site", "notes.txt"),
        ("simulate bad.csv --site site", "bad.csv:2"),
    ] {
        let said = error(&folder, line, 3);
        assert!(said.contains(part) && said.contains("hint:"), "{line}: {said}");
    }
}

#[test]
fn accounting_and_swf_are_submitted_too() {
    let folder = toy();
    fs::write(folder.path("site.sacct"), SACCT).unwrap();
    fs::write(folder.path("four.swf"), FOUR.replace("100 70", "100 7").replace("-1 70", "-1 7")).unwrap();
    let answer = json(&mut folder.queuecast("simulate site.sacct --site site --format json"));
    assert_eq!((&answer["log"]["kind"], &answer["jobs"]), (&value!("sacct"), &value!(2)));
    assert_eq!(
        answer["log"]["rules"][0],
        value!({"rule": "steps of jobs, which are part of their jobs", "count": 1, "line": 3})
    );
    assert_eq!(answer["recorded"]["mean_wait"], 37.5);
    assert_eq!(answer["states"], value!({"COMPLETED": 1, "FAILED": 1}));
    let answer = json(&mut folder.queuecast("simulate four.swf --site site --format json"));
    assert_eq!((&answer["log"]["kind"], &answer["jobs"]), (&value!("swf"), &value!(4)));
    assert!(answer["log"]["assumed"].to_string().contains("default partition"), "{answer}");
    // Jobs of 80 and 90 processors fit nowhere.
    assert_eq!(answer["states"]["REFUSED"], 3, "{}", answer["states"]);
}

#[test]
fn what_was_simulated_is_written_and_read_again() {
    let folder = toy();
    let line = "simulate jobs.csv --site site --submissions list.csv --schedule placed.csv --format json";
    let first = json(&mut folder.queuecast(line));
    let list = folder.read("list.csv");
    assert!(list.starts_with("key,jobid,submit,user,account,run,args,not_modelled\na,,0,ann,phys,600,--ntasks=4 --time=0-00:20:00,\n"), "{list}");
    let placed = folder.read("placed.csv");
    assert_eq!(column(&placed, "key").len(), 9);
    assert!(column(&placed, "state").contains(&"REFUSED"));
    let mut again = json(&mut folder.queuecast("simulate list.csv --site site --format json"));
    again["source"] = first["source"].clone();
    assert_eq!(again, first);
    // Control: another list has another answer.
    fs::write(folder.path("list.csv"), list.replace(",600,", ",900,")).unwrap();
    let mut other = json(&mut folder.queuecast("simulate list.csv --site site --format json"));
    other["source"] = first["source"].clone();
    assert_ne!(other, first);
}

#[test]
fn variants_are_compared_with_the_first() {
    let folder = toy();
    let mut command = folder.queuecast("compare jobs.csv --site site --against partition.batch.nodes=+2 --against KillWait=31 --shake 20s --seeds 3 --format json");
    let answer = json(&mut command);
    let metric = |place: usize| answer["variants"][place]["metrics"][0].clone();
    assert_eq!(
        (&answer["variants"][0]["name"], &metric(0)["name"]),
        (&value!("as it is"), &value!("mean_wait"))
    );
    assert!(metric(1)["difference"].as_f64().unwrap() < -100.0, "{}", metric(1));
    assert_eq!(metric(1)["shaken"]["beyond_scatter"], true);
    assert_eq!(
        (&metric(2)["difference"], &metric(2)["shaken"]["beyond_scatter"]),
        (&value!(0.0), &value!(false))
    );
    assert_eq!(answer["variants"][1]["answer"]["changes"][0]["change"], "partition.batch.nodes=+2");
    let text = stdout(
        folder
            .queuecast("compare jobs.csv --site site --set bf_interval=30")
            .args(["--against", "KillWait=31 partition.batch.nodes=+2"]),
    );
    for part in ["as it is", "KillWait=31 partition.batch.nodes=+2", "n[1-4]", "bf_interval", "Not modelled"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = stdout(&mut folder.queuecast("compare jobs.csv --site site --site site --format csv"));
    assert_eq!(
        (column(&csv, "variant"), column(&csv, "mean_wait_difference")),
        (vec!["site"; 2], vec!["0"; 2])
    );
    let one = stdout(
        &mut folder
            .queuecast("compare jobs.csv --site site --against bf_interval=60 --threads 1 --format json"),
    );
    let more = stdout(
        &mut folder
            .queuecast("compare jobs.csv --site site --against bf_interval=60 --threads 2 --format json"),
    );
    assert_eq!(one, more, "the same on any number of threads");
}

/// When each job starts, without the array.
fn placed(folder: &Folder, policy: &str) -> Vec<(String, String)> {
    let line = format!("simulate jobs.csv --site site --policy {policy} --schedule placed.csv --format json");
    let answer = json(&mut folder.queuecast(&line));
    assert_eq!((&answer["policy"], &answer["jobs"]), (&value!(policy), &value!(9)));
    assert_eq!(answer["states"], value!({"COMPLETED": 6, "REFUSED": 1, "TIMEOUT": 2}));
    let placed = folder.read("placed.csv");
    let rows = column(&placed, "key").into_iter().zip(column(&placed, "start"));
    rows.take(7).map(|(key, start)| (key.to_owned(), start.to_owned())).collect()
}

#[test]
fn other_policies_work_on_the_sites_nodes() {
    let folder = toy();
    let expected = |starts: [&str; 7]| -> Vec<(String, String)> {
        let keys = ["a", "b", "c", "d", "e", "f", "g"];
        keys.iter().zip(starts).map(|(key, start)| ((*key).to_owned(), start.to_owned())).collect()
    };
    // a and b have the two nodes until 600 and 601, c needs both. When a ends, b could go on until its limit at 1201, and d ends
    // before: it passes c, and so does e on the other node a second later. There are no timers to wait for.
    let passed = expected(["0", "1", "700", "600", "601", "", "6"]);
    for policy in ["easy", "conservative"] {
        assert_eq!(placed(&folder, policy), passed, "{policy}");
    }
    // Of d and e the shorter goes first. It is to end at 900, and d would not have by then: it does not pass c again.
    assert_eq!(placed(&folder, "sjbf"), expected(["0", "1", "650", "750", "600", "", "6"]));
    // No job passes c.
    assert_eq!(placed(&folder, "fcfs"), expected(["0", "1", "601", "701", "701", "", "6"]));
    let text = stdout(&mut folder.queuecast("simulate jobs.csv --site site --policy easy:depth=2"));
    assert!(text.contains("easy:depth=2") && text.contains("Simulation by another policy"), "{text}");
    // As if it were written with the policy.
    assert_eq!(text, stdout(&mut folder.queuecast("simulate jobs.csv --site site --policy easy --depth 2")));
    assert_eq!(placed(&folder, "easy:priority=wait"), passed);
    let likely = "simulate jobs.csv --site site --policy likely --predictor recent:2 --format json";
    assert_eq!(json(&mut folder.queuecast(likely))["jobs"], 9);
    // Control: without the option it is Slurm's own.
    let own = json(&mut folder.queuecast("simulate jobs.csv --site site --format json"));
    assert_eq!(own["policy"], "slurm");
    let line = "compare jobs.csv --site site --policy fcfs,easy --against KillWait=31 --format csv";
    let compared = stdout(&mut folder.queuecast(line));
    assert_eq!(column(&compared, "variant"), ["as it is", "KillWait=31", "fcfs", "easy"]);
    assert_ne!(column(&compared, "mean_wait_seconds")[2], column(&compared, "mean_wait_seconds")[3]);
}
