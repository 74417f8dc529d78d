//! Logs from elsewhere: what cannot be read is said on standard error, and each reading option works on every command.

use std::time::{Duration, Instant};

use crate::{Folder, json, stdout};

const HEADER: &str = "JobID|Cluster|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NCPUS|User|Account";

fn rows(numbers: std::ops::Range<u64>, cluster: &str) -> String {
    let row = |id: u64| {
        let (submit, user) = (1_700_000_000 + 86_400 * id, ["ada", "bob"][id as usize % 2]);
        format!("{id}|{cluster}|COMPLETED|{submit}|{}|{}|90|10|4|{user}|physics\n", submit + 30, submit + 120)
    };
    numbers.map(row).collect()
}

/// Every command that reads a log, with FILE for it.
const COMMANDS: [&str; 9] = [
    "trace info FILE",
    "trace clean FILE",
    "trace convert FILE",
    "trace convert FILE --output out.swf",
    "trace head FILE -n 100",
    "simulate FILE",
    "compare FILE --policy easy,fcfs --predictor requested",
    "generate resample FILE --output out.swf",
    "allocate FILE --procs 8 --runs 4=1h",
];

#[test]
fn every_command_warns_of_lines_that_cannot_be_read() {
    let folder = Folder::with("few.psv", format!("{HEADER}\n{}1|2|3\n4|5|6\n", rows(1..40, "east")));
    let fine = format!("{HEADER}\n{}1|2|3\n", rows(1..200, "east"));
    std::fs::write(folder.path("fine.psv"), fine).unwrap();
    let warning = "few.psv: 2 of 41 data lines (4.9%) cannot be read and are left out (first: line 41, ";
    for command in COMMANDS {
        let run = |file: &str| {
            let output = folder.queuecast(&command.replace("FILE", file)).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{command}: {said}");
            said
        };
        let said = run("few.psv");
        assert!(said.contains(warning), "{command}: {said}");
        let said = run("fine.psv");
        assert!(!said.contains("cannot be read"), "control: {command}: {said}");
    }
}

#[test]
fn a_log_most_of_which_would_be_lost_is_refused() {
    let folder =
        Folder::with("most.psv", format!("{HEADER}\n{}{}", rows(1..8, "east"), "1|2|3\n".repeat(10)));
    for command in COMMANDS {
        let output = folder.queuecast(&command.replace("FILE", "most.psv")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        let what = "10 of 17 data lines are malformed (lines 9, 10, 11, 12, 13, 14, 15, 16 and 2 more)";
        assert!(said.contains(what) && said.contains("hint: rows need as many columns"), "{command}: {said}");
        assert!(!folder.path("out.swf").exists(), "{command}");
    }
}

#[test]
fn a_cluster_is_chosen_on_every_command() {
    let folder =
        Folder::with("both.psv", format!("{HEADER}\n{}{}", rows(1..40, "east"), rows(1..30, "west")));
    for command in COMMANDS {
        let output = folder.queuecast(&command.replace("FILE", "both.psv")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        assert!(said.contains("2 clusters: east (39 jobs), west (29 jobs)"), "{command}: {said}");
        assert!(said.contains("--cluster east"), "{command}: {said}");
        assert!(!folder.path("out.swf").exists(), "{command}");
        folder.queuecast(&command.replace("FILE", "both.psv --cluster west")).assert().success();
        let _ = std::fs::remove_file(folder.path("out.swf"));
    }
    let jobs = |cluster: &str| {
        let command = format!("simulate both.psv --cluster {cluster} --format json");
        json(&mut folder.queuecast(&command))["workload"]["jobs"].as_u64()
    };
    assert_eq!((jobs("east"), jobs("west")), (Some(39), Some(29)));
    let said = folder.queuecast("simulate both.psv --cluster north").output().unwrap().stderr;
    assert!(String::from_utf8(said).unwrap().contains("there are east (39 jobs), west (29 jobs)"));
}

#[test]
fn columns_are_named_on_every_command() {
    let folder = Folder::with("bare.psv", rows(1..40, "east"));
    let columns = HEADER.replace('|', ",");
    for command in COMMANDS {
        let output = folder.queuecast(&command.replace("FILE", "bare.psv")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        assert!(said.contains("--columns JobID,User"), "{command}: {said}");
        folder
            .queuecast(&command.replace("FILE", &format!("bare.psv --columns {columns}")))
            .assert()
            .success();
    }
}

#[test]
fn users_of_64_bits_are_users() {
    let line =
        |id: u32, user: u64| format!("{id} {} 5 600 4 -1 -1 4 3600 -1 1 {user} 1 -1 1 1 -1 -1\n", id * 1000);
    let text: String = (1..60).map(|id| line(id, 10_000_000_000 + u64::from(id % 7))).collect();
    let folder = Folder::with("wide.swf", format!("; MaxProcs: 8\n{text}"));
    let info = stdout(&mut folder.queuecast("trace info wide.swf"));
    assert!(!info.contains("no user is known"), "{info}");
    let info = json(&mut folder.queuecast("trace info wide.swf --format json"));
    assert_eq!(info["distinct"]["users"], 7);
    let wait = |predictor: &str| {
        let command = format!("simulate wide.swf --predictor {predictor} --format json");
        json(&mut folder.queuecast(&command))["mean_absolute_error"].as_f64().unwrap()
    };
    assert!(wait("recent:2") < wait("requested"));
    // Converting says what it does, and changes nothing.
    let said = stdout(&mut folder.queuecast("trace convert wide.swf -o same.swf"));
    assert!(
        said.contains(
            "numbers beyond 32 bits are written as they are (first: line 2, job 1: user 10000000001)"
        ),
        "{said}"
    );
    assert!(said.contains("by appearance"), "{said}");
    let copied = folder.queuecast("trace convert same.swf").output().unwrap();
    assert_eq!(String::from_utf8(copied.stdout).unwrap(), folder.read("same.swf"));
    assert!(String::from_utf8(copied.stderr).unwrap().contains("numbers beyond 32 bits"));
}

#[test]
fn a_damaged_run_time_does_not_keep_a_simulation_busy_for_ever() {
    let text = "; MaxProcs: 8\n1 0 -1 20000000000000 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n2 5 -1 60 8 -1 -1 8 60 -1 1 1 1 1 1 1 -1 -1\n";
    let folder = Folder::with("ages.swf", text);
    let begun = Instant::now();
    for command in ["simulate ages.swf", "simulate ages.swf --predictor recent:2", "trace info ages.swf"] {
        folder.queuecast(command).timeout(Duration::from_secs(60)).assert().success();
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}
