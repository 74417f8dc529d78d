//! `trace info`, `clean`, `convert` and `head`.

use predicates::prelude::*;

use crate::{FOUR, Folder, SACCT, column, json, stdout};

fn dirty() -> String {
    FOUR.to_owned()
        + "5 60 -1 0 10 -1 -1 10 20 -1 1 1 1 1 1 1 -1 -1\n6 70 -1 30 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\nrubbish\n"
}

#[test]
fn info_describes_before_anything_is_cleaned() {
    let folder = Folder::with("dirty.swf", dirty());
    let text = stdout(&mut folder.queuecast("trace info dirty.swf"));
    for part in [
        "computer",
        "Example",
        "100 processors (from the header's MaxProcs)",
        "Whoever kept this log",
        "malformed",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let info = json(&mut folder.queuecast("trace info dirty.swf --format json"));
    assert_eq!((&info["records"], &info["runs_above_request"]), (&6.into(), &1.into()));
    assert_eq!(info["source"], "dirty.swf");
    assert_eq!(info["reading"]["removed"], 1);
    assert_eq!(info["sizes"]["max"], 90);
    let several = json(&mut folder.queuecast("trace info dirty.swf dirty.swf --format json"));
    assert_eq!(several.as_array().map(Vec::len), Some(2));
    let csv = stdout(&mut folder.queuecast("trace info dirty.swf --format csv"));
    assert_eq!((column(&csv, "records"), column(&csv, "unreadable")), (vec!["6"], vec!["1"]));
}

#[test]
fn clean_writes_what_is_left_and_says_what_is_not() {
    let folder = Folder::with("dirty.swf", dirty());
    let command = "trace clean dirty.swf --clean predictsim --output clean.swf.zst --report report.json";
    let text = stdout(&mut folder.queuecast(command));
    assert!(text.contains("Cleaning by ruleset predictsim: 7 records, 5 kept, 2 removed"), "{text}");
    assert!(text.contains("run-zero") && text.contains("run-above-request"), "{text}");
    assert!(text.contains("5 jobs written to clean.swf.zst"), "{text}");
    let report: serde_json::Value = serde_json::from_str(&folder.read("report.json")).unwrap();
    assert_eq!((&report["source"], &report["jobs"]), (&"dirty.swf".into(), &5.into()));
    // What was cleaned is clean: nothing more to remove or change.
    let again =
        json(&mut folder.queuecast("trace clean clean.swf.zst --clean predictsim --strict --format json"));
    assert_eq!((&again["removed"], &again["output"]), (&0.into(), &serde_json::Value::Null));
    // Control: what was not is not.
    folder.queuecast("trace clean dirty.swf --clean predictsim --strict").assert().code(3);
    let swf = stdout(&mut folder.queuecast("trace convert clean.swf.zst"));
    assert!(
        swf.contains("; Acknowledge: Whoever kept this log") && swf.contains("; Note: cleaned: "),
        "{swf}"
    );
}

#[test]
fn converting_there_and_back_loses_nothing() {
    let folder = Folder::with("four.swf", FOUR);
    let plain = stdout(&mut folder.queuecast("trace convert four.swf"));
    let report =
        "four.swf: 4 data lines, 0 of them not records; no rule fired\n4 records written to a.swf.gz\n";
    folder.queuecast("trace convert four.swf -o a.swf.gz").assert().success().stdout(report).stderr("");
    folder.queuecast("trace convert a.swf.gz b.swf.zst").assert().success();
    folder.queuecast("trace convert b.swf.zst -o c.swf").assert().success();
    assert_eq!(folder.read("c.swf"), plain);
    assert!(std::fs::read(folder.path("a.swf.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    assert!(std::fs::read(folder.path("b.swf.zst")).unwrap().starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    let digest = |file: &str| {
        json(&mut folder.queuecast(&format!("simulate {file} --format json")))["workload"]["digest"].clone()
    };
    assert_eq!(digest("four.swf"), digest("b.swf.zst"));
}

#[test]
fn accounting_records_become_swf() {
    let folder = Folder::with("jobs.psv", SACCT);
    let done = folder.queuecast("trace convert jobs.psv --procs 8 --output jobs.swf").assert().success();
    done.stdout(
        predicate::str::contains("2 records written to jobs.swf").and(predicate::str::contains("step 1")),
    );
    let swf = folder.read("jobs.swf");
    assert!(swf.contains("; MaxProcs: 8\n") && swf.contains("; UnixStartTime: 1700000000\n"), "{swf}");
    let records: Vec<Vec<&str>> = swf
        .lines()
        .filter(|line| !line.starts_with(';'))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(records[0][..5], ["7", "0", "10", "60", "4"]);
    assert_eq!(records[1][..5], ["8", "5", "65", "20", "2"]);
}

#[test]
fn a_conversion_reports_in_the_format_asked_for_and_only_beside_a_file() {
    let folder = Folder::with("jobs.psv", SACCT);
    let report = json(&mut folder.queuecast("trace convert jobs.psv jobs.swf --format json"));
    assert_eq!((&report["source"], &report["output"]), (&"jobs.psv".into(), &"jobs.swf".into()));
    assert_eq!((&report["records"], &report["reading"]["lines"]), (&2.into(), &3.into()));
    let csv = stdout(&mut folder.queuecast("trace convert jobs.psv jobs.swf --format csv"));
    assert_eq!((column(&csv, "records"), column(&csv, "rules")), (vec!["2"], vec!["step 1"]));
    let stderr = predicate::str::contains("hint: with --output FILE");
    folder.queuecast("trace convert jobs.psv --format json").assert().code(2).stdout("").stderr(stderr);
    folder.queuecast("trace convert jobs.psv a.swf -o b.swf").assert().code(2).stdout("");
}

#[test]
fn a_conversion_heeds_the_size_of_the_machine() {
    let folder = Folder::with("four.swf", FOUR);
    let given = stdout(&mut folder.queuecast("trace convert four.swf --procs 500"));
    assert!(given.contains("; MaxProcs: 500\n") && !given.contains("; MaxProcs: 100"), "{given}");
    assert!(given.contains("MaxProcs was 100"), "{given}");
    folder.queuecast("trace convert four.swf large.swf.gz --procs 500").assert().success();
    assert_eq!(stdout(&mut folder.queuecast("trace convert large.swf.gz")), given);
}

#[test]
fn head_shows_records_as_they_are() {
    let folder = Folder::with("dirty.swf", dirty());
    let text = stdout(&mut folder.queuecast("trace head dirty.swf -n 2"));
    assert!(text.starts_with("The first 2 records of dirty.swf\n"), "{text}");
    assert!(text.contains("not known in any of them: wait time"), "{text}");
    let records = json(&mut folder.queuecast("trace head dirty.swf --jobs 5 --format json"));
    assert_eq!(records.as_array().map(Vec::len), Some(5));
    assert_eq!(records[3]["run_time"], 250);
    assert_eq!(records[4]["run_time"], 0);
    assert_eq!(records[0]["wait_time"], serde_json::Value::Null);
    assert_eq!(records[0].as_object().map(serde_json::Map::len), Some(18));
    let csv = stdout(&mut folder.queuecast("trace head dirty.swf -n 3 --format csv"));
    assert_eq!(column(&csv, "requested_processors"), ["70", "80", "90"]);
    let named = Folder::with("jobs.psv", SACCT);
    let records = json(&mut named.queuecast("trace head jobs.psv --format json"));
    assert_eq!((&records[1]["user"], &records[1]["partition"]), (&"grace".into(), &"batch".into()));
}
