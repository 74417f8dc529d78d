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
    "trace convert FILE --output out.swf --force",
    "trace head FILE -n 100",
    "simulate FILE",
    "compare FILE --policy easy,fcfs --predictor requested",
    "generate resample FILE --output out.swf --force",
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

/// The same accounting, whatever separates its columns.
#[test]
fn delimiters_of_several_bytes_are_found_by_content() {
    let text = format!("{HEADER}\n{}", rows(1..30, "east"));
    let folder = Folder::with("bar.psv", &text);
    let digest = |file: &str, more: &str| {
        let answer = json(&mut folder.queuecast(&format!("simulate {file} {more} --procs 8 --format json")));
        (answer["workload"]["jobs"].clone(), answer["workload"]["digest"].clone())
    };
    let expected = digest("bar.psv", "");
    assert_eq!(expected.0, 29);
    for (name, delimiter) in
        [("two", "|#"), ("percent", "%"), ("three", "@@@"), ("section", "§"), ("hash", "#")]
    {
        let other = text.replace('|', delimiter);
        std::fs::write(folder.path(name), &other).unwrap();
        assert_eq!(digest(name, ""), expected, "{delimiter}");
        // With one at the end of each line, as sacct -p writes them.
        std::fs::write(folder.path(name), other.replace('\n', &format!("{delimiter}\n"))).unwrap();
        assert_eq!(digest(name, ""), expected, "{delimiter} at the end");
    }
    // Without the header line.
    for (name, delimiter) in [("two", "|#"), ("percent", "%")] {
        std::fs::write(folder.path(name), rows(1..30, "east").replace('|', delimiter)).unwrap();
        assert_eq!(digest(name, &format!("--columns {}", HEADER.replace('|', ","))), expected, "{delimiter}");
    }
    // Control: a delimiter that stands in names is none.
    std::fs::write(folder.path("letter"), text.replace('|', "x")).unwrap();
    folder.queuecast("simulate letter").assert().code(3);
}

#[test]
fn a_list_of_preceding_jobs_costs_that_field_only() {
    let row =
        |id: u32, preceding: &str| format!("{id} {id} 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 {preceding} 5\n");
    let log: String = (1..20).map(|id| row(id, if id % 5 == 0 { "1&2&3" } else { "-1" })).collect();
    let folder = Folder::with("log.swf", format!("; MaxProcs: 8\n{log}"));
    let plain = log.replace("1&2&3", "-1");
    std::fs::write(folder.path("plain.swf"), format!("; MaxProcs: 8\n{plain}")).unwrap();
    let run = |file: &str| json(&mut folder.queuecast(&format!("simulate {file} --format json")));
    let (found, expected) = (run("log.swf"), run("plain.swf"));
    assert_eq!(found["workload"]["jobs"], 19);
    assert_eq!(found["workload"]["digest"], expected["workload"]["digest"]);
    let rules = found["cleaning"]["rules"].to_string();
    assert!(rules.contains("preceding-list") && !rules.contains("malformed"), "{rules}");
    let counted =
        found["cleaning"]["rules"].as_array().unwrap().iter().find(|one| one["rule"] == "preceding-list");
    assert_eq!(counted.unwrap()["count"], 3);
    // Control: other words are no list.
    std::fs::write(folder.path("odd.swf"), format!("; MaxProcs: 8\n{}", log.replace("1&2&3", "1&&3")))
        .unwrap();
    assert_eq!(run("odd.swf")["workload"]["jobs"], 16);
}

#[test]
fn a_nul_in_a_text_costs_its_line_only() {
    let row = |id: u32| format!("{id} {id} 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    let log: String = (1..20).map(row).collect();
    let folder = Folder::with("log.swf", format!("; MaxProcs: 8\n{}", log.replacen("3 3 0", "3 \0\0 0", 1)));
    let found = json(&mut folder.queuecast("simulate log.swf --format json"));
    assert_eq!(found["workload"]["jobs"], 18);
    assert!(found["cleaning"]["rules"].to_string().contains("malformed"));
    for (name, text) in [
        ("first.swf", format!("\0\0\0\0\n; MaxProcs: 8\n{log}")),
        ("comment.swf", format!("; Computer: a\0b\n; MaxProcs: 8\n{log}")),
    ] {
        std::fs::write(folder.path(name), text).unwrap();
        let found = json(&mut folder.queuecast(&format!("simulate {name} --format json")));
        assert_eq!(found["workload"]["jobs"], 19, "{name}");
    }
    let accounting = format!("{HEADER}\n{}", rows(1..30, "east")).replacen("3|east", "3\0|ea\0st", 1);
    std::fs::write(folder.path("site.psv"), accounting).unwrap();
    folder.queuecast("trace info site.psv").assert().success();
    // Control: what is binary is refused.
    std::fs::copy(env!("CARGO_BIN_EXE_queuecast"), folder.path("program")).unwrap();
    let output = folder.queuecast("trace info program").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && said.contains("binary data"), "{said}");
}

#[test]
fn an_example_of_a_configuration_is_known_by_its_content() {
    let conf = |name: &str| {
        format!(
            "# An example\nClusterName={name}\nNodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL Default=YES\n"
        )
    };
    let folder = Folder::with("slurm.conf.example", conf("toy"));
    let checked = json(&mut folder.queuecast("site check . --format json"));
    assert_eq!(
        (&checked["cluster"]["name"], &checked["used"]["slurm.conf.example"]),
        (&"toy".into(), &"slurm-conf".into())
    );
    assert_eq!(checked["cluster"]["nodes"].as_array().unwrap().len(), 2);
    // Beside a slurm.conf it is a copy, and is left out.
    std::fs::write(folder.path("slurm.conf"), conf("real").replace("[1-2]", "[1-3]")).unwrap();
    let checked = json(&mut folder.queuecast("site check . --format json"));
    assert_eq!(
        (&checked["cluster"]["name"], checked["cluster"]["nodes"].as_array().unwrap().len()),
        (&"real".into(), 3)
    );
    assert!(
        checked["warnings"].to_string().contains("slurm.conf.example is left out, since slurm.conf is there")
    );
    assert_eq!(checked["ignored"], serde_json::json!(["slurm.conf.example"]));
}
