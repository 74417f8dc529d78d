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
        "The keepers of this log",
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
        swf.contains("; Acknowledge: The keepers of this log") && swf.contains("; Note: cleaned: "),
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
    let csv = stdout(&mut folder.queuecast("trace convert jobs.psv jobs.swf --force --format csv"));
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

/// Two users, five weeks: ada asks for 5 min four times within a session, then for 90 s; grace once a week for an hour.
fn two_users() -> String {
    let job = |number: usize, submit: usize, run: i64, limit: i64, user: usize| {
        format!("{number} {submit} -1 {run} 1 -1 -1 1 {limit} -1 1 {user} 1 1 1 1 -1 -1\n")
    };
    let mut text = "; MaxProcs: 8\n; UnixStartTime: 1000000000\n".to_owned();
    for number in 1..=5 {
        text += &job(number, number * 60, 15 * number as i64, if number < 5 { 300 } else { 90 }, 1);
    }
    for week in 1..5 {
        text += &job(5 + week, week * 604_800 + 60, 3600, 3600, 2);
    }
    text + "10 4000000 -1 -1 1 -1 -1 1 60 -1 5 2 1 1 1 1 -1 -1\n"
}

#[test]
fn info_portrays_the_jobs_that_cleaning_leaves() {
    let folder = Folder::with("users.swf", two_users());
    let text = stdout(&mut folder.queuecast("trace info users.swf"));
    for part in [
        "Estimates and habits: 9 jobs of 10 records (ruleset default)",
        "3 different; 3 cover 100.0% of the jobs",
        "5 min 44.4%, 1 h 44.4%, 1 min 30 s 11.1%",
        "1 h, by 4 jobs (44.4%)",
        "88.9% of the requested times",
        "44.4% all or more",
        "3 requested times (100.0%) of 2 users; user 1 has 2 (66.7%)",
        "5 of 2 users; 1.8 jobs each, 80.0% with one only",
        "requested time 75.0%, processors 100.0%, executable 100.0%",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    assert!(!text.contains("The most popular requested times") && !text.contains('●'), "{text}");
    let info = json(&mut folder.queuecast("trace info users.swf --format json"));
    assert_eq!((&info["records"], &info["cleaning"]["jobs"]), (&10.into(), &9.into()));
    let portrait = &info["portrait"];
    assert_eq!((&portrait["jobs"], &portrait["weeks"]), (&9.into(), &5.into()));
    assert_eq!(portrait["estimates"]["modes"][0]["weeks"], 1);
    assert_eq!(portrait["estimates"]["modes"][1]["time"], 3600);
    assert_eq!(portrait["estimates"]["modes"][1]["weeks"], 4);
    assert_eq!(portrait["run_percentiles"].as_array().map(Vec::len), Some(101));
    assert_eq!(portrait["accuracy"]["reached"], 4);
    assert_eq!(portrait["growth"]["points"][8]["values"], 3);
    // Another ruleset, another workload: predictsim leaves out nothing more here, a smaller machine everything.
    let csv = stdout(&mut folder.queuecast("trace info users.swf users.swf --format csv --clean predictsim"));
    assert_eq!((column(&csv, "jobs"), column(&csv, "estimates")), (vec!["9"; 2], vec!["3"; 2]));
    assert_eq!(column(&csv, "longest_estimate_seconds"), ["3600"; 2]);
    assert_eq!(column(&csv, "repeated_estimate_share"), ["0.75"; 2]);
}

#[test]
fn the_whole_portrait_is_tables_and_charts_within_the_page() {
    let folder = Folder::with("unused", "");
    folder.queuecast("demo --output demo.swf.gz").assert().success();
    let shown = |line: &str| stdout(folder.queuecast(line).env("COLUMNS", "80"));
    let whole = shown("trace info demo.swf.gz --portrait");
    let (tables, charts) = (
        [
            "The most popular requested times",
            "values needed",
            "Tsafrir et al. 2005, Table 3",
            "Sessions: ",
            "in the next session",
        ],
        ["share of jobs", "popularity rank", "jobs so far", "95% to 100%", "mean run time"],
    );
    for part in tables.iter().chain(&charts) {
        assert!(whole.contains(part), "{part:?} is not in:\n{whole}");
    }
    let plain = shown("trace info demo.swf.gz --portrait --no-plot");
    assert!(tables.iter().all(|part| plain.contains(part)), "{plain}");
    assert!(charts.iter().filter(|part| !part.contains('%')).all(|part| !plain.contains(part)), "{plain}");
    for text in [&whole, &plain, &shown("trace info demo.swf.gz")] {
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{widest:?}:\n{text}");
    }
    let ascii = shown("trace info demo.swf.gz --portrait --ascii");
    assert!(ascii.is_ascii(), "{ascii}");
}

#[test]
fn what_a_trace_does_not_tell_is_unknown() {
    let bare = "; MaxProcs: 8\n1 0 -1 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 9 -1 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
    let folder = Folder::with("bare.swf", bare);
    let text = stdout(&mut folder.queuecast("trace info bare.swf --portrait"));
    for part in ["unknown: no job asks for a time", "unknown: no user is known"] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let portrait = json(&mut folder.queuecast("trace info bare.swf --format json"))["portrait"].clone();
    for part in ["estimates", "growth", "owners", "accuracy", "sessions", "flurries"] {
        assert!(portrait[part].is_null(), "{part}: {}", portrait[part]);
    }
    let csv = stdout(&mut folder.queuecast("trace info bare.swf --format csv"));
    assert_eq!(
        (column(&csv, "jobs"), column(&csv, "mean_accuracy"), column(&csv, "flurries")),
        (vec!["2"], vec![""], vec![""])
    );
    // Too few weeks to know what is usual.
    let folder = Folder::with("four.swf", FOUR);
    let text = stdout(&mut folder.queuecast("trace info four.swf"));
    assert!(text.contains("unknown: jobs arrive in fewer than 4 weeks"), "{text}");
}

#[test]
fn a_trace_of_which_cleaning_leaves_nothing_is_described_all_the_same() {
    let folder = Folder::with("never.swf", "; MaxProcs: 8\n1 0 -1 -1 1 -1 -1 1 60 -1 5 1 1 1 1 1 -1 -1\n");
    // Strict reading does not make cleaning strict.
    for line in ["trace info never.swf --portrait", "trace info never.swf --strict"] {
        let text = stdout(&mut folder.queuecast(line));
        assert!(text.contains("none: nothing is left of these records after cleaning"), "{text}");
    }
    let info = json(&mut folder.queuecast("trace info never.swf --format json"));
    assert!(info["portrait"].is_null() && info["cleaning"].is_null());
    assert_eq!(info["records"], 1);
}

#[test]
fn people_are_called_by_their_names_where_a_trace_has_them() {
    let folder = Folder::with("jobs.psv", SACCT);
    let text = stdout(&mut folder.queuecast("trace info jobs.psv --portrait --no-plot"));
    assert!(text.contains("ada has 1 (50.0%)"), "{text}");
    let info = json(&mut folder.queuecast("trace info jobs.psv --format json"));
    assert_eq!(info["portrait"]["owners"]["owners"][1]["name"], "grace");
}
