//! `allocate --live`: a site of fake commands, what they are asked, and what they may say.
#![cfg(unix)]

use serde_json::json as value;

use crate::allocate::sizes;
use crate::{Folder, SACCT, json};

/// A site of fake commands: `squeue` and `sinfo` that print this.
pub fn site(squeue: &str, sinfo: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with("site.sacct", SACCT);
    for (name, text) in [("squeue", squeue), ("sinfo", sinfo)] {
        let script = format!("#!/bin/sh\necho \"$@\" > asked-{name}\n{text}\n");
        std::fs::write(folder.path(name), script).unwrap();
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

#[test]
fn a_live_site_is_asked_which_jobs_run_and_wait() {
    let queue = "printf '7|RUNNING|6|15:00|0:00|5|ada|N/A|long|a,b|None\\n8|RUNNING|2|8:20|0:00|5|bob|N/A|long|a,b|None\\n\
                 3|PENDING|4|1:40|0:00|9|eve|N/A|long||Resources\\n4|PENDING|9|1:40|0:00|99|eve|N/A|long||Dependency\\n'";
    let nodes = "printf '\
                 a|4/1/0/5|long|up|infinite|1-infinite|UNLIMITED|1\\na|4/1/0/5|wide|up|infinite|1-infinite|UNLIMITED|1\\n\
                 b|4/1/0/5|long|up|infinite|1-infinite|UNLIMITED|1\\nb|4/1/0/5|wide|up|infinite|1-infinite|UNLIMITED|1\\n\
                 c|0/0/5/5|long|up|infinite|1-infinite|UNLIMITED|1\\nc|0/0/5/5|wide|up|infinite|1-infinite|UNLIMITED|1\\n'";
    let folder = site(queue, nodes);
    let run = |line: &str| {
        let mut command = folder.queuecast(line);
        command.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
        command
    };
    // As in the log above: 500 and 900 s are left, and the one that waits holds four for 100 s.
    let line = "allocate --live --runs 2=400,4=300,6=200 --policy fcfs --format json";
    let result = json(&mut run(line));
    assert_eq!(sizes(&result), [(2, 600.0, 1000.0), (4, 600.0, 900.0), (6, 900.0, 1100.0)]);
    assert_eq!((&result["state"]["procs"], &result["state"]["waiting"]), (&value!(10), &value!(1)));
    assert_eq!(
        folder.read("asked-squeue").trim(),
        "-h -a -r -t RUNNING,CONFIGURING,PENDING -o %i|%T|%C|%l|%M|%Q|%u|%V|%P|%N|%a|%q|%v|%S|%E|%r"
    );
    assert_eq!(result["partition"], "long,wide", "they have the same nodes, limits and tier");
    assert_eq!(result["machine"], value!({"procs": 10, "source": "sinfo"}));
    let learned = json(&mut run(&format!("{line} site.sacct --partition long")));
    assert_eq!(learned["state"]["ended"], 2);
    assert_eq!(folder.read("asked-sinfo").trim(), "-h -a -N -o %N|%C|%R|%a|%l|%s|%B|%p|%T");
    assert_eq!((&learned["partition"], &learned["history"]["procs"]), (&value!("long"), &value!(15)));
    let noted = run(line).assert().success();
    assert!(
        String::from_utf8_lossy(&noted.get_output().stderr).contains("1 of 4 jobs wait for something else")
    );

    // The same site asked when a job would start: behind the one that waits, or at the latest when all has ended.
    let when = json(&mut run("when --live -n 4 -t 5m -p long --format json"));
    assert_eq!(
        (&when["method"], &when["record"]),
        (&value!("simulated"), &value!(null)),
        "nothing to learn from"
    );
    assert_eq!((&when["state"]["waiting"], &when["state"]["free"]), (&value!(1), &value!(2)));
    let p90 = when["wait"]["p90"].as_f64().unwrap();
    assert!((1.0..=1000.0).contains(&p90), "{p90}");
    let several = json(&mut run("when --live site.sacct -n 4 -t 5m --format json"));
    assert_eq!((&several["partition"], &several["learned"]), (&value!("long,wide"), &value!(2)));
    let too_large = run("when --live -n 400 -t 5m").assert().code(2);
    assert!(String::from_utf8_lossy(&too_large.get_output().stderr).contains("no partition allows this job"));

    for (squeue, sinfo, said) in [
        ("echo NAME", nodes, "line 1 of squeue is not as asked for"),
        ("echo slurm is down >&2; exit 1", nodes, "squeue failed: slurm is down"),
        (queue, "true", "no processors"),
    ] {
        let folder = site(squeue, sinfo);
        let mut command = folder.queuecast("allocate --live --runs 2=400");
        let output =
            command.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display())).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(said),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let nowhere = folder.queuecast("allocate --live --runs 2=400").env("PATH", "/nowhere").output().unwrap();
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("there is no sinfo here"));
    let oracle = run("allocate --live --runs 2=400 --predictor perfect").output().unwrap();
    assert!(String::from_utf8_lossy(&oracle.stderr).contains("the future of a live site is not known"));
}

/// Four nodes of four processors, all held by jobs of `short`; `long` has two of them, and `test` starts no jobs.
pub fn overlapping() -> Folder {
    let node = |name: &str, partition: &str, limits: &str| format!("{name}|4/0/0/4|{partition}|{limits}\\n");
    let mut nodes = String::new();
    for name in ["a", "b", "c", "d"] {
        nodes += &node(name, "short", "up|10:00|1-infinite|UNLIMITED|1");
    }
    for name in ["a", "b"] {
        nodes += &node(name, "long", "up|1-00:00:00|1-2|UNLIMITED|1");
        nodes += &node(name, "test", "down|1-00:00:00|1-2|UNLIMITED|1");
    }
    let queue =
        "1|RUNNING|8|5:00|1:00|5|ada|N/A|short|a,b|None\\n2|RUNNING|8|5:00|2:00|5|ada|N/A|short|c,d|None\\n";
    site(&format!("printf '{queue}'"), &format!("printf '{nodes}'"))
}

pub fn run(folder: &Folder, line: &str) -> assert_cmd::Command {
    let mut command = folder.queuecast(line);
    command.env("PATH", format!("{}:/bin:/usr/bin", folder.path("").display()));
    command
}

#[test]
fn jobs_of_other_partitions_hold_the_nodes_of_a_partition() {
    let folder = overlapping();
    let line = "allocate --live --partition long --runs 2=5m,8=2m --policy fcfs --format json";
    let result = json(&mut run(&folder, line));
    let state = &result["state"];
    assert_eq!((&state["free"], &state["procs"], &state["running"]), (&value!(0), &value!(8), &value!(1)));
    // The job on these nodes may run for four minutes more.
    assert_eq!(sizes(&result), [(2, 240.0, 540.0), (8, 240.0, 360.0)]);
    assert_eq!(result["sizes"][0]["at_once"], 0.0);
}

#[test]
fn each_partition_has_its_own_answer_within_its_limits() {
    let folder = overlapping();
    let line = "allocate --live --runs 4=20m,8=12m,16=8m --policy fcfs";
    let result = json(&mut run(&folder, &format!("{line} --format json")));
    let answers = result["partitions"].as_array().unwrap();
    let seen: Vec<(&str, Vec<u64>, &serde_json::Value)> = answers
        .iter()
        .map(|one| {
            let sizes = sizes(one).iter().map(|size| size.0).collect();
            (one["partition"].as_str().unwrap(), sizes, &one["excluded"])
        })
        .collect();
    // Sixteen are more than `long` has, and only sixteen are done within ten minutes.
    assert_eq!(seen, [("long", vec![4, 8], &value!([16])), ("short", vec![16], &value!([4, 8]))]);
    assert_eq!(answers[0]["limits"], value!({"most": 8, "longest": 86_400}));
    let text = crate::stdout(&mut run(&folder, line));
    assert!(text.contains("long: Ask for 8 processors") && text.contains("short: Ask for 16"), "{text}");
    assert!(text.contains("Of all, 16 processors in short would be done soonest"), "{text}");
    let csv = crate::stdout(&mut run(&folder, &format!("{line} --format csv")));
    assert_eq!(crate::column(&csv, "partition"), ["long", "long", "short"]);
    // Where one partition allows nothing, it says so; where none does, that is an error.
    let text = crate::stdout(&mut run(&folder, "allocate --live --runs 4=20m"));
    assert!(
        text.contains("short: no size is allowed there: a job may have at most 16 processors and 600 s"),
        "{text}"
    );
    for (line, said) in [
        ("allocate --live --runs 16=2h", "no partition allows any of the sizes"),
        ("allocate --live --runs 4=20m --partition short", "at most 16 processors and 600 s"),
        ("allocate --live --runs 4=6m --give-or-take 2 --partition short", "no size is allowed there"),
        ("allocate --live --runs 4=6m --fewest 9 --partition long", "no size is allowed there"),
        ("allocate --live --runs 4=6m --sizes 12 --partition long", "no size is allowed there"),
        ("allocate --live --runs 4=5m --partition test", "it starts no jobs now"),
        ("allocate --live --runs 4=5m --partition none", "partitions of this site: long, short, test"),
    ] {
        let output = run(&folder, line).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(said), "{line}: {error}");
    }
    // Sizes of a model, and those between measured ones, stay within the limits too.
    let modelled =
        "allocate --live --partition long --lifetime 1h --parallelism 12 --variance 0 --format json";
    assert_eq!(json(&mut run(&folder, modelled))["sizes"].as_array().unwrap().len(), 8);
    let between = "allocate --live --partition long --runs 2=40m,4=20m,16=5m --between --format json";
    assert_eq!(json(&mut run(&folder, between))["sizes"].as_array().unwrap().len(), 7);
}

#[test]
fn a_guessed_machine_is_said_and_sinfo_knows_better() {
    let folder = overlapping();
    let line = "allocate site.sacct --runs 2=2m";
    let known = json(&mut run(&folder, &format!("{line} --format json")));
    assert_eq!(known["machine"], value!({"procs": 16, "source": "sinfo"}));
    assert!(
        crate::stdout(&mut run(&folder, line)).contains("16 processors (from sinfo); --procs if the log")
    );
    let given = json(&mut run(&folder, &format!("{line} --procs 9 --format json")));
    assert_eq!(given["machine"], value!({"procs": 9, "source": "given"}));
    let alone = json(folder.queuecast(&format!("{line} --format json")).env("PATH", "/nowhere"));
    assert_eq!(alone["machine"], value!({"procs": 4, "source": "largest_job_by_then"}));
    let text = crate::stdout(folder.queuecast(line).env("PATH", "/nowhere"));
    assert!(
        text.contains("the machine is taken to have 4 processors (the size of the largest job"),
        "{text}"
    );
}

#[test]
fn running_jobs_larger_than_the_machine_given_hold_all_of_it() {
    let folder = overlapping();
    let line = "allocate --live --partition short --procs 6 --runs 2=5m --policy fcfs --format json";
    let output = run(&folder, line).output().unwrap();
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["state"]["free"], &result["state"]["procs"]), (&value!(0), &value!(6)));
    // The younger of the two has four minutes left.
    assert_eq!(sizes(&result), [(2, 240.0, 540.0)]);
    let noted = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        noted.contains("2 jobs run on more than 6 processors; each is taken to hold all of them"),
        "{noted}"
    );
}

#[test]
fn a_waiting_job_larger_than_what_is_in_service_is_reported() {
    // Two of the eight processors are held by no listed job; the first waiting job asks for seven.
    let folder = site(
        "printf '1|RUNNING|6|5:00|1:00|5|ada|N/A|long|a|None\\n2|PENDING|7|5:00|0:00|5|ada|N/A|long||Priority\\n\
         3|PENDING|6|5:00|0:00|4|ada|N/A|long||Priority\\n'",
        "printf 'a|8/0/0/8|long|up|infinite|1-infinite|UNLIMITED|1\\n'",
    );
    let output = run(&folder, "allocate --live --runs 2=5m --format json").output().unwrap();
    let noted = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        noted.contains("1 of 3 jobs wait for something else than processors, or want more than 6"),
        "{noted}"
    );
    assert!(
        noted.contains(
            "2 processors are held by no job that squeue lists; they are counted as out of service"
        ),
        "{noted}"
    );
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["state"]["waiting"], &result["state"]["running"]), (&value!(1), &value!(1)));
}
