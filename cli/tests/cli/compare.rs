//! `compare`: every combination, the same bytes whatever the number of threads.

use predicates::prelude::*;

use crate::{FOUR, Folder, column, json, stdout};

const GRID: &str =
    "compare four.swf half.swf --policy fcfs,easy,easy:depth=2,order=largest --predictor requested,perfect";

fn two() -> Folder {
    let folder = Folder::with("four.swf", FOUR);
    std::fs::write(folder.path("half.swf"), FOUR.replace(" 250 ", " 50 ")).unwrap();
    folder
}

#[test]
fn every_combination_is_there_in_the_order_asked_for() {
    let folder = two();
    let csv = stdout(folder.queuecast(GRID).args(["--format", "csv"]));
    assert_eq!(column(&csv, "source")[..6], ["four.swf"; 6]);
    assert_eq!(column(&csv, "source")[6..], ["half.swf"; 6]);
    assert_eq!(column(&csv, "predictor")[..4], ["requested", "perfect", "requested", "perfect"]);
    assert_eq!(column(&csv, "mean_wait")[2], "99.25");
    assert_eq!(column(&csv, "delayed")[2], "1");
    assert!(!csv.contains("seconds"), "no timings unless asked for");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = two();
    for format in ["text", "json", "csv", "markdown"] {
        let run =
            |threads: &str| stdout(folder.queuecast(GRID).args(["--format", format, "--threads", threads]));
        assert_eq!(run("1"), run("2"), "{format}");
        assert_eq!(run("2"), run("2"), "{format}");
    }
    // Control: bytes that do not depend on the traces would be equal, too.
    let other = folder.queuecast("compare half.swf --format csv").output().unwrap().stdout;
    assert_ne!(other, folder.queuecast("compare four.swf --format csv").output().unwrap().stdout);
}

#[test]
fn json_carries_what_the_results_depend_on() {
    let folder = two();
    let result = json(folder.queuecast(GRID).args(["--format", "json", "--timings"]));
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["traces"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["traces"][0]["cleaning"]["removed"], 0);
    assert_ne!(result["traces"][0]["digest"], result["traces"][1]["digest"]);
    let results = result["results"].as_array().unwrap();
    assert_eq!(results.len(), 12);
    assert_eq!(results[5]["experiment"]["policy"], "easy:depth=2,order=largest");
    assert!(results.iter().all(|one| one["simulate_seconds"].is_number()));
    assert_eq!(results[2]["fairness"]["max_delay"], 100);
}

#[test]
fn text_has_a_table_per_trace_marks_the_best_and_draws_bars() {
    let folder = two();
    let text = stdout(&mut folder.queuecast("compare four.swf half.swf"));
    assert!(text.contains("four.swf: 4 jobs on 100 processors"), "{text}");
    assert!(text.contains("half.swf: 4 jobs on 100 processors"), "{text}");
    assert!(text.contains("* the best of its column"), "{text}");
    assert_eq!(text.matches("Mean bounded slowdown\n").count(), 2, "{text}");
    let line = |policy: &str| text.lines().find(|line| line.starts_with(policy)).unwrap().to_owned();
    // EASY: 1.9925; first come, first served: (1 + 1.99 + 2.98 + 2) / 4 = 1.9925, too, but shorter waits.
    assert!(line("easy").contains("1 min 39 s*"), "{text}");
    assert!(!line("fcfs").contains("2 min 17 s*"), "{text}");
    assert!(!stdout(&mut folder.queuecast("compare four.swf --no-plot")).contains("Mean bounded slowdown\n"));
}

#[test]
fn one_bad_trace_is_told_and_nothing_is_printed() {
    let folder = two();
    std::fs::write(folder.path("empty.swf"), "").unwrap();
    let stderr = predicate::str::contains("empty.swf is empty");
    folder.queuecast("compare four.swf empty.swf missing.swf").assert().code(3).stdout("").stderr(stderr);
}
