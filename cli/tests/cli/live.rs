//! `allocate --live`: a site of fake commands, what they are asked, and what they may say.
#![cfg(unix)]

use serde_json::json as value;

use crate::allocate::sizes;
use crate::{Folder, SACCT, json};

/// A site of fake commands: `squeue` and `sinfo` that print this.
fn site(squeue: &str, sinfo: &str) -> Folder {
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
fn a_live_site_is_asked_who_runs_and_who_waits() {
    let queue = "printf '7|RUNNING|6|15:00|0:00|5|ada|None\\n8|RUNNING|2|8:20|0:00|5|bob|None\\n3|PENDING|4|1:40|0:00|9|eve|Resources\\n\
                 4|PENDING|9|1:40|0:00|99|eve|Dependency\\n'";
    let nodes = "printf 'a|4/1/0/5\\na|4/1/0/5\\nb|4/1/0/5\\nc|0/0/5/5\\n'";
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
        "-h -r -t RUNNING,CONFIGURING,PENDING -o %i|%T|%C|%l|%M|%Q|%u|%V|%r -a"
    );
    let learned = json(&mut run(&format!("{line} site.sacct --partition long")));
    assert_eq!(learned["state"]["ended"], 2);
    assert!(folder.read("asked-sinfo").trim().ends_with("-p long"));
    let noted = run(line).assert().success();
    assert!(
        String::from_utf8_lossy(&noted.get_output().stderr).contains("1 of 4 jobs wait for something else")
    );

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
