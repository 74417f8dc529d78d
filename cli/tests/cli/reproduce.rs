//! `reproduce`: finding a paper's logs, and what its exit code promises. The logs here are made up under their
//! names, so nothing agrees with the paper.

use std::fs;

use crate::{FOUR, Folder, rows, stdout};

const LOGS: [&str; 4] =
    ["SDSC-SP2-1998-4.2-cln", "CTC-SP2-1996-3.1-cln", "KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln"];

/// A directory with stand-ins for all logs, one of them compressed, and things that are not logs.
fn stand_ins() -> Folder {
    let folder = Folder::with("KTH-SP2-1996-2.1-cln.txt", "not a log");
    for log in &LOGS[1..] {
        fs::write(folder.path(&format!("{log}.swf")), FOUR).unwrap();
    }
    folder.queuecast(&format!("trace convert {}.swf {}.swf.gz", LOGS[1], LOGS[0])).assert().success();
    folder
}

fn said(folder: &Folder, line: &str, code: i32) -> String {
    let done = folder.queuecast(line).env_remove("QUEUECAST_TRACES").assert().code(code).stdout("");
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

#[test]
fn arguments_that_do_not_make_sense() {
    let folder = stand_ins();
    let text = said(&folder, "reproduce talby2005", 2);
    assert!(text.starts_with("error: where are the logs of talby2005? say --traces DIR"), "{text}");
    assert!(text.contains("\nhint: needed from the Parallel Workloads Archive"), "{text}");
    assert!(LOGS.iter().all(|log| text.contains(log)), "{text}");
    let text = said(&folder, "reproduce talby2006 --traces .", 2);
    assert!(
        text.contains("[possible values: talby2005, smith1998, downey1997, tsafrir2005, kumar2014]"),
        "{text}"
    );
    assert!(said(&folder, "reproduce", 2).contains("<PAPER>"));
    let text = said(&folder, "reproduce talby2005 --traces . --table 99", 2);
    assert!(text.starts_with("error: --table 99: talby2005 has no such table"), "{text}");
    assert!(text.contains("\nhint: its tables: 1"), "{text}");
    assert!(said(&folder, "reproduce talby2005 --traces . --threads 0", 2).contains("must be at least 1"));
    let text = said(&folder, "reproduce talby2005 --traces . --seeds 5", 2);
    assert_eq!(text, "error: --seeds: the results of talby2005 are not means over seeds\n");
    for (seeds, why) in
        [("1", "at least 2"), ("-3", "at least 2"), ("1001", "at most 1000"), ("x", "whole number")]
    {
        let text = said(&folder, &format!("reproduce tsafrir2005 --traces . --seeds {seeds}"), 2);
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn tables_without_logs_need_no_directory() {
    let folder = Folder::with("empty.txt", "");
    let table = |more: &str| format!("reproduce kumar2014 --table scenario-loads{more}");
    let text = stdout(folder.queuecast(&table("")).env_remove("QUEUECAST_TRACES"));
    assert!(text.contains("256K unequal, load IV") && !text.contains("\nTable 4"), "{text}");
    // Control: with a table that needs logs they are asked for.
    assert!(said(&folder, &table(" --table 4"), 2).contains("where are the logs of kumar2014?"));
}

#[test]
fn all_missing_logs_are_named_and_what_is_there_too() {
    let folder = stand_ins();
    for missing in [LOGS[2], LOGS[3]] {
        fs::remove_file(folder.path(&format!("{missing}.swf"))).unwrap();
    }
    fs::write(folder.path("KTH-SP2-1996-2.swf"), FOUR).unwrap();
    let text = said(&folder, "reproduce talby2005 --traces .", 3);
    let lacks = format!("error: . lacks 2 of the 4 logs of talby2005: {}, {}\n", LOGS[2], LOGS[3]);
    assert!(text.starts_with(&lacks), "{text}");
    let holds = format!("hint: it holds {}.swf, KTH-SP2-1996-2.swf, {}.swf.gz\n", LOGS[1], LOGS[0]);
    assert!(text.contains(&holds), "{text}");
    fs::create_dir(folder.path("empty")).unwrap();
    let text = said(&folder, "reproduce talby2005 --traces empty", 3);
    assert!(text.contains("lacks 4 of the 4") && text.contains("it holds no log at all"), "{text}");
    assert!(said(&folder, "reproduce talby2005 --traces nowhere", 3).contains("nowhere: no such directory"));
    let text = said(&folder, &format!("reproduce talby2005 --traces {}.swf", LOGS[1]), 3);
    assert!(text.contains(".swf is not a directory"), "{text}");
}

#[test]
fn a_result_that_disagrees_is_printed_and_ends_with_code_4() {
    let folder = stand_ins();
    for (format, begins) in
        [("text", "talby2005: "), ("json", "{"), ("csv", "table,row,"), ("markdown", "**")]
    {
        let line = format!("reproduce talby2005 --traces . --table 1 --format {format}");
        let done = folder.queuecast(&line).assert().code(4);
        let output = done.get_output();
        assert!(output.stdout.starts_with(begins.as_bytes()), "{format}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(text, "error: talby2005: 4 of 4 cells are out of tolerance, and nothing explains it\n");
    }
}

#[test]
fn a_result_that_agrees_ends_with_code_0() {
    let folder = stand_ins();
    fs::remove_file(folder.path(&format!("{}.swf.gz", LOGS[0]))).unwrap();
    // Only the number of records is judged in a description of logs.
    for (log, records) in LOGS.iter().zip([59_725, 77_222, 28_490, 243_314]) {
        let lines = (1..=records).map(|job| format!("{job} {job} -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n"));
        fs::write(folder.path(&format!("{log}.swf")), lines.collect::<String>()).unwrap();
    }
    let text = stdout(folder.queuecast("reproduce talby2005 --traces . --table 1").env("COLUMNS", "80"));
    assert!(text.ends_with("4 of 4 cells within tolerance, 0 of 0 claims hold; 0 explained\n"), "{text}");
}

#[test]
fn the_environment_may_name_the_directory_and_threads_change_nothing() {
    let folder = stand_ins();
    let run = |line: &str| folder.queuecast(line).env("QUEUECAST_TRACES", ".").output().unwrap();
    let (one, two) = (run("reproduce talby2005 --threads 1"), run("reproduce talby2005 --threads 2"));
    assert_eq!((one.status.code(), &one.stdout), (Some(4), &two.stdout));
    // The argument comes first.
    assert_eq!(run("reproduce talby2005 --traces nowhere").status.code(), Some(3));
    let csv = run("reproduce talby2005 --table 1 --format csv");
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert_eq!(rows(&csv)[2][..6], ["1", "SDSP2", "Jobs", "SDSP2", "jobs", "59725"]);
    let json: serde_json::Value =
        serde_json::from_slice(&run("reproduce talby2005 --format json").stdout).unwrap();
    assert_eq!((&json["paper"], &json["traces"][0]["name"]), (&"talby2005".into(), &LOGS[0].into()));
    assert_eq!((&json["traces"][0]["jobs"], &json["traces"][0]["procs"]), (&4.into(), &100.into()));
}

#[test]
fn plain_ascii_in_eighty_columns() {
    let folder = stand_ins();
    let line = "reproduce talby2005 --traces . --table 1 --ascii";
    let output = folder.queuecast(line).env("COLUMNS", "80").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.is_ascii() && !text.contains('?'), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert!(text.ends_with("0 of 4 cells within tolerance, 0 of 0 claims hold; 0 explained\n"), "{text}");
}

#[test]
fn estimates_are_tried_on_any_number_of_threads_with_one_result() {
    let folder = Folder::with("unused", "");
    for (log, jobs) in LOGS.iter().zip([200, 220, 240, 260]) {
        folder.queuecast(&format!("demo --jobs {jobs} --output {log}.swf")).assert().success();
    }
    let run = |threads: u8| {
        let line =
            format!("reproduce tsafrir2005 --traces . --table performance --format csv --threads {threads}");
        stdout(&mut folder.queuecast(&line))
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    let waits = rows(&one).into_iter().filter(|row| row[2] == "Wait Time" && row[3] == "KTH4H");
    assert_eq!(waits.count(), 15);
    let seeds = |seeds: &str| {
        let line = format!("reproduce tsafrir2005 --traces . --table performance --format csv{seeds}");
        stdout(&mut folder.queuecast(&line))
    };
    assert_eq!(seeds(" --seeds 100"), one);
    assert_ne!(seeds(" --seeds 3"), one);
    let line = "reproduce tsafrir2005 --traces . --table performance --seeds 3";
    assert!(stdout(&mut folder.queuecast(line)).contains("the mean of 3 seeds"));
    // Nothing of these logs is the paper's.
    let done = folder.queuecast("reproduce tsafrir2005 --traces . --table 1").assert().code(4);
    let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(text.contains("cells are out of tolerance"), "{text}");
}

/// A paper whose workload is made. That threads change nothing is tested beside the paper, on fewer jobs.
#[test]
fn a_paper_without_logs_needs_none() {
    let folder = Folder::with("empty.txt", "");
    let line = "reproduce downey1997 --table 6.1 --seeds 2 --format json --threads 2";
    let done = folder.queuecast(line).env_remove("QUEUECAST_TRACES").assert();
    // Two seeds may lie close together, and the paper outside of that.
    let code = done.get_output().status.code();
    assert!(code == Some(0) || code == Some(4), "{code:?}");
    let json: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let cells = json["cells"].as_array().unwrap();
    let rows: Vec<&str> = cells.iter().map(|cell| cell["row"].as_str().unwrap()).collect();
    assert_eq!(rows, ["BIAS, lock-in", "BIAS, lock-in, risk-averse", "AVG, at least 40 %"]);
    let least = &cells[2];
    assert!((least["ours"].as_f64().unwrap() - 24.0).abs() < 8.0, "{least}");
    assert!(least["repeated"]["confidence"].as_f64().is_some_and(|half| half > 0.0), "{least}");
    assert_eq!((json["traces"].as_array().unwrap().len(), json["figures"].as_array().unwrap().len()), (0, 0));
    let text = said(&folder, "reproduce downey1997 --traces nowhere", 3);
    assert!(text.starts_with("error: nowhere: no such directory"), "{text}");
    let text = said(&folder, "reproduce downey1997 --table 3", 2);
    assert!(text.contains("hint: its tables: workload, 1, 2, 6.1"), "{text}");
}

#[test]
fn figures_can_be_written_as_a_picture() {
    let folder = stand_ins();
    let done = folder.queuecast("reproduce talby2005 --traces . --no-plot --plot drawn.svg").assert().code(4);
    assert!(!String::from_utf8_lossy(&done.get_output().stdout).contains("Figure 4"));
    let drawn = folder.read("drawn.svg");
    assert!(drawn.starts_with("<svg ") && drawn.contains(">Figure 4: "), "{drawn}");
}
